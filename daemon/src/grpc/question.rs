//! Takes a query apart: what it is about, and how it is put. Nothing is trusted.

use std::collections::BTreeSet;
use std::os::unix::ffi::OsStrExt;
use std::path::PathBuf;

use simdex_extract::Share;
use simdex_index::{Index, MemoryAccount, View};
use simdex_proto::{defaults, v1};
use simdex_schema::DocumentHash;
use simdex_signature::{Fingerprint, Rung, Scheme, SchemeKind, Signature};
use tonic::Status;

use super::status::{Refused, shown};
use super::upload::Uploaded;
use crate::engine::Engine;
use crate::query::{FindKind, QueryError, QueryParams, Subject};
use crate::roots::path_from;

/// Files listed at most.
const MOST: u32 = 10_000;
/// Bytes of a path or a name; members within members have long ones.
const LONGEST_PATH: usize = 64 << 10;
/// Roots that one request may name.
const MOST_ROOTS: usize = 4096;

/// What a query or a side of a comparison is about.
pub(super) enum Source {
    /// A file of the index.
    Path(PathBuf),
    /// A document of the index.
    Document(DocumentHash),
    /// A text.
    Text(String),
    /// A signature made elsewhere.
    Signature(Signature),
    /// Bytes that were received.
    Upload(Uploaded),
}

impl Source {
    /// How people call it.
    pub(super) fn name(&self, otherwise: &str) -> String {
        match self {
            Self::Path(path) => path.display().to_string(),
            Self::Document(hash) => hash.to_string(),
            Self::Upload(upload) if !upload.name.as_os_str().is_empty() => {
                upload.name.display().to_string()
            }
            _ => otherwise.to_owned(),
        }
    }

    /// The subject, within what the asker may see. Reads and may extract: call it on a blocking
    /// thread.
    pub(super) fn subject(
        self,
        engine: &Engine,
        asker: Share,
        memory: &MemoryAccount,
    ) -> Result<Subject, Refused> {
        let index = &engine.index;
        Ok(match self {
            Self::Path(path) => Subject::from_file(index, &file(engine, &path)?, memory)?,
            Self::Document(hash) => {
                Subject::from_document(index, hash, &engine.roots.view(), memory)?
            }
            Self::Text(text) => Subject::from_text(index, text, memory)?,
            Self::Signature(signature) => Subject::from_signature(signature, memory)?,
            Self::Upload(Uploaded { file, name }) => {
                Subject::from_upload(index, &engine.pool, asker, file, &name, memory)?
            }
        })
    }

    /// The same for a comparison, which shows extracted text: of a document that several contents
    /// carry, the text of the very file that was named.
    pub(super) fn compared(
        self,
        engine: &Engine,
        asker: Share,
        memory: &MemoryAccount,
    ) -> Result<Subject, Refused> {
        let path = match &self {
            Self::Path(path) => Some(path.clone()),
            _ => None,
        };
        let known = self.subject(engine, asker, memory)?;
        let own = path.and_then(|path| own_text(engine, asker, &known, &path, memory));
        Ok(own.unwrap_or(known))
    }
}

/// A file read again: its document keeps the extracted text of one of the contents that carry or
/// carried it, and lines and case may differ between them. None where the file changed.
fn own_text(
    engine: &Engine,
    asker: Share,
    known: &Subject,
    path: &std::path::Path,
    memory: &MemoryAccount,
) -> Option<Subject> {
    known.text()?;
    let (root, key) = engine.roots.locate(path)?;
    if key.is_member() {
        return None;
    }
    let file = root.open_file(&key.path).ok()?;
    // What is hashed must be what is read, whatever becomes of the file meanwhile.
    let limit = engine.config.extract.input_mib.bytes();
    let taken = engine.pool.space().snapshot(&file, limit).ok()?;
    let taken = taken.into_file().ok()?;
    let file = taken.file().try_clone().ok()?;
    let own = Subject::from_upload(&engine.index, &engine.pool, asker, file, path, memory).ok()?;
    (own.content == known.content && own.document_hash() == known.document_hash()).then_some(own)
}

