//! The plots at the head of the page, as SVG: sizes of groups, resemblance of their files, states by kind.
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::io::{self, Write};

use super::states::Participation;
use crate::reports::report::ReportGroup;
use crate::reports::report::facts::StatesByKind;
use crate::reports::report::format::{Count, Text};
use simdex_schema::DocumentHash;

/// Widest bar, in units of the drawing.
const WIDEST: f64 = 170.0;
/// Where bars begin: labels are to the left.
const LEFT: f64 = 120.0;
/// Height of a row.
const ROW: usize = 18;
/// Width of a drawing.
const WIDTH: f64 = 350.0;
/// Between a label and its bar.
const GAP: f64 = 6.0;
/// Kinds shown; all others are one row.
const KINDS_SHOWN: usize = 10;

/// Height of a bar.
const BAR: f64 = 12.0;

/// A row of a plot: its label, and its parts; those of a plot of states have one.
struct Row {
    label: String,
    parts: Vec<(Option<Participation>, u64)>,
}

impl Row {
    fn new(label: String, count: u64) -> Self {
        let parts = vec![(None, count)];
        Self { label, parts }
    }

    fn sum(&self) -> u64 {
        self.parts.iter().map(|(_, count)| count).sum()
    }
}

/// Writes the plots that are not empty; without a threshold there are no resemblances to plot.
pub(super) fn charts(
    out: &mut dyn Write,
    groups: &[&ReportGroup],
    threshold: Option<f64>,
    kinds: &StatesByKind,
) -> io::Result<()> {
    out.write_all(b"<div class=\"charts\">\n")?;
    plot(out, "Groups by number of files", &group_sizes(groups))?;
    if let Some(threshold) = threshold {
        let resemblances = resemblances(groups, threshold);
        plot(
            out,
            "Files by resemblance to their principal",
            &resemblances,
        )?;
    }
    states_by_kind(out, kinds)?;
    out.write_all(b"</div>\n")
}

/// The plot of states by kind.
pub(super) fn states_by_kind(out: &mut dyn Write, kinds: &StatesByKind) -> io::Result<()> {
    let what = "Files by kind: compared (filled), opened (half as high), not compared (outlined)";
    plot(out, what, &kind_rows(kinds))
}

/// Sizes in steps of two to a power: 2, 3 to 4, 5 to 8.
fn group_sizes(groups: &[&ReportGroup]) -> Vec<Row> {
    let mut sizes: BTreeMap<u32, u64> = BTreeMap::new();
    for group in groups {
        let size = group.members.len().max(2) as u64;
        *sizes.entry(size.next_power_of_two().ilog2()).or_default() += 1;
    }
    let label = |power: u32| match power {
        0 | 1 => "2".to_owned(),
        _ => format!("{} to {}", Count((1 << (power - 1)) + 1), Count(1 << power)),
    };
    let rows = sizes.into_iter();
    rows.map(|(power, count)| Row::new(label(power), count))
        .collect()
}

/// Members other than the principal, in steps of 0.05.
fn resemblances(groups: &[&ReportGroup], threshold: f64) -> Vec<Row> {
    let (mut same, mut unknown) = (0, 0);
    let mut steps: BTreeMap<u32, u64> = BTreeMap::new();
    for group in groups {
        let principal = principal_of(group);
        for member in group.members.iter().filter(|it| it.path != group.principal) {
            match member.resemblance {
                _ if Some(&member.document) == principal => same += 1,
                None => unknown += 1,
                // The step below 1 contains files that are similar but not of the same text.
                Some(value) => *steps.entry(step_of(value)).or_default() += 1,
            }
        }
    }
    let mut rows = vec![Row::new("same text".to_owned(), same)];
    let lowest = step_of(threshold).min(steps.keys().next().copied().unwrap_or(19));
    rows.extend((lowest..20).rev().map(|step| {
        let label = format!("{:.2} to {:.2}", low_of(step), low_of(step + 1));
        Row::new(label, steps.get(&step).copied().unwrap_or(0))
    }));
    if unknown > 0 {
        rows.push(Row::new("not measured".to_owned(), unknown));
    }
    match rows.iter().any(|row| row.sum() > 0) {
        true => rows,
        false => Vec::new(),
    }
}

fn principal_of(group: &ReportGroup) -> Option<&DocumentHash> {
    let mut members = group.members.iter();
    let principal = members.find(|member| member.path == group.principal);
    principal.map(|member| &member.document)
}

/// The step of 0.05 that a ratio falls into, at most the last.
fn step_of(value: f64) -> u32 {
    // As a binary number 0.85 is slightly less: it belongs to the step that begins with it.
    ((value * 20.0 + 1e-9).max(0.0) as u32).min(19)
}

fn low_of(step: u32) -> f64 {
    f64::from(step) / 20.0
}

