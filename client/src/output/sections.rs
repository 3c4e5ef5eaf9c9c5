//! Answers that are not lists, as text: a comparison, a calibration, a file.

use std::io::{self, Write};

use indicatif::HumanBytes;
use simdex_client::completeness::Completeness;
use simdex_client::lines::{LeftOutLines, date, hex, not_judged, relation};
use simdex_client::text::{counted, escaped, harmless, state_with_reason};
use simdex_client::wire;
use unicode_width::UnicodeWidthStr;

use crate::output::calibration::{between, verdict};
use crate::output::judging::model;
use crate::output::sampling::{false_matches, sampling_sentence, signed_anew, widths};
use crate::output::text::{UNKNOWN, class_and_probability, ending, measured, ratio, wrapped};
use crate::output::{Printer, Tabular};

/// Cells for the name of a field.
const FIELD_NAME: usize = 22;
/// Minimum number of cells per line for its value, however narrow the terminal is.
const MIN_FIELD_WIDTH: usize = 20;

/// A comparison and the paths of its sides.
pub(crate) struct ComparisonText<'a> {
    /// Path of the first side.
    pub(crate) a: &'a [u8],
    /// Path of the second side.
    pub(crate) b: &'a [u8],
    /// The daemon's answer: the numbers.
    pub(crate) reply: &'a wire::CompareReply,
    /// The difference, in the form to show.
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
        let characters = |count| format!("({count} characters)");
        let a = self.noted_path(&escaped(comparison.a), &characters(reply.chars_a));
        let b = self.noted_path(&escaped(comparison.b), &characters(reply.chars_b));
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

    /// The template lines that the comparison leaves out, with the beginning of the hash that identifies their list.
    pub(super) fn left_out(&mut self, completeness: Option<&wire::Completeness>) -> io::Result<()> {
        let completeness = completeness.map(Completeness::from).unwrap_or_default();
        let Some(list) = completeness.template_list else {
            return Ok(());
        };
        let list = list.get(..12).unwrap_or(&list);
        let lines = counted(completeness.template_lines, "template line");
        self.fields(&[("left out", format!("{lines} (list {list})"))])
    }

    /// The judgement of the pair, and its reasons.
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

    /// A recommended setting by size, then its consequences.
    pub(crate) fn calibration(
        &mut self,
        reply: &wire::CalibrateReply,
        is_of_all_roots: bool,
    ) -> io::Result<()> {
        let mut list = self.list::<wire::SizeGroup>();
        reply.groups.iter().try_for_each(|group| list.rows(group))?;
        list.end()?;
        writeln!(self)?;
        let quality = |quality: &Option<wire::SampleQuality>, pairs| {
            let quality = quality.unwrap_or_default();
            let (precision, recall) = (measured(quality.precision), measured(quality.recall));
            let (between, pairs) = (between(&quality), counted(pairs, "similar pair"));
            format!("precision {precision} (between {between}), recall {recall} ({pairs})")
        };
        self.fields(&[
            ("recommended", recommended(is_of_all_roots).to_owned()),
            ("predicted", quality(&reply.predicted, reply.pairs)),
            (
                "on other documents",
                quality(&reply.checked, reply.checked_pairs),
            ),
            ("does it hold?", verdict(reply)),
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
                    "about {} once merged, now {}",
                    HumanBytes(reply.posting_bytes),
                    stored(reply.posting_bytes_now)
                ),
            ),
            ("false matches", false_matches(reply.false_match_rate)),
        ])
    }

    /// How coarsely documents of each size are sampled, and what that means.
    pub(crate) fn sampling(&mut self, sampling: &wire::Sampling) -> io::Result<()> {
        self.fields(&[
            ("sampling", sampling_sentence(sampling)),
            ("re-signing", signed_anew(sampling)),
            (
                "shortest excerpt found",
                format!(
                    "{} bytes, with a probability of 99.9 %",
                    sampling.shortest_excerpt_bytes
                ),
            ),
            ("width of estimates", widths(sampling)),
            ("false matches", false_matches(sampling.false_match_rate)),
        ])
    }

    /// One file: its state, what was read of it, and its own metadata.
    pub(crate) fn file(&mut self, file: &wire::File) -> io::Result<()> {
        let known = |text: &str| match text {
            "" => UNKNOWN.to_owned(),
            text => text.to_owned(),
        };
        let state = state_with_reason(&file.state, &file.reason);
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
                match (date(file.last_read), &file.place) {
                    (Some(date), _) => date,
                    (None, Some(_)) => "with its container".to_owned(),
                    (None, None) => known(""),
                },
            ),
            (
                "owner",
                file.owner
                    .map_or(known(""), |owner| format!("user {owner}")),
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

    /// Lines of names and values, with values aligned.
    pub(super) fn fields(&mut self, fields: &[(&str, String)]) -> io::Result<()> {
        for (name, value) in fields {
            let mut name = *name;
            for line in wrapped(&harmless(value, |_| false), self.field_cells()) {
                writeln!(self, "{name:<FIELD_NAME$} {line}")?;
                name = "";
            }
        }
        Ok(())
    }

    /// Cells that a field's value may take in a line; unlimited if lines are not cut.
    fn field_cells(&self) -> usize {
        let max_cells = self.max_cells().unwrap_or(usize::MAX);
        max_cells
            .saturating_sub(FIELD_NAME + 1)
            .max(MIN_FIELD_WIDTH)
    }

    /// A path followed by a note; only the end of the path is shown if both do not fit.
    fn noted_path(&self, path: &str, note: &str) -> String {
        let room = self.field_cells().saturating_sub(1 + note.width());
        format!("{} {note}", ending(path, room))
    }

    /// Writes a table after a blank line, or nothing if it would be empty.
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

    /// A difference after a blank line; nothing if it is empty.
    pub(crate) fn difference(&mut self, diff: &str) -> io::Result<()> {
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

/// The number of words that differ.
fn changed_words(words: &wire::WordDifference) -> String {
    let moved = match words.blocks_moved {
        0 => String::new(),
        blocks => format!(
            ", {} moved in {}",
            words.words_moved,
            counted(blocks, "block")
        ),
    };
    let at_most = if words.cut_short { " at most" } else { "" };
    format!(
        "{} removed, {} added{moved}{at_most}; case and white space aside",
        words.words_removed, words.words_added
    )
}

fn relation_of_a(value: i32) -> String {
    match wire::Relation::try_from(value) {
        Ok(wire::Relation::Contains) => "A contains B".to_owned(),
        Ok(wire::Relation::ContainedIn) => "A is contained in B".to_owned(),
        _ => relation(value).unwrap_or(UNKNOWN).to_owned(),
    }
}

fn recommended(is_of_all_roots: bool) -> &'static str {
    match is_of_all_roots {
        true => "the n listed for each size; `simctl calibrate --apply` puts them into force",
        false => {
            "the n listed for each size of these roots; what is put into force is measured on all roots"
        }
    }
}

fn stored(bytes: u64) -> String {
    match bytes {
        0 => "none stored".to_owned(),
        bytes => HumanBytes(bytes).to_string(),
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
    let up_to = if summary.truncated {
        " up to the limit"
    } else {
        ""
    };
    let pairs = summary.pairs.map(|pairs| counted(pairs, "pair"));
    parts.extend(pairs.map(|pairs| format!("{pairs}{up_to}")));
    if summary.suppressed > 0 {
        parts.push(format!(
            "{} skipped",
            counted(summary.suppressed, "posting list")
        ));
    }
    parts.join(", ")
}
