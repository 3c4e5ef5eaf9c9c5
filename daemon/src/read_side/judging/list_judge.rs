//! Judges the pairs of a list, one after another.
//!
//! The texts of both sides are kept from one pair to the next, and so is the judgement if the next files carry the
//! same documents, since copies are adjacent. Half of the time left until the deadline is for judging, so that a long
//! list is completed even if only its first pairs are judged.

use std::sync::Arc;
use std::time::Instant;

use simdex_index::{FileInfo, IndexError, IndexReader, MemoryAccount};
use simdex_judge::{Judgement, Model};
use simdex_schema::DocId;

use super::{HeldJudgedText, JudgedSide, judging_deadline, known_signals};
use crate::read_side::judging_outcome::JudgingOutcome;
use crate::read_side::query::Overlap;

/// Whether a model uses the location of files: copies are then judged separately.
pub(super) fn asks_places(model: &Model) -> bool {
    model.signals().iter().any(|signal| signal.is_of_place())
}

/// Judges one pair after another.
pub struct ListJudge<'a> {
    model: Arc<Model>,
    /// Whether the model uses the location of files: copies are then judged separately.
    asks_places: bool,
    index: &'a IndexReader,
    account: &'a MemoryAccount,
    /// The last texts read, of the first and of the second side.
    texts: [Option<(DocId, HeldJudgedText)>; 2],
    last: Option<([DocId; 2], JudgingOutcome)>,
    until: Option<Instant>,
}

impl<'a> ListJudge<'a> {
    /// Judges by this model, with permits from this account.
    pub fn new(model: Arc<Model>, index: &'a IndexReader, account: &'a MemoryAccount) -> Self {
        Self {
            asks_places: asks_places(&model),
            model,
            index,
            account,
            texts: [None, None],
            last: None,
            until: judging_deadline(account.cancel()),
        }
    }

    /// Judges two files with this overlap.
    ///
    /// # Errors
    /// The index failed, or the client disconnected.
    pub fn judge(
        &mut self,
        [a, b]: [&FileInfo; 2],
        overlap: &Overlap,
    ) -> Result<JudgingOutcome, IndexError> {
        self.account.cancel().check()?;
        let Some(((id_a, _), (id_b, _))) = a.document.zip(b.document) else {
            return Ok(JudgingOutcome::NoText);
        };
        if id_a == id_b {
            return Ok(JudgingOutcome::Judged(Judgement::of_one_text()));
        }
        let ids = [id_a, id_b];
        if let Some((_, judged)) = self.last.as_ref().filter(|(known, _)| *known == ids)
            && !self.asks_places
        {
            return Ok(judged.clone());
        }
        if self.until.is_some_and(|until| Instant::now() >= until) {
            return Ok(JudgingOutcome::TimeOver);
        }
        let judged = match self.pair([a, b], ids, overlap) {
            Err(error) if error.concerns_one_document() => JudgingOutcome::NoText,
            judged => judged?,
        };
        self.last = Some((ids, judged.clone()));
        Ok(judged)
    }

    fn pair(
        &mut self,
        [a, b]: [&FileInfo; 2],
        ids: [DocId; 2],
        overlap: &Overlap,
    ) -> Result<JudgingOutcome, IndexError> {
        let stats = ids.map(|id| self.index.documents().stats(id).map(|stats| stats.length));
        let [Some(of_a), Some(of_b)] = stats else {
            return Ok(JudgingOutcome::NoText);
        };
        let known = known_signals(
            &[JudgedSide::of_file(a), JudgedSide::of_file(b)],
            [of_a, of_b],
            overlap,
        );
        let model = Arc::clone(&self.model);
        let judged = model.judge(&known, || {
            let first = self.text(0, ids[0], of_a)?;
            let second = self.text(1, ids[1], of_b)?;
            Ok::<_, IndexError>([first.text, second.text])
        });
        Ok(judged?.into())
    }

    /// The text of a document on this side.
    fn text(&mut self, side: usize, id: DocId, length: u64) -> Result<HeldJudgedText, IndexError> {
        let kept = self.texts.iter().flatten().find(|(known, _)| *known == id);
        let kept = kept.map(|(_, held)| held.clone());
        // The memory of the previous pair's text is released first.
        self.texts[side] = None;
        let held = match kept {
            Some(held) => held,
            None => HeldJudgedText::read(self.index.texts(), id, length, self.account)?,
        };
        self.texts[side] = Some((id, held.clone()));
        Ok(held)
    }
}

#[cfg(test)]
mod tests {
    use std::ops::ControlFlow;

    use simdex_index::{Cancel, MemoryBudget, VisibleRoots};

    use super::*;
    use crate::read_side::query::RatioEstimate;
    use crate::read_side::query::tests::index_of;

    #[test]
    fn once_its_time_is_over_a_pair_is_not_judged_and_copies_still_are() {
        let text = "The supplier delivers within thirty days of each order. ".repeat(40);
        let (index, _dir) = index_of(&[text.clone(), format!("{text}Prices are fixed.")]);
        let account = MemoryBudget::new(64 << 20).account(&Cancel::never());
        let mut files = Vec::new();
        let visited = index
            .files()
            .visit(&VisibleRoots::All, &account, &mut |file| {
                files.push(file);
                ControlFlow::Continue(())
            });
        visited.unwrap();
        let model = Arc::new(Model::shipped().unwrap());
        let mut judge = ListJudge::new(model, &index, &account);
        let exact = RatioEstimate {
            value: Some(0.98),
            ..RatioEstimate::default()
        };
        let overlap = Overlap {
            resemblance: exact,
            containment_of_first: exact,
            containment_of_second: exact,
            shared: 0,
            verified: true,
        };
        let judged = |judge: &mut ListJudge<'_>, [a, b]: [usize; 2]| {
            judge.judge([&files[a], &files[b]], &overlap).unwrap()
        };
        assert!(!matches!(
            judged(&mut judge, [0, 1]),
            JudgingOutcome::TimeOver
        ));
        (judge.last, judge.until) = (None, Some(Instant::now()));
        assert!(matches!(
            judged(&mut judge, [0, 1]),
            JudgingOutcome::TimeOver
        ));
        assert!(matches!(
            judged(&mut judge, [1, 1]),
            JudgingOutcome::Judged(_)
        ));
    }
}
