//! One query, from its subject to verified hits.
//!
//! `extracted text → canonical text → signed text → shingles (= Subject) → probes → candidates → rank by upper bound →
//! verify → files → fold → judge → reply`
//!
//! This module goes from the subject to the files; `answering` folds and judges them. Candidates are ordered by the best
//! they can still be (the upper bound of their estimate). They are counted on all shingles in that order until the next
//! bound is below the threshold, or below the (limit+1)-th best value, so that the answer can say whether it is
//! truncated. So a candidate that reaches the threshold is discarded by its bound with probability
//! at most 0.001, and every number shown is exact, or says that it is not. For related documents, which are
//! ordered by date, only the threshold ends this. If more than [`MAX_VERIFIED`] candidates are left, the
//! answer says how many were not examined.
//!
//! A document that shares none of the fingerprints looked up never becomes a candidate; every answer states how
//! improbable that is ([`promise`]). For a document that resembles the query, or is contained in it, this depends on
//! the threshold: from 0.053 on it is just as improbable (see
//! [`by_samples`](simdex_index::Candidates::by_samples)). A document that contains the query is sampled at its own rung,
//! which may keep few fingerprints of a short query, or none: see
//! [`Rung::shortest_excerpt`](simdex_signature::Rung::shortest_excerpt).

mod bound;
mod containers;
mod dates;
mod error;
mod family;
mod fold;
mod hits;
mod measured_ahead;
mod named_file;
mod promise;
mod subject;
#[cfg(test)]
pub(crate) mod tests;
mod text_for_judging;
mod texts_for_judging;
mod whole_text;

use std::sync::Arc;

use simdex_index::{
    Cancel, Candidate, CandidateKind, Documents, FingerprintSink, FoundCandidates, GrowingPermit,
    IndexError, IndexReader, QueryFingerprints, VisibleRoots,
};
use simdex_judge::Model;
use simdex_proto::defaults;
use simdex_proto::promise::Promise;
use simdex_schema::{DocumentHash, State, StoredReason};
use simdex_signature::{
    BswN, LeftOutLines, MinN, Ratio, SchemeKind, ShingleSet, SketchN, SuperShingles,
};

pub(in crate::read_side) use bound::MISS_PROBABILITY;
pub(in crate::read_side) use containers::ContainerSearch;
pub use dates::{DateSource, KnownDate, best_date};
pub use error::QueryError;
pub(crate) use family::date_of_document;
pub use family::{
    Family, FamilyEdge, FamilyFile, FamilyParams, Merged, NearMiss, Renamed, SubjectVersion,
    VersionKind, find_family,
};
pub use fold::Folding;
pub use hits::{Hit, Overlap, RatioEstimate, Relation, RelationThresholds, SchemeUsed};
use measured_ahead::MeasuringAhead;
pub use named_file::file_at_path;
pub(crate) use named_file::name_of_document;
pub use subject::{ComparedBy, ShingledText, Subject, SubjectSummary, hash_whole};
pub(crate) use text_for_judging::{TextForJudging, read_judged};
pub(crate) use texts_for_judging::TextsForJudging;

/// What a query looks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FindKind {
    /// Documents that resemble the query, by resemblance.
    Similar,
    /// Documents that contain the query, by containment of the query.
    Containing,
    /// Documents contained in the query, by containment in the query.
    Contained,
    /// Documents that reach the threshold by resemblance or by either containment, by date; the file asked about
    /// is among them. Used by FindVersions; the verb `versions` uses FindFamily.
    Related,
}

impl FindKind {
    /// Default threshold of the listed value.
    pub fn default_threshold(self) -> f64 {
        match self {
            Self::Similar => defaults::SIMILAR,
            Self::Containing | Self::Contained | Self::Related => defaults::CONTAINMENT,
        }
    }

    /// Refuses a scheme that cannot find this kind.
    pub(crate) fn check_scheme(self, scheme: SchemeKind) -> Result<(), QueryError> {
        match self != Self::Similar && scheme.is_of_fixed_size() {
            true => Err(QueryError::NoContainment(scheme)),
            false => Ok(()),
        }
    }
}

/// What a query looks for, and how far the answer goes.
#[derive(Clone, Debug)]
pub struct QueryParams {
    /// The kind of search.
    pub kind: FindKind,
    /// The scheme that finds candidates: BSW_n is used beside Mod_n, which bounds the values; each other scheme
    /// is used alone.
    pub scheme: SchemeKind,
    /// Least value listed of the ratio that `kind` ranks by.
    pub threshold: f64,
    /// Resemblance from which a relation is called near-duplicate.
    pub relation_threshold: f64,
    /// Containment from which a relation is called contains or contained-in.
    pub containment_threshold: f64,
    /// Most files listed, not counting the one asked about.
    pub limit: usize,
    /// The roots whose files may be listed.
    pub view: VisibleRoots,
    /// The model by which hits will be judged; texts that were read to be counted are kept with the answer for it. `None`
    /// if they are not judged.
    pub judged_by: Option<Arc<Model>>,
}

