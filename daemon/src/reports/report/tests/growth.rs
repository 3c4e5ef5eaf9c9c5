//! How many bytes a report takes for each byte of text.

use std::collections::HashMap;

use super::*;

/// Groups in the collection, versions of each text, and words of a text.
const GROUPS: u64 = 24;
const VERSIONS: u64 = 6;
const WORDS: u64 = 1_500;

/// A text of words that no other text has, in lines of this many words; each version has five words of its own.
fn version(text: u64, number: u64, line: usize) -> String {
    let word = |at: u64| match at % 300 {
        7 => format!("changed-{text}-{number}-{at}"),
        _ => format!("w{text}x{}", at * 7_919 % 9_973),
    };
    let words: Vec<String> = (0..WORDS).map(word).collect();
    let lines = words.chunks(line).map(|line| line.join(" ") + "\n");
    lines.collect()
}

/// Groups of versions, every other one with paragraphs in place of short lines, and the texts by document.
fn collection() -> (Vec<ReportGroup>, HashMap<DocumentHash, String>) {
    let mut texts = HashMap::new();
    let groups = (0..GROUPS).map(|id| {
        let line = if id % 2 == 0 { 12 } else { 100 };
        let versions = (0..VERSIONS).map(|number| {
            let text = version(id, number, line);
            let path = format!("/share/{id}/{number}.txt");
            let member = member(path.as_bytes(), &text, "near-duplicate", Some(0.9));
            texts.insert(member.document, text);
            member
        });
        group(id, versions.collect())
    });
    (groups.collect(), texts)
}

fn bytes_below(folder: &Path) -> u64 {
    let entries = fs::read_dir(folder).unwrap();
    let bytes = entries.map(|entry| {
        let path = entry.unwrap().path();
        match path.is_dir() {
            true => bytes_below(&path),
            false => path.metadata().unwrap().len(),
        }
    });
    bytes.sum()
}

#[test]
fn a_report_holds_each_text_once_and_little_beside_it() {
    let (groups, texts) = collection();
    let text_of = |document: &DocumentHash| {
        let text = texts.get(document).cloned();
        Ok(text.map(|text| HeldText::new(text, None)))
    };
    let folder = tempfile::tempdir().unwrap();
    let done = keep(folder.path(), "report", &input(groups, &text_of)).unwrap();
    let out = folder.path().join("report");
    verify(&out).unwrap();
    let text: u64 = texts.values().map(|text| text.len() as u64).sum();
    assert_eq!(bytes_below(&out.join("text")), text);
    let per_byte = |bytes: u64| bytes as f64 / text as f64;
    let page = per_byte(fs::metadata(out.join("report.html")).unwrap().len());
    let (diffs, all) = (
        per_byte(bytes_below(&out.join("diffs"))),
        per_byte(done.bytes),
    );
    let said = format!("for each byte of text {page} of page, {diffs} of diffs, {all} in all");
    assert!(page < 0.5 && diffs < 0.85 && all < 2.5, "{said}");
}
