//! Reports of this daemon that lie below a root: what it wrote itself is not a document of the share.
//!
//! A file is passed over if it is in a folder whose manifest bears this daemon's mark, has the name of
//! a file of reports, and has exactly the bytes that the manifest lists for it. Everything else there
//! is read: nobody can hide a file by its name.

use std::collections::VecDeque;
use std::io::Read;
use std::sync::{Arc, Mutex, PoisonError};

use simdex_schema::file::FileOutcome;
use simdex_schema::{ContentHash, FileKey, FileRecord, FileStat, Reason, RootId, State};

use crate::base::report_files::{LOAD_FILES, MANIFEST, is_page_name};
use crate::base::report_key::{FileHashes, ReportKey};
use crate::write_side::roots::Root;
use crate::write_side::watch::stat::Observe;
use crate::write_side::watch::walk::{PathState, WalkEntry};

/// Files at the top of a report, except for its pages.
const AT_TOP: [&str; 6] = [
    MANIFEST,
    "findings.jsonl",
    "groups.jsonl",
    "diffs.jsonl",
    "changes.jsonl",
    "unread.jsonl",
];
/// Longest manifest that is read, bytes: that of some 200,000 files.
const LONGEST: u64 = 32 << 20;
/// Manifests that are cached.
const CACHE_SIZE: usize = 4;

/// Recognises the reports of this daemon below its roots.
pub struct OwnReports {
    key: ReportKey,
    kept: Mutex<VecDeque<CachedManifest>>,
}

/// A manifest that was read.
struct CachedManifest {
    root: RootId,
    path: Vec<u8>,
    stat: FileStat,
    /// `None` if it is not this daemon's.
    listing: Option<Arc<OwnManifest>>,
}

/// A report of this daemon.
struct OwnManifest {
    listing: FileHashes,
    /// BLAKE3 of the manifest itself.
    manifest: [u8; 32],
}

impl OwnReports {
    /// Recognises the reports that bear the mark of this key.
    pub fn marked_by(key: ReportKey) -> Self {
        Self {
            key,
            kept: Mutex::default(),
        }
    }

    /// The key that marks them.
    pub fn key(&self) -> &ReportKey {
        &self.key
    }

    /// The content that a file must have for its record to be true: the recorded one, or for a file of this
    /// daemon's reports the one that its manifest lists. `None` if the record has no content, or proves nothing.
    pub fn content_on_record(
        &self,
        root: &Root,
        key: &FileKey,
        record: &FileRecord,
    ) -> Option<ContentHash> {
        if record.racy {
            return None;
        }
        match is_recorded(&record.outcome) {
            true => self.content_of(root, key),
            false => record.content(),
        }
    }

    /// The content that a file has in a report of this daemon; `None` if it belongs to none.
    pub(super) fn content_of(&self, root: &Root, key: &FileKey) -> Option<ContentHash> {
        let place = report_path(&key.path)?;
        let own = self.report_at(root, [place.report, MANIFEST.as_bytes()].concat())?;
        let hash = match place.name {
            MANIFEST => Some(&own.manifest),
            name => own.listing.get(name),
        };
        hash.map(|hash| ContentHash(*hash))
    }

    fn report_at(&self, root: &Root, path: Vec<u8>) -> Option<Arc<OwnManifest>> {
        let PathState::Seen(WalkEntry::File { stat, .. }, _) = root.look(&path) else {
            return None;
        };
        let lock = || self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        let is_it = |kept: &&CachedManifest| {
            kept.root == root.id && kept.path == path && kept.stat.unchanged(&stat, true)
        };
        if let Some(kept) = lock().iter().find(is_it) {
            return kept.listing.clone();
        }
        let listing = self.read(root, &path).map(Arc::new);
        let mut kept = lock();
        kept.retain(|kept| kept.root != root.id || kept.path != path);
        kept.truncate(CACHE_SIZE - 1);
        kept.push_front(CachedManifest {
            root: root.id,
            path,
            stat,
            listing: listing.clone(),
        });
        listing
    }

    fn read(&self, root: &Root, path: &[u8]) -> Option<OwnManifest> {
        let file = root.open_file(path).ok()?;
        let mut text = String::new();
        file.take(LONGEST).read_to_string(&mut text).ok()?;
        Some(OwnManifest {
            listing: self.key.listed(&text)?,
            manifest: *blake3::hash(text.as_bytes()).as_bytes(),
        })
    }
}

