//! Another setting for how coarsely texts are sampled: documents are signed again one after another, and queries are
//! answered as by an index that was signed that way from the beginning.

use std::cell::Cell;
use std::collections::BTreeSet;
use std::rc::Rc;

use simdex_schema::DocId;
use simdex_signature::{Ratio, Rung, Sampling, ShingleSet, SizeStep};

use super::bed::{Bed, Clients, account, file, pairs, postings_in_runs, put};
use super::candidates::{ALL_KINDS, ask, check, set};
use super::frail::{Access, hook};
use super::model::Model;
use super::readers::in_the_midst;
use super::texts::{Random, pool};
use crate::shared::SCHEMES;
use crate::{Cancel, CandidateKind, SignStep, VisibleRoots};

/// A setting by size; each rung applies from this many bytes on.
pub(super) fn setting(groups: &[(u64, u8)]) -> Option<Sampling> {
    let group = |&(from, rung): &(u64, u8)| SizeStep {
        from,
        rung: Rung::new(rung).unwrap(),
    };
    let groups: Vec<SizeStep> = groups.iter().map(group).collect();
    Some(Sampling::new(&groups).unwrap())
}

/// Coarser than by default, finer, and back.
fn settings() -> [Option<Sampling>; 4] {
    [
        setting(&[(0, 3)]),
        setting(&[(0, 0)]),
        setting(&[(0, 1), (600, 2), (900, 4)]),
        None,
    ]
}

/// Texts of up to some thousand bytes, one of which repeats itself.
pub(super) fn texts(random: &mut Random) -> Vec<String> {
    let mut texts = pool(random, 4, 300);
    let row = random.words(50);
    texts.push(vec![row; 40].join(" "));
    let distinct: BTreeSet<String> = texts.into_iter().collect();
    distinct.into_iter().collect()
}

/// Only the test, and what is tested, merge.
pub(super) fn bed() -> Bed {
    let mut bed = Bed::memory();
    bed.options.buffer_postings = usize::MAX;
    bed.open();
    bed
}

/// Puts all texts, the first of which are merged.
pub(super) fn fill(bed: &Bed, texts: &[String], merged: usize) -> Model {
    let mut model = Model::default();
    for (at, text) in texts.iter().enumerate() {
        let path = format!("a/{at}");
        let change = put(bed.index(), &path, text, 0);
        bed.index().writer.apply(&[change]).unwrap();
        model.files.insert(file(&path), (text.clone(), 0));
        if at + 1 == merged {
            bed.settle();
            bed.index().writer.merge().unwrap();
        }
    }
    bed.settle();
    model
}

/// The disk is waited for with nothing locked that ingestion waits for.
#[test]
fn another_setting_is_made_power_safe_while_others_may_write() {
    let bed = bed();
    let (index, commits) = (bed.weak(), Rc::new(Cell::new(0)));
    let counted = Rc::clone(&commits);
    let hooked = hook(move |access, _| {
        if access == Access::Commit {
            counted.set(counted.get() + 1);
            assert!(!index.upgrade().unwrap().writer.is_locked());
        }
    });
    set_sampling(&bed, setting(&[(0, 3)]));
    drop(hooked);
    assert_eq!(commits.get(), 1);
}

pub(super) fn set_sampling(bed: &Bed, sampling: Option<Sampling>) -> u64 {
    bed.index().writer.set_sampling(sampling).unwrap()
}

pub(super) fn sign_all(bed: &Bed) {
    bed.index().writer.sign_all_anew(&Cancel::never()).unwrap();
    assert_eq!(bed.index().index.signing_progress().waiting, 0);
}

