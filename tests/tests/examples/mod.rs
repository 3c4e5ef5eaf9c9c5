//! One record of each kind, as FORMAT.md describes them under "Example".

use simdex_index::text::TextRef;
use simdex_schema::file::FileOutcome;
use simdex_schema::meta::{Parameters, RunOfScheme};
use simdex_schema::posting::{PostingKey, encode_bucket, shard_key};
use simdex_schema::{
    ContentHash, ContentRecord, DirectoryIdentity, DocId, DocumentHash, DocumentKind,
    DocumentRecord, EdgeRecord, FileKey, FileRecord, FileStat, MemberPlace, MetaRecord,
    ReaderVersion, Reason, ReportRecord, Role, RootId, RootRecord, RunId, RunRecord, Schemes,
    State, StoreId, Timestamp, key,
};
use simdex_signature::{
    CanonicalText, Rung, Sampling, SchemeKind, SizeStep, SuperShingles, TemplateLinesId, Window,
};

/// What FORMAT.md shows, and its bytes.
pub(crate) fn all() -> Vec<(&'static str, Vec<u8>)> {
    let file = FileKey {
        root: RootId(1),
        path: b"a/offer.txt".to_vec(),
    };
    let postings = [(7, 3), (7, 5), (300, 4)];
    let postings = postings.map(|(key, id)| (PostingKey::from_bits(key), DocId(id)));
    vec![
        ("the key of a file", key::file(&file)),
        ("the key of an edge", key::edge(DocId(9), DocId(2))),
        ("a meta record", meta().encode()),
        ("the end of a meta record", sampled()),
        ("the end of a meta record with a list", listed()),
        ("a root", root().encode()),
        ("a file that was read", read_file().encode()),
        ("a file that was not read", unread_file().encode()),
        ("an attachment", attachment().encode()),
        ("a content", content().encode()),
        ("a document", document().encode()),
        ("the end of a document", signed_by_all()),
        ("the end of a document that was signed anew", signed_anew()),
        (
            "an edge",
            EdgeRecord {
                shared: 80,
                shingles_a: 100,
                shingles_b: 200,
            }
            .encode(),
        ),
        (
            "a report",
            ReportRecord {
                out: b"/reports/june".to_vec(),
                groups: 12,
            }
            .encode(),
        ),
        (
            "the key of a shard",
            shard_key(SchemeKind::BswN, 10, 515, 0).to_vec(),
        ),
        ("a bucket", encode_bucket(&postings).remove(0)),
        ("super-shingles of a text", super_shingles()),
        ("a text reference", reference().to_bytes()),
    ]
}

fn meta() -> MetaRecord {
    let parameters = Parameters {
        canonical: 1,
        window: 20,
        target: 512,
        schemes: Schemes::of(&[SchemeKind::BswN]),
        threshold: 0.8,
        template_lines: None,
    };
    MetaRecord {
        next_document: 300,
        watermark: 256,
        next_run: 7,
        dead_postings: 9,
        runs: vec![RunRecord {
            number: 6,
            id: Some(RunId([0xee; 16])),
            schemes: [
                held(3, 1000, 5000),
                held(3, 990, 4950),
                held(0, 0, 0),
                held(0, 0, 0),
                held(0, 0, 0),
                held(0, 0, 0),
            ],
        }],
        store: Some(StoreId([0xdd; 16])),
        next_segment: 3,
        ..MetaRecord::new(parameters)
    }
}

/// What ends the meta record of an index that leaves template lines out.
fn listed() -> Vec<u8> {
    let mut listed = meta();
    listed.parameters.template_lines = Some(TemplateLinesId([0xcc; 32]));
    listed.encode().split_off(meta().encode().len() - 4)
}

