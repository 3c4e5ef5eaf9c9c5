//! One document, top to bottom: from a path that may have changed to the change the index applies.
//!
//! `look → unchanged? → open → BLAKE3 → known? → worker → ExtractedText → CanonicalText →
//! Signatures → Change`
//!
//! Everything is decided by what the file system says now, so looking twice does no harm and hints
//! need not be exact. Each step that fails ends in a state with a reason; only the index's own
//! failure is an error.

use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use simdex_extract::{EXTRACTOR_VERSION, Extraction, Hint, Outcome, Pool};
use simdex_index::{Change, Index, IndexError, NewContent, NewDocument};
use simdex_schema::file::FileOutcome;
use simdex_schema::{
    ContentHash, ContentRecord, DocumentHash, DocumentKind, FileKey, FileRecord, FileStat, Reason,
    State, Timestamp,
};
use simdex_signature::{CanonicalText, Chunks};

use crate::config::{ExtractConfig, ladder};
use crate::roots::Root;
use crate::watch::open::{OpenError, open_regular};
use crate::watch::stat::Observe;
use crate::watch::walk::{Seen, look};

/// Failures of a content before it is given up.
pub const STRIKES: u32 = 3;
/// How often a file that changes under our hands is read at once, before it is called unstable.
const ATTEMPTS: usize = 3;

/// What one file needs to be ingested.
pub struct Ingest<'a> {
    /// Where it goes.
    pub index: &'a Index,
    /// Who reads it.
    pub pool: &'a Pool,
    /// Longest file that is read, bytes.
    pub input_bytes: u64,
    /// Longest file without text that is compared by its raw bytes.
    pub raw_bytes: u64,
}

/// What became of a look at a file.
pub enum Looked {
    /// Nothing changed.
    Unchanged,
    /// The index must apply this.
    Changed(Change),
}

impl<'a> Ingest<'a> {
    /// With the limits of the config.
    pub fn new(index: &'a Index, pool: &'a Pool, limits: &ExtractConfig) -> Self {
        Self {
            index,
            pool,
            input_bytes: limits.input_mib << 20,
            raw_bytes: limits.raw_mib << 20,
        }
    }

    /// Looks at one file below `root` and says what the index must change.
    pub fn file(&self, root: &Root, key: FileKey) -> Result<Looked, IndexError> {
        let path = root.path.join(std::ffi::OsStr::from_bytes(&key.path));
        let known = self.index.file(&key)?;
        let seen = match is_behind_symlink(&root.path, &path) {
            true => None,
            false => look(&path),
        };
        let Some(seen) = seen else {
            // A share that is being unmounted has no files either: only an intact root loses one.
            let gone = known.is_some() && root.is_intact();
            return Ok(if gone {
                Looked::Changed(Change::Remove(key))
            } else {
                Looked::Unchanged
            });
        };
        match seen {
            Seen::File { stat, .. } => self.regular(root, &path, key, known, stat),
            Seen::Skipped { reason, .. } => Ok(unread(
                key,
                known,
                FileStat::of(&path).ok(),
                State::Skipped,
                reason.code(),
            )),
            Seen::Unreadable { reason, .. } => Ok(unread(
                key,
                known,
                FileStat::of(&path).ok(),
                State::Unreadable,
                reason.code(),
            )),
        }
    }

    /// A regular file: read again unless its stat proves it unchanged.
    fn regular(
        &self,
        root: &Root,
        path: &Path,
        key: FileKey,
        known: Option<FileRecord>,
        stat: FileStat,
    ) -> Result<Looked, IndexError> {
        if let Some(known) = known.as_ref()
            && !self.must_read(root, known, &stat)?
        {
            return Ok(Looked::Unchanged);
        }
        if stat.length > self.input_bytes {
            return Ok(unread(
                key,
                known,
                Some(stat),
                State::TooLarge,
                "input-limit",
            ));
        }
        match open_regular(&root.path, path) {
            Ok(file) => self.read(key, known, file, path),
            // Its removal is for the next look to say; until then it keeps its state.
            Err(OpenError::Vanished | OpenError::RootVanished(_)) => Ok(Looked::Unchanged),
            Err(error @ (OpenError::Unreadable(_) | OpenError::Io(_))) => Ok(unread(
                key,
                known,
                Some(stat),
                State::Unreadable,
                error.code(),
            )),
            Err(error) => Ok(unread(key, known, Some(stat), State::Skipped, error.code())),
        }
    }

