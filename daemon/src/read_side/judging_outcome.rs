//! The outcome of judging a pair, which answers hold beside its numbers.

use simdex_judge::{Doubt, Judgement};

/// The outcome for a pair that was to be judged.
#[derive(Clone, Debug, PartialEq)]
pub enum JudgingOutcome {
    /// The pair is judged.
    Judged(Judgement),
    /// The judgement is withheld.
    Withheld(Doubt),
    /// One of its files has no readable text.
    NoText,
    /// The time for judging ran out.
    TimeOver,
    /// It is not among the first pairs of a list, which alone were to be judged.
    BeyondFirst,
}

impl From<Judgement> for JudgingOutcome {
    fn from(judgement: Judgement) -> Self {
        match judgement.doubt {
            Some(doubt) => Self::Withheld(doubt),
            None => Self::Judged(judgement),
        }
    }
}

impl JudgingOutcome {
    /// Whether the time for judging ran out.
    pub fn is_time_over(&self) -> bool {
        matches!(self, Self::TimeOver)
    }

    /// The judgement, if there is one.
    pub fn judgement(self) -> Option<Judgement> {
        match self {
            Self::Judged(judgement) => Some(judgement),
            Self::Withheld(_) | Self::NoText | Self::TimeOver | Self::BeyondFirst => None,
        }
    }
}
