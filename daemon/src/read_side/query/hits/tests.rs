//! Estimates, relations and the order of hits.

use super::*;
use simdex_index::MemoryBudget;
use simdex_schema::file::FileOutcome;
use simdex_schema::{ContentRecord, FileKey, FileRecord, FileStat, RootId, State, StoredReason};
use simdex_signature::Window;

fn hit(name: u32, value: f64) -> Hit {
    let path = format!("/r/{name:05}");
    let record = FileRecord::new(
        FileStat::default(),
        FileOutcome::Unread(State::Unstable, StoredReason::None),
    );
    let resemblance = RatioEstimate {
        value: Some(value),
        ..RatioEstimate::default()
    };
    Hit {
        file: FileInfo {
            key: FileKey {
                root: RootId(1),
                path: path.clone().into_bytes(),
            },
            path: path.into(),
            record,
            content: None,
            state: State::Unstable,
            reason: StoredReason::None,
            document: None,
            chars: None,
            group: None,
        },
        document: Some(DocumentHash([0; 32])),
        relation: Relation::Overlaps,
        overlap: Overlap {
            resemblance,
            containment_of_first: RatioEstimate::default(),
            containment_of_second: RatioEstimate::default(),
            shared: 0,
            verified: true,
        },
        scheme: SchemeUsed {
            scheme: Scheme::of_text(SchemeKind::ModN, Window::DEFAULT),
            rung: Rung::ZERO,
        },
        date: None,
        is_subject: false,
        folded_under: None,
        judgement: None,
    }
}

#[test]
fn of_many_hits_hardly_more_are_held_than_are_asked_for() {
    let account = MemoryBudget::new(64 << 20).account(&Cancel::never());
    let mut best = TopFiles::new(FindKind::Similar, 8, &account);
    // Values go up and down again, each shared by many hits.
    for name in 0..5_000 {
        best.add(hit(name, f64::from(name * 7 % 11) / 10.0))
            .unwrap();
        assert!(best.hits.len() <= 8 + 2 + SPARE);
    }
    best.drop_worst();
    let names: Vec<_> = best.hits.iter().map(|hit| &hit.file.path).collect();
    let expected: Vec<_> = (0..5_000_u32)
        .filter(|name| name * 7 % 11 == 10)
        .take(8)
        .map(|name| std::path::PathBuf::from(format!("/r/{name:05}")))
        .collect();
    assert_eq!((names, best.truncated), (expected.iter().collect(), true));
}

#[test]
fn what_is_known_of_hits_is_counted_while_they_are_held() {
    let mut large = hit(7, 0.5);
    large.file.content = Some(ContentRecord {
        state: State::Indexed,
        reason: StoredReason::None,
        document: None,
        media_type: "text/plain".to_owned(),
        parser: String::new(),
        extractor: 1,
        strikes: 0,
        bytes: 1,
        warnings: vec!["cut".to_owned()],
        facts: vec![("comments".to_owned(), "x".repeat(5 << 10)); 4],
        reader: None,
    });
    let budget = MemoryBudget::new(64 << 20);
    let account = budget.account(&Cancel::never());
    let mut best = TopFiles::new(FindKind::Similar, 1_000, &account);
    for _ in 0..1_010 {
        best.add(large.clone()).unwrap();
    }
    best.drop_worst();
    let held = 20_000 * 1_000..24_000 * 1_000;
    assert!(held.contains(&best.held.bytes()), "{}", best.held.bytes());
    assert!(budget.used() >= best.held.bytes());
    drop(best);
    assert_eq!(budget.used(), 0);
    let small = MemoryBudget::new(8 << 20).account(&Cancel::never());
    let mut best = TopFiles::new(FindKind::Similar, 1_000, &small);
    let refused = (0..1_000).find_map(|_| best.add(large.clone()).err());
    assert!(matches!(refused, Some(IndexError::TooMuchMemory { .. })));
}
