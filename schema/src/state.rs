//! The outcome of reading a file: its state, and a reason from a fixed list.

use simdex_codes::Reason;

use crate::codec::{DecodeError, Reader, Writer};

macro_rules! states {
    ($($(#[$doc:meta])* $variant:ident = $number:literal, $name:literal;)*) => {
        /// The outcome of reading a file. The number is what is stored.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[repr(u8)]
        pub enum State { $($(#[$doc])* $variant = $number,)* }

        impl State {
            /// Every state, in the order of FORMAT.md.
            pub const ALL: &[State] = &[$(State::$variant,)*];

            /// The name that people and tools see.
            pub fn name(self) -> &'static str {
                match self { $(State::$variant => $name,)* }
            }

            fn from_number(number: u8) -> Option<State> {
                match number { $($number => Some(State::$variant),)* _ => None }
            }
        }
    };
}

states! {
    /// Text was read completely and is in the index; of identical files, the smallest path.
    Indexed = 1, "indexed";
    /// Same bytes as the file called indexed.
    IdenticalBytes = 2, "identical-bytes";
    /// Other bytes, same canonical text as the file called indexed.
    IdenticalText = 3, "identical-text";
    /// Part of the text was read and is in the index.
    Partial = 4, "partial";
    /// Holds other files, which are counted separately.
    Container = 5, "container";
    /// Holds no text: not comparable, never equal.
    NoText = 6, "no-text";
    /// Its canonical text is shorter than one shingle.
    TooShort = 7, "too-short";
    /// Needs a password.
    Encrypted = 8, "encrypted";
    /// A kind of file that is not supported.
    Unsupported = 9, "unsupported";
    /// Longer than the config allows.
    TooLarge = 10, "too-large";
    /// The extractor returned an error.
    Failed = 11, "failed";
    /// The extractor exceeded its time limit.
    TimedOut = 12, "timed-out";
    /// The extraction worker died.
    Crashed = 13, "crashed";
    /// The file system refused to read it.
    Unreadable = 14, "unreadable";
    /// Skipped by a rule.
    Skipped = 15, "skipped";
    /// Changed while it was read; reading is tried again.
    Unstable = 16, "unstable";
    /// Failed three times with these bytes and this extractor.
    Quarantined = 17, "quarantined";
}

impl State {
    /// Whether text of this file is in the index.
    pub fn has_text(self) -> bool {
        use State::{IdenticalBytes, IdenticalText, Indexed, Partial};
        matches!(self, Indexed | IdenticalBytes | IdenticalText | Partial)
    }

    /// Whether another try may have another outcome: such contents are given up after three tries.
    pub fn is_failure(self) -> bool {
        matches!(self, State::Failed | State::TimedOut | State::Crashed)
    }

    pub(crate) fn put(self, out: &mut Writer) {
        out.byte(self as u8);
    }

    pub(crate) fn take(input: &mut Reader<'_>) -> Result<Self, DecodeError> {
        Self::from_number(input.byte()?).ok_or(DecodeError::OutOfRange("state"))
    }
}

/// The recorded reason for a file's state: a [`Reason`], or none if the state says everything. A code that is unknown
/// here, from another version of the program, is kept.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub enum StoredReason {
    /// No reason beyond the state.
    #[default]
    None,
    /// A reason of this version.
    Known(Reason),
    /// The code of another version.
    Unknown(UnknownCode),
}

impl StoredReason {
    /// The stored code; empty if there is none.
    pub fn as_str(&self) -> &str {
        match self {
            Self::None => "",
            Self::Known(reason) => reason.code(),
            Self::Unknown(UnknownCode(code)) => code,
        }
    }

    /// Whether it is this reason.
    pub fn is(&self, reason: Reason) -> bool {
        *self == Self::Known(reason)
    }

    fn of_code(code: &str) -> Self {
        match Reason::of_code(code) {
            Some(reason) => Self::Known(reason),
            None => match UnknownCode::new(code) {
                code if code.0.is_empty() => Self::None,
                code => Self::Unknown(code),
            },
        }
    }

    pub(crate) fn put(&self, out: &mut Writer) {
        out.bytes(self.as_str().as_bytes());
    }

    pub(crate) fn take(input: &mut Reader<'_>) -> Result<Self, DecodeError> {
        Ok(Self::of_code(&input.string("reason")?))
    }
}

impl From<Reason> for StoredReason {
    fn from(reason: Reason) -> Self {
        Self::Known(reason)
    }
}

impl From<Option<Reason>> for StoredReason {
    fn from(reason: Option<Reason>) -> Self {
        reason.map_or(Self::None, Self::Known)
    }
}

/// A stored code that is not a [`Reason`] here: lower-case ASCII letters, digits and hyphens, at most 64.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct UnknownCode(String);

impl UnknownCode {
    const MAX: usize = 64;

    /// Drops characters that a code must not have.
    fn new(code: &str) -> Self {
        let is_allowed = |c: &char| c.is_ascii_lowercase() || c.is_ascii_digit() || *c == '-';
        Self(code.chars().filter(is_allowed).take(Self::MAX).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_state_round_trips_and_has_a_name_of_its_own() {
        let mut names = std::collections::BTreeSet::new();
        for &state in State::ALL {
            let mut out = Writer::new();
            state.put(&mut out);
            assert_eq!(State::take(&mut Reader::new(&out.finish())), Ok(state));
            assert!(names.insert(state.name()));
        }
        assert_eq!(names.len(), 17);
    }

    #[test]
    fn a_stored_reason_is_a_code_and_nothing_else() {
        let stored = StoredReason::of_code("bad\u{1b}[31m Reply-1");
        assert_eq!(stored.as_str(), "bad31meply-1");
        assert_eq!(StoredReason::of_code(""), StoredReason::None);
    }

    #[test]
    fn reasons_are_stored_by_their_codes_and_those_of_another_version_survive() {
        let bytes = |reason: &StoredReason| {
            let mut out = Writer::new();
            reason.put(&mut out);
            out.finish()
        };
        let again = |bytes: &[u8]| StoredReason::take(&mut Reader::new(bytes)).unwrap();
        for &reason in Reason::ALL {
            let mut code = Writer::new();
            code.bytes(reason.code().as_bytes());
            let stored = StoredReason::from(reason);
            assert_eq!(bytes(&stored), code.finish());
            assert_eq!(again(&bytes(&stored)), stored);
        }
        let mut later = Writer::new();
        later.bytes(b"of-a-later-version-2");
        let later = later.finish();
        let stored = again(&later);
        assert_eq!(stored.as_str(), "of-a-later-version-2");
        assert!(matches!(stored, StoredReason::Unknown(_)));
        assert_eq!(bytes(&stored), later);
    }
}
