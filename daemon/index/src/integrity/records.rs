//! Every record decodes and refers to nothing that was never created, and what one record says of another, the other
//! confirms.

use std::ops::ControlFlow;

use simdex_schema::key::prefix;
use simdex_schema::{
    ContentHash, ContentRecord, DecodeError, DocId, DocumentHash, DocumentKind, DocumentRecord,
    EdgeRecord, FileKey, FileRecord, MetaRecord, ReportRecord, RootRecord, key,
};

use super::texts::Reference;
use super::{Faults, Verified};
use crate::IndexError;
use crate::document_text::text_reference;
use crate::error::decode_error;
use crate::store::{RecordStore, Store};

/// The meta record; a fault and `None` if there is none or it is damaged.
pub(super) fn meta(
    store: &dyn Store,
    faults: &mut Faults,
) -> Result<Option<MetaRecord>, IndexError> {
    let bytes = faults.absorb(store.records().get(&key::meta()).map_err(Into::into))?;
    let Some(bytes) = bytes.flatten() else {
        faults.tell("there is no meta record");
        return Ok(None);
    };
    match MetaRecord::decode(&bytes) {
        Ok(meta) => Ok(Some(meta)),
        // Not damage: this program cannot judge it.
        Err(source @ DecodeError::Version { .. }) => Err(decode_error("meta", source)),
        Err(source) => faults.absorb(Err(decode_error("meta", source))),
    }
}

/// Reads all records; returns the references to texts.
pub(super) fn verify(
    store: &dyn Store,
    meta: &MetaRecord,
    verified: &mut Verified,
) -> Result<Vec<Reference>, IndexError> {
    let mut records = Records {
        store: store.records(),
        meta,
        references: Vec::new(),
    };
    let mut failed = Ok(());
    let scanned = store.records().scan(&[], None, &mut |key, value| {
        verified.records += 1;
        match records.check(key, value) {
            Ok(None) => return ControlFlow::Continue(()),
            Ok(Some(fault)) => verified.faults.tell(format!("{}: {fault}", named(key))),
            Err(error) => match verified.faults.absorb::<()>(Err(error)) {
                Ok(_) => {}
                Err(error) => {
                    failed = Err(error);
                    return ControlFlow::Break(());
                }
            },
        }
        ControlFlow::Continue(())
    });
    failed?;
    verified.faults.absorb(scanned.map_err(Into::into))?;
    Ok(records.references)
}

/// A key for people: its kind, and the beginning of the rest.
fn named(key: &[u8]) -> String {
    let kind = char::from(key.first().copied().unwrap_or(b'?'));
    let hex: String = key
        .iter()
        .skip(1)
        .take(24)
        .map(|byte| format!("{byte:02x}"))
        .collect();
    format!("record {} {hex}", kind.escape_default())
}

struct Records<'a> {
    store: &'a dyn RecordStore,
    meta: &'a MetaRecord,
    references: Vec<Reference>,
}

/// What is wrong with a record, if anything.
type CheckResult = Result<Option<String>, IndexError>;

