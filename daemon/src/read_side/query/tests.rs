//! Whole answers checked against counts of all pairs: long planted documents near the threshold.

use std::collections::BTreeMap;
use std::path::Path;

use simdex_extract::{Pool, QueueKey, WorkerCommand};
use simdex_index::store::MemoryStore;
use simdex_index::{
    CountBasis, FileChange, Index, IndexReader, NewContent, NewDocument, Opened, Options, SeenFile,
};
use simdex_schema::file::FileOutcome;
use simdex_schema::meta::Parameters;
use simdex_schema::{
    ContentHash, ContentRecord, DocumentKind, FileKey, FileRecord, FileStat, RootId, Schemes,
};
use simdex_signature::{
    CanonicalText, Fingerprint, Rung, Scheme, ShingleSet, Signature, SignedText, reference,
};

use super::*;
use crate::config::Config;

/// Pseudorandom words, identical on every machine.
pub(crate) fn words(seed: &mut u64, count: usize) -> Vec<String> {
    let mut word = || {
        *seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        format!("w{}", (*seed >> 33) % 10_000)
    };
    (0..count).map(|_| word()).collect()
}

/// Families of documents of about 60 KB, each a base with single words replaced throughout, so that
/// pairs are on either side of 0.8. Few content-defined chunks stay whole.
fn planted() -> Vec<String> {
    let mut seed = 7;
    let mut texts = Vec::new();
    for _ in 0..6 {
        let base = words(&mut seed, 10_000);
        for edits in 0..7 {
            let mut text = base.clone();
            for (at, fresh) in words(&mut seed, edits * 40).into_iter().enumerate() {
                let place = (at * 977 + edits * 131) % text.len();
                text[place] = fresh;
            }
            texts.push(text.join(" "));
        }
    }
    texts
}

pub(crate) fn change(index: &IndexReader, number: usize, text: &str) -> FileChange {
    change_under(index, RootId(1), number, text)
}

/// A file of this number with this text under a root.
pub(crate) fn change_under(
    index: &IndexReader,
    root: RootId,
    number: usize,
    text: &str,
) -> FileChange {
    change_in_state(index, root, number, text, State::Indexed)
}

/// A file that was read in part, or whole.
fn change_in_state(
    index: &IndexReader,
    root: RootId,
    number: usize,
    text: &str,
    state: State,
) -> FileChange {
    let canonical = CanonicalText::from_extracted(text);
    let length = canonical.as_bytes().len() as u64;
    let document = NewDocument {
        hash: DocumentHash(canonical.hash()),
        kind: DocumentKind::Text,
        length,
        chars: canonical.chars(),
        signatures: index
            .signer()
            .sign(&SignedText::whole(canonical.clone()), length),
        text: Some(text.to_owned()),
        permit: None,
    };
    let record = ContentRecord {
        state,
        reason: StoredReason::None,
        document: None,
        media_type: "text/plain".to_owned(),
        parser: "plain 1".to_owned(),
        extractor: 1,
        strikes: 0,
        bytes: length,
        warnings: Vec::new(),
        facts: Vec::new(),
        reader: None,
    };
    let content = ContentHash(*blake3::hash(text.as_bytes()).as_bytes());
    FileChange::file(SeenFile {
        key: FileKey {
            root,
            path: format!("{number}.txt").into_bytes(),
        },
        record: FileRecord::new(FileStat::default(), FileOutcome::Content(content)),
        content: Some(Box::new(NewContent {
            record,
            document: Some(document),
        })),
    })
}

/// An index of these texts, one file each, with its directory.
pub(crate) fn index_of(texts: &[String]) -> (IndexReader, tempfile::TempDir) {
    let (opened, dir) = opened_of(texts);
    (opened.index.reader().clone(), dir)
}

/// An index of these texts, with its writer.
pub(crate) fn opened_of(texts: &[String]) -> (Opened, tempfile::TempDir) {
    opened_with(texts, Config::default().parameters())
}

