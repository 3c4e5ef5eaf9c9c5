//! Labelled pairs of documents, for training and evaluating judgements.
//!
//! Kinds and classes follow the instructions to the raters of Huffman et al. 2007, §4, whose duplicates are our
//! `same` and `version`. [`cases`] makes pairs of every kind from any texts; [`generated`] runs it on texts of
//! its own, the same on every machine; [`real`] on real texts, and adds pairs whose truth is known from where
//! they come: version histories, pages of one template, serial notices, one text in several formats. Pairs of
//! one canonical text are left out: they are trivial to judge (ibid., §4).
//!
//! A model is tested on sources, or on whole families of them, that it has not seen ([`sources`]).
//!
//! Labels of the generated kinds are ours, by construction, and no rater's.

use std::rc::Rc;

use simdex_judge::evaluation::SourcedPair;
use simdex_judge::measure::Values;
use simdex_judge::signal::KnownSignals;
use simdex_judge::training::LabelledSignals;
use simdex_judge::{Caveats, Class, JudgedText};
use simdex_signature::{CanonicalText, Ratio, ShingleSet, Window};

pub mod cases;
pub mod collection;
mod entry;
pub mod generated;
mod prose;
pub mod real;
mod records;
pub mod sources;
pub mod standard;
mod tongue;

pub use prose::{Prose, wrapped};
pub(crate) use prose::{Vocabulary, name};
pub use tongue::Tongue;

/// A document of a pair. Fetched is what its own bytes say; shown is what a reader sees once frames are
/// filled in and redirections followed. Most documents are shown as they were fetched.
#[derive(Clone, Debug)]
pub struct Document {
    shown: Rc<JudgedText>,
    fetched: Rc<JudgedText>,
}

impl Document {
    /// A document that is shown as it was fetched.
    pub fn new(text: &str) -> Self {
        let text = Rc::new(JudgedText::new(text));
        Self {
            shown: Rc::clone(&text),
            fetched: text,
        }
    }

    /// A frameset or a redirecting page beside what is shown of it.
    pub fn filled_in(fetched: &str, shown: &str) -> Self {
        Self {
            shown: Rc::new(JudgedText::new(shown)),
            fetched: Rc::new(JudgedText::new(fetched)),
        }
    }

    /// The text of a body.
    pub fn text(&self, body: Body) -> &JudgedText {
        match body {
            Body::Shown => &self.shown,
            Body::Fetched => &self.fetched,
        }
    }
}

/// Which body of a page is compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Body {
    /// Frames filled in, redirections followed: the paper's rendered body.
    Shown,
    /// The bytes of the page alone.
    Fetched,
}

/// A pair with its label.
#[derive(Clone, Debug)]
pub struct LabelledPair {
    /// What it is a case of, such as `printer`.
    pub kind: &'static str,
    /// Where it comes from. Pairs of one source are never on both sides of a fold. Once [`sources::part`] has seen
    /// the pairs, no document of one source is a near-duplicate of one of another.
    pub source: u64,
    /// The history, the template or the site whose manner the pair has: sources of one family are of one make, though
    /// their documents differ.
    pub family: u64,
    /// What the documents are to each other.
    pub class: Class,
    /// The two documents of the pair.
    pub documents: [Document; 2],
}

impl LabelledPair {
    /// What no signal tells of one body.
    pub fn caveats(&self, body: Body) -> Caveats {
        let [a, b] = [0, 1].map(|side| self.documents[side].text(body));
        Caveats::of(a, b)
    }

    /// The measured signals of one body; `None` where both texts are one, or one of them has no shingle: such
    /// pairs are not judged.
    pub fn values(&self, body: Body) -> Option<Values> {
        let [a, b] = [0, 1].map(|side| self.documents[side].text(body));
        let (of_a, of_b) = (a.canonical(), b.canonical());
        if of_a == of_b {
            return None;
        }
        let known = known(of_a, of_b)?;
        Some(Values::measured(&known, a, b))
    }

    /// The measured signals of one body of each document, whatever is in it: where one of them has no shingle they have
    /// none in common, and two that are one text have all.
    pub fn values_of(&self, bodies: [Body; 2]) -> Values {
        let [a, b] = [0, 1].map(|side| self.documents[side].text(bodies[side]));
        let (of_a, of_b) = (a.canonical(), b.canonical());
        let alike = f64::from(u8::from(of_a == of_b));
        let without = || KnownSignals {
            lengths: [of_a, of_b].map(|text| text.as_bytes().len() as u64),
            resemblance: alike,
            containments: [alike; 2],
            ..KnownSignals::default()
        };
        let known = known(of_a, of_b).unwrap_or_else(without);
        Values::measured(&known, a, b)
    }
}

/// The numbers of two texts; `None` where one of them has no shingle.
fn known(a: &CanonicalText, b: &CanonicalText) -> Option<KnownSignals> {
    let [of_a, of_b] = [a, b].map(|text| ShingleSet::new(text, Window::DEFAULT));
    let of_first = of_a.containment_in(&of_b).map(Ratio::get)?;
    let of_second = of_b.containment_in(&of_a).map(Ratio::get)?;
    Some(KnownSignals {
        lengths: [a, b].map(|text| text.as_bytes().len() as u64),
        resemblance: of_a.resemblance(&of_b).map(Ratio::get)?,
        containments: [of_first, of_second],
        ..KnownSignals::default()
    })
}

/// The pairs that a question would bring up, measured. Others are not judged, unless somebody asks for less;
/// unrelated pairs are kept for that.
pub fn measured(pairs: &[LabelledPair], body: Body) -> Vec<(&LabelledPair, SourcedPair)> {
    let measured = pairs.iter().filter_map(|pair| {
        let values = pair.values(body)?;
        if pair.class != Class::Unrelated && !is_candidate(&values) {
            return None;
        }
        let class = pair.class;
        let pair_of = LabelledSignals { values, class };
        let source = pair.source;
        Some((
            pair,
            SourcedPair {
                pair: pair_of,
                source,
                caveats: pair.caveats(body),
            },
        ))
    });
    measured.collect()
}

/// These pairs, with their families in place of their sources.
pub fn by_family(pairs: &[(&LabelledPair, SourcedPair)]) -> Vec<SourcedPair> {
    let of_family = |(pair, measured): &(&LabelledPair, SourcedPair)| SourcedPair {
        source: pair.family,
        ..measured.clone()
    };
    pairs.iter().map(of_family).collect()
}

/// Whether a question would bring the pair up: its resemblance reaches 0.1 or a containment 0.5, the thresholds
/// of questions where nothing else is asked.
pub fn is_candidate(values: &Values) -> bool {
    use simdex_judge::Signal::{ContainmentMost, Resemblance};
    values.get(Resemblance) >= Some(0.1) || values.get(ContainmentMost) >= Some(0.5)
}
