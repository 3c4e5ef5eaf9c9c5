//! The daemon's status as text.

use std::collections::HashMap;
use std::io::{self, Write};
use std::time::Duration;

use indicatif::{HumanBytes, HumanDuration};
use simdex_client::completeness::Completeness;
use simdex_client::lines::date;
use simdex_client::text::{counted, escaped, harmless};
use simdex_client::wire;

use crate::output::judging::model;
use crate::output::text::{UNKNOWN, pace_sentence, ratio};
use crate::output::{Printer, summary_sentence};

impl<W: Write> Printer<W> {
    /// Prints what the daemon holds and watches.
    pub(crate) fn status(&mut self, status: &wire::StatusReply) -> io::Result<()> {
        let uptime = Duration::try_from_secs_f64(status.uptime_seconds).unwrap_or_default();
        let bytes = |count| HumanBytes(count).to_string();
        let version = format!(
            "simdexd {}, stored format {}",
            status.version, status.format
        );
        self.fields(&[("daemon", version)])?;
        if let Some(alarm) = &status.alarm {
            self.alarm(alarm)?;
        }
        if status.alarm.as_ref().is_some_and(|alarm| !alarm.answering) {
            // Nothing more is known while there is no index.
            return Ok(());
        }
        self.fields(&[
            ("up", HumanDuration(uptime).to_string()),
            ("data", data_dir(status)),
            ("store", bytes(status.store_bytes)),
            ("extracted text", bytes(status.text_bytes)),
            ("threshold", ratio(status.threshold)),
            ("largest message", bytes(status.max_message_bytes)),
            ("resident memory", known_bytes(status.resident_bytes)),
            ("memory budget", known_bytes(status.memory_limit_bytes)),
            ("sandbox", status.sandbox.clone()),
            ("waiting", counted(status.queued, "change")),
            ("complete", complete(status.completeness.as_ref())),
        ])?;
        self.left_out(status.completeness.as_ref())?;
        self.paces(status)?;
        if let Some(judging) = &status.judge_model {
            self.fields(&[("judging", model(judging))])?;
        }
        if !status.judge_model_fallback.is_empty() {
            let way_out = "train again, or `simctl judge train --reset` removes it";
            let said = format!("{}; {way_out}", status.judge_model_fallback);
            self.fields(&[("trained model", said)])?;
        }
        if let Some(sampling) = &status.sampling {
            self.sampling(sampling)?;
        }
        if let Some(summary) = &status.summary {
            self.holdings(summary)?;
        }
        for schedule in &status.schedules {
            let name = format!("report {}", schedule.name);
            self.fields(&[(&name, schedule_sentence(schedule))])?;
        }
        self.section(&status.memory)?;
        self.section(&status.schemes)?;
        self.section(&status.roots)
    }

    /// What the index holds, and the states of its files.
    fn holdings(&mut self, summary: &wire::Summary) -> io::Result<()> {
        self.fields(&[("holds", summary_sentence(summary))])?;
        self.fields(&[("states", states(&summary.states))])?;
        if summary.members > 0 {
            self.fields(&[("member states", states(&summary.member_states))])?;
        }
        Ok(())
    }

    /// The speed of pending work.
    fn paces(&mut self, status: &wire::StatusReply) -> io::Result<()> {
        for (name, what, pace) in [
            ("reading", "files", &status.reading),
            ("settling", "documents", &status.settling),
        ] {
            if let Some(pace) = pace {
                self.fields(&[(name, pace_sentence(what, pace))])?;
            }
        }
        if let Some(seconds) = status.merging_seconds {
            let merging =
                format!("postings into the store, for {seconds:.0} s; changes wait for it");
            self.fields(&[("merging", merging)])?;
        }
        Ok(())
    }

    /// Prints why changes are currently not applied.
    fn alarm(&mut self, alarm: &wire::Alarm) -> io::Result<()> {
        let what = match alarm.answering {
            true => "NOT APPLIED; answers show what was applied before",
            false => "NOT APPLIED; the index is being opened again and answers nothing",
        };
        let known = |at| date(at).unwrap_or_else(|| UNKNOWN.to_owned());
        self.fields(&[
            ("changes", what.to_owned()),
            ("because", alarm.reason.clone()),
            ("since", known(Some(alarm.since))),
            ("tried again", known(alarm.next_attempt)),
        ])
    }
}

/// A number of bytes, if known.
fn known_bytes(known: Option<u64>) -> String {
    known.map_or(UNKNOWN.to_owned(), |count| HumanBytes(count).to_string())
}

/// Whether the index is complete, and what is pending if not.
fn complete(completeness: Option<&wire::Completeness>) -> String {
    let completeness = completeness.map(Completeness::from);
    match completeness.map(|completeness| completeness.pending) {
        Some(Some(pending)) => format!("no: {pending}"),
        Some(None) => "yes".to_owned(),
        None => UNKNOWN.to_owned(),
    }
}

fn states(counts: &HashMap<String, u64>) -> String {
    let mut counts: Vec<_> = counts.iter().filter(|(_, count)| **count > 0).collect();
    counts.sort();
    let parts: Vec<_> = counts
        .iter()
        .map(|(state, count)| format!("{count} {state}"))
        .collect();
    if parts.is_empty() {
        UNKNOWN.to_owned()
    } else {
        parts.join(", ")
    }
}

/// When a schedule runs and last ran, and its errors.
fn schedule_sentence(schedule: &wire::Schedule) -> String {
    let known = |at| date(at).unwrap_or_else(|| UNKNOWN.to_owned());
    let last = match schedule.last {
        None => "none yet".to_owned(),
        last => known(last),
    };
    let trouble = match schedule.error.as_str() {
        "" => String::new(),
        error => format!("; FAILED: {error}"),
    };
    format!("next {}, last {last}{trouble}", known(schedule.next))
}

/// The data directory, and whether its index is new: then it may be another than was meant.
fn data_dir(status: &wire::StatusReply) -> String {
    let (at, of_config) = (escaped(&status.data_dir), escaped(&status.index_of_config));
    match (status.new_index, of_config.is_empty()) {
        (false, _) if !status.set_aside.is_empty() => {
            let aside = escaped(&status.set_aside);
            format!(
                "{at} (an index that was found damaged is in {aside}, until somebody removes it)"
            )
        }
        _ if !status.set_aside.is_empty() => {
            let (aside, damage) = (
                escaped(&status.set_aside),
                harmless(&status.damage, |_| false),
            );
            format!(
                "{at} (begun again: the index was damaged, {damage}, and is in {aside}; not all roots were read since)"
            )
        }
        (true, false) => format!("{at} (a new index; the config names an index in {of_config})"),
        (true, true) => format!("{at} (a new index, made at this start)"),
        (false, _) => at,
    }
}
