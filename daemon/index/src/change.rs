//! Changes that the index applies: files that were seen or are gone, and what was extracted from their contents.

use std::collections::VecDeque;

use simdex_schema::{
    ContentRecord, DocumentHash, DocumentKind, FileKey, FileRecord, FileStat, GroupId, Reason,
    RootId, State,
};
use simdex_signature::Signature;

use crate::MemoryPermit;

/// Members of a container that are recorded in one part.
const PART_MEMBERS: usize = 64;
/// Text of members that is stored in one part, in bytes.
const PART_TEXT: u64 = 1 << 20;

/// One change of one file, or one part of it.
pub struct FileChange(pub(crate) Delta);

/// What a change does. Only [`FileChange::parts`] makes the parts of a container, so that nothing else can record half
/// a container.
pub(crate) enum Delta {
    /// The file was seen (new, changed, or again) and is no container.
    File(SeenFile),
    /// A container was seen.
    Container {
        file: SeenFile,
        /// Everything inside, at any depth, in order.
        members: Vec<SeenFile>,
    },
    /// Some members of a container that is recorded in parts; the container itself is unread until its
    /// `ContainerEnd`.
    ContainerPart {
        container: FileKey,
        /// Members, at any depth.
        members: Vec<SeenFile>,
    },
    /// A container whose members are all recorded.
    ContainerEnd {
        file: SeenFile,
        /// Everything inside; anything else recorded as inside is gone.
        members: Vec<FileKey>,
    },
    /// The file is gone, and its members with it.
    Removal(FileKey),
}

impl FileChange {
    /// The file was seen (new, changed, or again) and is no container.
    pub fn file(file: SeenFile) -> Self {
        Self(Delta::File(file))
    }

    /// A container was seen: `members` is everything inside now, at any depth, in order.
    pub fn container(file: SeenFile, members: Vec<SeenFile>) -> Self {
        Self(Delta::Container { file, members })
    }

    /// The file is gone, and its members with it.
    pub fn removal(key: FileKey) -> Self {
        Self(Delta::Removal(key))
    }

    /// The file that is recorded once this is applied: none for a removal, and for a container only with its last part.
    pub fn recorded(&self) -> Option<&SeenFile> {
        match &self.0 {
            Delta::File(file)
            | Delta::Container { file, .. }
            | Delta::ContainerEnd { file, .. } => Some(file),
            Delta::ContainerPart { .. } | Delta::Removal(_) => None,
        }
    }

    /// The file that is gone once this is applied.
    pub fn removed(&self) -> Option<&FileKey> {
        match &self.0 {
            Delta::Removal(key) => Some(key),
            _ => None,
        }
    }

    /// Everything inside, if all of a container is recorded at once; for tests.
    pub fn members(&self) -> &[SeenFile] {
        match &self.0 {
            Delta::Container { members, .. } => members,
            _ => &[],
        }
    }

    /// The file, if it is no container.
    pub fn into_file(self) -> Option<SeenFile> {
        match self.0 {
            Delta::File(file) => Some(file),
            _ => None,
        }
    }

    /// Splits a large container into parts that each take little time and together have the same effect. They are
    /// applied in this order, with any other changes in between. Once a part's container appears in
    /// [`Applied::unknown_content`], the parts after it must not be applied. Any other change is returned as it is.
    pub fn parts(self) -> VecDeque<Self> {
        let is_small = |members: &[SeenFile]| {
            let text: u64 = members.iter().map(SeenFile::text_bytes).sum();
            members.len() <= PART_MEMBERS && text <= PART_TEXT
        };
        match self.0 {
            Delta::Container { file, members } if !is_small(&members) => in_parts(file, members),
            small => VecDeque::from([Self(small)]),
        }
    }

