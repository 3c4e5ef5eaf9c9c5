//! When a judgement is withheld.
//!
//! Answers, evaluations and studies withhold by this one rule, so that figures are those of what is answered.

use crate::class::{Class, Probabilities};
use crate::signal::Signal;
use crate::text::JudgedText;

/// If this much of one document is contained in the other, they are not unrelated, whatever the tree says.
const RELATED: f64 = 0.5;
/// A document of which more than this is contained in another, which has no words in place of what it leaves out
/// ([`MIN_REPLACED`]), is made of it: two of one template have words of their own each.
const HELD: f64 = 0.836;
/// The least balance of the words in which two documents of one template differ: names and amounts are replaced.
const MIN_REPLACED: f64 = 0.589;
/// One document has the numbers of the other ([`MIN_NUMBERS`]), or much of its text.
const LOOSE: f64 = 0.766;
const MIN_NUMBERS: f64 = 0.7;
/// A class with a lower probability than this is not given.
const MIN_PROBABILITY: f64 = 0.5;
/// What sums of shares may be off by.
const ROUNDING: f64 = 1e-9;

/// Why a judgement is withheld.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Doubt {
    /// It calls two documents unrelated, and at least half of one is contained in the other: the model has seen too few
    /// short excerpts of long documents. Or it calls them documents of one template, and almost all of one is contained
    /// in the other, which mostly has more words and not others, and these around the common text. Or it makes both one
    /// document, and they have the same words in another order.
    Contradicted,
    /// Most training pairs under its rule were duplicates, but too few for the rule to call a pair one.
    Divided,
    /// It makes both one document, but the identifiers at their heads differ, as those of serial notices do; or less of
    /// either is contained in the other than of most revisions, and many of their numbers differ.
    NumbersDiffer,
    /// It calls two documents unrelated, and quoted lines were left out of the text of one: they may be of the other.
    Quoting,
    /// Its class is less than half sure.
    Unsure,
}

impl Doubt {
    /// All of these reasons, in their order.
    pub const ALL: [Self; 5] = [
        Self::Contradicted,
        Self::Divided,
        Self::NumbersDiffer,
        Self::Quoting,
        Self::Unsure,
    ];

    /// The name in JSON and tables.
    pub fn name(self) -> &'static str {
        match self {
            Self::Contradicted => "contradicted",
            Self::Divided => "divided",
            Self::NumbersDiffer => "numbers-differ",
            Self::Quoting => "quoting",
            Self::Unsure => "unsure",
        }
    }
}

/// What is known about a pair that no signal tells, and that a judgement must not ignore.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Caveats {
    /// The heads of both documents carry identifiers of one kind that differ.
    pub numbers_differ: bool,
    /// Quoted lines were left out of the text of one document.
    pub is_quoting: bool,
    /// The table of common words knows too few words of one document.
    pub is_foreign: bool,
    /// Both texts have the same words, each as often.
    pub has_same_words: bool,
    /// Both texts hardly differ inside what frames them ([`JudgedText::is_one_inside`]).
    pub is_one_inside: bool,
    /// A word differs inside what frames them ([`JudgedText::differs_inside`]).
    pub differs_inside: bool,
}

impl Caveats {
    /// Those of two texts; whether a document quotes is not known of a text.
    pub fn of(a: &JudgedText, b: &JudgedText) -> Self {
        Self {
            numbers_differ: a.is_numbered_otherwise(b),
            is_quoting: false,
            is_foreign: a.is_foreign() || b.is_foreign(),
            has_same_words: a.has_same_words(b),
            is_one_inside: a.is_one_inside(b),
            differs_inside: a.differs_inside(b),
        }
    }
}

/// The class that is answered where a rule leads to this one. Most pairs under a rule that says *same* are mirrors and
/// printer versions; a contract with another amount is hardly less alike. So two documents are called the same only if
/// nothing differs but words around what they have in common; otherwise they are versions, which claims less.
pub(crate) fn answered(class: Class, caveats: Caveats) -> Class {
    match class {
        Class::Same if caveats.differs_inside => Class::Version,
        class => class,
    }
}

/// The signal that a judgement of this class is held against, where at most this share of either document is contained in
/// the other; `None` if it is held against none.
pub(crate) fn asks_for(class: Class, containment_most: f64) -> Option<Signal> {
    match class {
        Class::Same | Class::Version if containment_most <= LOOSE => Some(Signal::OwnNumbers),
        Class::TemplateOnly if containment_most > HELD => Some(Signal::DifferenceBalance),
        _ => None,
    }
}

