//! Where a rater is among the pairs: on to the next one without a verdict, or back over all of them.

use simdex_client::lines::Verdict;
use simdex_client::text::counted;

/// The pairs in their order, what the rater said of each, and the pair that is shown.
#[derive(Debug)]
pub(super) struct Walk {
    pairs: Vec<State>,
    /// Index of the pair that is shown; the number of pairs if none is open any more.
    at: usize,
    is_going_back: bool,
}

/// What is known of a pair.
#[derive(Clone, Copy, Debug, Default)]
struct State {
    /// The last verdict of earlier runs.
    earlier: Option<Verdict>,
    /// The last verdict of this run.
    given: Option<Verdict>,
    /// One of the documents is gone.
    is_gone: bool,
}

impl State {
    fn verdict(self) -> Option<Verdict> {
        self.given.or(self.earlier)
    }

    fn is_open(self) -> bool {
        !self.is_gone && self.verdict().is_none()
    }
}

impl Walk {
    /// Begins at the first pair without a verdict; `earlier` are the verdicts of earlier runs, in the order of the pairs.
    pub(super) fn new(earlier: impl IntoIterator<Item = Option<Verdict>>) -> Self {
        let pairs = earlier.into_iter().map(|earlier| State {
            earlier,
            ..State::default()
        });
        let mut walk = Self {
            pairs: pairs.collect(),
            at: 0,
            is_going_back: false,
        };
        walk.go_on();
        walk
    }

    /// Index of the pair to show; `None` if no pair is open any more.
    pub(super) fn at(&self) -> Option<usize> {
        (self.at < self.pairs.len()).then_some(self.at)
    }

    /// The rater's last verdict on the pair that is shown.
    pub(super) fn verdict(&self) -> Option<Verdict> {
        self.pairs.get(self.at)?.verdict()
    }

    /// Records a verdict on the pair that is shown, and goes on.
    pub(super) fn give(&mut self, verdict: Verdict) {
        if let Some(pair) = self.pairs.get_mut(self.at) {
            pair.given = Some(verdict);
        }
        self.go_on();
    }

    /// Goes on to the next open pair, or to the first one if there is none behind.
    pub(super) fn go_on(&mut self) {
        self.is_going_back = false;
        let count = self.pairs.len();
        let mut around = (self.at..count).chain(0..self.at.min(count));
        let next = around.find(|at| self.pairs[*at].is_open());
        self.at = next.unwrap_or(count);
    }

    /// Goes back to the pair before, whether or not it is open; stays at the first one.
    pub(super) fn go_back(&mut self) {
        self.is_going_back = true;
        let mut before = self.pairs[..self.at].iter();
        self.at = before.rposition(|pair| !pair.is_gone).unwrap_or(self.at);
    }

    /// Passes over the pair to show, one of whose documents is gone, in the direction of the rater.
    pub(super) fn pass_over(&mut self) {
        let at = self.at;
        if let Some(pair) = self.pairs.get_mut(at) {
            pair.is_gone = true;
        }
        if self.is_going_back {
            self.go_back();
        }
        if self.at == at {
            self.go_on();
        }
    }

    /// What was said in this run, and how much is left, in words.
    pub(super) fn summary(&self) -> String {
        let of = |counts: fn(&State) -> bool| {
            self.pairs.iter().filter(|pair| counts(pair)).count() as u64
        };
        let skipped = of(|pair| pair.given == Some(Verdict::Skip));
        let labelled = of(|pair| pair.given.is_some()) - skipped;
        let gone = of(|pair| pair.is_gone && pair.verdict().is_none());
        let left = of(|pair| pair.is_open());
        let some = |count: u64, what: &str| match count {
            0 => String::new(),
            count => format!(", {count} {what}"),
        };
        format!(
            "{} labelled{}{}, {left} left",
            counted(labelled, "pair"),
            some(skipped, "skipped"),
            some(gone, "passed over")
        )
    }

