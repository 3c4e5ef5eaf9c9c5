//! Both threads of the settler: each does one half of the newcomers that are placed together.

use crate::{IndexError, IndexWriter};

impl IndexWriter {
    /// Does one half on each of two threads, where there is a second one.
    pub(super) fn on_settlers<T: Send>(
        &self,
        items: &mut [T],
        each: &(dyn Fn(&mut [T]) -> Result<(), IndexError> + Sync),
    ) -> Result<(), IndexError> {
        if self.shared.options.second_settler {
            on_two_threads(items, each)
        } else {
            each(items)
        }
    }
}

/// Does both halves at once.
fn on_two_threads<T: Send>(
    items: &mut [T],
    each: &(dyn Fn(&mut [T]) -> Result<(), IndexError> + Sync),
) -> Result<(), IndexError> {
    let (left, right) = items.split_at_mut(items.len() / 2);
    let mut right = Some(right);
    std::thread::scope(|scope| {
        let thread = std::thread::Builder::new().name("settler-2".to_owned());
        let slot = &mut right;
        let other = thread.spawn_scoped(scope, move || slot.take().map_or(Ok(()), each));
        let of_left = each(left);
        // Where no thread is to be had, this one does all of it, below.
        if let Ok(other) = other {
            let gone = || Err(IndexError::WorkerPanicked("settling"));
            other.join().unwrap_or_else(|_| gone())?;
        }
        of_left
    })?;
    right.map_or(Ok(()), each)
}
