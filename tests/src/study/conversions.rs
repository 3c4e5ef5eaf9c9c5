//! The same text saved as many kinds, by two programs where both are installed: every pair of the
//! results should be the same document here.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};
use simdex_signature::CanonicalText;

use super::convert::{LibreOffice, converted, pandoc};
use super::extracted::extract;
use super::plain_to_html::{html_of_plain, message, page};
use super::reference::is_installed;
use super::word_agreement::{quantile, share_reaching};
use super::{Settings, goal};
use crate::acceptance::files_below;
use crate::figure::Figures;
use simdex_oracle::ratios;

/// Clauses with numbers, letters and bullets that a program counts and draws, within one another.
/// Judged apart: hardly a line of it has more words than numbers, so that a converter which leaves
/// the numbers out, as LibreOffice does in EPUB, makes another text of it.
const CLAUSES: &str = include_str!("../../study/clauses.html");
const CLAUSES_NAME: &str = "clauses";
/// Texts converted unless told otherwise, half of them long, half versions.
const TEXTS: usize = 12;
/// Sizes of texts that are taken: enough to compare, little enough to wait for.
const BYTES: std::ops::Range<u64> = 3_000..150_000;
/// Kind, and pandoc's options for it.
const BY_PANDOC: &[(&str, &[&str])] = &[
    ("txt", &["--to=plain", "--columns=72"]),
    ("docx", &["--to=docx"]),
    ("odt", &["--to=odt"]),
    ("rtf", &["--to=rtf", "--standalone"]),
    ("epub", &["--to=epub", "--metadata=title:A text"]),
];
/// What LibreOffice is asked to convert to; the kind stands before the colon.
const BY_LIBREOFFICE: &[&str] = &[
    "txt:Text (encoded):UTF8",
    "html",
    "pdf",
    "docx",
    "odt",
    "rtf",
    "doc",
    "epub",
];
const GOAL: f64 = 0.9;
const GOAL_WITH_PDF: f64 = 0.8;

/// One text as one kind, and who made it.
struct Copy {
    text: String,
    kind: &'static str,
    by: &'static str,
    path: PathBuf,
}

pub(super) fn run(settings: &Settings, figures: &mut Figures<'_>) -> Result<()> {
    let folder = tempfile::Builder::new()
        .prefix("simdex-conversions-")
        .tempdir()?;
    let with_pandoc = is_installed("pandoc");
    let bases = bases(settings, folder.path(), with_pandoc)?;
    ensure!(!bases.is_empty(), "there are no texts");
    let source = |path: &PathBuf| Copy::of(path, "html", "source");
    let mut copies: Vec<Copy> = bases.iter().map(source).collect();
    match with_pandoc {
        true => by_pandoc(&bases, folder.path(), &mut copies)?,
        false => figures.note("not installed, not converted with: pandoc")?,
    }
    match LibreOffice::new()? {
        Some(office) => by_libreoffice(&office, &bases, folder.path(), &mut copies)?,
        None => figures.note("not installed, not converted with: LibreOffice")?,
    }
    as_messages(folder.path(), &mut copies)?;
    let texts = texts(&copies, figures)?;
    figures.put("texts", bases.len() as f64, "texts")?;
    figures.put("files, sources included", copies.len() as f64, "files")?;
    compare(&copies, &texts, figures)
}

/// What is read of the copies; those that are not read whole are told.
fn texts(copies: &[Copy], figures: &mut Figures<'_>) -> Result<Vec<CanonicalText>> {
    let paths: Vec<PathBuf> = copies.iter().map(|copy| copy.path.clone()).collect();
    let ours = extract(&paths)?;
    let mut odd: BTreeMap<String, u32> = BTreeMap::new();
    for (copy, ours) in copies.iter().zip(&ours) {
        if ours.end.state != "indexed" {
            let what = format!("{} by {}: {}", copy.kind, copy.by, ours.end.label());
            *odd.entry(what).or_default() += 1;
        }
    }
    for (what, count) in odd {
        figures.note(&format!("{what}, {count} files"))?;
    }
    let canonical = ours
        .iter()
        .map(|ours| CanonicalText::from_extracted(&ours.text));
    Ok(canonical.collect())
}

