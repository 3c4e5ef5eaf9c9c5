//! Buckets against a set: filled, read in order, looked up.

use super::filling::bits_for;
use super::*;
use crate::store::{MemoryStore, NewRun, Store};
use proptest::prelude::*;
use simdex_schema::RunRecord;
use simdex_schema::posting::MAX_BUCKET_BITS;
use std::collections::BTreeSet;

/// Postings as run 0 of a store, with room for so many, added so many at a time.
fn run(store: &MemoryStore, postings: &[Posting], room: u64, at_once: usize) -> Run {
    let mut writer = store.postings().begin_run(NewRun::default()).unwrap();
    let mut filling = RunFilling::new(&mut *writer, SchemeKind::ModN, room);
    for some in postings.chunks(at_once) {
        filling.add(some).unwrap();
    }
    let mut record = RunRecord::default();
    record.schemes[0] = filling.finish().unwrap();
    writer.finish().unwrap();
    let blocks = store.postings().run(0).unwrap().unwrap();
    Run { record, blocks }
}

fn posting() -> impl Strategy<Value = Posting> {
    let key = prop_oneof![Just(7u64), 0u64..1 << KEY_BITS];
    (key, 0u64..3_000).prop_map(|(key, doc)| (PostingKey::from_bits(key), DocId(doc)))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn a_run_equals_a_set(
        postings in prop::collection::btree_set(posting(), 0..4_000),
        room in 0u64..20_000,
        at_once in 1usize..500,
        steps in 0u32..9,
    ) {
        let postings: Vec<Posting> = postings.into_iter().collect();
        let store = MemoryStore::new();
        let run = run(&store, &postings, room, at_once);
        prop_assert_eq!(run.record.postings(), postings.len() as u64);
        let mut cursor = Cursor::new(Buckets::of(&run, SchemeKind::ModN));
        let mut read = Vec::new();
        for step in 1..=1u64 << steps {
            cursor.take_below(step << (KEY_BITS - steps), &mut read).unwrap();
            prop_assert!(read.last().is_none_or(|last| last.0.bits() < step << (KEY_BITS - steps)));
        }
        prop_assert_eq!(&read, &postings);
        let keys: BTreeSet<PostingKey> = postings.iter().map(|p| p.0).collect();
        for key in keys.into_iter().step_by(17) {
            let buckets = Buckets::of(&run, SchemeKind::ModN);
            let list = buckets.read_bucket(buckets.number(key), &[key], LongLists::Read).unwrap();
            let expected = postings.iter().filter(|p| p.0 == key).map(|p| p.1).collect();
            let mut alone = Vec::new();
            prop_assert!(buckets.read_key(key, LongLists::Read, &mut alone).unwrap());
            prop_assert_eq!(Some(alone), list[0].clone());
            prop_assert_eq!(list, [Some(expected)]);
        }
    }
}

#[test]
fn a_long_list_is_named_or_read_whole() {
    let store = MemoryStore::new();
    let keys = [0, 1, 2, 3].map(PostingKey::from_bits);
    let long = (0..60_000).map(|id| (keys[1], DocId(id)));
    let postings: Vec<Posting> = long.chain([(keys[2], DocId(7))]).collect();
    let run = run(&store, &postings, 0, usize::MAX);
    let lists = |long| {
        let buckets = Buckets::of(&run, SchemeKind::ModN);
        buckets.read_bucket(0, &keys, long).unwrap()
    };
    let (none, seven) = (Some(Vec::new()), Some(vec![DocId(7)]));
    assert_eq!(
        lists(LongLists::SkipAbove(8)),
        [none.clone(), None, seven.clone(), none.clone()]
    );
    let all = Some((0..60_000).map(DocId).collect());
    let expected = [none.clone(), all, seven, none];
    assert_eq!(lists(LongLists::Read), expected);
    assert_eq!(lists(LongLists::SkipAbove(1_000)), expected);
    for (key, expected) in keys.into_iter().zip(expected) {
        let buckets = Buckets::of(&run, SchemeKind::ModN);
        let mut list = Vec::new();
        let is_read = buckets.read_key(key, LongLists::Read, &mut list).unwrap();
        assert_eq!(is_read.then_some(list), expected);
        let most = LongLists::SkipAbove(8);
        let is_long = !buckets.read_key(key, most, &mut Vec::new()).unwrap();
        assert_eq!(is_long, key == keys[1]);
    }
}

#[test]
fn buckets_grow_with_the_postings() {
    assert_eq!(
        (bits_for(0), bits_for(400), bits_for(40_000_000)),
        (0, 0, 17)
    );
    assert_eq!(bits_for(u64::MAX / 8), MAX_BUCKET_BITS);
}