    /// Whether an equal stat proves nothing, or the last extraction deserves another try.
    pub fn must_read(
        &self,
        root: &Root,
        known: &FileRecord,
        stat: &FileStat,
    ) -> Result<bool, IndexError> {
        if known.racy || !stat.unchanged(&known.stat, root.stable_inodes()) {
            return Ok(true);
        }
        match &known.outcome {
            FileOutcome::Unread(State::TooLarge, _) => Ok(stat.length <= self.input_bytes),
            FileOutcome::Unread(..) => Ok(true),
            FileOutcome::Content(hash) => {
                let content = self.index.content(*hash)?;
                Ok(content.is_none_or(|content| deserves_another_try(&content)))
            }
        }
    }

    /// Reads an open file: hash first, extraction only where the content is not known.
    fn read(
        &self,
        key: FileKey,
        known: Option<FileRecord>,
        mut file: File,
        path: &Path,
    ) -> Result<Looked, IndexError> {
        for _ in 0..ATTEMPTS {
            let Ok(before) = FileStat::of_open(&file) else {
                break;
            };
            let Ok((hash, bytes)) = hash_of(&mut file) else {
                return Ok(unread(
                    key,
                    known,
                    Some(before),
                    State::Unreadable,
                    "io-error",
                ));
            };
            let old = self.index.content(hash)?;
            let fresh = old.as_ref().is_none_or(deserves_another_try);
            let content = fresh.then(|| self.content(&mut file, path, bytes, old));
            let Ok(after) = FileStat::of_open(&file) else {
                break;
            };
            if !after.unchanged(&before, true) {
                continue;
            }
            let racy = after.racy(now());
            let record = FileRecord {
                stat: after,
                racy,
                outcome: FileOutcome::Content(hash),
            };
            if content.is_none() && known.as_ref() == Some(&record) {
                return Ok(Looked::Unchanged);
            }
            return Ok(Looked::Changed(Change::File {
                key,
                record,
                content: content.map(Box::new),
            }));
        }
        let stat = FileStat::of_open(&file).ok();
        Ok(unread(
            key,
            known,
            stat,
            State::Unstable,
            "changed-while-read",
        ))
    }

    /// Extracts a content and signs what was read.
    fn content(
        &self,
        file: &mut File,
        path: &Path,
        bytes: u64,
        old: Option<ContentRecord>,
    ) -> NewContent {
        let name = path
            .file_name()
            .map(|name| name.to_string_lossy().into_owned());
        let extraction = rewind(file)
            .map(|()| self.pool.extract(&*file, &Hint { name }))
            .unwrap_or_else(|_| not_read());
        let read = ReadContent::of(extraction);
        let document = match read.text {
            Some(text) => self.text_document(text),
            None => self.raw_document(file, bytes, &read),
        };
        let failures = old
            .filter(|old| old.extractor == EXTRACTOR_VERSION)
            .map_or(0, |old| old.strikes);
        let strikes = if read.state.is_failure() && !read.ours {
            failures + 1
        } else {
            0
        };
        let gave_up = strikes >= STRIKES;
        let too_short = read.state.has_text() && document.is_none();
        NewContent {
            record: ContentRecord {
                state: match (gave_up, too_short) {
                    (true, _) => State::Quarantined,
                    (_, true) => State::TooShort,
                    _ => read.state,
                },
                reason: read.reason,
                document: None,
                media_type: read.media_type,
                engine: read.engine,
                extractor: EXTRACTOR_VERSION,
                strikes,
                bytes,
                warnings: read.warnings,
            },
            document,
        }
    }

    /// A document of a text; none where the text is shorter than one shingle.
    fn text_document(&self, text: String) -> Option<NewDocument> {
        let canonical = CanonicalText::from_extracted(&text);
        let length = canonical.as_bytes().len() as u64;
        if length < u64::from(self.index.window().width()) {
            return None;
        }
        Some(NewDocument {
            hash: DocumentHash(canonical.hash()),
            kind: DocumentKind::Text,
            length,
            chars: canonical.chars(),
            signatures: self.index.sign_text(&canonical, ladder().rung_for(length)),
            text: Some(text),
        })
    }

    /// A document of raw bytes, for a content without text; none where it is empty or too long.
    fn raw_document(&self, file: &mut File, bytes: u64, read: &ReadContent) -> Option<NewDocument> {
        if bytes == 0 || bytes > self.raw_bytes || read.state.has_text() {
            return None;
        }
        rewind(file).ok()?;
        let mut raw = Vec::new();
        file.take(self.raw_bytes).read_to_end(&mut raw).ok()?;
        Some(raw_document(&raw))
    }
}

