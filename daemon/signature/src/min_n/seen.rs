//! Drops most repeats of fingerprints, at the cost of one comparison each.

use crate::fingerprint::Fingerprint;

/// Fingerprints that were seen: in each place the last one of those that belong there.
pub(super) struct Seen(Vec<Fingerprint>);

impl Seen {
    /// Places for so many, up to 4,096.
    pub(super) fn of(many: usize) -> Self {
        let places = many.clamp(2, 1 << 12).next_power_of_two() as u64;
        // At first each place has one that belongs elsewhere.
        Self((0..places).map(|place| Fingerprint(!place)).collect())
    }

    /// Those that were not seen, or were forgotten for another one.
    pub(super) fn only_new(&mut self, found: &[Fingerprint]) -> Vec<Fingerprint> {
        let mut new = vec![Fingerprint(0); found.len()];
        let (mut end, last) = (0, self.0.len() - 1);
        for &fingerprint in found {
            let before = std::mem::replace(&mut self.0[fingerprint.0 as usize & last], fingerprint);
            // Written over by the next one if it was seen: a branch would be guessed wrong too often.
            new[end] = fingerprint;
            end += usize::from(before != fingerprint);
        }
        new.truncate(end);
        new
    }
}
