//! The decision tree that judges pairs, and its file.
//!
//! A model file is a text that people can read and check. Its head has the version, the name of the model and what it
//! was trained on; the tree follows, indented by two spaces for each level. A test precedes its two branches: that of
//! the pairs at or below the threshold, then that of the pairs above. A leaf has its class and the number of training
//! pairs of each class that ended there, in the order of [`Class::ALL`]. Its class need not be that of most of them: a
//! leaf that calls pairs duplicates needs a minimum precision ([`crate::training`]):
//!
//! ```text
//! simdex-judge 3
//! name shipped
//! note 5120 pairs of 212 sources
//! resemblance <= 0.5
//!   unrelated 0 2 31 400
//!   mcd <= 0.125
//!     same 210 11 0 0
//!     version 9 350 4 0
//! ```
//!
//! Reading is strict: a file with a line that is not understood is refused.

mod read;
mod walk;
mod write;

use std::cell::Cell;
use std::fmt;
use std::sync::Arc;

use crate::class::{Class, Counts, Probabilities};
use crate::doubt::{self, Caveats, Doubt};
use crate::measure::{self, Together, Values};
use crate::rule::{CountedRule, Rule};
use crate::signal::{self, KnownSignals, Signal};
use crate::text::JudgedText;

pub use read::ModelError;

/// The version of model files; it changes with the format of the file and with what any signal measures.
pub const MODEL_VERSION: u32 = 3;

/// The model that ships with the program.
const SHIPPED: &str = include_str!("../model/shipped.txt");

/// Identifies a model.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ModelId {
    /// Its name: [`Model::SHIPPED`], or as given in training. One line.
    pub name: String,
    /// BLAKE3 of its file.
    pub hash: [u8; 32],
}

/// A decision tree with its origin.
#[derive(Clone, Debug, PartialEq)]
pub struct Model {
    id: Arc<ModelId>,
    note: String,
    root: Node,
}

/// A test or a leaf.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Node {
    Test(Box<Test>),
    Leaf(Leaf),
}

/// Pairs whose signal is at most the threshold go to `low`, the others to `high`.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Test {
    pub(crate) signal: Signal,
    pub(crate) threshold: f64,
    pub(crate) low: Node,
    pub(crate) high: Node,
}

/// The training pairs that ended here.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Leaf {
    pub(crate) class: Class,
    pub(crate) counts: Counts,
}

/// The class of a judged pair, and the reasons.
#[derive(Clone, Debug, PartialEq)]
pub struct Judgement {
    /// What the two documents are to each other.
    pub class: Class,
    /// Its probability: the share of the training pairs under this rule, by Laplace's rule of succession; that of
    /// `Version` counts the pairs of `Same` too ([`Probabilities::claimed`]). Where a signal has no value it is that of
    /// several leaves, by their weights.
    pub probability: f64,
    /// Why it is not given as an answer; `None` if it is.
    pub doubt: Option<Doubt>,
    /// The rule that fired; `None` if both sides have one text, which needs no judging.
    pub rule: Option<Rule>,
    /// The signals that the tree asked for, in that order; `None` for one that says nothing about this pair.
    pub signals: Vec<(Signal, Option<f64>)>,
    /// The model that judged; `None` if none was needed.
    pub model: Option<Arc<ModelId>>,
}

/// The judgement of a pair whose signals were all measured beforehand.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Answered {
    /// What the two documents are to each other.
    pub class: Class,
    /// How likely each class is by the training pairs under the rule that fired.
    pub likely: Probabilities,
    /// Why it is not given as an answer; `None` if it is.
    pub doubt: Option<Doubt>,
}

impl Judgement {
    /// The judgement of two files that carry one text: they are the same.
    pub fn of_one_text() -> Self {
        Self {
            class: Class::Same,
            probability: 1.0,
            doubt: None,
            rule: None,
            signals: Vec::new(),
            model: None,
        }
    }
}

impl Model {
    /// The name of the model that ships with the program.
    pub const SHIPPED: &str = "shipped";