/// The raw-byte document of these bytes. Its name is BLAKE3 under a key of its own, so that no
/// text can be given the same one.
pub fn raw_document(raw: &[u8]) -> NewDocument {
    NewDocument {
        hash: DocumentHash(
            *blake3::Hasher::new_derive_key(RAW_DOCUMENT)
                .update(raw)
                .finalize()
                .as_bytes(),
        ),
        kind: DocumentKind::Raw,
        length: raw.len() as u64,
        chars: 0,
        text: None,
        signatures: vec![Chunks::sign_by(raw, ladder())],
    }
}

const RAW_DOCUMENT: &str = "simdex 2026 raw document";

/// An extraction in the words of the schema.
pub struct ReadContent {
    /// How it ended.
    pub state: State,
    /// Why.
    pub reason: Reason,
    /// Extracted text.
    pub text: Option<String>,
    /// Kind by content.
    pub media_type: String,
    /// Who read it.
    pub engine: String,
    /// Remarks.
    pub warnings: Vec<String>,
    /// The failure is the machine's, not the document's: it is no strike against the content.
    pub ours: bool,
}

impl ReadContent {
    /// Translates what the worker answered.
    pub fn of(extraction: Extraction) -> Self {
        use simdex_extract::Reason::{NoWorker, ShuttingDown};
        let reason = extraction.outcome.reason();
        let ours = matches!(reason, Some(NoWorker | ShuttingDown));
        let reason = reason.map_or_else(Reason::none, |reason| Reason::code(reason.code()));
        let (state, text) = match extraction.outcome {
            Outcome::Text {
                text,
                partial: None,
            } => (State::Indexed, Some(text.into_string())),
            Outcome::Text {
                text,
                partial: Some(_),
            } => (State::Partial, Some(text.into_string())),
            Outcome::NoText(_) => (State::NoText, None),
            Outcome::Encrypted(_) => (State::Encrypted, None),
            Outcome::Unsupported(_) => (State::Unsupported, None),
            Outcome::TooLarge(_) => (State::TooLarge, None),
            Outcome::Failed(_) => (State::Failed, None),
            Outcome::TimedOut(_) => (State::TimedOut, None),
            Outcome::Crashed(_) => (State::Crashed, None),
        };
        let (media_type, engine) = (extraction.media_type, extraction.engine);
        Self {
            state,
            reason,
            text,
            media_type,
            engine,
            warnings: extraction.warnings,
            ours,
        }
    }
}

/// Whether a directory on the way to a path is a symlink: what lies behind it is seen where it is.
fn is_behind_symlink(root: &Path, path: &Path) -> bool {
    let directories = path.ancestors().skip(1).take_while(|at| *at != root);
    directories.into_iter().any(Path::is_symlink)
}

fn deserves_another_try(content: &ContentRecord) -> bool {
    content.extractor < EXTRACTOR_VERSION
        || (content.state.is_failure() && content.strikes < STRIKES)
}

/// A file whose bytes are not read; unchanged where the same is on record.
fn unread(
    key: FileKey,
    known: Option<FileRecord>,
    stat: Option<FileStat>,
    state: State,
    reason: &str,
) -> Looked {
    let stat = stat.unwrap_or_default();
    let outcome = FileOutcome::Unread(state, Reason::code(reason));
    let record = FileRecord {
        stat,
        racy: false,
        outcome,
    };
    if known.as_ref() == Some(&record) {
        return Looked::Unchanged;
    }
    Looked::Changed(Change::File {
        key,
        record,
        content: None,
    })
}

fn not_read() -> Extraction {
    Extraction {
        outcome: Outcome::Failed(simdex_extract::Reason::ReadError),
        media_type: String::new(),
        engine: String::new(),
        warnings: Vec::new(),
    }
}

/// BLAKE3 and length of a file, read from its start.
pub fn hash_of(file: &mut File) -> std::io::Result<(ContentHash, u64)> {
    rewind(file)?;
    let mut hasher = blake3::Hasher::new();
    let mut buffer = vec![0; 128 << 10];
    let mut bytes = 0;
    loop {
        match file.read(&mut buffer)? {
            0 => return Ok((ContentHash(*hasher.finalize().as_bytes()), bytes)),
            read => {
                hasher.update(&buffer[..read]);
                bytes += read as u64;
            }
        }
    }
}

fn rewind(file: &mut File) -> std::io::Result<()> {
    file.seek(SeekFrom::Start(0)).map(drop)
}

/// The present, as `stat` tells times.
pub fn now() -> Timestamp {
    let since = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
    let since = since.unwrap_or_default();
    Timestamp {
        seconds: since.as_secs() as i64,
        nanos: since.subsec_nanos(),
    }
}