fn kind_rows(kinds: &StatesByKind) -> Vec<Row> {
    let mut sorted: Vec<_> = kinds.iter().collect();
    sorted.sort_by_key(|(kind, states)| (std::cmp::Reverse(states.values().sum::<u64>()), *kind));
    let split = sorted.len().min(KINDS_SHOWN);
    let (shown, others) = sorted.split_at(split);
    let mut rows: Vec<_> = shown
        .iter()
        .map(|(kind, states)| kind_row(kind, states.iter()))
        .collect();
    if !others.is_empty() {
        let all = others.iter().flat_map(|(_, states)| states.iter());
        rows.push(kind_row("other kinds", all));
    }
    rows
}

fn kind_row<'a>(kind: &str, states: impl Iterator<Item = (&'a &'static str, &'a u64)>) -> Row {
    let mut sums = [
        Participation::Compared,
        Participation::Opened,
        Participation::NotCompared,
    ]
    .map(|it| (it, 0));
    for (state, count) in states {
        let participation = super::states::state(state).participation;
        for (_, sum) in sums.iter_mut().filter(|(of, _)| *of == participation) {
            *sum += count;
        }
    }
    let label = match kind {
        "" => "kind unknown",
        // The common prefix of all office formats says nothing.
        kind => kind
            .rsplit(['/', '.'])
            .next()
            .filter(|last| !last.is_empty())
            .unwrap_or(kind),
    };
    Row {
        label: label.to_owned(),
        parts: sums.map(|(of, sum)| (Some(of), sum)).to_vec(),
    }
}

fn plot(out: &mut dyn Write, what: &str, rows: &[Row]) -> io::Result<()> {
    let highest = rows.iter().map(Row::sum).max().unwrap_or(0);
    if highest == 0 {
        return Ok(());
    }
    let height = rows.len() * ROW + 4;
    writeln!(
        out,
        "<figure><figcaption>{what}</figcaption>\n<svg viewBox=\"0 0 {WIDTH} {height}\" role=\"img\" aria-label=\"{what}: {}\">",
        spoken(rows)
    )?;
    for (index, row) in rows.iter().enumerate() {
        bar(out, row, index * ROW, highest)?;
    }
    out.write_all(b"</svg></figure>\n")
}

/// The rows as a sentence, for screen readers.
fn spoken(rows: &[Row]) -> String {
    let said = rows
        .iter()
        .filter(|row| row.sum() > 0)
        .map(|row| format!("{} {}{}", Text(&row.label), Count(row.sum()), parts(row)));
    said.collect::<Vec<_>>().join(", ")
}

/// How many files of a row are in which state.
fn parts(row: &Row) -> String {
    let named = row.parts.iter().filter(|(_, count)| *count > 0);
    let named =
        named.filter_map(|(of, count)| Some(format!("{} {}", Count(*count), (*of)?.name())));
    match named.collect::<Vec<_>>() {
        named if named.is_empty() => String::new(),
        named => format!(" ({})", named.join("; ")),
    }
}

fn bar(out: &mut dyn Write, row: &Row, top: usize, highest: u64) -> io::Result<()> {
    let before = LEFT - GAP;
    let label = fitting(&row.label, before);
    let (label, middle) = (Text(&label), top + 13);
    writeln!(
        out,
        "<text class=\"axis\" x=\"{before}\" y=\"{middle}\" text-anchor=\"end\">{label}</text>"
    )?;
    let mut x = LEFT;
    for (of, count) in row.parts.iter().filter(|(_, count)| *count > 0) {
        let width = (*count as f64 / highest as f64 * WIDEST).max(0.5);
        part(out, *of, [x, top as f64 + 3.0, width])?;
        x += width;
    }
    let (x, count) = (x + 5.0, Count(row.sum()));
    writeln!(out, "<text x=\"{x:.1}\" y=\"{middle}\">{count}</text>")
}

/// A label, cut with an ellipsis if it may be wider than `width`.
fn fitting(label: &str, width: f64) -> Cow<'_, str> {
    let widths = label.chars().map(widest);
    if widths.clone().sum::<f64>() <= width {
        return label.into();
    }
    let mut room = width - widest('\u{2026}');
    let fits = |&(width, _): &(f64, char)| {
        room -= width;
        room >= 0.0
    };
    let kept = widths.zip(label.chars()).take_while(fits);
    let kept: String = kept.map(|(_, letter)| letter).collect();
    format!("{kept}\u{2026}").into()
}

/// The width of a letter of 11 units in the widest of the usual fonts, DejaVu Sans, rounded up.
fn widest(letter: char) -> f64 {
    match letter {
        'i' | 'j' | 'l' | 'f' | 't' | 'r' | ' ' | '.' | ',' | '-' | '(' | ')' => 4.6,
        'm' | 'w' | 'A'..='Z' | '%' | '+' | '=' | '_' => 11.0,
        ' '..='~' => 7.1,
        _ => 12.0,
    }
}

