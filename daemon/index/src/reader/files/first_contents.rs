//! What a list of files remembers about documents that several files carry: the first of these is the one called
//! indexed.

use std::collections::HashMap;
use std::ops::ControlFlow;

use simdex_schema::{ContentHash, DocId};

use super::{FileInfo, Files};
use crate::{GrowingPermit, IndexError, MemoryAccount, VisibleRoots};

/// Bytes that a document and a content take in a map, with room to grow.
const FIRST: u64 = 96;

/// Bytes of a page of keys that holds a single key.
const ONE_KEY: usize = 1;

/// The content of the first file of each document that several files carry.
pub(crate) struct FirstContents {
    pub(crate) contents: HashMap<DocId, ContentHash>,
    held: GrowingPermit,
    /// The list began after the first file of the view: the first files of documents have to be looked up.
    pub(super) is_resumed: bool,
}

impl FirstContents {
    pub(crate) fn of(account: &MemoryAccount) -> Self {
        Self {
            contents: HashMap::new(),
            held: GrowingPermit::of(account),
            is_resumed: false,
        }
    }

    /// First contents of a list that begins after the first file of its view.
    pub(super) fn resumed(account: &MemoryAccount) -> Self {
        Self {
            is_resumed: true,
            ..Self::of(account)
        }
    }

    pub(super) fn note(&mut self, id: DocId, content: ContentHash) -> Result<(), IndexError> {
        self.held.add(FIRST)?;
        self.contents.insert(id, content);
        Ok(())
    }
}

impl Files<'_> {
    /// The first file of the view that carries a document: the one called indexed. This takes as many reads as the
    /// document has contents and the view has roots, however many files there are.
    pub fn first_of_document(
        self,
        id: DocId,
        view: &VisibleRoots,
    ) -> Result<Option<FileInfo>, IndexError> {
        let mut found = None;
        self.visit_files_by_page(id, view, ONE_KEY, &mut |first| {
            found = Some(first);
            ControlFlow::Break(())
        })?;
        Ok(found)
    }

    /// Looks up the first file of a document that several files carry. If `file` is another one, calls it identical.
    pub(super) fn note_first(
        self,
        id: DocId,
        file: &mut FileInfo,
        (view, first): (&VisibleRoots, &mut FirstContents),
    ) -> Result<(), IndexError> {
        let found = self.first_of_document(id, view)?;
        let Some((content, found)) = found.and_then(|it| Some((it.record.content()?, it))) else {
            return Ok(());
        };
        if found.key != file.key {
            file.call_identical(file.record.content() == Some(content));
        }
        first.note(id, content)
    }
}
