//! Memory for aligning two texts: what their lines take is many times what the texts do where lines are short.

use simdex_index::{IndexError, MemoryAccount, MemoryPermit};
use simdex_signature::align::word_count;
use thiserror::Error;

/// Bytes that a line of either text takes while both are aligned: its place, its number, its part in the search, and
/// the operations that come of it.
const LINE_BYTES: u64 = 256;

/// Aligning so many lines would take more than half of what the account may hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("there is no memory to align {0} lines (store.working_mib)")]
pub struct TooManyLines(pub u64);

/// Takes a permit for aligning two texts, and for `beside` bytes that are made on the way; none where it is too small
/// to be counted.
pub(crate) fn permit_to_align(
    texts: [&str; 2],
    beside: u64,
    account: &MemoryAccount,
) -> Result<Result<Option<MemoryPermit>, TooManyLines>, IndexError> {
    let lines = texts.map(line_count).iter().sum::<u64>();
    let needed = lines.saturating_mul(LINE_BYTES).saturating_add(beside);
    if needed > account.total() / 2 {
        return Ok(Err(TooManyLines(lines)));
    }
    account.take_large(needed).map(Ok)
}

/// Bytes that a word of either text takes while both are aligned: its place and number, twice the table of words in
/// a row, and what comes of it.
const WORD_BYTES: u64 = 160;

/// Aligning so many words would take more than half of what the account may hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("there is no memory to align {0} words (store.working_mib)")]
pub struct TooManyWords(pub u64);

/// Takes a permit for aligning the words of two texts, and for `beside` bytes that are made on the way.
pub(crate) fn permit_to_align_words(
    texts: [&str; 2],
    beside: u64,
    account: &MemoryAccount,
) -> Result<Result<Option<MemoryPermit>, TooManyWords>, IndexError> {
    let words = texts.map(word_count).iter().sum::<u64>();
    let needed = words.saturating_mul(WORD_BYTES).saturating_add(beside);
    if needed > account.total() / 2 {
        return Ok(Err(TooManyWords(words)));
    }
    account.take_large(needed).map(Ok)
}

fn line_count(text: &str) -> u64 {
    1 + text.bytes().filter(|byte| *byte == b'\n').count() as u64
}
