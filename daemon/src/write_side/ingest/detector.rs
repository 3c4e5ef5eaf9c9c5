//! Whether a file must be read: asked by the walk and by [`super::Ingest`] before they open it.

use simdex_extract::Pool;
use simdex_index::{IndexError, Registry};
use simdex_schema::file::FileOutcome;
use simdex_schema::{ContentHash, FileKey, FileRecord, FileStat, State};

use super::context::IngestContext;
use super::facts::{asks_for_frames, holds_members};
use super::own_report::{self, OwnReports};
use super::reader_version::lacked_reader;
use crate::config::ExtractConfig;
use crate::write_side::roots::Root;
use crate::write_side::watch::stat::Observe;

/// Decides by records and stat whether a file must be read.
#[derive(Clone, Copy)]
pub struct ChangeDetector<'a> {
    pub(super) context: IngestContext<'a>,
}

/// What was seen of a file on its share.
#[derive(Clone, Copy, Debug)]
pub struct SeenStat<'a> {
    /// The result of `lstat`.
    pub stat: &'a FileStat,
    /// Whether its file system keeps inode numbers: [`Root::stable_inodes`], queried once for a walk.
    pub stable_inodes: bool,
}

impl<'a> ChangeDetector<'a> {
    /// A detector with the limits of the config.
    pub fn new(
        registry: &'a Registry,
        pool: &'a Pool,
        own_reports: &'a OwnReports,
        limits: &ExtractConfig,
    ) -> Self {
        Self {
            context: IngestContext::new(registry, pool, own_reports, limits),
        }
    }

    /// Whether a file on record must be read: its stat differs or proves nothing, or its record may
    /// improve: its content, a member, a frame, or the manifest that made it a report of this daemon's own.
    pub fn needs_read(
        &self,
        root: &Root,
        key: &FileKey,
        recorded: &FileRecord,
        seen: SeenStat<'_>,
    ) -> Result<bool, IndexError> {
        let stat = seen.stat;
        if recorded.racy || !stat.unchanged(&recorded.stat, seen.stable_inodes) {
            return Ok(true);
        }
        let listed = self.context.own_reports.content_of(root, key);
        if own_report::is_recorded(&recorded.outcome) {
            // An unchanged own report: read only if its manifest no longer lists it.
            return Ok(listed.is_none());
        }
        if listed.is_some() && listed == recorded.content() {
            // It was read as a document before its manifest existed.
            return Ok(true);
        }
        match &recorded.outcome {
            FileOutcome::Unread(State::TooLarge, _) => Ok(stat.length <= self.context.input_bytes),
            FileOutcome::Unread(..) => Ok(true),
            FileOutcome::Content(hash) => self.check_record_and_cache(root, key, (*hash, *stat)),
        }
    }

    /// Whether reading an unchanged file of this content may have another result than the record. A content found at
    /// rest is noted in a cache, and not looked up again until a record of it changes.
    fn check_record_and_cache(
        &self,
        root: &Root,
        key: &FileKey,
        (hash, stat): (ContentHash, FileStat),
    ) -> Result<bool, IndexError> {
        let registry = self.context.records.registry;
        if registry.is_known_unchanged(hash) || registry.is_container_known_unchanged(key, hash) {
            return Ok(false);
        }
        let seen = registry.unchanged_version();
        let Some(content) = registry.content(hash)? else {
            return Ok(true);
        };
        let (holds_members, asks_for_frames) =
            (holds_members(&content), asks_for_frames(&content.facts));
        if self.context.records.deserves_another_try(&content)
            || (holds_members && self.context.records.members_are_incomplete(key)?)
            || self
                .context
                .framesets(root)
                .changed_on_record(key, (hash, stat), &content)?
        {
            return Ok(true);
        }
        match (
            holds_members,
            asks_for_frames || lacked_reader(&content).is_some(),
        ) {
            // Its result depends on the files beside it.
            (_, true) => {}
            (true, false) => registry.note_container_known_unchanged(key, hash, seen),
            (false, false) => registry.note_known_unchanged(hash, seen),
        }
        Ok(false)
    }
}
