//! Parts that several lines have: a path, a scheme, what was left out of a text, when a file was last read.

use std::fmt;

use serde::{Deserialize, Serialize};

use super::{date, exact, lossy, path_bytes};
use crate::text::counted;
use crate::v1;

/// A path as an object.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct JsonPath {
    /// Absolute path; bytes that are not UTF-8 are replaced.
    pub path: String,
    /// Exact bytes of that path, if they are not UTF-8.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub path_bytes: Option<String>,
}

impl JsonPath {
    /// The path with these bytes.
    pub fn new(bytes: &[u8]) -> Self {
        Self {
            path: lossy(bytes),
            path_bytes: exact(bytes),
        }
    }

    /// The bytes of the path; those that it shows if its exact bytes are not in base64.
    pub fn bytes(&self) -> Vec<u8> {
        let exact = path_bytes(&self.path, self.path_bytes.as_deref());
        exact.unwrap_or_else(|| self.path.clone().into_bytes())
    }
}

/// A signature scheme with its parameters.
#[derive(Clone, Debug, Serialize)]
pub struct Scheme {
    /// `mod_n`, `bsw_n` or `chunks`; in a comparison also `min_n` or `sketch_n`.
    pub name: String,
    /// Sampling modulus; for `min_n` and `sketch_n`, the most fingerprints kept of a text.
    pub n: u64,
    /// Width of a window, in units.
    pub window: u32,
    /// `bytes` or `words` of canonical text, or `raw-bytes`.
    pub unit: String,
    /// Version of the canonical text; 0 for raw bytes.
    pub canonical: u32,
}

impl From<&v1::Scheme> for Scheme {
    fn from(scheme: &v1::Scheme) -> Self {
        Self {
            name: scheme.name.clone(),
            n: scheme.n,
            window: scheme.window,
            unit: scheme.unit.clone(),
            canonical: scheme.canonical,
        }
    }
}

/// Template lines that were left out of a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct LeftOutLines {
    /// Number of places where one occurred.
    pub lines: u64,
    /// Bytes of the canonical text that were left out.
    pub bytes: u64,
}

impl From<&v1::LeftOutLines> for LeftOutLines {
    fn from(left_out: &v1::LeftOutLines) -> Self {
        Self {
            lines: left_out.lines,
            bytes: left_out.bytes,
        }
    }
}

/// `3 template lines (412 bytes)`
impl fmt::Display for LeftOutLines {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (lines, bytes) = (
            counted(self.lines, "template line"),
            counted(self.bytes, "byte"),
        );
        write!(f, "{lines} ({bytes})")
    }
}

/// A file that was not read again for an answer.
#[derive(Clone, Debug, Serialize)]
pub struct LastRead {
    /// Time of the last read, RFC 3339; null if unknown.
    pub at: Option<String>,
    /// Why it was not read again: `not-in-time`, `unreadable`, `changed`; null if the reason is newer than this
    /// program.
    pub why: Option<&'static str>,
}

impl From<&v1::LastRead> for LastRead {
    fn from(side: &v1::LastRead) -> Self {
        Self {
            at: date(side.at),
            why: match side.why() {
                v1::NotReadAgain::Unspecified => None,
                v1::NotReadAgain::NotInTime => Some("not-in-time"),
                v1::NotReadAgain::Unreadable => Some("unreadable"),
                v1::NotReadAgain::Changed => Some("changed"),
            },
        }
    }
}

impl LastRead {
    /// The message for people, to follow the name of the file.
    pub fn sentence(&self) -> String {
        let at = self.at.as_ref().map(|at| format!(" at {at}"));
        let why = match self.why {
            Some("not-in-time") => "the file could not be read in time",
            Some("changed") => "the file changed since and is yet to be read again",
            _ => "the file could not be read",
        };
        format!("compared as last read{}: {why}", at.unwrap_or_default())
    }
}
