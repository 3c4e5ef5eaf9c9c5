//! What is recorded of the two sides of a pair.

use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use simdex_extract::Fact;
use simdex_index::FileInfo;
use simdex_judge::KnownSignals;
use simdex_judge::signal::name;
use simdex_schema::RootId;

use crate::read_side::query::{Overlap, Subject};

/// What is recorded of one side.
#[derive(Clone, Copy, Debug)]
pub struct JudgedSide<'a> {
    /// The root, for a file of the index; `None` for uploads.
    pub root: Option<RootId>,
    /// The path, if it has one.
    pub path: Option<&'a Path>,
    /// The author or sender that the document states.
    pub author: Option<&'a str>,
    /// Whether quoted lines were left out of its text.
    pub is_quoting: bool,
}

impl<'a> JudgedSide<'a> {
    pub(super) fn of_file(file: &'a FileInfo) -> Self {
        Self {
            root: Some(file.key.root),
            path: Some(&file.path),
            author: author_of(file),
            is_quoting: is_quoting(file),
        }
    }

    pub(super) fn of_subject(subject: &'a Subject) -> Self {
        match subject.file.as_deref() {
            Some(file) => Self::of_file(file),
            None => Self {
                root: None,
                path: subject.subject_path.as_deref(),
                author: None,
                is_quoting: subject.is_quoting,
            },
        }
    }

    fn name(&self) -> Option<&'a [u8]> {
        Some(self.path?.file_name()?.as_bytes())
    }
}

/// The author or sender that a file states.
pub(crate) fn author_of(file: &FileInfo) -> Option<&str> {
    fact(file, Fact::From).or_else(|| fact(file, Fact::Author))
}

/// Whether quoted lines were left out of the text of a file.
pub(crate) fn is_quoting(file: &FileInfo) -> bool {
    fact(file, Fact::QuotedLines).is_some_and(|lines| lines != "0")
}

fn fact(file: &FileInfo, fact: Fact) -> Option<&str> {
    let facts = &file.content.as_ref()?.facts;
    let stated = facts.iter().find(|(code, _)| code == fact.code());
    stated.map(|(_, value)| value.as_str())
}

/// The signals of a pair that are known without its texts.
pub(super) fn known_signals<'a>(
    sides: &[JudgedSide<'a>; 2],
    lengths: [u64; 2],
    overlap: &Overlap,
) -> KnownSignals {
    let [a, b] = sides;
    let roots = a.root.zip(b.root);
    let folder = |side: &JudgedSide<'a>| side.path.and_then(Path::parent);
    KnownSignals {
        same_root: roots.map(|(a, b)| a == b),
        same_folder: roots.map(|_| folder(a) == folder(b)),
        same_author: a.author.zip(b.author).map(|(a, b)| a == b),
        same_name: a.name().zip(b.name()).map(|(a, b)| name::likeness(a, b)),
        is_quoting: a.is_quoting || b.is_quoting,
        ..overlap.known_signals(lengths)
    }
}
