//! Files that could be freed, because another file on disk has the same bytes or the same text: by the kept file,
//! then by path.
//!
//! Of the files that carry one document, the first by path is the one kept. Two names of one inode (hard links)
//! hold their bytes once: removing the second frees nothing. Near-duplicates are not counted: their differences
//! would be lost. Members of containers are not files that could be removed by themselves.

use std::collections::{HashMap, HashSet};
use std::path::PathBuf;

use simdex_index::{FileView, GrowingPermit, IndexError};
use simdex_schema::{ContentHash, DocId, State};

use super::{Finding, FindingError, ReportScope, Sums, TakeFinding, bytes, count};
use crate::base::visit::FirstError;

/// Contents without a document (too large to be compared, or damaged) that are held at once; further ones are
/// counted as not compared, and their copies are not found.
const MOST_UNCOMPARED: usize = 1 << 18;

const NAMES: [&str; 6] = [
    "hard_links",
    "identical_bytes_bytes",
    "identical_bytes_files",
    "identical_text_bytes",
    "identical_text_files",
    "not_compared",
];

pub(super) fn find(
    scope: &ReportScope<'_>,
    take: &mut TakeFinding<'_>,
) -> Result<Sums, FindingError> {
    let mut finder = DuplicateFinder {
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
        .files(scope.view, scope.account, &mut |file| {
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

/// The files kept for one document.
#[derive(Default)]
struct KeptFiles {
    /// The first of all files, and the first file of each content.
    first: Option<PathBuf>,
    of_content: HashMap<ContentHash, PathBuf>,
    /// Device and inode of each file.
    inodes: HashSet<(u64, u64)>,
}

impl KeptFiles {
    /// Notes the first file of a content.
    fn keep(
        &mut self,
        content: ContentHash,
        file: &FileView,
        held: &mut GrowingPermit,
    ) -> Result<(), IndexError> {
        held.add(CONTENT + 2 * file.path.as_os_str().len() as u64)?;
        self.of_content.insert(content, file.path.clone());
        Ok(())
    }
}

struct DuplicateFinder<'a, 'b> {
    scope: &'a ReportScope<'a>,
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
    fn file(&mut self, file: &FileView) -> Result<(), FindingError> {
        let index = self.scope.engine.index.reader();
        let Some(document) = file.content.as_ref().and_then(|content| content.document) else {
            return self.compare_bytes(file);
        };
        let is_alone = index.count_files_of(document, self.scope.view) < 2;
        if is_alone || !self.documents.insert(document) {
            return Ok(());
        }
        self.held.add(DOCUMENT)?;
        let (mut kept, mut failed) = (KeptFiles::default(), FirstError::default());
        let mut held = GrowingPermit::of(self.scope.account);
        index.visit_files_of(document, self.scope.view, &mut |file| {
            let checked = self.scope.cancel().check().map_err(FindingError::from);
            failed.flow(checked.and_then(|()| self.compare_with_kept(&file, &mut kept, &mut held)))
        })?;
        failed.into_result()
    }

    /// Handles a file whose content has no document: only its bytes can be the same.
    fn compare_bytes(&mut self, file: &FileView) -> Result<(), FindingError> {
        let Some(content) = file.record.content() else {
            return Ok(());
        };
        let is_new = !self.uncompared.contains_key(&content);
        if is_new && self.uncompared.len() >= MOST_UNCOMPARED {
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

    /// Compares a file with those of its document that came before.
    fn compare_with_kept(
        &mut self,
        file: &FileView,
        kept: &mut KeptFiles,
        held: &mut GrowingPermit,
    ) -> Result<(), FindingError> {
        let Some(content) = file.record.content().filter(|_| !file.key.is_member()) else {
            return Ok(());
        };
        let stat = file.record.stat;
        held.add(INODE)?;
        let is_new_inode = kept.inodes.insert((stat.device, stat.inode));
        let same_bytes = kept.of_content.get(&content);
        // If a file was read only in part, the rest of its text is unknown.
        let is_partial = file
            .content
            .as_ref()
            .is_some_and(|content| content.state == State::Partial);
        if is_partial && same_bytes.is_none() {
            count(&mut self.sums, "not_compared", 1);
            return Ok(kept.keep(content, file, held)?);
        }
        let (relation, of) = match (same_bytes, &kept.first) {
            (Some(of), _) if is_new_inode => ("identical-bytes", of.clone()),
            (Some(of), _) => ("hard-link", of.clone()),
            (None, Some(first)) => ("identical-text", first.clone()),
            (None, None) => {
                kept.first = Some(file.path.clone());
                return Ok(kept.keep(content, file, held)?);
            }
        };
        if same_bytes.is_none() {
            kept.keep(content, file, held)?;
        }
        self.take_finding(file, relation, &of)
    }

    fn take_finding(
        &mut self,
        file: &FileView,
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
