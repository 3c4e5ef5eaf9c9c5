//! Model files, and walks through a tree.

use std::cell::Cell;
use std::convert::Infallible;
use std::rc::Rc;

use super::*;
use crate::signal::compression;

const FILE: &str = "simdex-judge 3
name a test
note 7 pairs
resemblance <= 0.5
  unrelated 0 0 1 2
  mcd <= 0.125
    same 3 0 0 0
    resemblance <= 0.75
      template-only 0 0 9 0
      version 0 1 0 0
";

fn text(of: &str) -> Rc<JudgedText> {
    Rc::new(JudgedText::new(of))
}

fn known(resemblance: f64) -> KnownSignals {
    KnownSignals {
        resemblance,
        ..KnownSignals::default()
    }
}

#[test]
fn a_file_is_read_and_written_as_it_was() {
    let model = Model::parse(FILE).unwrap();
    assert_eq!(model.to_string(), FILE);
    assert_eq!((&*model.id().name, model.note()), ("a test", "7 pairs"));
    assert_eq!(&model.id().hash, blake3::hash(FILE.as_bytes()).as_bytes());
    let other = Model::parse(&FILE.replace("0.125", "0.126")).unwrap();
    assert_ne!(other.id(), model.id());
}

/// A tree that asks for these signals of every pair.
fn asking(signals: &[&str]) -> Model {
    let mut file = "simdex-judge 3\nname a test\nnote none\n".to_owned();
    for (depth, signal) in signals.iter().enumerate() {
        // No distance is above 9.
        file += &format!("{:1$}{signal} <= 9\n", "", 2 * depth);
    }
    file += &format!("{:1$}same 1 0 0 0\n", "", 2 * signals.len());
    for depth in (1..=signals.len()).rev() {
        file += &format!("{:1$}version 0 1 0 0\n", "", 2 * depth);
    }
    Model::parse(&file).unwrap()
}

/// Counts of work: twenty hits against one query, as a question judges them.
#[test]
fn what_belongs_to_the_query_is_compressed_once_for_all_hits() {
    let words = |from: usize, count: usize| -> String {
        (from..from + count)
            .map(|at| format!("word{at} "))
            .collect()
    };
    for (signals, compressions) in [
        (
            &["same-title", "simhash-distance", "tf-idf-distance"][..],
            0,
        ),
        // c(A) of each and c(AB); c(AA) of each and c(AB).
        (&["ncd"], 1 + 20 * 2),
        (&["mcd"], 1 + 20 * 2),
        (&["ncd", "mcd"], 2 + 20 * 3),
        // c(AA) of the query, and c(AB) and c(BB) with B the passage.
        (&["snippet-mcd"], 1 + 20 * 2),
    ] {
        let model = asking(signals);
        let query = text(&words(0, 200));
        let before = compression::made::so_far();
        for hit in 0..20 {
            let other = text(&words(10 + hit, 400));
            let texts = || Ok::<_, Infallible>([Rc::clone(&query), other]);
            let Ok(judged) = model.judge(&known(0.6), texts);
            assert_eq!(judged.signals.len(), signals.len());
        }
        let made = compression::made::so_far() - before;
        assert_eq!(made, compressions, "{signals:?}");
    }
}

/// Counts of work.
#[test]
fn what_was_measured_ahead_is_not_measured_again_and_judged_as_it_would_be() {
    let words = |from: usize| -> String {
        let words = (from..from + 300).map(|at| format!("the word{at} of "));
        words.collect()
    };
    let of_all = asking(&["own-words", "difference-rarity", "tf-idf-distance", "mcd"]);
    for (model, compressions) in [(of_all, 3), (Model::shipped().unwrap(), 0)] {
        for resemblance in [0.05, 0.6, 0.96, 0.999] {
            let known = KnownSignals {
                containments: [resemblance; 2],
                ..known(resemblance)
            };
            let both = || [text(&words(0)), text(&words(20))];
            let (texts, together) = (both(), Together::default());
            let before = compression::made::so_far();
            model.measure_ahead(&known, texts.each_ref().map(Rc::as_ref), &together);
            let made = compression::made::so_far() - before;
            assert!(made >= compressions, "{made}");
            let measured = together.measured();
            let Ok(ahead) = model.judge_measured(&known, &together, || Ok::<_, Infallible>(texts));
            assert_eq!(compression::made::so_far() - before, made);
            assert_eq!(together.measured(), measured, "{resemblance}");
            let Ok(plain) = model.judge(&known, || Ok::<_, Infallible>(both()));
            assert_eq!(ahead, plain, "{resemblance}");
        }
    }
}