/// A part of a bar. States differ in shape, not by colour alone: see the title of their plot.
fn part(out: &mut dyn Write, of: Option<Participation>, [x, y, width]: [f64; 3]) -> io::Result<()> {
    let class = of.map_or("", Participation::css_class);
    // The line of an outline is within the bar.
    let [inset, height] = match of {
        Some(Participation::Opened) => [0.0, BAR / 2.0],
        Some(Participation::NotCompared) => [0.75_f64.min(width / 4.0), BAR - 1.5],
        _ => [0.0, BAR],
    };
    let (x, y, width) = (x + inset, y + (BAR - height) / 2.0, width - 2.0 * inset);
    writeln!(
        out,
        "<rect class=\"{class}\" x=\"{x:.1}\" y=\"{y:.1}\" width=\"{width:.1}\" height=\"{height:.1}\"/>"
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::reports::report::tests::{contract_group, plain_member};

    fn labels(rows: &[Row]) -> Vec<(&str, u64)> {
        rows.iter()
            .map(|row| (row.label.as_str(), row.sum()))
            .collect()
    }

    #[test]
    fn sizes_are_counted_in_steps_of_two_to_a_power() {
        let groups = [2, 2, 3, 4, 5, 1_024].map(|files| ReportGroup {
            members: vec![plain_member(); files],
            ..contract_group()
        });
        let rows = group_sizes(&groups.iter().collect::<Vec<_>>());
        let wanted = [("2", 2), ("3 to 4", 2), ("5 to 8", 1), ("513 to 1,024", 1)];
        assert_eq!(labels(&rows), wanted);
    }

    #[test]
    fn every_file_but_the_principal_is_in_one_step_of_resemblance() {
        let group = contract_group();
        let rows = resemblances(&[&group], 0.8);
        let wanted = [
            ("same text", 1),
            ("0.95 to 1.00", 0),
            ("0.90 to 0.95", 0),
            ("0.85 to 0.90", 2),
            ("0.80 to 0.85", 0),
        ];
        assert_eq!(labels(&rows), wanted);
        assert_eq!(
            [0.0, 0.85, 0.9, 0.9999, 1.0].map(step_of),
            [0, 17, 18, 19, 19]
        );
    }

    #[test]
    fn a_label_that_may_be_too_wide_is_cut() {
        let fits = |label| fitting(label, LEFT - GAP).into_owned();
        for label in [
            "same text",
            "0.95 to 1.00",
            "513 to 1,024",
            "not measured",
            "kind unknown",
        ] {
            assert_eq!(fits(label), label);
        }
        assert_eq!(fits("tab-separated-values"), "tab-separated-va\u{2026}");
        assert_eq!(fits("wwwwwwwwwwww"), "wwwwwwwww\u{2026}");
    }

    #[test]
    fn states_differ_in_shape_and_are_spoken() {
        let states = BTreeMap::from([("indexed", 3), ("container", 2), ("failed", 1)]);
        let kinds = StatesByKind::from([("text/plain".to_owned(), states)]);
        let mut page = Vec::new();
        states_by_kind(&mut page, &kinds).unwrap();
        let page = String::from_utf8(page).unwrap();
        assert!(
            page.contains("plain 6 (3 compared; 2 opened; 1 not compared)"),
            "{page}"
        );
        for shape in ["class=\"yes\"", "class=\"half\"", "class=\"no\""] {
            let bar = page.lines().find(|line| line.contains(shape)).unwrap();
            let height = bar.split("height=").nth(1).unwrap();
            let right = match shape {
                "class=\"yes\"" => "\"12.0\"/>",
                "class=\"half\"" => "\"6.0\"/>",
                _ => "\"10.5\"/>",
            };
            assert_eq!(height, right);
        }
        assert!(include_str!("style.css").contains("rect.no{fill:none;stroke:var(--no)"));
    }

    #[test]
    fn kinds_are_named_short_and_the_rest_are_one_row() {
        let states = BTreeMap::from([("indexed", 3), ("failed", 1)]);
        let kinds: StatesByKind = (0..12)
            .map(|n| {
                (
                    format!("application/vnd.example.kind{n:02}"),
                    states.clone(),
                )
            })
            .collect();
        let rows = kind_rows(&kinds);
        assert_eq!(rows.len(), KINDS_SHOWN + 1);
        assert_eq!(rows[0].label, "kind00");
        let counts: Vec<u64> = rows[0].parts.iter().map(|(_, count)| *count).collect();
        assert_eq!(counts, [3, 0, 1]);
        assert_eq!(parts(&rows[0]), " (3 compared; 1 not compared)");
        assert_eq!(
            (rows[10].label.as_str(), rows[10].sum()),
            ("other kinds", 8)
        );
    }
}
