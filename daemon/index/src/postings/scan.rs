//! All postings of a scheme in order, concurrently with writers: a part of the keys at a time is copied from the
//! buffers and read from the runs.

use std::ops::ControlFlow;
use std::sync::Arc;

use simdex_schema::posting::{KEY_BITS, Posting, scheme_number};
use simdex_signature::SchemeKind;

use super::Postings;
use crate::buckets::{Buckets, Cursor};
use crate::buffer::PART_BITS;
use crate::{Cancel, IndexError};

/// Called with the postings of the next keys, ascending and distinct; all of one key come together.
pub(crate) type OnPostings<'a> = dyn FnMut(&[Posting]) -> Result<ControlFlow<()>, IndexError> + 'a;

impl Postings<'_> {
    /// Approximate number of postings of a scheme.
    pub(crate) fn count(self, scheme: SchemeKind) -> u64 {
        let at = usize::from(scheme_number(scheme));
        let state = self.shared.state();
        let in_runs: u64 = state
            .runs
            .iter()
            .map(|run| run.record.schemes[at].postings)
            .sum();
        in_runs + (state.merging[at].len() + state.buffers[at].len()) as u64
    }

    /// Passes all postings, each once. Those of documents recorded after the call began may or may not be included.
    pub(crate) fn scan(
        self,
        scheme: SchemeKind,
        cancel: &Cancel,
        each: &mut OnPostings<'_>,
    ) -> Result<(), IndexError> {
        let at = usize::from(scheme_number(scheme));
        let (mut part, mut postings) = (0, Vec::new());
        while part >> PART_BITS == 0 {
            let runs = Arc::clone(&self.shared.state().runs);
            let from = |run| Cursor::starting_at(Buckets::of(run, scheme), first_key(part));
            let mut cursors = runs.iter().map(from).collect::<Result<Vec<_>, _>>()?;
            while part >> PART_BITS == 0 {
                cancel.check()?;
                postings.clear();
                {
                    let state = self.shared.state();
                    // A merge moved postings from the buffers into a run that is not read here.
                    if !Arc::ptr_eq(&state.runs, &runs) {
                        break;
                    }
                    state.merging[at].part(part, &mut postings);
                    state.buffers[at].part(part, &mut postings);
                }
                part += 1;
                for cursor in &mut cursors {
                    cursor.take_below(first_key(part), &mut postings)?;
                }
                if !postings.is_sorted_by(|a, b| a < b) {
                    postings.sort_unstable();
                    postings.dedup();
                }
                if each(&postings)?.is_break() {
                    return Ok(());
                }
            }
        }
        Ok(())
    }
}

/// The first key of a part of the buffers.
fn first_key(part: u32) -> u64 {
    u64::from(part) << (KEY_BITS - u32::from(PART_BITS))
}
