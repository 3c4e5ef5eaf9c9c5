//! Fixed lists of codes that are stored and shown, each with its meaning.
//!
//! [`Reason`] is here because extraction reports it, the index stores it and the wire carries it.

/// Declares an enum of codes. The first doc line of each variant is its meaning. A crate that uses this macro depends
/// on `serde`, and its tests on `serde_json`.
#[macro_export]
macro_rules! codes {
    ($(#[$about:meta])* $list:ident {
        $($(#[doc = $meaning:literal])+ $name:ident = $code:literal,)+
    }) => {
        $(#[$about])*
        #[derive(
            Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, serde::Serialize,
            serde::Deserialize,
        )]
        pub enum $list {
            $($(#[doc = $meaning])+ #[serde(rename = $code)] $name,)+
        }

        impl $list {
            /// Every code, in the order of the documentation.
            pub const ALL: &'static [Self] = &[$(Self::$name,)+];

            /// The stored name: short, kebab-case, never changed.
            #[must_use]
            pub fn code(self) -> &'static str {
                match self { $(Self::$name => $code,)+ }
            }

            /// The code that is stored under this name.
            #[must_use]
            pub fn of_code(code: &str) -> Option<Self> {
                match code { $($code => Some(Self::$name),)+ _ => None }
            }

            /// One line for people.
            #[must_use]
            pub fn meaning(self) -> &'static str {
                match self { $(Self::$name => concat!($($meaning),+).trim_ascii_start(),)+ }
            }
        }

        impl std::fmt::Display for $list {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(self.code())
            }
        }

        #[cfg(test)]
        mod codes {
            #[test]
            fn every_code_is_its_own_and_kebab_case_and_has_a_meaning() {
                let all = super::$list::ALL;
                let codes: std::collections::BTreeSet<_> = all.iter().map(|c| c.code()).collect();
                assert_eq!(codes.len(), all.len());
                for one in all {
                    let code = one.code();
                    let kebab = |b: u8| b.is_ascii_lowercase() || b == b'-';
                    assert!(code.bytes().all(kebab), "{code}");
                    assert_eq!(serde_json::to_string(one).unwrap(), format!("\"{code}\""));
                    assert_eq!(super::$list::of_code(code), Some(*one));
                    assert!(!one.meaning().is_empty() && !one.meaning().starts_with(' '));
                }
            }
        }
    };
}

