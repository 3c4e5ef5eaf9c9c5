//! Simdex with what the other programs have: the fingerprints of all documents at one rung, and no texts. Its answers
//! are estimates from these samples, as theirs are.

use std::fs::File;
use std::io::BufReader;
use std::path::Path;
use std::time::{Duration, Instant};

use anyhow::ensure;
use simdex_index::{FileChange, NewDocument, Opened};
use simdex_schema::{DocumentHash, DocumentKind, RootId, Schemes};
use simdex_signature::{Fingerprint, Rung, Scheme, SchemeKind, Signature, Window};
use simdexd::config::Config;

use super::super::answers::{BATCH, new_file, open_as};
use super::super::bed::{COMMIT_EVERY, Memory};
use super::super::process::{allocated, processor_seconds};
use super::ask_samples;
use super::deletion::remove;
use super::given::Size;
use super::measured::{IndexCost, Measured};
use super::questions::Questions;
use crate::corpus::Planted;
use crate::sandbox::Sandbox;

/// Builds an index from the postings in `folder`, and measures it.
pub(super) fn simdex_by_samples(
    memory: Memory,
    planted: &Planted,
    questions: &[Questions; 2],
    (size, folder): (&Size, &Path),
) -> anyhow::Result<Measured> {
    let sandbox = Sandbox::new()?;
    let mut parameters = Config::default().parameters();
    parameters.schemes = Schemes::default();
    let open = || open_as(&sandbox, memory, parameters.clone());
    let opened = open()?;
    let root = opened.writer.add_root(sandbox.share())?;
    let (busy, processor) = fill(&opened, root, planted.documents(), (size.rung, folder))?;
    let postings: u64 = opened.index.usage().iter().map(|of| of.postings).sum();
    ensure!(
        postings == size.postings,
        "{postings} postings are stored of {}",
        size.postings
    );
    let [similar, containing] = questions;
    let index = opened.index.reader();
    let answers = [
        ask_samples(index, similar, size.rung)?,
        ask_samples(index, containing, size.rung)?,
    ];
    opened.index.close(opened.writer)?;
    let disk = allocated(&sandbox.data_dir().join("store"))? as f64;
    let opened = open()?;
    let deletion = remove(&opened, root, planted)?;
    opened.index.close(opened.writer)?;
    Ok(Measured {
        name: "Simdex, by samples".to_owned(),
        index: IndexCost {
            build: [busy.as_secs_f64(), processor],
            postings: postings as f64,
            disk: Some(disk),
            // The process keeps memory of the index before.
            memory: None,
            delete: Some(deletion.seconds()),
        },
        answers,
        pairs: None,
        pairs_of_families: None,
    })
}

/// Indexes all documents, everything merged and committed at the end; returns how long that took, on the clock and in
/// seconds of processors. Reading the postings is not counted.
fn fill(
    opened: &Opened,
    root: RootId,
    documents: u64,
    (rung, folder): (Rung, &Path),
) -> anyhow::Result<(Duration, f64)> {
    let mut given = Given::open(folder, rung)?;
    let (mut busy, mut processor) = (Duration::ZERO, 0.0);
    for first in (0..documents).step_by(BATCH as usize) {
        let end = documents.min(first + BATCH);
        let changes = (first..end).map(|number| Ok(new_file(root, number, given.next(number)?)));
        let changes: Vec<FileChange> = changes.collect::<anyhow::Result<_>>()?;
        let (begin, before) = (Instant::now(), processor_seconds()?);
        opened.writer.apply(&changes)?;
        if end.is_multiple_of(COMMIT_EVERY) {
            opened.writer.commit()?;
        }
        if end == documents {
            opened.writer.merge()?;
        }
        busy += begin.elapsed();
        processor += processor_seconds()? - before;
    }
    Ok((busy, processor))
}

/// The postings of documents, in order, as [`super::given::write_postings`] wrote them.
struct Given {
    fingerprints: BufReader<File>,
    ends: BufReader<File>,
    /// Postings read so far.
    read: u64,
    rung: Rung,
}

impl Given {
    fn open(folder: &Path, rung: Rung) -> std::io::Result<Self> {
        let file = |name| File::open(folder.join(name)).map(BufReader::new);
        Ok(Self {
            fingerprints: file("fingerprints.u64")?,
            ends: file("ends.u64")?,
            read: 0,
            rung,
        })
    }

    /// The next document, which has this number.
    fn next(&mut self, number: u64) -> std::io::Result<NewDocument> {
        let end = read_u64(&mut self.ends)?;
        let fingerprints = (self.read..end).map(|_| read_u64(&mut self.fingerprints));
        let fingerprints: Vec<Fingerprint> = fingerprints
            .map(|read| read.map(Fingerprint))
            .collect::<std::io::Result<_>>()?;
        self.read = end;
        // As long as a text of so many fingerprints usually is.
        let length = (fingerprints.len() as u64) << self.rung.get();
        let scheme = Scheme::of_text(SchemeKind::ModN, Window::DEFAULT);
        Ok(NewDocument {
            permit: None,
            hash: DocumentHash(*blake3::hash(&number.to_le_bytes()).as_bytes()),
            kind: DocumentKind::Text,
            length,
            chars: length,
            signatures: vec![Signature::new(scheme, self.rung, fingerprints)],
            text: None,
        })
    }
}

fn read_u64(file: &mut impl std::io::Read) -> std::io::Result<u64> {
    let mut bytes = [0; 8];
    file.read_exact(&mut bytes)?;
    Ok(u64::from_le_bytes(bytes))
}
