//! What other programs are given: the fingerprints of all documents, and which are asked about and deleted.

use std::io::{BufWriter, Write as _};
use std::path::Path;

use simdex_index::IndexReader;
use simdex_signature::{CanonicalText, Fingerprint, ModN, Rung, SignedText};

use super::questions::Questions;
use crate::corpus::Planted;

/// One document in so many is deleted.
const DELETED: usize = 10;

/// The fingerprints of a text at a rung, sorted.
pub(super) fn signed(index: &IndexReader, text: &str, rung: Rung) -> Vec<Fingerprint> {
    let canonical = CanonicalText::from_extracted(text);
    let mod_n = ModN::sign(&canonical, index.window(), rung);
    mod_n.fingerprints().to_vec()
}

/// How much there is of all documents.
pub(super) struct Size {
    /// Bytes.
    pub(super) text: u64,
    /// The rung that is common to all.
    pub(super) rung: Rung,
    /// At that rung.
    pub(super) postings: u64,
    /// Of all schemes, each document at its own rung.
    pub(super) own_postings: u64,
}

/// Writes the postings of all documents, by document, and where each ends.
pub(super) fn write_postings(
    folder: &Path,
    index: &IndexReader,
    planted: &Planted,
    rung: Rung,
) -> anyhow::Result<Size> {
    let file = |name| std::fs::File::create(folder.join(name)).map(BufWriter::new);
    let (mut fingerprints, mut ends) = (file("fingerprints.u64")?, file("ends.u64")?);
    let (mut postings, mut own_postings, mut bytes) = (0, 0, 0);
    for number in 0..planted.documents() {
        let text = planted.text(number);
        for fingerprint in signed(index, &text, rung) {
            fingerprints.write_all(&fingerprint.0.to_le_bytes())?;
            postings += 1;
        }
        ends.write_all(&u64::to_le_bytes(postings))?;
        let canonical = CanonicalText::from_extracted(&text);
        let length = canonical.as_bytes().len() as u64;
        let own = index.signer().sign(&SignedText::whole(canonical), length);
        own_postings += own
            .iter()
            .map(|signature| signature.len() as u64)
            .sum::<u64>();
        bytes += text.len() as u64;
    }
    fingerprints.flush()?;
    ends.flush()?;
    Ok(Size {
        text: bytes,
        rung,
        postings,
        own_postings,
    })
}

/// Writes the documents that are asked about, and those to be deleted.
pub(super) fn write_questions(
    folder: &Path,
    planted: &Planted,
    questions: &[Questions; 2],
) -> anyhow::Result<()> {
    let write = |name: &str, documents: Vec<u64>| {
        let documents = documents.into_iter();
        let bytes = documents.flat_map(|number| (number as u32).to_le_bytes());
        std::fs::write(
            folder.join(format!("{name}.u32")),
            bytes.collect::<Vec<u8>>(),
        )
    };
    for questions in questions {
        let asked = questions.all.iter().map(|question| question.number);
        write(questions.relation.name(), asked.collect())?;
    }
    Ok(write("deleted", deleted(planted).collect())?)
}

/// The documents to be deleted.
pub(super) fn deleted(planted: &Planted) -> impl Iterator<Item = u64> {
    (0..planted.documents()).step_by(DELETED)
}
