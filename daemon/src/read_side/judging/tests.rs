//! What is withheld, and that a judgement depends only on the texts, however they were obtained.

use simdex_index::{Index, IndexReader, Opened, VisibleRoots};
use simdex_judge::Doubt;
use simdex_proto::lines;
use simdex_schema::RootId;
use simdex_signature::SchemeKind;

use super::*;
use crate::encode;
use crate::read_side::query::tests::{change_under, opened_of, similar, words};
use crate::read_side::query::{Answer, QueryParams, find};

#[test]
fn what_is_in_doubt_is_withheld_for_its_reason() {
    let judged = |doubt| {
        JudgingOutcome::from(Judgement {
            doubt,
            ..Judgement::of_one_text()
        })
    };
    assert!(judged(None).judgement().is_some());
    for doubt in Doubt::ALL {
        assert_eq!(judged(Some(doubt)), JudgingOutcome::Withheld(doubt));
        assert_eq!(judged(Some(doubt)).judgement(), None);
        let shown = lines::not_judged(encode::not_judged(Some(&judged(Some(doubt)))));
        assert_eq!(shown, Some(doubt.name()));
    }
}

/// A text of this many words and versions of it; the first is asked about.
fn versions(seed: u64, length: usize) -> Vec<String> {
    let mut seed = seed;
    let base = words(&mut seed, length);
    let version = |edits: usize| {
        let mut text = base.clone();
        let fresh = words(&mut seed, edits);
        for (at, word) in fresh.into_iter().enumerate() {
            // The first word is the number of a document.
            let place = 1 + at * 37 % (text.len() - 1);
            text[place] = word;
        }
        text.join(" ")
    };
    (0..6)
        .map(|edits| edits * length / 80)
        .map(version)
        .collect()
}

/// Asks about a text and returns the answer, not judged yet, with its subject. Files of the first root are listed.
fn asked(index: &IndexReader, text: &str, is_judged: bool) -> (Answer, Subject) {
    let never = Cancel::never();
    let account = index.memory().requests.account(&never);
    let subject = Subject::from_text(index, text.to_owned(), &account).unwrap();
    let params = QueryParams {
        judged_by: is_judged.then(|| Arc::new(Model::shipped().unwrap())),
        view: VisibleRoots::Roots([RootId(1)].into()),
        ..similar(SchemeKind::ModN, 0.2)
    };
    (find(index, &subject, &params, &never).unwrap(), subject)
}

/// Judges an answer; returns the judgements, and how many texts were read for them.
fn judged(
    index: &Index,
    mut answer: Answer,
    subject: &Subject,
) -> (Vec<Option<JudgingOutcome>>, u64) {
    let before = index.work().texts_read;
    let Answer { hits, texts, .. } = &mut answer;
    let model = Model::shipped().unwrap();
    judge_hits(&model, index.reader(), subject, hits.iter_mut(), texts).unwrap();
    let judgements = hits.iter().map(|hit| hit.judgement.clone());
    (judgements.collect(), index.work().texts_read - before)
}

/// Waits until the second thread has come to all that it was handed; where it is behind, nothing is handed to it.
fn catch_up(index: &IndexReader) {
    let second = index.second_thread().unwrap();
    let (done, is_done) = std::sync::mpsc::channel();
    let job = || {
        let done = done.clone();
        Box::new(move || done.send(()).unwrap())
    };
    while !second.start(job()) {
        std::thread::yield_now();
    }
    is_done.recv().unwrap();
}

#[test]
fn judging_reads_no_text_that_was_read_to_count_it() {
    let texts = versions(3, 400);
    let (Opened { index, .. }, _dir) = opened_of(&texts);
    let (answer, subject) = asked(index.reader(), &texts[0], true);
    let (first, read) = judged(&index, answer, &subject);
    assert_eq!((first.len(), read), (texts.len(), 0));
    // All shingles are in memory by now, so no text is read to count them, and each but the query's own once to judge.
    let before = index.work().texts_read;
    catch_up(index.reader());
    let (answer, subject) = asked(index.reader(), &texts[0], true);
    assert_eq!(answer.texts.handed_on().len(), texts.len() - 1);
    let (again, _) = judged(&index, answer, &subject);
    assert_eq!(first, again);
    let read = index.work().texts_read - before;
    assert_eq!(read, texts.len() as u64 - 1);
}

#[test]
fn a_text_too_long_to_keep_is_read_again() {
    let texts = versions(5, 120_000);
    let (Opened { index, .. }, _dir) = opened_of(&texts[..2]);
    let (answer, subject) = asked(index.reader(), &texts[2], true);
    let (judgements, read) = judged(&index, answer, &subject);
    assert_eq!((judgements.len(), read), (2, 2));
}

#[test]
fn judgements_of_kept_texts_are_those_of_texts_read_again() {
    for seed in 0..20 {
        let texts = versions(seed, 60 + 40 * seed as usize);
        let (Opened { index, .. }, _dir) = opened_of(&texts[1..]);
        let (answer, subject) = asked(index.reader(), &texts[0], true);
        let (kept, read) = judged(&index, answer, &subject);
        let (answer, subject) = asked(index.reader(), &texts[0], false);
        let (reread, _) = judged(&index, answer, &subject);
        assert_eq!((kept, read), (reread, 0), "{seed}");
    }
}

