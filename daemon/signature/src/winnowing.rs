//! Winnowing: of every w consecutive shingles the smallest is kept.
//!
//! Source: Schleimer, Wilkerson and Aiken 2003, "Winnowing: local algorithms for document
//! fingerprinting", §3. Where k is the length of a shingle, two texts that share a passage of
//! k + w − 1 units share a kept fingerprint without exception, and none shorter than k is matched.
//! Of random text the share 2/(w + 1) of all shingles is kept. Cost: one rolling pass and a queue
//! in which every window is entered and left once.
//!
//! Of equal minima the rightmost is taken, as in the paper. Departure: a text of fewer than w
//! shingles is one window, so that it has a fingerprint too; the paper leaves it without.

use std::collections::VecDeque;

use crate::fingerprint::Fingerprint;

/// Selects from shingles in the order of the text.
pub(crate) struct Winnowing {
    window: u64,
    /// How many shingles were added.
    added: u64,
    /// Those of the last window that may still become its smallest: ascending, each with its place.
    queue: VecDeque<(Fingerprint, u64)>,
    /// The place selected last.
    last: Option<u64>,
    selected: Vec<(Fingerprint, u64)>,
}

impl Winnowing {
    /// Selects from windows of so many shingles.
    pub(crate) fn new(window: u32) -> Self {
        Self {
            window: u64::from(window.max(1)),
            added: 0,
            queue: VecDeque::new(),
            last: None,
            selected: Vec::new(),
        }
    }

    /// Adds the next shingles of the text.
    pub(crate) fn add(&mut self, run: &[Fingerprint]) {
        for &fingerprint in run {
            while self
                .queue
                .pop_back_if(|last| last.0 >= fingerprint)
                .is_some()
            {}
            self.queue.push_back((fingerprint, self.added));
            self.added += 1;
            if self.added >= self.window {
                let first = self.added - self.window;
                while self.queue.pop_front_if(|front| front.1 < first).is_some() {}
                self.select();
            }
        }
    }

    fn select(&mut self) {
        if let Some(&(least, place)) = self.queue.front()
            && self.last != Some(place)
        {
            self.last = Some(place);
            self.selected.push((least, place));
        }
    }

    /// The fingerprints selected, each with its place among the shingles, in the order of the text.
    pub(crate) fn finish(mut self) -> Vec<(Fingerprint, u64)> {
        if self.added < self.window {
            self.select();
        }
        self.selected
    }
}

/// Selects window by window: twin of [`Winnowing`].
#[cfg(test)]
fn slowly(all: &[Fingerprint], window: usize) -> Vec<(Fingerprint, u64)> {
    let rightmost = |start: usize, part: &[Fingerprint]| {
        let least = *part.iter().min()?;
        let at = part.iter().rposition(|&f| f == least)?;
        Some((least, (start + at) as u64))
    };
    let mut selected: Vec<_> = match all.len() < window {
        true => rightmost(0, all).into_iter().collect(),
        false => {
            let windows = all.windows(window).enumerate();
            windows
                .filter_map(|(start, part)| rightmost(start, part))
                .collect()
        }
    };
    selected.dedup();
    selected
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn winnowed(all: &[Fingerprint], window: u32) -> Vec<(Fingerprint, u64)> {
        let mut winnowing = Winnowing::new(window);
        all.chunks(13).for_each(|run| winnowing.add(run));
        winnowing.finish()
    }

    #[test]
    fn the_example_of_the_paper() {
        // Schleimer et al. 2003, Figure 2: hashes, windows of 4, and what is selected.
        let hashes = [
            77, 74, 42, 17, 98, 50, 17, 98, 8, 88, 67, 39, 77, 74, 42, 17, 98,
        ];
        let hashes = hashes.map(Fingerprint);
        let kept: Vec<_> = winnowed(&hashes, 4)
            .iter()
            .map(|(f, at)| (f.0, *at))
            .collect();
        assert_eq!(kept, [(17, 3), (17, 6), (8, 8), (39, 11), (17, 15)]);
    }

    proptest! {
        #[test]
        fn winnowing_agrees_with_its_twin(
            values in prop::collection::vec(0u64..40, 0..300), window in 1u32..30,
        ) {
            let all: Vec<_> = values.into_iter().map(Fingerprint).collect();
            prop_assert_eq!(winnowed(&all, window), slowly(&all, window as usize));
        }
    }

    #[test]
    fn the_density_is_two_in_w_and_one() {
        let all: Vec<_> = (0..100_000)
            .map(|i| Fingerprint(crate::fingerprint::mix(i)))
            .collect();
        for window in [1, 4, 50] {
            let density = winnowed(&all, window).len() as f64 / all.len() as f64;
            let expected = 2.0 / (f64::from(window) + 1.0);
            assert!(
                (density / expected - 1.0).abs() < 0.05,
                "{window}: {density}"
            );
        }
    }
}
