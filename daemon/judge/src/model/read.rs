//! Reads model files strictly.

use std::iter::Peekable;

use thiserror::Error;

use super::{Leaf, MODEL_VERSION, Model, Node, Test};
use crate::class::{Class, Counts};
use crate::signal::Signal;

/// Maximum number of levels of a tree. A tree of the shipped size has about ten.
pub(crate) const DEEPEST: usize = 32;
/// Maximum bytes of a model file.
const LONGEST: usize = 1 << 20;

/// Why a model file is refused. Line numbers count from 1.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum ModelError {
    /// It does not begin like a model file.
    #[error("the file is no model: its first line is not `simdex-judge {MODEL_VERSION}`")]
    NoModel,
    /// It was written for another version of the signals.
    #[error("the model is of version {0}, and this program reads version {MODEL_VERSION}")]
    Version(String),
    /// It is longer than any model may be.
    #[error("the model is longer than {LONGEST} bytes")]
    TooLong,
    /// It ends within the head or the tree.
    #[error("the model ends where line {0} should follow")]
    Ends(usize),
    /// The tree is complete, but more lines follow.
    #[error("line {0} follows the end of the tree")]
    Beyond(usize),
    /// A line does not have the expected content.
    #[error("line {line} is not {expected}: {found:?}")]
    Line {
        /// Number of the line in the file, from 1.
        line: usize,
        /// What was expected there.
        expected: &'static str,
        /// The first 60 characters of what was found there.
        found: String,
    },
    /// The tree is too deep.
    #[error("line {0} lies more than {DEEPEST} levels deep")]
    TooDeep(usize),
}

impl Model {
    /// Reads a model file.
    ///
    /// # Errors
    /// The first line that is wrong.
    pub fn parse(file: &str) -> Result<Self, ModelError> {
        if file.len() > LONGEST {
            return Err(ModelError::TooLong);
        }
        let mut lines = (1..).zip(file.lines()).peekable();
        let first = lines.next().map(|(_, line)| line);
        let version = first.and_then(|line| line.strip_prefix("simdex-judge "));
        match version.ok_or(ModelError::NoModel)? {
            known if known == MODEL_VERSION.to_string() => {}
            other => return Err(ModelError::Version(shown(other))),
        }
        let name = head(&mut lines, 2, "name ", "`name` and a name")?;
        let note = head(&mut lines, 3, "note ", "`note` and a remark")?;
        let mut reader = Reader { lines, last: 3 };
        let root = reader.node(0)?;
        match reader.lines.next() {
            Some((line, _)) => Err(ModelError::Beyond(line)),
            None => Ok(Self::new(&name, &note, root)),
        }
    }
}

fn head<'a>(
    lines: &mut impl Iterator<Item = (usize, &'a str)>,
    number: usize,
    begins: &str,
    expected: &'static str,
) -> Result<String, ModelError> {
    let (line, text) = lines.next().ok_or(ModelError::Ends(number))?;
    let value = text.strip_prefix(begins).map(str::to_owned);
    value.ok_or_else(|| wrong(line, expected, text))
}

struct Reader<'a, I: Iterator<Item = (usize, &'a str)>> {
    lines: Peekable<I>,
    /// The number of the last line read.
    last: usize,
}

impl<'a, I: Iterator<Item = (usize, &'a str)>> Reader<'a, I> {
    fn node(&mut self, depth: usize) -> Result<Node, ModelError> {
        let (line, text) = self.lines.next().ok_or(ModelError::Ends(self.last + 1))?;
        self.last = line;
        if depth > DEEPEST {
            return Err(ModelError::TooDeep(line));
        }
        let indented = text.len() - text.trim_start_matches(' ').len();
        if indented != 2 * depth {
            return Err(wrong(line, "indented by two blanks for each level", text));
        }
        let text = &text[indented..];
        match text.split_once(" <= ") {
            Some((signal, threshold)) => {
                let (signal, threshold) = test(signal, threshold)
                    .ok_or_else(|| wrong(line, "a signal, `<=` and a number", text))?;
                let (low, high) = (self.node(depth + 1)?, self.node(depth + 1)?);
                Ok(Node::Test(Box::new(Test {
                    signal,
                    threshold,
                    low,
                    high,
                })))
            }
            None => leaf(text)
                .map(Node::Leaf)
                .ok_or_else(|| wrong(line, "a test, or a class and four counts", text)),
        }
    }
}

fn test(signal: &str, threshold: &str) -> Option<(Signal, f64)> {
    let threshold: f64 = threshold.parse().ok()?;
    let signal = Signal::named(signal)?;
    threshold.is_finite().then_some((signal, threshold))
}

fn leaf(text: &str) -> Option<Leaf> {
    let mut cells = text.split(' ');
    let class = Class::named(cells.next()?)?;
    let mut counts = Counts::default();
    for count in &mut counts.0 {
        *count = cells.next()?.parse().ok()?;
    }
    cells.next().is_none().then_some(Leaf { class, counts })
}

fn wrong(line: usize, expected: &'static str, text: &str) -> ModelError {
    ModelError::Line {
        line,
        expected,
        found: shown(text),
    }
}

/// The beginning of a text.
fn shown(text: &str) -> String {
    text.chars().take(60).collect()
}
