//! Files that could be freed, because another file on disk has the same bytes or the same text: by the first file of
//! their document, then by path.
//!
//! Of the files that carry one document, the one kept was read whole and, if there is one, without a warning of its
//! reader, such as that of a file that was repaired; the first by path of those. Two names of one inode (hard links)
//! hold their bytes once: removing the second frees nothing. Near-duplicates are not counted: their differences
//! would be lost. So would be what a file of other bytes holds besides the text: the rest of one that was read in part,
//! and members, such as attachments. Members of containers are not files that could be removed by themselves.
//!
//! A root that cannot be read now may have lost what is on record of it, or hold the better copy. So a file of such a root
//! is neither kept nor freed; where it has a copy it is counted.

use std::collections::{HashMap, HashSet};
use std::ops::ControlFlow;
use std::path::PathBuf;

use simdex_extract::Fact;
use simdex_index::{FileInfo, GrowingPermit, IndexError};
use simdex_schema::{ContentHash, DocId, RootId, State};

use super::{Finding, FindingError, ReportScope, Sums, TakeFinding, bytes, count};
use crate::base::visit::FirstError;
use crate::write_side::roots::RootState;

/// Contents without a document (too large to be compared, or damaged) that are held at once; further ones are
/// counted as not compared, and their copies are not found.
const MAX_UNCOMPARED: usize = 1 << 18;

/// Name of the sum of copies in roots that are not up to date.
const UNREACHED: &str = "unreached";

const NAMES: [&str; 7] = [
    "hard_links",
    "identical_bytes_bytes",
    "identical_bytes_files",
    "identical_text_bytes",
    "identical_text_files",
    "not_compared",
    UNREACHED,
];

pub(super) fn find(
    scope: &ReportScope<'_>,
    take: &mut TakeFinding<'_>,
) -> Result<Sums, FindingError> {
    let roots = scope.engine.roots.iter();
    let reached = roots.filter(|root| root.state() == RootState::Watching);
    let mut finder = DuplicateFinder {
        reached: reached.map(|root| root.id).collect(),
        held: GrowingPermit::of(scope.account),
        scope,
        documents: HashSet::new(),
        uncompared: HashMap::new(),
        sums: NAMES.into_iter().map(|name| (name, 0)).collect(),
        take,
    };
    let mut failed = FirstError::default();
    scope
        .engine
        .index
        .reader()
        .files()
        .visit(scope.view, scope.account, &mut |file| {
            let checked = scope.cancel().check().map_err(FindingError::from);
            failed.flow(checked.and_then(|()| finder.file(&file)))
        })?;
    failed.into_result()?;
    Ok(finder.sums)
}

/// Bytes that a document, a content or an inode takes in its map, with spare capacity; for a content, also its path.
const DOCUMENT: u64 = 24;
const CONTENT: u64 = 192;
const INODE: u64 = 40;
/// Bytes that a content without a path takes in a set.
const UNREACHED_CONTENT: u64 = 80;

/// The files kept for one document.
#[derive(Default)]
struct KeptFiles {
    /// The one that is kept of all, and the first file of each content.
    best: Option<PathBuf>,
    of_content: HashMap<ContentHash, PathBuf>,
    /// Device and inode of each file.
    inodes: HashSet<(u64, u64)>,
    /// Contents of which the one file so far is in a root that is not reached.
    unreached: HashSet<ContentHash>,
}

impl KeptFiles {
    /// Notes the file that is kept of all.
    fn keep_best(&mut self, file: &FileInfo, held: &mut GrowingPermit) -> Result<(), IndexError> {
        held.add(INODE)?;
        self.inodes.insert(inode(file));
        self.best = Some(file.path.clone());
        match file.record.content() {
            Some(content) => self.keep(content, file, held),
            None => Ok(()),
        }
    }

    /// Notes the first file of a content.
    fn keep(
        &mut self,
        content: ContentHash,
        file: &FileInfo,
        held: &mut GrowingPermit,
    ) -> Result<(), IndexError> {
        held.add(CONTENT + 2 * file.path.as_os_str().len() as u64)?;
        self.of_content.insert(content, file.path.clone());
        Ok(())
    }
}

/// Device and inode of a file.
fn inode(file: &FileInfo) -> (u64, u64) {
    (file.record.stat.device, file.record.stat.inode)
}

/// How well a file could be kept in place of the others with its text.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Fitness {
    Whole,
    /// Its text is whole, with a warning of its reader.
    Warned,
}

impl Fitness {
    /// `None` if the file cannot stand for others: it is a member, or was read only in part.
    fn of(file: &FileInfo) -> Option<Self> {
        let content = file.content.as_ref().filter(|_| !file.key.is_member())?;
        match (content.state, content.warnings.is_empty()) {
            (State::Partial, _) => None,
            (_, true) => Some(Self::Whole),
            (_, false) => Some(Self::Warned),
        }
    }
}

/// Whether a file may hold more than its text.
fn may_hold_more(file: &FileInfo) -> bool {
    file.content.as_ref().is_some_and(|content| {
        content.state == State::Partial || content.count(Fact::Members.code()) > 0
    })
}

struct DuplicateFinder<'a, 'b> {
    scope: &'a ReportScope<'a>,
    /// The roots that are up to date.
    reached: HashSet<RootId>,
    /// Counts the memory of the two maps below.
    held: GrowingPermit,
    /// Documents of several files that were already visited.
    documents: HashSet<DocId>,
    uncompared: HashMap<ContentHash, KeptFiles>,
    sums: Sums,
    take: &'a mut TakeFinding<'b>,
}

