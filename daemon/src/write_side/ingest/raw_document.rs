//! The document of a content without text: its raw bytes, cut into chunks.

use simdex_index::NewDocument;
use simdex_schema::{DocumentHash, DocumentKind};
use simdex_signature::{Chunks, Ladder};

/// Separates the hashes of raw documents from those of texts.
const RAW_DOCUMENT: &str = "simdex 2026 raw document";

/// The raw-byte document of these bytes. Its hash is BLAKE3 with a separate key, so that no text can
/// have the same hash.
pub fn raw_document(raw: &[u8], ladder: Ladder) -> NewDocument {
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
        signatures: vec![Chunks::sign_by(raw, ladder)],
        permit: None,
    }
}
