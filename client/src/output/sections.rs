//! Answers that are not lists, as text: a comparison, the daemon's status.

use std::io::{self, Write};
use std::time::Duration;

use indicatif::{HumanBytes, HumanDuration};
use simdex_client::completeness::Completeness;
use simdex_client::lines::{LeftOutLines, date, hex, not_judged, relation};
use simdex_client::text::{counted, escaped, harmless};
use simdex_client::wire;

use crate::output::judging::model;
use crate::output::sampling::{false_matches, sampling_sentence, signed_anew};
use crate::output::text::{UNKNOWN, class_and_probability, measured, pace_sentence, ratio};
use crate::output::{Printer, Tabular};

/// A comparison and what its sides are called.
pub(crate) struct ComparisonText<'a> {
    /// Path of the first side.
    pub(crate) a: &'a [u8],
    /// Path of the second side.
    pub(crate) b: &'a [u8],
    /// What the daemon answered: the numbers.
    pub(crate) reply: &'a wire::CompareReply,
    /// The difference, in the form to be shown.
    pub(crate) difference: &'a str,
}

impl<W: Write> Printer<W> {
    /// A comparison: numbers, estimates beside them, then the difference.
    pub(crate) fn comparison(&mut self, comparison: &ComparisonText<'_>) -> io::Result<()> {
        let reply = comparison.reply;
        let shared: u64 = reply.spans.iter().map(|span| span.length).sum();
        let spans = counted(reply.spans.len() as u64, "span");
        let outside = match reply.shared_shingles_outside_spans {
            0 => String::new(),
            some => format!("; {} in none of them", counted(some, "shared shingle")),
        };
        let a = format!("{} ({} characters)", escaped(comparison.a), reply.chars_a);
        let b = format!("{} ({} characters)", escaped(comparison.b), reply.chars_b);
        let shingles = format!(
            "{} shared, {} in A, {} in B",
            reply.shared_shingles, reply.shingles_a, reply.shingles_b
        );
        self.fields(&[
            ("A", a),
            ("B", b),
            ("relation", relation_of_a(reply.relation)),
            ("resemblance", ratio(reply.resemblance)),
            ("containment of A in B", ratio(reply.containment_of_a)),
            ("containment of B in A", ratio(reply.containment_of_b)),
            ("shingles", shingles),
            (
                "shared text",
                format!("{spans}, {} of A{outside}", counted(shared, "byte")),
            ),
        ])?;
        let left_out = [
            ("left out of A", &reply.left_out_a),
            ("left out of B", &reply.left_out_b),
        ];
        for (side, lines) in left_out {
            if let Some(lines) = lines {
                self.fields(&[(side, LeftOutLines::from(lines).to_string())])?;
            }
        }
        if let Some(words) = reply.words.as_ref().filter(|words| !words.not_aligned) {
            self.fields(&[("words", changed_words(words))])?;
        }
        if let Some(judgement) = &reply.judgement {
            self.judgement(judgement)?;
        }
        if let Some(why) = not_judged(reply.not_judged) {
            self.fields(&[("judged", format!("not given: {why}"))])?;
        }
        self.section(&reply.estimates)?;
        self.difference(comparison.difference)
    }

    /// The lines that are left out of what is compared, with the beginning of what names their list.
    fn left_out(&mut self, told: Option<&wire::Completeness>) -> io::Result<()> {
        let told = told.map(Completeness::from).unwrap_or_default();
        let Some(list) = told.template_list else {
            return Ok(());
        };
        let list = list.get(..12).unwrap_or(&list);
        let lines = counted(told.template_lines, "template line");
        self.fields(&[("left out", format!("{lines} (list {list})"))])
    }

    /// What the pair is judged to be, and why.
    fn judgement(&mut self, judgement: &wire::Judgement) -> io::Result<()> {
        let rule = match judgement.rule.as_str() {
            "" => "both carry one text".to_owned(),
            rule => format!("{}: {rule}", judgement.rule_number),
        };
        let signals = judgement.signals.iter();
        let signals = signals.map(|signal| format!("{} {}", signal.name, measured(signal.value)));
        self.fields(&[
            ("judged", class_and_probability(judgement)),
            ("by rule", rule),
            ("signals", signals.collect::<Vec<_>>().join(", ")),
        ])?;
        let by = judgement.model.as_ref();
        by.map_or(Ok(()), |by| self.fields(&[("by model", model(by))]))
    }

