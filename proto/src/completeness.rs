//! The completeness of an answer, as JSON and in words; shared by the daemon's scan and reports and by simctl.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::text::{grouped, hex, plural};
use crate::v1;

/// Whether the index held everything that the daemon had seen: two fields of every line that closes an answer.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Completeness {
    /// Nothing is pending.
    pub complete: bool,
    /// What is pending; `None` if nothing is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pending: Option<Pending>,
    /// Number of template lines, which are left out of what is signed, compared and counted.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub template_lines: u64,
    /// The hash that identifies their list, in hexadecimal; `None` if nothing is left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub template_list: Option<String>,
}

/// Decodes hexadecimal digits.
fn bytes(digits: &str) -> Vec<u8> {
    let pairs = digits.as_bytes().chunks(2);
    let digit = |byte: &u8| char::from(*byte).to_digit(16).unwrap_or_default() as u8;
    pairs
        .map(|pair| pair.iter().fold(0, |byte, it| byte << 4 | digit(it)))
        .collect()
}

fn is_zero(count: &u64) -> bool {
    *count == 0
}

/// What keeps the index from being complete.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Pending {
    /// Changes seen but not yet applied: one for each file waiting or being read, and for each root being walked.
    pub queued: u64,
    /// Files that a machine fault kept from being read; they are retried automatically.
    #[serde(default)]
    pub retrying: u64,
    /// Documents that are not settled yet.
    pub unsettled: u64,
    /// Documents that are not settled and not waited for, since each must be compared with more than 1,024 others: they
    /// are placed when no others are waiting.
    #[serde(default)]
    pub crowded: u64,
    /// Roots that are missing, unreadable or replaced.
    pub stale_roots: u64,
    /// Roots whose loss of files awaits confirmation.
    pub held_losses: u64,
    /// Files that cannot be inspected or read, and folders that cannot be listed. What was known of them, or of what lies
    /// below them, if anything, is kept.
    #[serde(default)]
    pub unreadable: u64,
    /// Documents whose extracted text is damaged on disk, and files whose text was and that are not read again yet.
    pub damaged: u64,
    /// Files that may have been renamed while a list by path was answered: a name now holds what another name no longer
    /// does.
    #[serde(default)]
    pub moved: u64,
    /// Why changes are currently not applied; `None` if they are.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub alarm: Option<String>,
}

impl From<Pending> for Completeness {
    fn from(pending: Pending) -> Self {
        let complete = pending == Pending::default();
        Self {
            complete,
            pending: (!complete).then_some(pending),
            template_lines: 0,
            template_list: None,
        }
    }
}

impl Completeness {
    /// Documents whose text is damaged.
    pub fn damaged(&self) -> u64 {
        self.pending.as_ref().map_or(0, |pending| pending.damaged)
    }

    /// Records the number of template lines left out, and the name of their list.
    pub fn with_template_lines(self, template_lines: u64, list: Option<[u8; 32]>) -> Self {
        Self {
            template_lines,
            template_list: list.and_then(|list| hex(&list)),
            ..self
        }
    }

    /// Records that this many texts turned out to be damaged.
    pub fn with_damaged(self, damaged: u64) -> Self {
        self.with(|pending| pending.damaged = pending.damaged.max(damaged))
    }

    /// Records that this many documents, and crowded ones in addition, turned out not to be settled.
    pub fn with_unsettled(self, unsettled: u64, crowded: u64) -> Self {
        self.with(|pending| {
            pending.unsettled = pending.unsettled.max(unsettled);
            pending.crowded = pending.crowded.max(crowded);
        })
    }

    /// Records that this many files may have been renamed meanwhile.
    pub fn with_moved(self, moved: u64) -> Self {
        self.with(|pending| pending.moved = pending.moved.max(moved))
    }

    fn with(self, note: impl FnOnce(&mut Pending)) -> Self {
        let mut pending = self.pending.unwrap_or_default();
        note(&mut pending);
        Self {
            template_lines: self.template_lines,
            template_list: self.template_list,
            ..Self::from(pending)
        }
    }

    /// What all numbers leave out, in words; `None` if nothing.
    pub fn left_out(&self) -> Option<String> {
        let lines = self.template_lines;
        let verb = if lines == 1 { "is" } else { "are" };
        (lines > 0).then(|| {
            format!(
                "{} template line{} {verb} left out of what is compared",
                grouped(lines),
                plural(lines)
            )
        })
    }
}

impl Pending {
    /// Pending changes and documents that will be handled without intervention.
    pub fn passing(&self) -> u64 {
        self.queued + self.unsettled
    }

    /// Advice, in a few words.
    pub fn advice(&self) -> String {
        let roots = self.stale_roots + self.held_losses + self.unreadable > 0;
        let lasting = [
            (self.alarm.is_some(), "`simctl status` tells what is wrong"),
            (roots, "`simctl roots` names the roots"),
            (
                self.crowded > 0,
                "crowded documents are placed while the index is idle",
            ),
            (self.retrying > 0, "failed reads are retried automatically"),
            (self.damaged > 0, "`simctl sync` reads damaged texts again"),
            (self.moved > 0, "list again to include moved files"),
        ];
        let lasting = lasting.iter().filter(|(is_so, _)| *is_so);
        let mut advice: Vec<&str> = lasting.map(|(_, words)| *words).collect();
        match (self.passing() > 0, advice.is_empty()) {
            (true, true) => advice.push("`--wait` waits until it is"),
            (true, false) => advice.insert(0, "`--wait` waits only for changes and documents"),
            (false, _) => {}
        }
        advice.join(", ")
    }
}