codes! {
    /// Why a file is in its state: why it has no text, or not all of it, or was not read.
    Reason {
        /// The text is longer than the output limit and was cut there
        OutputLimit = "output-limit",
        /// The canonical text is longer than 64 MiB: the rest is not compared, and not part of its hash
        TooLong = "too-long",
        /// The file is longer than the input limit, or than its kind can be read
        InputLimit = "input-limit",
        /// The file unpacks to more than the limits allow
        InflateLimit = "inflate-limit",
        /// Elements or messages are nested deeper than the limit
        DepthLimit = "depth-limit",
        /// The file has more parts or entries than the limit
        PartsLimit = "parts-limit",
        /// Some pages could not be read
        PagesFailed = "pages-failed",
        /// Some parts could not be read
        PartsFailed = "parts-failed",
        /// The sheets have more cells than the limit
        CellsLimit = "cells-limit",
        /// Much of the text is garbled: fonts without a character table, perhaps
        LowQuality = "low-quality",
        /// Entries of the archive overlap, as they do in bombs
        OverlappingEntries = "overlapping-entries",
        /// The file breaks off or is damaged; what stands before was read
        Damaged = "damaged",
        /// The file is empty
        EmptyFile = "empty-file",
        /// The file was read and holds no words
        NoWords = "no-words",
        /// The pages hold no text, probably only pictures: text recognition is needed
        NeedsOcr = "needs-ocr",
        /// Some pages hold a picture and no text: text recognition is needed for them
        PagesNeedOcr = "pages-need-ocr",
        /// A password is needed to read the file
        PasswordNeeded = "password-needed",
        /// The kind is known but not read
        KindNotRead = "kind-not-read",
        /// The reader of its kind is not built into this program; a program that has it reads the file
        ReaderNotBuiltIn = "reader-not-built-in",
        /// Neither a known kind nor text
        Binary = "binary",
        /// The file does not follow the rules of its kind
        Malformed = "malformed",
        /// The parser gave up on an unforeseen construct
        ParserPanic = "parser-panic",
        /// Reading the file would take more memory than allowed
        MemoryLimit = "memory-limit",
        /// The file could not be read, or is no regular file opened for reading only
        ReadError = "read-error",
        /// Reading the file took more CPU time than allowed
        CpuLimit = "cpu-limit",
        /// Reading the file took more wall clock time than allowed
        WallLimit = "wall-limit",
        /// The parser overflowed its stack
        StackOverflow = "stack-overflow",
        /// The worker was killed by a signal
        Signal = "signal",
        /// The worker ended without an answer
        NoReply = "no-reply",
        /// The worker's answer breaks the protocol
        BadReply = "bad-reply",
        /// The text, or what is known of the file, is longer than the store takes
        StoreLimit = "store-limit",
        /// The daemon gave up on the file on an unforeseen construct; the next rescan reads it again
        IngestPanic = "look-panic",
        /// The worker was killed from outside: by the kernel for want of memory, or by somebody
        Killed = "killed",
        /// The machine had no room, or no way, to keep the bytes that were to be read
        SpoolFailed = "spool-failed",
        /// The daemon crashed twice while it worked on these bytes
        DaemonCrashed = "daemon-crashed",
        /// The machine had no descriptor, memory or room left to open it
        NoDescriptor = "no-descriptor",
        /// Somebody holds a lease on the file; the kernel asks for it back, and the file is tried again
        Leased = "leased",
        /// No worker could be started
        NoWorker = "no-worker",
        /// The machine let the worker run too little to end in time
        MachineBusy = "machine-busy",
        /// The pool was shut down meanwhile
        ShuttingDown = "shutting-down",
        /// A symlink: its target, if it lies under a root, is seen there
        Symlink = "symlink",
        /// A device, FIFO or socket, which is never opened
        NotRegular = "not-regular",
        /// A lock file, temporary file or desktop metadata file, recognised by its name
        Temporary = "temporary",
        /// A directory more than 256 levels below its root, or a path longer than the kernel takes
        TooDeep = "too-deep",
        /// Another file system is mounted there; make it a root of its own
        MountPoint = "mount-point",
        /// A file of a report that this daemon wrote, as it wrote it; a file of another content, or that the report's manifest does not name, is read
        OwnReport = "own-report",
        /// The path leaves its root on the way (a folder was replaced by a symlink or a mount): no file of the root is there. Never stored
        OutsideRoot = "outside-root",
        /// The permissions do not let the daemon read it
        PermissionDenied = "permission-denied",
        /// The file system answered with an error, and the file was never read
        IoError = "io-error",
        /// It changed during each of three readings
        ChangedWhileRead = "changed-while-read",
        /// Its content was forgotten meanwhile; shown, never stored
        ContentNotRecorded = "content-not-recorded",
        /// Its members are being recorded; it follows them, or is read again
        Unpacking = "unpacking",
        /// Its extracted text was damaged on disk; the next rescan reads the file again
        TextDamaged = "text-damaged",
        /// It was gone when it was opened; it keeps its last state until a hint or rescan says so. Never stored
        Vanished = "vanished",
        /// Its root could not be opened; nothing is concluded. Never stored
        RootVanished = "root-vanished",
    }
}

impl Reason {
    /// Whether this is a fault of the machine, which says nothing about the document: reading is tried again, and never
    /// given up for it.
    #[must_use]
    pub const fn is_machine_fault(self) -> bool {
        matches!(
            self,
            Self::Killed
                | Self::SpoolFailed
                | Self::ReadError
                | Self::NoWorker
                | Self::MachineBusy
                | Self::ShuttingDown
        )
    }

    /// Whether a reader may report this for a document, or for a file in it. Only the parent of the worker may report
    /// the others: that the worker died, that the machine is at fault, what the rules are.
    #[must_use]
    pub const fn may_come_from_reader(self) -> bool {
        matches!(
            self,
            Self::Binary
                | Self::CellsLimit
                | Self::Damaged
                | Self::DepthLimit
                | Self::EmptyFile
                | Self::InflateLimit
                | Self::InputLimit
                | Self::KindNotRead
                | Self::LowQuality
                | Self::Malformed
                | Self::MemoryLimit
                | Self::NeedsOcr
                | Self::NoWords
                | Self::OutputLimit
                | Self::OverlappingEntries
                | Self::PagesFailed
                | Self::PagesNeedOcr
                | Self::ParserPanic
                | Self::PartsFailed
                | Self::PartsLimit
                | Self::PasswordNeeded
                | Self::ReadError
                | Self::ReaderNotBuiltIn
        )
    }
}
