//! The two threads of the settler: each handles one half of the newcomers that are placed together.

use crate::two_threads::on_two_threads;
use crate::{IndexError, IndexWriter};

impl IndexWriter {
    /// Handles one half on each of two threads, if there is a second one.
    pub(super) fn on_settlers<T: Send>(
        &self,
        items: &mut [T],
        each: &(dyn Fn(&mut [T]) -> Result<(), IndexError> + Sync),
    ) -> Result<(), IndexError> {
        if self.shared.options.second_settler {
            on_two_threads("settler-2", items, each)
        } else {
            each(items)
        }
    }
}
