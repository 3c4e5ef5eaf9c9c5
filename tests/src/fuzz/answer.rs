//! The rules for every answer of the pool, whatever the document or the worker.

use simdex_extract::{Extraction, Fact, Facts, Limits, Outcome, Reason};

/// Bounds of the protocol: names of kinds and engines, remarks, names of members.
const NAME: usize = 128;
const REMARKS: usize = 16;
const REMARK: usize = 800;
const MEMBER: usize = 1024;

/// Short name of an outcome: its state and reason.
pub(super) fn name_of(outcome: &Outcome) -> String {
    let state = match outcome {
        Outcome::Text { partial: None, .. } => "text",
        Outcome::Text { .. } => "partial",
        Outcome::Container(_) => "container",
        Outcome::NoText(_) => "no-text",
        Outcome::Encrypted(_) => "encrypted",
        Outcome::Unsupported(_) => "unsupported",
        Outcome::TooLarge(_) => "too-large",
        Outcome::Failed(_) => "failed",
        Outcome::TimedOut(_) => "timed-out",
        Outcome::Crashed(_) => "crashed",
    };
    let reason = outcome.reason().map_or("-", Reason::code);
    format!("{state} {reason}")
}

/// Whether a document with this outcome is kept for study: its worker, or its parser, gave up.
pub(super) fn is_worth_study(outcome: &Outcome) -> bool {
    matches!(outcome, Outcome::Crashed(_) | Outcome::TimedOut(_))
        || matches!(
            outcome.reason(),
            Some(Reason::ParserPanic | Reason::MemoryLimit)
        )
}

/// What is wrong with an answer; none where nothing is.
pub(super) fn fault(extraction: &Extraction, limits: &Limits, lying: bool) -> Option<&'static str> {
    match extraction.outcome.reason() {
        Some(Reason::NoWorker) => return Some("no worker could be started"),
        Some(Reason::ShuttingDown) => return Some("the pool closed by itself"),
        Some(Reason::BadReply) if !lying => return Some("a reader of ours breaks the protocol"),
        Some(Reason::NoReply) if !lying => return Some("a reader of ours ended without a word"),
        _ => {}
    }
    if let Outcome::Text { text, .. } = &extraction.outcome {
        if text.contains('\0') {
            return Some("the text holds a NUL");
        }
        if text.len() as u64 > limits.output_bytes {
            return Some("the text is longer than the limit");
        }
    }
    let plain = |name: &str| {
        (1..=NAME).contains(&name.len()) && name.bytes().all(|byte| matches!(byte, b' '..=b'~'))
    };
    let answered = !matches!(
        extraction.outcome,
        Outcome::Crashed(_) | Outcome::TimedOut(_)
    );
    if answered && !(plain(&extraction.media_type) && plain(&extraction.parser)) {
        return Some("kind or engine is no plain name");
    }
    let clean = |text: &str| !text.chars().any(char::is_control);
    let remarks = &extraction.warnings;
    if remarks.len() > REMARKS
        || !remarks
            .iter()
            .all(|line| line.len() <= REMARK && clean(line))
    {
        return Some("remarks are too many, too long or not clean");
    }
    let bounded = |fact: Fact, value: &str| {
        let addresses = value.split(' ').count();
        (1..=fact.max_bytes()).contains(&value.len())
            && clean(value)
            && (!fact.is_list() || addresses <= Facts::MAX_ADDRESSES)
    };
    let mut facts = extraction.facts.iter();
    if !facts.all(|(fact, value)| bounded(fact, value)) {
        return Some("a fact is empty, too long or not clean");
    }
    members(extraction, limits)
}

fn members(extraction: &Extraction, limits: &Limits) -> Option<&'static str> {
    let members = &extraction.members;
    let named = |name: &str| name.len() <= MEMBER && !name.contains('\0');
    if members.len() > limits.budgets.entries as usize {
        return Some("more members than the budget has");
    }
    if !members.iter().all(|member| named(&member.name)) {
        return Some("a member's name is too long or holds a NUL");
    }
    let lengths = members
        .iter()
        .filter_map(|member| member.body.as_ref().ok());
    let total: u64 = lengths.map(|bytes| bytes.length()).sum();
    (total > limits.budgets.total_bytes).then_some("members hold more than the budget has")
}
