//! Lines that are left out: pairs are found by what the rest of the texts has in common.

use std::collections::BTreeSet;

use simdex_schema::DocumentHash;
use simdex_signature::{Ratio, TemplateLines};

use super::bed::{Bed, file, pairs};
use super::model::Model;
use super::resigned::{set_sampling, setting};
use super::texts::{Random, pool};
use crate::{Cancel, SignStep, VisibleRoots};

const HEAD: &str = "Acme Limited, 12 High Street, Anytown, registered in England and Wales\n\
    Telephone 01234 567890, by appointment to nobody, established long ago\n";
const FOOT: &str = "This message is confidential and meant for whom it names alone; if it is not you,\n\
    delete it, tell us, and forget whatever you may have read of it by accident\n";

fn list() -> TemplateLines {
    TemplateLines::parse(&[HEAD, FOOT].concat()).unwrap()
}

/// Letters in a frame that most of them have, with its letterhead written differently in every second one; short ones
/// are alike because of it. One is nothing but the frame, and one has so much of it that it is signed at another rung
/// without it.
fn letters(random: &mut Random) -> Vec<String> {
    let short: Vec<String> = (0..12).map(|_| random.words(4)).collect();
    let own = &random.words(120);
    let bodies = pool(random, 5, 90).into_iter().chain(short);
    let head = |at: usize| match at % 2 {
        0 => HEAD.to_owned(),
        _ => HEAD.to_uppercase().replace(' ', "  "),
    };
    let framed = bodies.enumerate().map(|(at, body)| match at % 7 {
        6 => body,
        _ => format!("{}{body}\n{FOOT}", head(at)),
    });
    let mostly_frame = [HEAD, FOOT].concat().repeat(400) + own;
    framed
        .chain([mostly_frame, [HEAD, FOOT].concat()])
        .collect()
}

/// Puts letters into a bed, most of them merged.
fn fill(bed: &Bed, letters: &[String]) -> Model {
    let mut model = Model {
        template_lines: bed.template_lines.clone(),
        ..Model::default()
    };
    for (at, text) in letters.iter().enumerate() {
        let path = format!("a/{at}");
        bed.put(&path, text);
        model.files.insert(file(&path), (text.clone(), 0));
        if at == 2 * letters.len() / 3 {
            bed.settle();
            bed.index().writer.merge().unwrap();
        }
    }
    model
}

fn check(bed: &Bed, model: &Model) {
    bed.settle();
    model.check(bed.index(), &VisibleRoots::All, bed.parameters.threshold);
    bed.verify();
}

#[test]
fn short_letters_of_one_template_are_alike_until_it_is_left_out() {
    let letters = letters(&mut Random::new(71));
    let (mut bed, mut framed) = (Bed::memory(), Bed::memory());
    bed.template_lines = list();
    bed.open();
    let [without, with] = [&bed, &framed].map(|bed| {
        let model = fill(bed, &letters);
        check(bed, &model);
        model
            .pairs(&VisibleRoots::All, bed.parameters.threshold)
            .len()
    });
    assert!(0 < without && without + 20 < with, "{without}, {with}");
    // The frame alone is a document, which resembles nothing.
    let frame = bed.id(letters.last().unwrap()).unwrap();
    let stats = bed.reader().documents().stats(frame).unwrap();
    assert!(
        stats.postings(bed.parameters.schemes) == 0 && stats.length > 200,
        "{stats:?}"
    );
    framed.close();
}

#[test]
fn another_list_signs_every_document_again_at_the_next_opening() {
    let letters = letters(&mut Random::new(72));
    let mut bed = Bed::memory();
    let mut model = fill(&bed, &letters);
    check(&bed, &model);
    for lines in [
        list(),
        TemplateLines::parse(FOOT).unwrap(),
        TemplateLines::default(),
    ] {
        bed.template_lines = lines.clone();
        model.template_lines = lines;
        let report = bed.close_and_open();
        assert!(report.rebuilt && report.signed_again == letters.len() as u64);
        check(&bed, &model);
        assert!(
            !bed.close_and_open().rebuilt,
            "the list is that of the store"
        );
        check(&bed, &model);
    }
}