impl Copy {
    fn of(path: &Path, kind: &'static str, by: &'static str) -> Self {
        let text = path.file_stem().unwrap_or_default();
        Self {
            text: text.to_string_lossy().into_owned(),
            kind,
            by,
            path: path.to_owned(),
        }
    }
}

/// The texts as pages of HTML, from which everything else is made; the last is our own.
fn bases(settings: &Settings, folder: &Path, with_pandoc: bool) -> Result<Vec<PathBuf>> {
    let count = settings.texts.unwrap_or(TEXTS);
    let base = folder.join("base");
    fs::create_dir(&base)?;
    let mut bases = Vec::new();
    for (name, end, count) in [
        ("long", "txt", count.div_ceil(2)),
        ("versions", "md", count / 2),
    ] {
        for (at, file) in chosen(&settings.folder(name)?, end, count)?
            .iter()
            .enumerate()
        {
            let path = base.join(format!("{name}-{at}.html"));
            let html = match with_pandoc && end == "md" {
                true => {
                    let body = base.join("body");
                    let options = ["--from=gfm", "--to=html"];
                    ensure!(
                        pandoc(file, &options, &body)?,
                        "pandoc fails: {}",
                        file.display()
                    );
                    page(&fs::read_to_string(body)?)
                }
                false => html_of_plain(&String::from_utf8_lossy(&fs::read(file)?)),
            };
            fs::write(&path, html)?;
            bases.push(path);
        }
    }
    let clauses = base.join(format!("{CLAUSES_NAME}.html"));
    fs::write(&clauses, CLAUSES)?;
    bases.push(clauses);
    Ok(bases)
}

/// This many files with this ending and of suitable size, spread evenly over all of them.
fn chosen(folder: &Path, end: &str, count: usize) -> Result<Vec<PathBuf>> {
    let mut fit = files_below(folder)?;
    let size = |path: &PathBuf| fs::metadata(path).map_or(0, |metadata| metadata.len());
    fit.retain(|path| {
        path.extension().is_some_and(|own| own == end) && BYTES.contains(&size(path))
    });
    let step = fit.len().max(1) as f64 / count.max(1) as f64;
    let places = (0..count.min(fit.len())).map(|at| (at as f64 * step.max(1.0)) as usize);
    Ok(places.map(|at| fit[at].clone()).collect())
}

fn by_pandoc(bases: &[PathBuf], folder: &Path, copies: &mut Vec<Copy>) -> Result<()> {
    let out = folder.join("pandoc");
    fs::create_dir(&out)?;
    for base in bases {
        for (kind, options) in BY_PANDOC {
            let path = converted(base, kind, &out);
            ensure!(
                pandoc(base, options, &path)?,
                "pandoc makes no {kind} of {}",
                base.display()
            );
            copies.push(Copy::of(&path, kind, "pandoc"));
        }
    }
    Ok(())
}

fn by_libreoffice(
    office: &LibreOffice,
    bases: &[PathBuf],
    folder: &Path,
    copies: &mut Vec<Copy>,
) -> Result<()> {
    let out = folder.join("libreoffice");
    for to in BY_LIBREOFFICE {
        let kind = to.split(':').next().unwrap_or(to);
        office.convert(bases, to, &out)?;
        for base in bases {
            let path = converted(base, kind, &out);
            ensure!(
                path.exists(),
                "LibreOffice makes no {kind} of {}",
                base.display()
            );
            copies.push(Copy::of(&path, kind, "LibreOffice"));
        }
    }
    Ok(())
}

