//! Keys of the records tree: one byte for the kind, then big-endian parts, so that byte order is the order of listing.

use crate::FileKey;
use crate::ids::{ContentHash, DocId, DocumentHash, RootId};

/// Prefixes, one per kind of record.
pub mod prefix {
    /// The meta record.
    pub const META: u8 = b'm';
    /// Root id → root record.
    pub const ROOT: u8 = b'r';
    /// Root id, path → file record.
    pub const FILE: u8 = b'f';
    /// Content hash → content record.
    pub const CONTENT: u8 = b'c';
    /// Content hash, root id, path → nothing: the files that hold a content.
    pub const FILE_OF_CONTENT: u8 = b'l';
    /// Document id → document record.
    pub const DOCUMENT: u8 = b'd';
    /// Document hash → document id.
    pub const DOCUMENT_BY_HASH: u8 = b'h';
    /// Document id, content hash → nothing: the contents that carry a document.
    pub const CONTENT_OF_DOCUMENT: u8 = b'k';
    /// Document id, document id (smaller first) → edge record.
    pub const EDGE: u8 = b'e';
    /// Document id → nothing: its edges have not been found yet.
    pub const UNSETTLED: u8 = b'u';
    /// Principal's document id → group id.
    pub const GROUP: u8 = b'g';
    /// Microseconds since 1970 → report directory.
    pub const REPORT: u8 = b'p';
}

fn key(prefix: u8, parts: &[&[u8]]) -> Vec<u8> {
    let mut key = vec![prefix];
    parts.iter().for_each(|part| key.extend_from_slice(part));
    key
}

/// The meta record's key.
pub fn meta() -> Vec<u8> {
    key(prefix::META, &[])
}

/// Key of a root.
pub fn root(id: RootId) -> Vec<u8> {
    key(prefix::ROOT, &[&id.0.to_be_bytes()])
}

/// Key of a file.
pub fn file(file: &FileKey) -> Vec<u8> {
    key(prefix::FILE, &[&file.root.0.to_be_bytes(), &file.path])
}

/// Prefix of all members of a file, at any depth.
pub fn members_of(container: &FileKey) -> Vec<u8> {
    file(&container.member(b""))
}

/// Prefix of all files of a root.
pub fn files_of_root(root: RootId) -> Vec<u8> {
    key(prefix::FILE, &[&root.0.to_be_bytes()])
}

/// Key of a content.
pub fn content(hash: ContentHash) -> Vec<u8> {
    key(prefix::CONTENT, &[&hash.0])
}

/// Key of the entry that this file holds this content.
pub fn file_of_content(hash: ContentHash, file: &FileKey) -> Vec<u8> {
    key(
        prefix::FILE_OF_CONTENT,
        &[&hash.0, &file.root.0.to_be_bytes(), &file.path],
    )
}

/// Prefix of the files that hold a content.
pub fn files_of_content(hash: ContentHash) -> Vec<u8> {
    key(prefix::FILE_OF_CONTENT, &[&hash.0])
}

/// Key of a document.
pub fn document(id: DocId) -> Vec<u8> {
    key(prefix::DOCUMENT, &[&id.0.to_be_bytes()])
}

/// Key of the id of the document with this hash.
pub fn document_by_hash(hash: DocumentHash) -> Vec<u8> {
    key(prefix::DOCUMENT_BY_HASH, &[&hash.0])
}

/// Key of the entry that this content carries this document.
pub fn content_of_document(id: DocId, hash: ContentHash) -> Vec<u8> {
    key(prefix::CONTENT_OF_DOCUMENT, &[&id.0.to_be_bytes(), &hash.0])
}

/// Prefix of the contents that carry a document.
pub fn contents_of_document(id: DocId) -> Vec<u8> {
    key(prefix::CONTENT_OF_DOCUMENT, &[&id.0.to_be_bytes()])
}

/// Key of the edge between two documents, in either order.
pub fn edge(a: DocId, b: DocId) -> Vec<u8> {
    let (low, high) = (a.min(b), a.max(b));
    key(prefix::EDGE, &[&low.0.to_be_bytes(), &high.0.to_be_bytes()])
}

/// Key that marks a document whose edges have not been found yet.
pub fn unsettled(id: DocId) -> Vec<u8> {
    key(prefix::UNSETTLED, &[&id.0.to_be_bytes()])
}

/// Key of the id of the group around this principal.
pub fn group(principal: DocId) -> Vec<u8> {
    key(prefix::GROUP, &[&principal.0.to_be_bytes()])
}

/// Key of a report finished at this time (microseconds since 1970).
pub fn report(at: u64) -> Vec<u8> {
    key(prefix::REPORT, &[&at.to_be_bytes()])
}

/// The file whose key this is ([`file`]).
pub fn file_in_key(key: &[u8]) -> Option<FileKey> {
    file_behind(key, 1)
}

/// The file in a key of a file under a content ([`file_of_content`]).
pub fn file_in_link(link: &[u8]) -> Option<FileKey> {
    file_behind(link, 1 + size_of::<ContentHash>())
}

fn file_behind(key: &[u8], prefix: usize) -> Option<FileKey> {
    let (root, path) = key.get(prefix..)?.split_first_chunk::<4>()?;
    Some(FileKey {
        root: RootId(u32::from_be_bytes(*root)),
        path: path.to_vec(),
    })
}

/// The document id at `skip` bytes into a key.
pub fn parse_document(key: &[u8], skip: usize) -> Option<DocId> {
    let (id, _) = key.get(skip..)?.split_first_chunk::<8>()?;
    Some(DocId(u64::from_be_bytes(*id)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_sort_by_root_then_path_and_parse_back() {
        let a = FileKey {
            root: RootId(1),
            path: b"z".to_vec(),
        };
        let b = FileKey {
            root: RootId(2),
            path: b"a\xff".to_vec(),
        };
        assert!(file(&a) < file(&b));
        assert_eq!(file_in_key(&file(&b)), Some(b.clone()));
        let link = file_of_content(ContentHash([3; 32]), &b);
        assert_eq!(file_in_link(&link), Some(b));
    }

    #[test]
    fn an_edge_has_one_key() {
        assert_eq!(edge(DocId(9), DocId(2)), edge(DocId(2), DocId(9)));
        assert_eq!(parse_document(&edge(DocId(9), DocId(2)), 9), Some(DocId(9)));
    }
}
