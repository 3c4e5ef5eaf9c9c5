//! Buckets against a set: merged, split, counted anew, cut short.

use super::*;
use crate::store::{MemoryStore, Store};
use proptest::prelude::*;
use simdex_schema::posting::{KEY_BITS, MAX_BUCKET_BITS, Posting, encode_bucket};
use std::collections::BTreeSet;

fn buckets(store: &MemoryStore, bits: u8) -> Buckets<'_> {
    Buckets {
        store: store.postings(),
        scheme: SchemeKind::ModN,
        bits,
    }
}

fn all(buckets: &Buckets<'_>) -> Vec<Posting> {
    (0..1 << buckets.bits)
        .flat_map(|b| buckets.load(b).unwrap().postings)
        .collect()
}

fn posting() -> impl Strategy<Value = Posting> {
    let key = prop_oneof![Just(7u64), 0u64..1 << KEY_BITS];
    (key, 0u64..3_000).prop_map(|(key, doc)| (PostingKey::from_bits(key), DocId(doc)))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn merging_and_splitting_equal_a_set(
        batches in prop::collection::vec(prop::collection::btree_set(posting(), 0..2_000), 1..4),
        dead in 0u64..3_000,
    ) {
        let store = MemoryStore::new();
        let keep = |id: DocId| id.0 != dead;
        let mut expected = BTreeSet::new();
        let mut count = 0;
        for batch in &batches {
            expected.extend(batch.iter().copied());
            let run: Vec<Posting> = batch.iter().copied().collect();
            count += buckets(&store, 3).merge(&run, &keep).unwrap().postings;
            // Doing it again changes nothing.
            count += buckets(&store, 3).merge(&run, &keep).unwrap().postings;
        }
        expected.retain(|posting| keep(posting.1));
        let expected: Vec<Posting> = expected.into_iter().collect();
        prop_assert_eq!(&all(&buckets(&store, 3)), &expected);
        prop_assert_eq!(count, expected.len() as i64);

        let total = buckets(&store, 3).recount(&[], &keep).unwrap();
        prop_assert_eq!(total.postings, expected.len() as i64);

        let total = buckets(&store, 3).split(6, &[], &keep).unwrap();
        prop_assert_eq!(total.postings, expected.len() as i64);
        drop_stale(store.postings(), &[6, 0, 0]).unwrap();
        prop_assert_eq!(&all(&buckets(&store, 6)), &expected);
        prop_assert!(all(&buckets(&store, 3)).is_empty());
    }
}

#[test]
fn a_long_list_is_named_or_read_whole() {
    let store = MemoryStore::new();
    let keys = [0, 1, 2, 3].map(PostingKey::from_bits);
    let long = (0..60_000).map(|id| (keys[1], DocId(id)));
    let run: Vec<Posting> = long.chain([(keys[2], DocId(7))]).collect();
    buckets(&store, 0).merge(&run, &|_| true).unwrap();
    let lists = |skip_long| {
        buckets(&store, 0)
            .lists(0, &keys, skip_long)
            .unwrap()
            .unwrap()
    };
    let (none, seven) = (Some(Vec::new()), Some(vec![DocId(7)]));
    assert_eq!(
        lists(true),
        [none.clone(), None, seven.clone(), none.clone()]
    );
    let all = Some((0..60_000).map(DocId).collect());
    assert_eq!(lists(false), [none.clone(), all, seven, none]);
}

#[test]
fn a_crash_before_shard_0_leaves_the_bucket_as_it_was() {
    let store = MemoryStore::new();
    let key = PostingKey::from_bits(1);
    let run: Vec<Posting> = (0..20_000).map(|id| (key, DocId(id))).collect();
    let target = buckets(&store, 0);
    target.merge(&run, &|_| true).unwrap();
    // What a rewrite puts down before it reaches shard 0.
    let next = target.load(0).unwrap().next_base;
    let cut_short = encode_bucket(&run[..9_000], next);
    for (index, shard) in cut_short.iter().enumerate().skip(1) {
        let key = shard_key(SchemeKind::ModN, 0, 0, next + index as u16 - 1);
        store.postings().put(&key, shard).unwrap();
    }
    assert_eq!(target.load(0).unwrap().postings, run);
}

#[test]
fn buckets_grow_with_the_postings() {
    assert_eq!(
        (bits_for(0), bits_for(170), bits_for(40_000_000)),
        (0, 0, 18)
    );
    assert_eq!(bits_for(u64::MAX / 8), MAX_BUCKET_BITS);
}
