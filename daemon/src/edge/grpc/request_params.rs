//! Decodes the parameters of requests. Nothing that a caller sends is trusted.

use std::collections::BTreeSet;
use std::path::PathBuf;

use simdex_index::{IndexReader, VisibleRoots};
use simdex_proto::{defaults, v1};
use simdex_schema::DocumentHash;
use simdex_signature::{Fingerprint, Ratio, Rung, Scheme, SchemeKind, Signature};
use tonic::Status;

use super::scheme::parse_scheme;
use super::status::too_many;
use crate::base::echo::echo;
use crate::engine::Engine;
use crate::read_side::answering::JudgedItems;
use crate::read_side::query::{FindKind, MAX_HITS, QueryParams, RelationThresholds};
use crate::write_side::roots::path_from;

/// Most bytes of a path or a name; members nested in members have long ones.
const LONGEST_PATH: usize = 64 << 10;
/// Most roots that one request may name.
const MAX_ROOTS: usize = 4096;

/// Decodes an absolute path.
pub(super) fn parse_path(bytes: Vec<u8>) -> Result<PathBuf, Status> {
    if bytes.first() != Some(&b'/') || bytes.contains(&0) {
        let sent = match bytes.as_slice() {
            [] => "an empty path".to_owned(),
            bytes => echo(bytes),
        };
        return Err(Status::invalid_argument(format!(
            "{sent} is not an absolute path"
        )));
    }
    parse_name(bytes)
}

/// Decodes a path or name of bounded length.
pub(super) fn parse_name(bytes: Vec<u8>) -> Result<PathBuf, Status> {
    if bytes.len() > LONGEST_PATH {
        let sent = echo(&bytes);
        return Err(Status::invalid_argument(format!(
            "{sent} is longer than a path can be"
        )));
    }
    Ok(path_from(bytes))
}

/// Decodes the 32-byte hash of a document.
pub(super) fn parse_document_hash(bytes: &[u8]) -> Result<DocumentHash, Status> {
    DocumentHash::from_slice(bytes).ok_or_else(|| {
        let length = bytes.len();
        Status::invalid_argument(format!("the hash of a document has 32 bytes, not {length}"))
    })
}

/// Decodes a ratio; `otherwise` is used if none is given.
pub(super) fn parse_ratio(ratio: Option<f64>, otherwise: f64, what: &str) -> Result<Ratio, Status> {
    let value = ratio.unwrap_or(otherwise);
    let refusal = || format!("{what} is {value}, not a number from 0 to 1");
    Ratio::new(value).ok_or_else(|| Status::invalid_argument(refusal()))
}

/// Decodes the threshold of a list or report; the engine's is used if none is given.
pub(super) fn parse_threshold(engine: &Engine, ratio: Option<f64>) -> Result<Ratio, Status> {
    parse_ratio(ratio, engine.threshold().get(), "threshold")
}

/// Decodes the ratios from which a relation has its name: near-duplicate, and contains or contained-in.
pub(super) fn parse_relation_thresholds(
    engine: &Engine,
    near: Option<f64>,
    contained: Option<f64>,
) -> Result<RelationThresholds, Status> {
    let near = parse_ratio(near, engine.threshold().get(), "relation_threshold")?.get();
    let contained = parse_ratio(contained, near, "containment_threshold")?.get();
    Ok(RelationThresholds {
        resemblance: near,
        containment: contained,
    })
}

/// Decodes ids of roots; none given means all roots.
pub(super) fn parse_roots(engine: &Engine, roots: &[u32]) -> Result<VisibleRoots, Status> {
    check_root_count(roots.len())?;
    let known: BTreeSet<u32> = engine.roots.iter().map(|root| root.id.0).collect();
    match roots.iter().find(|id| !known.contains(id)) {
        Some(id) => Err(Status::invalid_argument(format!(
            "{id} is not the id of a watched root"
        ))),
        None => Ok(engine.roots.view_of(roots)),
    }
}

/// Refuses a request that names more than all roots.
pub(super) fn check_root_count(count: usize) -> Result<(), Status> {
    if count > MAX_ROOTS {
        return Err(too_many(count, "roots", MAX_ROOTS));
    }
    Ok(())
}

/// The limit and threshold of a query that states none.
#[derive(Clone, Copy)]
pub(super) struct QueryDefaults {
    pub(super) limit: u32,
    pub(super) threshold: f64,
}

impl QueryDefaults {
    /// The defaults for a query of this kind.
    pub(super) fn of(kind: FindKind) -> Self {
        Self {
            limit: defaults::LIMIT,
            threshold: kind.default_threshold(),
        }
    }
}

/// Decodes the parameters of a query; its source is decoded separately.
pub(super) fn parse_query(
    engine: &Engine,
    kind: FindKind,
    query: &v1::Query,
    defaults: QueryDefaults,
) -> Result<QueryParams, Status> {
    let limit = query.limit.unwrap_or(defaults.limit);
    if !(1..=MAX_HITS).contains(&limit) {
        return Err(Status::invalid_argument(format!(
            "limit is {limit}, not 1 to {MAX_HITS}"
        )));
    }
    let (near, contained) = (query.relation_threshold, query.containment_threshold);
    let relation = parse_relation_thresholds(engine, near, contained)?;
    Ok(QueryParams {
        kind,
        scheme: parse_scheme(kind, query)?,
        threshold: parse_ratio(query.threshold, defaults.threshold, "threshold")?.get(),
        relation_threshold: relation.resemblance,
        containment_threshold: relation.containment,
        limit: limit as usize,
        view: parse_roots(engine, &query.roots)?,
        judged_by: query.with_judgement.then(|| engine.models.in_force()),
    })
}

