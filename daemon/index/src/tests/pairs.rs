//! Pairs are searched for from one side, and a document is not searched for again with each of its files.

use simdex_schema::DocId;
use simdex_signature::Ratio;

use super::bed::{Bed, account, pairs};
use super::texts::{Random, pool};
use crate::{PairSearch, VisibleRoots};

fn search<'a>(bed: &'a Bed) -> PairSearch<'a> {
    let threshold = Ratio::new(bed.parameters.threshold).unwrap();
    bed.reader().pairs().search(&VisibleRoots::All, threshold)
}

#[test]
fn pairs_sought_from_one_side_are_those_of_both() {
    let bed = Bed::memory();
    let texts = pool(&mut Random::new(91), 4, 60);
    for (at, text) in texts.iter().enumerate() {
        for copy in 0..1 + at % 3 {
            bed.put(&format!("a/{copy}/{at}"), text);
        }
    }
    let (search, account) = (search(&bed), account(bed.index()));
    let mut found = Vec::new();
    // Every file of a document asks for it again, as a list of files does.
    for _ in 0..2 {
        found.clear();
        for a in search.documents() {
            let partners = search
                .filtered_partners_of(a, &|b| Ok(b > a), &account)
                .unwrap();
            found.extend(
                partners
                    .iter()
                    .filter(|(b, _)| *b > a)
                    .map(|(b, edge)| (a, *b, *edge)),
            );
        }
    }
    let threshold = Ratio::new(bed.parameters.threshold).unwrap();
    let mut expected = pairs(bed.index(), &VisibleRoots::All, threshold);
    expected.retain(|(a, b, _)| a < b);
    found.sort_unstable_by_key(|(a, b, _)| (*a, *b));
    expected.sort_unstable_by_key(|(a, b, _)| (*a, *b));
    assert!(found.len() > 10);
    assert_eq!(found, expected);
}

#[test]
fn a_pair_is_counted_once_however_many_files_carry_its_documents() {
    let bed = Bed::memory();
    let mut random = Random::new(92);
    let text = random.words(300);
    let other = random.version(&text, 2);
    for copy in 0..5 {
        bed.put(&format!("a/{copy}"), &text);
    }
    bed.put("a/other", &other);
    let (search, account) = (search(&bed), account(bed.index()));
    let (copied, single) = (bed.id(&text).unwrap(), bed.id(&other).unwrap());
    let partners = |id: DocId| {
        let partners = search
            .filtered_partners_of(id, &|_| Ok(true), &account)
            .unwrap();
        partners.iter().map(|(other, _)| *other).collect::<Vec<_>>()
    };
    for _ in 0..5 {
        assert_eq!(partners(copied), [single]);
    }
    assert_eq!(partners(single), [copied]);
    assert_eq!(search.counted(), 1);
    // What is not wanted is not counted.
    let search = self::search(&bed);
    let none = search
        .filtered_partners_of(copied, &|_| Ok(false), &account)
        .unwrap();
    assert!(none.is_empty() && search.counted() == 0);
}
