//! Turns verified documents into files, each with its relation to the query; keeps the best `limit`.

mod overlap;

use simdex_index::{
    Cancel, Candidate, FileInfo, GrowingPermit, IndexError, IndexReader, MemoryAccount,
};
use simdex_schema::{ContentHash, DocumentHash};
use simdex_signature::{Rung, Scheme, SchemeKind};

pub use self::overlap::{Overlap, RatioEstimate};
use super::{FindKind, KnownDate, QueryError, QueryParams, Subject, best_date};
use crate::base::visit::FirstError;
use crate::read_side::judging_outcome::JudgingOutcome;

/// Hits gathered beyond the limit before the worst are dropped.
const SPARE: usize = 64;

/// The relation of the file named first to the other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Relation {
    /// Same raw bytes.
    IdenticalBytes,
    /// Same canonical text, other bytes.
    IdenticalText,
    /// Resemblance reaches the threshold.
    NearDuplicate,
    /// The first contains the second.
    Contains,
    /// The first is contained in the second.
    ContainedIn,
    /// They share something, but none of the above applies.
    Overlaps,
    /// They share nothing that is counted.
    NothingShared,
}

impl Relation {
    /// The name in JSON and tables.
    pub fn name(self) -> &'static str {
        match self {
            Self::IdenticalBytes => "identical-bytes",
            Self::IdenticalText => "identical-text",
            Self::NearDuplicate => "near-duplicate",
            Self::Contains => "contains",
            Self::ContainedIn => "contained-in",
            Self::Overlaps => "overlaps",
            Self::NothingShared => "nothing-shared",
        }
    }

    /// The relation of two documents that are not identical, from their ratios. The larger containment
    /// determines its direction, so that swapping the documents swaps the words; if both are equal,
    /// neither document contains the other.
    pub fn of(
        resemblance: f64,
        first_in_second: f64,
        second_in_first: f64,
        thresholds: RelationThresholds,
    ) -> Self {
        let threshold = thresholds.containment;
        if resemblance >= thresholds.resemblance {
            Self::NearDuplicate
        } else if second_in_first >= threshold && second_in_first > first_in_second {
            Self::Contains
        } else if first_in_second >= threshold && first_in_second > second_in_first {
            Self::ContainedIn
        } else {
            Self::Overlaps
        }
    }
}

/// The ratios from which a relation has its name.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RelationThresholds {
    /// Resemblance of near-duplicates.
    pub resemblance: f64,
    /// Share of one text that is found in the other, if that one contains it.
    pub containment: f64,
}

impl RelationThresholds {
    /// Thresholds of one ratio for resemblance and containment.
    pub fn both(ratio: f64) -> Self {
        Self {
            resemblance: ratio,
            containment: ratio,
        }
    }
}

/// What the numbers of a hit were counted on. That is Mod_n, or chunks, whichever scheme found the document: counts of
/// Min_n, Sketch_n and super-shingles only bound the resemblance, and those of BSW_n bound nothing.
#[derive(Clone, Copy, Debug)]
pub struct SchemeUsed {
    /// Scheme with its parameters.
    pub scheme: Scheme,
    /// Rung at which both sides were compared; 0 if verified.
    pub rung: Rung,
}

/// One file that answers a query.
#[derive(Clone, Debug)]
pub struct Hit {
    /// The file, with its state.
    pub file: FileInfo,
    /// Hash of the document it carries; `None` if it was found by its bytes alone.
    pub document: Option<DocumentHash>,
    /// Relation of the query to this file.
    pub relation: Relation,
    /// Resemblance and both containments.
    pub overlap: Overlap,
    /// What they were counted on.
    pub scheme: SchemeUsed,
    /// When it was made, as far as that is known.
    pub date: Option<KnownDate>,
    /// Whether it is the very file asked about.
    pub is_subject: bool,
    /// Index of the better hit of the answer that it is folded under, if any.
    pub folded_under: Option<usize>,
    /// The judgement of the pair of query and file; `None` if it was not requested, if the query has no text, or if
    /// the pair was not counted. It does not affect the answer.
    pub judgement: Option<JudgingOutcome>,
}

/// The best files of the view that carry these documents, without the one asked about.
pub(super) fn files_of_documents(
    index: &IndexReader,
    subject: &Subject,
    params: &QueryParams,
    documents: Vec<(Candidate, Overlap)>,
    cancel: &Cancel,
) -> Result<TopFiles, QueryError> {
    let mut best = TopFiles::new(params.kind, params.limit, subject.account());
    for (candidate, overlap) in documents {
        let Some(stats) = index.documents().stats(candidate.document) else {
            continue;
        };
        let same_text = subject.carries(stats.hash);
        let scheme = scheme_of(index, subject, &candidate, &overlap);
        let mut failed = FirstError::default();
        index
            .files()
            .visit_of_document(candidate.document, &params.view, &mut |file| {
                let thresholds = params.relation_thresholds();
                let relation = relation(subject.content, same_text, &file, &overlap, thresholds);
                let found = SharedHitFields {
                    document: Some(stats.hash),
                    relation,
                    overlap: overlap.known_from(relation),
                    scheme,
                };
                let added = best.add_file(index, subject, file, &found);
                failed.flow(added.and_then(|()| cancel.check()))
            })?;
        failed.into_result()?;
    }
    best.drop_worst();
    Ok(best)
}

/// The files of the view that have the subject's bytes, without the one asked about.
pub(super) fn files_of_bytes(
    index: &IndexReader,
    subject: &Subject,
    params: &QueryParams,
    cancel: &Cancel,
) -> Result<TopFiles, QueryError> {
    let mut best = TopFiles::new(params.kind, params.limit, subject.account());
    best.add_files_of_bytes(index, subject, params, cancel)?;
    Ok(best)
}

