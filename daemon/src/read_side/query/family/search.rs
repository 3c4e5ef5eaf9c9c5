//! The search for the versions of a family, breadth first.
//!
//! Pairs are linked by counts on all shingles. A version linked by containment alone, an excerpt or a
//! container, is shown but not followed, so that a collection does not connect everything it collects. Not
//! every version is asked about: one that resembles a version already asked about by at least [`COVERED`]
//! has hardly any neighbours that the other has not. So a family costs about two texts read for each
//! version, and one look-up for each stretch of its history. The search ends at [`FamilyParams::limit`]
//! versions, or when [`READ_FOR_EACH`] times as many texts have been read. Candidates that are somewhat alike are
//! looked at once more at the end ([`gaps`](super::gaps)).
//!
//! Where a name was replaced throughout, two versions share far fewer shingles than that. Of the candidates that
//! resemble a version less than a link demands, the [`RENAMED_READ`] most alike are compared with the replacement
//! undone ([`renamed`](super::renamed)). All versions are sampled under the names that the subject uses.

use std::collections::{HashMap, VecDeque};
use std::rc::Rc;

use simdex_index::{Cancel, FoundCandidates, IndexReader, MemoryPermit};
use simdex_schema::{DocId, DocumentHash};
use simdex_signature::ShingleSet;

use super::near_candidates::{NearCandidates, NearMiss, estimated};
use super::renamed::{find_renamed, shingled_undone};
use super::{FamilyParams, Renaming};
use crate::read_side::families::{Samples, written_dates};
use crate::read_side::query::{
    FindKind, Overlap, QueryError, QueryParams, ShingledText, Subject, bound, candidates,
};

/// A version that resembles one already asked about at least this much is not asked about itself.
const COVERED: f64 = 0.9;
/// Texts that may be read for each version that may be shown.
const READ_FOR_EACH: u64 = 4;
/// Candidates of one look-up that are read although they resemble the version less than a link demands.
const RENAMED_READ: usize = 16;
/// Least resemblance of these. A name in every sixth word leaves about a quarter of what the texts share.
const RENAMED_FROM: f64 = 0.1;
/// Fingerprints held of all versions; up to this number, versions are compared on all shingles.
const MAX_SAMPLED: usize = 4 << 20;
/// Memory for samples is taken for this many fingerprints at a time.
const STEP: usize = 64 << 10;
/// Bytes that a fingerprint takes at most: 8 in a sample and 16 among the entries, then 4 in the list of its
/// version, 4 among its holders and half of a list of its own (32); twice what grows, since it grows by doubling.
const EACH_TAKES: u64 = 72;

/// A version that was found.
pub(super) struct FoundVersion {
    /// `None` for the subject, if it is not in the view.
    pub(super) document: Option<DocId>,
    pub(super) hash: DocumentHash,
    /// Its shingles, under the names that the subject uses.
    pub(super) shingles: u64,
    /// How its names become those of the subject, step by step.
    pub(super) renamings: Rc<[Renaming]>,
    /// The latest date written in its text.
    pub(super) written: Option<i64>,
    /// What the subject shares with it.
    pub(super) overlap: Overlap,
    /// How it is linked to the others.
    pub(super) standing: Standing,
}

/// How a version is linked to the others, as far as the search has come.
#[derive(Clone, Copy, Debug)]
pub(super) struct Standing {
    /// Its greatest resemblance to a version that was asked about.
    greatest_resemblance: f64,
    /// Whether it resembles a version that was asked about, so that its own neighbours are searched for too.
    pub(super) is_followed: bool,
    /// The piece that it is in: versions linked to one another, if it is followed.
    pub(super) piece: usize,
}

/// The versions that a search found, and the work it took.
pub(super) struct FoundVersions {
    /// The subject first.
    pub(super) versions: Vec<FoundVersion>,
    /// Samples in the order of `versions`, with permits.
    pub(super) samples: (Samples, Vec<MemoryPermit>),
    pub(super) candidates: u64,
    pub(super) read: u64,
    pub(super) common_lists_count_only: u64,
    pub(super) is_cut: bool,
    /// Pairs of versions at which two pieces meet.
    pub(super) bridges: Vec<[usize; 2]>,
    /// Pieces that were not joined, the most alike first.
    pub(super) near_misses: Vec<NearMiss>,
}

/// Finds all versions of the subject's family.
pub(super) fn search(
    index: &IndexReader,
    subject: &Subject,
    text: &ShingledText,
    params: &FamilyParams,
    cancel: &Cancel,
) -> Result<FoundVersions, QueryError> {
    let mut search = Search {
        index,
        subject,
        text,
        params,
        cancel,
        numbers: HashMap::new(),
        queue: VecDeque::new(),
        piece: 0,
        linked_piece: None,
        near: NearCandidates::default(),
        has_grown: false,
        is_piece_cut: false,
        found: FoundVersions {
            versions: Vec::new(),
            samples: (Samples::new(MAX_SAMPLED), Vec::new()),
            candidates: 0,
            read: 0,
            common_lists_count_only: 0,
            is_cut: false,
            bridges: Vec::new(),
            near_misses: Vec::new(),
        },
    };
    let document = index.documents().with_hash(text.hash)?;
    let document =
        document.filter(|document| index.files().count_of_document(*document, &params.view) > 0);
    let as_it_is = Link {
        resemblance: 0.0,
        is_followed: true,
        renamings: Rc::from([]),
    };
    search.add(document, text, as_it_is)?;
    search.ask_about_all()?;
    search.look_again()?;
    Ok(search.found)
}

