//! What becomes of bytes of one text in another: the difference of two texts for tools.

use serde::{Deserialize, Serialize};

use crate::v1;

/// What is done.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Op {
    /// Bytes that are equal in both texts.
    Equal,
    /// Equal words in other white space, case or characters: `added` is how the second text has them.
    Reformat,
    /// Words that the second text lacks.
    Delete,
    /// Words that the first text lacks.
    Insert,
    /// Words in place of which others stand.
    Replace,
    /// Words that stand elsewhere in the first text, and not there any more.
    Move,
}

/// One operation of a difference by words. Offsets and lengths are bytes of UTF-8 of the extracted texts.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Operation {
    /// What is done.
    pub op: Op,
    /// Where its bytes begin in the first text.
    pub offset_a: u64,
    /// How many they are; 0 where words are inserted.
    pub length_a: u64,
    /// Where its bytes begin in the second text.
    pub offset_b: u64,
    /// How many they are; 0 where words are deleted.
    pub length_b: u64,
    /// The bytes of the first text, where words are deleted or replaced.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub removed: Option<String>,
    /// The bytes of the second text, where they are not those of the first.
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
    /// An operation of the wire; none where its kind is newer than this program.
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