    /// A recommended setting by size, then what it comes to.
    pub(crate) fn calibration(&mut self, reply: &wire::CalibrateReply) -> io::Result<()> {
        let mut list = self.list::<wire::SizeGroup>();
        reply.groups.iter().try_for_each(|group| list.rows(group))?;
        list.end()?;
        writeln!(self)?;
        let quality = |quality: &Option<wire::SampleQuality>, pairs| {
            let wire::SampleQuality { precision, recall } = quality.unwrap_or_default();
            let (precision, recall) = (measured(precision), measured(recall));
            let pairs = counted(pairs, "pair");
            format!("precision {precision}, recall {recall} ({pairs})")
        };
        self.fields(&[
            ("predicted", quality(&reply.predicted, reply.pairs)),
            (
                "on other documents",
                quality(&reply.checked, reply.checked_pairs),
            ),
            ("documents sampled", reply.sampled.to_string()),
            (
                "fingerprints",
                format!(
                    "about {}, now {}",
                    reply.fingerprints, reply.fingerprints_now
                ),
            ),
            (
                "postings",
                format!(
                    "about {}, now {}",
                    HumanBytes(reply.posting_bytes),
                    HumanBytes(reply.posting_bytes_now)
                ),
            ),
            ("false matches", false_matches(reply.false_match_rate)),
        ])
    }

    /// How coarsely documents of each size are sampled, and what that means.
    pub(crate) fn sampling(&mut self, sampling: &wire::Sampling) -> io::Result<()> {
        self.fields(&[
            ("sampling", sampling_sentence(sampling)),
            ("signed anew", signed_anew(sampling)),
            (
                "excerpts found",
                format!(
                    "from {} bytes on with a probability of 99.9 %",
                    sampling.shortest_excerpt_bytes
                ),
            ),
            ("false matches", false_matches(sampling.false_match_rate)),
        ])
    }

    /// One file: where it ended, what was read of it, and what it says of itself.
    pub(crate) fn file(&mut self, file: &wire::File) -> io::Result<()> {
        let known = |text: &str| match text {
            "" => UNKNOWN.to_owned(),
            text => text.to_owned(),
        };
        let state = match file.reason.as_str() {
            "" => file.state.clone(),
            reason => format!("{} ({reason})", file.state),
        };
        let number = |count: Option<u64>| count.map_or(known(""), |count| count.to_string());
        self.fields(&[
            ("path", escaped(&file.path)),
            ("state", state),
            ("kind", known(&file.media_type)),
            ("bytes", number(file.bytes)),
            ("characters", number(file.chars)),
            (
                "file modified",
                date(file.modified).unwrap_or_else(|| known("")),
            ),
            (
                "last read",
                date(file.last_read).unwrap_or_else(|| known("")),
            ),
            ("document", hex(&file.document).unwrap_or_else(|| known(""))),
            ("content", hex(&file.content).unwrap_or_else(|| known(""))),
            ("read by", known(&file.engine)),
            ("group", number(file.group)),
        ])?;
        if let Some(place) = &file.place {
            let role = format!("{}, number {}", place.role, place.ordinal + 1);
            self.fields(&[("inside", escaped(&place.container)), ("as", role)])?;
        }
        for fact in &file.facts {
            self.fields(&[(&fact.name, fact.value.clone())])?;
        }
        for warning in &file.warnings {
            self.fields(&[("remark", warning.clone())])?;
        }
        Ok(())
    }

