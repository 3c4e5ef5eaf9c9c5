//! The fingerprints of a text, one range of their values after another, where all of them do not fit.

use std::borrow::Cow;

use crate::fingerprint::Fingerprint;
use crate::rolling::LONGEST_RUN;
use crate::sorted::sorted_distinct;

/// All fingerprints of a set in a range that ends at `upto`.
pub(super) struct Part<'s> {
    pub(super) list: Cow<'s, [Fingerprint]>,
    pub(super) upto: u64,
}

/// How far fingerprints reach of which three quarters of those that fit are found in a text so long.
pub(crate) fn span(length: usize, fits: usize) -> u64 {
    let share = (fits - fits / 4) as f64 / length.max(1) as f64;
    // A cast to an integer saturates.
    (share * 2f64.powi(64)) as u64
}

/// Where a share of all fingerprints that begins at `from` ends.
pub(super) fn share(from: u64, span: u64) -> u64 {
    from.saturating_add(span)
}

/// Gathers what `each` adds, part after part, and shows it ascending and distinct.
pub(crate) fn in_parts<E>(
    span: u64,
    fits: usize,
    each: impl Fn(&mut Gather),
    mut visit: impl FnMut(&[Fingerprint]) -> Result<(), E>,
) -> Result<(), E> {
    let mut from = 0;
    loop {
        let mut gather = Gather::new(from, share(from, span), fits);
        each(&mut gather);
        let part = gather.finish();
        visit(&part.list)?;
        match part.upto.checked_add(1) {
            Some(next) => from = next,
            None => return Ok(()),
        }
    }
}

/// Gathers the smallest distinct fingerprints of a range, as many as fit.
pub(crate) struct Gather {
    kept: Vec<Fingerprint>,
    from: u64,
    /// All that were added up to here are kept.
    upto: u64,
    fits: usize,
}

impl Gather {
    pub(super) fn new(from: u64, upto: u64, fits: usize) -> Self {
        Self {
            kept: Vec::with_capacity(fits + LONGEST_RUN),
            from,
            upto,
            fits,
        }
    }

    /// Adds fingerprints of the text, at most [`LONGEST_RUN`] at once.
    pub(crate) fn add(&mut self, run: &[Fingerprint]) {
        let (from, upto) = (self.from, self.upto);
        let wanted = run.iter().filter(|f| (from..=upto).contains(&f.0));
        self.kept.extend(wanted);
        if self.kept.len() >= self.fits {
            self.make_room();
        }
    }

    fn make_room(&mut self) {
        self.kept.sort_unstable();
        self.kept.dedup();
        let half = (self.fits / 2).max(1);
        if self.kept.len() > half {
            self.kept.truncate(half);
            self.upto = self.kept.last().map_or(self.upto, |last| last.0);
        }
    }

    pub(super) fn finish(self) -> Part<'static> {
        Part {
            list: Cow::Owned(sorted_distinct(self.kept)),
            upto: self.upto,
        }
    }
}
