//! Work that is done on two threads, half on each or item by item.

use std::sync::{Mutex, PoisonError};

use crate::{IndexError, SecondThread};

/// Runs both halves at the same time. The second thread has this name.
pub(crate) fn on_two_threads<T: Send>(
    name: &'static str,
    items: &mut [T],
    each: &(dyn Fn(&mut [T]) -> Result<(), IndexError> + Sync),
) -> Result<(), IndexError> {
    let (left, right) = items.split_at_mut(items.len() / 2);
    let mut right = Some(right);
    std::thread::scope(|scope| {
        let thread = std::thread::Builder::new().name(name.to_owned());
        let slot = &mut right;
        let other = thread.spawn_scoped(scope, move || slot.take().map_or(Ok(()), each));
        let of_left = each(left);
        // If no thread can be started, this one does all of it, below.
        if let Ok(other) = other {
            let gone = || Err(IndexError::WorkerPanicked(name));
            other.join().unwrap_or_else(|_| gone())?;
        }
        of_left
    })?;
    right.map_or(Ok(()), each)
}

/// Runs a function on each item, on two threads if there is a second one; each takes the next item as it is done.
pub(crate) fn each_on_two_threads<T: Send>(
    name: &'static str,
    second: Option<&SecondThread>,
    items: Vec<T>,
    each: &(dyn Fn(T) -> Result<(), IndexError> + Sync),
) -> Result<(), IndexError> {
    let items = Mutex::new(items.into_iter());
    let left = || items.lock().unwrap_or_else(PoisonError::into_inner);
    let next = || left().next();
    let run = |_: &mut [()]| {
        while let Some(item) = next() {
            // After an error nothing is done with the rest.
            each(item).inspect_err(|_| left().by_ref().for_each(drop))?;
        }
        Ok(())
    };
    match second {
        Some(_) => on_two_threads(name, &mut [(), ()], &run),
        None => run(&mut []),
    }
}
