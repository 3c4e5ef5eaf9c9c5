//! A text of one hit, and what is measured of it beside that of the query, by whichever thread comes to it first.

use std::sync::{Arc, Mutex};

use simdex_index::{IndexError, MemoryAccount, MemoryPermit, ReadText, Texts, canonicalise};
use simdex_judge::measure::Together;
use simdex_judge::{JudgedText, KnownSignals};
use simdex_schema::DocId;

use crate::base::lock::lock;

/// A text of a hit beside that of the query.
#[derive(Debug)]
pub(crate) struct TextForJudging {
    pub(super) document: DocId,
    /// The text of the hit, once it was read.
    text: Mutex<Option<Arc<JudgedText>>>,
    /// What was measured of both.
    pub(crate) together: Together,
    /// What is known of both besides their files.
    pub(super) known: KnownSignals,
}

impl TextForJudging {
    /// The text of a document, if it was read already.
    pub(super) fn new(document: DocId, read: Option<ReadText>, known: KnownSignals) -> Self {
        let text = read.map(|read| Arc::new(JudgedText::of(read.canonical, &read.extracted)));
        Self {
            document,
            text: Mutex::new(text),
            together: Together::default(),
            known,
        }
    }

    /// The text, which is read now if it was not before.
    pub(crate) fn text_or_read(
        &self,
        texts: Texts<'_>,
        account: &MemoryAccount,
    ) -> Result<Arc<JudgedText>, IndexError> {
        let mut text = lock(&self.text);
        if let Some(text) = &*text {
            return Ok(Arc::clone(text));
        }
        // It is short, so that what is kept of it needs no permit.
        let (judged, _permit) = read_judged(texts, self.document, account)?;
        Ok(Arc::clone(text.insert(judged)))
    }
}

/// Reads the text of a document to be judged, with the permit for its canonical text.
pub(crate) fn read_judged(
    texts: Texts<'_>,
    id: DocId,
    account: &MemoryAccount,
) -> Result<(Arc<JudgedText>, Option<MemoryPermit>), IndexError> {
    let stored = texts.read(id, account)?;
    let extracted = stored.ok_or(IndexError::UnknownDocument(id))?;
    let (canonical, permit) = canonicalise(&extracted, account)?;
    Ok((Arc::new(JudgedText::of(canonical, &extracted)), permit))
}
