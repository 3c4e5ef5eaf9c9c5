//! Candidates compared with counts by brute force, wherever the postings are.

use std::collections::{BTreeMap, BTreeSet};

use simdex_schema::{DocumentKind, RootId, Schemes};
use simdex_signature::{
    BswN, CanonicalText, Chunks, Fingerprint, Ladder, Ratio, Rung, SchemeKind, ShingleSet,
    Signature, Window,
};

use super::bed::{Bed, account, document, put, put_raw};
use super::texts::{Random, pool};
use crate::{
    Cancel, Candidate, CandidateKind, FingerprintSink, Fingerprints, FoundCandidates, IndexError,
    MemoryBudget, Options, QueryFingerprints, UnreadTexts, VisibleRoots,
};

pub(super) fn set(text: &str) -> ShingleSet {
    ShingleSet::new(&CanonicalText::from_extracted(text), Window::DEFAULT)
}

fn at_rung(all: &[Fingerprint], rung: Rung) -> BTreeSet<Fingerprint> {
    all.iter()
        .copied()
        .filter(|f| f.divisible_by(rung))
        .collect()
}

pub(super) const ALL_KINDS: [CandidateKind; 3] = [
    CandidateKind::Similar(Ratio::ZERO),
    CandidateKind::Containing(Ratio::ZERO),
    CandidateKind::Contained,
];

pub(super) fn ask(
    bed: &Bed,
    query: &ShingleSet,
    kind: CandidateKind,
    view: &VisibleRoots,
) -> FoundCandidates {
    let asked = QueryFingerprints {
        scheme: SchemeKind::ModN,
        fingerprints: Fingerprints::All(query),
        rung: Rung::ZERO,
    };
    bed.reader()
        .candidates()
        .by_samples(asked, kind, view, &account(bed.index()))
        .unwrap()
}

/// Whether a text of the index is a candidate of a query for it, whatever else is.
pub(super) fn is_found(bed: &Bed, text: &str) -> bool {
    let id = bed.id(text).unwrap();
    let kind = CandidateKind::Similar(Ratio::ZERO);
    let found = ask(bed, &set(text), kind, &VisibleRoots::All).found;
    found.iter().any(|candidate| candidate.document == id)
}

/// The counts of a candidate are exact at its rung, and none that shares anything there is missing.
pub(super) fn check(bed: &Bed, texts: &[String], query: &str, kind: CandidateKind) {
    let query = set(query);
    let found = ask(bed, &query, kind, &VisibleRoots::All);
    assert_eq!(found.common_lists_count_only, 0);
    let by_id: BTreeMap<_, Candidate> = found.found.iter().map(|c| (c.document, *c)).collect();
    assert_eq!(by_id.len(), found.found.len());
    let coarsest = Rung::all()
        .rev()
        .find(|r| at_rung(&query.sampled(Rung::ZERO), *r).len() >= 128);
    for text in texts {
        let (id, text) = (bed.id(text).unwrap(), set(text));
        let own = bed.reader().documents().stats(id).unwrap().rung;
        let rung = match kind {
            CandidateKind::Contained => own,
            _ => own.max(coarsest.unwrap_or(Rung::ZERO)),
        };
        let (ours, theirs) = (
            at_rung(&query.sampled(Rung::ZERO), rung),
            at_rung(&text.sampled(Rung::ZERO), rung),
        );
        let shared = ours.intersection(&theirs).count() as u64;
        match by_id.get(&id) {
            None => assert_eq!(shared, 0, "a document that shares is found"),
            Some(found) => {
                let counts = (
                    found.rung,
                    found.shared,
                    found.query_fingerprints,
                    found.document_fingerprints,
                );
                assert_eq!(
                    counts,
                    (rung, shared, ours.len() as u64, theirs.len() as u64)
                );
            }
        }
    }
}

