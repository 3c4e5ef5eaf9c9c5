//! What the caller should do about an error: give up on this input, try again, or open the index again.

use crate::IndexError;
use crate::io_error::{is_full, is_shortage};
use crate::store::StoreError;
use crate::text::TextError;

/// What to do about an error.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// This input cannot be stored, whatever the machine does; other inputs can.
    Input,
    /// The machine lacks something now, and nothing was changed: the same call may succeed later.
    Transient,
    /// The store failed, or what was written may be lost: nothing is trusted until the index was closed, opened and
    /// examined again.
    Index,
}

impl IndexError {
    /// What to do about this error.
    pub fn fault(&self) -> Fault {
        match self {
            Self::Store(error) => error.fault(),
            Self::Text(error) => error.fault(),
            Self::Record { .. }
            | Self::Format { .. }
            | Self::Damaged(_)
            | Self::UnreadTexts(_)
            | Self::WorkerPanicked(_) => Fault::Index,
            Self::TooLong(_)
            | Self::NoTemplateLines
            | Self::UnknownDocument(_)
            | Self::Shortage { .. }
            | Self::TooMuchMemory { .. }
            | Self::Cancelled => Fault::Transient,
        }
    }

    /// Whether it keeps one text from being read and says nothing about others, unlike a shortage or a failing store.
    pub(crate) fn is_of_one_text(&self) -> bool {
        match self {
            Self::Text(TextError::Io { source, .. }) => !is_shortage(source),
            error => error.concerns_one_document(),
        }
    }

    /// Whether the disk is full, or a quota used up.
    pub fn is_disk_full(&self) -> bool {
        match self {
            Self::Store(error) => error.is_disk_full(),
            Self::Text(TextError::Io { source, .. }) => is_full(source),
            _ => false,
        }
    }
}

impl StoreError {
    /// What to do about this error.
    pub fn fault(&self) -> Fault {
        match self {
            Self::TooLarge { .. } => Fault::Input,
            Self::NoRoom { .. } | Self::NotRewritten { .. } | Self::RunNotWritten { .. } => {
                Fault::Transient
            }
            error if error.is_shortage() => Fault::Transient,
            _ => Fault::Index,
        }
    }

    /// Whether the disk is full, or a quota used up.
    pub fn is_disk_full(&self) -> bool {
        match self {
            Self::NoRoom { .. } => true,
            Self::Io { source, .. } => is_full(source),
            Self::NotRewritten { source } | Self::RunNotWritten { source } => source.is_disk_full(),
            _ => false,
        }
    }

    /// Whether one of our files could not even be opened because descriptors or memory ran out. An error that
    /// sled reports of itself (`use`) is no shortage: sled stays failed. Neither is a failed fsync, whatever it
    /// was short of: the next one may not report the pages that are lost.
    pub(crate) fn is_shortage(&self) -> bool {
        matches!(self, Self::Io { action, source, .. }
            if !["use", "sync"].contains(action) && is_shortage(source))
    }
}

impl TextError {
    fn fault(&self) -> Fault {
        match self {
            Self::TooLong { .. } => Fault::Input,
            // The next rescan releases such texts and reads their files again.
            Self::Corrupt { .. } | Self::NoSegment { .. } => Fault::Transient,
            // A failed fsync may have lost what was written. Any other step is repeated.
            Self::Io { action, .. } if *action != "sync" => Fault::Transient,
            _ => Fault::Index,
        }
    }
}

#[cfg(test)]
mod tests {
    use std::io;

    use rustix::io::Errno;

    use super::*;

    fn source(errno: Errno) -> io::Error {
        io::Error::from_raw_os_error(errno.raw_os_error())
    }

    fn store(action: &'static str, errno: Errno) -> IndexError {
        StoreError::io(action, "/d")(source(errno)).into()
    }

    fn text(action: &'static str, errno: Errno) -> IndexError {
        let error = TextError::Io {
            action,
            path: "/d".into(),
            source: source(errno),
        };
        error.into()
    }

    fn run_not_written() -> IndexError {
        let source = StoreError::io("use", "/d")(source(Errno::NOSPC)).into();
        StoreError::RunNotWritten { source }.into()
    }

    #[test]
    fn every_error_asks_for_one_thing() {
        let table = [
            (TextError::TooLong { len: 1 }.into(), Fault::Input),
            (text("write", Errno::NOSPC), Fault::Transient),
            (text("create", Errno::MFILE), Fault::Transient),
            (text("open", Errno::MFILE), Fault::Transient),
            (text("sync", Errno::NOMEM), Fault::Index),
            (text("sync", Errno::NOSPC), Fault::Index),
            (text("sync", Errno::IO), Fault::Index),
            (TextError::SyncFailed.into(), Fault::Index),
            (store("open", Errno::NFILE), Fault::Transient),
            (store("sync", Errno::NOMEM), Fault::Index),
            (store("sync", Errno::IO), Fault::Index),
            (store("use", Errno::MFILE), Fault::Index),
            (store("use", Errno::NOSPC), Fault::Index),
            (run_not_written(), Fault::Transient),
            // On reopening the index is examined: a failing disk is no damage of the store.
            (store("use", Errno::IO), Fault::Index),
            (store("use", Errno::UCLEAN), Fault::Index),
            (text("read", Errno::NOMEM), Fault::Transient),
            (StoreError::SyncFailed.into(), Fault::Index),
            (StoreError::Sled("x".into()).into(), Fault::Index),
            (IndexError::Damaged("x".into()), Fault::Index),
        ];
        for (error, fault) in table {
            assert_eq!(error.fault(), fault, "{error:?}");
        }
    }

    #[test]
    fn a_text_that_is_not_read_says_nothing_of_others_unless_something_is_short() {
        let of_one = [text("open", Errno::ACCESS), text("read", Errno::ISDIR)];
        assert!(of_one.iter().all(IndexError::is_of_one_text));
        let of_all = [
            text("open", Errno::MFILE),
            text("read", Errno::NOMEM),
            store("open", Errno::ACCESS),
            IndexError::Cancelled,
        ];
        assert!(!of_all.iter().any(IndexError::is_of_one_text));
    }

    #[test]
    fn a_full_disk_is_told_from_other_refusals() {
        assert!(text("write", Errno::NOSPC).is_disk_full());
        assert!(store("use", Errno::DQUOT).is_disk_full() && run_not_written().is_disk_full());
        assert!(!text("write", Errno::IO).is_disk_full());
    }
}