/// Refuses to judge versions, which are shown by how one was derived from another.
pub(super) fn refuse_judgement(query: &v1::Query) -> Result<(), Status> {
    match query.with_judgement {
        true => Err(Status::invalid_argument("versions are not judged")),
        false => Ok(()),
    }
}

/// Decodes which pairs of a list, or files of groups, are judged; `first` is 0 if all are.
pub(super) fn parse_judged_items(with_judgement: bool, first: u64) -> Result<JudgedItems, Status> {
    match (with_judgement, first) {
        (true, 0) => Ok(JudgedItems::All),
        (true, first) => Ok(JudgedItems::First(first)),
        (false, 0) => Ok(JudgedItems::None),
        (false, _) => Err(Status::invalid_argument(
            "judge_first is given, and with_judgement is not",
        )),
    }
}

/// Decodes a signature, which must be comparable with those of the index.
pub(super) fn parse_signature(
    index: &IndexReader,
    signature: v1::Signature,
) -> Result<Signature, Status> {
    let ours = Scheme::of_text(SchemeKind::ModN, index.window());
    let theirs = signature.scheme.unwrap_or_default();
    let alike = theirs.name == ours.name()
        && theirs.window == u32::from(ours.window.width())
        && theirs.unit == ours.unit().name()
        && theirs.canonical == ours.canonical;
    if !alike {
        let (name, window, canonical) = (ours.name(), ours.window, ours.canonical);
        return Err(Status::invalid_argument(format!(
            "the signature is not {name} over windows of {window} of canonical text {canonical}"
        )));
    }
    let list = index.signer().template_lines().id().map(|id| id.0);
    if theirs.template_list != list.as_ref().map_or(&[][..], |id| &id[..]) {
        return Err(Status::invalid_argument(
            "the signature was made with another list of template lines than this index has; make it with the list \
             that template_list of an answer names",
        ));
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
    use crate::config::Config;
    use simdex_index::store::MemoryStore;
    use simdex_index::{Index, IndexSettings, Options};
    use simdex_signature::{CANONICAL_VERSION, TemplateLines};
    use tonic::Code;

    #[test]
    fn only_a_number_from_0_to_1_is_a_threshold() {
        assert_eq!(parse_ratio(None, 0.5, "threshold").unwrap().get(), 0.5);
        assert_eq!(parse_ratio(Some(0.0), 0.5, "threshold").unwrap().get(), 0.0);
        for wrong in [-0.1, 1.1, f64::NAN, f64::INFINITY] {
            let status = parse_ratio(Some(wrong), 0.5, "threshold").unwrap_err();
            assert_eq!(status.code(), Code::InvalidArgument, "{wrong}");
        }
    }

    #[test]
    fn a_bound_of_judgements_is_taken_only_where_judgements_are_requested() {
        let parsed = |with, first| parse_judged_items(with, first).ok();
        assert_eq!(parsed(false, 0), Some(JudgedItems::None));
        assert_eq!(parsed(true, 0), Some(JudgedItems::All));
        assert_eq!(parsed(true, 7), Some(JudgedItems::First(7)));
        assert_eq!(parsed(false, 7), None);
    }

    #[test]
    fn a_path_is_absolute_and_any_bytes_but_nul() {
        assert!(parse_path(b"/a/\xff".to_vec()).is_ok());
        let long = [&b"/"[..], &[b'a'; LONGEST_PATH]].concat();
        for wrong in [&b""[..], b"a", b"./a", b"/a\0b", &long] {
            let message = parse_path(wrong.to_vec()).unwrap_err();
            assert!(message.message().len() < 300, "{message}");
        }
    }

    #[test]
    fn a_signature_made_with_another_list_of_template_lines_is_refused() {
        let list = |line: &str| TemplateLines::parse(line).unwrap();
        let ours = list("Example Limited, 12 Sample Street");
        let theirs = [
            TemplateLines::default(),
            ours.clone(),
            list("Another Limited, 12 Sample Street"),
        ];
        let sent = |list: &TemplateLines| v1::Signature {
            scheme: Some(v1::Scheme {
                name: "mod_n".to_owned(),
                n: 1,
                window: 20,
                unit: "bytes".to_owned(),
                canonical: CANONICAL_VERSION,
                template_list: list.id().map_or_else(Vec::new, |id| id.0.to_vec()),
            }),
            fingerprints: vec![3, 5],
        };
        for (lines, taken) in [(TemplateLines::default(), 0), (ours, 1)] {
            let dir = tempfile::tempdir().unwrap();
            let settings = IndexSettings::new(Config::default().parameters(), lines);
            let store = Box::<MemoryStore>::default();
            let opened = Index::open(store, dir.path(), settings, Options::default()).unwrap();
            let parsed = |list| parse_signature(opened.index.reader(), sent(list));
            for (at, list) in theirs.iter().enumerate() {
                let found = parsed(list);
                assert_eq!(found.is_ok(), at == taken, "{at}");
                let refused = found.err().map(|status| status.message().to_owned());
                assert!(refused.is_none_or(|said| said.contains("another list of template lines")));
            }
        }
    }

    #[test]
    fn a_document_is_named_by_32_bytes() {
        assert!(parse_document_hash(&[1; 32]).is_ok());
        assert_eq!(
            parse_document_hash(&[1; 31]).unwrap_err().code(),
            Code::InvalidArgument
        );
    }
}
