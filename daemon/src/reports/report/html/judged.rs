//! Judgements of files on the page: beside the numbers, never in place of them.
use std::io::{self, Write};

use simdex_judge::{Doubt, Judgement};
use simdex_proto::text::plural;

use crate::read_side::judging_outcome::JudgingOutcome;
use crate::reports::report::format::{Count, Text, share};
use crate::reports::report::judged::{JudgedGroup, JudgedTotals};
use crate::reports::report::page_plan::PagePlan;

/// Explains the column.
pub(super) const TERMS: &str = "<p class=\"soft\"><b>Judged</b> is what many signals together say of a file and the \
    principal: the same document, a version of it, only the same template, or unrelated. With it stands the share of the \
    pairs that its rule judged so in training, of several rules their mean where a signal cannot be told; for a version \
    that of the same or a version. On documents of other makers judgements were right less often. They change nothing of \
    what is found.</p>\n";

/// The cell for a file; empty for the principal.
pub(super) fn cell(out: &mut dyn Write, judged: Option<&JudgingOutcome>) -> io::Result<()> {
    out.write_all(b"<td data-is=\"Judged\">")?;
    match judged {
        None => {}
        Some(JudgingOutcome::Judged(judgement)) => judgement_of(out, judgement)?,
        Some(JudgingOutcome::Withheld(doubt)) => write!(out, "no judgement: {}", reason(*doubt))?,
        Some(JudgingOutcome::NoText) => out.write_all(b"not judged: text not kept")?,
        Some(JudgingOutcome::BeyondFirst) => out.write_all(b"not judged")?,
        Some(JudgingOutcome::TimeOver) => out.write_all(b"not judged: no time left")?,
    }
    out.write_all(b"</td>")
}

fn reason(doubt: Doubt) -> &'static str {
    match doubt {
        Doubt::Contradicted => "it contradicts the counts",
        Doubt::Divided => "the evidence is divided",
        Doubt::NumbersDiffer => "numbers differ",
        Doubt::Quoting => "quoted lines were left out",
        Doubt::Unsure => "no class is likely enough",
    }
}

fn judgement_of(out: &mut dyn Write, judgement: &Judgement) -> io::Result<()> {
    let (class, probability) = (judgement.class.name(), share(Some(judgement.probability)));
    let Some(rule) = &judgement.rule else {
        return write!(out, "{class} {probability}");
    };
    let (number, rule) = (rule.number, rule.to_string());
    write!(
        out,
        "<details class=\"why\"><summary>{class} {probability}</summary>rule {number}: {}",
        Text(&rule)
    )?;
    for (at, (signal, value)) in judgement.signals.iter().enumerate() {
        let before = if at == 0 { "<br>signals: " } else { ", " };
        let value = value.map_or_else(|| "says nothing".to_owned(), |value| share(Some(value)));
        write!(out, "{before}{} {value}", signal.name())?;
    }
    out.write_all(b"</details>")
}

/// A note, if the judgement separates files of a group from its principal.
pub(super) fn apart(out: &mut dyn Write, judged: &JudgedGroup<'_>) -> io::Result<()> {
    match judged.apart.verdict() {
        Some(true) => out.write_all(b"<p class=\"apart\">Some of these files are judged neither the same as the principal nor versions of it.</p>\n"),
        Some(false) => Ok(()),
        None => out.write_all(b"<p class=\"soft\">Not every file of this group was judged.</p>\n"),
    }
}

/// The results of judging, with links to the groups whose files it separates.
pub(in crate::reports::report) fn groups_apart(
    out: &mut dyn Write,
    totals: &JudgedTotals,
    plan: &PagePlan,
) -> io::Result<()> {
    let groups = (Count(totals.apart), plural(totals.apart));
    write!(
        out,
        "<p id=\"apart\">{} group{} with files that are judged no versions of the principal",
        groups.0, groups.1
    )?;
    let linked = totals.first_apart.iter();
    for (at, (place, id)) in linked.enumerate() {
        let before = if at == 0 { ": " } else { ", " };
        match *place < super::GROUPS_SHOWN {
            true => write!(
                out,
                "{before}<a href=\"{}\">{id}</a>",
                plan.link(*place, *id)
            )?,
            false => write!(out, "{before}{id}")?,
        }
    }
    if totals.apart > totals.first_apart.len() as u64 {
        out.write_all(b", \xe2\x80\xa6 (<a href=\"groups.jsonl\">groups.jsonl</a> has all)")?;
    }
    out.write_all(b".</p>\n")?;
    match totals.unjudged {
        0 => Ok(()),
        left => writeln!(
            out,
            "<p class=\"warning\">{} file{} not judged in the time allowed.</p>",
            Count(left),
            plural(left)
        ),
    }
}