pub(crate) fn opened_with(texts: &[String], parameters: Parameters) -> (Opened, tempfile::TempDir) {
    let dir = tempfile::tempdir().unwrap();
    let store = Box::<MemoryStore>::default();
    let opened = Index::open(store, dir.path(), parameters, Options::default());
    let opened = opened.unwrap();
    opened
        .writer
        .add_root(std::path::Path::new("/data"))
        .unwrap();
    let changes = texts.iter().enumerate();
    let changes = changes.map(|(number, text)| change(opened.index.reader(), number, text));
    opened.writer.apply(&changes.collect::<Vec<_>>()).unwrap();
    (opened, dir)
}

pub(crate) fn similar(scheme: SchemeKind, threshold: f64) -> QueryParams {
    QueryParams {
        kind: FindKind::Similar,
        scheme,
        threshold,
        relation_threshold: 0.8,
        containment_threshold: 0.8,
        limit: 100,
        view: VisibleRoots::All,
        judged_by: None,
    }
}

/// Families of texts from less than one shingle for each entry of a signature to many more, with texts that repeat
/// one sentence again and again.
fn of_all_lengths() -> Vec<String> {
    let mut seed = 11;
    let mut texts = Vec::new();
    for length in [6, 20, 60, 110, 250, 900] {
        let base = words(&mut seed, length);
        for part in 1..=6 {
            let mut text = base.clone();
            let fresh = words(&mut seed, length * part / 12);
            let from = length / 5 * (part % 3);
            for (place, word) in text[from..].iter_mut().zip(fresh) {
                *place = word;
            }
            texts.push(text.join(" "));
        }
        texts.push(vec![base.join(" "); 1 + 2_000 / length].join(" again "));
        texts.push(base.join(" "));
    }
    texts
}

/// Whether two groups of super-shingles agree or more, by the definition.
fn agree_in_groups(index: &IndexReader, a: &str, b: &str) -> bool {
    let groups = |text: &str| {
        reference::super_shingles(&CanonicalText::from_extracted(text), index.window())
    };
    let pairs = groups(a).into_iter().zip(groups(b));
    pairs.filter(|(a, b)| a == b).count() >= 2
}

/// The number of the text that is at this path.
fn number(path: &Path) -> usize {
    let name = path.file_stem().unwrap().to_str().unwrap();
    name.parse().unwrap()
}

/// Checks the answers by every scheme at some thresholds against counts of all pairs; returns the number of pairs
/// at the first threshold.
fn check_against_all_pairs(texts: &[String], thresholds: &[f64]) -> usize {
    let parameters = Parameters {
        schemes: Schemes::of(&Schemes::ALL),
        ..Config::default().parameters()
    };
    let (opened, _dir) = opened_with(texts, parameters);
    let index = opened.index.reader();
    let set = |text: &String| ShingleSet::new(&CanonicalText::from_extracted(text), index.window());
    let sets: Vec<ShingleSet> = texts.iter().map(set).collect();
    let mut pairs = 0;
    for (text, set) in texts.iter().zip(&sets) {
        let account = index.memory().requests.account(&Cancel::never());
        let subject = Subject::from_text(index, text.clone(), &account).unwrap();
        let all = sets.iter().enumerate().filter_map(|(number, other)| {
            let path = std::path::PathBuf::from(format!("/data/{number}.txt"));
            Some((path, set.resemblance(other)?.get()))
        });
        let all: Vec<_> = all.collect();
        for threshold in thresholds {
            let expected = all
                .iter()
                .filter(|(_, resemblance)| resemblance >= threshold);
            let expected: BTreeMap<_, _> = expected.cloned().collect();
            pairs += if *threshold == thresholds[0] {
                expected.len()
            } else {
                0
            };
            for scheme in Schemes::ALL {
                let params = similar(scheme, *threshold);
                let answer = find(index, &subject, &params, &Cancel::never()).unwrap();
                let found = answer.hits.iter().map(|hit| {
                    // Verified on all shingles, whichever scheme found it, and marked as such.
                    let SchemeUsed { scheme, rung } = hit.scheme;
                    assert_eq!((scheme.kind, rung), (SchemeKind::ModN, Rung::ZERO));
                    (
                        hit.file.path.clone(),
                        hit.overlap.resemblance.value.unwrap(),
                    )
                });
                let found: BTreeMap<_, _> = found.collect();
                let mut expected = expected.clone();
                if scheme == SchemeKind::SuperShingles {
                    expected.retain(|path, _| agree_in_groups(index, text, &texts[number(path)]));
                }
                assert_eq!(found, expected, "at {threshold} by {scheme:?}");
            }
        }
    }
    pairs
}

