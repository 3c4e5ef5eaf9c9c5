//! The page of a large report: bytes, pages, and how soon a browser shows it.

use std::collections::HashMap;
use std::fs;
use std::io;
use std::path::Path;
use std::time::Instant;

use anyhow::Context;
use simdex_index::{Cancel, HeldText, MemoryBudget};
use simdex_proto::completeness::Pending;
use simdex_proto::lines::{Scheme, SchemeInUse};
use simdex_schema::DocumentHash;
use simdexd::base::report_key::ReportKey;
use simdexd::read_side::catalogue::ListCounts;
use simdexd::read_side::lists::ListSummary;
use simdexd::reports::report::{
    ReportDir, ReportFile, ReportGroup, ReportInput, ReportMember, VisitFile, write,
};

use super::Settings;
use crate::browser::Browser;
use crate::corpus::Random;
use crate::figure::Figures;

/// Groups, each of three files with texts that differ.
const GROUPS: u64 = 10_000;
const FILES: u64 = 3;
/// Words of a text.
const WORDS: u64 = 120;
/// Times that the page is opened.
const VIEWS: usize = 5;

pub(super) fn run(settings: Settings, figures: &mut Figures<'_>) -> anyhow::Result<()> {
    let groups = settings.documents.map_or(GROUPS, |files| files / FILES);
    let place = tempfile::tempdir()?;
    let started = Instant::now();
    written(place.path(), groups)?;
    figures.put("groups", groups as f64, "")?;
    figures.put("written in", started.elapsed().as_secs_f64(), "s")?;
    let report = place.path().join("report");
    let mut pages = Vec::new();
    for entry in fs::read_dir(&report)? {
        let entry = entry?;
        if entry.path().extension().is_some_and(|end| end == "html") {
            pages.push(entry.metadata()?.len());
        }
    }
    figures.put("pages", pages.len() as f64, "")?;
    let first = fs::metadata(report.join("report.html"))?.len();
    figures.put("first page", first as f64 / 1e6, "MB")?;
    figures.put("all pages", pages.iter().sum::<u64>() as f64 / 1e6, "MB")?;
    shown(&report.join("report.html"), figures)
}

/// Opens the page and asks the browser when it was painted and when it was done.
fn shown(page: &Path, figures: &mut Figures<'_>) -> anyhow::Result<()> {
    let Some(browser) = Browser::start()? else {
        return Ok(figures.note("not shown: no Chromium with ChromeDriver here")?);
    };
    let mut times = Vec::new();
    for _ in 0..VIEWS {
        browser.open(page)?;
        let times_of = browser.run(
            "return [performance.getEntriesByName('first-contentful-paint')[0].startTime, \
             performance.getEntriesByType('navigation')[0].loadEventEnd]",
        )?;
        let time = |at: usize| times_of[at].as_f64().context("a time");
        times.push((time(0)?, time(1)?));
    }
    let median = |of: fn(&(f64, f64)) -> f64| crate::figure::median(times.iter().map(of).collect());
    figures.against(
        "first view",
        median(|it| it.0) / 1e3,
        "s",
        "target: at most 2",
    )?;
    figures.put("loaded", median(|it| it.1) / 1e3, "s")?;
    let search = browser.run(
        "let at = performance.now(); search.value = '09999'; search.dispatchEvent(new Event('input')); \
         return performance.now() - at",
    )?;
    figures.put("searched in", search.as_f64().context("a time")? / 1e3, "s")?;
    Ok(())
}

fn written(place: &Path, groups: u64) -> anyhow::Result<()> {
    let texts: HashMap<DocumentHash, (u64, u64)> = (0..groups)
        .flat_map(|group| (0..FILES).map(move |file| (hash(group, file), (group, file))))
        .collect();
    let text_of = |asked: &DocumentHash| -> io::Result<Option<HeldText>> {
        let text = texts.get(asked).map(|(group, file)| text(*group, *file));
        Ok(text.map(|text| HeldText::new(text, None)))
    };
    let files = |visit: &mut VisitFile<'_>| {
        let read = ReportFile {
            state: "indexed",
            media_type: "text/plain",
            ..ReportFile::default()
        };
        (0..groups * FILES).try_for_each(|_| visit(&read))
    };
    let account = MemoryBudget::new(1 << 30).account(&Cancel::never());
    let key = ReportKey::open(place)?;
    let reports = ReportDir::open(&place.canonicalize()?)?;
    let folder = reports.begin("report".as_ref())?;
    write(
        &folder,
        &ReportInput {
            created: "2026-01-01T00:00:00Z".parse()?,
            version: "bench",
            threshold: 0.8,
            scheme: scheme(),
            roots: vec!["/share".into()],
            stale_roots: Vec::new(),
            summary: summary(groups),
            completeness: &|| Pending::default().into(),
            seconds: &|| 0.0,
            groups: (0..groups).map(group).collect(),
            requested_files: None,
            clusters: None,
            findings: None,
            files: &files,
            load: None,
            since: None,
            judge: None,
            key: &key,
            text_of: &text_of,
            account: &account,
        },
    )?;
    folder.publish()?;
    Ok(())
}

fn summary(groups: u64) -> ListSummary {
    ListSummary {
        counts: ListCounts {
            files_on_disk: groups * FILES,
            ..ListCounts::default()
        },
        groups: Some(groups),
        completeness: Pending::default().into(),
        ..ListSummary::default()
    }
}

fn scheme() -> SchemeInUse {
    SchemeInUse {
        scheme: Scheme {
            name: "mod_n".to_owned(),
            n: 1,
            window: 20,
            unit: "bytes".to_owned(),
            canonical: 4,
        },
        n_most: 64,
    }
}

fn hash(group: u64, file: u64) -> DocumentHash {
    let mut hash = [0; 32];
    hash[..8].copy_from_slice(&(group * FILES + file).to_be_bytes());
    DocumentHash(hash)
}

fn path(group: u64, file: u64) -> Vec<u8> {
    format!("/share/department/{group:05}/minutes of the meeting {file}.docx").into_bytes()
}

fn group(group: u64) -> ReportGroup {
    let member = |file| ReportMember {
        path: path(group, file),
        document: hash(group, file),
        relation: Some("near-duplicate"),
        resemblance: Some(0.9),
        containment_of_member: Some(0.95),
        containment_of_principal: Some(0.94),
        modified: Some(1_700_000_000),
        bytes: Some(12_345),
        is_requested: false,
        on_record: None,
    };
    ReportGroup {
        id: group,
        kind: "star",
        common: None,
        principal: path(group, 0),
        members: (0..FILES).map(member).collect(),
    }
}

/// Lines of ten words; each file has one line of its own.
fn text(group: u64, file: u64) -> String {
    let mut random = Random::new(7, group);
    let mut text = String::new();
    for word in 0..WORDS {
        let end = if word % 10 == 9 { '\n' } else { ' ' };
        text.push_str(&format!("word{}{end}", random.below(50_000)));
    }
    text + &format!("Version {file} of it.\n")
}
