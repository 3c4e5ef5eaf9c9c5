//! What happens to the bytes of one text in another: the difference of two texts for tools.

use serde::{Deserialize, Serialize};

use crate::v1;

/// The kind of an operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Op {
    /// Bytes that are equal in both texts.
    Equal,
    /// Equal words with other white space, case or characters: `added` has the second text's form.
    Reformat,
    /// Words missing from the second text.
    Delete,
    /// Words missing from the first text.
    Insert,
    /// Words that are replaced by others.
    Replace,
    /// Words that moved here from another place in the first text.
    Move,
}

/// One operation of a difference by words. Offsets and lengths are bytes of UTF-8 of the extracted texts.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Operation {
    /// The kind of the operation.
    pub op: Op,
    /// Offset in the first text.
    pub offset_a: u64,
    /// Length in the first text; 0 if words are inserted.
    pub length_a: u64,
    /// Offset in the second text.
    pub offset_b: u64,
    /// Length in the second text; 0 if words are deleted.
    pub length_b: u64,
    /// The bytes of the first text, if words are deleted or replaced.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub removed: Option<String>,
    /// The bytes of the second text, if they differ from those of the first.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub added: Option<String>,
}

impl From<Operation> for v1::Operation {
    fn from(operation: Operation) -> Self {
        let kind = match operation.op {
            Op::Equal => v1::OperationKind::Equal,
            Op::Reformat => v1::OperationKind::Reformat,
            Op::Delete => v1::OperationKind::Delete,
            Op::Insert => v1::OperationKind::Insert,
            Op::Replace => v1::OperationKind::Replace,
            Op::Move => v1::OperationKind::Move,
        };
        Self {
            kind: kind.into(),
            offset_a: operation.offset_a,
            length_a: operation.length_a,
            offset_b: operation.offset_b,
            length_b: operation.length_b,
            removed: operation.removed,
            added: operation.added,
        }
    }
}

impl Operation {
    /// Converts an operation of the wire; `None` if its kind is newer than this program.
    pub fn of(operation: v1::Operation) -> Option<Self> {
        let op = match operation.kind() {
            v1::OperationKind::Unspecified => return None,
            v1::OperationKind::Equal => Op::Equal,
            v1::OperationKind::Reformat => Op::Reformat,
            v1::OperationKind::Delete => Op::Delete,
            v1::OperationKind::Insert => Op::Insert,
            v1::OperationKind::Replace => Op::Replace,
            v1::OperationKind::Move => Op::Move,
        };
        Some(Self {
            op,
            offset_a: operation.offset_a,
            length_a: operation.length_a,
            offset_b: operation.offset_b,
            length_b: operation.length_b,
            removed: operation.removed,
            added: operation.added,
        })
    }
}
