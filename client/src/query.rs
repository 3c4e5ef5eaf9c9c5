//! Queries about one document: what they look for, their subject and their limits.

use std::path::PathBuf;

use crate::Upload;
use crate::locate::path_bytes;
use crate::wire::{self, query::Source};

/// What a query about a document looks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FindKind {
    /// Files that resemble it.
    Similar,
    /// Files that contain it.
    Containing,
    /// Files contained in it.
    Contained,
    /// What is related in any of the three ratios. No verb uses it; `versions` asks for a family.
    Related,
}

/// The document that a query is about.
#[derive(Debug)]
pub enum Subject {
    /// A file the index knows, by absolute path.
    Path(PathBuf),
    /// A document the index knows, by the hash that names it.
    Document([u8; 32]),
    /// Extracted text, sent with the query.
    Text(String),
    /// A signature made elsewhere; answers stay estimates.
    Signature(wire::Signature),
    /// Bytes that are extracted and not indexed.
    Upload(Upload),
}

/// Limits and filters of an answer; each absent one takes the daemon's default.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct FindOptions {
    /// Signature scheme that finds files.
    pub scheme: wire::SchemeChoice,
    /// Least resemblance or containment listed, in [0, 1].
    pub threshold: Option<f64>,
    /// Resemblance from which a relation is called near-duplicate, in [0, 1].
    pub relation_threshold: Option<f64>,
    /// Containment from which a relation is called contains or contained-in, in [0, 1]; for a family also that from which
    /// a version that resembles none is shown. `relation_threshold` if absent.
    pub containment_threshold: Option<f64>,
    /// Most files listed.
    pub limit: Option<u32>,
    /// Ids of the roots searched; empty = all.
    pub roots: Vec<u32>,
    /// Report for each near-duplicate among the files listed which better one it is folded under.
    pub fold: bool,
    /// Include a judgement of each match.
    pub with_judgement: bool,
}

impl FindOptions {
    /// The query message that opens the call.
    pub(crate) fn query(&self, source: Source, strict: bool) -> wire::Query {
        wire::Query {
            scheme: self.scheme.into(),
            threshold: self.threshold,
            limit: self.limit,
            roots: self.roots.clone(),
            relation_threshold: self.relation_threshold,
            containment_threshold: self.containment_threshold,
            fold: self.fold,
            strict,
            with_judgement: self.with_judgement,
            source: Some(source),
        }
    }
}

impl Subject {
    /// The document as the query message names it, and the bytes to send after that.
    pub(crate) fn into_source(self) -> (Source, Option<Upload>) {
        match self {
            Self::Path(path) => (Source::Path(path_bytes(&path)), None),
            Self::Document(hash) => (Source::Document(hash.to_vec()), None),
            Self::Text(text) => (Source::Text(text), None),
            Self::Signature(signature) => (Source::Signature(signature), None),
            Self::Upload(upload) => {
                let path = path_bytes(upload.name());
                (Source::Upload(wire::Upload { path }), Some(upload))
            }
        }
    }
}
