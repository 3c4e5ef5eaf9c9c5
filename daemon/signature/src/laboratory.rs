//! Every scheme of the papers, with any n, over any unit. What the index does not hold is signed with these: cores, the
//! estimates of a comparison, and the studies.
//!
//! The index holds [`ModN`](crate::ModN) and, where it is told to, [`BswN`](crate::BswN) at moduli that nest, and
//! [`MinN`](crate::MinN), [`SketchN`](crate::SketchN) and [`SuperShingles`](crate::SuperShingles) at one size. What the
//! papers compare is wider: n = 25, 100, 400, 500; signatures of other sizes; shingles of words, sentences or lines;
//! offsets. Here a [`Recipe`] names a [`Method`] and a [`Shingling`], a [`Signer`] signs by it, and signatures of one
//! recipe are compared.
//!
//! A method answers what it can: asking [`containment`] of Min_n, or [`resemblance`] of
//! super-shingles, is an error that says so, and signatures of different recipes do not compare.
//!
//! | method | resemblance | containment | interval |
//! |---|---|---|---|
//! | Mod_n | yes | yes | binomial |
//! | BSW_n | yes | yes | measured, for windows of 20 bytes: chunks are not independent trials |
//! | Min_n | yes | no | binomial, wider than needed |
//! | Sketch_n | yes | no | binomial |
//! | super-shingles | no, [`is_candidate`] | no | |
//! | winnowing | yes | yes | none: neighbours decide what is kept |
//! | whole chunks | yes | yes | none: of chunks, not of shingles |
//!
//! ```
//! use simdex_signature::laboratory::{Method, Recipe, ShingleUnit, Shingling, Signer, containment, resemblance};
//!
//! let shingling = Shingling::new(ShingleUnit::Words, 3, 1).unwrap();
//! let signer = Signer::new(Recipe { method: Method::min_n(100), shingling }).unwrap();
//! let old = signer.sign("The parties agree to the following terms.");
//! let new = signer.sign("The parties agree to the following new terms.");
//! assert_eq!(resemblance(&old, &new).unwrap().unwrap().value.get(), 4.0 / 7.0);
//! assert!(containment(&old, &new).is_err());
//! ```

mod answer;
mod family;
mod recipe;
mod shingling;
mod signer;
#[cfg(test)]
mod tests;

pub use answer::{Unanswerable, agreeing, containment, is_candidate, resemblance, similarity};
pub use recipe::{Family, Method, Order, Recipe};
pub use shingling::{OutOfDomain, ShingleUnit, Shingler, Shingling};
pub use signer::{RecipeSignature, Signer};