/// Every figure, posting, candidate, pair and group of two beds is the same; so are ids, since the texts came in one
/// order.
pub(super) fn are_alike(bed: &Bed, fresh: &Bed, texts: &[String]) {
    for text in texts {
        let of = |bed: &Bed| {
            let stats = bed
                .reader()
                .documents()
                .stats(bed.id(text).unwrap())
                .unwrap();
            (stats.rung, stats.counts, stats.bsw_count, stats.min_count)
        };
        assert_eq!(of(bed), of(fresh));
        for kind in ALL_KINDS {
            let of = |bed: &Bed| {
                let found = ask(bed, &set(text), kind, &VisibleRoots::All);
                let mut all: Vec<_> = found
                    .found
                    .iter()
                    .map(|c| (c.document, c.rung, c.shared, c.document_fingerprints))
                    .collect();
                all.sort_unstable();
                (all, found.common_lists_count_only, found.coverage)
            };
            assert_eq!(of(bed), of(fresh));
        }
    }
    for threshold in [0.3, 0.7] {
        let threshold = simdex_signature::Ratio::new(threshold).unwrap();
        let of = |bed: &Bed| {
            let mut pairs = pairs(bed.index(), &VisibleRoots::All, threshold);
            pairs.sort_unstable_by_key(|(a, b, _)| (*a, *b));
            let index = bed.index();
            let groups =
                index
                    .reader()
                    .groups()
                    .of_view(&VisibleRoots::All, threshold, &account(index));
            let members = |principal: DocId, members: &[crate::GroupDocument]| {
                let of_group: BTreeSet<DocId> = members.iter().map(|m| m.document).collect();
                (principal, of_group)
            };
            let groups = groups.unwrap().groups;
            let groups: BTreeSet<_> = groups
                .iter()
                .map(|group| members(group.principal, &group.members))
                .collect();
            let missed = index.reader().pairs().missed_at_most(threshold);
            (pairs, groups, missed.to_bits())
        };
        assert_eq!(of(bed), of(fresh));
    }
}

/// The number of buckets depends on the number of postings in a merge, including those that do not count.
pub(super) fn have_the_same_postings(bed: &Bed, fresh: &Bed) {
    for scheme in SCHEMES {
        let of = |bed: &Bed| postings_in_runs(bed.index(), scheme).0;
        assert_eq!(of(bed), of(fresh), "{}", scheme.name());
    }
}

/// A bed that was signed that way from the beginning.
pub(super) fn fresh(sampling: Option<Sampling>, texts: &[String]) -> Bed {
    let fresh = bed();
    assert_eq!(set_sampling(&fresh, sampling), 0);
    fill(&fresh, texts, 0);
    fresh
}

#[test]
fn an_index_signed_anew_is_one_that_was_signed_so_from_the_beginning() {
    for (seed, merged) in [(61, 0), (62, 12), (63, usize::MAX)] {
        let texts = texts(&mut Random::new(seed));
        let mut bed = bed();
        let model = fill(&bed, &texts, merged.min(texts.len()));
        for sampling in settings() {
            let waiting = set_sampling(&bed, sampling);
            assert!(waiting > 0, "{sampling:?} changes nothing");
            assert_eq!(bed.index().index.signing_progress().waiting, waiting);
            sign_all(&bed);
            assert_eq!(bed.index().index.signing_progress().done, waiting);
            let fresh = fresh(sampling, &texts);
            are_alike(&bed, &fresh, &texts);
            model.check(bed.index(), &VisibleRoots::All, 0.7);
            bed.index().writer.merge().unwrap();
            fresh.index().writer.merge().unwrap();
            have_the_same_postings(&bed, &fresh);
            are_alike(&bed, &fresh, &texts);
            let report = bed.close_and_open();
            assert!(!report.rebuilt && report.signed_again == 0, "{report:?}");
            assert_eq!(bed.reader().ladder().sampling, sampling);
            bed.settle();
            are_alike(&bed, &fresh, &texts);
        }
    }
}

#[test]
fn after_every_step_answers_are_of_what_is_signed_by_then() {
    let mut random = Random::new(64);
    let texts = texts(&mut random);
    let bed = bed();
    let model = fill(&bed, &texts, 2 * texts.len() / 3);
    for sampling in settings() {
        set_sampling(&bed, sampling);
        let mut steps = 0;
        while bed.index().writer.sign_some_anew(&Cancel::never()).unwrap() == SignStep::Signed {
            for text in &texts {
                for kind in ALL_KINDS {
                    check(&bed, &texts, text, kind);
                }
            }
            bed.settle();
            model.check_as_signed(bed.index(), &VisibleRoots::All, 0.7);
            model.check_as_signed(bed.index(), &VisibleRoots::All, 0.4);
            steps += 1;
        }
        assert!(steps > 1, "all was signed in one step");
    }
}

