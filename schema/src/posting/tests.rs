//! Tests of the stored form of postings.

use super::*;
use proptest::prelude::*;

fn decode(shards: &[Vec<u8>]) -> Vec<Posting> {
    let mut out = Vec::new();
    let Some(first) = shards.first() else {
        return out;
    };
    let bucket = Bucket::parse(first).unwrap();
    assert_eq!(bucket.further_shards(), 1..shards.len() as u16);
    postings_of(bucket.body(), &mut out).unwrap();
    shards[1..]
        .iter()
        .for_each(|shard| postings_of(shard, &mut out).unwrap());
    out
}

fn lookup(shards: &[Vec<u8>], key: PostingKey) -> Vec<DocId> {
    let bucket = Bucket::parse(&shards[0]).unwrap();
    let mut out = Vec::new();
    documents_of(bucket.body(), key, &mut out).unwrap();
    for shard in bucket.shards_of(key) {
        documents_of(&shards[usize::from(shard)], key, &mut out).unwrap();
    }
    out
}

/// Looks up every third key of the bucket, and keys between, in one pass over the first shard.
fn lookup_in_one_pass(shard_0: &[u8], postings: &[Posting]) -> Vec<Posting> {
    let bucket = Bucket::parse(shard_0).unwrap();
    let mut keys: Vec<PostingKey> = postings.iter().step_by(3).map(|p| p.0).collect();
    keys.extend(
        keys.clone()
            .iter()
            .map(|key| PostingKey::from_bits(key.0 + 1)),
    );
    keys.sort_unstable();
    keys.dedup();
    let mut lookup = Lookup::new(bucket.body());
    let mut found = Vec::new();
    for key in keys {
        let mut out = Vec::new();
        lookup.documents_of(key, &mut out).unwrap();
        found.extend(out.into_iter().map(|id| (key, id)));
    }
    found
}

fn bucket() -> impl Strategy<Value = Vec<Posting>> {
    // Few keys, some of them hot, so that pieces of one key cross shards,
    // and many in between that take three bytes, with documents that do too.
    let key = prop_oneof![0u64..8, 0u64..1 << 29, 0u64..1 << KEY_BITS];
    let doc = prop_oneof![
        0u64..5_000,
        0u64..1 << 20,
        any::<u64>().prop_map(|id| id >> 1)
    ];
    prop::collection::btree_set((key, doc), 0..4_000).prop_map(|set| {
        set.into_iter()
            .map(|(key, id)| (PostingKey(key), DocId(id)))
            .collect()
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn a_bucket_round_trips_and_every_key_is_found(postings in bucket()) {
        let shards = encode_bucket(&postings);
        prop_assert_eq!(decode(&shards), postings.clone());
        for run in postings.chunk_by(|a, b| a.0 == b.0).step_by(37) {
            let expected: Vec<DocId> = run.iter().map(|p| p.1).collect();
            prop_assert_eq!(lookup(&shards, run[0].0), expected);
        }
        if let [only] = &shards[..] {
            let found = lookup_in_one_pass(only, &postings);
            let mut one_by_one = Vec::new();
            for key in found.chunk_by(|a, b| a.0 == b.0).map(|run| run[0].0) {
                one_by_one.extend(lookup(&shards, key).into_iter().map(|id| (key, id)));
            }
            prop_assert_eq!(&found, &one_by_one);
            let asked = postings.iter().step_by(3);
            prop_assert!(asked.into_iter().all(|posting| found.contains(posting)));
        }
    }

    #[test]
    fn arbitrary_bytes_never_panic(bytes: Vec<u8>) {
        if let Ok(bucket) = Bucket::parse(&bytes) {
            let _ = postings_of(bucket.body(), &mut Vec::new());
        }
    }
}

#[test]
fn a_hot_fingerprint_is_cut_into_bounded_shards() {
    let hot: Vec<Posting> = (0..200_000)
        .map(|i| (PostingKey(5), DocId(i * 3)))
        .collect();
    let shards = encode_bucket(&hot);
    assert!(shards.len() > 40);
    assert!(shards.iter().all(|shard| shard.len() < 4096));
    assert_eq!(lookup(&shards, PostingKey(5)).len(), 200_000);
    assert!(lookup(&shards, PostingKey(4)).is_empty());
}

#[test]
fn no_shard_outgrows_a_value_whatever_the_ids() {
    // Ids of many issuers take ten bytes each; a key in every document fills 1,600 shards.
    let far = (0..3_000u64).map(|i| (PostingKey(5), DocId(i * (u64::MAX / 3_001))));
    let dense = (0..4_000_000u64).map(|i| (PostingKey(6), DocId(i)));
    let shards = encode_bucket(&far.chain(dense).collect::<Vec<_>>());
    assert!(shards.len() > 1_500);
    assert!(shards.iter().all(|shard| shard.len() <= 4096));
    let bucket = Bucket::parse(&shards[0]).unwrap();
    assert_eq!(bucket.further_shards().len(), shards.len() - 1);
}

#[test]
fn the_bucket_is_the_top_bits() {
    let key = PostingKey::from_bits(0b1011 << 36);
    assert_eq!(
        (key.bucket(0), key.bucket(2), key.bucket(4)),
        (0, 0b10, 0b1011)
    );
}
