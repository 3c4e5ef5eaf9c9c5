//! Judges the files of groups against their principals, using texts that the writer of the groups has already read.
//!
//! A principal is analysed once for all documents of its group, and a document once for all files that carry it. Half
//! of the time left until the deadline is for judging; without a deadline, as in a scheduled report, all are judged.

use std::sync::Arc;
use std::time::Instant;

use simdex_index::{IndexError, MemoryAccount};
use simdex_judge::{JudgedText, Judgement, Model};

use super::list_judge::asks_places;
use super::{HeldJudgedText, JudgedSide, judging_deadline, known_signals};
use crate::read_side::judging_outcome::JudgingOutcome;
use crate::read_side::query::Overlap;

/// A principal and a file of its group, which carry different documents.
pub struct JudgedPair<'a> {
    /// What is recorded of both, the principal first.
    pub sides: [JudgedSide<'a>; 2],
    /// Bytes of their canonical texts.
    pub lengths: [u64; 2],
    /// Their extracted texts; `None` if one cannot be read.
    pub texts: Option<[&'a str; 2]>,
    /// The counts of the pair.
    pub overlap: Overlap,
}

/// Judges group after group.
pub struct GroupJudge<'a> {
    model: Arc<Model>,
    asks_places: bool,
    account: &'a MemoryAccount,
    /// The texts of the current principal and document, once they were needed.
    texts: [Option<HeldJudgedText>; 2],
    until: Option<Instant>,
}

impl<'a> GroupJudge<'a> {
    /// Judges by this model, with permits from this account.
    pub fn new(model: Arc<Model>, account: &'a MemoryAccount) -> Self {
        Self {
            asks_places: asks_places(&model),
            model,
            account,
            texts: [None, None],
            until: judging_deadline(account.cancel()),
        }
    }

    /// Whether files of one document may be judged differently, since the model uses their locations.
    pub fn asks_places(&self) -> bool {
        self.asks_places
    }

    /// Begins another group: nothing is kept of the one before.
    pub fn next_group(&mut self) {
        self.texts = [None, None];
    }

    /// Begins another document of the group.
    pub fn next_document(&mut self) {
        self.texts[1] = None;
    }

    /// Judges a file of the current document.
    ///
    /// # Errors
    /// The client disconnected.
    pub fn judge(&mut self, pair: &JudgedPair<'_>) -> Result<JudgingOutcome, IndexError> {
        self.account.cancel().check()?;
        let Some(texts) = pair.texts else {
            return Ok(JudgingOutcome::NoText);
        };
        if self.until.is_some_and(|until| Instant::now() >= until) {
            return Ok(JudgingOutcome::TimeOver);
        }
        let known = known_signals(&pair.sides, pair.lengths, &pair.overlap);
        let model = Arc::clone(&self.model);
        let judged: Result<Judgement, IndexError> = model.judge(&known, || {
            let [first, second] = [0, 1].map(|side| self.text(side, texts, pair.lengths));
            Ok([first?.text, second?.text])
        });
        Ok(judged?.into())
    }

    /// The analysed text of a side.
    fn text(
        &mut self,
        side: usize,
        texts: [&str; 2],
        lengths: [u64; 2],
    ) -> Result<HeldJudgedText, IndexError> {
        if let Some(held) = &self.texts[side] {
            return Ok(held.clone());
        }
        let needed = JudgedText::peak_bytes(lengths[side]);
        let permit = self.account.take_large(needed)?;
        let held = HeldJudgedText::of(texts[side], permit, self.account)?;
        self.texts[side] = Some(held.clone());
        Ok(held)
    }
}

#[cfg(test)]
mod tests {
    use simdex_index::{Cancel, MemoryBudget};

    use super::*;

    const NOWHERE: JudgedSide<'_> = JudgedSide {
        root: None,
        path: None,
        author: None,
        is_quoting: false,
    };

    fn pair<'a>(texts: &'a [String; 2], overlap: [f64; 3]) -> JudgedPair<'a> {
        JudgedPair {
            sides: [NOWHERE; 2],
            lengths: texts.each_ref().map(|text| text.len() as u64),
            texts: Some(texts.each_ref().map(String::as_str)),
            overlap: Overlap::counted(overlap),
        }
    }

    #[test]
    fn files_are_judged_while_there_is_time_and_only_where_there_are_texts() {
        let text = "The supplier delivers within thirty days of each order. ".repeat(40);
        let texts = [text.clone(), format!("{text}Prices are fixed.")];
        let account = MemoryBudget::new(64 << 20).account(&Cancel::never());
        let mut judge = GroupJudge::new(Arc::new(Model::shipped().unwrap()), &account);
        let judged = judge.judge(&pair(&texts, [0.98; 3])).unwrap();
        assert!(!matches!(
            judged,
            JudgingOutcome::TimeOver | JudgingOutcome::NoText
        ));
        let without = JudgedPair {
            texts: None,
            ..pair(&texts, [0.98; 3])
        };
        let judged = judge.judge(&without).unwrap();
        assert!(matches!(judged, JudgingOutcome::NoText));
        judge.until = Some(Instant::now());
        let judged = judge.judge(&pair(&texts, [0.98; 3])).unwrap();
        assert!(matches!(judged, JudgingOutcome::TimeOver));
    }

    #[test]
    fn the_texts_of_a_group_are_held_until_the_next() {
        let words = |from: usize| {
            let words = (from..from + 60_000).map(|it| format!("w{it}"));
            words.collect::<Vec<_>>().join(" ")
        };
        let texts = [words(0), words(30_000)];
        let budget = MemoryBudget::new(256 << 20);
        let account = budget.account(&Cancel::never());
        let mut judge = GroupJudge::new(Arc::new(Model::shipped().unwrap()), &account);
        judge.judge(&pair(&texts, [0.3, 0.5, 0.5])).unwrap();
        let both = account.held();
        judge.next_document();
        let one = account.held();
        assert!(both > one && one > 0, "{both} {one}");
        judge.judge(&pair(&texts, [0.3, 0.5, 0.5])).unwrap();
        assert_eq!(account.held(), both);
        judge.next_group();
        assert_eq!(account.held(), 0);
    }
}
