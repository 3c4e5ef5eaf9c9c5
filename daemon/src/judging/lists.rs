//! Judges the pairs of a list, one after another.
//!
//! The texts of both sides are kept from one pair to the next, and so is the judgement where the next files carry the
//! same documents: copies follow one another. Half of the time that is left until the deadline is for judging, so
//! that a long list comes to its end with judgements as far as they went.

use std::sync::Arc;
use std::time::Instant;

use simdex_index::{FileView, IndexError, IndexReader, MemoryAccount};
use simdex_judge::{Judgement, Model};
use simdex_schema::DocId;

use super::{Held, Side, known, within_reach};
use crate::query::Overlap;

/// Judges pair after pair.
pub struct ListJudge<'a> {
    model: Arc<Model>,
    /// The model asks where files lie: copies are judged apart.
    asks_places: bool,
    index: &'a IndexReader,
    account: &'a MemoryAccount,
    /// The texts read last, of first and of second sides.
    texts: [Option<(DocId, Held)>; 2],
    last: Option<([DocId; 2], Option<Judgement>)>,
    until: Option<Instant>,
}

impl<'a> ListJudge<'a> {
    /// Judges by this model, with permits of this account.
    pub fn new(model: Arc<Model>, index: &'a IndexReader, account: &'a MemoryAccount) -> Self {
        let now = Instant::now();
        let until = |deadline: Instant| now + deadline.saturating_duration_since(now) / 2;
        Self {
            asks_places: model.signals().iter().any(|signal| signal.is_of_place()),
            model,
            index,
            account,
            texts: [None, None],
            last: None,
            until: account.cancel().deadline().map(until),
        }
    }

    /// Judges two files of which this was counted; `None` where one has no text that can be read, where the
    /// judgement contradicts what was counted, or where the time is over.
    ///
    /// # Errors
    /// The index failed, or the asker went away.
    pub fn judge(
        &mut self,
        [a, b]: [&FileView; 2],
        overlap: &Overlap,
    ) -> Result<Option<Judgement>, IndexError> {
        self.account.cancel().check()?;
        let Some(((id_a, _), (id_b, _))) = a.document.zip(b.document) else {
            return Ok(None);
        };
        if id_a == id_b {
            return Ok(Some(Judgement::of_one_text()));
        }
        let ids = [id_a, id_b];
        if let Some((_, judged)) = self.last.as_ref().filter(|(known, _)| *known == ids)
            && !self.asks_places
        {
            return Ok(judged.clone());
        }
        if self.until.is_some_and(|until| Instant::now() > until) {
            return Ok(None);
        }
        let judged = match self.pair([a, b], ids, overlap) {
            Err(IndexError::UnknownDocument(_)) => None,
            Err(error) if error.is_damaged_text() => None,
            judged => judged?,
        };
        self.last = Some((ids, judged.clone()));
        Ok(judged)
    }

    fn pair(
        &mut self,
        [a, b]: [&FileView; 2],
        ids: [DocId; 2],
        overlap: &Overlap,
    ) -> Result<Option<Judgement>, IndexError> {
        let stats = ids.map(|id| self.index.stats(id).map(|stats| stats.length));
        let [Some(of_a), Some(of_b)] = stats else {
            return Ok(None);
        };
        let known = known(&[Side::of_file(a), Side::of_file(b)], [of_a, of_b], overlap);
        let model = Arc::clone(&self.model);
        let judged = model.judge(&known, || {
            let first = self.text(0, ids[0], of_a)?;
            let second = self.text(1, ids[1], of_b)?;
            Ok::<_, IndexError>([first.text, second.text])
        });
        Ok(within_reach(judged?, overlap))
    }

    /// The text of a document that stands on this side.
    fn text(&mut self, side: usize, id: DocId, length: u64) -> Result<Held, IndexError> {
        let kept = self.texts.iter().flatten().find(|(known, _)| *known == id);
        let kept = kept.map(|(_, held)| held.clone());
        // The text of the pair before gives up its memory first.
        self.texts[side] = None;
        let held = match kept {
            Some(held) => held,
            None => Held::read(self.index, id, length, self.account)?,
        };
        self.texts[side] = Some((id, held.clone()));
        Ok(held)
    }
}