/// A file of the index by its path.
pub(super) fn file(
    engine: &Engine,
    path: &std::path::Path,
) -> Result<simdex_index::FileView, QueryError> {
    let unknown = || QueryError::UnknownFile(shown(path.as_os_str().as_bytes()));
    let (_, key) = engine.roots.locate(path).ok_or_else(unknown)?;
    engine
        .index
        .file_view(&key, &engine.roots.view())?
        .ok_or_else(unknown)
}

/// A path that can name a file at all.
pub(super) fn path(bytes: Vec<u8>) -> Result<PathBuf, Status> {
    if bytes.first() != Some(&b'/') || bytes.contains(&0) {
        let shown = shown(&bytes);
        return Err(Status::invalid_argument(format!(
            "{shown} is not an absolute path"
        )));
    }
    name(bytes)
}

/// A path or name that is no longer than any can be.
pub(super) fn name(bytes: Vec<u8>) -> Result<PathBuf, Status> {
    if bytes.len() > LONGEST_PATH {
        let shown = shown(&bytes);
        return Err(Status::invalid_argument(format!(
            "{shown} is longer than a path can be"
        )));
    }
    Ok(path_from(bytes))
}

/// The name of a document.
pub(super) fn document(bytes: &[u8]) -> Result<DocumentHash, Status> {
    DocumentHash::from_slice(bytes).ok_or_else(|| {
        let length = bytes.len();
        Status::invalid_argument(format!("a document is named by 32 bytes, not by {length}"))
    })
}

/// A ratio asked for, in [0, 1].
pub(super) fn ratio(asked: Option<f64>, otherwise: f64, what: &str) -> Result<f64, Status> {
    match asked {
        None => Ok(otherwise),
        Some(value) if (0.0..=1.0).contains(&value) => Ok(value),
        Some(value) => Err(Status::invalid_argument(format!(
            "{what} is {value}, not a number from 0 to 1"
        ))),
    }
}

/// The roots asked for; all where none is named.
pub(super) fn view(engine: &Engine, roots: &[u32]) -> Result<View, Status> {
    check_roots(roots.len())?;
    let known: BTreeSet<u32> = engine.roots.iter().map(|root| root.id.0).collect();
    match roots.iter().find(|id| !known.contains(id)) {
        Some(id) => Err(Status::invalid_argument(format!(
            "{id} is not the id of a watched root"
        ))),
        None => Ok(engine.roots.view_of(roots)),
    }
}

/// A request that names more things than there are.
pub(super) fn too_many(count: usize, what: &str) -> Status {
    Status::invalid_argument(format!("the request names {count} {what}, far too many"))
}

/// Refuses a request that names more than all roots.
pub(super) fn check_roots(count: usize) -> Result<(), Status> {
    if count > MOST_ROOTS {
        return Err(too_many(count, "roots"));
    }
    Ok(())
}

/// How a query is put; its source is looked at elsewhere.
pub(super) fn query_params(
    engine: &Engine,
    kind: FindKind,
    query: &v1::Query,
) -> Result<QueryParams, Status> {
    let limit = query.limit.unwrap_or(defaults::LIMIT);
    if !(1..=MOST).contains(&limit) {
        return Err(Status::invalid_argument(format!(
            "limit is {limit}, not 1 to {MOST}"
        )));
    }
    let near = engine.config.signature.threshold;
    Ok(QueryParams {
        kind,
        scheme: scheme(query)?,
        threshold: ratio(query.threshold, kind.default_threshold(), "threshold")?,
        relation_threshold: ratio(query.relation_threshold, near, "relation_threshold")?,
        limit: limit as usize,
        view: view(engine, &query.roots)?,
    })
}

fn scheme(query: &v1::Query) -> Result<SchemeKind, Status> {
    let is_signature = matches!(query.source, Some(v1::query::Source::Signature(_)));
    match v1::SchemeChoice::try_from(query.scheme) {
        Ok(v1::SchemeChoice::Unspecified | v1::SchemeChoice::ModN) => Ok(SchemeKind::ModN),
        Ok(v1::SchemeChoice::BswN) if is_signature => Err(Status::invalid_argument(
            "a signature is one of mod_n and cannot be looked up by bsw_n",
        )),
        Ok(v1::SchemeChoice::BswN) => Ok(SchemeKind::BswN),
        Err(_) => Err(Status::invalid_argument(format!(
            "{} is not a scheme",
            query.scheme
        ))),
    }
}