#[test]
fn one_thread_and_two_give_the_same_answer() {
    for seed in 0..20 {
        let texts = versions(seed, 60 + 40 * seed as usize);
        let (Opened { index, .. }, _dir) = opened_of(&texts);
        let one = {
            let _taken = index.reader().second_thread().unwrap();
            assert!(index.reader().second_thread().is_none());
            let (answer, subject) = asked(index.reader(), &texts[0], true);
            judged(&index, answer, &subject).0
        };
        assert!(index.reader().second_thread().is_some());
        let (answer, subject) = asked(index.reader(), &texts[0], false);
        assert_eq!(judged(&index, answer, &subject).0, one, "{seed}");
    }
}

#[test]
fn texts_are_measured_while_candidates_are_counted_where_no_other_request_does() {
    let texts = versions(7, 400);
    let (Opened { index, .. }, _dir) = opened_of(&texts);
    let ahead = |is_judged| {
        let (answer, _) = asked(index.reader(), &texts[0], is_judged);
        assert!(answer.hits.len() >= 4, "{}", answer.hits.len());
        (answer.texts.own().is_some(), answer.texts.handed_on().len())
    };
    // All are shown; one is the subject's own.
    assert_eq!(ahead(true), (true, texts.len() - 1));
    assert_eq!(ahead(false), (false, 0));
    let _taken = index.reader().second_thread().unwrap();
    assert_eq!(ahead(true), (false, 0));
}

/// Each of the texts that are kept is judged alike, whether the second thread came to it or not.
#[test]
fn texts_of_hits_that_are_not_shown_are_not_measured() {
    let texts = versions(7, 400);
    let (Opened { index, .. }, _dir) = opened_of(&texts);
    let never = Cancel::never();
    let account = index.reader().memory().requests.account(&never);
    let subject = Subject::from_text(index.reader(), format!("one {}", texts[0]), &account);
    let params = QueryParams {
        judged_by: Some(Arc::new(Model::shipped().unwrap())),
        limit: 2,
        ..similar(SchemeKind::ModN, 0.2)
    };
    let answer = find(index.reader(), &subject.unwrap(), &params, &never).unwrap();
    assert_eq!((answer.hits.len(), answer.texts.handed_on().len()), (2, 2));
    assert!(answer.summary.verified > 2, "{}", answer.summary.verified);
}

#[test]
fn a_question_that_is_cancelled_ends_on_one_thread_and_on_two() {
    let texts = versions(3, 400);
    let (Opened { index, .. }, _dir) = opened_of(&texts);
    let reader = index.reader();
    let (mut answer, _) = asked(reader, &texts[0], true);
    assert_eq!(answer.hits.len(), texts.len());
    let model = Model::shipped().unwrap();
    let cancel = Cancel::never();
    let account = reader.memory().requests.account(&cancel);
    let subject = Subject::from_text(reader, texts[0].clone(), &account).unwrap();
    cancel.cancel();
    let mut is_ended = || {
        let Answer { hits, texts, .. } = &mut answer;
        let ended = judge_hits(&model, reader, &subject, hits.iter_mut(), texts);
        let is_unjudged = hits.iter().all(|hit| hit.judgement.is_none());
        matches!(ended, Err(QueryError::Index(IndexError::Cancelled))) && is_unjudged
    };
    assert!(is_ended());
    let _taken = reader.second_thread().unwrap();
    assert!(is_ended());
}

/// Judgements, as they are sent, for a request about a text whose versions are under the first root.
fn sent(texts: &[String], hidden: &[String]) -> Vec<String> {
    let (Opened { index, writer, .. }, _dir) = opened_of(&texts[1..]);
    let root = writer.add_root(std::path::Path::new("/hidden")).unwrap();
    let changes = hidden
        .iter()
        .enumerate()
        .map(|(number, text)| change_under(index.reader(), root, number, text));
    writer.apply(&changes.collect::<Vec<_>>()).unwrap();
    let (answer, subject) = asked(index.reader(), &texts[0], true);
    let (judged, _) = judged(&index, answer, &subject);
    let line = |judged: Option<JudgingOutcome>| {
        let judgement = judged
            .and_then(JudgingOutcome::judgement)
            .map(encode::judgement);
        serde_json::to_string(&judgement.as_ref().map(lines::Judgement::from)).unwrap()
    };
    judged.into_iter().map(line).collect()
}

/// A score that changes when a document comes or goes that the caller may not see would reveal it.
#[test]
fn judgements_are_byte_for_byte_those_of_a_world_without_the_hidden_root() {
    let mut given = 0;
    for seed in 0..8 {
        let texts = versions(seed, 90 + 60 * seed as usize);
        let without = sent(&texts, &[]);
        given += without.iter().filter(|line| *line != "null").count();
        // Copies and versions of visible documents, and many texts in which their rare words are common.
        let mut hidden = texts.clone();
        hidden.extend((0..30).map(|number| format!("hidden {number} {}", texts[1])));
        assert_eq!(sent(&texts, &hidden), without, "{seed}");
    }
    assert!(given > 4, "{given}");
}
