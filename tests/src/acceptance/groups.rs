//! Groups of a scan, compared with stars assigned over all pairs counted exactly.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Result, ensure};
use serde_json::Value;

use super::documents::{Documents, files_below};
use super::scanned::Scanned;
use crate::figure::Figures;
use crate::jsonl::{list, number, text};
use crate::sandbox::Sandbox;
use simdex_oracle::stars;

const THRESHOLD: f64 = 0.8;
/// Two ways to divide the same counts differ by less.
const EQUAL: f64 = 1e-12;
/// Every so manieth file gets a copy of its bytes, and another of its text.
const COPY_EVERY: usize = 20;

/// Principal's path to the paths of the whole group.
type Groups = BTreeMap<String, BTreeSet<String>>;

pub(super) fn run(corpora: &Path, figures: &mut Figures<'_>) -> Result<()> {
    let originals = ["labelled/parkr", "short/rustsec", "versions"].map(|dir| corpora.join(dir));
    let copies = copies(&originals)?;
    let folders = originals
        .iter()
        .map(|dir| dir.as_path())
        .chain([copies.share()]);
    let scanned = Scanned::of(folders, THRESHOLD)?;
    let documents = Documents::of(&scanned.files)?;
    let expected = expected(&documents);
    let shown = shown(&scanned)?;
    let files: usize = shown.values().map(BTreeSet::len).sum();
    let equal = expected
        .iter()
        .filter(|(principal, all)| shown.get(*principal) == Some(all));
    figures.put("files", scanned.files.len() as f64, "files")?;
    figures.put("documents", documents.texts.len() as f64, "documents")?;
    figures.put("groups", shown.len() as f64, "groups")?;
    figures.put("files in groups", files as f64, "files")?;
    let reference = format!("of {}", expected.len());
    figures.against(
        "equal to a star over exact pairs",
        equal.count() as f64,
        "",
        &reference,
    )?;
    let first = expected
        .iter()
        .find(|(principal, all)| shown.get(*principal) != Some(all));
    ensure!(shown == expected, "another group is expected: {first:?}");
    scanned
        .groups
        .iter()
        .try_for_each(|group| members_are_exact(group, &documents))
}

/// Copies of every so manieth file: one of the bytes, one with other line ends.
fn copies(folders: &[PathBuf]) -> Result<Sandbox> {
    let sandbox = Sandbox::new()?;
    let files = folders
        .iter()
        .map(|folder| files_below(folder))
        .collect::<Result<Vec<_>>>()?;
    for (number, file) in files.concat().into_iter().enumerate().step_by(COPY_EVERY) {
        let bytes = fs::read(file)?;
        sandbox.write(format!("{number}/same.md"), &bytes)?;
        let other = String::from_utf8_lossy(&bytes).replace('\n', "\r\n");
        sandbox.write(format!("{number}/other.md"), other)?;
    }
    Ok(sandbox)
}

/// Stars over exact pairs, as files; a document that stands alone is a group where two files
/// carry it.
fn expected(documents: &Documents) -> Groups {
    let stars = stars(&documents.texts, &documents.truth.pairs(THRESHOLD));
    let groups = stars.into_iter().filter_map(|(principal, members)| {
        let first = documents.paths[principal].first()?.clone();
        let places = members.into_iter().chain([principal]);
        let files = places
            .flat_map(|place| documents.paths[place].clone())
            .collect();
        Some((first, files))
    });
    groups
        .filter(|(_, files): &(_, BTreeSet<String>)| files.len() > 1)
        .collect()
}

fn shown(scanned: &Scanned) -> Result<Groups> {
    let mut shown = Groups::new();
    for group in &scanned.groups {
        let paths = list(group, "members")?
            .iter()
            .map(|member| text(member, "path"));
        let paths: BTreeSet<String> = paths.map(|p| p.map(str::to_owned)).collect::<Result<_>>()?;
        ensure!(
            paths.len() == list(group, "members")?.len(),
            "a file stands twice in {group}"
        );
        shown.insert(text(group, "principal")?.to_owned(), paths);
    }
    ensure!(
        shown.len() == scanned.groups.len(),
        "two groups have one principal"
    );
    Ok(shown)
}

/// Relation and numbers of every member to the principal.
fn members_are_exact(group: &Value, documents: &Documents) -> Result<()> {
    let principal = documents.named(group, "principal")?;
    for member in list(group, "members")? {
        let place = documents.named(member, "path")?;
        let exact = documents.truth.ratios(place, principal);
        let expected = [
            ("resemblance", exact.resemblance),
            ("containment_of_member", exact.containment_of_a),
            ("containment_of_principal", exact.containment_of_b),
        ];
        for (field, value) in expected {
            ensure!(
                (number(member, field)? - value).abs() <= EQUAL,
                "not {value}: {member}"
            );
        }
        let near = member["relation"] == "near-duplicate";
        ensure!(
            near == (place != principal),
            "another relation is expected: {member}"
        );
    }
    Ok(())
}
