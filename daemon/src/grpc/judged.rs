//! Pairs and groups of a list with judgements beside their numbers, where they are asked for.

use simdex_index::{IndexError, MemoryAccount};
use simdex_proto::v1;

use crate::catalogue::{Group, GroupFile, Pair};
use crate::encode;
use crate::engine::Engine;
use crate::judging::ListJudge;
use crate::query::{Measured, Overlap};

/// Encodes the items of a list, and judges them where that is asked for.
pub(super) struct JudgedList<'a> {
    judge: Option<ListJudge<'a>>,
    /// Of the group visited last.
    principal: Option<GroupFile>,
}

impl<'a> JudgedList<'a> {
    pub(super) fn new(engine: &'a Engine, is_judged: bool, account: &'a MemoryAccount) -> Self {
        let judge = || ListJudge::new(engine.models.in_force(), engine.index.reader(), account);
        Self {
            judge: is_judged.then(judge),
            principal: None,
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
            encoded.judgement = judged.map(encode::judgement);
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
        let mut is_apart = false;
        let members = group.members.iter().zip(&mut encoded.members);
        for (member, encoded) in members.skip(first) {
            let numbers = [
                member.resemblance,
                member.containment_of_principal,
                member.containment_of_member,
            ];
            let judged = judge.judge([&principal.file, &member.file], &overlap(numbers))?;
            is_apart |= judged
                .as_ref()
                .is_some_and(|judged| !judged.class.is_duplicate());
            encoded.judgement = judged.map(encode::judgement);
        }
        encoded.judged_apart = Some(is_apart);
        Ok(encoded)
    }
}

/// What was counted of a pair, its first side first.
fn overlap([resemblance, of_first, of_second]: [f64; 3]) -> Overlap {
    let counted = |value| Measured {
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