fn check_bsw(bed: &Bed, texts: &[String], query: &str) {
    let canonical = CanonicalText::from_extracted(query);
    // Signing may read the index: no lock is held meanwhile.
    let sign = |rung| {
        bed.index().index.live_documents(&VisibleRoots::All);
        BswN::sign(&canonical, Window::DEFAULT, rung)
    };
    let visit = |rung, each: &mut FingerprintSink<'_>| each(sign(rung).fingerprints());
    let found = bed
        .reader()
        .candidates()
        .sharing_windows(&visit, &VisibleRoots::All, &account(bed.index()))
        .unwrap()
        .counts;
    let query = set(query);
    let asked = QueryFingerprints {
        scheme: SchemeKind::ModN,
        fingerprints: Fingerprints::All(&query),
        rung: Rung::ZERO,
    };
    let kind = CandidateKind::Similar(Ratio::ZERO);
    let either = bed
        .reader()
        .candidates()
        .by_either(
            asked,
            kind,
            &visit,
            &VisibleRoots::All,
            &account(bed.index()),
        )
        .unwrap();
    let ids: BTreeSet<_> = either.found.iter().map(|c| c.document).collect();
    let by_mod_n = ask(bed, &query, kind, &VisibleRoots::All);
    assert!(by_mod_n.found.iter().all(|c| ids.contains(&c.document)));
    for text in texts {
        let id = bed.id(text).unwrap();
        let rung = bed.reader().documents().stats(id).unwrap().rung;
        let text = BswN::sign(&CanonicalText::from_extracted(text), Window::DEFAULT, rung);
        let (ours, theirs) = (sign(rung), text);
        let all = |s: &Signature| s.fingerprints().iter().copied().collect::<BTreeSet<_>>();
        let shared = all(&ours).intersection(&all(&theirs)).count() as u64;
        assert_eq!(found.get(&id).copied().unwrap_or(0), shared);
        assert!(
            shared == 0 || ids.contains(&id),
            "a document that shares is found"
        );
    }
}

fn check_all(bed: &Bed, texts: &[String], queries: &[String]) {
    for query in queries {
        for kind in ALL_KINDS {
            check(bed, texts, query, kind);
        }
        check_bsw(bed, texts, query);
    }
}

#[test]
fn candidates_are_exact_in_buffer_and_buckets_and_between() {
    let mut random = Random::new(21);
    let mut texts = pool(&mut random, 5, 200);
    let long = random.words(12_000);
    texts.extend([
        random.version(&long, 300),
        random.excerpt(&long, 1_500),
        long,
    ]);
    texts.sort();
    texts.dedup();
    let mut queries = vec![
        random.version(&texts[0], 3),
        texts[1].clone(),
        random.words(60),
    ];
    queries.push(random.excerpt(texts.iter().max_by_key(|text| text.len()).unwrap(), 4_000));
    let mut bed = Bed::memory();
    let (first, second) = texts.split_at(texts.len() / 2);
    bed.options.buffer_postings = usize::MAX;
    bed.open();
    let put_all = |bed: &Bed, texts: &[String], from: usize| {
        let files = texts.iter().enumerate();
        let files = files.map(|(at, text)| put(bed.index(), &format!("a/{}", from + at), text, 0));
        bed.index()
            .writer
            .apply(&files.collect::<Vec<_>>())
            .unwrap();
    };
    put_all(&bed, first, 0);
    check_all(&bed, first, &queries);
    bed.index().writer.merge().unwrap();
    check_all(&bed, first, &queries);
    put_all(&bed, second, first.len());
    check_all(&bed, &texts, &queries);
    // Half merged: a merge that fails halfway leaves postings in both places.
    bed.fail_after(40);
    assert!(bed.index().writer.merge().is_err());
    check_all(&bed, &texts, &queries);
    bed.fail_after(i64::MAX);
    bed.index().writer.merge().unwrap();
    check_all(&bed, &texts, &queries);
    bed.open();
    check_all(&bed, &texts, &queries);
}

#[test]
fn raw_bytes_are_found_by_their_chunks_after_a_restart_too() {
    let mut bed = Bed::memory();
    let bytes = |seed: u32, length: u32| -> Vec<u8> {
        (0..length)
            .flat_map(|i| (i + seed).wrapping_mul(2_654_435_761).to_le_bytes())
            .collect()
    };
    let (a, b) = (bytes(0, 60_000), bytes(1 << 20, 60_000));
    let mixed = [&a[..], &b[..]].concat();
    bed.index()
        .writer
        .apply(&[put_raw("a/a", &a), put_raw("a/b", &b)])
        .unwrap();
    bed.put("a/text", &Random::new(2).words(50));
    for step in 0..3 {
        let query = Chunks::sign_by(&mixed, Ladder::default());
        let asked = QueryFingerprints {
            scheme: SchemeKind::Chunks,
            fingerprints: Fingerprints::Listed(query.fingerprints()),
            rung: query.rung(),
        };
        let found = bed
            .reader()
            .candidates()
            .by_samples(
                asked,
                CandidateKind::Contained,
                &VisibleRoots::All,
                &account(bed.index()),
            )
            .unwrap();
        assert_eq!(found.found.len(), 2);
        let documents = bed.reader().documents();
        for candidate in found.found {
            let stats = documents.stats(candidate.document).unwrap();
            assert_eq!(stats.kind, DocumentKind::Raw);
            assert!(
                candidate.shared + 2 >= candidate.document_fingerprints,
                "all chunks but the seam"
            );
        }
        if step == 0 {
            bed.open();
        } else {
            bed.index().writer.merge().unwrap();
        }
    }
}

