//! Pairs and groups of a list with judgements beside their numbers, where they are asked for.

use simdex_index::{IndexError, MemoryAccount};
use simdex_proto::v1;

use crate::encode;
use crate::engine::Engine;
use crate::read_side::catalogue::{Group, GroupFile, Pair};
use crate::read_side::judging::{ListJudge, ListJudgement};
use crate::read_side::lists::ListSummary;
use crate::read_side::query::{Overlap, RatioEstimate};

/// Encodes the items of a list, and judges them where that is asked for.
pub(super) struct ListEncoder<'a> {
    judge: Option<ListJudge<'a>>,
    /// Of the group visited last.
    principal: Option<GroupFile>,
    /// What was not judged because the time for it was over.
    unjudged: u64,
}

impl<'a> ListEncoder<'a> {
    pub(super) fn new(engine: &'a Engine, is_judged: bool, account: &'a MemoryAccount) -> Self {
        let judge = || ListJudge::new(engine.models.in_force(), engine.index.reader(), account);
        Self {
            judge: is_judged.then(judge),
            principal: None,
            unjudged: 0,
        }
    }

    /// The counts that close the list, with what was left unjudged of it.
    pub(super) fn summary(&self, summary: &ListSummary) -> v1::Summary {
        v1::Summary {
            unjudged: self.judge.is_some().then_some(self.unjudged),
            ..encode::summary(summary)
        }
    }

    pub(super) fn pair(&mut self, pair: &Pair) -> Result<v1::Pair, IndexError> {
        let mut encoded = encode::pair(pair);
        if let Some(judge) = &mut self.judge {
            let numbers = [
                pair.resemblance,
                pair.containment_of_a,
                pair.containment_of_b,
            ];
            let judged = judge.judge([&pair.a, &pair.b], &overlap(numbers))?;
            self.unjudged += u64::from(matches!(judged, ListJudgement::TimeOver));
            encoded.judgement = judged.judgement().map(encode::judgement);
        }
        Ok(encoded)
    }

    /// A group, or the next part of a large one.
    pub(super) fn group(&mut self, group: &Group) -> Result<v1::Group, IndexError> {
        let mut encoded = encode::group(group);
        let Some(judge) = &mut self.judge else {
            return Ok(encoded);
        };
        let first = usize::from(!group.is_continued);
        if !group.is_continued {
            self.principal = group.members.first().cloned();
        }
        let Some(principal) = &self.principal else {
            return Ok(encoded);
        };
        let mut apart = JudgedApart::default();
        let members = group.members.iter().zip(&mut encoded.members);
        for (member, encoded) in members.skip(first) {
            let numbers = [
                member.resemblance,
                member.containment_of_principal,
                member.containment_of_member,
            ];
            let judged = judge.judge([&principal.file, &member.file], &overlap(numbers))?;
            self.unjudged += u64::from(matches!(judged, ListJudgement::TimeOver));
            apart.note(&judged);
            encoded.judgement = judged.judgement().map(encode::judgement);
        }
        encoded.judged_apart = apart.told();
        Ok(encoded)
    }
}

/// Whether a file of a group is judged no version of its principal.
#[derive(Default)]
struct JudgedApart {
    /// One is known to be judged so.
    is_one: bool,
    /// Of one nothing is known.
    is_open: bool,
}

impl JudgedApart {
    fn note(&mut self, judged: &ListJudgement) {
        match judged {
            ListJudgement::Judged(judgement) => self.is_one |= !judgement.class.is_duplicate(),
            // What was counted says that it belongs there.
            ListJudgement::Withheld => {}
            ListJudgement::NoText | ListJudgement::TimeOver => self.is_open = true,
        }
    }

    /// None where no file is known to be apart, and not all are known to belong there.
    fn told(&self) -> Option<bool> {
        (self.is_one || !self.is_open).then_some(self.is_one)
    }
}

/// What was counted of a pair, its first side first.
fn overlap([resemblance, of_first, of_second]: [f64; 3]) -> Overlap {
    let counted = |value| RatioEstimate {
        value: Some(value),
        low: Some(value),
        high: Some(value),
    };
    Overlap {
        resemblance: counted(resemblance),
        of_first: counted(of_first),
        of_second: counted(of_second),
        shared: 0,
        verified: true,
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
