//! Estimates, relations and the order of hits.

use super::*;
use simdex_schema::file::FileOutcome;
use simdex_schema::{FileKey, FileRecord, FileStat, RootId, State, StoredReason};
use simdex_signature::Window;

fn hit(name: u32, value: f64) -> Hit {
    let path = format!("/r/{name:05}");
    let record = FileRecord::new(
        FileStat::default(),
        FileOutcome::Unread(State::Unstable, StoredReason::None),
    );
    let resemblance = Measured {
        value: Some(value),
        ..Measured::default()
    };
    Hit {
        file: FileView {
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
        document: DocumentHash([0; 32]),
        relation: Relation::Overlaps,
        overlap: Overlap {
            resemblance,
            of_first: Measured::default(),
            of_second: Measured::default(),
            shared: 0,
            verified: true,
        },
        scheme: SchemeUsed {
            scheme: Scheme::of_text(SchemeKind::ModN, Window::DEFAULT),
            rung: Rung::ZERO,
        },
        date: None,
        is_query: false,
        judgement: None,
    }
}

#[test]
fn of_many_hits_hardly_more_are_held_than_are_asked_for() {
    let mut best = TopFiles::new(FindKind::Similar, 8);
    // Values go up and down again, each of them held by many.
    for name in 0..5_000 {
        best.add(hit(name, f64::from(name * 7 % 11) / 10.0));
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
