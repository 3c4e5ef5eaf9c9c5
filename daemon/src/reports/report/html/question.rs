//! What a compliance question asked, with its parameters: the head of its page.
use std::io::{self, Write};
use std::os::unix::ffi::OsStrExt as _;

use simdex_proto::lines::{JsonPath, Question};
use simdex_proto::text::{plural, why_not_compared};

use crate::read_side::findings::NotCompared;
use crate::reports::report::ReportInput;
use crate::reports::report::facts::Findings;
use crate::reports::report::format::{Count, PathText, Text, counted, date};

/// Paths shown of one parameter; the manifest has all.
const PATHS_SHOWN: usize = 100;

/// Writes the parameters as a table.
pub(super) fn question(
    out: &mut dyn Write,
    input: &ReportInput<'_>,
    findings: &Findings<'_>,
    not_compared: &[NotCompared],
) -> io::Result<()> {
    let question = &findings.question;
    out.write_all(b"<h2>What was asked</h2>\n<table class=\"facts\" id=\"question\">\n")?;
    let protected = question.protected.as_deref().unwrap_or_default();
    let roots = input
        .roots
        .iter()
        .map(|root| JsonPath::new(root.as_os_str().as_bytes()));
    // What is protected is compared, and no file is found there.
    let searched: Vec<_> = roots.filter(|root| !protected.contains(root)).collect();
    let files = question.files.as_deref().unwrap_or_default();
    let remarks = FileRemarks::of(question, not_compared);
    paths(out, "Files asked about", files, |path| {
        remarks.of_file(path)
    })?;
    paths(out, "Protected folders", protected, |_| String::new())?;
    paths(out, "Folders searched", &searched, |_| String::new())?;
    if let Some(compared) = compared(findings.kind) {
        let threshold = input.threshold;
        let apart = question
            .containment
            .filter(|containment| *containment != threshold);
        let said = match apart {
            Some(containment) => {
                let share = compared
                    .trim_start_matches("resemblance, or ")
                    .trim_end_matches(',');
                format!("resemblance of {threshold} or more, or {share} of {containment} or more")
            }
            None => format!("{compared} of {threshold} or more"),
        };
        row(out, "Threshold", &said)?;
    }
    if findings.kind == "stale-versions" {
        let links = input.threshold;
        let threshold = question.containment.unwrap_or(links);
        let relation = format!(
            "versions resemble each other by {links} or more; one contains another from a share of {threshold} on"
        );
        row(out, "Thresholds", &relation)?;
    }
    if let Some(seconds) = question.older_than_seconds {
        let before = input.created.as_second().checked_sub_unsigned(seconds);
        let before = before.map_or_else(String::new, |before| {
            format!(", dated before {} UTC", date(Some(before)))
        });
        row(out, "Older than", &(age(seconds) + &before))?;
    }
    out.write_all(b"</table>\n")
}

/// What the threshold of the report is compared with; `None` if it does not decide what is found.
fn compared(kind: &str) -> Option<&'static str> {
    match kind {
        "copies-of" => Some("resemblance, or share of the file asked about,"),
        "leak" => Some("share of either text"),
        _ => None,
    }
}

/// What the page says of files asked about, beside their paths.
struct FileRemarks<'a> {
    not_indexed: Vec<&'a JsonPath>,
    not_compared: Vec<(JsonPath, &'a NotCompared)>,
}

impl<'a> FileRemarks<'a> {
    fn of(question: &'a Question, not_compared: &'a [NotCompared]) -> Self {
        let sent = question.not_indexed.iter().flatten();
        let not_compared = not_compared.iter();
        Self {
            not_indexed: sent.map(|file| &file.path).collect(),
            not_compared: not_compared
                .map(|file| (JsonPath::new(&file.path), file))
                .collect(),
        }
    }

    /// HTML that follows the path of a file.
    fn of_file(&self, path: &JsonPath) -> String {
        let mut said = String::new();
        if self.not_indexed.contains(&path) {
            said.push_str(" <span class=\"tag\">not indexed</span>");
        }
        let mut not_compared = self.not_compared.iter();
        if let Some((_, file)) = not_compared.find(|(other, _)| other == path) {
            let why = why_not_compared(file.state, file.reason.as_str());
            let why = Text(&why);
            said.push_str(&format!(
                " <span class=\"soft\">text not compared: {why}</span>"
            ));
        }
        said
    }
}

/// Writes a row for each path and the HTML that follows it; only the first one has a name.
fn paths(
    out: &mut dyn Write,
    name: &str,
    paths: &[JsonPath],
    after: impl Fn(&JsonPath) -> String,
) -> io::Result<()> {
    for (index, path) in paths.iter().take(PATHS_SHOWN).enumerate() {
        let name = if index == 0 { name } else { "" };
        let shown = PathText(path.path.as_bytes());
        row(out, name, &format!("{shown}{}", after(path)))?;
    }
    match paths.len().saturating_sub(PATHS_SHOWN) {
        0 => Ok(()),
        more => {
            let manifest = "<a href=\"manifest.json\">manifest.json</a>";
            let more = counted(more, "more path");
            row(out, "", &format!("\u{2026} {more}, see {manifest}"))
        }
    }
}

/// Writes a row of which the value is HTML.
fn row(out: &mut dyn Write, name: &str, value: &str) -> io::Result<()> {
    writeln!(
        out,
        "<tr><th scope=\"row\">{name}</th><td>{value}</td></tr>"
    )
}

/// An age in the largest unit that divides it.
fn age(seconds: u64) -> String {
    let units = [(86_400, "day"), (3_600, "hour"), (60, "minute")];
    let whole = units
        .into_iter()
        .find(|(unit, _)| seconds > 0 && seconds.is_multiple_of(*unit));
    let (unit, name) = whole.unwrap_or((1, "second"));
    let count = seconds / unit;
    format!("{} {name}{}", Count(count), plural(count))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_age_is_told_in_its_largest_whole_unit() {
        let told = [43_200, 86_400, 172_800, 90, 60, 1, 0].map(age);
        let right = [
            "12 hours",
            "1 day",
            "2 days",
            "90 seconds",
            "1 minute",
            "1 second",
            "0 seconds",
        ];
        assert_eq!(told, right);
    }

    #[test]
    fn of_many_paths_the_first_are_shown_and_the_others_counted() {
        let many: Vec<_> = (0..102)
            .map(|n| JsonPath::new(format!("/<b>{n}").as_bytes()))
            .collect();
        let mut html = Vec::new();
        paths(&mut html, "Files asked about", &many, |_| String::new()).unwrap();
        let html = String::from_utf8(html).unwrap();
        assert_eq!(html.matches("<tr>").count(), PATHS_SHOWN + 1);
        assert_eq!(html.matches("Files asked about").count(), 1);
        assert!(html.contains("/&lt;b&gt;99<") && !html.contains("/&lt;b&gt;100<"));
        assert!(html.contains("2 more paths, see"), "{html}");
    }
}