/// A signature that compares with those of the index.
pub(super) fn signature(index: &Index, signature: v1::Signature) -> Result<Signature, Status> {
    let ours = Scheme::of_text(SchemeKind::ModN, index.window());
    let theirs = signature.scheme.unwrap_or_default();
    let alike = theirs.name == ours.name()
        && theirs.window == u32::from(ours.window.width())
        && theirs.unit == ours.unit().name()
        && theirs.canonical == ours.canonical;
    if !alike {
        let (name, unit, canonical) = (ours.name(), ours.window, ours.canonical);
        return Err(Status::invalid_argument(format!(
            "the signature is not {name} over windows of {unit} of canonical text {canonical}"
        )));
    }
    let rung = Rung::all().find(|rung| rung.modulus() == theirs.n);
    let rung = rung.ok_or_else(|| {
        Status::invalid_argument(format!("{} is not a modulus of the ladder", theirs.n))
    })?;
    let fingerprints = signature.fingerprints;
    let ascending = fingerprints.is_sorted_by(|a, b| a < b);
    if !ascending
        || fingerprints
            .iter()
            .any(|fingerprint| fingerprint % theirs.n != 0)
    {
        return Err(Status::invalid_argument(
            "the fingerprints are not ascending, distinct and divisible by n",
        ));
    }
    Ok(Signature::new(
        ours,
        rung,
        fingerprints.into_iter().map(Fingerprint).collect(),
    ))
}

#[cfg(test)]
mod tests {
    use super::*;
    use tonic::Code;

    #[test]
    fn only_a_number_from_0_to_1_is_a_threshold() {
        assert_eq!(ratio(None, 0.5, "threshold").unwrap(), 0.5);
        assert_eq!(ratio(Some(0.0), 0.5, "threshold").unwrap(), 0.0);
        for wrong in [-0.1, 1.1, f64::NAN, f64::INFINITY] {
            let status = ratio(Some(wrong), 0.5, "threshold").unwrap_err();
            assert_eq!(status.code(), Code::InvalidArgument, "{wrong}");
        }
    }

    #[test]
    fn a_path_is_absolute_and_any_bytes_but_nul() {
        assert!(path(b"/a/\xff".to_vec()).is_ok());
        let long = [&b"/"[..], &[b'a'; LONGEST_PATH]].concat();
        for wrong in [&b""[..], b"a", b"./a", b"/a\0b", &long] {
            let message = path(wrong.to_vec()).unwrap_err();
            assert!(message.message().len() < 300, "{message}");
        }
    }

    #[test]
    fn a_document_is_named_by_32_bytes() {
        assert!(document(&[1; 32]).is_ok());
        assert_eq!(
            document(&[1; 31]).unwrap_err().code(),
            Code::InvalidArgument
        );
    }

    #[test]
    fn a_scheme_this_version_does_not_know_is_refused() {
        let asked = |scheme| v1::Query {
            scheme,
            ..v1::Query::default()
        };
        assert_eq!(scheme(&asked(0)).unwrap(), SchemeKind::ModN);
        assert_eq!(scheme(&asked(2)).unwrap(), SchemeKind::BswN);
        assert!(scheme(&asked(99)).is_err());
    }

    #[test]
    fn a_signature_is_not_looked_up_by_another_scheme() {
        let signature = v1::query::Source::Signature(v1::Signature::default());
        let asked = |choice: v1::SchemeChoice| v1::Query {
            scheme: choice.into(),
            source: Some(signature.clone()),
            ..v1::Query::default()
        };
        assert!(scheme(&asked(v1::SchemeChoice::ModN)).is_ok());
        let refused = scheme(&asked(v1::SchemeChoice::BswN)).unwrap_err();
        assert_eq!(refused.code(), Code::InvalidArgument);
    }
}
