//! Lookups: first a copy of what the buffers hold, made under the lock, then the buckets, read without
//! it. No posting is missed and nobody waits for a read of the store; [`crate::layout`] explains why.

use simdex_schema::DocId;
use simdex_schema::posting::{PostingKey, scheme_number};
use simdex_signature::SchemeKind;

use crate::buckets::{Buckets, List};
use crate::index::Index;
use crate::{Cancel, IndexError};

/// Keys whose documents are copied from the buffers at once: the lock is held for these alone.
const KEYS_AT_ONCE: usize = 1024;
/// Documents copied at once; the list that passes this is copied whole.
const COPIED_AT_ONCE: usize = 64 << 10;
/// How often a bucket with a missing shard is read while no merge begins or ends. One retry would do:
/// by then the rewrite that removed the shard is complete.
const READINGS: usize = 3;

/// Takes the place of a key among those asked for and its documents, ascending; none where the list is
/// long and was left unread.
pub(crate) type ShowList<'a> = dyn FnMut(usize, Option<&[DocId]>) + 'a;

/// Documents of the first keys, as the buffers hold them.
#[derive(Default)]
struct Copied {
    documents: Vec<DocId>,
    /// Where the documents of each key end.
    ends: Vec<usize>,
}

impl Copied {
    fn of(&self, at: usize) -> &[DocId] {
        let start = at.checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.documents[start..self.ends[at]]
    }
}

impl Index {
    /// Shows the documents of each key. The keys ascend and are distinct, so that each bucket is read
    /// once for all keys that lie in it; with `skip_long`, lists over many shards are left unread.
    pub(crate) fn look_up(
        &self,
        scheme: SchemeKind,
        keys: &[PostingKey],
        skip_long: bool,
        cancel: &Cancel,
        show: &mut ShowList<'_>,
    ) -> Result<(), IndexError> {
        let mut done = 0;
        while done < keys.len() {
            let copied = self.copy_buffered(scheme, &keys[done..]);
            let some = &keys[done..done + copied.ends.len()];
            self.look_up_in_buckets(scheme, some, skip_long, cancel, &mut |at, list| {
                let Some(mut list) = list else {
                    return show(done + at, None);
                };
                let buffered = copied.of(at);
                if !buffered.is_empty() {
                    list.extend(buffered);
                    list.sort_unstable();
                    list.dedup();
                }
                show(done + at, Some(&list));
            })?;
            done += some.len();
        }
        Ok(())
    }

    /// What the buffers hold of the first keys, at least of one.
    fn copy_buffered(&self, scheme: SchemeKind, keys: &[PostingKey]) -> Copied {
        let at = usize::from(scheme_number(scheme));
        let shared = self.read();
        let mut copied = Copied::default();
        for key in keys.iter().take(KEYS_AT_ONCE) {
            shared.merging[at].documents_of(*key, &mut copied.documents);
            shared.buffers[at].documents_of(*key, &mut copied.documents);
            copied.ends.push(copied.documents.len());
            if copied.documents.len() >= COPIED_AT_ONCE {
                break;
            }
        }
        copied
    }

    fn look_up_in_buckets(
        &self,
        scheme: SchemeKind,
        keys: &[PostingKey],
        skip_long: bool,
        cancel: &Cancel,
        show: &mut dyn FnMut(usize, List),
    ) -> Result<(), IndexError> {
        let (mut done, mut missing) = (0, 0);
        while done < keys.len() {
            cancel.check()?;
            let layout = self.layout.now();
            let buckets = self.buckets(scheme, layout);
            let number = keys[done].bucket(buckets.bits);
            let lies_here = |key: &&PostingKey| key.bucket(buckets.bits) == number;
            let here = keys[done..].iter().take_while(lies_here).count();
            let lists = buckets.lists(number, &keys[done..done + here], skip_long)?;
            if self.layout.now() != layout {
                // A merge began or ended meanwhile: what was read may be neither old nor new.
                missing = 0;
                continue;
            }
            let Some(lists) = lists else {
                missing += 1;
                if missing == READINGS {
                    return Err(buckets.damaged(number));
                }
                continue;
            };
            for (at, list) in (done..).zip(lists) {
                show(at, list);
            }
            (done, missing) = (done + here, 0);
        }
        Ok(())
    }

    /// The buckets of a scheme by a layout.
    pub(crate) fn buckets(
        &self,
        scheme: SchemeKind,
        layout: crate::layout::LayoutAt,
    ) -> Buckets<'_> {
        Buckets {
            store: self.store.postings(),
            scheme,
            bits: layout.bits(scheme),
        }
    }
}