    /// What the daemon holds and watches.
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
        let is_new = match status.new_index {
            true => " (a new index, made at this start)",
            false => "",
        };
        self.fields(&[
            ("up", HumanDuration(uptime).to_string()),
            ("data", escaped(&status.data_dir) + is_new),
            ("store", bytes(status.store_bytes)),
            ("extracted text", bytes(status.text_bytes)),
            ("threshold", ratio(status.threshold)),
            ("largest message", bytes(status.max_message_bytes)),
            ("resident memory", known_bytes(status.resident_bytes)),
            ("memory to use", known_bytes(status.memory_limit_bytes)),
            ("sandbox", status.sandbox.clone()),
            ("waiting", counted(status.queued, "change")),
            ("complete", complete(status.completeness.as_ref())),
        ])?;
        self.left_out(status.completeness.as_ref())?;
        self.paces(status)?;
        if let Some(judging) = &status.judge_model {
            self.fields(&[("judging", model(judging))])?;
        }
        if let Some(sampling) = &status.sampling {
            self.sampling(sampling)?;
        }
        if let Some(summary) = &status.summary {
            self.fields(&[("holds", summary_sentence(summary))])?;
            self.fields(&[("states", states(summary))])?;
        }
        for schedule in &status.schedules {
            let name = format!("report {}", schedule.name);
            self.fields(&[(&name, schedule_sentence(schedule))])?;
        }
        self.section(&status.memory)?;
        self.section(&status.schemes)?;
        self.section(&status.roots)
    }

    /// How fast what waits is done.
    fn paces(&mut self, status: &wire::StatusReply) -> io::Result<()> {
        for (name, what, pace) in [
            ("reading", "files", &status.reading),
            ("settling", "documents", &status.settling),
        ] {
            if let Some(pace) = pace {
                self.fields(&[(name, pace_sentence(what, pace))])?;
            }
        }
        Ok(())
    }

    /// What keeps changes from being applied.
    fn alarm(&mut self, alarm: &wire::Alarm) -> io::Result<()> {
        let what = match alarm.answering {
            true => "NOT APPLIED; answers are of what was applied before",
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

    /// Lines of a name and a value, values aligned.
    pub(super) fn fields(&mut self, fields: &[(&str, String)]) -> io::Result<()> {
        for (name, value) in fields {
            writeln!(self, "{name:<22} {}", harmless(value, |_| false))?;
        }
        Ok(())
    }

    /// A table after a blank line; nothing where it would be empty.
    pub(super) fn section<T: Tabular>(&mut self, records: &[T]) -> io::Result<()> {
        if records.is_empty() {
            return Ok(());
        }
        writeln!(self)?;
        let mut list = self.list::<T>();
        for record in records {
            list.rows(record)?;
        }
        list.end()
    }

    fn difference(&mut self, diff: &str) -> io::Result<()> {
        if diff.is_empty() {
            return Ok(());
        }
        writeln!(self)?;
        for line in diff.lines() {
            writeln!(self, "{}", harmless(line, |letter| letter == '\t'))?;
        }
        Ok(())
    }
}

/// A number of bytes, where it is known.
fn known_bytes(known: Option<u64>) -> String {
    known.map_or(UNKNOWN.to_owned(), bytes)
}

/// How many words differ.
fn changed_words(words: &wire::WordDifference) -> String {
    let moved = match words.blocks_moved {
        0 => String::new(),
        blocks => format!(
            ", {} moved in {}",
            words.words_moved,
            counted(blocks, "block")
        ),
    };
    let most = if words.cut_short { " at most" } else { "" };
    format!(
        "{} removed, {} added{moved}{most}",
        words.words_removed, words.words_added
    )
}

/// Whether the index is complete, and what is pending where it is not.
fn complete(told: Option<&wire::Completeness>) -> String {
    let told = told.map(Completeness::from);
    match told.map(|told| told.pending) {
        Some(Some(pending)) => format!("no: {pending}"),
        Some(None) => "yes".to_owned(),
        None => UNKNOWN.to_owned(),
    }
}

fn relation_of_a(value: i32) -> String {
    match wire::Relation::try_from(value) {
        Ok(wire::Relation::Contains) => "A contains B".to_owned(),
        Ok(wire::Relation::ContainedIn) => "A is contained in B".to_owned(),
        _ => relation(value).unwrap_or(UNKNOWN).to_owned(),
    }
}

/// The counts that close a list, as a sentence.
pub(crate) fn summary_sentence(summary: &wire::Summary) -> String {
    let mut parts = vec![counted(summary.files_on_disk, "file")];
    if summary.members > 0 {
        parts.push(counted(summary.members, "container member"));
    }
    parts.push(counted(summary.documents, "document"));
    parts.extend(summary.groups.map(|groups| counted(groups, "group")));
    parts.extend(summary.pairs.map(|pairs| counted(pairs, "pair")));
    if summary.suppressed > 0 {
        parts.push(format!(
            "{} skipped",
            counted(summary.suppressed, "posting list")
        ));
    }
    parts.join(", ")
}

fn states(summary: &wire::Summary) -> String {
    let mut counts: Vec<_> = summary
        .states
        .iter()
        .filter(|(_, count)| **count > 0)
        .collect();
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

/// When a schedule runs and ran, and what went wrong.
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
