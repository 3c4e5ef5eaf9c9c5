//! A file with its state.

use std::collections::BTreeMap;

use serde::Serialize;

use super::{JsonPath, completeness, date, exact, filled, hex, lossy};
use crate::completeness::Completeness;
use crate::v1;

/// A file with its state.
#[derive(Clone, Debug, Serialize)]
pub struct File {
    /// Absolute path; for a file inside another, `container!/member`.
    #[serde(flatten)]
    pub path: JsonPath,
    /// Code of its state.
    pub state: String,
    /// Code that refines the state.
    pub reason: Option<String>,
    /// Hash of its canonical text, in hexadecimal.
    pub document: Option<String>,
    /// BLAKE3 of its raw bytes, in hexadecimal.
    pub content: Option<String>,
    /// Its kind, determined from its content.
    pub media_type: Option<String>,
    /// Length in bytes.
    pub bytes: Option<u64>,
    /// Characters of canonical text.
    pub chars: Option<u64>,
    /// Library that read it, with its version.
    pub engine: Option<String>,
    /// Combined version of all readers at the time it was read.
    pub extractor: Option<u32>,
    /// Remarks for people.
    pub warnings: Vec<String>,
    /// Facts about the document or its reading, by code.
    pub facts: BTreeMap<String, String>,
    /// Path of its container, one level up.
    pub container: Option<String>,
    /// Exact bytes of that path, if they are not UTF-8.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub container_bytes: Option<String>,
    /// Its role in its container.
    pub role: Option<String>,
    /// Its number in its container, from 0.
    pub ordinal: Option<u32>,
    /// When its bytes were last read (RFC 3339).
    pub last_read: Option<String>,
    /// Its last modification according to the file system, or to its container (RFC 3339).
    pub modified: Option<String>,
    /// Id of its group.
    pub group: Option<u64>,
    /// Numeric id of its owner.
    pub owner: Option<u32>,
}

impl From<&v1::File> for File {
    fn from(file: &v1::File) -> Self {
        let place = file.place.as_ref();
        let fact = |fact: &v1::Fact| (fact.name.clone(), fact.value.clone());
        Self {
            path: JsonPath::new(&file.path),
            state: file.state.clone(),
            reason: filled(&file.reason),
            document: hex(&file.document),
            content: hex(&file.content),
            media_type: filled(&file.media_type),
            bytes: file.bytes,
            chars: file.chars,
            engine: filled(&file.engine),
            extractor: (file.extractor > 0).then_some(file.extractor),
            warnings: file.warnings.clone(),
            facts: file.facts.iter().map(fact).collect(),
            container: place.map(|place| lossy(&place.container)),
            container_bytes: place.and_then(|place| exact(&place.container)),
            role: place.map(|place| place.role.clone()),
            ordinal: place.map(|place| place.ordinal),
            last_read: date(file.last_read),
            modified: date(file.modified),
            group: file.group,
            owner: file.owner,
        }
    }
}

/// One file, as `simctl show` prints it.
#[derive(Clone, Debug, Serialize)]
pub struct DescribedFile {
    /// The fields of a `file` line.
    #[serde(flatten)]
    pub file: File,
    /// What the index lacked at the time.
    #[serde(flatten)]
    pub completeness: Completeness,
}

impl From<&v1::DescribeFileReply> for DescribedFile {
    fn from(reply: &v1::DescribeFileReply) -> Self {
        Self {
            file: (&reply.file.clone().unwrap_or_default()).into(),
            completeness: completeness(reply.completeness.as_ref()),
        }
    }
}