/// A version's text, and how its names become those of the subject.
pub(super) type Named<'a> = (&'a ShingledText, &'a Rc<[Renaming]>);

/// How a version is linked to the one that led to it.
pub(super) struct Link {
    pub(super) resemblance: f64,
    pub(super) is_followed: bool,
    pub(super) renamings: Rc<[Renaming]>,
}

pub(super) struct Search<'a> {
    pub(super) index: &'a IndexReader,
    pub(super) subject: &'a Subject,
    pub(super) text: &'a ShingledText,
    pub(super) params: &'a FamilyParams,
    pub(super) cancel: &'a Cancel,
    pub(super) numbers: HashMap<DocId, usize>,
    /// Versions that may have neighbours of their own.
    pub(super) queue: VecDeque<usize>,
    /// The piece that is searched.
    pub(super) piece: usize,
    /// Another piece that a version of this one turned out to be linked to.
    pub(super) linked_piece: Option<usize>,
    pub(super) near: NearCandidates,
    /// Whether versions were added after a piece was left out.
    pub(super) has_grown: bool,
    /// Whether a piece was too large to be searched.
    pub(super) is_piece_cut: bool,
    pub(super) found: FoundVersions,
}

impl Search<'_> {
    /// Adds all versions that those found so far lead to.
    pub(super) fn ask_about_all(&mut self) -> Result<(), QueryError> {
        while let Some(at) = self.queue.pop_front() {
            self.ask_about(at)?;
        }
        Ok(())
    }

    /// Adds a version, with everything that is needed of its text.
    pub(super) fn add(
        &mut self,
        document: Option<DocId>,
        text: &ShingledText,
        link: Link,
    ) -> Result<(), QueryError> {
        let (account, sets) = (self.subject.account(), self.index.shingles());
        let undone = match link.renamings.is_empty() {
            true => None,
            false => Some(shingled_undone(sets, text, &link.renamings, account)?),
        };
        let shingles = undone.as_ref().unwrap_or(&text.shingles);
        self.sample(shingles)?;
        let versions = &mut self.found.versions;
        if let Some(document) = document {
            self.numbers.insert(document, versions.len());
        }
        if link.is_followed {
            self.queue.push_back(versions.len());
        }
        versions.push(FoundVersion {
            document,
            hash: text.hash,
            shingles: shingles.len() as u64,
            renamings: link.renamings,
            written: written_dates::latest(text.canonical.as_str()),
            overlap: Overlap::of_texts(self.text, text, self.cancel)?,
            standing: Standing {
                greatest_resemblance: link.resemblance,
                is_followed: link.is_followed,
                piece: self.piece,
            },
        });
        Ok(())
    }

    /// Samples the next version, with permits for what is held of all.
    pub(super) fn sample(&mut self, shingles: &ShingleSet) -> Result<(), QueryError> {
        let (samples, permits) = &mut self.found.samples;
        let expected = samples.make_room(shingles.len());
        while permits.len() * STEP < expected {
            let bytes = STEP as u64 * EACH_TAKES;
            permits.push(self.subject.account().take(bytes)?);
        }
        samples.add(shingles);
        Ok(())
    }

    /// Whether no more versions may be added, or texts read.
    pub(super) fn is_full(&self) -> bool {
        let limit = self.params.limit;
        self.found.versions.len() >= limit || self.found.read >= READ_FOR_EACH * limit as u64
    }

    /// Adds the neighbours of a version, unless they were found already.
    fn ask_about(&mut self, at: usize) -> Result<(), QueryError> {
        self.cancel.check()?;
        let version = &self.found.versions[at];
        if version.standing.greatest_resemblance >= COVERED || self.found.is_cut {
            return Ok(());
        }
        let renamings = Rc::clone(&version.renamings);
        if at == 0 {
            let of = (self.text, &renamings);
            return self.add_neighbours(at, self.subject, of, FindKind::Related);
        }
        let Some(subject) = self.read(version.hash)? else {
            return Ok(());
        };
        match subject.text() {
            Some(text) => self.add_neighbours(at, &subject, (text, &renamings), FindKind::Similar),
            None => Ok(()),
        }
    }

    fn add_neighbours(
        &mut self,
        asked: usize,
        subject: &Subject,
        of: Named<'_>,
        kind: FindKind,
    ) -> Result<(), QueryError> {
        let near = self.neighbours(subject, kind)?;
        for candidate in &near.found {
            self.cancel.check()?;
            if let Some(at) = self.numbers.get(&candidate.document) {
                self.meet(asked, *at, estimated(candidate));
                continue;
            }
            if self.is_full() {
                self.found.is_cut = true;
                return Ok(());
            }
            self.consider(of, candidate.document)?;
        }
        Ok(())
    }

    /// Notes that a version that was asked about is a neighbour of one found before. That one may have been linked by
    /// containment alone until now, or be in another piece.
    fn meet(&mut self, asked: usize, at: usize, resemblance: f64) {
        let standing = &mut self.found.versions[at].standing;
        standing.greatest_resemblance = standing.greatest_resemblance.max(resemblance);
        let Standing {
            is_followed, piece, ..
        } = *standing;
        if is_followed && piece == self.piece {
            return;
        }
        let exact = self.found.samples.0.resemblance(asked, at);
        if exact < self.params.rule.resemblance {
            return;
        }
        match is_followed {
            true => self.linked_piece = Some(piece),
            false => self.follow(at),
        }
    }

    /// Follows a version that was found by containment alone.
    pub(super) fn follow(&mut self, at: usize) {
        let standing = &mut self.found.versions[at].standing;
        (standing.is_followed, standing.piece) = (true, self.piece);
        self.queue.push_back(at);
    }

    /// Candidates that may be linked to a version, most alike first; then some that may be so under other names.
    fn neighbours(
        &mut self,
        subject: &Subject,
        kind: FindKind,
    ) -> Result<FoundCandidates, QueryError> {
        let FamilyParams { rule, view, .. } = self.params;
        let params = QueryParams {
            kind,
            scheme: self.params.scheme,
            threshold: rule.resemblance,
            relation_threshold: self.params.relation_threshold,
            containment_threshold: self.params.containment_threshold,
            limit: self.params.limit,
            view: view.clone(),
            judged_by: None,
        };
        let mut near = candidates(self.index, subject, &params)?;
        self.found.candidates += near.found.len() as u64;
        self.found.common_lists_count_only = self
            .found
            .common_lists_count_only
            .max(near.common_lists_count_only);
        let found = std::mem::take(&mut near.found).into_iter();
        let (mut linked, mut rest): (Vec<_>, Vec<_>) =
            found.partition(|candidate| bound::may_link(candidate, rule));
        self.keep_near(linked.iter().chain(&rest));
        rest.retain(|candidate| {
            estimated(candidate) >= RENAMED_FROM && !self.numbers.contains_key(&candidate.document)
        });
        for some in [&mut linked, &mut rest] {
            some.sort_unstable_by(|a, b| {
                let by_resemblance = estimated(b).total_cmp(&estimated(a));
                by_resemblance.then(a.document.cmp(&b.document))
            });
        }
        rest.truncate(match self.params.follows_renamings {
            true => RENAMED_READ,
            false => 0,
        });
        near.found = linked;
        near.found.append(&mut rest);
        Ok(near)
    }

    /// Reads a candidate, and adds it if it is linked to the version that led to it.
    pub(super) fn consider(&mut self, of: Named<'_>, document: DocId) -> Result<(), QueryError> {
        let Some(stats) = self.index.documents().stats(document) else {
            return Ok(());
        };
        let Some(subject) = self.read(stats.hash)? else {
            return Ok(());
        };
        let Some(text) = subject.text() else {
            return Ok(());
        };
        let (of, renamings) = of;
        let overlap = Overlap::of_texts(of, text, self.cancel)?;
        let rule = &self.params.rule;
        let (account, cancel) = (self.subject.account(), self.cancel);
        let sets = self.index.shingles();
        let renamed = match self.params.follows_renamings {
            true => find_renamed(sets, [of, text], &overlap, rule, (account, cancel))?,
            false => None,
        };
        let (a, b) = (of.shingles.len() as u64, text.shingles.len() as u64);
        if !rule.links(overlap.shared, a, b) && renamed.is_none() {
            return Ok(());
        }
        let resemblance = overlap.resemblance.value.unwrap_or(0.0);
        let is_followed = resemblance >= rule.resemblance || renamed.is_some();
        // First to the names of the version that led to it, then as its own become those of the subject.
        let renamings = match renamed {
            Some(renamed) => [renamed.renamings.as_slice(), renamings].concat().into(),
            None => Rc::clone(renamings),
        };
        let link = Link {
            resemblance,
            is_followed,
            renamings,
        };
        self.add(Some(document), text, link)
    }

    /// Reads a text; `None` if its last file disappeared, or if it is damaged, which the index notes.
    pub(super) fn read(&mut self, hash: DocumentHash) -> Result<Option<Subject>, QueryError> {
        self.found.read += 1;
        let account = self.subject.account();
        match Subject::from_document(self.index, hash, &self.params.view, account) {
            Ok(subject) => Ok(Some(subject)),
            Err(QueryError::UnknownDocument(_)) => Ok(None),
            Err(QueryError::Index(error)) if error.concerns_one_document() => Ok(None),
            Err(error) => Err(error),
        }
    }
}