impl QueryParams {
    /// The ratios from which the relation of a hit has its name.
    fn relation_thresholds(&self) -> RelationThresholds {
        RelationThresholds {
            resemblance: self.relation_threshold,
            containment: self.containment_threshold,
        }
    }
}

/// The files that answer a query, and how they were found.
pub struct Answer {
    /// Files, best first; related documents oldest first.
    pub hits: Vec<Hit>,
    /// What is reported beside them.
    pub summary: AnswerSummary,
    /// Texts of hits that will be judged.
    pub(crate) texts: TextsForJudging,
    /// Counts the memory of the hits while they are held.
    _held: GrowingPermit,
}

impl Answer {
    /// The hits, whose memory is not counted any more, and what is reported beside them: for whoever may hold them long.
    pub fn into_uncounted(self) -> (Vec<Hit>, AnswerSummary) {
        (self.hits, self.summary)
    }
}

/// What is reported of a query beside its hits.
pub struct AnswerSummary {
    /// Hash of the query's document, if it has one.
    pub document: Option<DocumentHash>,
    /// The state that reading the query's own text ended in.
    pub state: State,
    /// Reason code that refines `state`; empty if there is none.
    pub reason: StoredReason,
    /// Which part of the query was compared.
    pub compared_by: ComparedBy,
    /// Template lines that were left out of its text.
    pub left_out: LeftOutLines,
    /// Documents that shared a probed fingerprint.
    pub candidates: u64,
    /// Documents counted on all shingles.
    pub verified: u64,
    /// Posting lists so common that they only added counts to documents found by other fingerprints.
    pub common_lists_count_only: u64,
    /// Candidates that [`MAX_VERIFIED`] kept from being verified.
    pub unverified: u64,
    /// Whether more files reached the threshold than are listed.
    pub truncated: bool,
    /// Hits that were not judged because time ran out; `None` if no judgement was requested.
    pub unjudged: Option<u64>,
    /// The probability that a document that reaches the threshold is missing.
    pub promise: Promise,
}

/// Most hits that a query may ask for.
pub const MAX_HITS: u32 = 10_000;
/// Most candidates that one query examines, best bound first, so that no query runs away. The rest
/// is reported as [`AnswerSummary::unverified`].
const MAX_VERIFIED: usize = 4_096;

/// Fingerprints of a query's BSW_n signature that are held at once.
const BSW_AT_ONCE: usize = ShingleSet::LISTED / 2;

/// Answers one query.
pub fn find(
    index: &IndexReader,
    subject: &Subject,
    params: &QueryParams,
    cancel: &Cancel,
) -> Result<Answer, QueryError> {
    params.kind.check_scheme(params.scheme)?;
    require_indexed(index, params.scheme)?;
    let mut candidates = candidates(index, subject, params)?;
    let candidate_count = candidates.found.len() as u64;
    let verified = match subject.compared_by() {
        ComparedBy::WholeText => whole_text::own_document(index, subject, params)?,
        _ => {
            let ranked = bound::by_upper_bound(&mut candidates, params)?;
            let ahead = MeasuringAhead::begin(index, subject, params, ranked.len());
            let texts = TextsForJudging::new(params, ahead);
            verify(index, subject, params, &ranked, MAX_VERIFIED, cancel, texts)?
        }
    };
    let mut top = match subject.compared_by() {
        ComparedBy::WholeBytes => hits::files_of_bytes(index, subject, params, cancel)?,
        _ => hits::files_of_documents(index, subject, params, verified.documents, cancel)?,
    };
    // The index has no chunks of a file with many bytes, while those of an upload are compared.
    if subject.compared_by() == ComparedBy::RawBytes && !top.has_same_bytes() {
        top.add_files_of_bytes(index, subject, params, cancel)?;
    }
    let mut hits = top.hits;
    if params.kind == FindKind::Related {
        // In addition to the limit: it is not a version that was found.
        hits.extend(top.subject_hit);
        hits::sort_by_date(&mut hits);
    }
    let summary = AnswerSummary {
        document: subject.document_hash(),
        state: subject.state(),
        reason: subject.reason(),
        compared_by: subject.compared_by(),
        left_out: subject.left_out(),
        promise: promise::promise(
            params,
            subject.compared_by(),
            &candidates.coverage,
            verified.unverified,
        ),
        candidates: candidate_count,
        verified: verified.counted,
        common_lists_count_only: candidates.common_lists_count_only,
        unverified: verified.unverified,
        truncated: top.truncated,
        unjudged: None,
    };
    Ok(Answer {
        hits,
        summary,
        texts: verified.texts,
        _held: top.held,
    })
}

/// Refuses a scheme for which the index holds nothing.
fn require_indexed(index: &IndexReader, scheme: SchemeKind) -> Result<(), QueryError> {
    match index.parameters().schemes.hold(scheme) {
        true => Ok(()),
        false => Err(QueryError::SchemeOff(scheme)),
    }
}

