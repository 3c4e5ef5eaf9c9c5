//! Buckets against a set: filled, read in order, looked up.

use super::filling::bits_for;
use super::*;
use crate::store::{MemoryStore, NewRun, Store, StoreError};
use proptest::prelude::*;
use simdex_schema::RunRecord;
use simdex_schema::posting::MAX_BUCKET_BITS;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::ControlFlow;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Postings as run 0 of a store, sized for `room`, added `at_once` at a time.
fn run(store: &MemoryStore, postings: &[Posting], room: u64, at_once: usize) -> Run {
    let mut writer = store.postings().begin_run(NewRun::default()).unwrap();
    let mut filling = RunFiller::new(&mut *writer, SchemeKind::ModN, room);
    for some in postings.chunks(at_once) {
        filling.add(some).unwrap();
    }
    let mut record = RunRecord::default();
    record.schemes[0] = filling.finish().unwrap();
    writer.finish().unwrap();
    let blocks = store.postings().run(0).unwrap().unwrap();
    Run::new(record, blocks)
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
            let list = buckets.read_bucket(buckets.number(key), &[key], CommonLists::Read).unwrap();
            let expected = postings.iter().filter(|p| p.0 == key).map(|p| p.1).collect();
            let mut alone = Vec::new();
            prop_assert!(buckets.read_key(key, CommonLists::Read, &mut alone).unwrap());
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
        lists(CommonLists::SkipAbove(8)),
        [none.clone(), None, seven.clone(), none.clone()]
    );
    let all = Some((0..60_000).map(DocId).collect());
    let expected = [none.clone(), all, seven, none];
    assert_eq!(lists(CommonLists::Read), expected);
    assert_eq!(lists(CommonLists::SkipAbove(1_000)), expected);
    for (key, expected) in keys.into_iter().zip(expected) {
        let buckets = Buckets::of(&run, SchemeKind::ModN);
        let mut list = Vec::new();
        let is_read = buckets.read_key(key, CommonLists::Read, &mut list).unwrap();
        assert_eq!(is_read.then_some(list), expected);
        let most = CommonLists::SkipAbove(8);
        let is_long = !buckets.read_key(key, most, &mut Vec::new()).unwrap();
        assert_eq!(is_long, key == keys[1]);
    }
}

/// A run whose blocks never stay in memory; counts those that are read.
struct Crowded {
    run: std::sync::Arc<dyn PostingRun>,
    parts: Mutex<BTreeMap<Vec<u8>, Block>>,
    read: AtomicUsize,
}

impl PostingRun for Crowded {
    fn id(&self) -> Option<simdex_schema::RunId> {
        self.run.id()
    }
    fn get(&self, key: &[u8]) -> Result<Option<Vec<u8>>, StoreError> {
        self.read.fetch_add(1, Ordering::Relaxed);
        self.run.get(key)
    }
    fn keys(&self, visit: &mut dyn FnMut(&[u8]) -> ControlFlow<()>) -> Result<(), StoreError> {
        self.run.keys(visit)
    }
    fn look_up(&self, key: &[u8]) -> Result<Option<Block>, StoreError> {
        Ok(self.get(key)?.map(Block::from))
    }
    fn kept_block(&self, _key: &[u8]) -> Option<Block> {
        None
    }
    fn kept_list(&self, key: &[u8]) -> Option<Block> {
        self.parts.lock().unwrap().get(key).cloned()
    }
    fn keep_list(&self, key: &[u8], part: &[u8]) {
        self.parts.lock().unwrap().insert(key.to_vec(), part.into());
    }
}

#[test]
fn a_list_that_was_asked_for_is_not_read_again_though_its_block_does_not_stay() {
    let store = MemoryStore::new();
    let keys: Vec<_> = (0..40).map(|n| PostingKey::from_bits(n << 34)).collect();
    let of_key = |(at, key): (usize, &PostingKey)| {
        (0..at as u64 % 5)
            .map(|id| (*key, DocId(id)))
            .collect::<Vec<_>>()
    };
    let long = (0..1_000).map(|id| (keys[1], DocId(id)));
    let mut postings: Vec<Posting> = keys
        .iter()
        .enumerate()
        .flat_map(of_key)
        .chain(long)
        .collect();
    postings.sort_unstable();
    postings.dedup();
    let Run { record, blocks, .. } = run(&store, &postings, 4_000, usize::MAX);
    let crowded = Crowded {
        run: blocks,
        parts: Mutex::default(),
        read: AtomicUsize::new(0),
    };
    let scheme = SchemeKind::ModN;
    let held = record.schemes[0];
    let run = &crowded;
    let buckets = Buckets {
        run,
        scheme,
        held,
        stale: None,
        work: None,
    };
    let mut reads = Vec::new();
    for _ in 0..3 {
        let before = crowded.read.load(Ordering::Relaxed);
        for key in &keys {
            let mut list = Vec::new();
            let is_read = buckets.read_key(*key, CommonLists::Read, &mut list);
            assert!(is_read.unwrap());
            let expected = postings.iter().filter(|p| p.0 == *key).map(|p| p.1);
            assert!(list.into_iter().eq(expected));
        }
        reads.push(crowded.read.load(Ordering::Relaxed) - before);
    }
    assert!(reads[0] >= keys.len(), "{reads:?}");
    // The long list alone, and the empty buckets.
    let empty = (0..1 << held.bits)
        .filter(|n| blocks_are_empty(&buckets, *n))
        .count();
    assert!(reads[1] <= 2 + empty && reads[1] == reads[2], "{reads:?}");
}

fn blocks_are_empty(buckets: &Buckets<'_>, number: u32) -> bool {
    let first = buckets.run.get(&buckets.key(number, 0));
    first.unwrap().is_none()
}

#[test]
fn buckets_grow_with_the_postings() {
    assert_eq!(
        (bits_for(0), bits_for(400), bits_for(40_000_000)),
        (0, 0, 17)
    );
    assert_eq!(bits_for(u64::MAX / 8), MAX_BUCKET_BITS);
}