impl Records<'_> {
    fn check(&mut self, key: &[u8], value: &[u8]) -> CheckResult {
        let Some((kind, rest)) = key.split_first() else {
            return Ok(Some("an empty key".to_owned()));
        };
        match *kind {
            prefix::META if rest.is_empty() => Ok(None),
            prefix::ROOT => self.root(rest, value),
            prefix::FILE => self.file(key, value),
            prefix::CONTENT => self.content(rest, value),
            prefix::FILE_OF_CONTENT => self.file_of_content(key),
            prefix::DOCUMENT => self.document(key, value),
            prefix::DOCUMENT_BY_HASH => self.document_by_hash(rest, value),
            prefix::CONTENT_OF_DOCUMENT => self.content_of_document(key),
            prefix::EDGE => self.edge(key, value),
            prefix::UNSETTLED => Ok(key::parse_document(key, 1)
                .is_none()
                .then(|| "a key of another form".to_owned())),
            prefix::GROUP => self.group(key, value),
            prefix::REPORT => decoded(ReportRecord::decode(value)),
            _ => Ok(Some("a kind of record that is not known".to_owned())),
        }
    }

    fn root(&self, rest: &[u8], value: &[u8]) -> CheckResult {
        let id = <[u8; 4]>::try_from(rest).map(u32::from_be_bytes);
        match (id, RootRecord::decode(value)) {
            (Ok(id), Ok(_)) => Ok(never_made(id.into(), self.meta.next_root.into())),
            (_, record) => malformed(record),
        }
    }

    fn edge(&self, key: &[u8], value: &[u8]) -> CheckResult {
        let ends = key::parse_document(key, 1).zip(key::parse_document(key, 9));
        let (a, b) = match (ends, EdgeRecord::decode(value)) {
            (Some(ends), Ok(_)) => ends,
            (_, record) => return malformed(record),
        };
        let fault = "a document that it joins is not on record";
        Ok(self
            .missing(&key::document(a), fault)?
            .or(self.missing(&key::document(b), fault)?))
    }

    fn group(&self, key: &[u8], value: &[u8]) -> CheckResult {
        let number = <[u8; 8]>::try_from(value).map(u64::from_be_bytes);
        let (Some(id), Ok(number)) = (key::parse_document(key, 1), number) else {
            return malformed(Ok(()));
        };
        Ok(self
            .missing(&key::document(id), "its document is not on record")?
            .or(never_made(number, self.meta.next_group)))
    }

    fn file(&self, key: &[u8], value: &[u8]) -> CheckResult {
        let (file, record) = match (key::file_in_key(key), FileRecord::decode(value)) {
            (Some(file), Ok(record)) => (file, record),
            (_, record) => return malformed(record),
        };
        if file.is_member() {
            let container = key::file(&file.on_disk());
            let fault = self.missing(&container, "the file that holds it is not on record")?;
            if fault.is_some() {
                return Ok(fault);
            }
        }
        let Some(hash) = record.content() else {
            return Ok(None);
        };
        Ok(self
            .missing(
                &key::file_of_content(hash, &file),
                "its content does not name it",
            )?
            .or(self.missing(&key::content(hash), "its content is not on record")?))
    }

    fn content(&self, rest: &[u8], value: &[u8]) -> CheckResult {
        let (hash, record) = match (ContentHash::from_slice(rest), ContentRecord::decode(value)) {
            (Some(hash), Ok(record)) => (hash, record),
            (_, record) => return malformed(record),
        };
        let Some(id) = record.document else {
            return Ok(None);
        };
        let link = key::content_of_document(id, hash);
        Ok(self
            .missing(&link, "its document does not name it")?
            .or(self.missing(&key::document(id), "its document is not on record")?))
    }

    fn file_of_content(&self, key: &[u8]) -> CheckResult {
        let hash = key.get(1..33).and_then(ContentHash::from_slice);
        let Some((hash, file)) = hash.zip(key::file_in_link(key)) else {
            return malformed(Ok(()));
        };
        let holds = self.get(&file)?.and_then(|record| record.content()) == Some(hash);
        Ok((!holds).then(|| "its file holds another content".to_owned()))
    }

    fn get(&self, file: &FileKey) -> Result<Option<FileRecord>, IndexError> {
        let bytes = self.store.get(&key::file(file))?;
        let record = bytes.map(|bytes| FileRecord::decode(&bytes)).transpose();
        record.map_err(|source| decode_error("of a file", source))
    }

    fn document(&mut self, key: &[u8], value: &[u8]) -> CheckResult {
        let (id, record) = match (key::parse_document(key, 1), DocumentRecord::decode(value)) {
            (Some(id), Ok(record)) => (id, record),
            (_, record) => return malformed(record),
        };
        // The next run to be made is the first that holds what was signed again.
        let fault = never_made(id.serial(), self.meta.next_document).or(never_made(
            record.first_run.into(),
            u64::from(self.meta.next_run) + 1,
        ));
        if fault.is_some() {
            return Ok(fault);
        }
        // One that was released for its damaged text has no contents: its text is no longer needed, and its hash may
        // now be its successor's.
        if !self.carries_content(id)? {
            return Ok(None);
        }
        let hash = record.hash;
        match text_reference(&record)? {
            Some(at) => {
                let fault = never_made(at.segment.into(), self.next_segment());
                self.references.push(Reference { at, id, hash });
                if let Some(fault) = fault {
                    return Ok(Some(format!("its text: {fault}")));
                }
            }
            None if record.kind == DocumentKind::Text => {
                return Ok(Some("it has no text".to_owned()));
            }
            None => {}
        }
        let named = self.named(hash)?;
        // One identified by an older canonical text may have a successor, until all of its contents are read again.
        let has_successor = id.serial() < self.meta.named_from && named.is_some();
        let leads_here = named == Some(id) || has_successor;
        Ok((!leads_here).then(|| "its name leads to another document".to_owned()))
    }

    /// The number of the next segment of texts. Unknown before format 3, and for a store of that time until a text is
    /// added to it.
    fn next_segment(&self) -> u64 {
        match self.meta.next_segment {
            1 => u64::MAX,
            next => next.into(),
        }
    }

    fn carries_content(&self, id: DocId) -> Result<bool, IndexError> {
        let mut found = false;
        let prefix = key::contents_of_document(id);
        self.store.scan(&prefix, None, &mut |_, _| {
            found = true;
            ControlFlow::Break(())
        })?;
        Ok(found)
    }

    fn named(&self, hash: DocumentHash) -> Result<Option<DocId>, IndexError> {
        let bytes = self.store.get(&key::document_by_hash(hash))?;
        Ok(bytes.and_then(|bytes| key::parse_document(&bytes, 0)))
    }

    fn document_by_hash(&self, rest: &[u8], value: &[u8]) -> CheckResult {
        let Some((hash, id)) = DocumentHash::from_slice(rest).zip(key::parse_document(value, 0))
        else {
            return malformed(Ok(()));
        };
        let bytes = self.store.get(&key::document(id))?;
        let record = bytes
            .map(|bytes| DocumentRecord::decode(&bytes))
            .transpose();
        let record = record.map_err(|source| decode_error("of a document", source))?;
        let is_it = record.is_some_and(|record| record.hash == hash);
        Ok((!is_it).then(|| "it leads to another document".to_owned()))
    }

    fn content_of_document(&self, key: &[u8]) -> CheckResult {
        let hash = key.get(9..).and_then(ContentHash::from_slice);
        let Some((hash, id)) = hash.zip(key.get(..9).and_then(|key| key::parse_document(key, 1)))
        else {
            return malformed(Ok(()));
        };
        let bytes = self.store.get(&key::content(hash))?;
        let record = bytes.map(|bytes| ContentRecord::decode(&bytes)).transpose();
        let record = record.map_err(|source| decode_error("of a content", source))?;
        let carries = record.and_then(|record| record.document) == Some(id);
        Ok((!carries).then(|| "its content carries another document".to_owned()))
    }

    fn missing(&self, key: &[u8], fault: &str) -> CheckResult {
        let there = self.store.get(key)?.is_some();
        Ok((!there).then(|| fault.to_owned()))
    }
}

/// The fault of a number that the meta record says is not assigned yet.
fn never_made(number: u64, next: u64) -> Option<String> {
    (number >= next).then(|| format!("number {number} was never made, the next is {next}"))
}

fn decoded<T>(record: Result<T, DecodeError>) -> CheckResult {
    Ok(record.err().map(|error| error.to_string()))
}

/// The fault of a record that does not decode, or whose key has another form.
fn malformed<T>(record: Result<T, DecodeError>) -> CheckResult {
    Ok(Some(record.err().map_or_else(
        || "a key of another form".to_owned(),
        |error| error.to_string(),
    )))
}
