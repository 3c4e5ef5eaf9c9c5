//! What judgements say of a group as a whole.

use super::ListJudgement;

/// Whether a file of a group is judged no version of its principal.
#[derive(Clone, Copy, Debug, Default)]
pub struct JudgedApart {
    /// One is known to be judged so.
    is_one: bool,
    /// Of one nothing is known.
    is_open: bool,
}

impl JudgedApart {
    /// Notes what became of one more file.
    pub fn note(&mut self, judged: &ListJudgement) {
        match judged {
            ListJudgement::Judged(judgement) => self.is_one |= !judgement.class.is_duplicate(),
            // What was counted says that it belongs there.
            ListJudgement::Withheld => {}
            ListJudgement::NoText | ListJudgement::TimeOver => self.is_open = true,
        }
    }

    /// None where no file is known to be apart, and not all are known to belong there.
    pub fn told(&self) -> Option<bool> {
        (self.is_one || !self.is_open).then_some(self.is_one)
    }
}

#[cfg(test)]
mod tests {
    use simdex_judge::{Class, Judgement};

    use super::*;

    #[test]
    fn a_group_is_told_to_be_together_only_where_every_file_was_judged() {
        let of = |class| {
            ListJudgement::Judged(Judgement {
                class,
                ..Judgement::of_one_text()
            })
        };
        let told = |judged: &[ListJudgement]| {
            let mut apart = JudgedApart::default();
            judged.iter().for_each(|judged| apart.note(judged));
            apart.told()
        };
        let (same, version) = (of(Class::Same), of(Class::Version));
        let unrelated = of(Class::Unrelated);
        let withheld = ListJudgement::Withheld;
        assert_eq!(told(&[]), Some(false));
        assert_eq!(told(&[same, version.clone(), withheld]), Some(false));
        for open in [ListJudgement::TimeOver, ListJudgement::NoText] {
            assert_eq!(told(&[version.clone(), open.clone()]), None);
            assert_eq!(told(&[open, unrelated.clone()]), Some(true));
        }
    }
}
