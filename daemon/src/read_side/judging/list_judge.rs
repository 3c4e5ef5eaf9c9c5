//! Judges the pairs of a list, one after another.
//!
//! The texts of both sides are kept from one pair to the next, and so is the judgement if the next files carry the
//! same documents, since copies are adjacent. Half of the time left until the deadline is for judging, so that a long
//! list is completed even if only its first pairs are judged. If a client asks for the first pairs only, every run
//! judges the same ones, and reads no more than a bounded amount of text.

use std::sync::Arc;
use std::time::Instant;

use simdex_index::{FileInfo, IndexError, IndexReader, MemoryAccount};
use simdex_judge::{Judgement, Model};
use simdex_schema::DocId;

use super::{HeldJudgedText, JudgedSide, is_of_a_text, judging_deadline, known_signals};
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
    /// Pairs of different documents that may still be judged; long ones count more.
    left: u64,
}

/// Bytes of two texts for which a pair counts as one more of those that may be judged.
const COUNTED_BYTES: u64 = 64 << 10;

impl<'a> ListJudge<'a> {
    /// Judges by this model, with permits from this account: `most` pairs of different documents, fewer if these are
    /// long.
    pub fn new(
        model: Arc<Model>,
        index: &'a IndexReader,
        account: &'a MemoryAccount,
        most: u64,
    ) -> Self {
        Self {
            asks_places: asks_places(&model),
            model,
            index,
            account,
            texts: [None, None],
            last: None,
            until: judging_deadline(account.cancel()),
            left: most,
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
        if self.left == 0 {
            return Ok(JudgingOutcome::BeyondFirst);
        }
        if self.until.is_some_and(|until| Instant::now() >= until) {
            return Ok(JudgingOutcome::TimeOver);
        }
        let judged = match self.pair([a, b], ids, overlap) {
            Err(error) if is_of_a_text(&error) => JudgingOutcome::NoText,
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
        let counts = 1 + of_a.saturating_add(of_b) / COUNTED_BYTES;
        self.left = self.left.saturating_sub(counts);
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
    use tempfile::TempDir;

    use super::*;
    use crate::read_side::query::RatioEstimate;
    use crate::read_side::query::tests::index_of;

    /// An index of three versions of one text, and their files.
    fn versions(account: &MemoryAccount) -> (IndexReader, TempDir, Vec<FileInfo>) {
        let text = "The supplier delivers within thirty days of each order. ".repeat(40);
        let revised = |sentence: &str| format!("{text}{sentence}");
        let texts = [
            text.clone(),
            revised("Prices are fixed."),
            revised("So is the rent."),
        ];
        let (index, dir) = index_of(&texts);
        let mut files = Vec::new();
        let visited = index
            .files()
            .visit(&VisibleRoots::All, account, &mut |file| {
                files.push(file);
                ControlFlow::Continue(())
            });
        visited.unwrap();
        (index, dir, files)
    }

    fn judged(judge: &mut ListJudge<'_>, pair: [&FileInfo; 2]) -> JudgingOutcome {
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
        judge.judge(pair, &overlap).unwrap()
    }

    #[test]
    fn once_its_time_is_over_a_pair_is_not_judged_and_copies_still_are() {
        let account = MemoryBudget::new(64 << 20).account(&Cancel::never());
        let (index, _dir, files) = versions(&account);
        let model = Arc::new(Model::shipped().unwrap());
        let mut judge = ListJudge::new(model, &index, &account, u64::MAX);
        let (pair, copies) = ([&files[0], &files[1]], [&files[1], &files[1]]);
        assert!(!judged(&mut judge, pair).is_time_over());
        (judge.last, judge.until) = (None, Some(Instant::now()));
        assert!(judged(&mut judge, pair).is_time_over());
        let of_copies = judged(&mut judge, copies);
        assert!(matches!(of_copies, JudgingOutcome::Judged(_)));
    }

    #[test]
    fn beyond_the_first_pairs_of_different_documents_only_copies_are_judged() {
        let account = MemoryBudget::new(64 << 20).account(&Cancel::never());
        let (index, _dir, files) = versions(&account);
        let model = Arc::new(Model::shipped().unwrap());
        let pairs = [[0, 0], [0, 1], [0, 1], [0, 2], [1, 2], [2, 2]];
        let outcomes = |most| {
            let mut judge = ListJudge::new(Arc::clone(&model), &index, &account, most);
            pairs.map(|[a, b]| judged(&mut judge, [&files[a], &files[b]]))
        };
        let all = outcomes(u64::MAX);
        assert!(!all.contains(&JudgingOutcome::BeyondFirst), "{all:?}");
        for (most, beyond) in [(0, &[1, 2, 3, 4][..]), (1, &[3, 4]), (2, &[4]), (3, &[])] {
            let mut expected = all.clone();
            beyond
                .iter()
                .for_each(|at| expected[*at] = JudgingOutcome::BeyondFirst);
            assert_eq!(outcomes(most), expected, "the first {most}");
        }
    }
}
