//! The top of the page: what was reported, when and how; what was read; an overview of the groups.
use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, Write};
use std::os::unix::ffi::OsStrExt as _;

use simdex_proto::lines::{Scheme, SchemeInUse, hex};

use super::clusters::{self, Words};
use super::list::{SCRIPT_HASH, list};
use super::states::{Participation, state};
use super::{charts, incomplete, page_links};
use crate::encode;
use crate::read_side::lists::ListSummary;
use crate::reports::report::facts::StatesByKind;
use crate::reports::report::format::{Count, PathText, Text, minute};
use crate::reports::report::page_plan::PagePlan;
use crate::reports::report::{ClusterTerms, ReportGroup, ReportInput, RequestedFiles};

/// Forbids loading anything, and running anything but the script with this hash.
const START: &str = r#"<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-HASH'; base-uri 'none'; form-action 'none'">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
"#;

/// Starts the page; `groups` are in the order of the report.
pub(in crate::reports::report) fn head(
    out: &mut dyn Write,
    input: &ReportInput<'_>,
    groups: &[&ReportGroup],
    plan: &PagePlan,
    kinds: &StatesByKind,
) -> io::Result<()> {
    let words = Words::of(input);
    opening(out, input, words.title)?;
    figures(out, &input.summary)?;
    let threshold = input.clusters.is_none().then_some(input.threshold);
    charts::charts(out, groups, threshold, kinds)?;
    parameters(out, input, &words)?;
    reading(out, &input.summary)?;
    list(out, groups, plan, &words)?;
    page_links(out, 0, plan.pages())
}

/// Starts a page after the first, counted from 0.
pub(in crate::reports::report) fn later_head(
    out: &mut dyn Write,
    input: &ReportInput<'_>,
    page: usize,
    pages: usize,
) -> io::Result<()> {
    opening(
        out,
        input,
        &format!("{}, page {}", Words::of(input).title, page + 1),
    )?;
    page_links(out, page, pages)
}

/// The page from its beginning to the notes on completeness.
pub(super) fn opening(out: &mut dyn Write, input: &ReportInput<'_>, title: &str) -> io::Result<()> {
    out.write_all(START.replace("HASH", SCRIPT_HASH).as_bytes())?;
    writeln!(out, "<title>{title}</title>\n<style>")?;
    out.write_all(include_bytes!("style.css"))?;
    writeln!(
        out,
        "</style>\n</head>\n<body>\n<a class=\"skip\" href=\"#content\">Skip to the report</a>\n<main id=\"content\">\n<h1>{title}</h1>"
    )?;
    let (created, version) = (minute(input.created), Text(input.version));
    writeln!(
        out,
        "<p class=\"soft\">{created} UTC · Simdex {version}</p>"
    )?;
    if let Some(left_out) = input.summary.completeness.left_out() {
        writeln!(out, "<p class=\"soft\">{}.</p>", Text(&left_out))?;
    }
    incomplete(out, &input.summary.completeness, &input.stale_roots)
}

fn figures(out: &mut dyn Write, summary: &ListSummary) -> io::Result<()> {
    let figures = [
        (
            Some(summary.counts.files_on_disk),
            ["file on disk", "files on disk"],
        ),
        (
            Some(summary.counts.container_members),
            ["file inside containers", "files inside containers"],
        ),
        (
            Some(summary.counts.documents),
            ["different text", "different texts"],
        ),
        (summary.groups, ["group", "groups"]),
    ];
    out.write_all(b"<ul class=\"figures\">\n")?;
    let known = figures
        .into_iter()
        .filter_map(|(count, what)| Some((count?, what)));
    for (count, [one, more]) in known {
        let what = if count == 1 { one } else { more };
        writeln!(out, "<li><b>{}</b>{what}</li>", Count(count))?;
    }
    out.write_all(b"</ul>\n")
}

/// How documents are signed.
fn scheme_words(SchemeInUse { scheme, n_most }: &SchemeInUse) -> String {
    let Scheme {
        name,
        n,
        window,
        unit,
        canonical,
    } = scheme;
    let sampled = match (n, n_most) {
        (_, ..=1) => "every shingle".to_owned(),
        (n, max_n) if n == max_n => format!("one shingle in {max_n}"),
        (n, max_n) => format!("one shingle in {n} to {max_n}"),
    };
    format!("{name}, {sampled}, windows of {window} {unit}, canonical text {canonical}")
}

