//! What is known of a tree, as lines to compare: from a running daemon and from a fresh scan.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::os::unix::ffi::OsStringExt;
use std::path::{Path, PathBuf};

use anyhow::{Result, ensure};
use base64::Engine as _;
use serde_json::Value;

use crate::jsonl;
use crate::sandbox::{self, Daemon};

/// Lines of either side that are shown where two answers differ.
const SHOWN: usize = 8;

/// Lines of `--json` output, by what they are.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Answers {
    lines: BTreeMap<String, Vec<String>>,
}

impl Answers {
    /// What a daemon says once it is in step with its roots.
    pub fn of_daemon(daemon: &Daemon) -> Result<Self> {
        daemon.sync()?;
        let mut answers = Self::default();
        answers.take(daemon.simctl(["files"])?.ended_with(&[0, 1])?.lines()?);
        for verb in ["pairs", "groups"] {
            // A scan judges nothing.
            let listed = daemon.simctl([verb, "--judge", "off"])?;
            answers.take(listed.ended_with(&[0, 1])?.lines()?);
        }
        Ok(answers)
    }

    /// What a fresh scan says of these roots.
    pub fn of_scan(roots: &[&Path]) -> Result<Self> {
        let mut answers = Self::default();
        answers.take(sandbox::scan(roots, ["--pairs"])?.lines()?);
        Ok(answers)
    }

    /// Takes the file, pair and group lines. Left out is what may differ between two runs: ids,
    /// times of reading, and the media type, for which the first name of a content is a hint.
    pub fn take(&mut self, lines: Vec<Value>) {
        for mut object in lines {
            let kind = object["type"].as_str().unwrap_or_default().to_owned();
            if !["file", "pair", "group"].contains(&kind.as_str()) {
                continue;
            }
            if let Some(fields) = object.as_object_mut() {
                fields.retain(|field, _| {
                    !["id", "group", "media_type", "last_read"].contains(&field.as_str())
                });
            }
            self.lines.entry(kind).or_default().push(object.to_string());
        }
        self.lines
            .values_mut()
            .for_each(|lines| lines.sort_unstable());
    }

    /// Lines of one kind, sorted: "file", "pair" or "group".
    pub fn lines(&self, kind: &str) -> &[String] {
        self.lines.get(kind).map_or(&[], Vec::as_slice)
    }

    /// How many there are.
    pub fn count(&self, kind: &str) -> usize {
        self.lines(kind).len()
    }

    /// Lines on one side alone, a few of either; none where both sides say the same.
    pub fn difference(&self, other: &Self) -> Option<String> {
        let (mut count, mut shown) = (0, Vec::new());
        for (sign, one, two) in [('-', self, other), ('+', other, self)] {
            let mut alone = Vec::new();
            for (kind, lines) in &one.lines {
                let theirs = two.lines(kind);
                alone.extend(
                    lines
                        .iter()
                        .filter(|line| theirs.binary_search(line).is_err()),
                );
            }
            count += alone.len();
            shown.extend(
                alone
                    .iter()
                    .take(SHOWN)
                    .map(|line| format!("{sign} {line}")),
            );
            if one.lines.values().map(Vec::len).sum::<usize>() == 0 {
                shown.push(format!("{sign} says nothing at all"));
            }
        }
        let counts = |answers: &Self| ["file", "pair", "group"].map(|kind| answers.count(kind));
        if counts(self) != counts(other) {
            shown.push(format!("counts {:?} and {:?}", counts(self), counts(other)));
        }
        let shown = shown.join("\n");
        (!shown.is_empty()).then(|| format!("{count} lines differ:\n{shown}"))
    }
}

/// A file as a listing shows it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Listed {
    /// Absolute path, exact.
    pub path: PathBuf,
    /// Code of its state, such as `indexed`.
    pub state: String,
    /// Hash of its bytes.
    pub content: Option<String>,
    /// Hash of its document.
    pub document: Option<String>,
}

impl Listed {
    /// What a daemon lists, in step or not.
    pub fn by_daemon(daemon: &Daemon) -> Result<Vec<Self>> {
        Self::all(
            &daemon
                .simctl(["files"])?
                .ended_with(&[0, 1])?
                .lines_of("file")?,
        )
    }

    /// These file lines.
    pub fn all(lines: &[Value]) -> Result<Vec<Self>> {
        let mut all = Vec::new();
        for object in lines {
            let text = |field: &str| object[field].as_str().map(str::to_owned);
            let path = match text("path_bytes") {
                Some(encoded) => {
                    let bytes = base64::engine::general_purpose::STANDARD.decode(encoded)?;
                    OsString::from_vec(bytes).into()
                }
                None => jsonl::text(object, "path")?.into(),
            };
            let state = jsonl::text(object, "state")?.to_owned();
            all.push(Self {
                path,
                state,
                content: text("content"),
                document: text("document"),
            });
        }
        Ok(all)
    }
}

/// Holds a daemon against a fresh scan of the same roots.
///
/// # Errors
/// The lines on one side alone.
pub fn agree(daemon: &Daemon, roots: &[&Path]) -> Result<Answers> {
    let answers = Answers::of_daemon(daemon)?;
    let difference = answers.difference(&Answers::of_scan(roots)?);
    ensure!(
        difference.is_none(),
        "daemon (-) and fresh scan (+): {}",
        difference.unwrap_or_default()
    );
    Ok(answers)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answers(output: &str) -> Answers {
        let mut answers = Answers::default();
        answers.take(jsonl::parse(output.as_bytes()).unwrap());
        answers
    }

    #[test]
    fn ids_and_order_take_no_part() {
        let a =
            answers("{\"type\":\"group\",\"id\":1,\"x\":1}\n{\"type\":\"group\",\"id\":2,\"x\":2}");
        let b =
            answers("{\"type\":\"group\",\"id\":9,\"x\":2}\n{\"type\":\"group\",\"id\":3,\"x\":1}");
        assert_eq!(a.difference(&b), None);
    }

    #[test]
    fn every_other_difference_is_told() {
        let file = "{\"type\":\"file\",\"path\":\"/a\",\"state\":\"indexed\"}";
        let one = answers(file);
        assert!(
            one.difference(&answers(&file.replace("indexed", "no-text")))
                .is_some()
        );
        assert!(
            one.difference(&answers(&format!("{file}\n{file}")))
                .is_some()
        );
        assert!(one.difference(&Answers::default()).is_some());
        assert!(
            Answers::default().difference(&Answers::default()).is_some(),
            "nothing was compared"
        );
    }

    #[test]
    fn a_name_that_is_no_text_keeps_its_bytes() {
        let line =
            "{\"type\":\"file\",\"path\":\"/?\",\"path_bytes\":\"L/8=\",\"state\":\"indexed\"}";
        let listed = Listed::all(&jsonl::parse(line.as_bytes()).unwrap()).unwrap();
        assert_eq!(
            listed[0].path,
            PathBuf::from(OsString::from_vec(b"/\xff".to_vec()))
        );
    }
}
