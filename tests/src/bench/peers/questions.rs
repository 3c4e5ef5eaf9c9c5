//! Questions about stored documents, each with the documents that answer it, by counting all windows of every text.

use std::collections::BTreeSet;

use simdex_oracle::Asked;
use simdex_signature::CanonicalText;

use crate::corpus::{Kind, Planted, Random};

/// Least ratio of what is to be found.
pub(super) const THRESHOLD: f64 = 0.8;

/// What is asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Relation {
    /// Documents that resemble the one asked about.
    Similar,
    /// Documents that contain the one asked about.
    Containing,
}

impl Relation {
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Similar => "similar",
            Self::Containing => "containing",
        }
    }
}

/// A question about a stored document.
pub(super) struct Question {
    pub(super) number: u64,
    pub(super) kind: Kind,
    pub(super) text: String,
    /// The other documents that answer it.
    pub(super) truth: BTreeSet<u64>,
}

/// All questions of one relation.
pub(super) struct Questions {
    pub(super) relation: Relation,
    pub(super) all: Vec<Question>,
}

impl Questions {
    /// Questions about documents drawn at random, at most so many, whose answers are to be found yet: all are asked
    /// what resembles them, originals and excerpts what contains them.
    pub(super) fn draw(planted: &Planted, relation: Relation, most: usize) -> Self {
        let is_asked = |number: &u64| match relation {
            Relation::Similar => true,
            Relation::Containing => {
                matches!(planted.kind(*number), Kind::Original | Kind::Excerpt(_))
            }
        };
        let mut numbers: Vec<u64> = (0..planted.documents()).filter(is_asked).collect();
        let mut random = Random::new(planted.documents(), most as u64);
        numbers.sort_by_cached_key(|_| random.next());
        numbers.truncate(most);
        let question = |number| Question {
            number,
            kind: planted.kind(number),
            text: planted.text(number),
            truth: BTreeSet::new(),
        };
        let all = numbers.into_iter().map(question).collect();
        Self { relation, all }
    }

    /// Finds the answers among all documents, planted or not.
    pub(super) fn find_answers(of: &mut [Self], planted: &Planted) {
        let canonical = |question: &Question| CanonicalText::from_extracted(&question.text);
        let texts = of
            .iter()
            .map(|questions| questions.all.iter().map(canonical).collect());
        let texts: Vec<Vec<CanonicalText>> = texts.collect();
        let asked: Vec<Asked<'_>> = texts.iter().map(|texts| Asked::of(texts)).collect();
        for number in 0..planted.documents() {
            let other = CanonicalText::from_extracted(&planted.text(number));
            for (questions, asked) in of.iter_mut().zip(&asked) {
                for (place, ratios) in asked.contained_in(&other, THRESHOLD) {
                    let question = &mut questions.all[place];
                    let is_answer = match questions.relation {
                        Relation::Similar => ratios.resemblance >= THRESHOLD,
                        Relation::Containing => true,
                    };
                    if is_answer && question.number != number {
                        question.truth.insert(number);
                    }
                }
            }
        }
    }
}
