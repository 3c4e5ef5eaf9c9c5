//! Long posting lists: those of templates, and of large families.

use std::ops::ControlFlow;

use simdex_schema::DocId;
use simdex_schema::posting::PostingKey;
use simdex_signature::SchemeKind;

use super::{Join, JoinLimits};
use crate::buckets::CommonLists;
use crate::{IndexError, MemoryAccount};

/// A long list that is read later.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct LongList {
    /// Lists of about one length are read in the order of their keys.
    class: u32,
    key: PostingKey,
    members: u32,
}

impl LongList {
    /// `None` for a short list.
    pub(super) fn of(key: PostingKey, members: usize, limits: &JoinLimits) -> Option<Self> {
        (members >= limits.long_from).then(|| Self {
            class: members.ilog2(),
            key,
            members: members as u32,
        })
    }
}

impl Join<'_> {
    /// Reads long lists, the shorter ones first, as long as anything depends on them; returns how many were left
    /// unread.
    pub(super) fn read_common(&mut self, account: &MemoryAccount) -> Result<u64, IndexError> {
        let mut long = std::mem::take(&mut self.long);
        long.sort_unstable();
        let mut rest = &long[..];
        let mut marks = vec![Mark::default(); self.documents.len()];
        while let Some(first) = rest.first() {
            if !self.documents.renew() {
                break;
            }
            let mut members = 0;
            let next = rest.iter().take_while(|list| {
                let is_next = members < self.members && list.class == first.class;
                members += list.members as usize;
                is_next
            });
            let next = next.count();
            self.read_some(&rest[..next], &mut marks, account)?;
            rest = &rest[next..];
            if self.count_segment(account)? == ControlFlow::Break(()) {
                break;
            }
        }
        Ok(rest.len() as u64)
    }

    fn read_some(
        &mut self,
        lists: &[LongList],
        marks: &mut [Mark],
        account: &MemoryAccount,
    ) -> Result<(), IndexError> {
        let keys: Vec<PostingKey> = lists.iter().map(|list| list.key).collect();
        let (postings, cancel) = (self.postings, account.cancel());
        let (mut members, mut read) = (Vec::new(), 0);
        let each = &mut |_: usize, list: Option<&[DocId]>| {
            let list = list.unwrap_or_default();
            read += list.len() as u64;
            members.clear();
            members.extend(list.iter().filter_map(|id| self.documents.place(*id)));
            self.add_long(&members, marks);
            Ok(())
        };
        postings.for_each_list(SchemeKind::ModN, &keys, CommonLists::Read, cancel, each)?;
        postings.shared.work.lists_read(keys.len() as u64, read);
        Ok(())
    }

    /// Documents that may begin pairs go into the segment, which counts them with all others of the list. Open pairs of
    /// the rest are counted here.
    fn add_long(&mut self, members: &[u32], marks: &mut [Mark]) {
        let coarsest = members
            .iter()
            .map(|place| self.documents.kept[*place as usize]);
        let coarsest = coarsest
            .filter(|kept| kept.begins)
            .map(|kept| kept.rung)
            .max();
        let (mut in_segment, kept) = (Vec::new(), &mut self.documents.kept);
        for place in members {
            let kept = &mut kept[*place as usize];
            kept.seen += 1;
            let is_in_segment = kept.begins || Some(kept.rung) < coarsest;
            in_segment.extend(is_in_segment.then_some(*place));
            marks[*place as usize] = match is_in_segment {
                true => Mark::InSegment,
                false => Mark::Member,
            };
        }
        for place in members {
            let (own, turn) = (marks[*place as usize], kept[*place as usize].turn);
            if turn as usize >= self.open.turns() {
                continue;
            }
            for pair in self.open.of_mut(turn as usize) {
                let is_counted_here = match marks[pair.other as usize] {
                    Mark::None => false,
                    Mark::Member => true,
                    Mark::InSegment => own == Mark::Member,
                };
                pair.shared += u32::from(is_counted_here);
            }
        }
        members
            .iter()
            .for_each(|place| marks[*place as usize] = Mark::None);
        let turns = self.open.turns();
        self.segment.add(&self.documents, turns, &in_segment);
    }
}

/// The role of a document in the present list.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
enum Mark {
    #[default]
    None,
    Member,
    /// It is also in the segment that is being filled.
    InSegment,
}
