//! The set of all shingles of a text: exact, and in memory that does not grow with the text.
//!
//! A set of at most [`ShingleSet::LISTED`] shingles is a sorted list. A larger one keeps the text, and is
//! counted part by part: each pass over the text gathers the smallest fingerprints not yet seen, as many
//! as fit. Fingerprints are close to uniform, so a pass asks for an even share of them; where a text is
//! made so that they crowd, a pass that overflows keeps the smaller half and ends earlier. Each pass
//! that overflows takes at least half of what fits, so that passes are bounded whatever the text is.
//!
//! Counts over parts are sums over disjoint ranges of fingerprints, hence exact.

use std::borrow::Cow;
use std::convert::Infallible;

use crate::canonical::CanonicalText;
use crate::fingerprint::Fingerprint;
use crate::ratio::Ratio;
use crate::rung::Rung;
use crate::shingle::for_each_run;
use crate::sorted::{shared, sorted_distinct};
use crate::window::Window;

mod parts;

pub(crate) use parts::{Gather, in_parts, span};
use parts::{Part, share};

/// Rungs that counts are kept for.
const RUNGS: usize = Rung::TOP.get() as usize + 1;

/// The distinct shingles of one text: no sampling, so what it measures is exact (up to the
/// collision probability of a 64-bit fingerprint).
#[derive(Clone, Debug)]
pub struct ShingleSet {
    form: Form,
}

#[derive(Clone, Debug)]
enum Form {
    Listed(Vec<Fingerprint>),
    Parted(Box<Parted>),
}

/// A set too large to be listed.
#[derive(Clone, Debug)]
struct Parted {
    text: CanonicalText,
    window: Window,
    /// Fingerprints gathered in one pass.
    fits: usize,
    /// Distinct shingles by rung.
    counts: [u64; RUNGS],
}

impl ShingleSet {
    /// Shingles that are listed, 64 MiB of them; a text with more is counted in parts.
    pub const LISTED: usize = 8 << 20;

    /// All shingles of `text`; empty if the text is shorter than one window.
    pub fn new(text: &CanonicalText, window: Window) -> Self {
        Self::listing(text, window, Self::LISTED)
    }

    /// The shingles of a text, listed only where there are at most `most` of them. It changes no answer.
    pub fn listing(text: &CanonicalText, window: Window, most: usize) -> Self {
        if text.as_bytes().len() <= most {
            let mut all = Vec::with_capacity(text.as_bytes().len());
            for_each_run(text, window, |run| all.extend_from_slice(run));
            return Self::listed(sorted_distinct(all));
        }
        let mut parted = Parted {
            text: text.clone(),
            window,
            fits: (most / 2).max(1),
            counts: [0; RUNGS],
        };
        let mut all = Some(Vec::new());
        let mut counts = [0; RUNGS];
        let Ok(()) = parted.visit(|part| {
            add_by_rung(&mut counts, part);
            all = all.take().filter(|all| all.len() + part.len() <= most);
            all.iter_mut().for_each(|all| all.extend_from_slice(part));
            Ok::<_, Infallible>(())
        });
        parted.counts = counts;
        match all {
            // Much of the text repeats itself.
            Some(all) => Self::listed(all),
            None => Self {
                form: Form::Parted(Box::new(parted)),
            },
        }
    }

    /// A set of shingles that are in ascending order.
    pub(crate) fn listed(mut all: Vec<Fingerprint>) -> Self {
        if all.len() < all.capacity() / 2 {
            all.shrink_to_fit();
        }
        Self {
            form: Form::Listed(all),
        }
    }

    /// The most that making or counting the set of a canonical text takes at once beside the text, in
    /// bytes.
    pub fn peak_bytes(length: u64) -> u64 {
        // A list and what it is sorted into; or a list that may turn out too long, and a part.
        length.min(Self::LISTED as u64) * 16
    }

