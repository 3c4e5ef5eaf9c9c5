//! Compliance questions: who holds copies of these files, which versions are stale, where protected text went,
//! what could be freed.
//!
//! Each question is answered from the current index, file by file in a fixed order, and each number is counted as
//! in an answer to a query. Nothing is changed or deleted.

mod copies;
mod duplicates;
mod finding;
mod leak;
mod sent_files;
mod stale;

use std::os::unix::ffi::OsStrExt;
use std::path::PathBuf;

use simdex_index::{Cancel, FileInfo, GrowingPermit, IndexError, MemoryAccount, VisibleRoots};
use simdex_schema::RootId;
use thiserror::Error;

use crate::base::echo::echo;
use crate::engine::Engine;
use crate::host::owners::Owners;
use crate::read_side::query::{
    self, Answer, ComparedBy, Hit, MISS_PROBABILITY, QueryError, QueryParams, Relation, Subject,
};

pub use finding::{Finding, FindingsSummary, NotCompared, Sums, TakeFinding};
pub use sent_files::SentFiles;

/// Most files found for one document.
const MAX_FOUND: usize = 10_000;

/// A compliance question: what files a report is to find.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ComplianceQuestion {
    /// The files that are copies or near-copies of these, or that contain one of them.
    CopiesOf(Vec<PathBuf>),
    /// Versions with a later one, older than this many seconds.
    StaleVersions(u64),
    /// Files outside these roots that share text with a document in them.
    Leak(Vec<RootId>),
    /// Files whose bytes, or whose text, another file has too.
    Duplicates,
}

impl ComplianceQuestion {
    /// Its name on the wire, in the config and in a manifest.
    pub fn name(&self) -> &'static str {
        match self {
            Self::CopiesOf(_) => "copies-of",
            Self::StaleVersions(_) => "stale-versions",
            Self::Leak(_) => "leak",
            Self::Duplicates => "duplicates",
        }
    }
}

/// A question that cannot be answered.
#[derive(Debug, Error)]
pub enum FindingError {
    /// A file was sent that the index has.
    #[error("{} is in the index, and was sent all the same", echo(.0.as_os_str().as_bytes()))]
    Indexed(PathBuf),
    /// A given file cannot be asked about, or the search failed.
    #[error(transparent)]
    Query(#[from] QueryError),
    /// The index failed, or the client disconnected.
    #[error(transparent)]
    Index(#[from] IndexError),
    /// The findings could not be written.
    #[error(transparent)]
    Write(#[from] std::io::Error),
}

/// Parameters of a question.
pub struct ReportScope<'a> {
    /// The engine asked.
    pub engine: &'a Engine,
    /// The roots whose files may be found.
    pub view: &'a VisibleRoots,
    /// Least resemblance of a finding.
    pub threshold: f64,
    /// Least share of a text that a finding contains.
    pub containment: f64,
    /// When the question was asked, seconds since 1970.
    pub now: i64,
    /// Memory for texts; its flag is cancelled once nobody waits.
    pub account: &'a MemoryAccount,
    /// Names of the users who own files.
    pub owners: Owners,
    /// The files asked about that the index lacks.
    pub sent_files: &'a SentFiles,
}

/// Name of the sum that counts searches which may miss a match at the threshold with a higher probability than
/// promised.
const UNCERTAIN: &str = "uncertain";

impl ReportScope<'_> {
    /// Answers a question: calls `take` for each finding, in a fixed order, and returns what it found in all.
    pub fn run(
        &self,
        kind: &ComplianceQuestion,
        take: &mut TakeFinding<'_>,
    ) -> Result<FindingsSummary, FindingError> {
        let sums = match kind {
            ComplianceQuestion::CopiesOf(files) => return copies::find(self, files, take),
            ComplianceQuestion::StaleVersions(age) => stale::find(self, *age, take),
            ComplianceQuestion::Leak(protected) => leak::find(self, protected, take),
            ComplianceQuestion::Duplicates => duplicates::find(self, take),
        };
        sums.map(FindingsSummary::from)
    }

    /// Refuses a question about files that the index does not know and that were not sent.
    pub fn check(&self, kind: &ComplianceQuestion) -> Result<(), FindingError> {
        match kind {
            ComplianceQuestion::CopiesOf(files) => copies::check(self, files),
            _ => Ok(()),
        }
    }

    /// The given files of a view, by path, each once; an error if the index does not know one of them.
    pub fn files_at(
        &self,
        files: &[PathBuf],
        view: &VisibleRoots,
    ) -> Result<Vec<FileInfo>, FindingError> {
        let named = files
            .iter()
            .map(|path| query::file_at_path(self.engine, path, view));
        let mut named: Vec<_> = named.collect::<Result<_, _>>()?;
        named.sort_by(|a, b| a.path.as_os_str().cmp(b.path.as_os_str()));
        named.dedup_by(|a, b| a.path == b.path);
        Ok(named)
    }

    fn cancel(&self) -> &Cancel {
        self.account.cancel()
    }

    /// Runs a query about a file, and counts the file under `compared` or "not_compared"; `None` if it is not
    /// compared. The text and its permits are dropped at the end, since the consumer of the findings may be slow.
    fn query_and_count(
        &self,
        subject: Option<Subject>,
        params: &QueryParams,
        compared: &'static str,
        sums: &mut Sums,
    ) -> Result<Option<Answer>, FindingError> {
        let Some(subject) = subject else {
            count(sums, "not_compared", 1);
            return Ok(None);
        };
        let answer = query::find(self.engine.index.reader(), &subject, params, self.cancel())?;
        // Similar raw bytes, and copies of a text without shingles, are found. Other texts similar to it are not.
        let counted_as = match answer.summary.compared_by {
            ComparedBy::Text => compared,
            _ => "not_compared",
        };
        count(sums, counted_as, 1);
        let is_cut = answer.summary.truncated || answer.summary.unverified > 0;
        count(sums, "cut_short", u64::from(is_cut));
        // A short text within a very long one may share none of the fingerprints that were looked up.
        let missed = answer.summary.promise.missed_at_most;
        let is_uncertain = missed.is_none_or(|missed| missed > MISS_PROBABILITY);
        count(sums, UNCERTAIN, u64::from(is_uncertain && !is_cut));
        Ok(Some(answer))
    }

    /// Whether a file that a query found has the text of the file asked about, resembles it, or contains as much of it
    /// as is asked for. Its relation does not tell: of two texts that share most of each other it names one direction.
    fn is_copy_of_first(&self, hit: &Hit) -> bool {
        let is_same = matches!(
            hit.relation,
            Relation::IdenticalBytes | Relation::IdenticalText
        );
        let overlap = &hit.overlap;
        is_same
            || reaches(overlap.resemblance.value, self.threshold)
            || reaches(overlap.containment_of_first.value, self.containment)
    }

    /// The part of a finding that describes a file itself.
    fn describe(&self, file: &FileInfo) -> Result<Finding, IndexError> {
        let roots = &self.engine.roots;
        let root = roots.iter().find(|root| root.id == file.key.root);
        let owner = self.engine.index.reader().files().owner_of(file)?;
        Ok(Finding {
            path: bytes(&file.path),
            root: root.map(|root| bytes(&root.path)).unwrap_or_default(),
            owner,
            owner_name: self.owners.name(owner).map(str::to_owned),
            document: file.document.map(|(_, hash)| hash),
            content: file.record.content(),
            bytes: file.record.bytes(),
            modified: file.record.modified(),
            ..Finding::default()
        })
    }

    /// The files that a query found, other than the one asked about, with the permit for them.
    fn findings_of_hits<'h>(
        &self,
        hits: impl Iterator<Item = &'h Hit>,
        of: &[u8],
    ) -> Result<(Vec<Finding>, GrowingPermit), IndexError> {
        let (mut found, mut held) = (Vec::new(), GrowingPermit::of(self.account));
        for hit in hits {
            let finding = self.finding_of_hit(hit, of)?;
            held.add(held_bytes(&finding))?;
            found.push(finding);
        }
        Ok((found, held))
    }