/// Why the judgement of this class by these probabilities is withheld from a pair of which at most this share of either
/// document is contained in the other; `None` if it is given. `asked` is the value of the signal that [`asks_for`] names.
pub(crate) fn of(
    class: Class,
    likely: &Probabilities,
    containment_most: f64,
    asked: Option<f64>,
    caveats: Caveats,
) -> Option<Doubt> {
    let is_unrelated = class == Class::Unrelated;
    let asked = asks_for(class, containment_most).zip(asked);
    let differ = matches!(asked, Some((Signal::OwnNumbers, shared)) if shared <= MIN_NUMBERS);
    let only_has_more =
        matches!(asked, Some((Signal::DifferenceBalance, balance)) if balance <= MIN_REPLACED);
    let is_made_of_it = only_has_more && caveats.is_one_inside;
    let is_sorted_otherwise =
        class.is_duplicate() && containment_most <= LOOSE && caveats.has_same_words;
    let found = [
        (
            class.is_duplicate() && (caveats.numbers_differ || differ),
            Doubt::NumbersDiffer,
        ),
        (is_divided(class, likely), Doubt::Divided),
        (
            is_unrelated && containment_most >= RELATED || is_made_of_it || is_sorted_otherwise,
            Doubt::Contradicted,
        ),
        (is_unrelated && caveats.is_quoting, Doubt::Quoting),
        (is_unsure(class, likely), Doubt::Unsure),
    ];
    first(found)
}

/// Why a rule with this class and these probabilities judges no pair; `None` if it judges pairs.
pub(crate) fn of_rule(class: Class, likely: &Probabilities) -> Option<Doubt> {
    first([
        (is_divided(class, likely), Doubt::Divided),
        (is_unsure(class, likely), Doubt::Unsure),
    ])
}

/// By Laplace's rule duplicates are more likely than not where most of the training pairs were.
fn is_divided(class: Class, likely: &Probabilities) -> bool {
    !class.is_duplicate() && likely.duplicates() > 0.5 + ROUNDING
}

fn is_unsure(class: Class, likely: &Probabilities) -> bool {
    likely.claimed(class) < MIN_PROBABILITY - ROUNDING
}

