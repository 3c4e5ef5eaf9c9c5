//! Postings: look-ups of some keys, and [`scan`]s of all; [`tally`] counts what documents share by them.
//!
//! First, under the lock, a copy is made of what the buffers hold and of the list of runs; then the runs are read without
//! the lock.
//!
//! No posting is missed and nobody waits for a read of the store: a posting moves from the buffers into a run at the
//! moment that the run becomes visible, under the same lock. A run never changes and can be read to its end by its
//! holder.

mod scan;
mod tally;

use std::sync::Arc;
use std::vec::IntoIter;

use simdex_schema::DocId;
use simdex_schema::posting::{PostingKey, scheme_number};
use simdex_signature::SchemeKind;

use crate::buckets::{Buckets, CommonLists, PostingList};
use crate::runs::Runs;
use crate::shared::IndexShared;
use crate::{Cancel, IndexError};

pub(crate) use tally::{BYTES_PER_COUNTED_DOCUMENT, Filter, Tally};

/// Keys whose documents are copied from the buffers at once, while the lock is held.
const KEYS_AT_ONCE: usize = 1024;
/// Documents copied at once; the list that exceeds this is copied whole.
const COPIED_AT_ONCE: usize = 64 << 10;

/// Called with the position of a key among those looked up and its documents, ascending; with `None` if the list is
/// common and was skipped. No lock is held during the call.
pub(crate) type OnPostingList<'a> =
    dyn FnMut(usize, Option<&[DocId]>) -> Result<(), IndexError> + 'a;

/// Documents of the first keys, as the buffers hold them, and the runs that hold the rest.
struct PostingsCopy {
    documents: Vec<DocId>,
    /// Where the documents of each key end.
    ends: Vec<usize>,
    runs: Runs,
}

impl PostingsCopy {
    fn get(&self, at: usize) -> &[DocId] {
        let start = at.checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.documents[start..self.ends[at]]
    }
}

/// The posting lists of ascending keys in one run, read a bucket at a time.
struct RunReader<'a> {
    buckets: Buckets<'a>,
    /// Lists of the last bucket read that were not returned yet.
    read: IntoIter<PostingList>,
}

impl RunReader<'_> {
    /// Appends the list of the first of the remaining keys; returns false if it is common and was skipped.
    fn next(
        &mut self,
        keys: &[PostingKey],
        common: CommonLists,
        list: &mut Vec<DocId>,
    ) -> Result<bool, IndexError> {
        let read = match self.read.next() {
            Some(read) => read,
            None => {
                let number = self.buckets.number(keys[0]);
                let lies_here = |key: &&PostingKey| self.buckets.number(**key) == number;
                let here = keys.iter().take_while(lies_here).count();
                if here == 1 {
                    return self.buckets.read_key(keys[0], common, list);
                }
                let lists = self.buckets.read_bucket(number, &keys[..here], common)?;
                self.read = lists.into_iter();
                self.read.next().flatten()
            }
        };
        let is_read = read.is_some();
        list.extend(read.into_iter().flatten());
        Ok(is_read)
    }
}

/// The postings of an index, read while writers add more.
#[derive(Clone, Copy)]
pub(crate) struct Postings<'a> {
    pub(crate) shared: &'a IndexShared,
}

impl<'a> Postings<'a> {
    pub(crate) fn of(shared: &'a IndexShared) -> Self {
        Self { shared }
    }

    /// Calls `each` with the posting list of every key. The keys must ascend and be distinct, so that each bucket is
    /// read once for all keys in it.
    pub(crate) fn for_each_list(
        self,
        scheme: SchemeKind,
        keys: &[PostingKey],
        common: CommonLists,
        cancel: &Cancel,
        each: &mut OnPostingList<'_>,
    ) -> Result<(), IndexError> {
        let mut done = 0;
        while done < keys.len() {
            let copied = self.copy_buffered(scheme, &keys[done..]);
            let batch = &keys[done..done + copied.ends.len()];
            let reader = |run| RunReader {
                buckets: Buckets::of(run, scheme).counted(&self.shared.work),
                read: Vec::new().into_iter(),
            };
            let mut runs: Vec<RunReader<'_>> = copied.runs.iter().map(reader).collect();
            let mut list = Vec::new();
            for at in 0..batch.len() {
                cancel.check()?;
                list.clear();
                let mut is_read = true;
                for run in &mut runs {
                    is_read &= run.next(&batch[at..], common, &mut list)?;
                }
                // As a rule these ids are higher than those in runs.
                list.extend_from_slice(copied.get(at));
                put_in_order(&mut list);
                each(done + at, is_read.then_some(&list))?;
            }
            done += batch.len();
        }
        Ok(())
    }

    /// What the buffers hold for the first keys, at least for one.
    fn copy_buffered(self, scheme: SchemeKind, keys: &[PostingKey]) -> PostingsCopy {
        let at = usize::from(scheme_number(scheme));
        let state = self.shared.state();
        let mut copied = PostingsCopy {
            documents: Vec::new(),
            ends: Vec::new(),
            runs: Arc::clone(&state.runs),
        };
        for key in keys.iter().take(KEYS_AT_ONCE) {
            state.merging[at].documents_of(*key, &mut copied.documents);
            state.buffers[at].documents_of(*key, &mut copied.documents);
            copied.ends.push(copied.documents.len());
            if copied.documents.len() >= COPIED_AT_ONCE {
                break;
            }
        }
        copied
    }
}

fn put_in_order(list: &mut Vec<DocId>) {
    if !list.is_sorted_by(|a, b| a < b) {
        list.sort_unstable();
        list.dedup();
    }
}
