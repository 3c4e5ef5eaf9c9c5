//! The operations of a difference in the form that tools receive, and their strict application.

#[cfg(test)]
mod tests;

use simdex_proto::lines::{Op, Operation};
use thiserror::Error;

use super::words::{WordDifference, WordOperationKind};

/// Most bytes of a written operation, without its texts.
pub(crate) const OPERATION_BYTES: usize = 192;

/// The operations with the texts that they remove and insert.
pub fn operations<'t>(
    difference: &'t WordDifference<'_>,
) -> impl Iterator<Item = Operation> + use<'t> {
    difference.operations.iter().map(|operation| {
        let [from, to] = difference.texts_of(operation);
        let (op, removed, added) = match operation.kind {
            WordOperationKind::Equal => (Op::Equal, None, None),
            WordOperationKind::Reformat => (Op::Reformat, None, Some(to)),
            WordOperationKind::Delete => (Op::Delete, Some(from), None),
            WordOperationKind::Insert => (Op::Insert, None, Some(to)),
            WordOperationKind::Replace => (Op::Replace, Some(from), Some(to)),
            WordOperationKind::Move => (Op::Move, None, (from != to).then_some(to)),
        };
        Operation {
            op,
            offset_a: operation.a.start as u64,
            length_a: operation.a.len() as u64,
            offset_b: operation.b.start as u64,
            length_b: operation.b.len() as u64,
            removed: removed.map(str::to_owned),
            added: added.map(str::to_owned),
        }
    })
}

/// Why operations do not apply. The number of the operation counts from 1.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum OperationError {
    /// An operation lacks the fields of its kind, or its kind is unknown.
    #[error("operation {0} is malformed")]
    Malformed(usize),
    /// An operation does not begin where the ones before end, or takes bytes that another took.
    #[error("operation {0} is out of place")]
    Misplaced(usize),
    /// The text does not contain what an operation removes, or ends before.
    #[error("operation {0} does not fit the text")]
    Mismatch(usize),
    /// Part of the text is in no operation.
    #[error("the operations leave out bytes of the text from {0} on")]
    LeftOut(u64),
}

/// Applies operations to the text they were made from.
///
/// # Errors
/// See [`OperationError`]; nothing is guessed.
pub fn apply_operations(operations: &[Operation], a: &str) -> Result<String, OperationError> {
    let mut out = String::with_capacity(a.len());
    let mut taken = Vec::new();
    let (mut in_order, mut taken_bytes) = (0, 0u64);
    for (number, operation) in (1..).zip(operations) {
        if operation.offset_b != out.len() as u64 {
            return Err(OperationError::Misplaced(number));
        }
        let end = operation.offset_a.saturating_add(operation.length_a);
        if operation.op != Op::Move {
            if operation.offset_a < in_order {
                return Err(OperationError::Misplaced(number));
            }
            in_order = end;
        }
        // Checked before anything is copied: a block moved again and again would fill all memory.
        taken_bytes = taken_bytes.saturating_add(operation.length_a);
        if taken_bytes > a.len() as u64 {
            return Err(OperationError::Misplaced(number));
        }
        let range = usize::try_from(operation.offset_a)
            .ok()
            .zip(usize::try_from(end).ok());
        let from = range.and_then(|(start, end)| a.get(start..end));
        let from = from.ok_or(OperationError::Mismatch(number))?;
        if operation
            .removed
            .as_ref()
            .is_some_and(|removed| removed != from)
        {
            return Err(OperationError::Mismatch(number));
        }
        let to = put_in(operation, from).ok_or(OperationError::Malformed(number))?;
        out.push_str(to);
        taken.push((operation.offset_a, end, number));
    }
    once(taken, a.len() as u64).map(|()| out)
}

/// What an operation inserts; `None` if its fields are not those of its kind.
fn put_in<'t>(operation: &'t Operation, from: &'t str) -> Option<&'t str> {
    let (removed, added) = (&operation.removed, &operation.added);
    let to = match (operation.op, removed, added) {
        (Op::Equal | Op::Move, None, None) => from,
        (Op::Move | Op::Reformat, None, Some(added)) => added,
        (Op::Delete, Some(removed), None) if !removed.is_empty() => "",
        (Op::Insert, None, Some(added)) if from.is_empty() && !added.is_empty() => added,
        (Op::Replace, Some(_), Some(added)) => added,
        _ => return None,
    };
    (to.len() as u64 == operation.length_b).then_some(to)
}

/// Checks that every byte of a text is in exactly one operation.
fn once(mut taken: Vec<(u64, u64, usize)>, length: u64) -> Result<(), OperationError> {
    taken.retain(|(start, end, _)| start < end);
    taken.sort_unstable();
    let mut reached = 0;
    for (start, end, number) in taken {
        if start < reached {
            return Err(OperationError::Misplaced(number));
        }
        if start > reached {
            return Err(OperationError::LeftOut(reached));
        }
        reached = end;
    }
    match reached == length {
        true => Ok(()),
        false => Err(OperationError::LeftOut(reached)),
    }
}
