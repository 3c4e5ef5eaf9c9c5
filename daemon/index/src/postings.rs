//! Lookups: first a copy of what the buffers hold and of which runs there are, made under the lock, then
//! the runs, read without it.
//!
//! No posting is missed and nobody waits for a read of the store: a posting moves from the buffers into a
//! run at the moment that the run is shown, under the same lock, and a run never changes and can be read
//! to its end by whoever holds it.

use std::sync::Arc;
use std::vec::IntoIter;

use simdex_schema::DocId;
use simdex_schema::posting::{PostingKey, scheme_number};
use simdex_signature::SchemeKind;

use crate::buckets::{Buckets, List};
use crate::index::Index;
use crate::runs::Runs;
use crate::{Cancel, IndexError};

/// Keys whose documents are copied from the buffers at once: the lock is held for these alone.
const KEYS_AT_ONCE: usize = 1024;
/// Documents copied at once; the list that passes this is copied whole.
const COPIED_AT_ONCE: usize = 64 << 10;

/// Takes the place of a key among those asked for and its documents, ascending; none where the list is
/// long and was left unread.
pub(crate) type ShowList<'a> = dyn FnMut(usize, Option<&[DocId]>) + 'a;

/// Documents of the first keys, as the buffers hold them, and the runs that hold the rest.
struct Copied {
    documents: Vec<DocId>,
    /// Where the documents of each key end.
    ends: Vec<usize>,
    runs: Runs,
}

impl Copied {
    fn of(&self, at: usize) -> &[DocId] {
        let start = at.checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.documents[start..self.ends[at]]
    }
}

/// The lists of keys in one run, read a bucket at a time.
struct Lists<'a> {
    buckets: Buckets<'a>,
    read: IntoIter<List>,
}

impl Lists<'_> {
    /// The list of the first of these keys, all of which are still to come.
    fn next(&mut self, keys: &[PostingKey], skip_long: bool) -> Result<List, IndexError> {
        if let Some(list) = self.read.next() {
            return Ok(list);
        }
        let number = self.buckets.number(keys[0]);
        let lies_here = |key: &&PostingKey| self.buckets.number(**key) == number;
        let here = keys.iter().take_while(lies_here).count();
        let lists = self.buckets.lists(number, &keys[..here], skip_long)?;
        self.read = lists.into_iter();
        Ok(self.read.next().flatten())
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
            let lists = |run| Lists {
                buckets: Buckets::of(run, scheme),
                read: Vec::new().into_iter(),
            };
            let mut runs: Vec<Lists<'_>> = copied.runs.iter().map(lists).collect();
            for at in 0..some.len() {
                cancel.check()?;
                let mut list = Some(copied.of(at).to_vec());
                for run in &mut runs {
                    let more = run.next(&some[at..], skip_long)?;
                    list = list.zip(more).map(|(list, more)| united(list, more));
                }
                show(done + at, list.map(sorted).as_deref());
            }
            done += some.len();
        }
        Ok(())
    }

    /// What the buffers hold of the first keys, at least of one.
    fn copy_buffered(&self, scheme: SchemeKind, keys: &[PostingKey]) -> Copied {
        let at = usize::from(scheme_number(scheme));
        let state = self.state();
        let mut copied = Copied {
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

fn united(mut list: Vec<DocId>, mut more: Vec<DocId>) -> Vec<DocId> {
    if list.len() < more.len() {
        std::mem::swap(&mut list, &mut more);
    }
    list.append(&mut more);
    list
}

fn sorted(mut list: Vec<DocId>) -> Vec<DocId> {
    if !list.is_sorted_by(|a, b| a < b) {
        list.sort_unstable();
        list.dedup();
    }
    list
}