    /// The change to apply instead if the store refuses this one: it records that the file is too large.
    pub fn refused(&self) -> Self {
        let (key, stat) = match &self.0 {
            Delta::File(file)
            | Delta::Container { file, .. }
            | Delta::ContainerEnd { file, .. } => (&file.key, file.record.stat),
            Delta::ContainerPart { container, .. } => (container, FileStat::default()),
            Delta::Removal(key) => return Self::removal(key.clone()),
        };
        let record = FileRecord::unread(stat, State::TooLarge, Reason::StoreLimit);
        Self::file(SeenFile::without_content(key.clone(), record))
    }

    /// Extracted text that is stored with this change, in bytes.
    pub fn text_bytes(&self) -> u64 {
        match &self.0 {
            Delta::File(file) | Delta::ContainerEnd { file, .. } => file.text_bytes(),
            Delta::Container { file, members } => {
                file.text_bytes() + members.iter().map(SeenFile::text_bytes).sum::<u64>()
            }
            Delta::ContainerPart { members, .. } => members.iter().map(SeenFile::text_bytes).sum(),
            Delta::Removal(_) => 0,
        }
    }

    /// Whether it may add postings.
    pub(crate) fn has_postings(&self) -> bool {
        match &self.0 {
            Delta::File(file) | Delta::ContainerEnd { file, .. } => file.has_postings(),
            Delta::Container { file, members } => {
                file.has_postings() || members.iter().any(SeenFile::has_postings)
            }
            Delta::ContainerPart { members, .. } => members.iter().any(SeenFile::has_postings),
            Delta::Removal(_) => false,
        }
    }
}

fn in_parts(file: SeenFile, members: Vec<SeenFile>) -> VecDeque<FileChange> {
    let keys = members.iter().map(|member| member.key.clone()).collect();
    let (mut parts, mut part, mut text) = (VecDeque::new(), Vec::new(), 0);
    let container = file.key.clone();
    let close = |members: Vec<SeenFile>| {
        let container = container.clone();
        FileChange(Delta::ContainerPart { container, members })
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
    let members = keys;
    parts.push_back(FileChange(Delta::ContainerEnd { file, members }));
    parts
}

/// A file, or a member of one, as it was seen.
pub struct SeenFile {
    /// Root and path of the file; for a member also its name in the container.
    pub key: FileKey,
    /// What was seen of it.
    pub record: FileRecord,
    /// What was extracted from its content, if that was not known before.
    pub content: Option<Box<NewContent>>,
}

impl SeenFile {
    /// A file whose content is known already, or was not read.
    pub fn without_content(key: FileKey, record: FileRecord) -> Self {
        Self {
            key,
            record,
            content: None,
        }
    }

    fn text_bytes(&self) -> u64 {
        self.document().map_or(0, NewDocument::text_bytes)
    }

    fn has_postings(&self) -> bool {
        let signatures = self.document().map_or(&[][..], |new| &new.signatures);
        signatures.iter().any(|signature| !signature.is_empty())
    }

    fn document(&self) -> Option<&NewDocument> {
        self.content.as_ref().and_then(|new| new.document.as_ref())
    }
}

/// A content that was just extracted.
pub struct NewContent {
    /// Its record; the index fills in the `document` field.
    pub record: ContentRecord,
    /// The document extracted from it; `None` if there was none.
    pub document: Option<NewDocument>,
}

/// A document that may or may not be known already.
pub struct NewDocument {
    /// Hash of the canonical text, or of the raw bytes: identifies the document.
    pub hash: DocumentHash,
    /// Text or raw bytes.
    pub kind: DocumentKind,
    /// Canonical text (or raw bytes) in bytes.
    pub length: u64,
    /// Canonical text in characters.
    pub chars: u64,
    /// Extracted text; `None` for raw bytes.
    pub text: Option<String>,
    /// Mod_n first (chunks for raw bytes), then the other schemes that the index holds.
    pub signatures: Vec<Signature>,
    /// Permit for the text and the signatures, held until they are applied.
    pub permit: Option<MemoryPermit>,
}

impl NewDocument {
    /// Length of the text to be stored for it. Raw bytes have a length, but no text.
    fn text_bytes(&self) -> u64 {
        self.text.as_ref().map_or(0, |text| text.len() as u64)
    }
}

/// The result of applying changes.
#[derive(Default, Debug)]
pub struct Applied {
    /// Documents not known before.
    pub new_documents: u64,
    /// Files whose content is no longer on record, because it was purged before the change was applied: they must be
    /// read again.
    pub unknown_content: Vec<FileKey>,
    /// Files that hold something else than before, members of containers included, in the order in which they changed;
    /// at most [`MAX_CHANGED`] of them.
    pub changed: Vec<ChangedFile>,
    /// How many more files changed.
    pub changed_besides: u64,
    /// Documents of groups that came to a root or left it, in no order; at most [`MAX_CHANGED`] of them, and any more
    /// count as files that changed besides.
    pub arrivals: Vec<GroupArrival>,
}

/// A document of a group whose first file in a root was recorded, or whose last one there is gone; its group may have
/// had all its files in other roots.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GroupArrival {
    /// Hash of the document.
    pub document: DocumentHash,
    /// The group it is in, as it was last reported by settling.
    pub group: GroupId,
    /// The first of the document's files that came, or went.
    pub file: FileKey,
    /// Whether the root has a file of it now.
    pub is_there: bool,
    /// The other roots that have files of it.
    pub elsewhere: Vec<RootId>,
}