    /// A model; white space in its name and note becomes single spaces.
    pub(crate) fn new(name: &str, note: &str, root: Node) -> Self {
        let (name, note) = (one_line(name), one_line(note));
        let unnamed = ModelId {
            name,
            hash: [0; 32],
        };
        let mut model = Self {
            id: Arc::new(unnamed),
            note,
            root,
        };
        let hash = *blake3::hash(model.to_string().as_bytes()).as_bytes();
        let name = model.id.name.clone();
        model.id = Arc::new(ModelId { name, hash });
        model
    }

    /// Its name and hash.
    pub fn id(&self) -> &Arc<ModelId> {
        &self.id
    }

    /// What it was trained on. One line.
    pub fn note(&self) -> &str {
        &self.note
    }

    /// The model that ships with the program.
    ///
    /// # Errors
    /// None in a program whose tests have passed, since they read it.
    pub fn shipped() -> Result<Self, ModelError> {
        Self::parse(SHIPPED)
    }

    /// Judges a pair. Signals are computed as the tree asks for them; `texts` is called at most once, and only if a
    /// signal needs the texts, or if the judgement is held against them ([`Doubt`]): so are all that find one document,
    /// whose identifiers are compared.
    ///
    /// # Errors
    /// Those of `texts`.
    pub fn judge<T: AsRef<JudgedText>, E>(
        &self,
        known: &KnownSignals,
        texts: impl FnOnce() -> Result<[T; 2], E>,
    ) -> Result<Judgement, E> {
        self.judge_measured(known, &Together::default(), texts)
    }

    /// Judges a pair of which `together` has what was measured before.
    ///
    /// # Errors
    /// Those of `texts`.
    pub fn judge_measured<T: AsRef<JudgedText>, E>(
        &self,
        known: &KnownSignals,
        together: &Together,
        texts: impl FnOnce() -> Result<[T; 2], E>,
    ) -> Result<Judgement, E> {
        let (mut load, mut texts) = (Some(texts), None);
        let mut signals: Vec<(Signal, Option<f64>)> = Vec::new();
        let is_foreign = Cell::new(false);
        let value = |signal| {
            if let Some((_, value)) = signals.iter().find(|(known, _)| *known == signal) {
                return Ok(*value);
            }
            let mut value = known.value(signal);
            if signal.cost() > signal::Cost::Known {
                if let Some(load) = load.take() {
                    texts = Some(load()?);
                }
                let both = texts.as_ref();
                value = both
                    .and_then(|[a, b]| measure::of_texts(signal, a.as_ref(), b.as_ref(), together));
            }
            if let Some([a, b]) = texts.as_ref().filter(|_| value.is_none()) {
                is_foreign.set(a.as_ref().is_foreign() || b.as_ref().is_foreign());
            }
            signals.push((signal, value));
            Ok(value)
        };
        let walked = self.walk(value, || is_foreign.get())?;
        let (class, likely) = (walked.class(), walked.likely());
        let contained = known.most_contained();
        let against = doubt::asks_for(class, contained);
        if let Some(load) = load.take_if(|_| class.is_duplicate() || against.is_some()) {
            texts = Some(load()?);
        }
        let both = texts.as_ref().map(|[a, b]| [a.as_ref(), b.as_ref()]);
        let asked = against
            .zip(both)
            .and_then(|(signal, [a, b])| measure::of_texts(signal, a, b, together));
        let caveats = Caveats {
            is_quoting: known.is_quoting,
            ..caveats_of(class, against.is_some(), both)
        };
        let class = doubt::answered(class, caveats);
        Ok(Judgement {
            class,
            probability: likely.claimed(class),
            doubt: doubt::of(class, &likely, contained, asked, caveats),
            rule: Some(walked.into_rule(class)),
            signals,
            model: Some(Arc::clone(&self.id)),
        })
    }

    /// Measures the signals that [`Model::judge_measured`] will ask for, up to the first that depends on where the files
    /// are or whose they are: `known` need not say that.
    pub fn measure_ahead(
        &self,
        known: &KnownSignals,
        texts: [&JudgedText; 2],
        together: &Together,
    ) {
        /// Ends a walk.
        struct AtPlace;
        let [a, b] = texts;
        let of_texts = |signal| measure::of_texts(signal, a, b, together);
        let value = |signal: Signal| match signal.is_of_place() {
            true => Err(AtPlace),
            false => Ok(known.value(signal).or_else(|| of_texts(signal))),
        };
        if let Ok(walked) = self.walk(value, || a.is_foreign() || b.is_foreign())
            && let Some(signal) = doubt::asks_for(walked.class(), known.most_contained())
        {
            of_texts(signal);
        }
    }