#[test]
fn every_scheme_finds_all_of_its_candidates_that_reach_the_threshold() {
    let texts = planted();
    let pairs = check_against_all_pairs(&texts, &[0.8]);
    assert!(pairs > 3 * texts.len(), "{pairs} pairs are planted");
}

#[test]
fn every_scheme_finds_texts_of_all_lengths_at_all_thresholds() {
    let texts = of_all_lengths();
    let pairs = check_against_all_pairs(&texts, &[0.1, 0.3, 0.6, 0.8, 0.95, 1.0]);
    assert!(pairs > 2 * texts.len(), "{pairs} pairs are planted");
}

#[test]
fn a_scheme_is_asked_for_what_it_gives_and_what_the_index_holds_alone() {
    let (index, _dir) = index_of(&planted()[..1]);
    let never = Cancel::never();
    let account = index.memory().requests.account(&never);
    let subject = Subject::from_text(&index, "a text of some words".to_owned(), &account).unwrap();
    for scheme in [
        SchemeKind::MinN,
        SchemeKind::SketchN,
        SchemeKind::SuperShingles,
    ] {
        let refused = find(&index, &subject, &similar(scheme, 0.5), &never);
        assert!(matches!(refused, Err(QueryError::SchemeOff(off)) if off == scheme));
        for kind in [FindKind::Containing, FindKind::Contained, FindKind::Related] {
            let params = QueryParams {
                kind,
                ..similar(scheme, 0.5)
            };
            let refused = find(&index, &subject, &params, &never);
            assert!(matches!(refused, Err(QueryError::NoContainment(none)) if none == scheme));
        }
    }
}

#[test]
fn candidates_beyond_the_limit_are_counted_apart_from_common_lists() {
    let mut seed = 3;
    let base = words(&mut seed, 200).join(" ");
    let texts: Vec<String> = (0..5).map(|n| format!("{base} ends {n}")).collect();
    let (index, _dir) = index_of(&texts);
    let never = Cancel::never();
    let account = index.memory().requests.account(&never);
    let subject = Subject::from_text(&index, base, &account).unwrap();
    let params = similar(SchemeKind::ModN, 0.1);
    let mut candidates = candidates(&index, &subject, &params).unwrap();
    let ranked = bound::by_upper_bound(&mut candidates, &params).unwrap();
    assert_eq!(ranked.len(), 5);
    let texts = TextsForJudging::default();
    let found = verify(&index, &subject, &params, &ranked, 2, &never, texts).unwrap();
    assert_eq!((found.counted, found.unverified), (2, 3));
    let whole = find(&index, &subject, &params, &never).unwrap();
    assert_eq!(
        (
            whole.summary.verified,
            whole.summary.unverified,
            whole.summary.common_lists_count_only
        ),
        (5, 0, 0)
    );
}

#[test]
fn a_document_that_is_named_by_its_hash_has_the_state_of_its_first_file() {
    let mut seed = 6;
    let text = words(&mut seed, 40).join(" ");
    let (opened, _dir) = opened_of(&[]);
    let index = opened.index.reader();
    let partial = change_in_state(index, RootId(1), 0, &text, State::Partial);
    opened.writer.apply(&[partial]).unwrap();
    let account = index.memory().requests.account(&Cancel::never());
    let hash = DocumentHash(CanonicalText::from_extracted(&text).hash());
    let subject = Subject::from_document(index, hash, &VisibleRoots::All, &account).unwrap();
    let subject = subject
        .with_state_of_first_file(index, &VisibleRoots::All)
        .unwrap();
    assert_eq!(subject.state(), State::Partial);
}

