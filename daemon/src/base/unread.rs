//! Which files count as not read.

use simdex_index::FileInfo;
use simdex_schema::{Reason, State, StoredReason};

/// Whether a file was not read, or not whole: it is listed with its reason wherever files are counted.
pub fn is_unread(file: &FileInfo) -> bool {
    match file.state {
        State::Indexed | State::IdenticalBytes | State::IdenticalText | State::TooShort => false,
        // Other files without text have none to read.
        State::NoText => file.reason.is(Reason::NeedsOcr),
        // With a reason, part of its contents was not read.
        State::Container => file.reason != StoredReason::None,
        State::Partial
        | State::Encrypted
        | State::Unsupported
        | State::TooLarge
        | State::Failed
        | State::TimedOut
        | State::Crashed
        | State::Unreadable
        | State::Skipped
        | State::Unstable
        | State::Quarantined => true,
    }
}
