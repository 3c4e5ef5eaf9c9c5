//! Labels of pairs by people: the lines of a labels file.
//!
//! Unlike other lines, these are read back, so they are parsed here as strictly as they are written.

use serde::{Deserialize, Serialize};
use thiserror::Error;

use super::{Body, exact, hex, is_date, lossy, path_bytes};
use crate::v1;

/// Two files, each with its document.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LabelledPair {
    /// Path of the first file.
    pub a: String,
    /// Exact bytes of the first path, if they are not UTF-8.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub a_bytes: Option<String>,
    /// Path of the second file.
    pub b: String,
    /// Exact bytes of the second path, if they are not UTF-8.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub b_bytes: Option<String>,
    /// Hash of the first document, in hexadecimal.
    pub document_a: String,
    /// Hash of the second document, in hexadecimal.
    pub document_b: String,
}

/// A rater's verdict on a pair.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Verdict {
    /// One content, possibly in two layouts.
    Same,
    /// One was made from the other.
    Version,
    /// They share a form or data, but are documents of their own.
    TemplateOnly,
    /// None of the above.
    Unrelated,
    /// The rater gives no verdict.
    Skip,
}

/// One line of a labels file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Label {
    /// The labelled pair.
    #[serde(flatten)]
    pub pair: LabelledPair,
    /// Verdict of the rater.
    pub verdict: Verdict,
    /// Name of the rater.
    pub rater: String,
    /// Time of labelling, as [`date`](super::date) writes it; empty if the clock gave none.
    pub at: String,
}

/// The version of labels that is written and read.
const VERSION: u32 = <Label as Body>::VERSION;

/// Why a line of a labels file is no label.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum InvalidLabel {
    /// It is no UTF-8.
    #[error("it is not in UTF-8")]
    Encoding,
    /// It is no JSON.
    #[error("it is not a line of JSON")]
    Json,
    /// It lacks a field, or has a value of another kind.
    #[error("{0}")]
    Field(String),
    /// Its type is another one.
    #[error("its type is {0:?}, not \"label\"")]
    Type(String),
    /// It has a version that this program does not read.
    #[error("it is of version {0}, and only version {VERSION} is read")]
    Version(u32),
    /// The name of its rater is empty or blank.
    #[error("its rater has no name")]
    Rater,
    /// Its time is not as [`date`](super::date) writes it.
    #[error("its time {0:?} is not one such as 2026-11-23T03:00:00Z")]
    Time(String),
    /// A path is not absolute, or a document not a hash in hexadecimal.
    #[error("it does not name two files by absolute paths and documents")]
    Sides,
}

impl From<serde_json::Error> for InvalidLabel {
    fn from(error: serde_json::Error) -> Self {
        if !error.is_data() {
            return Self::Json;
        }
        let error = error.to_string();
        // Its place in the line is left out: the caller names the line, which is always "line 1" here.
        let what = error.split(" at line ").next();
        Self::Field(what.unwrap_or_default().to_owned())
    }
}

impl LabelledPair {
    /// The pair of these files.
    pub fn new(a: &v1::LabelledFile, b: &v1::LabelledFile) -> Self {
        Self {
            a: lossy(&a.path),
            a_bytes: exact(&a.path),
            b: lossy(&b.path),
            b_bytes: exact(&b.path),
            document_a: hex(&a.document).unwrap_or_default(),
            document_b: hex(&b.document).unwrap_or_default(),
        }
    }

    /// Both files as wire messages; `None` if a path or hash is malformed.
    pub fn sides(&self) -> Option<[v1::LabelledFile; 2]> {
        let side = |path: &str, bytes: &Option<String>, document: &str| {
            let path = path_bytes(path, bytes.as_deref())?;
            let document = hash(document)?;
            path.starts_with(b"/")
                .then_some(v1::LabelledFile { path, document })
        };
        Some([
            side(&self.a, &self.a_bytes, &self.document_a)?,
            side(&self.b, &self.b_bytes, &self.document_b)?,
        ])
    }

    /// Both documents, in an order that does not depend on which file came first.
    pub fn documents(&self) -> [&str; 2] {
        let (a, b) = (&*self.document_a, &*self.document_b);
        [a.min(b), a.max(b)]
    }

    /// Reads the pair from any line that names one, such as those of `simctl pairs --json`.
    pub fn parse(line: &str) -> Option<Self> {
        let pair: Self = serde_json::from_str(line).ok()?;
        pair.sides().is_some().then_some(pair)
    }
}