/// The file of that name is not listed, so its document fills no place of the answer.
#[test]
fn an_upload_named_as_a_file_of_the_index_is_answered_as_fully_as_any_other() {
    let mut seed = 5;
    let base = words(&mut seed, 40);
    let text = |edits: usize| {
        let mut text = base.clone();
        text[..edits].fill("other".to_owned());
        text.join(" ")
    };
    let texts: Vec<String> = (1..4).map(text).collect();
    let (index, _dir) = index_of(&texts);
    let never = Cancel::never();
    let account = index.memory().requests.account(&never);
    let mut subject = Subject::from_text(&index, base.join(" "), &account).unwrap();
    subject.subject_path = Some("/data/0.txt".into());
    for (limit, truncated) in [(1, true), (2, false)] {
        let params = QueryParams {
            limit,
            ..similar(SchemeKind::ModN, 0.1)
        };
        let answer = find(&index, &subject, &params, &never).unwrap();
        assert_eq!(
            (answer.hits.len(), answer.summary.truncated),
            (limit, truncated)
        );
    }
}

/// The file asked about carries a document too, and is not among those listed.
#[test]
fn a_file_that_is_asked_about_takes_no_place_of_the_answer() {
    let mut seed = 5;
    let base = words(&mut seed, 40);
    // Each differs from the first by one word more than the one before, and none is sampled: all are counted in
    // the order of their resemblance.
    let texts: Vec<String> = (0..4)
        .map(|edits| {
            let mut text = base.clone();
            text[..edits].fill("other".to_owned());
            text.join(" ")
        })
        .collect();
    let (index, _dir) = index_of(&texts);
    let never = Cancel::never();
    let account = index.memory().requests.account(&never);
    let key = FileKey {
        root: RootId(1),
        path: b"0.txt".to_vec(),
    };
    let file = index
        .files()
        .get(&key, &VisibleRoots::All)
        .unwrap()
        .unwrap();
    let subject = Subject::from_file(&index, &file, &account).unwrap();
    for (limit, truncated) in [(1, true), (2, true), (3, false)] {
        let params = QueryParams {
            limit,
            ..similar(SchemeKind::ModN, 0.1)
        };
        let answer = find(&index, &subject, &params, &never).unwrap();
        assert_eq!(
            (answer.hits.len(), answer.summary.truncated),
            (limit, truncated),
            "{limit}"
        );
    }
}

/// Without a worker the upload would fail at once if it asked for one before it has room for a text.
#[test]
fn an_upload_asks_for_no_worker_before_there_is_room_for_its_text() {
    use std::io::Write;
    let dir = tempfile::tempdir().unwrap();
    let parameters = Config::default().parameters();
    let store = Box::<MemoryStore>::default();
    let opened = Index::open(store, dir.path(), parameters, Options::default());
    let index = opened.unwrap().index.reader().clone();
    let nowhere = WorkerCommand {
        program: dir.path().join("no worker"),
        args: Vec::new(),
    };
    let pool = Pool::new(nowhere, 1, Config::default().limits());
    let budget = &index.memory().requests;
    let upload = |cancel: &Cancel| {
        let mut written = tempfile::NamedTempFile::new().unwrap();
        written
            .write_all(b"a text that is long enough to be asked about")
            .unwrap();
        let mut file = std::fs::File::open(written.path()).unwrap();
        let hashed = hash_whole(&mut file).unwrap();
        let account = budget.account_of(7, cancel);
        let name = std::path::Path::new("a.txt");
        let asker = QueueKey::User(7);
        Subject::from_upload(&index, &pool, asker, file, hashed, name, &account).map(drop)
    };
    // There is room left for the upload, but not for the longest text that it may yield.
    let others = budget.acquire(budget.total() - (1 << 20), &Cancel::never());
    let others = others.unwrap();
    let soon = Cancel::at(std::time::Instant::now() + std::time::Duration::from_millis(50));
    let refused = upload(&soon);
    assert!(matches!(
        refused,
        Err(QueryError::Index(IndexError::Cancelled))
    ));
    drop(others);
    let unread = upload(&Cancel::never());
    assert!(
        matches!(
            unread,
            Err(QueryError::NotRead(simdex_schema::Reason::NoWorker))
        ),
        "a machine that starts no worker is no answer about a document"
    );
    assert_eq!(budget.used(), 0);
}

