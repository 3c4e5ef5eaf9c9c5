//! The forms in which the difference of two texts is returned: by lines, by words, as operations.

use simdex_index::{Cancel, IndexError, MemoryAccount};
use simdex_proto::lines::Operation;
use thiserror::Error;

use super::CompareParams;
use crate::read_side::difference::operations::{OPERATION_BYTES, operations};
use crate::read_side::difference::words::{WordDifference, WordExtent};
use crate::read_side::difference::{
    Difference, TooMuchToAlign, lines, permit_to_align, permit_to_align_words,
};
use crate::read_side::query::QueryError;

/// Most bytes of an answer that a span takes; also of everything that is neither spans nor difference.
pub(super) const SPAN_BYTES: usize = 40;
const NUMBERS_BYTES: usize = 4 << 10;

/// Operations gathered before checking whether to continue.
const OPERATIONS_A_LOOK: usize = 1024;

/// Forms of a difference.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Forms {
    /// Unified, by lines.
    pub lines: bool,
    /// A difference by words, for people.
    pub words: bool,
    /// A difference by words, for tools.
    pub operations: bool,
}

impl Forms {
    fn is_any(self) -> bool {
        self.lines || self.words || self.operations
    }
}

/// Why a form of the difference is missing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum FormOmission {
    /// It was not requested.
    #[error("it was not requested")]
    NotRequested,
    /// Aligning its lines or words would take more than half of what a request may hold.
    #[error(transparent)]
    TooMuchToAlign(#[from] TooMuchToAlign),
    /// It would be longer than a message.
    #[error("it is larger than the {0} bytes left in the message")]
    TooLong(usize),
}

/// How the words of two texts differ.
pub struct ComparedWords {
    /// How many words differ, and whether the search was cut short somewhere; `None` if they could not be aligned.
    pub extent: Option<(WordExtent, bool)>,
    /// The words that differ, shown to people.
    pub text: Result<String, FormOmission>,
    /// Operations that turn the first text into the second, for tools.
    pub operations: Result<Vec<Operation>, FormOmission>,
    /// Bytes of both texts.
    pub bytes: [u64; 2],
}

/// Why writing a form ended.
enum WriteEnd {
    TooLong,
    Failed(IndexError),
}

/// The room left in a message.
struct Room<'a> {
    bytes: usize,
    cancel: &'a Cancel,
}

impl Room<'_> {
    /// Whether to continue after this many bytes.
    fn go_on(&self, written: usize) -> Result<(), WriteEnd> {
        self.cancel.check().map_err(WriteEnd::Failed)?;
        match written <= self.bytes {
            true => Ok(()),
            false => Err(WriteEnd::TooLong),
        }
    }

    /// Subtracts what was written from the room that is left.
    fn take<T>(
        &mut self,
        written: Result<(T, usize), WriteEnd>,
    ) -> Result<Result<T, FormOmission>, QueryError> {
        match written {
            Ok((form, bytes)) => {
                self.bytes = self.bytes.saturating_sub(bytes);
                Ok(Ok(form))
            }
            Err(WriteEnd::TooLong) => Ok(Err(FormOmission::TooLong(self.bytes))),
            Err(WriteEnd::Failed(error)) => Err(error.into()),
        }
    }
}

/// The requested forms; the short ones first, so that a long one does not displace another.
pub(super) fn differences(
    texts: [&str; 2],
    spans: usize,
    params: &CompareParams<'_>,
) -> Result<(Result<String, FormOmission>, Option<ComparedWords>), QueryError> {
    let bytes = params
        .longest
        .saturating_sub(spans * SPAN_BYTES + NUMBERS_BYTES);
    let cancel = params.account.cancel();
    let mut room = Room { bytes, cancel };
    let words = params.forms.is_any();
    let words = words
        .then(|| by_words(texts, params, &mut room))
        .transpose()?;
    let lines = match params.forms.lines {
        true => by_lines(texts, params, &mut room)?,
        false => Err(FormOmission::NotRequested),
    };
    Ok((lines, words))
}

fn by_lines(
    texts: [&str; 2],
    params: &CompareParams<'_>,
    room: &mut Room<'_>,
) -> Result<Result<String, FormOmission>, QueryError> {
    let _held = match permit_to_align(texts, 0, params.account)? {
        Ok(held) => held,
        Err(too_many) => return Ok(Err(too_many.into())),
    };
    let [a, b] = texts.map(lines);
    let difference = Difference::between(a, b, &mut || params.account.cancel().check())?;
    let (a, b) = params.names;
    let written = difference.unified_while(a, b, |bytes| room.go_on(bytes));
    room.take(written.map(|diff| {
        let bytes = diff.len();
        (diff, bytes)
    }))
}

fn by_words(
    texts: [&str; 2],
    params: &CompareParams<'_>,
    room: &mut Room<'_>,
) -> Result<ComparedWords, QueryError> {
    let bytes = texts.map(|text| text.len() as u64);
    let account: &MemoryAccount = params.account;
    // The output may be as long as both texts, and is held a second time while it is encoded.
    let _held = match permit_to_align_words(texts, bytes.iter().sum(), account)? {
        Ok(held) => held,
        Err(too_much) => {
            let left_out = |is_requested: bool| match is_requested {
                true => FormOmission::TooMuchToAlign(too_much),
                false => FormOmission::NotRequested,
            };
            return Ok(ComparedWords {
                extent: None,
                text: Err(left_out(params.forms.words)),
                operations: Err(left_out(params.forms.operations)),
                bytes,
            });
        }
    };
    let [a, b] = texts;
    let difference = WordDifference::between_while(a, b, &mut || account.cancel().check())?;
    let mut text = Err(FormOmission::NotRequested);
    if params.forms.words {
        let written = difference.shown_while(params.names, |bytes| room.go_on(bytes));
        text = room.take(written.map(|text| {
            let bytes = text.len();
            (text, bytes)
        }))?;
    }
    let mut gathered = Err(FormOmission::NotRequested);
    if params.forms.operations {
        let written = gather(&difference, room);
        gathered = room.take(written)?;
    }
    Ok(ComparedWords {
        extent: Some((difference.extent, difference.cut_short)),
        text,
        operations: gathered,
        bytes,
    })
}

/// The operations as long as there is room, and their bytes.
fn gather(
    difference: &WordDifference<'_>,
    room: &Room<'_>,
) -> Result<(Vec<Operation>, usize), WriteEnd> {
    let mut bytes = 0;
    let mut gathered = Vec::new();
    for (number, operation) in operations(difference).enumerate() {
        let texts = [&operation.removed, &operation.added];
        let texts = texts.map(|text| text.as_ref().map_or(0, String::len));
        bytes += OPERATION_BYTES + texts.iter().sum::<usize>();
        if number % OPERATIONS_A_LOOK == 0 || bytes > room.bytes {
            room.go_on(bytes)?;
        }
        gathered.push(operation);
    }
    room.go_on(bytes)?;
    Ok((gathered, bytes))
}
