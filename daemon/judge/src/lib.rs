//! Judges a pair of documents by many signals, after Huffman et al. 2007.
//!
//! One number does not tell whether two documents are the same: short documents of one template resemble each other but
//! are not the same. A decision tree over several [signals](Signal) tells it far better than any of them alone (ibid.,
//! Table 3). [`Model::judge`] walks such a tree and computes a signal only when a node asks for it; nodes near the root
//! ask for signals that cost nothing ([`training`] ensures that). The answer is a [`Judgement`]: the class, its
//! probability, the rule that fired, and the signals that were computed.
//!
//! Nothing here reads a file or an index. A pair arrives as [`KnownSignals`], which need no text; its texts are loaded
//! only when a signal asks for them. Word statistics come from a table that ships with the program and never from the
//! documents of an index: no judgement reveals anything about a document that the caller may not see ([`idf`]).

mod class;
mod doubt;
pub mod evaluation;
mod identifier;
pub mod measure;
mod model;
mod rule;
pub mod signal;
mod text;
pub mod training;

pub use class::{Class, Counts, Probabilities};
pub use doubt::{Caveats, Doubt};
pub use measure::Values;
pub use model::{Answered, Judgement, MODEL_VERSION, Model, ModelError, ModelId};
pub use rule::{CountedRule, Rule};
pub use signal::{Cost, KnownSignals, Signal, idf};
pub use text::JudgedText;
