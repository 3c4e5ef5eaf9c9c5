//! Shingles of documents and of other texts, with permits for their memory.

use std::ops::Deref;
use std::sync::Arc;

use simdex_schema::DocId;
use simdex_signature::{Levels, ShingleSet, SignedText};

use crate::shared::IndexShared;
use crate::{IndexError, MemoryAccount, MemoryPermit, ReadText, Registry, Texts};

/// All shingles of a text, with the permit for the memory of counting them.
#[derive(Debug)]
pub struct HeldShingles {
    pub(crate) set: Arc<ShingleSet>,
    pub(crate) permit: Option<MemoryPermit>,
}

/// Shingles read to be compared with those of other documents.
pub(crate) enum ReadLevels {
    /// By level, with the permit for their memory.
    Listed(Levels, Option<MemoryPermit>),
    /// Of a long text, which has too many for one list unless it repeats itself.
    InSet(HeldShingles),
}

impl Deref for HeldShingles {
    type Target = ShingleSet;

    fn deref(&self) -> &ShingleSet {
        &self.set
    }
}

/// The shingles of documents and of other texts, for exact counts.
///
/// Those of recently counted documents are in memory; for others a text is read and cut into shingles, which takes a
/// permit of the account that is passed.
#[derive(Clone, Copy)]
pub struct ShingleSets<'a> {
    pub(crate) shared: &'a IndexShared,
    texts: Texts<'a>,
}

impl<'a> ShingleSets<'a> {
    pub(crate) fn of(shared: &'a IndexShared, registry: &'a Registry) -> Self {
        Self {
            shared,
            texts: Texts::of(shared, registry),
        }
    }

    /// All shingles of a document's text, for exact counts; `None` for raw bytes.
    pub fn of_document(
        self,
        id: DocId,
        account: &MemoryAccount,
    ) -> Result<Option<HeldShingles>, IndexError> {
        Ok(self.with_text(id, account)?.map(|(set, _)| set))
    }

    /// All shingles of a document's text, with the text they were made from; `None` for raw bytes. There is no text if
    /// the shingles were in memory, or if it is so large that it needs a permit.
    pub fn with_text(
        self,
        id: DocId,
        account: &MemoryAccount,
    ) -> Result<Option<(HeldShingles, Option<ReadText>)>, IndexError> {
        if let Some(set) = self.shared.shingle_sets.get(&id) {
            let permit = account.take_large(set.counting_bytes())?;
            return Ok(Some((HeldShingles { set, permit }, None)));
        }
        let read = self.read_with_text(id, account)?;
        if let Some((held, _)) = &read {
            let bytes = held.set.held_bytes();
            self.shared
                .shingle_sets
                .insert(id, Arc::clone(&held.set), bytes);
        }
        Ok(read)
    }

    /// All shingles of a document; also `None` if the document was removed, or its text is damaged, which is noted: a
    /// caller that reads many documents continues without this one.
    pub fn if_readable(
        self,
        id: DocId,
        account: &MemoryAccount,
    ) -> Result<Option<HeldShingles>, IndexError> {
        match self.of_document(id, account) {
            Err(error) if error.concerns_one_document() => Ok(None),
            set => set,
        }
    }

    fn read_with_text(
        self,
        id: DocId,
        account: &MemoryAccount,
    ) -> Result<Option<(HeldShingles, Option<ReadText>)>, IndexError> {
        let Some(((signed, _of_signed), text)) = self.texts.signed_and_whole(id, account)? else {
            return Ok(None);
        };
        self.shared.work.text_read();
        Ok(Some((self.of_text(&signed, account)?, text)))
    }

    /// All shingles of a document by level, always read from the text, and not cached; `None` for raw bytes. Of a text
    /// whose shingles are too many for one list the set itself.
    pub(crate) fn read_levels(
        self,
        id: DocId,
        account: &MemoryAccount,
    ) -> Result<Option<ReadLevels>, IndexError> {
        let Some((signed, _of_signed)) = self.texts.signed(id, account)? else {
            return Ok(None);
        };
        self.shared.work.text_read();
        let length = signed.as_bytes().len();
        if length > self.shared.options.listed_shingles {
            return Ok(Some(ReadLevels::InSet(self.of_text(&signed, account)?)));
        }
        let mut permit = account.take_large(ShingleSet::peak_bytes(length as u64))?;
        let levels = Levels::of_text(&signed, self.shared.window());
        if let Some(permit) = &mut permit {
            permit.shrink_to(levels.held_bytes());
        }
        Ok(Some(ReadLevels::Listed(levels, permit)))
    }

    /// All shingles of a text that need not be in the index.
    pub fn of_text(
        self,
        text: &SignedText,
        account: &MemoryAccount,
    ) -> Result<HeldShingles, IndexError> {
        let length = text.as_bytes().len() as u64;
        let mut permit = account.take_large(ShingleSet::peak_bytes(length))?;
        let max_listed = self.shared.options.listed_shingles;
        let set = Arc::new(ShingleSet::listing(text, self.shared.window(), max_listed));
        if let Some(permit) = &mut permit {
            permit.shrink_to(set.counting_bytes());
        }
        Ok(HeldShingles { set, permit })
    }
}
