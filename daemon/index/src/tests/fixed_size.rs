//! Candidates by Min_n and Sketch_n compared with signatures computed again, wherever the postings are.

use std::collections::{BTreeMap, BTreeSet};

use simdex_schema::Schemes;
use simdex_signature::{
    CanonicalText, Fingerprint, MinN, Rung, SchemeKind, ShingleSet, Signature, SketchN, Window,
};

use super::bed::{Bed, account, postings_in_runs};
use super::candidates::common;
use super::texts::{Random, pool};
use crate::{Candidate, Options, VisibleRoots};

const BOTH: [SchemeKind; 2] = [SchemeKind::MinN, SchemeKind::SketchN];

fn sign(bed: &Bed, scheme: SchemeKind, text: &str) -> Signature {
    let text = CanonicalText::from_extracted(text);
    let rung = bed.reader().ladder().fixed_size();
    match scheme {
        SchemeKind::MinN => MinN::sign(&text, Window::DEFAULT, rung),
        _ => SketchN::sign(&text, Window::DEFAULT, rung),
    }
}

fn ask(bed: &Bed, query: &Signature, view: &VisibleRoots) -> BTreeMap<u64, Candidate> {
    let found = bed
        .reader()
        .candidates()
        .by_sketches(query, query.len() as u64, view, &account(bed.index()))
        .unwrap();
    assert_eq!(found.common_lists_count_only, 0);
    let by_id: BTreeMap<_, _> = found.found.iter().map(|c| (c.document.0, *c)).collect();
    assert_eq!(by_id.len(), found.found.len());
    by_id
}

fn entries(signature: &Signature) -> BTreeSet<Fingerprint> {
    signature.fingerprints().iter().copied().collect()
}

/// A document that shares entries is found with exact counts, one that does not is not found, and no candidate has more
/// trials than its pair.
fn check(bed: &Bed, texts: &[String], query: &str) {
    for scheme in BOTH {
        let ours = sign(bed, scheme, query);
        let found = ask(bed, &ours, &VisibleRoots::All);
        for text in texts {
            let theirs = sign(bed, scheme, text);
            let shared = entries(&ours).intersection(&entries(&theirs)).count() as u64;
            let id = bed.id(text).unwrap().0;
            let Some(candidate) = found.get(&id) else {
                assert_eq!(shared, 0, "a document that shares is found");
                continue;
            };
            let counts = (candidate.shared, candidate.query_fingerprints);
            assert_eq!(counts, (shared, ours.len() as u64));
            assert_eq!(candidate.document_fingerprints, theirs.len() as u64);
            let pair = simdex_signature::resemblance(&ours, &theirs)
                .unwrap()
                .unwrap();
            assert!(candidate.trials() <= pair.trials && candidate.shared >= pair.shared);
            if candidate.is_whole() {
                check_whole(candidate, query, text);
            }
        }
    }
}

/// Counts that are said to be exact are.
fn check_whole(candidate: &Candidate, a: &str, b: &str) {
    let set = |text| ShingleSet::new(&CanonicalText::from_extracted(text), Window::DEFAULT);
    let exact = set(a).resemblance(&set(b)).unwrap().get();
    let counted = candidate.shared as f64 / candidate.trials() as f64;
    assert!((exact - counted).abs() < 1e-12, "{exact} {counted}");
}

fn bed_of_all() -> Bed {
    let mut bed = Bed::memory();
    bed.parameters.schemes = Schemes::of(&Schemes::ALL);
    bed.open();
    bed
}

#[test]
fn candidates_of_fixed_size_are_exact_in_buffer_and_buckets_and_between() {
    let mut random = Random::new(61);
    let mut texts = pool(&mut random, 5, 200);
    let long = random.words(8_000);
    texts.extend([
        random.version(&long, 200),
        random.excerpt(&long, 1_000),
        random.words(4),
        long,
    ]);
    texts.sort();
    texts.dedup();
    let queries = [
        texts[0].clone(),
        texts[7].clone(),
        random.version(&texts[12], 3),
    ];
    let mut bed = bed_of_all();
    let (early, late) = texts.split_at(texts.len() / 2);
    for (at, text) in early.iter().enumerate() {
        bed.put(&format!("a/{at}"), text);
    }
    queries.iter().for_each(|query| check(&bed, early, query));
    bed.index().writer.merge().unwrap();
    for (at, text) in late.iter().enumerate() {
        bed.put(&format!("b/{at}"), text);
    }
    queries.iter().for_each(|query| check(&bed, &texts, query));
    assert!(!bed.close_and_open().rebuilt);
    queries.iter().for_each(|query| check(&bed, &texts, query));
    let roots = bed.index().registry().roots().unwrap();
    let second = VisibleRoots::Roots(roots.iter().map(|(id, _)| *id).skip(1).collect());
    let query = sign(&bed, SchemeKind::MinN, &queries[0]);
    for id in ask(&bed, &query, &second).keys() {
        assert!(late.iter().any(|text| bed.id(text).unwrap().0 == *id));
    }
}

#[test]
fn another_list_of_schemes_makes_postings_and_records_anew() {
    let mut random = Random::new(62);
    let texts = pool(&mut random, 4, 120);
    let mut bed = Bed::memory();
    for (at, text) in texts.iter().enumerate() {
        bed.put(&format!("a/{at}"), text);
    }
    bed.settle();
    bed.index().writer.merge().unwrap();
    let edges = bed.stored_edges();
    for schemes in [
        &Schemes::ALL[..],
        &[SchemeKind::SketchN],
        &[],
        &[SchemeKind::MinN],
    ] {
        bed.parameters.schemes = Schemes::of(schemes);
        assert!(bed.open().rebuilt);
        bed.settle();
        bed.index().writer.merge().unwrap();
        assert_eq!(bed.stored_edges(), edges, "edges do not follow from it");
        for scheme in BOTH {
            let held = schemes.contains(&scheme);
            let (postings, _) = postings_in_runs(bed.index(), scheme);
            let signed: usize = texts
                .iter()
                .map(|text| sign(&bed, scheme, text).len())
                .sum();
            assert_eq!(postings.len(), if held { signed } else { 0 });
            let found = ask(&bed, &sign(&bed, scheme, &texts[0]), &VisibleRoots::All);
            assert_eq!(!found.is_empty(), held);
        }
        assert!(!bed.close_and_open().rebuilt);
    }
    assert_eq!(bed.reader().ladder().fixed_size(), Rung::new(9).unwrap());
}

#[test]
fn common_entries_add_documents_where_a_query_has_little_else() {
    let mut bed = Bed::memory();
    bed.options = Options {
        buffer_postings: usize::MAX,
        ..bed.options
    };
    bed.parameters.schemes = Schemes::of(&BOTH);
    bed.open();
    let documents = 26_000;
    let boilerplate = common(&bed, documents);
    let own = Random::new(63).words(900);
    bed.put("b/own", &own);
    let mixed = format!("{boilerplate} {own}");
    let asked = |scheme, text: &str| {
        let query = sign(&bed, scheme, text);
        let reader = bed.reader();
        reader
            .candidates()
            .by_sketches(
                &query,
                query.len() as u64,
                &VisibleRoots::All,
                &account(bed.index()),
            )
            .unwrap()
    };
    for scheme in BOTH {
        let found = asked(scheme, &mixed);
        let own = bed.id(&own);
        assert!(found.found.iter().any(|c| Some(c.document) == own));
        assert!(
            found.found.len() < documents / 2,
            "those with little in common are not listed"
        );
        let found = asked(scheme, &boilerplate);
        assert!(found.found.len() >= documents - 100 && found.common_lists_count_only == 0);
    }
}
