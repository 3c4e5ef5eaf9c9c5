//! Translates a worker's answer into stored values: states, reasons, roles, facts.

use simdex_extract::{Extraction, Facts, Member, MemberBytes, Outcome, Reader, Role as ReadRole};
use simdex_schema::file::FileOutcome;
use simdex_schema::{
    ContentRecord, FileRecord, FileStat, MemberPlace, Reason, Role, State, StoredReason, Timestamp,
};
use simdex_signature::CanonicalText;

use super::MAX_FAILURES;
use super::facts::asks_for_frames;
use super::reader_version::is_current;

/// A worker's answer for a content, in the terms of the schema.
pub struct WorkerAnswer {
    /// State of the content.
    pub state: State,
    /// Refines the state.
    pub reason: StoredReason,
    /// Extracted text; `None` if the outcome is another.
    pub text: Option<String>,
    /// Media type, determined from the bytes.
    pub media_type: String,
    /// Format reader that answered.
    pub reader: Option<Reader>,
    /// Library that read it, with its version, for people.
    pub parser: String,
    /// Remarks for people.
    pub warnings: Vec<String>,
    /// Code and value of each fact.
    pub facts: Vec<(String, String)>,
    /// Files inside, not yet read.
    pub members: Vec<Member>,
    /// A transient fault of the system; not a failure of the content.
    pub transient: Option<Reason>,
}

impl WorkerAnswer {
    /// Translates the answer of a worker.
    pub fn of(extraction: Extraction) -> Self {
        let transient = match &extraction.outcome {
            Outcome::Failed(reason) if reason.is_machine_fault() => Some(*reason),
            _ => None,
        };
        let reason = extraction.outcome.reason().into();
        let state = state_of(&extraction.outcome);
        let text = match extraction.outcome {
            Outcome::Text { text, .. } => Some(text.into_string()),
            _ => None,
        };
        Self {
            state,
            reason,
            text,
            media_type: extraction.media_type,
            reader: extraction.reader,
            parser: extraction.parser,
            warnings: extraction.warnings,
            facts: facts_of(&extraction.facts),
            members: extraction.members,
            transient,
        }
    }

    /// Marks the content as partial if its canonical text was cut, unless something worse is known.
    pub fn note_cut(&mut self, canonical: &CanonicalText) {
        if canonical.is_cut() && self.state == State::Indexed {
            (self.state, self.reason) = (State::Partial, Reason::TooLong.into());
        }
    }

    /// Marks the content as interrupted: the daemon stops before the document is made, and reads it
    /// again at the next start.
    pub(super) fn interrupt(&mut self) {
        let reason = Reason::ShuttingDown;
        (self.state, self.reason) = (State::Failed, reason.into());
        self.members.clear();
        self.transient = Some(reason);
    }

    /// Failures in a row, including this one. Failures of an older version of the reader do not
    /// count, nor do transient faults.
    pub(super) fn strikes(&self, old: Option<ContentRecord>) -> u32 {
        let same = old.filter(is_current);
        match self.state {
            State::Quarantined => MAX_FAILURES,
            state if state.is_failure() && self.transient.is_none() => {
                same.map_or(0, |old| old.strikes) + 1
            }
            _ => 0,
        }
    }

    /// The state to record: quarantined after this many failures, and too short without a document.
    pub(super) fn state_with(&self, strikes: u32, has_document: bool) -> State {
        if strikes >= MAX_FAILURES {
            return State::Quarantined;
        }
        if !self.state.has_text() || has_document {
            return self.state;
        }
        // A container with too little text of its own is still a container.
        if !self.members.is_empty() || asks_for_frames(&self.facts) {
            return State::Container;
        }
        State::TooShort
    }
}

fn state_of(outcome: &Outcome) -> State {
    match outcome {
        Outcome::Text { partial: None, .. } => State::Indexed,
        Outcome::Text { .. } => State::Partial,
        Outcome::Container(_) => State::Container,
        Outcome::NoText(_) => State::NoText,
        Outcome::Encrypted(_) => State::Encrypted,
        Outcome::Unsupported(_) => State::Unsupported,
        Outcome::TooLarge(_) => State::TooLarge,
        Outcome::Failed(_) => State::Failed,
        Outcome::TimedOut(_) => State::TimedOut,
        Outcome::Crashed(Reason::DaemonCrashed) => State::Quarantined,
        Outcome::Crashed(_) => State::Crashed,
    }
}

fn facts_of(facts: &Facts) -> Vec<(String, String)> {
    let pair = |(fact, value): (simdex_extract::Fact, &str)| (fact.code().into(), value.into());
    facts.iter().map(pair).collect()
}

/// The state of a member whose bytes its container did not yield.
pub fn state_of_unread(reason: Reason) -> State {
    match reason {
        Reason::PasswordNeeded => State::Encrypted,
        Reason::KindNotRead => State::Unsupported,
        Reason::InflateLimit | Reason::InputLimit | Reason::PartsLimit | Reason::DepthLimit => {
            State::TooLarge
        }
        _ => State::Failed,
    }
}

/// The record of a member, which is the `ordinal`th of its container.
pub(super) fn member_record(member: &Member, ordinal: usize, outcome: FileOutcome) -> FileRecord {
    let place = MemberPlace {
        role: role(member.role),
        ordinal: u32::try_from(ordinal).unwrap_or(u32::MAX),
    };
    FileRecord {
        member: Some(place),
        ..FileRecord::new(member_stat(member), outcome)
    }
}

/// The stat of a member, as its container states it.
pub(super) fn member_stat(member: &Member) -> FileStat {
    let seconds = member.modified.unwrap_or_default();
    FileStat {
        length: member.body.as_ref().map_or(0, MemberBytes::length),
        mtime: Timestamp { seconds, nanos: 0 },
        ..FileStat::default()
    }
}

fn role(found: ReadRole) -> Role {
    match found {
        ReadRole::Entry => Role::Entry,
        ReadRole::Attachment => Role::Attachment,
        ReadRole::Message => Role::Message,
        ReadRole::Embedded => Role::Embedded,
        ReadRole::Quoted => Role::Quoted,
        ReadRole::Rendered => Role::Rendered,
    }
}