#[test]
fn a_relation_is_directed_by_the_larger_containment_and_swaps_with_the_sides() {
    let swapped = [
        // The result for two renderings of one RFC: both containments are high.
        (
            (0.786, 0.840, 0.926),
            Relation::Contains,
            Relation::ContainedIn,
        ),
        ((0.3, 0.9, 0.31), Relation::ContainedIn, Relation::Contains),
        ((0.7, 0.82, 0.82), Relation::Overlaps, Relation::Overlaps),
        (
            (0.85, 0.9, 0.95),
            Relation::NearDuplicate,
            Relation::NearDuplicate,
        ),
        ((0.2, 0.3, 0.4), Relation::Overlaps, Relation::Overlaps),
    ];
    for ((resemblance, of_a, of_b), ab, ba) in swapped {
        assert_eq!(
            Relation::of(resemblance, of_a, of_b, RelationThresholds::both(0.8)),
            ab,
            "{of_a} {of_b}"
        );
        assert_eq!(
            Relation::of(resemblance, of_b, of_a, RelationThresholds::both(0.8)),
            ba,
            "{of_b} {of_a}"
        );
    }
}

#[test]
fn an_estimate_has_a_true_interval_or_none() {
    let counted_by = |basis: CountBasis, rung: u8, shared: u64| {
        Overlap::estimated(&Candidate {
            document: simdex_schema::DocId(1),
            rung: simdex_signature::Rung::new(rung).unwrap(),
            shared,
            query_fingerprints: 100,
            document_fingerprints: 80,
            basis,
        })
    };
    let counted = |rung, shared| counted_by(CountBasis::ModSample, rung, shared);
    for shared in [0, 40, 80] {
        let all = counted(0, shared).containment_of_first;
        assert_eq!(all.value, Some(shared as f64 / 100.0));
        assert_eq!((all.low, all.high), (None, None), "{shared}");
        let sampled = counted(2, shared).containment_of_first;
        assert!(sampled.low < sampled.high, "{shared}");
    }
    // Signed again while it was counted: "it may share all" is a bound and not a number to show.
    for rung in [0, 2] {
        let untold = counted_by(CountBasis::Unknown, rung, 80);
        assert_eq!(
            (untold.resemblance.value, untold.containment_of_first.value),
            (None, None)
        );
        assert_eq!(untold.shared, 0);
    }
}

#[test]
fn a_subject_says_what_of_it_is_compared() {
    let (index, _dir) = index_of(&[]);
    let account = index.memory().requests.account(&Cancel::never());
    let text = |text: &str| Subject::from_text(&index, text.to_owned(), &account).unwrap();
    let long = text("a text that is longer than one shingle");
    let scheme = Scheme::of_text(SchemeKind::ModN, index.window());
    let signature = Signature::new(scheme, Rung::ZERO, vec![Fingerprint(1)]);
    let signature = Subject::from_signature(signature, &account).unwrap();
    let compared = [long, text("short"), signature].map(|subject| subject.compared_by());
    let (text, nothing, signature) = (ComparedBy::Text, ComparedBy::Nothing, ComparedBy::Signature);
    assert_eq!(compared, [text, nothing, signature]);
}