impl DuplicateFinder<'_, '_> {
    /// Handles a document at its first file: all its files at once.
    fn file(&mut self, file: &FileInfo) -> Result<(), FindingError> {
        let index = self.scope.engine.index.reader();
        let Some(document) = file.content.as_ref().and_then(|content| content.document) else {
            return self.compare_bytes(file);
        };
        let is_alone = index.files().count_of_document(document, self.scope.view) < 2;
        if is_alone || !self.documents.insert(document) {
            return Ok(());
        }
        self.held.add(DOCUMENT)?;
        let (mut kept, mut failed) = (KeptFiles::default(), FirstError::default());
        let mut held = GrowingPermit::of(self.scope.account);
        if let Some(best) = self.best_file_of(document)? {
            kept.keep_best(&best, &mut held)?;
        }
        index
            .files()
            .visit_of_document(document, self.scope.view, &mut |file| {
                let checked = self.scope.cancel().check().map_err(FindingError::from);
                failed.flow(
                    checked.and_then(|()| self.compare_with_kept(&file, &mut kept, &mut held)),
                )
            })?;
        failed.into_result()
    }

    /// The file to keep of those that carry a document, if one can stand for others. Later files are looked at only
    /// until a whole one is found.
    fn best_file_of(&self, document: DocId) -> Result<Option<FileInfo>, FindingError> {
        let (mut best, mut checked) = (None::<(Fitness, FileInfo)>, Ok(()));
        let index = self.scope.engine.index.reader();
        let files = index.files();
        files.visit_of_document(document, self.scope.view, &mut |file| {
            checked = self.scope.cancel().check();
            if let Some(fitness) = Fitness::of(&file)
                && self.is_reached(&file)
                && best.as_ref().is_none_or(|(known, _)| fitness < *known)
            {
                best = Some((fitness, file));
            }
            match (&checked, &best) {
                (Err(_), _) | (_, Some((Fitness::Whole, _))) => ControlFlow::Break(()),
                _ => ControlFlow::Continue(()),
            }
        })?;
        checked?;
        Ok(best.map(|(_, file)| file))
    }

    /// Whether a file can be kept, as far as its root tells.
    fn is_reached(&self, file: &FileInfo) -> bool {
        self.reached.contains(&file.key.root)
    }

    /// Handles a file whose content has no document: only its bytes can be the same.
    fn compare_bytes(&mut self, file: &FileInfo) -> Result<(), FindingError> {
        let Some(content) = file.record.content() else {
            return Ok(());
        };
        let is_new = !self.uncompared.contains_key(&content);
        if is_new && self.uncompared.len() >= MAX_UNCOMPARED {
            count(&mut self.sums, "not_compared", 1);
            return Ok(());
        }
        let mut kept = self.uncompared.remove(&content).unwrap_or_default();
        let mut held = std::mem::replace(&mut self.held, GrowingPermit::of(self.scope.account));
        let done = self.compare_with_kept(file, &mut kept, &mut held);
        self.held = held;
        self.uncompared.insert(content, kept);
        done
    }

    /// Compares a file with the kept one of its document and with those that came before.
    fn compare_with_kept(
        &mut self,
        file: &FileInfo,
        kept: &mut KeptFiles,
        held: &mut GrowingPermit,
    ) -> Result<(), FindingError> {
        let Some(content) = file.record.content().filter(|_| !file.key.is_member()) else {
            return Ok(());
        };
        if kept.best.as_ref() == Some(&file.path) {
            return Ok(());
        }
        if !self.is_reached(file) {
            let is_copy = kept.best.is_some()
                || kept.of_content.contains_key(&content)
                || kept.unreached.contains(&content);
            if !is_copy {
                held.add(UNREACHED_CONTENT)?;
                kept.unreached.insert(content);
            }
            count(&mut self.sums, UNREACHED, u64::from(is_copy));
            return Ok(());
        }
        held.add(INODE)?;
        let is_new_inode = kept.inodes.insert(inode(file));
        let (relation, of) = match (kept.of_content.get(&content), &kept.best) {
            (Some(of), _) if is_new_inode => ("identical-bytes", of.clone()),
            (Some(of), _) => ("hard-link", of.clone()),
            (None, Some(best)) if !may_hold_more(file) => ("identical-text", best.clone()),
            (None, _) => {
                // Without a document, a first file has nothing to be compared with.
                let has_text = file.document.is_some();
                count(&mut self.sums, "not_compared", u64::from(has_text));
                let is_copied = kept.unreached.remove(&content);
                count(&mut self.sums, UNREACHED, u64::from(is_copied));
                return Ok(kept.keep(content, file, held)?);
            }
        };
        if relation == "identical-text" {
            kept.keep(content, file, held)?;
        }
        self.take_finding(file, relation, &of)
    }

    fn take_finding(
        &mut self,
        file: &FileInfo,
        relation: &'static str,
        of: &std::path::Path,
    ) -> Result<(), FindingError> {
        let bytes_of_file = file.record.stat.length;
        match relation {
            "identical-bytes" => {
                count(&mut self.sums, "identical_bytes_files", 1);
                count(&mut self.sums, "identical_bytes_bytes", bytes_of_file);
            }
            "identical-text" => {
                count(&mut self.sums, "identical_text_files", 1);
                count(&mut self.sums, "identical_text_bytes", bytes_of_file);
            }
            _ => count(&mut self.sums, "hard_links", 1),
        }
        let finding = Finding {
            relation,
            of: bytes(of),
            ..self.scope.describe(file)?
        };
        Ok((self.take)(&finding)?)
    }
}