    /// A finding for a file that a query found, with the file that was asked about.
    fn finding_of_hit(&self, hit: &Hit, of: &[u8]) -> Result<Finding, IndexError> {
        Ok(Finding {
            relation: reversed(hit.relation).name(),
            of: of.to_vec(),
            resemblance: hit.overlap.resemblance.value,
            containment: hit.overlap.containment_of_second.value,
            containment_of_other: hit.overlap.containment_of_first.value,
            verified: Some(hit.overlap.verified),
            ..self.describe(&hit.file)?
        })
    }
}

fn reaches(value: Option<f64>, least: f64) -> bool {
    value.is_some_and(|value| value >= least)
}

/// The relation of the second to the first.
fn reversed(relation: Relation) -> Relation {
    match relation {
        Relation::Contains => Relation::ContainedIn,
        Relation::ContainedIn => Relation::Contains,
        both_ways => both_ways,
    }
}

/// The subject for a question about a file; `None` if there is nothing to compare, if its document was removed
/// meanwhile, or if its text is damaged, which the completeness of the answer shows.
fn compared_subject(
    scope: &ReportScope<'_>,
    file: &FileInfo,
) -> Result<Option<Subject>, FindingError> {
    match Subject::from_file(scope.engine.index.reader(), file, scope.account) {
        Err(QueryError::Index(error)) if error.concerns_one_document() => Ok(None),
        subject => Ok(Some(subject?).filter(is_compared)),
    }
}

/// Whether more of a subject is compared than the hash of its bytes.
fn is_compared(subject: &Subject) -> bool {
    let by = subject.compared_by();
    !matches!(by, ComparedBy::Nothing | ComparedBy::WholeBytes)
}

/// Bytes that a finding takes, including the spare capacity of the list.
fn held_bytes(finding: &Finding) -> u64 {
    let newest = finding.newest.as_ref().map_or(0, Vec::len);
    let paths = finding.path.len() + finding.root.len() + finding.of.len() + newest;
    (2 * size_of::<Finding>() + paths) as u64
}

fn bytes(path: &std::path::Path) -> Vec<u8> {
    path.as_os_str().as_bytes().to_vec()
}

/// Adds to a sum.
fn count(sums: &mut Sums, name: &'static str, by: u64) {
    *sums.entry(name).or_default() += by;
}
