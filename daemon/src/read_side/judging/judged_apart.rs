//! What judgements mean for a group as a whole.

use crate::read_side::judging_outcome::JudgingOutcome;

/// Whether some file of a group is judged not to be a version of its principal.
#[derive(Clone, Copy, Debug, Default)]
pub struct JudgedApart {
    /// Whether a file is known to be judged so.
    is_one: bool,
    /// Whether nothing is known of some file.
    is_open: bool,
}

impl JudgedApart {
    /// Notes the judgement of one more file.
    pub fn note(&mut self, judged: &JudgingOutcome) {
        match judged {
            JudgingOutcome::Judged(judgement) => self.is_one |= !judgement.class.is_duplicate(),
            JudgingOutcome::Withheld(_)
            | JudgingOutcome::NoText
            | JudgingOutcome::TimeOver
            | JudgingOutcome::BeyondFirst => self.is_open = true,
        }
    }

    /// Whether a file is apart; `None` if none is known to be, but not all are known to belong there.
    pub fn verdict(&self) -> Option<bool> {
        (self.is_one || !self.is_open).then_some(self.is_one)
    }
}

#[cfg(test)]
mod tests {
    use simdex_judge::{Class, Doubt, Judgement};

    use super::*;

    #[test]
    fn a_group_is_told_to_be_together_only_where_every_file_was_judged() {
        let of = |class| {
            JudgingOutcome::Judged(Judgement {
                class,
                ..Judgement::of_one_text()
            })
        };
        let verdict = |judged: &[JudgingOutcome]| {
            let mut apart = JudgedApart::default();
            judged.iter().for_each(|judged| apart.note(judged));
            apart.verdict()
        };
        let (same, version) = (of(Class::Same), of(Class::Version));
        let unrelated = of(Class::Unrelated);
        let withheld = JudgingOutcome::Withheld(Doubt::Divided);
        assert_eq!(verdict(&[]), Some(false));
        assert_eq!(verdict(&[same, version.clone()]), Some(false));
        for open in [withheld, JudgingOutcome::TimeOver, JudgingOutcome::NoText] {
            assert_eq!(verdict(&[version.clone(), open.clone()]), None);
            assert_eq!(verdict(&[open, unrelated.clone()]), Some(true));
        }
    }
}