    /// What is answered, given all signals.
    pub fn answer(&self, values: &Values, caveats: Caveats) -> Answered {
        let value = |signal| Ok::<_, std::convert::Infallible>(values.get(signal));
        let Ok(walked) = self.walk(value, || caveats.is_foreign);
        let (class, likely) = (walked.class(), walked.likely());
        let contained = values.number(Signal::ContainmentMost);
        let asked = doubt::asks_for(class, contained).and_then(|signal| values.get(signal));
        let class = doubt::answered(class, caveats);
        Answered {
            class,
            likely,
            doubt: doubt::of(class, &likely, contained, asked, caveats),
        }
    }

    /// All rules, in the order of their numbers.
    pub fn rules(&self) -> Vec<CountedRule> {
        let mut rules = Vec::new();
        self.root.gather(&Rule::default(), &mut rules);
        rules
    }

    /// The signals that it may ask for.
    pub fn signals(&self) -> Vec<Signal> {
        let asked = |signal: &Signal| self.root.asks_for(*signal);
        Signal::ALL.into_iter().filter(asked).collect()
    }
}

/// What no signal tells of two texts, as far as a judgement of this class is held against it.
fn caveats_of(class: Class, is_held: bool, both: Option<[&JudgedText; 2]>) -> Caveats {
    let is_so = |of: fn(&JudgedText, &JudgedText) -> bool| both.is_some_and(|[a, b]| of(a, b));
    let is_duplicate = class.is_duplicate();
    Caveats {
        numbers_differ: is_duplicate && is_so(JudgedText::is_numbered_otherwise),
        has_same_words: is_duplicate && is_held && is_so(JudgedText::has_same_words),
        // Their words are compared for such a judgement alone.
        is_one_inside: !is_duplicate && is_held && is_so(JudgedText::is_one_inside),
        differs_inside: class == Class::Same && is_so(JudgedText::differs_inside),
        ..Caveats::default()
    }
}

/// A text on one line.
fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

impl Node {
    /// A leaf of these pairs.
    pub(crate) fn leaf(counts: Counts) -> Self {
        Self::Leaf(Leaf {
            class: counts.most(),
            counts,
        })
    }

    /// Number of leaves below it, 1 if it is one.
    fn leaves(&self) -> u32 {
        match self {
            Self::Leaf(_) => 1,
            Self::Test(test) => test.low.leaves() + test.high.leaves(),
        }
    }

    /// The pairs of all leaves below it.
    pub(crate) fn counts(&self) -> Counts {
        match self {
            Self::Leaf(leaf) => leaf.counts,
            Self::Test(test) => {
                let mut counts = test.low.counts();
                counts += test.high.counts();
                counts
            }
        }
    }

    fn gather(&self, rule: &Rule, rules: &mut Vec<CountedRule>) {
        match self {
            Self::Leaf(leaf) => {
                let number = rules.len() as u32 + 1;
                let mut rule = rule.clone();
                rule.number = number;
                rules.push(CountedRule {
                    rule,
                    class: leaf.class,
                    counts: leaf.counts,
                    doubt: doubt::of_rule(leaf.class, &leaf.counts.probabilities()),
                });
            }
            Self::Test(test) => {
                for (branch, is_low) in [(&test.low, true), (&test.high, false)] {
                    let mut narrowed = rule.clone();
                    narrowed.add(test.signal, test.threshold, is_low);
                    branch.gather(&narrowed, rules);
                }
            }
        }
    }

    fn asks_for(&self, signal: Signal) -> bool {
        match self {
            Self::Leaf(_) => false,
            Self::Test(test) => {
                test.signal == signal || test.low.asks_for(signal) || test.high.asks_for(signal)
            }
        }
    }
}

impl fmt::Display for Model {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write::model(self, f)
    }
}

#[cfg(test)]
mod tests;
