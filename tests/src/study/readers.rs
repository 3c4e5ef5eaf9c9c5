//! Where files end here that an independent reader opens: with their text, or with a state that
//! says as much of them as can be said.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use anyhow::Result;

use super::convert::opened_by_libreoffice;
use super::extracted::{End, Extracted, extract};
use super::reference::{Reading, read};
use super::{Settings, goal, shown};
use crate::acceptance::files_below;
use crate::figure::Figures;

/// States in which a readable file may end.
const GOOD: [&str; 5] = ["indexed", "partial", "no-text", "encrypted", "container"];
/// Formats that LibreOffice is asked about, where no other reader opens a file.
const OFFICE: [&str; 11] = [
    "doc", "docx", "ppt", "pptx", "xls", "xlsx", "xlsb", "odt", "odp", "ods", "rtf",
];
const GOAL: f64 = 0.97;

pub(super) fn run(settings: &Settings, figures: &mut Figures<'_>) -> Result<()> {
    let folder = settings.folder("formats")?;
    let paths = files_below(&folder)?;
    let references = read(settings, &paths, &[])?;
    for tool in &references.missing {
        figures.note(&format!("not installed, not asked: {tool}"))?;
    }
    let opened = opened(&references.readings, figures)?;
    let ours = extract(
        &opened
            .keys()
            .map(|path| path.to_path_buf())
            .collect::<Vec<_>>(),
    )?;
    let ends: Vec<(&Path, &str, &Extracted)> = opened
        .iter()
        .zip(&ours)
        .map(|((path, format), extracted)| (*path, *format, extracted))
        .collect();
    by_format(&ends, figures)?;
    bad_ends(&ends, &folder, figures)?;
    members(&ours, figures)
}

/// Each file that ends badly, and the share of the others.
fn bad_ends(
    ends: &[(&Path, &str, &Extracted)],
    folder: &Path,
    figures: &mut Figures<'_>,
) -> Result<()> {
    let bad = ends.iter().filter(|(.., ours)| !is_good(&ours.end));
    for (path, format, ours) in bad.clone() {
        let End { media_type, .. } = &ours.end;
        let (label, path) = (ours.end.label(), shown(path, folder));
        figures.note(&format!("    {format}: {label} as {media_type}: {path}"))?;
    }
    let count = ends.len() as f64;
    let share = 1.0 - bad.count() as f64 / count.max(1.0);
    figures.put("files that independent readers open", count, "files")?;
    let name = "of these with a good end here";
    figures.against(name, share, "", &goal(share, GOAL))?;
    Ok(())
}

fn is_good(end: &End) -> bool {
    GOOD.contains(&end.state)
}

/// Files that any reader opens, with their format; LibreOffice is asked last, for it takes long.
fn opened<'a>(
    readings: &'a [Reading],
    figures: &mut Figures<'_>,
) -> Result<BTreeMap<&'a Path, &'a str>> {
    let by = |opens: bool| {
        let those = readings
            .iter()
            .filter(move |reading| reading.opens == opens);
        those.map(|reading| (&*reading.path, reading.format.as_str()))
    };
    let mut opened: BTreeMap<&Path, &str> = by(true).collect();
    let shut: BTreeMap<&Path, &str> = by(false)
        .filter(|(path, format)| !opened.contains_key(path) && OFFICE.contains(format))
        .collect();
    let asked: Vec<PathBuf> = shut.keys().map(|path| path.to_path_buf()).collect();
    let Some(found) = opened_by_libreoffice(&asked)? else {
        figures.note("not installed, not asked: LibreOffice")?;
        return Ok(opened);
    };
    let found: BTreeSet<PathBuf> = found.into_iter().collect();
    figures.put("opened by LibreOffice alone", found.len() as f64, "files")?;
    opened.extend(shut.into_iter().filter(|(path, _)| found.contains(*path)));
    Ok(opened)
}

/// A row for each format, and one for each end.
fn by_format(ends: &[(&Path, &str, &Extracted)], figures: &mut Figures<'_>) -> Result<()> {
    let mut formats: BTreeMap<&str, [usize; 2]> = BTreeMap::new();
    let mut labels: BTreeMap<String, usize> = BTreeMap::new();
    for (_, format, ours) in ends {
        let [good, all] = formats.entry(format).or_default();
        *all += 1;
        *good += usize::from(is_good(&ours.end));
        *labels.entry(ours.end.label()).or_default() += 1;
    }
    for (format, [good, all]) in formats {
        let share = good as f64 / all as f64;
        let columns = [
            ("files", all as f64, ""),
            ("good", good as f64, ""),
            ("share", share, ""),
        ];
        figures.row(format, &columns)?;
    }
    for (label, count) in labels {
        figures.put(&format!("state {label}"), count as f64, "files")?;
    }
    Ok(())
}

/// How the members of these files end: they are files of their own, and counted apart.
fn members(ours: &[Extracted], figures: &mut Figures<'_>) -> Result<()> {
    let mut labels: BTreeMap<String, usize> = BTreeMap::new();
    for member in ours.iter().flat_map(|file| &file.members) {
        *labels.entry(member.label()).or_default() += 1;
    }
    for (label, count) in labels {
        figures.put(&format!("member state {label}"), count as f64, "members")?;
    }
    Ok(())
}