/// Documents that share fingerprints with the subject; the subject's account counts their memory.
fn candidates(
    index: &IndexReader,
    subject: &Subject,
    params: &QueryParams,
) -> Result<FoundCandidates, IndexError> {
    let (view, account) = (&params.view, subject.account());
    let looked_up = subject.fingerprints();
    let looked_up = looked_up.filter(|_| subject.compared_by() != ComparedBy::WholeText);
    let Some((scheme, fingerprints, rung)) = looked_up else {
        return Ok(FoundCandidates::default());
    };
    let fingerprints = QueryFingerprints {
        scheme,
        fingerprints,
        rung,
    };
    let least = Ratio::new(params.threshold).unwrap_or(Ratio::ZERO);
    let kind = match params.kind {
        FindKind::Similar => CandidateKind::Similar(least),
        FindKind::Containing => CandidateKind::Containing(least),
        // A related document may be contained in the query, so that all its fingerprints are probed.
        FindKind::Contained | FindKind::Related => CandidateKind::Contained,
    };
    let search = index.candidates();
    let Some(text) = subject.text() else {
        return search.by_samples(fingerprints, kind, view, account);
    };
    let shingles = text.shingles.len() as u64;
    let (text, window, size) = (&text.signed, index.window(), index.ladder().fixed_size());
    match params.scheme {
        SchemeKind::ModN | SchemeKind::Chunks => {
            search.by_samples(fingerprints, kind, view, account)
        }
        SchemeKind::BswN => {
            let sign = |rung, each: &mut FingerprintSink<'_>| {
                BswN::visit(text, window, rung, BSW_AT_ONCE, each)
            };
            search.by_either(fingerprints, kind, &sign, view, account)
        }
        SchemeKind::MinN => {
            search.by_sketches(&MinN::sign(text, window, size), shingles, view, account)
        }
        SchemeKind::SketchN => {
            search.by_sketches(&SketchN::sign(text, window, size), shingles, view, account)
        }
        SchemeKind::SuperShingles => {
            search.by_super_shingles(&SuperShingles::sign(text, window), view, account)
        }
    }
}

/// Documents that reach the threshold, with the numbers of each.
struct VerifiedDocuments {
    documents: Vec<(Candidate, Overlap)>,
    /// Texts of the best documents, if they will be judged.
    texts: TextsForJudging,
    /// Candidates counted on all shingles.
    counted: u64,
    /// Candidates beyond the limit.
    unverified: u64,
}

/// Counts candidates on all shingles, best bound first, while one may still be shown; examines at most `max_verified`
/// of them.
fn verify(
    index: &IndexReader,
    subject: &Subject,
    params: &QueryParams,
    ranked: &[(Candidate, f64)],
    max_verified: usize,
    cancel: &Cancel,
    texts: TextsForJudging,
) -> Result<VerifiedDocuments, QueryError> {
    let mut found = VerifiedDocuments {
        documents: Vec::new(),
        texts,
        counted: 0,
        unverified: 0,
    };
    // If an upload has the name of an indexed file, that file is not listed, whatever document it carries.
    let unlisted = usize::from(subject.subject_path.is_some() && subject.file.is_none());
    let mut stop = bound::StopRule::new(params.limit.saturating_add(unlisted));
    for (position, (candidate, upper)) in ranked.iter().enumerate() {
        cancel.check()?;
        if params.kind != FindKind::Related && stop.excludes(*upper) {
            break;
        }
        if position >= max_verified {
            found.unverified = (ranked.len() - position) as u64;
            break;
        }
        let read = match index
            .shingles()
            .with_text(candidate.document, subject.account())
        {
            // Its last file disappeared since the candidates were found, or its text is damaged: the
            // index notes that, and the answer says that it is not complete.
            Err(error) if error.concerns_one_document() => continue,
            read => read?,
        };
        let (overlap, read) = match (subject.text(), read) {
            (Some(text), Some((set, read))) => {
                found.counted += 1;
                (Overlap::exact(&text.shingles, &set, cancel)?, read)
            }
            _ => (Overlap::estimated(candidate), None),
        };
        if let Some(value) = overlap.ranking_value(params.kind)
            && value >= params.threshold
        {
            // The file asked about is not listed, so its document must not take a place in the answer.
            if !is_own_document(index.documents(), subject, candidate) {
                stop.add(value);
                let id = candidate.document;
                found
                    .texts
                    .add(value, (id, &overlap), read, index.documents());
            }
            found.documents.push((*candidate, overlap));
        }
        let left = &ranked[position + 1..];
        let rank = |value| stop.as_good(value) + left.partition_point(|(_, upper)| *upper >= value);
        found.texts.hand_on_shown(rank);
    }
    found.texts.end_counting();
    Ok(found)
}

/// Whether the candidate is the document that the subject carries.
fn is_own_document(documents: Documents<'_>, subject: &Subject, candidate: &Candidate) -> bool {
    let stats = documents.stats(candidate.document);
    stats.is_some_and(|stats| subject.carries(stats.hash))
}
