//! A store that an older canonical text named, opened by the daemon of today: two texts that were one document become
//! two as their files are read again.

use std::fs;
use std::path::Path;

use simdex_index::store::{SledStore, StoreOptions};
use simdex_index::{
    Cancel, FileChange, Index, IndexReader, NewContent, NewDocument, Opened, Options, SeenFile,
    canonicalise,
};
use simdex_schema::meta::Parameters;
use simdex_schema::{DocumentHash, DocumentKind, FileKey, ReaderVersion};
use simdexd::config::{Config, RootConfig, RootMode};
use simdexd::engine::Engine;

/// The names of two files of one line that an older canonical text took for one: it dropped the sign.
const NAMES: [&str; 2] = ["signed.txt", "plain.txt"];

/// A version of canonical text, and a sign that it dropped at the beginning of a line.
#[derive(Clone, Copy)]
struct Older {
    canonical: u32,
    sign: &'static str,
}

impl Older {
    fn texts(self) -> [String; 2] {
        let line =
            |sign: &str| format!("the balance of the year:\n{sign}$100,000 and the notes to it\n");
        [line(self.sign), line("")]
    }
}

fn config(top: &Path) -> Config {
    Config {
        data_dir: Some(top.join("data")),
        roots: vec![RootConfig {
            path: top.join("share"),
            mode: RootMode::Poll,
        }],
        ..Config::default()
    }
}

fn engine(top: &Path) -> Engine {
    Engine::start(config(top), Path::new(env!("CARGO_BIN_EXE_simdexd"))).unwrap()
}

/// The key of a file, and the document that its content carries.
fn file(engine: &Engine, name: &str) -> (FileKey, DocumentHash) {
    let key = FileKey {
        root: engine.roots.iter().next().unwrap().id,
        path: name.as_bytes().to_vec(),
    };
    let registry = engine.index.registry();
    let content = registry.file(&key).unwrap().unwrap().content().unwrap();
    let id = registry.content(content).unwrap().unwrap().document;
    let record = engine
        .index
        .reader()
        .documents()
        .record(id.unwrap())
        .unwrap();
    (key, record.unwrap().hash)
}

fn document(reader: &IndexReader, name: DocumentHash, text: &str) -> NewDocument {
    let account = reader.memory().backlog.account(&Cancel::never());
    let (canonical, _permit) = canonicalise(text, &account).unwrap();
    let (signed, _rest) = reader.signer().signed_text(&canonical, &account).unwrap();
    let length = canonical.as_bytes().len() as u64;
    NewDocument {
        permit: None,
        hash: name,
        kind: DocumentKind::Text,
        length,
        chars: canonical.chars(),
        text: Some(text.to_owned()),
        signatures: reader.signer().sign(&signed, length),
    }
}

/// Has the store say what it would have said by an older canonical text: one document of this name with the text of the
/// first file, read by an older reader.
fn as_named_by(older: Older, top: &Path, keys: &[FileKey], name: DocumentHash) {
    let parameters = Parameters {
        canonical: older.canonical,
        ..config(top).parameters()
    };
    let data = top.join("data");
    let store = SledStore::open(&data.join("store"), StoreOptions::default()).unwrap();
    let store = Box::new(store);
    let Opened { index, writer, .. } =
        Index::open(store, &data.join("text"), parameters, Options::default()).unwrap();
    writer.settle(&Cancel::never()).unwrap();
    let [text, _] = older.texts();
    for key in keys {
        let record = index.registry().file(key).unwrap().unwrap();
        let content = record.content().unwrap();
        let mut read = index.registry().content(content).unwrap().unwrap();
        let reader = read.reader.take().unwrap();
        read.extractor -= 1;
        read.reader = Some(ReaderVersion {
            version: reader.version.saturating_sub(1),
            ..reader
        });
        let document = Some(document(index.reader(), name, &text));
        let content = Some(Box::new(NewContent {
            record: read,
            document,
        }));
        let seen = SeenFile {
            key: key.clone(),
            record,
            content,
        };
        writer.apply(&[FileChange::file(seen)]).unwrap();
    }
    // Not settled again: the canonical text of today would find the name untrue.
    index.close(writer).unwrap();
}

#[test]
fn a_document_of_canonical_text_3_becomes_the_two_that_it_was_made_of() {
    becomes_two(Older {
        canonical: 3,
        sign: "- ",
    });
}

#[test]
fn a_document_of_canonical_text_7_becomes_the_two_that_it_was_made_of() {
    becomes_two(Older {
        canonical: 7,
        sign: "\u{f0d8} ",
    });
}

fn becomes_two(older: Older) {
    let dir = tempfile::tempdir().unwrap();
    let top = dir.path().canonicalize().unwrap();
    fs::create_dir(top.join("share")).unwrap();
    for (name, text) in NAMES.iter().zip(older.texts()) {
        fs::write(top.join("share").join(name), text).unwrap();
    }
    let first = engine(&top);
    first.sync(&Cancel::never()).unwrap();
    let [(signed, of_signed), (plain, of_plain)] = NAMES.map(|name| file(&first, name));
    assert_ne!(of_signed, of_plain);
    first.close().unwrap();
    let keys = [signed, plain];
    // The document of the second text is forgotten first: the one that gets its name has the text of the other.
    as_named_by(older, &top, &keys, of_signed);
    as_named_by(older, &top, &[], of_signed);
    as_named_by(older, &top, &keys, of_plain);

    let today = engine(&top);
    let documents = |engine: &Engine| NAMES.map(|name| file(engine, name).1);
    assert_eq!(documents(&today), [of_plain, of_plain], "one document");
    let old = today
        .index
        .reader()
        .documents()
        .with_hash(of_plain)
        .unwrap();
    today.sync(&Cancel::never()).unwrap();
    assert_eq!(documents(&today), [of_signed, of_plain]);
    let reader = today.index.reader();
    let account = reader.memory().requests.account(&Cancel::never());
    for (name, text) in [of_signed, of_plain].into_iter().zip(older.texts()) {
        let id = reader.documents().with_hash(name).unwrap().unwrap();
        let kept = reader.texts().read(id, &account).unwrap().unwrap();
        assert_eq!(*kept, text);
    }
    assert!(reader.documents().damaged().is_empty());
    // What no file carries is forgotten when the index is closed.
    today.close().unwrap();
    let later = engine(&top);
    let gone = later
        .index
        .reader()
        .documents()
        .record(old.unwrap())
        .unwrap();
    assert!(gone.is_none(), "the old one is there");
    assert_eq!(documents(&later), [of_signed, of_plain]);
    later.close().unwrap();
}