/// Every text that was saved as plain text, sent by mail too.
fn as_messages(folder: &Path, copies: &mut Vec<Copy>) -> Result<()> {
    let out = folder.join("mail");
    fs::create_dir(&out)?;
    let mut messages = Vec::new();
    for copy in copies.iter().filter(|copy| copy.kind == "txt") {
        let path = converted(&copy.path, "eml", &out);
        if !path.exists() {
            let text = fs::read_to_string(&copy.path).context("a converted text")?;
            fs::write(&path, message(text.trim_start_matches('\u{feff}')))?;
            messages.push(Copy::of(&path, "eml", "mail"));
        }
    }
    copies.extend(messages);
    Ok(())
}

/// Resemblances by pair of kinds, with what they are of.
type Pairs<'a> = BTreeMap<(&'a str, &'a str), Vec<(f64, Pair)>>;

/// Whose copies a pair is of.
struct Pair {
    what: String,
    is_of_clauses: bool,
}

/// All pairs of copies of one text.
fn compare(copies: &[Copy], texts: &[CanonicalText], figures: &mut Figures<'_>) -> Result<()> {
    let mut pairs: Pairs<'_> = BTreeMap::new();
    for (at, a) in copies.iter().enumerate() {
        for (before, b) in copies[..at]
            .iter()
            .enumerate()
            .filter(|(_, b)| b.text == a.text)
        {
            let resemblance = ratios(&texts[at], &texts[before]).map_or(0.0, |r| r.resemblance);
            let kinds = (a.kind.min(b.kind), a.kind.max(b.kind));
            let what = format!("{}: {} by {}, {} by {}", a.text, a.kind, a.by, b.kind, b.by);
            let is_of_clauses = a.text == CLAUSES_NAME;
            let pair = Pair {
                what,
                is_of_clauses,
            };
            pairs.entry(kinds).or_default().push((resemblance, pair));
        }
    }
    for ((a, b), values) in &mut pairs {
        values.sort_by(|a, b| a.0.total_cmp(&b.0));
        let numbers: Vec<f64> = values.iter().map(|(value, _)| *value).collect();
        let columns = [
            ("pairs", numbers.len() as f64, ""),
            ("least", quantile(&numbers, 0.0), ""),
            ("median", quantile(&numbers, 0.5), ""),
        ];
        figures.row(&format!("{a} and {b}"), &columns)?;
        let worst = values.first();
        if let Some((value, pair)) = worst.filter(|(value, _)| *value < goal_of(a, b)) {
            figures.note(&format!("    {value:.3} {}", pair.what))?;
        }
    }
    for (name, least) in [
        ("all kinds but pdf", GOAL),
        ("pdf and another kind", GOAL_WITH_PDF),
    ] {
        let those = |of_clauses| numbers(&pairs, least, of_clauses);
        let texts = those(false);
        let worst = quantile(&texts, 0.0);
        let reaching = share_reaching(&texts, least);
        figures.put(&format!("{name}: median"), quantile(&texts, 0.5), "")?;
        figures.put(&format!("{name}: share reaching {least}"), reaching, "")?;
        figures.against(&format!("{name}: least"), worst, "", &goal(worst, least))?;
        let clauses = share_reaching(&those(true), least);
        let name = format!("{name}, numbered clauses made here: share reaching {least}");
        figures.put(&name, clauses, "")?;
    }
    Ok(())
}

fn goal_of(a: &str, b: &str) -> f64 {
    if [a, b].contains(&"pdf") {
        GOAL_WITH_PDF
    } else {
        GOAL
    }
}

/// Resemblances of all pairs of kinds that have this goal, of the clauses or of the texts.
fn numbers(pairs: &Pairs<'_>, least: f64, of_clauses: bool) -> Vec<f64> {
    let those = pairs.iter().filter(|((a, b), _)| goal_of(a, b) == least);
    let those = those.flat_map(|(_, values)| values);
    those
        .filter(|(_, pair)| pair.is_of_clauses == of_clauses)
        .map(|(value, _)| *value)
        .collect()
}