fn parameters(out: &mut dyn Write, input: &ReportInput<'_>, words: &Words) -> io::Result<()> {
    out.write_all(b"<h2>What was compared, and how</h2>\n<table class=\"facts\">\n")?;
    for (index, root) in input.roots.iter().enumerate() {
        let name = if index == 0 { "Folders" } else { "" };
        let root = PathText(root.as_os_str().as_bytes());
        writeln!(out, "<tr><th scope=\"row\">{name}</th><td>{root}</td></tr>")?;
    }
    input
        .requested_files
        .as_ref()
        .map_or(Ok(()), |it| requested_files(out, it))?;
    if !matches!(input.clusters, Some(ClusterTerms::Cores { .. })) {
        let threshold = input.threshold;
        writeln!(
            out,
            "<tr><th scope=\"row\">Threshold</th><td>resemblance of {threshold} or more</td></tr>"
        )?;
    }
    clusters::parameters(out, input)?;
    // Cores are found by images of a fixed length, and no list is skipped for them.
    if !matches!(input.clusters, Some(ClusterTerms::Cores { .. })) {
        found_by(out, input)?;
    }
    if let Some(promise) = &input.summary.promise {
        let promise = promise.sentence(input.summary.completeness.complete);
        writeln!(
            out,
            "<tr><th scope=\"row\">Promise</th><td>{}</td></tr>",
            Text(&promise)
        )?;
    }
    let Some(model) = &input.judge else {
        out.write_all(b"</table>\n")?;
        return out.write_all(words.terms.as_bytes());
    };
    let judged = encode::model(model);
    let hash = hex(&judged.hash).unwrap_or_default();
    let name = Text(&judged.name);
    writeln!(
        out,
        "<tr><th scope=\"row\">Judged by</th><td>{name} <span class=\"path\">{hash}</span></td></tr>\n</table>"
    )?;
    out.write_all(clusters::TERMS.as_bytes())?;
    out.write_all(super::judged::TERMS.as_bytes())
}

/// The scheme that near-duplicates were found by.
fn found_by(out: &mut dyn Write, input: &ReportInput<'_>) -> io::Result<()> {
    let scheme = scheme_words(&input.scheme);
    let skipped = skipped_lists_words(input.summary.common_lists_skipped);
    writeln!(
        out,
        "<tr><th scope=\"row\">Scheme</th><td>{}</td></tr>\n\
         <tr><th scope=\"row\">Common passages skipped</th><td>{skipped}</td></tr>",
        Text(&scheme)
    )
}

/// The files whose groups the report covers; those in no group are listed separately.
fn requested_files(out: &mut dyn Write, requested_files: &RequestedFiles) -> io::Result<()> {
    let lists = [
        ("Only the groups of", &requested_files.files),
        ("Of these in no group", &requested_files.in_no_group),
    ];
    for (name, files) in lists {
        for (index, file) in files.iter().enumerate() {
            let (name, file) = (if index == 0 { name } else { "" }, PathText(file));
            writeln!(out, "<tr><th scope=\"row\">{name}</th><td>{file}</td></tr>")?;
        }
    }
    Ok(())
}

fn skipped_lists_words(count: u64) -> String {
    match count {
        0 => "none".to_owned(),
        1 => "1 list of a very common passage, on which no group depends".to_owned(),
        n => format!(
            "{} lists of very common passages, on which no group depends",
            Count(n)
        ),
    }
}

pub(super) fn reading(out: &mut dyn Write, summary: &ListSummary) -> io::Result<()> {
    let sum = |participation: Participation| -> u64 {
        let states = summary.counts.states.iter();
        states
            .filter(|(name, _)| state(name).participation == participation)
            .map(|(_, count)| count)
            .sum()
    };
    let shares = [
        Participation::Compared,
        Participation::Opened,
        Participation::NotCompared,
    ]
    .map(|r| (r, sum(r)));
    let [compared, opened, not] = shares.map(|(_, count)| Count(count));
    writeln!(
        out,
        "<h2>What was read, and what was not</h2>\n<p>Files on disk: {}. Compared: {compared}. Opened \
         as containers: {opened}. Not compared: {not}.</p>\n<div class=\"bar\">",
        Count(summary.counts.files_on_disk)
    )?;
    for (participation, count) in shares.iter().filter(|(_, count)| *count > 0) {
        let class = participation.css_class();
        write!(
            out,
            "<span class=\"{class}\" style=\"flex:{count}\"></span>"
        )?;
    }
    out.write_all(b"</div>\n")?;
    states(out, summary)
}

fn states(out: &mut dyn Write, summary: &ListSummary) -> io::Result<()> {
    let (files, members) = (&summary.counts.states, &summary.counts.member_states);
    // Of collections without containers the column would be empty.
    let inside = |cell: String| match members.is_empty() {
        true => String::new(),
        false => cell,
    };
    let head = inside("<th scope=\"col\" class=\"r\">Inside containers</th>".to_owned());
    writeln!(
        out,
        "<table class=\"states\">\n<thead><tr><th scope=\"col\">State</th><th scope=\"col\" class=\"r\">Files</th>{head}<th scope=\"col\">Meaning</th></tr></thead>",
    )?;
    let names: BTreeSet<_> = files.keys().chain(members.keys()).collect();
    let mut rows: Vec<_> = names.into_iter().map(|name| (state(name), name)).collect();
    rows.sort_by_key(|(state, name)| (state.place, *name));
    let cell = |count: u64| format!("<td class=\"r\">{}</td>", Count(count));
    for (state, name) in rows {
        let count = |counts: &BTreeMap<String, u64>| cell(counts.get(name).copied().unwrap_or(0));
        let (class, meaning) = (state.participation.css_class(), state.meaning);
        let (name, on_disk, inside) = (Text(name), count(files), inside(count(members)));
        writeln!(
            out,
            "<tr><td class=\"w\"><span class=\"key {class}\"></span>{name}</td>{on_disk}{inside}<td>{meaning}</td></tr>"
        )?;
    }
    let all = |counts: &BTreeMap<String, u64>| cell(counts.values().sum());
    let (on_disk, inside) = (all(files), inside(all(members)));
    writeln!(
        out,
        "<tr class=\"sum\"><td>all</td>{on_disk}{inside}<td></td></tr>\n</table>"
    )
}