/// What ends the meta record of an index whose sampling was chosen.
fn sampled() -> Vec<u8> {
    let groups = [(0, 0), (2_000, 1), (9_000, 3)].map(|(from, rung)| SizeStep {
        from,
        rung: Rung::new(rung).unwrap_or(Rung::ZERO),
    });
    let chosen = MetaRecord {
        sampling: Sampling::new(&groups).ok(),
        ..meta()
    };
    chosen.encode().split_off(meta().encode().len() - 2)
}

fn held(bits: u8, postings: u64, bytes: u64) -> RunOfScheme {
    RunOfScheme {
        bits,
        postings,
        bytes,
    }
}

fn root() -> RootRecord {
    RootRecord {
        path: b"/srv/legal".to_vec(),
        pending_loss: 0,
        identity: Some(DirectoryIdentity {
            inode: 131,
            file_system: 0xEF53,
            file_system_id: Some(300),
        }),
    }
}

fn stat() -> FileStat {
    let time = |seconds| Timestamp { seconds, nanos: 5 };
    FileStat {
        inode: 300,
        device: 2,
        length: 1000,
        mtime: time(-1),
        ctime: time(60),
        owner: Some(1000),
    }
}

fn read_file() -> FileRecord {
    FileRecord {
        last_read: Some(60),
        ..FileRecord::new(stat(), FileOutcome::Content(ContentHash([0xaa; 32])))
    }
}

fn unread_file() -> FileRecord {
    let outcome = FileOutcome::Unread(State::Skipped, Reason::Symlink.into());
    FileRecord::new(stat(), outcome)
}

fn attachment() -> FileRecord {
    FileRecord {
        member: Some(MemberPlace {
            role: Role::Attachment,
            ordinal: 1,
        }),
        last_read: None,
        stat: FileStat {
            owner: None,
            ..stat()
        },
        ..read_file()
    }
}

fn content() -> ContentRecord {
    ContentRecord {
        state: State::Partial,
        reason: Reason::PagesFailed.into(),
        document: Some(DocId(7)),
        media_type: "application/pdf".to_owned(),
        parser: "pdf 1".to_owned(),
        extractor: 1,
        strikes: 0,
        bytes: 1000,
        warnings: vec!["page 3".to_owned()],
        facts: vec![("pages".to_owned(), "12".to_owned())],
        reader: Some(ReaderVersion {
            reader: "pdf".to_owned(),
            version: 5,
        }),
    }
}

fn reference() -> TextRef {
    TextRef {
        segment: 1,
        offset: 4096,
        block_len: 700,
        start: 0,
        len: 2000,
        checksum: Some([0xcc; 16]),
    }
}

/// Those of a text, ascending.
fn super_shingles() -> Vec<u8> {
    let text = CanonicalText::from_extracted("the parties agree to the following terms");
    let signature = SuperShingles::sign(&text, Window::DEFAULT);
    let fingerprints = signature.fingerprints().iter();
    fingerprints.flat_map(|f| f.0.to_be_bytes()).collect()
}

/// What follows the text reference of a document that is signed by every scheme.
fn signed_by_all() -> Vec<u8> {
    let all = DocumentRecord {
        min_count: 512,
        sketch_count: 498,
        ..document()
    };
    all.encode().split_off(document().encode().len() - 1)
}

fn signed_anew() -> Vec<u8> {
    let anew = DocumentRecord {
        first_run: 7,
        ..document()
    };
    anew.encode().split_off(document().encode().len() - 1)
}

fn document() -> DocumentRecord {
    let mut counts = [0; 16];
    counts[2..8].copy_from_slice(&[480, 240, 110, 60, 31, 9]);
    DocumentRecord {
        hash: DocumentHash([0xbb; 32]),
        kind: DocumentKind::Text,
        length: 1999,
        chars: 1990,
        rung: Rung::new(2).unwrap_or(Rung::ZERO),
        counts,
        bsw_count: 470,
        min_count: 0,
        sketch_count: 0,
        first_run: 0,
        text: Some(reference().to_bytes()),
        forward: Vec::new(),
    }
}
