//! What the index is told: changes of files, with what their contents became.

use std::collections::VecDeque;

use simdex_schema::{
    ContentRecord, DocumentHash, DocumentKind, FileKey, FileRecord, FileStat, Reason, State,
};
use simdex_signature::Signature;

use crate::MemoryPermit;

/// Members of a container that are recorded at once.
const PART_MEMBERS: usize = 64;
/// Text of members that is stored at once, in bytes.
const PART_TEXT: u64 = 1 << 20;

/// One change of one file.
pub enum Change {
    /// The file was seen (new, changed, or again).
    File {
        /// Which file.
        key: FileKey,
        /// What was seen of it.
        record: FileRecord,
        /// How its content's extraction ended, where that was not known before.
        content: Option<Box<NewContent>>,
    },
    /// A file was seen that holds others; these are its members now, and no others.
    Container {
        /// The file itself.
        file: SeenFile,
        /// Everything inside, at any depth, in order.
        members: Vec<SeenFile>,
    },
    /// Some members of a container that is recorded in parts ([`Change::parts`]); the container
    /// itself is unread until [`Change::Whole`].
    Members {
        /// The container.
        container: FileKey,
        /// Members, at any depth.
        members: Vec<SeenFile>,
    },
    /// A container whose members are all recorded.
    Whole {
        /// The file itself.
        file: SeenFile,
        /// Everything inside; what else is recorded as inside is gone.
        members: Vec<FileKey>,
    },
    /// The file is gone, and its members with it.
    Remove(FileKey),
}

impl Change {
    /// Itself, or what leads to the same in steps that take little time each, to be applied in
    /// this order with any other changes between. A step whose container turns up in
    /// [`Applied::unknown_content`] is the last to be applied.
    pub fn parts(self) -> VecDeque<Self> {
        let is_small = |members: &[SeenFile]| {
            let text: u64 = members.iter().map(SeenFile::text_bytes).sum();
            members.len() <= PART_MEMBERS && text <= PART_TEXT
        };
        match self {
            Self::Container { file, members } if !is_small(&members) => in_parts(file, members),
            small => VecDeque::from([small]),
        }
    }

    /// What is recorded in its place where the store does not take it: that the file is too large.
    pub fn refused(&self) -> Self {
        let (key, stat) = match self {
            Self::File { key, record, .. } => (key, record.stat),
            Self::Container { file, .. } | Self::Whole { file, .. } => {
                (&file.key, file.record.stat)
            }
            Self::Members { container, .. } => (container, FileStat::default()),
            Self::Remove(key) => return Self::Remove(key.clone()),
        };
        let record = FileRecord::unread(stat, State::TooLarge, Reason::code("store-limit"));
        Self::File {
            key: key.clone(),
            record,
            content: None,
        }
    }

    /// Text that is to be stored, in bytes of its canonical form.
    pub fn text_bytes(&self) -> u64 {
        match self {
            Self::File { content, .. } => text_bytes(content),
            Self::Container { file, members } => {
                file.text_bytes() + members.iter().map(SeenFile::text_bytes).sum::<u64>()
            }
            Self::Members { members, .. } => members.iter().map(SeenFile::text_bytes).sum(),
            Self::Whole { file, .. } => file.text_bytes(),
            Self::Remove(_) => 0,
        }
    }
}

fn in_parts(file: SeenFile, members: Vec<SeenFile>) -> VecDeque<Change> {
    let keys = members.iter().map(|member| member.key.clone()).collect();
    let (mut parts, mut part, mut text) = (VecDeque::new(), Vec::new(), 0);
    let container = file.key.clone();
    let close = |members: Vec<SeenFile>| Change::Members {
        container: container.clone(),
        members,
    };
    for member in members {
        let more = member.text_bytes();
        if !part.is_empty() && (part.len() >= PART_MEMBERS || text + more > PART_TEXT) {
            parts.push_back(close(std::mem::take(&mut part)));
            text = 0;
        }
        text += more;
        part.push(member);
    }
    parts.push_back(close(part));
    parts.push_back(Change::Whole {
        file,
        members: keys,
    });
    parts
}

fn text_bytes(content: &Option<Box<NewContent>>) -> u64 {
    let document = content.as_ref().and_then(|new| new.document.as_ref());
    document.map_or(0, |document| document.length)
}

/// A file, or a member of one, as it was seen.
pub struct SeenFile {
    /// Which.
    pub key: FileKey,
    /// What was seen of it.
    pub record: FileRecord,
    /// How its content's extraction ended, where that was not known before.
    pub content: Option<Box<NewContent>>,
}

impl SeenFile {
    fn text_bytes(&self) -> u64 {
        text_bytes(&self.content)
    }
}

/// A content just extracted.
pub struct NewContent {
    /// Its record; the `document` field is filled in here.
    pub record: ContentRecord,
    /// What it became.
    pub document: Option<NewDocument>,
}

/// A document that may or may not be known already.
pub struct NewDocument {
    /// Names it.
    pub hash: DocumentHash,
    /// Text or raw bytes.
    pub kind: DocumentKind,
    /// Canonical text (or raw bytes) in bytes.
    pub length: u64,
    /// Canonical text in characters.
    pub chars: u64,
    /// Extracted text; none for raw bytes.
    pub text: Option<String>,
    /// Mod_n first (for raw bytes: chunks), then BSW_n where it is on.
    pub signatures: Vec<Signature>,
    /// For the text and the signatures, until they are applied.
    pub held: Option<MemoryPermit>,
}

/// What came of a batch.
#[derive(Default, Debug)]
pub struct Applied {
    /// Documents not known before.
    pub new_documents: u64,
    /// Files that named a content that is not recorded (it was purged meanwhile): read them again.
    pub unknown_content: Vec<FileKey>,
}
