//! Where the files of a report go: a folder of its own, or a stream to the client.
//!
//! [`HashingSink`] counts and hashes every file on its way, for the manifest.
use std::collections::BTreeSet;
use std::io::{self, BufWriter, Write};

use simdex_index::{GrowingPermit, MemoryAccount};
use simdex_proto::manifest::FileEntry;

use super::ReportError;

/// Receives the files of one report. Names are relative, and chosen by us.
pub trait Sink {
    /// Creates a folder.
    fn create_dir(&self, name: &str) -> io::Result<()>;
    /// Creates a file.
    fn create_file<'a>(&'a self, name: &str) -> io::Result<Box<dyn SinkFile + 'a>>;
}

/// One file being written.
pub trait SinkFile: Write {
    /// Completes the file.
    fn finish(self: Box<Self>) -> io::Result<()>;
}

/// Writes the files of a report and notes the length and hash of each.
pub(super) struct HashingSink<'a> {
    sink: &'a dyn Sink,
    pub(super) files: Vec<FileEntry>,
    /// Counts the memory of the files' entries, and of the manifest made from them.
    held: GrowingPermit,
    /// Folders that contain these files.
    folders: BTreeSet<String>,
}

impl<'a> HashingSink<'a> {
    pub(super) fn new(sink: &'a dyn Sink, account: &MemoryAccount) -> Self {
        Self {
            sink,
            files: Vec::new(),
            held: GrowingPermit::of(account),
            folders: BTreeSet::new(),
        }
    }

    /// Creates the folders of a file below the report: every folder contains a file.
    fn folders_of(&mut self, name: &str) -> Result<(), ReportError> {
        for (end, _) in name.match_indices('/') {
            let folder = &name[..end];
            if !self.folders.contains(folder) {
                let made = self.sink.create_dir(folder);
                made.map_err(|source| failed(folder, source))?;
                self.folders.insert(folder.to_owned());
            }
        }
        Ok(())
    }

    /// Creates a file below the report.
    pub(super) fn create_file(&mut self, name: &str) -> Result<HashedFile<'a>, ReportError> {
        self.folders_of(name)?;
        let file = self.sink.create_file(name);
        let file = file.map_err(|source| failed(name, source))?;
        Ok(HashedFile {
            name: name.to_owned(),
            out: BufWriter::with_capacity(BUFFER, HashingWriter::new(file)),
        })
    }

    /// Completes a file and notes its checksum.
    pub(super) fn finish(&mut self, file: HashedFile<'a>) -> Result<(), ReportError> {
        let HashedFile { name, out } = file;
        let summed = out
            .into_inner()
            .map_err(|error| failed(&name, error.into_error()))?;
        let HashingWriter {
            file,
            hasher,
            bytes,
        } = summed;
        file.finish().map_err(|source| failed(&name, source))?;
        self.held.add(ENTRY + 4 * name.len() as u64)?;
        self.files.push(FileEntry {
            path: name,
            bytes,
            blake3: hasher.finalize().to_hex().to_string(),
        });
        Ok(())
    }

    /// Writes a whole file.
    pub(super) fn write_file(&mut self, name: &str, content: &[u8]) -> Result<(), ReportError> {
        let mut file = self.create_file(name)?;
        file.write_with(|out| out.write_all(content))?;
        self.finish(file)
    }
}

/// Bytes of an entry of the manifest, in memory and as its line, beside its name.
const ENTRY: u64 = 640;

/// Bytes that are buffered before they are passed on.
const BUFFER: usize = 32 << 10;

/// One file of a [`HashingSink`].
pub(super) struct HashedFile<'a> {
    name: String,
    out: BufWriter<HashingWriter<'a>>,
}

impl HashedFile<'_> {
    /// Lets `write` append to the file.
    pub(super) fn write_with<F>(&mut self, write: F) -> Result<(), ReportError>
    where
        F: FnOnce(&mut dyn Write) -> io::Result<()>,
    {
        write(&mut self.out).map_err(|source| failed(&self.name, source))
    }
}

/// A file that counts and hashes what is written to it.
struct HashingWriter<'a> {
    file: Box<dyn SinkFile + 'a>,
    hasher: blake3::Hasher,
    bytes: u64,
}

impl<'a> HashingWriter<'a> {
    fn new(file: Box<dyn SinkFile + 'a>) -> Self {
        let hasher = blake3::Hasher::new();
        Self {
            file,
            hasher,
            bytes: 0,
        }
    }
}

impl Write for HashingWriter<'_> {
    fn write(&mut self, buffer: &[u8]) -> io::Result<usize> {
        let written = self.file.write(buffer)?;
        self.hasher.update(&buffer[..written]);
        self.bytes += written as u64;
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

fn failed(name: &str, source: io::Error) -> ReportError {
    ReportError::writing(name, source)
}