/// Signs all again before the read `at` of a request; returns false if there were fewer reads. The counts for a
/// document must be no less than what both share at the stated rung, and what they share at the coarser of the rungs
/// before and after must be found.
fn signed_in_the_midst(texts: &[String], sampling: Option<Sampling>, at: usize) -> bool {
    let bed = bed();
    fill(&bed, texts, texts.len());
    let rungs = || -> Vec<Rung> {
        let ids = texts.iter().map(|text| bed.id(text).unwrap());
        let stats = ids.map(|id| bed.reader().documents().stats(id).unwrap());
        stats.map(|stats| stats.rung).collect()
    };
    let before = rungs();
    set_sampling(&bed, sampling);
    let query = set(&texts[at % texts.len()]);
    let sign = |index: &Clients| {
        let step = || index.writer.sign_some_anew(&Cancel::never()).unwrap();
        while step() == SignStep::Signed {}
    };
    let mut found = Vec::new();
    let happened = in_the_midst(&bed, at, sign, || {
        found = ask(
            &bed,
            &query,
            CandidateKind::Similar(Ratio::ZERO),
            &VisibleRoots::All,
        )
        .found;
    });
    let probed = Rung::all()
        .rev()
        .find(|rung| query.sampled(*rung).len() >= 128);
    for ((text, before), now) in texts.iter().zip(before).zip(rungs()) {
        let theirs = set(text);
        let shared = |rung: Rung| {
            let of = |set: &ShingleSet| set.sampled(rung).into_iter().collect::<BTreeSet<_>>();
            of(&query).intersection(&of(&theirs)).count() as u64
        };
        let id = bed.id(text).unwrap();
        match found.iter().find(|candidate| candidate.document == id) {
            Some(candidate) => assert!(candidate.shared >= shared(candidate.rung), "{at}"),
            None => {
                let coarsest = before.max(now).max(probed.unwrap_or(Rung::ZERO));
                assert_eq!(shared(coarsest), 0, "{at}");
            }
        }
    }
    happened
}

#[test]
fn a_document_signed_anew_while_it_is_counted_is_found_all_the_same() {
    let texts = texts(&mut Random::new(72));
    for sampling in settings().into_iter().take(2) {
        let mut at = 0;
        while signed_in_the_midst(&texts, sampling, at) {
            at += 1 + at / 4;
        }
        assert!(at > 3, "the question made few reads: {at}");
    }
}

#[test]
fn signing_anew_cut_short_anywhere_is_gone_on_with_at_the_next_opening() {
    let texts = texts(&mut Random::new(65));
    for (number, sampling) in settings().into_iter().take(3).enumerate() {
        let fresh = fresh(sampling, &texts);
        fresh.index().writer.merge().unwrap();
        let mut resumed = 0;
        for writes in (0..).step_by(5) {
            let mut bed = bed();
            let model = fill(&bed, &texts, texts.len() / 2);
            // Once in parts, so that a run holds some of them.
            bed.options.buffer_postings = if number == 1 { 3_000 } else { usize::MAX };
            bed.open();
            bed.settle();
            bed.fail_after(writes);
            let index = bed.index();
            let chosen = index.writer.set_sampling(sampling);
            let is_chosen = chosen.is_ok();
            let signed = chosen.and_then(|_| index.writer.sign_all_anew(&Cancel::never()));
            bed.fail_after(i64::MAX);
            bed.open();
            // The setting persists, and what remains to be done is found again without being set.
            let stored = bed.reader().ladder().sampling;
            assert_eq!(stored == sampling, is_chosen, "{writes}");
            assert!(is_chosen || writes == 0, "it is stored by the first write");
            bed.settle();
            model.check_as_signed(bed.index(), &VisibleRoots::All, 0.7);
            for text in texts.iter().step_by(5) {
                check(&bed, &texts, text, CandidateKind::Contained);
            }
            if !is_chosen {
                set_sampling(&bed, sampling);
            }
            let waiting = bed.index().index.signing_progress().waiting;
            assert!(waiting == 0 || signed.is_err(), "{writes}");
            resumed += u64::from(is_chosen && waiting > 0);
            sign_all(&bed);
            assert_eq!(bed.index().index.signing_progress().done, waiting);
            are_alike(&bed, &fresh, &texts);
            bed.index().writer.merge().unwrap();
            have_the_same_postings(&bed, &fresh);
            bed.verify();
            if signed.is_ok() {
                assert!(writes > 30 && resumed > 3, "{writes}");
                break;
            }
        }
    }
}