#[test]
fn nothing_is_measured_ahead_that_may_depend_on_where_files_are() {
    let model = asking(&["own-words", "same-folder", "mcd"]);
    let both = ["the wording of it", "the wording of that"].map(text);
    let before = compression::made::so_far();
    let together = Together::default();
    model.measure_ahead(&known(0.6), both.each_ref().map(Rc::as_ref), &together);
    let is_measured = |signal: Signal| together.measured()[signal.index()];
    assert!(is_measured(Signal::OwnWords) && !is_measured(Signal::Mcd));
    assert_eq!(compression::made::so_far(), before);
}

#[test]
fn texts_are_asked_for_only_when_a_signal_needs_them() {
    let model = Model::parse(FILE).unwrap();
    let asked = Cell::new(0);
    let texts = || {
        asked.set(asked.get() + 1);
        Ok::<_, Infallible>([text("one two three four"), text("nothing of that at all")])
    };
    let Ok(far) = model.judge(&known(0.3), texts);
    assert_eq!((far.class, asked.get()), (Class::Unrelated, 0));
    assert_eq!(far.model.as_ref(), Some(model.id()));
    assert_eq!(far.probability, 3.0 / 7.0);
    assert_eq!(far.signals, [(Signal::Resemblance, Some(0.3))]);
    assert_eq!(far.rule.unwrap().to_string(), "resemblance <= 0.5");
    let Ok(near) = model.judge(&known(0.9), texts);
    assert_eq!((near.class, asked.get()), (Class::Version, 1));
    let rule = near.rule.unwrap();
    assert_eq!(rule.number, 4);
    assert_eq!(rule.to_string(), "resemblance > 0.75 and mcd > 0.125");
    let computed: Vec<_> = near.signals.iter().map(|(signal, _)| *signal).collect();
    assert_eq!(computed, [Signal::Resemblance, Signal::Mcd]);
}

#[test]
fn a_rule_says_which_of_its_signals_has_no_value() {
    let file = FILE.replace("mcd <= 0.125", "first-own-words <= 0.125");
    let model = Model::parse(&file).unwrap();
    let judged = |of: &str| {
        let Ok(judged) = model.judge(&known(0.7), || Ok::<_, Infallible>([text(of), text(of)]));
        judged
    };
    // The table of common words has all of these.
    let judgement = judged("of the and to");
    assert_eq!(
        judgement.signals,
        [
            (Signal::Resemblance, Some(0.7)),
            (Signal::FirstOwnWords, None)
        ]
    );
    let rule = judgement.rule.unwrap();
    assert_eq!(
        rule.to_string(),
        "0.5 < resemblance <= 0.75 and first-own-words not known"
    );
    // The leaf is that of training pairs without own words, whose value was halfway.
    assert_eq!((rule.number, judgement.class), (3, Class::TemplateOnly));
    let foreign = judged("zzder zzvertrag zzgilt zzab zzdem zzmai")
        .rule
        .unwrap();
    assert_eq!(
        foreign.to_string(),
        "0.5 < resemblance <= 0.75 and first-own-words not known; \
         2 rules apply (2 to 3), each with the weight of its training pairs"
    );
    // Its branch has 10 of 13 pairs.
    assert_eq!(foreign.number, 3);
    let rule = judged("the zinc smelter of the quarterly and to the company")
        .rule
        .unwrap();
    assert_eq!(
        rule.to_string(),
        "0.5 < resemblance <= 0.75 and first-own-words > 0.125"
    );
}