/// So many documents that all begin with the same words that their lists are long.
pub(super) fn common(bed: &Bed, documents: usize) -> String {
    let mut random = Random::new(77);
    let boilerplate = random.words(6);
    for some in (0..documents).collect::<Vec<_>>().chunks(2_000) {
        let files = some.iter().map(|at| {
            let text = format!("{boilerplate} {}", random.words(3));
            put(bed.index(), &format!("a/{at}"), &text, 0)
        });
        bed.index()
            .writer
            .apply(&files.collect::<Vec<_>>())
            .unwrap();
    }
    bed.index().writer.merge().unwrap();
    boilerplate
}

/// A bed with 26,000 of them, and the words.
fn with_common() -> (Bed, String) {
    let mut bed = Bed::memory();
    bed.options = Options {
        buffer_postings: usize::MAX,
        cached_shingles: 10_000_000,
        principal_list_bytes: 32 << 20,
        text_block_bytes: 16 << 20,
        resting_bytes: 1 << 20,
        working_bytes: 1 << 30,
        records_bytes: 64 << 20,
        second_settler: true,
        listed_shingles: 1 << 20,
        rebuild: false,
        unread: UnreadTexts::Release,
    };
    bed.parameters.schemes = Schemes::default();
    bed.parameters.threshold = 0.9;
    bed.open();
    let boilerplate = common(&bed, 26_000);
    (bed, boilerplate)
}

#[test]
fn candidates_are_counted_by_the_account_of_the_question() {
    let (bed, boilerplate) = with_common();
    let query = set(&boilerplate);
    let asked = QueryFingerprints {
        scheme: SchemeKind::ModN,
        fingerprints: Fingerprints::All(&query),
        rung: Rung::ZERO,
    };
    let find = |budget: &MemoryBudget| {
        let account = budget.account(&Cancel::never());
        let kind = CandidateKind::Contained;
        let reader = bed.reader();
        reader
            .candidates()
            .by_samples(asked, kind, &VisibleRoots::All, &account)
    };
    let budget = MemoryBudget::new(64 << 20);
    let found = find(&budget).unwrap();
    let bytes = size_of_val(&found.found[..]) as u64;
    assert!(found.found.len() > 25_000 && budget.used() >= bytes);
    drop(found);
    assert_eq!(budget.used(), 0);
    // Too little for the map of counts and the candidates made of it, enough for either.
    let budget = MemoryBudget::new(bytes + bytes / 2);
    assert!(matches!(
        find(&budget),
        Err(IndexError::TooMuchMemory { .. })
    ));
    assert_eq!(budget.used(), 0);
}

#[test]
fn common_fingerprints_are_counted_and_never_hide_what_matters() {
    let (bed, boilerplate) = with_common();
    let mut random = Random::new(78);
    bed.put("b/common", &boilerplate);
    let own = random.words(900);
    let query = set(&format!("{boilerplate} {own}"));
    bed.put("b/own", &own);
    // The common documents hold less than 1/32 of the query: counted, not listed.
    let similar = ask(
        &bed,
        &query,
        CandidateKind::Similar(Ratio::ZERO),
        &VisibleRoots::All,
    );
    assert!(similar.common_lists_count_only > 0 && similar.found.len() < 1_000);
    assert!(
        similar
            .found
            .iter()
            .any(|c| Some(c.document) == bed.id(&own))
    );
    // Nor are they if by chance one of them is in the little that a rung keeps at which no document is counted.
    let common = set(&boilerplate).counts_by_rung();
    let own = bed
        .reader()
        .documents()
        .stats(bed.id(&own).unwrap())
        .unwrap();
    let mut at_chance = 0;
    for words in (150..450).step_by(10) {
        let query = set(&format!("{boilerplate} {}", random.words(words)));
        let counts = query.counts_by_rung();
        let probed = counts.iter().rposition(|count| *count >= 128).unwrap();
        let is_much = |rung: usize| common[rung] > 0 && 32 * common[rung] >= counts[rung];
        // All others are of rung 0.
        let counted_at = [probed, probed.max(own.rung.get().into())];
        if !counted_at.into_iter().any(is_much) && (probed..counts.len()).any(is_much) {
            let similar = ask(
                &bed,
                &query,
                CandidateKind::Similar(Ratio::ZERO),
                &VisibleRoots::All,
            );
            assert!(similar.found.len() < 1_000, "{words} words");
            at_chance += 1;
        }
    }
    assert!(at_chance > 0);
    // What consists only of common words is still contained in the query.
    let contained = ask(&bed, &query, CandidateKind::Contained, &VisibleRoots::All);
    let common = contained
        .found
        .iter()
        .find(|c| Some(c.document) == bed.id(&boilerplate));
    assert!(common.is_some_and(|c| c.shared == c.document_fingerprints));
}