/// Opens the bed with writes that fail after this many, then again with none that do; returns whether the first opening
/// finished.
fn open_cut_short(bed: &mut Bed, writes: i64, then: &TemplateLines) -> bool {
    bed.fail_after(writes);
    let opened = bed.try_open();
    bed.fail_after(i64::MAX);
    bed.template_lines = then.clone();
    bed.open();
    assert_eq!(bed.index().index.signing_progress().waiting, 0, "{writes}");
    opened.is_ok()
}

#[test]
fn taking_on_a_list_is_finished_by_the_next_opening_wherever_it_was_cut_short() {
    let letters = letters(&mut Random::new(73));
    let other = TemplateLines::parse(FOOT).unwrap();
    for then in [list(), other, TemplateLines::default()] {
        for writes in (0..).step_by(5) {
            let mut bed = Bed::memory();
            let mut model = fill(&bed, &letters);
            bed.settle();
            bed.template_lines = list();
            model.template_lines = then.clone();
            let is_done = open_cut_short(&mut bed, writes, &then);
            check(&bed, &model);
            if is_done {
                assert!(writes > 5, "{writes}");
                break;
            }
        }
    }
}

#[test]
fn a_list_is_taken_on_while_documents_wait_to_be_signed_anew() {
    let letters = letters(&mut Random::new(74));
    for writes in [10, 40, i64::MAX] {
        let mut bed = Bed::memory();
        let model = fill(&bed, &letters);
        check(&bed, &model);
        assert!(set_sampling(&bed, setting(&[(0, 3)])) > 20);
        let signed = bed.index().writer.sign_some_anew(&Cancel::never()).unwrap();
        assert_eq!(signed, SignStep::Signed);
        assert!(bed.index().index.signing_progress().waiting > 0);
        bed.template_lines = list();
        open_cut_short(&mut bed, writes, &list());
        bed.settle();
        let found = pairs_by_hash(&bed);
        bed.verify();
        bed.options.rebuild = true;
        bed.open();
        bed.settle();
        assert_eq!(found, pairs_by_hash(&bed));
    }
}

/// Pairs of documents by the hashes of their texts.
fn pairs_by_hash(bed: &Bed) -> BTreeSet<[DocumentHash; 2]> {
    let reader = bed.reader();
    let threshold = Ratio::new(bed.parameters.threshold).unwrap();
    let found = pairs(bed.index(), &VisibleRoots::All, threshold);
    let hash = |id| reader.documents().stats(id).unwrap().hash;
    let pairs = found.into_iter().map(|(a, b, _)| [hash(a), hash(b)]);
    let ordered = pairs.map(|mut pair| {
        pair.sort_unstable();
        pair
    });
    ordered.collect()
}

#[test]
fn what_is_left_out_is_the_same_however_lines_are_broken_and_whichever_came_first() {
    let own = Random::new(75).words(12);
    let broken = [HEAD, &own, "\n", FOOT].concat();
    let in_one_line = broken.replace('\n', " ");
    let in_words = broken.replace(' ', "\n");
    let revised = [HEAD, &own, " and one thing more\n", FOOT].concat();
    let found = [[0, 1, 2, 3], [3, 2, 1, 0], [1, 3, 0, 2]].map(|order| {
        let mut bed = Bed::memory();
        bed.template_lines = list();
        bed.open();
        let letters = [&broken, &in_one_line, &in_words, &revised];
        for at in order {
            bed.put(&format!("a/{at}"), letters[at]);
        }
        bed.settle();
        let first = bed.id(&broken).unwrap();
        let stats = bed.reader().documents().stats(first).unwrap();
        assert!(stats.postings(bed.parameters.schemes) > 0 && bed.id(&in_words) == Some(first));
        let before = pairs_by_hash(&bed);
        // Like an index that is rebuilt from what is stored.
        bed.options.rebuild = true;
        bed.open();
        bed.settle();
        assert!(!before.is_empty());
        assert_eq!(before, pairs_by_hash(&bed));
        (before, stats.postings(bed.parameters.schemes), stats.rung)
    });
    assert!(found[0] == found[1] && found[1] == found[2], "{found:?}");
}