/// C4.5 by hand: one signal without a value, two leaves.
#[test]
fn a_pair_without_a_value_follows_both_branches_by_their_training_pairs() {
    let judged = |low: &str, high: &str| {
        let file = FILE
            .replace("mcd <= 0.125", "first-own-words <= 0.125")
            .replace("same 3 0 0 0", low)
            .replace("version 0 1 0 0", "version 0 0 0 0")
            .replace("template-only 0 0 9 0", high);
        let model = Model::parse(&file).unwrap();
        let foreign = "zzder zzvertrag zzgilt zzab zzdem zzmai";
        let longer = format!("{foreign} zzam");
        let texts = || Ok::<_, Infallible>([text(foreign), text(&longer)]);
        let Ok(judged) = model.judge(&known(0.7), texts);
        let mut values = Values::unknown();
        values.0[Signal::Resemblance.index()] = Some(0.7);
        let caveats = Caveats {
            is_foreign: true,
            ..Caveats::default()
        };
        let answered = model.answer(&values, caveats);
        assert_eq!(
            (answered.class, answered.doubt),
            (judged.class, judged.doubt)
        );
        assert_eq!(answered.likely.claimed(judged.class), judged.probability);
        judged
    };
    // A quarter of the pairs was low: 31/34 of them the same; of the others 91/94 a template.
    let divided = judged("same 30 0 0 0", "template-only 0 0 90 0");
    assert_eq!(divided.class, Class::TemplateOnly);
    let by_hand = 0.25 / 34.0 + 0.75 * 91.0 / 94.0;
    assert!((divided.probability - by_hand).abs() < 1e-9, "{divided:?}");
    // No leaf says so, and both together do.
    let version = judged("same 30 0 0 0", "version 0 90 0 0");
    assert_eq!((version.class, version.doubt), (Class::Version, None));
    let by_hand = 0.25 * 32.0 / 34.0 + 0.75 * 92.0 / 94.0;
    assert!((version.probability - by_hand).abs() < 1e-9, "{version:?}");
    // As many duplicates as others: no judgement.
    let open = judged("same 90 0 0 0", "template-only 0 0 30 0");
    assert_eq!(open.doubt, Some(Doubt::Divided));
    // They agree.
    let agreed = judged("same 30 0 0 0", "same 90 9 0 0");
    assert_eq!(agreed.class, Class::Same);
    // Nobody was ever sent to the one side.
    let one = judged("same 0 0 0 0", "template-only 0 0 90 0");
    assert_eq!(
        (one.class, one.rule.unwrap().number),
        (Class::TemplateOnly, 3)
    );
}

/// The purpose: in a language that the table of common words does not know, three signals have no value, and the shipped
/// model must not be sure of what they would have told.
#[test]
fn the_shipped_model_is_not_sure_where_own_words_are_not_known() {
    let model = Model::shipped().unwrap();
    let clauses = |price: u32, more: &str| {
        let clause = |at: u32| {
            format!(
                "zzder zzkäufer{at} zzzahlt{at} zzden zzpreis{at} zzvon zzeuro zzbinnen{at} zzfrist{at}. "
            )
        };
        let rest: String = (0..120).map(clause).collect();
        format!("zzvertrag zzüber zzlieferung zzzum zzpreis zzvon {price} zzeuro. {rest}{more}")
    };
    let judged = |a: &str, b: &str, contained: [f64; 2]| {
        let known = KnownSignals {
            lengths: [a.len() as u64, b.len() as u64],
            resemblance: contained[0].min(contained[1]),
            containments: contained,
            ..KnownSignals::default()
        };
        let Ok(judged) = model.judge(&known, || Ok::<_, Infallible>([text(a), text(b)]));
        judged
    };
    let contract = clauses(4200, "");
    let longer = clauses(4200, &"zzneu zzist zzdiese zzganze zzklausel. ".repeat(12));
    let inserted = judged(&contract, &longer, [0.94, 0.85]);
    assert!(
        inserted.doubt.is_some() || inserted.probability < 0.9,
        "{inserted:?}"
    );
    let repriced = judged(&contract, &clauses(5100, ""), [0.99, 0.99]);
    assert_ne!(repriced.class, Class::Same, "{repriced:?}");
}

#[test]
fn rules_are_numbered_as_the_judgement_says() {
    let model = Model::parse(FILE).unwrap();
    let rules = model.rules();
    assert_eq!(rules.len(), 4);
    for (at, counted) in rules.iter().enumerate() {
        assert_eq!(counted.rule.number as usize, at + 1);
    }
    assert_eq!(
        rules[2].rule.to_string(),
        "0.5 < resemblance <= 0.75 and mcd > 0.125"
    );
    assert_eq!(model.signals(), [Signal::Resemblance, Signal::Mcd]);
}

