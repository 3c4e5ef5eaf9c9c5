//! Where the windows of a text stand in it.

use crate::fingerprint::Fingerprint;
use crate::rolling::RabinTables;

/// None of them: the number of no window.
const NONE: u32 = u32::MAX;

/// Places of one fingerprint that are looked at.
const MAX_PLACES: usize = 32;

/// The windows of a text by fingerprint, every one or every second, third …
pub(super) struct Places<'t> {
    text: &'t [u8],
    step: usize,
    /// Fingerprints by number of the window.
    fingerprints: Vec<Fingerprint>,
    /// The next window by number of the window: the next with its fingerprint.
    next: Vec<u32>,
    /// Windows by fingerprint, or after others: the first window that has it.
    first: Vec<u32>,
}

impl<'t> Places<'t> {
    /// What it takes for each window, in bytes: fingerprint, next, and at most four places of which one is taken.
    pub(super) const PEAK_BYTES: u64 = 8 + 4 + 16;

    /// The windows of a text, at most so many of them.
    pub(super) fn of(text: &'t [u8], tables: &RabinTables, most: usize) -> Self {
        let windows = tables.windows_in(text.len());
        let step = windows.div_ceil(most.max(1)).max(1);
        let mut fingerprints = Vec::with_capacity(windows.div_ceil(step));
        let mut at = 0;
        tables.for_each(text, |fingerprint| {
            if at % step == 0 {
                fingerprints.push(fingerprint);
            }
            at += 1;
        });
        let mut places = Self {
            text,
            step,
            next: vec![NONE; fingerprints.len()],
            first: vec![NONE; (fingerprints.len() * 2).next_power_of_two()],
            fingerprints,
        };
        for number in (0..places.fingerprints.len()).rev() {
            let slot = places.slot(places.fingerprints[number]);
            places.next[number] = places.first[slot];
            places.first[slot] = number as u32;
        }
        places
    }

    /// How many windows apart those are that are found.
    pub(super) fn step(&self) -> usize {
        self.step
    }

    /// Where a fingerprint stands in `first`, or is to stand.
    fn slot(&self, fingerprint: Fingerprint) -> usize {
        let mask = self.first.len() - 1;
        // The upper half, for fingerprints are multiplied and the lower one samples them.
        let mut slot = ((fingerprint.0 >> 32) as usize) & mask;
        loop {
            match self.first[slot] {
                NONE => return slot,
                number if self.fingerprints[number as usize] == fingerprint => return slot,
                _ => slot = (slot + 1) & mask,
            }
        }
    }

    /// A place of a window: the first from `from` on that is met, else the first of all.
    pub(super) fn find(
        &self,
        window: &[u8],
        fingerprint: Fingerprint,
        from: usize,
    ) -> Option<usize> {
        let first = self.first[self.slot(fingerprint)];
        let mut number = first;
        for _ in 0..MAX_PLACES {
            if number == NONE {
                break;
            }
            let place = number as usize * self.step;
            if place >= from {
                break;
            }
            number = self.next[number as usize];
        }
        let number = if number == NONE { first } else { number };
        let place = (number != NONE).then_some(number as usize * self.step)?;
        (self.text.get(place..place + window.len()) == Some(window)).then_some(place)
    }
}
