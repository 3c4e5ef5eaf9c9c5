//! Min_n: keep the n smallest fingerprints, all if there are fewer.
//!
//! Source: Broder 1997, "On the resemblance and containment of documents", §3 (the bottom-n
//! sketch); Cherkasova et al. 2009, §2 "Algorithm Min_n"; Heintze 1996. Cost: one rolling pass and one comparison a
//! window. The n smallest of a first part of the text, which is guessed to have them below some value, bound what is
//! looked for in the next part, which is as long as all before it: so few fingerprints are collected, and none of a
//! second pass over the text. Where the guess was wrong, since windows of a few bytes recur in prose, only the first part
//! is gone over again.
//!
//! The estimate is Broder's and unbiased: of the n smallest of A ∪ B, which the two signatures
//! hold between them, the share that both hold. These n are a sample of the union without
//! replacement, so that the count is hypergeometric; the binomial interval given is wider than
//! needed, never too narrow. Where both signatures hold all fingerprints the count is exact.
//!
//! Cherkasova et al. do not say how they count; dividing the shared entries by those of either
//! signature, as some do, has a bias: it counts fingerprints of A alone that are smaller than all
//! that B had room for as if B did not hold them.
//!
//! Departure: "smallest" is by our fingerprint, a fixed bijective image of Rabin's residue
//! ([`Fingerprint`]), for windows of a few bytes have residues that are the bytes themselves, and
//! the smallest would be those that begin with a space. Min_n gives no containment: how many
//! fingerprints A has is not known of a signature of fixed size.

use crate::canonical::CanonicalText;
use crate::estimate::Support;
use crate::fingerprint::Fingerprint;
use crate::rolling::{Choice, RabinTables};
use crate::rung::Rung;
use crate::shingle::{for_each_run, tables};
use crate::signature::{Scheme, SchemeKind, Signature};
use crate::sorted::sorted_distinct;
use crate::window::{Unit, Window};

mod seen;

use seen::Seen;

/// The scheme Min_n; gathers the n smallest fingerprints.
pub struct MinN {
    n: usize,
    kept: Vec<Fingerprint>,
    /// Whether those kept are ascending and distinct, and n at most.
    is_settled: bool,
    /// Those not below it are not among the n smallest.
    below: Option<Fingerprint>,
    /// Where most fingerprints are repeats: those that were seen.
    seen: Option<Seen>,
}

impl MinN {
    /// The Min_n signature of a text, n = 2^rung.
    pub fn sign(text: &CanonicalText, window: Window, rung: Rung) -> Signature {
        let n = rung.modulus() as usize;
        let kept = match window.unit() {
            Unit::Bytes => Self::of_windows(&tables(window.width().into()), text.as_bytes(), n),
            Unit::Words => {
                let mut gather = Self::new(n);
                for_each_run(text, window, |run| gather.add(run));
                gather.finish()
            }
        };
        Signature::ascending(Scheme::of_text(SchemeKind::MinN, window), rung, kept)
    }

    /// Collects the n smallest.
    pub(crate) fn new(n: usize) -> Self {
        Self {
            n,
            kept: Vec::new(),
            is_settled: true,
            below: None,
            seen: None,
        }
    }

    /// The n smallest of all windows, ascending and distinct.
    pub(crate) fn of_windows(tables: &RabinTables, bytes: &[u8], n: usize) -> Vec<Fingerprint> {
        let windows = tables.windows_in(bytes.len());
        let mut gather = Self::new(n);
        let mut at = 0;
        while at < windows {
            let most = gather.part_after(at);
            // A short rest is not worth a part.
            let end = if windows - at < 2 * most {
                windows
            } else {
                at + most
            };
            gather.add_part(tables, &bytes[at..end + tables.width() - 1]);
            at = end;
        }
        gather.finish()
    }

    /// How many windows to look at next, after so many.
    fn part_after(&self, windows: usize) -> usize {
        // Of as many again, n are smaller than the n smallest up to now, if windows do not recur.
        let again = windows.max(FIRST).max(8 * self.n);
        let share = self.below.map_or(1.0, share_below);
        let few = (8 * self.n + ROOM) as f64 / share.max(f64::MIN_POSITIVE);
        again.min(few as usize).clamp(FIRST, SLAB)
    }

    fn add_part(&mut self, tables: &RabinTables, bytes: &[u8]) {
        if let Some(below) = self.below {
            let mut found = Vec::new();
            tables.choose(bytes, Choice::Below(below), &mut found);
            return self.merge(&found);
        }
        if self.kept.is_empty() {
            return self.first_part(tables, bytes);
        }
        let mut all = Vec::with_capacity(tables.windows_in(bytes.len()));
        tables.choose(bytes, Choice::Divisible(Rung::ZERO), &mut all);
        self.merge(&all);
    }