impl Label {
    /// Reads a line of a labels file.
    ///
    /// # Errors
    /// It is no label of this version.
    pub fn parse(line: &[u8]) -> Result<Self, InvalidLabel> {
        let line = std::str::from_utf8(line).map_err(|_| InvalidLabel::Encoding)?;
        #[derive(Deserialize)]
        struct Head {
            r#type: String,
            v: u32,
        }
        // A label of another version may have other fields.
        let Head { r#type, v } = serde_json::from_str(line)?;
        if r#type != "label" {
            return Err(InvalidLabel::Type(r#type));
        }
        if v != VERSION {
            return Err(InvalidLabel::Version(v));
        }
        let label: Self = serde_json::from_str(line)?;
        if label.rater.trim().is_empty() {
            return Err(InvalidLabel::Rater);
        }
        if !label.at.is_empty() && !is_date(&label.at) {
            return Err(InvalidLabel::Time(label.at));
        }
        match label.pair.sides() {
            Some(_) => Ok(label),
            None => Err(InvalidLabel::Sides),
        }
    }

    /// The class on the wire; `None` if the rater gives no verdict.
    pub fn message(&self) -> Option<v1::Label> {
        let verdict = match self.verdict {
            Verdict::Same => v1::JudgedClass::Same,
            Verdict::Version => v1::JudgedClass::Version,
            Verdict::TemplateOnly => v1::JudgedClass::TemplateOnly,
            Verdict::Unrelated => v1::JudgedClass::Unrelated,
            Verdict::Skip => return None,
        };
        let [a, b] = self.pair.sides()?;
        Some(v1::Label {
            a: Some(a),
            b: Some(b),
            verdict: verdict.into(),
            rater: self.rater.clone(),
        })
    }
}

/// Parses 64 hexadecimal digits, in lower case as we write them.
fn hash(digits: &str) -> Option<Vec<u8>> {
    let is_digit = |digit: u8| matches!(digit, b'0'..=b'9' | b'a'..=b'f');
    let is_hash = digits.len() == 64 && digits.bytes().all(is_digit);
    let byte = |at: usize| u8::from_str_radix(digits.get(2 * at..2 * at + 2)?, 16).ok();
    is_hash.then(|| (0..32).map(byte).collect()).flatten()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lines::{Line, date};

    fn label() -> Label {
        let file = |path: &[u8], of: u8| v1::LabelledFile {
            path: path.to_vec(),
            document: vec![of; 32],
        };
        Label {
            pair: LabelledPair::new(&file(b"/s/a", 0xab), &file(b"/s/n\xff", 2)),
            verdict: Verdict::TemplateOnly,
            rater: "ada".to_owned(),
            at: "2026-11-23T03:00:00Z".to_owned(),
        }
    }

    #[test]
    fn a_label_reads_back_as_it_was_written_paths_that_are_not_utf8_too() {
        let written = serde_json::to_string(&Line::of(&label())).unwrap();
        assert!(
            written.starts_with(r#"{"type":"label","v":1,"a":"/s/a","b":"#),
            "{written}"
        );
        let read = Label::parse(written.as_bytes()).unwrap();
        assert_eq!(read, label());
        let message = read.message().unwrap();
        assert_eq!(message.b.unwrap().path, b"/s/n\xff");
        assert_eq!(message.verdict, i32::from(v1::JudgedClass::TemplateOnly));
        assert_eq!(LabelledPair::parse(&written), Some(read.pair));
    }

    #[test]
    fn a_label_reads_back_whatever_the_clock_said() {
        let dates = [Some(0), Some(-1), Some(1_795_402_800), None];
        for at in dates.map(|seconds| date(seconds).unwrap_or_default()) {
            let label = Label { at, ..label() };
            let written = serde_json::to_string(&Line::of(&label)).unwrap();
            assert_eq!(Label::parse(written.as_bytes()), Ok(label));
        }
    }

    #[test]
    fn a_line_that_is_no_label_is_refused_with_the_reason() {
        let written = serde_json::to_string(&Line::of(&label())).unwrap();
        for (from, to, reason) in [
            ("\"label\"", "\"pair\"", "its type is \"pair\""),
            ("\"v\":1", "\"v\":2", "version 2, and only version 1"),
            ("template-only", "perhaps", "unknown variant `perhaps`"),
            ("\"ada\"", "\" \"", "no name"),
            ("\"rater\"", "\"by\"", "missing field `rater`"),
            ("/s/a", "s/a", "two files"),
            ("abab", "abax", "two files"),
            ("abab", "ab", "two files"),
            ("2026-11-23T03:00:00Z", "yesterday", "\"yesterday\""),
            ("03:00:00Z", "03:00:00+00:00", "+00:00"),
            ("}", "", "a line of JSON"),
        ] {
            let damaged = written.replacen(from, to, 1);
            assert_ne!(damaged, written, "{from}");
            let refused = Label::parse(damaged.as_bytes()).unwrap_err().to_string();
            assert!(refused.contains(reason), "{refused}");
            assert!(!refused.contains("column"), "{refused}");
        }
        let skipped = Label {
            verdict: Verdict::Skip,
            ..label()
        };
        assert_eq!(skipped.message(), None);
    }

    #[test]
    fn documents_are_the_same_whichever_file_came_first() {
        let pair = label().pair;
        let swapped = LabelledPair {
            document_a: pair.document_b.clone(),
            document_b: pair.document_a.clone(),
            ..pair.clone()
        };
        assert_eq!(pair.documents(), swapped.documents());
    }
}