#[test]
fn a_document_that_comes_with_a_signature_of_before_is_signed_anew() {
    let mut texts = texts(&mut Random::new(66));
    texts.retain(|text| (1_200..4_000).contains(&text.len()));
    let bed = bed();
    // Like an ingester that began before.
    let change = put(bed.index(), "a/0", &texts[0], 0);
    let sampling = setting(&[(0, 0)]);
    assert_eq!(set_sampling(&bed, sampling), 0);
    bed.index().writer.apply(&[change]).unwrap();
    bed.settle();
    assert!(bed.index().writer.has_to_sign());
    sign_all(&bed);
    are_alike(&bed, &fresh(sampling, &texts[..1]), &texts[..1]);
    bed.remove("a/0");
    bed.settle();
    assert_eq!(set_sampling(&bed, None), 1);
    bed.index().writer.merge().unwrap();
    assert!(!bed.index().writer.has_to_sign(), "it was purged");
}

#[test]
fn removing_undoes_what_was_signed_anew() {
    let texts = texts(&mut Random::new(67));
    let (kept, gone) = texts.split_at(texts.len() / 2);
    let sampling = setting(&[(0, 3)]);
    let bed = bed();
    fill(&bed, &texts, texts.len() / 3);
    set_sampling(&bed, sampling);
    bed.index().writer.sign_some_anew(&Cancel::never()).unwrap();
    (kept.len()..texts.len()).for_each(|at| bed.remove(&format!("a/{at}")));
    bed.settle();
    sign_all(&bed);
    bed.index().writer.merge().unwrap();
    assert!(gone.iter().all(|text| bed.id(text).is_none()));
    let fresh = fresh(sampling, kept);
    fresh.index().writer.merge().unwrap();
    have_the_same_postings(&bed, &fresh);
    are_alike(&bed, &fresh, kept);
}

#[test]
fn a_text_that_is_lost_keeps_no_other_from_being_signed() {
    let mut texts = texts(&mut Random::new(68));
    // Of some size, so that it is not signed at n = 1 by default.
    let sampled = texts
        .iter()
        .position(|text| (1_200..4_000).contains(&text.len()));
    texts.swap(0, sampled.unwrap());
    let mut bed = bed();
    fill(&bed, &texts[..1], 0);
    for entry in std::fs::read_dir(bed.texts()).unwrap() {
        std::fs::remove_file(entry.unwrap().path()).unwrap();
    }
    // What was read of it is no longer in memory.
    assert_eq!(bed.open().damaged_texts, 1);
    fill(&bed, &texts, 0);
    let waiting = set_sampling(&bed, setting(&[(0, 0)]));
    let lost = bed.reader().documents().stats(bed.id(&texts[0]).unwrap());
    assert!(lost.unwrap().rung > Rung::ZERO, "it waits");
    sign_all(&bed);
    let progress = bed.index().index.signing_progress();
    assert_eq!((progress.done, progress.unreadable), (waiting - 1, 1));
    assert_eq!(bed.reader().documents().damaged().len(), 1);
}

#[test]
fn a_join_that_counts_postings_holds_signing_up_and_nothing_else() {
    let texts = texts(&mut Random::new(69));
    let bed = bed();
    fill(&bed, &texts, texts.len());
    set_sampling(&bed, setting(&[(0, 0)]));
    let step = || bed.index().writer.sign_some_anew(&Cancel::never()).unwrap();
    let joining = bed.index().index.shared.joining.read().unwrap();
    let before = bed.index().index.signing_progress();
    assert_eq!((step(), step()), (SignStep::Busy, SignStep::Busy));
    assert_eq!(bed.index().index.signing_progress(), before);
    assert!(bed.index().writer.is_settled(), "no group was touched");
    drop(joining);
    assert_eq!(step(), SignStep::Signed);
}

#[test]
fn a_setting_made_while_another_is_carried_out_takes_its_place() {
    let texts = texts(&mut Random::new(70));
    let bed = bed();
    fill(&bed, &texts, texts.len() / 2);
    let [first, second, ..] = settings();
    set_sampling(&bed, first);
    bed.index().writer.sign_some_anew(&Cancel::never()).unwrap();
    set_sampling(&bed, second);
    assert_eq!(bed.index().index.signing_progress().done, 0);
    sign_all(&bed);
    are_alike(&bed, &fresh(second, &texts), &texts);
}

#[test]
fn a_step_is_cancelled_between_two_documents() {
    let texts = texts(&mut Random::new(71));
    let bed = bed();
    fill(&bed, &texts, 0);
    let waiting = set_sampling(&bed, setting(&[(0, 0)]));
    let cancelled = Cancel::never();
    cancelled.cancel();
    assert!(bed.index().writer.sign_some_anew(&cancelled).is_err());
    assert_eq!(bed.index().index.signing_progress().waiting, waiting);
}
