//! Encodes pairs and groups of a list, with judgements beside their numbers if requested.

use simdex_index::{IndexError, MemoryAccount};
use simdex_proto::v1;

use crate::encode;
use crate::engine::Engine;
use crate::read_side::catalogue::{Group, GroupMember, Pair};
use crate::read_side::judging::{JudgedApart, ListJudge};
use crate::read_side::lists::ListSummary;
use crate::read_side::query::Overlap;

/// Encodes the items of a list, and judges them if requested.
pub(super) struct ListEncoder<'a> {
    judge: Option<ListJudge<'a>>,
    /// The principal of the last group visited.
    principal: Option<GroupMember>,
    /// Items that were not judged because the time for it ran out.
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

    /// The counts that close the list, including the number of items left unjudged.
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
            let judged = judge.judge([&pair.a, &pair.b], &Overlap::counted(numbers))?;
            self.unjudged += u64::from(judged.is_time_over());
            encoded.not_judged = encode::not_judged(Some(&judged));
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
            let judged =
                judge.judge([&principal.file, &member.file], &Overlap::counted(numbers))?;
            self.unjudged += u64::from(judged.is_time_over());
            apart.note(&judged);
            encoded.not_judged = encode::not_judged(Some(&judged));
            encoded.judgement = judged.judgement().map(encode::judgement);
        }
        encoded.judged_apart = apart.verdict();
        Ok(encoded)
    }
}