#[test]
fn common_lists_add_documents_only_if_one_of_the_ratio_sought_may_share_nothing_else() {
    let (bed, boilerplate) = with_common();
    let query = format!("{boilerplate} {}", Random::new(81).words(60));
    let near = format!("{query} too");
    bed.put("b/near", &near);
    let (near, query) = (bed.id(&near).unwrap(), set(&query));
    let common = set(&boilerplate).sampled(Rung::ZERO).len();
    assert!(common * 32 > query.sampled(Rung::ZERO).len());
    let share = Ratio::new(0.02).unwrap();
    type OfRatio = fn(Ratio) -> CandidateKind;
    for kind in [CandidateKind::Similar as OfRatio, CandidateKind::Containing] {
        let found_from = |least| {
            let found = ask(&bed, &query, kind(least), &VisibleRoots::All);
            assert!(found.found.iter().any(|c| c.document == near));
            (found.found.len(), found.common_lists_count_only)
        };
        // A document that shares four fifths shares more than common words; one that shares a fiftieth may not.
        let (found, common_lists_count_only) = found_from(Ratio::FOUR_FIFTHS);
        assert!(found < 1_000 && common_lists_count_only > 0, "{found}");
        for least in [Ratio::ZERO, share] {
            let (found, common_lists_count_only) = found_from(least);
            assert!(found > 25_000 && common_lists_count_only == 0, "{found}");
        }
    }
}

/// A pair that shares the common words and much besides: further fingerprints make up for the common ones, and find it
/// as well.
fn lists_that_nothing_hangs_on_are_skipped_and_counted(bed: &Bed, boilerplate: &str) {
    let own = Random::new(80).words(12);
    let pair = [
        format!("{boilerplate} {own}"),
        format!("{boilerplate} {own} too"),
    ];
    for (at, text) in pair.iter().enumerate() {
        bed.put(&format!("b/pair{at}"), text);
    }
    let [a, b] = pair.map(|text| bed.id(&text).unwrap());
    let (view, account) = (
        VisibleRoots::Roots([RootId(2)].into()),
        account(bed.index()),
    );
    let threshold = Ratio::new(bed.parameters.threshold).unwrap();
    let search = bed.reader().pairs().search(&view, threshold);
    assert_eq!(search.common_lists_skipped(), 0);
    let partners = search.partners_of(a, &account).unwrap();
    let partners: Vec<_> = partners.into_iter().map(|(other, _)| other).collect();
    assert_eq!(partners, [b]);
    assert!(search.common_lists_skipped() > 0);
    let found = bed.reader().groups().of_view(&view, threshold, &account);
    let found = found.unwrap();
    assert!(found.groups.len() == 1 && found.common_lists_skipped > 0);
}

#[test]
fn the_search_for_edges_sees_through_common_fingerprints() {
    let (bed, boilerplate) = with_common();
    // Their edges do not matter here: pretend they are settled.
    {
        let mut state = bed.index().index.shared.state_mut();
        state.unsettled.clear();
    }
    lists_that_nothing_hangs_on_are_skipped_and_counted(&bed, &boilerplate);
    let mut random = Random::new(79);
    let rare = random.words(1);
    // Nearly all of these two is common; the text of one is in the other.
    let (a, b) = (boilerplate.clone(), format!("{boilerplate} {}", &rare[..1]));
    bed.put("b/a", &a);
    bed.put("b/b", &b);
    bed.settle();
    let (a, b) = (bed.id(&a).unwrap(), bed.id(&b).unwrap());
    let threshold = Ratio::new(bed.parameters.threshold).unwrap();
    let search = bed.reader().pairs().search(&VisibleRoots::All, threshold);
    let partners = search.partners_of(a, &account(bed.index())).unwrap();
    assert!(partners.iter().any(|(other, _)| *other == b));
    assert_eq!(
        document(&boilerplate),
        bed.reader().documents().stats(a).unwrap().hash
    );
}