    /// How many pairs have a verdict, in words.
    pub(super) fn known(&self) -> String {
        let all = counted(self.pairs.len() as u64, "pair");
        let verdicts = self.pairs.iter().filter_map(|pair| pair.verdict());
        let skipped = verdicts.filter(|verdict| *verdict == Verdict::Skip).count();
        match skipped {
            0 => format!("no pair is left, {all} labelled"),
            _ => format!("no pair is left, {all} labelled or skipped, {skipped} of them skipped"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A walk over five pairs, the first two of which were labelled and skipped before.
    fn resumed() -> Walk {
        let earlier = [Some(Verdict::Version), Some(Verdict::Skip)];
        let earlier = earlier.into_iter().chain([None; 3]);
        Walk::new(earlier)
    }

    #[test]
    fn it_begins_at_the_first_pair_without_a_verdict_and_goes_back_to_those_with_one() {
        let mut walk = resumed();
        assert_eq!((walk.at(), walk.verdict()), (Some(2), None));
        walk.go_back();
        assert_eq!((walk.at(), walk.verdict()), (Some(1), Some(Verdict::Skip)));
        walk.go_back();
        walk.go_back();
        assert_eq!(
            (walk.at(), walk.verdict()),
            (Some(0), Some(Verdict::Version))
        );
        walk.give(Verdict::Same);
        assert_eq!(
            walk.at(),
            Some(2),
            "those with a verdict are not shown again"
        );
        assert_eq!(walk.summary(), "1 pair labelled, 3 left");
    }

    #[test]
    fn what_is_kept_stays_and_counts_as_nothing_said() {
        let mut walk = resumed();
        walk.go_back();
        walk.go_on();
        assert_eq!(walk.at(), Some(2));
        assert_eq!(walk.summary(), "0 pairs labelled, 3 left");
    }

    #[test]
    fn skipped_pairs_are_counted_apart_and_the_last_verdict_counts() {
        let mut walk = resumed();
        walk.give(Verdict::Same);
        walk.give(Verdict::Skip);
        assert_eq!(walk.summary(), "1 pair labelled, 1 skipped, 1 left");
        walk.go_back();
        assert_eq!((walk.at(), walk.verdict()), (Some(3), Some(Verdict::Skip)));
        walk.give(Verdict::Unrelated);
        assert_eq!(walk.summary(), "2 pairs labelled, 1 left");
        walk.go_back();
        walk.go_back();
        walk.give(Verdict::Skip);
        assert_eq!(walk.summary(), "1 pair labelled, 1 skipped, 1 left");
    }

    #[test]
    fn behind_the_last_pair_one_can_still_go_back() {
        let mut walk = resumed();
        for _ in 0..3 {
            walk.give(Verdict::Same);
        }
        assert_eq!((walk.at(), walk.verdict()), (None, None));
        assert_eq!(
            walk.known(),
            "no pair is left, 5 pairs labelled or skipped, 1 of them skipped"
        );
        walk.go_back();
        assert_eq!((walk.at(), walk.verdict()), (Some(4), Some(Verdict::Same)));
        walk.give(Verdict::Version);
        assert_eq!(walk.at(), None);
        let mut none = Walk::new([]);
        none.go_back();
        assert_eq!(none.at(), None);
    }

    #[test]
    fn a_pair_that_is_gone_is_passed_over_in_the_direction_of_the_rater() {
        let mut walk = resumed();
        walk.pass_over();
        assert_eq!(walk.at(), Some(3));
        walk.go_back();
        assert_eq!(walk.at(), Some(1), "it is not shown on the way back");
        walk.pass_over();
        assert_eq!(walk.at(), Some(0));
        walk.pass_over();
        assert_eq!(walk.at(), Some(3), "nothing is left before it");
        assert_eq!(walk.summary(), "0 pairs labelled, 1 passed over, 2 left");
        walk.pass_over();
        walk.pass_over();
        assert_eq!(walk.at(), None);
        assert_eq!(walk.summary(), "0 pairs labelled, 3 passed over, 0 left");
    }
}
