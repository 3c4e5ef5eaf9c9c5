//! The versions of a document, numbered in their order with their files and edges; or, of a file without text, by date.

use std::cell::Cell;
use std::collections::HashMap;
use std::ops::ControlFlow;
use std::path::PathBuf;

use simdex_index::{IndexError, IndexReader};
use simdex_proto::promise::{NoPromise, Promise};
use simdex_schema::DocumentHash;

use super::query::context;
use super::staleness::StalenessCheck;
use super::{AnswerContext, Requester, SubjectSource};
use crate::engine::{CompletenessCheck, Engine};
use crate::read_side::families::GapReason;
use crate::read_side::query::{
    Answer, AnswerSummary, ComparedBy, Family, FamilyEdge, FamilyFile, FamilyParams, FindKind,
    NearMiss, QueryError, QueryParams, SubjectSummary, find, find_family,
};

/// A request for a family.
#[derive(Clone, Debug)]
pub struct FamilyRequest {
    /// What is looked for.
    pub params: FamilyParams,
    /// Whether to refuse the request while the index is not complete.
    pub strict: bool,
}

/// A part of a family as it is listed: all files, by version, then all edges.
pub enum FamilyItem<'a> {
    /// A file of a version.
    File(VersionFile),
    /// How a version was derived from an earlier one.
    Edge {
        /// The edge with its numbers.
        edge: &'a FamilyEdge,
        /// Number of the later version.
        version: u32,
        /// Number of the earlier version.
        parent: u32,
    },
}

/// A file of a version.
pub struct VersionFile {
    /// Number of the version, from 1 on.
    pub version: u32,
    /// The latest date written in the text of the version.
    pub written: Option<i64>,
    /// The file with the subject's numbers for it.
    pub file: FamilyFile,
}

/// A version that resembles the family and was not joined to it.
pub struct ListedNearMiss {
    /// Number of the version of the family that it resembles most.
    pub version: u32,
    /// Its first file.
    pub path: PathBuf,
    /// Hash of its document.
    pub document: DocumentHash,
    /// How much the two resemble each other, counted on samples of both texts.
    pub resemblance: f64,
    /// Why it was not joined.
    pub reason: GapReason,
}

/// What is reported of a family beside its files and edges.
pub struct FamilySummary {
    /// What is reported of the query.
    pub query: AnswerSummary,
    /// What the answer rests on.
    pub context: AnswerContext,
    /// Versions that were listed.
    pub versions: u32,
    /// Edges that were listed.
    pub edges: u32,
    /// Number of the latest version, if dates tell which it is.
    pub latest: Option<u32>,
    /// Versions that were not joined.
    pub near_misses: Vec<ListedNearMiss>,
}

/// Finds the family of a subject, and calls `visit` for each of its files and edges. A subject without text is compared
/// by its raw bytes, with estimates: its versions have no edges. If `visit` returns `Break`, ignore the summary.
pub fn family(
    engine: &Engine,
    source: SubjectSource,
    request: &FamilyRequest,
    requester: &Requester<'_>,
    visit: &mut dyn FnMut(FamilyItem<'_>) -> ControlFlow<()>,
) -> Result<FamilySummary, QueryError> {
    let params = &request.params;
    let check = CompletenessCheck::begin(engine, &params.view, request.strict)?;
    let (found, staleness) = find_versions(engine, source, params, requester)?;
    let context = || context(&check, requester.started, staleness.as_ref());
    match found {
        FamilyAnswer::Ordered { family, subject } => {
            let list = FamilyList {
                index: engine.index.reader(),
                family,
                subject,
                params,
            };
            list.visit(visit, &context)
        }
        FamilyAnswer::Unordered(answer) => Ok(list_by_date(answer, context()?, visit)),
    }
}

/// The versions that were found, without anything that was only needed to find them.
enum FamilyAnswer {
    /// Versions in their order.
    Ordered {
        family: Family,
        subject: SubjectSummary,
    },
    /// Files by date, without edges.
    Unordered(Answer),
}

/// Finds the versions, while the file asked about is looked at. The subject's text and its permits are dropped at the
/// end: whoever visits the versions may be slow.
fn find_versions(
    engine: &Engine,
    source: SubjectSource,
    params: &FamilyParams,
    requester: &Requester<'_>,
) -> Result<(FamilyAnswer, Option<StalenessCheck>), QueryError> {
    let (index, cancel) = (engine.index.reader(), requester.cancel());
    let subject = source.subject(engine, requester.queue_key, requester.account)?;
    let staleness = StalenessCheck::start(engine, &subject)?;
    let found = match subject.text() {
        Some(text) => FamilyAnswer::Ordered {
            family: find_family(index, &subject, text, params, cancel)?,
            subject: subject.summary(),
        },
        None => {
            let params = params_without_text(params);
            FamilyAnswer::Unordered(find(index, &subject, &params, cancel)?)
        }
    };
    Ok((found, staleness))
}

/// Files without text are compared by their raw bytes, using estimates.
fn params_without_text(params: &FamilyParams) -> QueryParams {
    QueryParams {
        kind: FindKind::Related,
        scheme: params.scheme,
        threshold: params.rule.resemblance,
        relation_threshold: params.relation_threshold,
        containment_threshold: params.containment_threshold,
        limit: params.limit,
        view: params.view.clone(),
        judged_by: None,
    }
}

/// A family, and what is needed to look up its files.
struct FamilyList<'a> {
    index: &'a IndexReader,
    family: Family,
    subject: SubjectSummary,
    params: &'a FamilyParams,
}