/// What is known of files before they are looked at: the part of a [`Hit`] that they share.
struct SharedHitFields {
    document: Option<DocumentHash>,
    relation: Relation,
    overlap: Overlap,
    scheme: SchemeUsed,
}

/// Keeps the best hits; few more than the limit, however many there are.
pub(super) struct TopFiles {
    /// Best first, once the worst are dropped.
    pub(super) hits: Vec<Hit>,
    /// The very file asked about.
    pub(super) subject_hit: Option<Hit>,
    /// Whether there were more hits than requested.
    pub(super) truncated: bool,
    /// Counts the memory of the hits: a file may have long facts.
    pub(super) held: GrowingPermit,
    kind: FindKind,
    limit: usize,
}

impl TopFiles {
    fn new(kind: FindKind, limit: usize, account: &MemoryAccount) -> Self {
        Self {
            held: GrowingPermit::of(account),
            hits: Vec::new(),
            subject_hit: None,
            truncated: false,
            kind,
            limit,
        }
    }

    /// Whether a file with the subject's bytes is among them.
    pub(super) fn has_same_bytes(&self) -> bool {
        let mut hits = self.hits.iter().chain(&self.subject_hit);
        hits.any(|hit| hit.relation == Relation::IdenticalBytes)
    }

    /// Adds the files of the view that have the subject's bytes.
    pub(super) fn add_files_of_bytes(
        &mut self,
        index: &IndexReader,
        subject: &Subject,
        params: &QueryParams,
        cancel: &Cancel,
    ) -> Result<(), QueryError> {
        let Some(content) = subject.content else {
            return Ok(());
        };
        let found = SharedHitFields {
            document: None,
            relation: Relation::IdenticalBytes,
            overlap: Overlap::IDENTICAL,
            scheme: SchemeUsed {
                scheme: simdex_signature::Chunks::SCHEME,
                rung: Rung::ZERO,
            },
        };
        let mut failed = FirstError::default();
        index
            .files()
            .visit_of_content(content, &params.view, &mut |file| {
                let added = self.add_file(index, subject, file, &found);
                failed.flow(added.and_then(|()| cancel.check()))
            })?;
        failed.into_result()?;
        self.drop_worst();
        Ok(())
    }

    fn add_file(
        &mut self,
        index: &IndexReader,
        subject: &Subject,
        file: FileInfo,
        found: &SharedHitFields,
    ) -> Result<(), IndexError> {
        self.add(Hit {
            date: best_date(index.files(), &file)?,
            is_subject: subject.subject_path.as_ref() == Some(&file.path),
            file,
            document: found.document,
            relation: found.relation,
            overlap: found.overlap,
            scheme: found.scheme,
            folded_under: None,
            judgement: None,
        })
    }

    fn add(&mut self, hit: Hit) -> Result<(), IndexError> {
        self.held.add(held_bytes(&hit))?;
        if hit.is_subject {
            self.subject_hit = Some(hit);
            return Ok(());
        }
        self.hits.push(hit);
        if self.hits.len() > self.limit + self.limit / 4 + SPARE {
            self.drop_worst();
        }
        Ok(())
    }

    fn drop_worst(&mut self) {
        sort_by_value(&mut self.hits, self.kind);
        self.truncated |= self.hits.len() > self.limit;
        self.hits.truncate(self.limit);
        let left = self.hits.iter().chain(&self.subject_hit);
        self.held.shrink_to(left.map(held_bytes).sum());
    }
}

/// Bytes that a hit takes, including the spare capacity of the list.
fn held_bytes(hit: &Hit) -> u64 {
    hit.file.held_bytes() + 2 * size_of::<Hit>() as u64
}

pub(super) fn relation(
    content: Option<ContentHash>,
    same_document: bool,
    file: &FileInfo,
    overlap: &Overlap,
    thresholds: RelationThresholds,
) -> Relation {
    if content.is_some() && file.record.content() == content {
        return Relation::IdenticalBytes;
    }
    if same_document {
        return Relation::IdenticalText;
    }
    overlap.relation(thresholds)
}

fn scheme_of(
    index: &IndexReader,
    subject: &Subject,
    candidate: &Candidate,
    overlap: &Overlap,
) -> SchemeUsed {
    let scheme = match subject.fingerprints() {
        Some((SchemeKind::Chunks, ..)) => simdex_signature::Chunks::SCHEME,
        _ => Scheme::of_text(SchemeKind::ModN, index.window()),
    };
    let rung = match overlap.verified {
        true => Rung::ZERO,
        false => candidate.rung,
    };
    SchemeUsed { scheme, rung }
}

/// Best first, ties by path.
fn sort_by_value(hits: &mut [Hit], kind: FindKind) {
    let value = |hit: &Hit| hit.overlap.ranking_value(kind).unwrap_or(-1.0);
    hits.sort_by(|a, b| value(b).total_cmp(&value(a)).then_with(|| by_path(a, b)));
}

/// Oldest first, unknown dates last, ties by path.
pub(super) fn sort_by_date(hits: &mut [Hit]) {
    let date = |hit: &Hit| match hit.date {
        Some(date) => (false, date.seconds),
        None => (true, 0),
    };
    hits.sort_by(|a, b| date(a).cmp(&date(b)).then_with(|| by_path(a, b)));
}

fn by_path(a: &Hit, b: &Hit) -> std::cmp::Ordering {
    a.file.path.as_os_str().cmp(b.file.path.as_os_str())
}

#[cfg(test)]
mod tests;