    /// Bytes of memory that its shingles take or, where they are not listed, the text that they are made from again.
    pub fn held_bytes(&self) -> u64 {
        match &self.form {
            Form::Listed(all) => size_of_val(all.as_slice()) as u64,
            Form::Parted(parted) => parted.text.as_bytes().len() as u64,
        }
    }

    /// Bytes it holds, and what counting it takes beside: less than this of two sets at once, as each is
    /// counted after the other.
    pub fn counting_bytes(&self) -> u64 {
        match &self.form {
            Form::Listed(_) => self.held_bytes(),
            Form::Parted(parted) => self.held_bytes() + 16 * parted.fits as u64,
        }
    }

    /// Number of distinct shingles, |S|.
    pub fn len(&self) -> usize {
        match &self.form {
            Form::Listed(all) => all.len(),
            Form::Parted(parted) => parted.counts[0] as usize,
        }
    }

    /// All shingles, ascending; none where they are too many to be listed.
    pub fn as_list(&self) -> Option<&[Fingerprint]> {
        match &self.form {
            Form::Listed(all) => Some(all),
            Form::Parted(_) => None,
        }
    }

    /// Whether the text was shorter than one window.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// How many shingles are divisible by 2^r, for each rung r.
    pub fn counts_by_rung(&self) -> [u64; RUNGS] {
        match &self.form {
            Form::Listed(all) => {
                let mut counts = [0; RUNGS];
                add_by_rung(&mut counts, all);
                counts
            }
            Form::Parted(parted) => parted.counts,
        }
    }

    /// Shows all shingles, ascending and distinct, part after part; the first error ends it.
    ///
    /// # Errors
    /// That of `visit`.
    pub fn visit<E>(&self, visit: impl FnMut(&[Fingerprint]) -> Result<(), E>) -> Result<(), E> {
        let mut visit = visit;
        match &self.form {
            Form::Listed(all) => visit(all),
            Form::Parted(parted) => parted.visit(visit),
        }
    }

    /// The shingles divisible by 2^rung, ascending and distinct.
    pub fn sampled(&self, rung: Rung) -> Vec<Fingerprint> {
        let mut sampled = Vec::new();
        match &self.form {
            Form::Listed(all) => sampled.extend(all.iter().filter(|f| f.divisible_by(rung))),
            Form::Parted(parted) => {
                crate::shingle::select_shingles(&parted.text, parted.window, rung, &mut sampled);
                sampled = sorted_distinct(sampled);
            }
        }
        sampled
    }

    /// Number of distinct shingles that are in both sets, |S(A) ∩ S(B)|.
    pub fn shared_with(&self, other: &Self) -> u64 {
        let Ok(shared) = self.count_shared(other, || Ok::<_, Infallible>(()));
        shared
    }

    /// |S(A) ∩ S(B)|. Large sets take a while: `go_on` is asked now and then, and its error ends it.
    ///
    /// # Errors
    /// That of `go_on`.
    pub fn count_shared<E>(
        &self,
        other: &Self,
        go_on: impl FnMut() -> Result<(), E>,
    ) -> Result<u64, E> {
        let mut all = 0;
        self.beside(other, go_on, |ours, theirs| all += shared(ours, theirs))?;
        Ok(all)
    }

    /// How many shingles in both are divisible by 2^r, for each rung r.
    ///
    /// # Errors
    /// That of `go_on`.
    pub fn count_shared_by_rung<E>(
        &self,
        other: &Self,
        go_on: impl FnMut() -> Result<(), E>,
    ) -> Result<[u64; RUNGS], E> {
        let mut counts = [0; RUNGS];
        let count =
            |ours: &[Fingerprint], theirs: &[Fingerprint]| add_shared(&mut counts, ours, theirs);
        self.beside(other, go_on, count)?;
        Ok(counts)
    }

