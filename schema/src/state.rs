//! Where a file ended: its state, and a reason from a fixed list of codes.

use crate::codec::{DecodeError, Reader, Writer};

macro_rules! states {
    ($($(#[$doc:meta])* $variant:ident = $number:literal, $name:literal;)*) => {
        /// Where a file ended. The number is what is stored.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[repr(u8)]
        pub enum State { $($(#[$doc])* $variant = $number,)* }

        impl State {
            /// Every state, in the order of FORMAT.md.
            pub const ALL: &[State] = &[$(State::$variant,)*];

            /// The name people and tools read.
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
    /// Text was read whole and stands in the index; of identical files the smallest path.
    Indexed = 1, "indexed";
    /// Same bytes as the file called indexed.
    IdenticalBytes = 2, "identical-bytes";
    /// Other bytes, same canonical text as the file called indexed.
    IdenticalText = 3, "identical-text";
    /// Part of the text was read and stands in the index.
    Partial = 4, "partial";
    /// Holds other files; those are counted apart.
    Container = 5, "container";
    /// Holds no text: not comparable, never equal.
    NoText = 6, "no-text";
    /// Its canonical text is shorter than one shingle.
    TooShort = 7, "too-short";
    /// Needs a password.
    Encrypted = 8, "encrypted";
    /// A kind of file that is not read.
    Unsupported = 9, "unsupported";
    /// Longer than the config allows.
    TooLarge = 10, "too-large";
    /// The extractor gave an error.
    Failed = 11, "failed";
    /// The extractor used up its time.
    TimedOut = 12, "timed-out";
    /// The extraction worker died.
    Crashed = 13, "crashed";
    /// The file system refused it.
    Unreadable = 14, "unreadable";
    /// Passed over by rule.
    Skipped = 15, "skipped";
    /// Changed while it was read; it is tried again.
    Unstable = 16, "unstable";
    /// Failed three times with these bytes and this extractor.
    Quarantined = 17, "quarantined";
}

impl State {
    /// Whether text of this file stands in the index.
    pub fn has_text(self) -> bool {
        use State::{IdenticalBytes, IdenticalText, Indexed, Partial};
        matches!(self, Indexed | IdenticalBytes | IdenticalText | Partial)
    }

    /// Whether another try may end otherwise: such contents are given up after three tries.
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

/// Why a file is in its state: a short code from the table in FORMAT.md; empty where the state
/// says it all.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Reason(String);

impl Reason {
    /// Longest code stored.
    pub const MAX: usize = 64;

    /// No reason beyond the state.
    pub fn none() -> Self {
        Self::default()
    }

    /// A code: lower-case ASCII letters, digits and hyphens; anything else is dropped.
    pub fn code(code: &str) -> Self {
        let clean = code
            .chars()
            .filter(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || *c == '-');
        Self(clean.take(Self::MAX).collect())
    }

    /// The code.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    pub(crate) fn put(&self, out: &mut Writer) {
        out.bytes(self.0.as_bytes());
    }

    pub(crate) fn take(input: &mut Reader<'_>) -> Result<Self, DecodeError> {
        Ok(Self::code(&input.string("reason")?))
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
    fn a_reason_is_a_code_and_nothing_else() {
        assert_eq!(
            Reason::code("bad\u{1b}[31m Reply-1").as_str(),
            "bad31meply-1"
        );
    }
}