impl FamilyList<'_> {
    /// Visits the files of all versions and then all edges. A version whose last file disappeared meanwhile is left out
    /// with its edges, and the others are numbered without a gap.
    fn visit(
        self,
        visit: &mut dyn FnMut(FamilyItem<'_>) -> ControlFlow<()>,
        context: &dyn Fn() -> Result<AnswerContext, QueryError>,
    ) -> Result<FamilySummary, QueryError> {
        // Nothing more is read for a caller that has ended the visit.
        let is_ended = Cell::new(false);
        let goes_on = || !is_ended.get();
        let mut visit = |item: FamilyItem<'_>| {
            let flow = visit(item);
            is_ended.set(flow.is_break());
            flow
        };
        let (mut numbers, mut versions, mut edges) = (vec![None; self.family.len()], 0, 0);
        let all = numbers.iter_mut().enumerate();
        for (version, number) in all.take_while(|_| goes_on()) {
            *number = self.visit_version(version, versions + 1, &mut visit)?;
            versions = number.unwrap_or(versions);
        }
        for edge in self.family.edges.iter().take_while(|_| goes_on()) {
            if let (Some(version), Some(parent)) = (numbers[edge.version], numbers[edge.parent]) {
                edges += 1;
                let _ = visit(FamilyItem::Edge {
                    edge,
                    version,
                    parent,
                });
            }
        }
        let mut near_misses = Vec::new();
        let misses = self.family.near_misses.iter();
        for miss in misses.take_while(|_| goes_on()) {
            if let Some(number) = numbers[miss.version] {
                near_misses.extend(self.near_miss(miss, number)?);
            }
        }
        let latest = self.family.latest();
        Ok(FamilySummary {
            context: context()?,
            latest: latest.and_then(|latest| numbers[latest]),
            query: self.summary(),
            versions,
            edges,
            near_misses,
        })
    }

    /// Visits the files of a version, which gets this number if it has any.
    fn visit_version(
        &self,
        version: usize,
        next: u32,
        visit: &mut dyn FnMut(FamilyItem<'_>) -> ControlFlow<()>,
    ) -> Result<Option<u32>, IndexError> {
        let (index, subject, mut number) = (self.index, &self.subject, None);
        let mut visit = |file| {
            number = Some(next);
            visit(FamilyItem::File(VersionFile {
                version: next,
                written: self.family.written(version),
                file,
            }))
        };
        let family = &self.family;
        family.visit_files(index, subject, self.params, version, &mut visit)?;
        Ok(number)
    }

    /// A near miss with the first of its files; `None` if the last one disappeared.
    fn near_miss(
        &self,
        miss: &NearMiss,
        version: u32,
    ) -> Result<Option<ListedNearMiss>, IndexError> {
        let file = self
            .index
            .files()
            .first_of_document(miss.document, &self.params.view)?;
        Ok(file.map(|file| ListedNearMiss {
            version,
            path: file.path,
            document: miss.hash,
            resemblance: miss.resemblance,
            reason: miss.reason,
        }))
    }

    fn summary(self) -> AnswerSummary {
        let (subject, family, params) = (self.subject, self.family, self.params);
        // Of a text that is all template lines nothing is looked up but its hash.
        let promise = match subject.compared_by {
            ComparedBy::WholeText => {
                Promise::nothing("", params.rule.resemblance, NoPromise::NothingCompared)
            }
            // A link is missed as rarely as by any query; a version is only reached if all links before it are found.
            _ => Promise::nothing(
                params.scheme.name(),
                params.rule.resemblance,
                NoPromise::Steps,
            ),
        };
        AnswerSummary {
            document: subject.document,
            state: subject.state,
            reason: subject.reason,
            compared_by: subject.compared_by,
            left_out: subject.left_out,
            candidates: family.candidates,
            verified: family.verified,
            common_lists_count_only: family.common_lists_count_only,
            unverified: 0,
            truncated: family.is_cut,
            unjudged: None,
            promise,
        }
    }
}

/// Visits the versions of a file without text: numbered by date, without edges.
fn list_by_date(
    answer: Answer,
    context: AnswerContext,
    visit: &mut dyn FnMut(FamilyItem<'_>) -> ControlFlow<()>,
) -> FamilySummary {
    let (hits, query) = answer.into_uncounted();
    let mut numbers = HashMap::new();
    for hit in hits {
        let next = numbers.len() as u32 + 1;
        let file = VersionFile {
            version: *numbers.entry(hit.document).or_insert(next),
            written: None,
            file: FamilyFile::Known {
                hit: Box::new(hit),
                container: None,
            },
        };
        if visit(FamilyItem::File(file)).is_break() {
            break;
        }
    }
    FamilySummary {
        query,
        context,
        versions: numbers.len() as u32,
        edges: 0,
        latest: None,
        near_misses: Vec::new(),
    }
}