    /// Shows both sets side by side, range after range of fingerprints.
    fn beside<E>(
        &self,
        other: &Self,
        go_on: impl FnMut() -> Result<(), E>,
        mut show: impl FnMut(&[Fingerprint], &[Fingerprint]),
    ) -> Result<(), E> {
        let (mut go_on, mut from) = (go_on, 0);
        loop {
            go_on()?;
            let ours = self.part(from, share(from, self.span().min(other.span())));
            // What we do not list beyond, the other need not list either.
            let theirs = other.part(from, ours.upto);
            let end = ours.list.partition_point(|f| f.0 <= theirs.upto);
            show(&ours.list[..end], &theirs.list);
            match theirs.upto.checked_add(1) {
                Some(next) => from = next,
                None => return Ok(()),
            }
        }
    }

    /// |A∩B| / |A∪B|; `None` if both are empty. Both sets must have the same window.
    pub fn resemblance(&self, other: &Self) -> Option<Ratio> {
        let shared = self.shared_with(other);
        Ratio::of(shared, self.len() as u64 + other.len() as u64 - shared)
    }

    /// |A∩B| / |A| for A = `self`, B = `whole`; `None` if A is empty.
    pub fn containment_in(&self, whole: &Self) -> Option<Ratio> {
        Ratio::of(self.shared_with(whole), self.len() as u64)
    }

    /// The fingerprints from one on, up to another or fewer.
    fn part(&self, from: u64, upto: u64) -> Part<'_> {
        match &self.form {
            Form::Listed(all) => {
                let start = all.partition_point(|f| f.0 < from);
                let end = all.partition_point(|f| f.0 <= upto);
                Part {
                    list: Cow::Borrowed(&all[start..end]),
                    upto,
                }
            }
            Form::Parted(parted) => parted.part(from, upto),
        }
    }

    /// How far the fingerprints reach that fit, as a rule.
    fn span(&self) -> u64 {
        match &self.form {
            Form::Listed(_) => u64::MAX,
            Form::Parted(parted) => parted.span(),
        }
    }
}

impl Parted {
    fn visit<E>(&self, visit: impl FnMut(&[Fingerprint]) -> Result<(), E>) -> Result<(), E> {
        let each = |gather: &mut Gather| {
            for_each_run(&self.text, self.window, |run| gather.add(run));
        };
        in_parts(self.span(), self.fits, each, visit)
    }

    fn part(&self, from: u64, upto: u64) -> Part<'static> {
        let mut gather = Gather::new(from, upto, self.fits);
        for_each_run(&self.text, self.window, |run| gather.add(run));
        gather.finish()
    }

    fn span(&self) -> u64 {
        span(self.text.as_bytes().len(), self.fits)
    }
}

fn add_by_rung(counts: &mut [u64; RUNGS], distinct: &[Fingerprint]) {
    let mut tops = [0; RUNGS];
    distinct.iter().for_each(|f| tops[top(f)] += 1);
    add_tops(counts, &tops);
}

/// Adds, by rung, the fingerprints in both lists.
fn add_shared(counts: &mut [u64; RUNGS], a: &[Fingerprint], b: &[Fingerprint]) {
    let (mut i, mut j) = (0, 0);
    let mut tops = [0; RUNGS];
    while let (Some(x), Some(y)) = (a.get(i), b.get(j)) {
        if x == y {
            tops[top(x)] += 1;
        }
        i += usize::from(x <= y);
        j += usize::from(y <= x);
    }
    add_tops(counts, &tops);
}

/// The coarsest rung that keeps a fingerprint.
fn top(fingerprint: &Fingerprint) -> usize {
    (fingerprint.0.trailing_zeros() as usize).min(RUNGS - 1)
}

/// Whatever a rung keeps, all finer ones keep.
fn add_tops(counts: &mut [u64; RUNGS], tops: &[u64; RUNGS]) {
    let mut sum = 0;
    for rung in (0..RUNGS).rev() {
        sum += tops[rung];
        counts[rung] += sum;
    }
}

#[cfg(test)]
mod tests;