/// `5,218 changes queued, 312 documents not settled`
impl fmt::Display for Pending {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let counts = [
            (self.queued, "change", "queued"),
            (self.retrying, "file", "to be tried again"),
            (self.unsettled, "document", "not settled"),
            (self.crowded, "document", "in crowds not settled"),
            (self.stale_roots, "root", "stale"),
            (self.held_losses, "loss", "held"),
            (self.unreadable, "path", "unreadable"),
            (self.damaged, "text", "damaged"),
            (self.moved, "file", "changed or moved meanwhile"),
        ];
        let mut first = true;
        for (count, noun, what) in counts.into_iter().filter(|(count, ..)| *count > 0) {
            let plural = match (count, noun) {
                (2.., "loss") => "es",
                _ => plural(count),
            };
            let comma = if first { "" } else { ", " };
            write!(f, "{comma}{} {noun}{plural} {what}", grouped(count))?;
            first = false;
        }
        match &self.alarm {
            Some(reason) if first => write!(f, "changes are not applied ({reason})"),
            Some(reason) => write!(f, ", changes are not applied ({reason})"),
            None => Ok(()),
        }
    }
}

impl From<&v1::Completeness> for Completeness {
    fn from(wire: &v1::Completeness) -> Self {
        let pending = wire.pending.as_ref().map(|pending| Pending {
            queued: pending.queued,
            retrying: pending.retrying,
            unsettled: pending.unsettled,
            crowded: pending.crowded,
            stale_roots: pending.stale_roots,
            held_losses: pending.held_losses,
            unreadable: pending.unreadable,
            damaged: pending.damaged,
            moved: pending.moved,
            alarm: pending.alarm.clone(),
        });
        Self {
            complete: wire.complete,
            pending,
            template_lines: wire.template_lines,
            template_list: hex(&wire.template_list),
        }
    }
}

impl From<Completeness> for v1::Completeness {
    fn from(completeness: Completeness) -> Self {
        let pending = completeness.pending.map(|pending| v1::Pending {
            queued: pending.queued,
            retrying: pending.retrying,
            unsettled: pending.unsettled,
            crowded: pending.crowded,
            stale_roots: pending.stale_roots,
            held_losses: pending.held_losses,
            unreadable: pending.unreadable,
            damaged: pending.damaged,
            moved: pending.moved,
            alarm: pending.alarm,
        });
        Self {
            complete: completeness.complete,
            pending,
            template_lines: completeness.template_lines,
            template_list: completeness
                .template_list
                .as_deref()
                .map_or_else(Vec::new, bytes),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_pending_is_said_in_one_sentence_with_a_way_out() {
        let mut pending = Pending {
            queued: 5_218,
            unsettled: 312,
            ..Pending::default()
        };
        let said = |pending: &Pending| format!("{pending}; {}", pending.advice());
        assert_eq!(
            said(&pending),
            "5,218 changes queued, 312 documents not settled; `--wait` waits until it is"
        );
        pending = Pending {
            queued: 1,
            retrying: 3,
            crowded: 2_000,
            stale_roots: 1,
            held_losses: 2,
            unreadable: 4,
            damaged: 1,
            moved: 2,
            alarm: Some("no space left".to_owned()),
            ..Pending::default()
        };
        assert_eq!(
            said(&pending),
            "1 change queued, 3 files to be tried again, 2,000 documents in crowds not settled, 1 root stale, 2 losses held, 4 paths unreadable, 1 text damaged, 2 files changed or moved meanwhile, \
             changes are not applied (no space left); \
             `--wait` waits only for changes and documents, `simctl status` tells what is wrong, \
             `simctl roots` names the roots, crowded documents are placed while the index is idle, failed reads are retried automatically, `simctl sync` reads damaged texts again, list again to include moved files"
        );
    }

    #[test]
    fn nothing_pending_is_complete_and_damage_met_on_the_way_is_not() {
        let complete = Completeness::from(Pending::default());
        assert_eq!((complete.complete, &complete.pending), (true, &None));
        let damaged = complete.with_damaged(2);
        assert_eq!((damaged.complete, damaged.damaged()), (false, 2));
        assert_eq!(damaged.clone().with_damaged(1), damaged);
        let moved = damaged.with_moved(3).pending.unwrap();
        assert_eq!((moved.damaged, moved.moved), (2, 3));
    }

    #[test]
    fn what_is_left_out_is_told_whatever_else_is_noted() {
        let left_out = |lines| {
            let whole = Completeness::from(Pending::default());
            let whole = whole.with_template_lines(lines, Some([0xa7; 32]));
            let completeness = whole.with_unsettled(1, 0).with_damaged(0);
            assert_eq!(completeness.template_list, Some("a7".repeat(32)));
            assert_eq!(
                Completeness::from(&v1::Completeness::from(completeness.clone())),
                completeness
            );
            completeness.left_out()
        };
        let said = |lines: &str| Some(format!("{lines} left out of what is compared"));
        assert_eq!(left_out(0), None);
        assert_eq!(left_out(1), said("1 template line is"));
        assert_eq!(left_out(1_200), said("1,200 template lines are"));
    }
}