/// The first doubt that there is.
fn first<const N: usize>(found: [(bool, Doubt); N]) -> Option<Doubt> {
    let mut found = found.into_iter();
    found.find_map(|(is_so, doubt)| is_so.then_some(doubt))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::class::Counts;

    fn doubt(class: Class, counts: [u32; 4], containment: f64, caveats: Caveats) -> Option<Doubt> {
        of(
            class,
            &Counts(counts).probabilities(),
            containment,
            None,
            caveats,
        )
    }

    const NONE: Caveats = Caveats {
        numbers_differ: false,
        is_quoting: false,
        is_foreign: false,
        has_same_words: false,
        is_one_inside: false,
        differs_inside: false,
    };

    #[test]
    fn documents_are_the_same_only_where_nothing_differs_but_their_frames() {
        let clause =
            "each party shall bear its own costs of this settlement and waives all others "
                .repeat(6);
        let offer = |sum: &str| format!("{clause} the claim is settled for {sum} pounds {clause}");
        let differs = |a: &str, b: &str| {
            let [a, b] = [a, b].map(JudgedText::new);
            let caveats = Caveats::of(&a, &b);
            assert_eq!(caveats.differs_inside, Caveats::of(&b, &a).differs_inside);
            caveats.differs_inside
        };
        let plain = offer("184,220");
        let framed = format!("news of a firm {plain} all rights reserved");
        assert!(!differs(&plain, &plain) && !differs(&plain, &framed));
        assert!(differs(&plain, &offer("48,500")));
        assert!(differs(&plain, &offer("nearly 184,220")));
        assert!(!differs(&plain, &format!("{framed} page 17")));
        assert!(differs(
            &plain,
            &"something else altogether, at some length too ".repeat(9)
        ));
        let differing = Caveats {
            differs_inside: true,
            ..NONE
        };
        assert_eq!(answered(Class::Same, NONE), Class::Same);
        assert_eq!(answered(Class::Same, differing), Class::Version);
        assert_eq!(answered(Class::Unrelated, differing), Class::Unrelated);
    }

    #[test]
    fn one_document_is_doubted_where_numbers_differ() {
        let numbered = Caveats {
            numbers_differ: true,
            ..NONE
        };
        let version = |caveats| doubt(Class::Version, [0, 40, 1, 0], 0.9, caveats);
        assert_eq!(version(NONE), None);
        assert_eq!(version(numbered), Some(Doubt::NumbersDiffer));
        let template = doubt(Class::TemplateOnly, [0, 1, 40, 0], 0.9, numbered);
        assert_eq!(template, None);
    }

    #[test]
    fn a_class_is_doubted_where_most_pairs_were_duplicates_or_none_is_likely() {
        let template = |counts| doubt(Class::TemplateOnly, counts, 0.9, NONE);
        assert_eq!(template([19, 27, 24, 0]), Some(Doubt::Divided));
        assert_eq!(template([0, 3, 5, 4]), Some(Doubt::Unsure));
        // That it is a version, at least, is likely enough.
        assert_eq!(doubt(Class::Version, [50, 49, 1, 0], 0.9, NONE), None);
        // So it is whatever the pair is, and told with the rule.
        let rule = |class, counts| of_rule(class, &Counts(counts).probabilities());
        let template = |counts| rule(Class::TemplateOnly, counts);
        assert_eq!(template([19, 27, 24, 0]), Some(Doubt::Divided));
        assert_eq!(template([0, 3, 5, 4]), Some(Doubt::Unsure));
        assert_eq!(rule(Class::Version, [50, 49, 1, 0]), None);
    }

    #[test]
    fn unrelated_is_doubted_where_one_holds_the_other_or_may() {
        let quoting = Caveats {
            is_quoting: true,
            ..NONE
        };
        let unrelated =
            |containment, caveats| doubt(Class::Unrelated, [0, 0, 1, 40], containment, caveats);
        assert_eq!(unrelated(0.49, NONE), None);
        assert_eq!(unrelated(0.5, NONE), Some(Doubt::Contradicted));
        assert_eq!(unrelated(0.1, quoting), Some(Doubt::Quoting));
    }

    #[test]
    fn one_template_is_doubted_where_one_text_holds_the_other_and_only_has_more() {
        let likely = Counts([0, 1, 40, 0]).probabilities();
        let inside = Caveats {
            is_one_inside: true,
            ..NONE
        };
        let template =
            |contained, balance| of(Class::TemplateOnly, &likely, contained, balance, inside);
        let differs_inside = of(Class::TemplateOnly, &likely, 0.92, Some(0.1), NONE);
        assert_eq!(differs_inside, None);
        assert_eq!(template(0.92, Some(0.1)), Some(Doubt::Contradicted));
        assert_eq!(template(0.92, Some(0.9)), None);
        assert_eq!(template(0.92, None), None);
        assert_eq!(template(0.8, Some(0.1)), None);
        assert_eq!(asks_for(Class::TemplateOnly, 0.8), None);
    }

    #[test]
    fn one_document_is_doubted_where_little_is_contained_and_numbers_differ() {
        let likely = Counts([0, 40, 1, 0]).probabilities();
        let version = |contained, numbers| of(Class::Version, &likely, contained, numbers, NONE);
        assert_eq!(version(0.7, Some(0.5)), Some(Doubt::NumbersDiffer));
        assert_eq!(version(0.7, Some(0.9)), None);
        assert_eq!(version(0.7, None), None);
        assert_eq!(version(0.8, Some(0.5)), None);
        assert_eq!(asks_for(Class::Unrelated, 0.7), None);
    }

    #[test]
    fn one_document_is_doubted_where_the_same_words_stand_in_another_order() {
        let likely = Counts([0, 40, 1, 0]).probabilities();
        let same_words = Caveats {
            has_same_words: true,
            ..NONE
        };
        let version = |contained, caveats| of(Class::Version, &likely, contained, None, caveats);
        assert_eq!(version(0.3, same_words), Some(Doubt::Contradicted));
        assert_eq!(version(0.3, NONE), None);
        // A clause was moved.
        assert_eq!(version(0.9, same_words), None);
    }

    #[test]
    fn names_are_distinct() {
        let names: std::collections::BTreeSet<_> = Doubt::ALL.map(Doubt::name).into();
        assert_eq!(names.len(), Doubt::ALL.len());
    }
}
