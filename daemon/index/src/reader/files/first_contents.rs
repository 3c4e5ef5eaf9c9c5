//! What a list of files remembers about documents that several files carry: the first of these is the one called
//! indexed.

use std::collections::HashMap;
use std::ops::ControlFlow;

use simdex_schema::{ContentHash, DocId};

use super::FileView;
use crate::{GrowingPermit, IndexError, IndexReader, MemoryAccount, View};

/// Bytes that a document and a content take in a map, with room to grow.
const FIRST: u64 = 96;

/// A page of keys that holds one key, in bytes.
const ONE_KEY: usize = 1;

/// Of documents that several files carry, the content of the first file.
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

impl IndexReader {
    /// The first file of the view that carries a document, the one called indexed. It takes as many reads as the
    /// document has contents and the view roots, however many files there are.
    pub fn first_file(&self, id: DocId, view: &View) -> Result<Option<FileView>, IndexError> {
        let mut found = None;
        self.visit_files_by_page(id, view, ONE_KEY, &mut |first| {
            found = Some(first);
            ControlFlow::Break(())
        })?;
        Ok(found)
    }

    /// Looks up the first file of a document that several carry, and says whether this is another.
    pub(super) fn note_first(
        &self,
        id: DocId,
        file: &mut FileView,
        (view, first): (&View, &mut FirstContents),
    ) -> Result<(), IndexError> {
        let found = self.first_file(id, view)?;
        let Some((content, found)) = found.and_then(|it| Some((it.record.content()?, it))) else {
            return Ok(());
        };
        if found.key != file.key {
            file.call_identical(file.record.content() == Some(content));
        }
        first.note(id, content)
    }
}
