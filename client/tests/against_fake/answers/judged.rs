//! Judgements, as far as a request asks for them.

use simdex_client::wire::{Group, JudgedClass, Judgement, Match, NotJudged, Pair, SignalValue};

use super::{judge_model, pair};

/// Results for which each canned one stands where the first ones of a list are judged: the second is beyond them.
const STANDS_FOR: u64 = 1_000;

pub(crate) fn judgement() -> Judgement {
    let signal = |name: &str, value| SignalValue {
        name: name.to_owned(),
        value,
    };
    Judgement {
        class: JudgedClass::TemplateOnly.into(),
        probability: 0.875,
        rule_number: 4,
        rule: "resemblance > 0.5 and mcd <= 0.25".to_owned(),
        signals: vec![
            signal("resemblance", Some(0.75)),
            signal("mcd", Some(0.125)),
            signal("same-title", None),
        ],
        model: Some(judge_model()),
    }
}

/// A match as it is without a judgement.
pub(crate) fn unjudged(found: Match) -> Match {
    Match {
        judgement: None,
        ..found
    }
}

/// Two pairs, judged as `with_judgement` and `judge_first` say.
pub(crate) fn judged_pairs(judging: (bool, u64)) -> Vec<Pair> {
    let judged = |at| {
        let (judgement, not_judged) = outcome(at, judging);
        Pair {
            judgement,
            not_judged,
            ..pair()
        }
    };
    (0..2).map(judged).collect()
}

/// A star of which all files but the principal are judged as `with_judgement` and `judge_first` say.
pub(crate) fn judged_group(mut group: Group, judging: (bool, u64)) -> Group {
    for (at, member) in group.members.iter_mut().skip(1).enumerate() {
        (member.judgement, member.not_judged) = outcome(at as u64, judging);
    }
    Group {
        judged_apart: judging.0.then_some(true),
        ..group
    }
}

fn outcome(at: u64, (with_judgement, first): (bool, u64)) -> (Option<Judgement>, i32) {
    match with_judgement {
        false => (None, 0),
        true if first > 0 && at * STANDS_FOR >= first => (None, NotJudged::BeyondFirst.into()),
        true => (Some(judgement()), 0),
    }
}