#[test]
fn a_leaf_that_claims_less_than_its_pairs_are_is_contested() {
    let judged = |leaf: &str| {
        let model = Model::parse(&FILE.replace("unrelated 0 0 1 2", leaf)).unwrap();
        let none = || Ok::<[Rc<JudgedText>; 2], Infallible>([text(""), text("")]);
        let Ok(judged) = model.judge(&known(0.3), none);
        (judged.class, judged.doubt == Some(Doubt::Divided))
    };
    assert_eq!(judged("template-only 4 4 7 0"), (Class::TemplateOnly, true));
    assert_eq!(
        judged("template-only 3 4 7 0"),
        (Class::TemplateOnly, false)
    );
    assert_eq!(judged("version 0 4 3 0"), (Class::Version, false));
    assert_eq!(Judgement::of_one_text().doubt, None);
}

#[test]
fn one_document_by_the_tree_is_none_where_the_numbers_differ() {
    let model = Model::parse(&FILE.replace("unrelated 0 0 1 2", "version 0 4 0 0")).unwrap();
    let judged = |a: &str, b: &str, resemblance: f64| {
        let texts = || Ok::<[Rc<JudgedText>; 2], Infallible>([text(a), text(b)]);
        let Ok(judged) = model.judge(&known(resemblance), texts);
        (judged.class, judged.doubt == Some(Doubt::NumbersDiffer))
    };
    let [a, b] = ["note 1715 on a lease", "note 1716 on a lease"];
    assert_eq!(judged(a, b, 0.3), (Class::Version, true));
    assert_eq!(judged(a, a, 0.3), (Class::Version, false));
    let (class, differ) = judged(a, b, 0.7);
    assert_eq!(differ, class.is_duplicate());
}

#[test]
fn a_damaged_file_is_refused_with_its_line() {
    let refused = |from: &str, to: &str| {
        let damaged = FILE.replacen(from, to, 1);
        assert_ne!(damaged, FILE);
        Model::parse(&damaged).unwrap_err().to_string()
    };
    assert!(refused("simdex-judge 3", "simdex-judge 1").starts_with("the model is of version 1"));
    assert!(refused("simdex-judge", "other").starts_with("the file is no model"));
    assert!(refused("name ", "nmae ").starts_with("line 2 is not `name`"));
    assert!(refused("mcd <=", "md5 <=").starts_with("line 6 is not a signal"));
    assert!(refused("0.125", "NaN").starts_with("line 6"));
    assert!(refused("  unrelated", " unrelated").starts_with("line 5 is not indented"));
    assert!(refused("1 0 0\n", "1 0\n").starts_with("line 10 is not a test"));
    assert!(refused("3 0 0 0", "3 0 0 -1").starts_with("line 7"));
    assert!(refused("      version 0 1 0 0\n", "").starts_with("the model ends where line 10"));
    let longer = format!("{FILE}same 0 0 0 0\n");
    assert_eq!(Model::parse(&longer), Err(ModelError::Beyond(11)));
    let deep: String = (0..40)
        .map(|depth| format!("{:1$}mcd <= 0\n", "", 2 * depth))
        .collect();
    let deep = format!("simdex-judge 3\nname a\nnote b\n{deep}");
    assert_eq!(Model::parse(&deep), Err(ModelError::TooDeep(37)));
    assert_eq!(Model::parse(""), Err(ModelError::NoModel));
    assert_eq!(Model::parse(&"x".repeat(2 << 20)), Err(ModelError::TooLong));
}

#[test]
fn the_shipped_model_is_read_and_lets_no_place_decide() {
    let model = Model::shipped().unwrap();
    assert_eq!(model.id().name, Model::SHIPPED);
    // The hash is that of exactly this file.
    assert_eq!(
        &model.id().hash,
        blake3::hash(SHIPPED.as_bytes()).as_bytes()
    );
    assert!(
        model
            .signals()
            .into_iter()
            .all(|signal| !signal.is_of_place())
    );
    assert!(model.rules().len() > 4);
}
