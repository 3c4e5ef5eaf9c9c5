//! The documents behind a scan's files, read from disk as plain text and counted exactly.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};
use serde_json::Value;
use simdex_signature::CanonicalText;

use crate::jsonl;
use simdex_oracle::Truth;

/// States of files whose text stands in the index.
const WITH_TEXT: [&str; 4] = ["indexed", "identical-bytes", "identical-text", "partial"];

/// The documents of some plain text files.
pub(super) struct Documents {
    /// Each text once, by its hash.
    pub(super) texts: Vec<CanonicalText>,
    /// Paths of the files that carry each, ascending.
    pub(super) paths: Vec<BTreeSet<String>>,
    /// What every two of them share.
    pub(super) truth: Truth,
    place_of: HashMap<String, usize>,
}

impl Documents {
    /// Reads the files of a scan; an error where the scan calls a document by another name than the
    /// hash of its canonical text.
    pub(super) fn of(files: &[Value]) -> Result<Self> {
        let mut by_hash: BTreeMap<String, (CanonicalText, BTreeSet<String>)> = BTreeMap::new();
        for file in files
            .iter()
            .filter(|f| WITH_TEXT.iter().any(|state| f["state"] == *state))
        {
            let path = jsonl::text(file, "path")?;
            let bytes = fs::read(path).with_context(|| path.to_owned())?;
            let text = CanonicalText::from_extracted(&String::from_utf8_lossy(&bytes));
            let hash = blake3::Hash::from(text.hash()).to_hex().to_string();
            ensure!(
                file["document"] == hash.as_str(),
                "{path} is not document {hash}: {file}"
            );
            let (_, paths) = by_hash
                .entry(hash)
                .or_insert_with(|| (text, BTreeSet::new()));
            paths.insert(path.to_owned());
        }
        let (texts, paths): (Vec<_>, Vec<_>) = by_hash.into_values().unzip();
        let mut place_of = HashMap::new();
        for (place, paths) in paths.iter().enumerate() {
            place_of.extend(paths.iter().map(|path| (path.clone(), place)));
        }
        Ok(Self {
            truth: Truth::of(&texts),
            texts,
            paths,
            place_of,
        })
    }

    /// The place of the document a file carries; none where it has no text.
    pub(super) fn place(&self, path: &str) -> Option<usize> {
        self.place_of.get(path).copied()
    }

    /// The document of a path that a line names in this field.
    pub(super) fn named(&self, line: &Value, field: &str) -> Result<usize> {
        let path = jsonl::text(line, field)?;
        self.place(path)
            .with_context(|| format!("{path} has no text: {line}"))
    }
}

/// Every file below a folder, as a plain walk finds them: all that is no directory, by path.
pub(crate) fn files_below(folder: &Path) -> Result<Vec<PathBuf>> {
    let (mut folders, mut files) = (vec![folder.to_owned()], Vec::new());
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).with_context(|| folder.display().to_string())? {
            let entry = entry?;
            let is_folder = entry.file_type()?.is_dir();
            if is_folder { &mut folders } else { &mut files }.push(entry.path());
        }
    }
    files.sort();
    Ok(files)
}