/// A path that a file of a report can have.
#[derive(Debug, PartialEq, Eq)]
struct ReportPath<'a> {
    /// The folder of the report, with a slash at its end; empty for the root itself.
    report: &'a [u8],
    /// Path of the file below that folder.
    name: &'a str,
}

/// Splits a path that a file of a report can have; `None` if no report has such a file. Most files are
/// excluded here, without accessing the share.
fn report_path(path: &[u8]) -> Option<ReportPath<'_>> {
    let parts = path.rsplit(|byte| *byte == b'/').take(3);
    let mut parts = parts.map(|part| std::str::from_utf8(part).unwrap_or_default());
    let (file, folder, above) = (parts.next()?, parts.next(), parts.next());
    let length = if AT_TOP.contains(&file) || is_page_name(file) {
        file.len()
    } else if folder == Some("load") && LOAD_FILES.contains(&file) {
        "load/".len() + file.len()
    } else if folder == Some("text") && is_hash(file.strip_suffix(".txt")?, 64) {
        "text/".len() + file.len()
    } else if above == Some("diffs") && is_name_of_diff(file) {
        let group = folder.filter(|id| id.bytes().all(|byte| byte.is_ascii_digit()))?;
        "diffs//".len() + group.len() + file.len()
    } else {
        return None;
    };
    let (report, name) = path.split_at(path.len() - length);
    let name = std::str::from_utf8(name).ok()?;
    Some(ReportPath { report, name })
}

/// Reports of version 0.1 name diffs by the first digits of a hash.
fn is_name_of_diff(file: &str) -> bool {
    match file.split_once('.') {
        Some((hash, "diff")) => is_hash(hash, 64) || is_hash(hash, 16),
        Some((hash, "jsonl")) => is_hash(hash, 64),
        _ => false,
    }
}

fn is_hash(text: &str, digits: usize) -> bool {
    let is_digit = |byte: u8| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte);
    text.len() == digits && text.bytes().all(is_digit)
}

/// The record of a file of such a report.
pub(super) fn record(stat: FileStat, racy: bool) -> FileRecord {
    FileRecord {
        racy,
        ..FileRecord::unread(stat, State::Skipped, Reason::OwnReport)
    }
}

/// Whether a file is recorded as one of a report of this daemon.
pub(super) fn is_recorded(outcome: &FileOutcome) -> bool {
    matches!(outcome, FileOutcome::Unread(State::Skipped, reason) if reason.is(Reason::OwnReport))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_names_that_reports_have_are_looked_into() {
        let hash = "0a".repeat(32);
        let of = |path: &str| {
            let place = report_path(path.as_bytes())?;
            let report = String::from_utf8(place.report.to_vec()).unwrap();
            Some((report, place.name.to_owned()))
        };
        let found = |report: &str, name: &str| Some((report.to_owned(), name.to_owned()));
        assert_eq!(of("a/r/report.html"), found("a/r/", "report.html"));
        assert_eq!(of("r/report-0002.html"), found("r/", "report-0002.html"));
        assert_eq!(of("manifest.json"), found("", "manifest.json"));
        let text = format!("text/{hash}.txt");
        assert_eq!(of(&format!("r/{text}")), found("r/", &text));
        for name in ["findings.jsonl", "load/documents.dat", "load/documents.xml"] {
            assert_eq!(of(&format!("a/{name}")), found("a/", name));
        }
        for named in [
            format!("{hash}.diff"),
            format!("{hash}.jsonl"),
            format!("{}.diff", &hash[..16]),
        ] {
            let diff = format!("diffs/17/{named}");
            assert_eq!(of(&diff), found("", &diff));
        }
        for other in [
            "a.txt",
            "r/report.htm",
            "r/report-0001.html",
            "r/report-2.html",
            "load/documents.txt",
            "documents.csv",
            "text/a.txt",
            &format!("texts/{hash}.txt"),
            &format!("diffs/x/{}.diff", &hash[..16]),
            &format!("diffs/{hash}.diff"),
            &format!("diffs/17/{}.jsonl", &hash[..16]),
            "x.zip\0manifest.json",
            "",
        ] {
            assert_eq!(of(other), None, "{other}");
        }
    }
}
