//! Changes that the index applies: files that were seen or are gone, and what was extracted of their
//! contents.

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
        /// The file.
        key: FileKey,
        /// What was seen of it.
        record: FileRecord,
        /// What was extracted of its content, if that was not known before.
        content: Option<Box<NewContent>>,
    },
    /// A file was seen that holds others; these are its members now, and no others.
    Container {
        /// The file itself.
        file: SeenFile,
        /// Everything inside, at any depth, in order.
        members: Vec<SeenFile>,
    },
    /// Some members of a container that is recorded in parts; the container itself is unread until its
    /// [`Change::ContainerEnd`]. Only [`Change::parts`] makes it.
    ContainerPart {
        /// The container.
        container: FileKey,
        /// Members, at any depth.
        members: Vec<SeenFile>,
    },
    /// A container whose members are all recorded. Only [`Change::parts`] makes it.
    ContainerEnd {
        /// The file itself.
        file: SeenFile,
        /// Everything inside; what else is recorded as inside is gone.
        members: Vec<FileKey>,
    },
    /// The file is gone, and its members with it.
    Remove(FileKey),
}

impl Change {
    /// Splits a large container into parts that take little time each and together have the same effect. They
    /// are applied in this order, with any other changes in between. Once a part's container turns up in
    /// [`Applied::unknown_content`], the parts after it must not be applied. Any other change is returned
    /// as it is.
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

    /// The change to apply instead if the store refuses this one: it records that the file is too large.
    pub fn refused(&self) -> Self {
        let (key, stat) = match self {
            Self::File { key, record, .. } => (key, record.stat),
            Self::Container { file, .. } | Self::ContainerEnd { file, .. } => {
                (&file.key, file.record.stat)
            }
            Self::ContainerPart { container, .. } => (container, FileStat::default()),
            Self::Remove(key) => return Self::Remove(key.clone()),
        };
        let record = FileRecord::unread(stat, State::TooLarge, Reason::code("store-limit"));
        Self::File {
            key: key.clone(),
            record,
            content: None,
        }
    }

    /// Extracted text that is stored with this change, in bytes.
    pub fn text_bytes(&self) -> u64 {
        match self {
            Self::File { content, .. } => text_bytes(content),
            Self::Container { file, members } => {
                file.text_bytes() + members.iter().map(SeenFile::text_bytes).sum::<u64>()
            }
            Self::ContainerPart { members, .. } => members.iter().map(SeenFile::text_bytes).sum(),
            Self::ContainerEnd { file, .. } => file.text_bytes(),
            Self::Remove(_) => 0,
        }
    }
}

fn in_parts(file: SeenFile, members: Vec<SeenFile>) -> VecDeque<Change> {
    let keys = members.iter().map(|member| member.key.clone()).collect();
    let (mut parts, mut part, mut text) = (VecDeque::new(), Vec::new(), 0);
    let container = file.key.clone();
    let close = |members: Vec<SeenFile>| Change::ContainerPart {
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
    parts.push_back(Change::ContainerEnd {
        file,
        members: keys,
    });
    parts
}

fn text_bytes(content: &Option<Box<NewContent>>) -> u64 {
    let document = content.as_ref().and_then(|new| new.document.as_ref());
    document.map_or(0, NewDocument::text_bytes)
}

/// A file, or a member of one, as it was seen.
pub struct SeenFile {
    /// The file.
    pub key: FileKey,
    /// What was seen of it.
    pub record: FileRecord,
    /// What was extracted of its content, if that was not known before.
    pub content: Option<Box<NewContent>>,
}

impl SeenFile {
    fn text_bytes(&self) -> u64 {
        text_bytes(&self.content)
    }
}

/// A content just extracted.
pub struct NewContent {
    /// Its record; the index fills in the `document` field.
    pub record: ContentRecord,
    /// The document extracted of it; `None` if extraction gave none.
    pub document: Option<NewDocument>,
}

/// A document that may or may not be known already.
pub struct NewDocument {
    /// Hash of the canonical text, or of the raw bytes: names the document.
    pub hash: DocumentHash,
    /// Text or raw bytes.
    pub kind: DocumentKind,
    /// Canonical text (or raw bytes) in bytes.
    pub length: u64,
    /// Canonical text in characters.
    pub chars: u64,
    /// Extracted text; `None` for raw bytes.
    pub text: Option<String>,
    /// Mod_n first (for raw bytes: chunks), then BSW_n where it is on.
    pub signatures: Vec<Signature>,
    /// Permit for the text and the signatures, held until they are applied.
    pub held: Option<MemoryPermit>,
}

impl NewDocument {
    /// Text that is stored for it. Raw bytes have a length, but no text.
    fn text_bytes(&self) -> u64 {
        self.text.as_ref().map_or(0, |text| text.len() as u64)
    }
}

/// The result of applying changes.
#[derive(Default, Debug)]
pub struct Applied {
    /// Documents not known before.
    pub new_documents: u64,
    /// Files whose content is not recorded any more, since it was purged meanwhile: they must be read again.
    pub unknown_content: Vec<FileKey>,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn document(kind: DocumentKind, text: Option<&str>) -> NewDocument {
        NewDocument {
            hash: DocumentHash([1; 32]),
            kind,
            length: 1_000,
            chars: 1_000,
            text: text.map(str::to_owned),
            signatures: Vec::new(),
            held: None,
        }
    }

    #[test]
    fn only_text_that_is_stored_is_counted() {
        let raw = document(DocumentKind::Raw, None);
        let text = document(DocumentKind::Text, Some("A  text"));
        assert_eq!((raw.text_bytes(), text.text_bytes()), (0, 7));
    }
}