/// A file that holds something else than before, or is gone.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChangedFile {
    /// Root and path of the file; for a member also its name in the container.
    pub key: FileKey,
    /// Whether it is on record now.
    pub is_recorded: bool,
}

/// Changed files that are named for one call.
pub const MAX_CHANGED: usize = if cfg!(test) { 100 } else { 65_536 };

/// Files that changed with a batch: as many as are named, and how many more there are.
#[derive(Default)]
pub(crate) struct ChangedFiles {
    named: Vec<ChangedFile>,
    besides: u64,
}

impl ChangedFiles {
    /// Notes a file that changed; no more are held than are named, since one content may have millions of files.
    pub(crate) fn note(&mut self, key: &FileKey, is_recorded: bool) {
        if self.named.len() == MAX_CHANGED {
            self.besides += 1;
            return;
        }
        self.named.push(ChangedFile {
            key: key.clone(),
            is_recorded,
        });
    }
}

impl Applied {
    /// Notes files that changed, as far as there is room.
    pub(crate) fn note_changed(&mut self, mut changed: ChangedFiles) {
        let room = MAX_CHANGED.saturating_sub(self.changed.len());
        self.changed_besides += changed.named.len().saturating_sub(room) as u64 + changed.besides;
        changed.named.truncate(room);
        self.changed.append(&mut changed.named);
    }

    /// Notes documents that came to a root or left it, as far as there is room.
    pub(crate) fn note_arrivals(&mut self, mut arrivals: Vec<GroupArrival>) {
        let room = MAX_CHANGED.saturating_sub(self.arrivals.len());
        self.changed_besides += arrivals.len().saturating_sub(room) as u64;
        arrivals.truncate(room);
        self.arrivals.append(&mut arrivals);
    }
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
            permit: None,
        }
    }

    #[test]
    fn only_text_that_is_stored_is_counted() {
        let raw = document(DocumentKind::Raw, None);
        let text = document(DocumentKind::Text, Some("A  text"));
        assert_eq!((raw.text_bytes(), text.text_bytes()), (0, 7));
    }

    #[test]
    fn no_more_changed_files_are_held_than_are_named() {
        let mut applied = Applied::default();
        let file = FileKey {
            root: RootId(1),
            path: b"copy".to_vec(),
        };
        for more in [MAX_CHANGED - 1, 3, MAX_CHANGED + 7] {
            let mut changed = ChangedFiles::default();
            (0..more).for_each(|_| changed.note(&file, true));
            assert_eq!(changed.named.len(), more.min(MAX_CHANGED));
            applied.note_changed(changed);
        }
        assert_eq!(applied.changed.len(), MAX_CHANGED);
        assert_eq!(applied.changed_besides, MAX_CHANGED as u64 + 9);
    }
}