    /// Finds the n smallest of a first part, which are guessed to be below some value: fingerprints are uniform.
    fn first_part(&mut self, tables: &RabinTables, bytes: &[u8]) {
        let (n, windows) = (self.n as f64, tables.windows_in(bytes.len()) as f64);
        let mut recur = tables.width() < NARROW;
        let mut share = if recur { 1.9 } else { 1.15 } * (n + 3.0 * n.sqrt()) / windows;
        for _ in 0..2 {
            if share > WORTH_A_GUESS {
                break;
            }
            // A cast to an integer saturates.
            let below = Fingerprint((share * 2f64.powi(64)) as u64);
            self.find(Choice::Below(below), share * windows, recur, tables, bytes);
            if self.below.is_some() {
                return;
            }
            // So many were below the guess, and of those beyond it as many are repeats.
            share *= 1.3 * n / self.kept.len() as f64;
            recur = true;
        }
        let all = Choice::Divisible(Rung::ZERO);
        self.find(all, windows, recur, tables, bytes);
    }

    /// Keeps the n smallest that are chosen of the windows, about so many.
    fn find(
        &mut self,
        choice: Choice,
        expected: f64,
        recur: bool,
        tables: &RabinTables,
        bytes: &[u8],
    ) {
        let mut found = Vec::with_capacity(expected as usize + ROOM);
        tables.choose(bytes, choice, &mut found);
        if recur {
            found = Seen::of(2 * expected as usize).only_new(&found);
        }
        self.kept = sorted_distinct(found);
        self.kept.truncate(self.n);
        self.bound();
    }

    /// Adds fingerprints in any order, with repeats.
    pub(crate) fn add(&mut self, run: &[Fingerprint]) {
        let mut small = [Fingerprint(0); ROOM];
        // In pieces, so that few are gathered before it is known how far the smallest reach.
        for piece in run.chunks(ROOM) {
            match self.below {
                Some(below) => {
                    // Written over where it is not wanted: a branch would be guessed wrong too often.
                    let mut end = 0;
                    for &fingerprint in piece {
                        small[end % ROOM] = fingerprint;
                        end += usize::from(fingerprint < below);
                    }
                    self.merge(small.get(..end).unwrap_or(&small));
                }
                None => self.merge(piece),
            }
        }
    }

    /// Adds fingerprints of which most may be among the n smallest.
    fn merge(&mut self, found: &[Fingerprint]) {
        for piece in found.chunks(self.n + ROOM) {
            self.is_settled = false;
            match &mut self.seen {
                Some(seen) => self.kept.append(&mut seen.only_new(piece)),
                None => self.kept.extend_from_slice(piece),
            }
            if self.kept.len() >= 2 * self.n + ROOM {
                self.settle();
            }
        }
    }

    /// Drops all but the n smallest.
    fn settle(&mut self) {
        let gathered = self.kept.len();
        self.kept = sorted_distinct(std::mem::take(&mut self.kept));
        if self.seen.is_none() && gathered > 2 * self.kept.len() + ROOM {
            self.seen = Some(Seen::of(8 * self.n));
        }
        self.kept.truncate(self.n);
        self.is_settled = true;
        self.bound();
    }

    fn bound(&mut self) {
        if let Some(&last) = self.kept.get(self.n.saturating_sub(1)) {
            self.below = Some(last);
        }
    }

    /// The n smallest, ascending and distinct.
    pub(crate) fn finish(mut self) -> Vec<Fingerprint> {
        if !self.is_settled {
            self.settle();
        }
        self.kept
    }
}

/// The share of all fingerprints that are below this one.
fn share_below(fingerprint: Fingerprint) -> f64 {
    fingerprint.0 as f64 / 2f64.powi(64)
}

/// Windows of a text that are looked at first, at least.
const FIRST: usize = 4096;

/// Windows that are looked at at once, at most.
const SLAB: usize = 1 << 20;

/// Where more of the windows are below a guess, all are looked at.
const WORTH_A_GUESS: f64 = 0.6;

/// Windows of fewer bytes recur in prose, so often that half of those in a few pages are repeats.
const NARROW: usize = 12;

/// Fingerprints gathered beyond twice n before the greater ones are dropped.
const ROOM: usize = 256;

/// How many of the n smallest fingerprints of the union are in both signatures, and how many there are.
pub(crate) fn count(a: &[Fingerprint], b: &[Fingerprint], n: usize) -> (u64, u64, Support) {
    let is_all = a.len() < n && b.len() < n;
    let (mut i, mut j) = (0, 0);
    let (mut shared, mut union) = (0, 0);
    while is_all || union < n as u64 {
        let (x, y) = (a.get(i), b.get(j));
        let Some(&least) = [x, y].into_iter().flatten().min() else {
            break;
        };
        shared += u64::from(x == y);
        union += 1;
        i += usize::from(x == Some(&least));
        j += usize::from(y == Some(&least));
    }
    let support = if is_all {
        Support::Exact
    } else {
        Support::Sampled
    };
    (shared, union, support)
}

#[cfg(test)]
mod tests;
