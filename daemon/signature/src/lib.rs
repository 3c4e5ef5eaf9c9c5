//! Canonical text, shingles, Rabin fingerprints, signature schemes and estimators.
//!
//! The mathematics of Simdex, without I/O or a clock. Every fast path has a slow, exact twin in [`mod@reference`], and
//! tests compare the two. The only `unsafe` code is in `rolling/wide.rs`, the kernel for processors with AVX-512.
//!
//! # Definitions
//! S(A) is the set of shingles of document A: every window of w bytes (or w words) of its
//! [`CanonicalText`]. After Cherkasova et al. 2009, §2:
//!
//! - **resemblance** of A and B = |S(A) ∩ S(B)| / |S(A) ∪ S(B)|; symmetric;
//! - **containment of A in B** = |S(A) ∩ S(B)| / |S(A)|; directed, so both sides are named.
//!
//! Both are undefined (`None`) where the denominator is zero: a text shorter than one window has
//! no shingles, and "not comparable" is not "equal".
//!
//! # Which scheme when
//! - [`ModN`]: the primary scheme. Unbiased estimates of both measures with a Clopper-Pearson
//!   interval; exact at rung 0; signatures of different rungs are compared at the coarser one.
//! - [`BswN`]: the second opinion. At least one fingerprint per chunk, hence no long stretch of
//!   text is left unsampled; no binomial interval, and only equal moduli compare.
//! - [`MinN`], [`SketchN`]: as many fingerprints of every text. Resemblance with an interval, no
//!   containment; only signatures of one n compare.
//! - [`SuperShingles`]: six fingerprints of every text, which tell candidates of a high resemblance
//!   and estimate nothing.
//! - [`Chunks`]: files without text, by their raw bytes.
//! - [`ShingleSet`]: no sampling at all; verifies the hits that are shown.
//! - [`laboratory`]: these and the other schemes of the papers, with any n and any unit: for
//!   comparisons and studies.
//! - [`calibration`]: how coarsely texts of each size may be sampled.
//!
//! [`align`] and [`shared_spans`] lay two texts beside each other for people.
//!
//! ```
//! use simdex_signature::{CanonicalText, ModN, Rung, Window, resemblance};
//!
//! let old = CanonicalText::from_extracted("The parties agree to the following terms.");
//! let new = CanonicalText::from_extracted("the parties AGREE to the following  terms.");
//! let sign = |text| ModN::sign(text, Window::DEFAULT, Rung::ZERO);
//! let estimate = resemblance(&sign(&old), &sign(&new)).unwrap().unwrap();
//! assert_eq!(estimate.value.get(), 1.0);
//! ```

pub mod align;
mod binomial;
mod bsw_error;
mod bsw_n;
pub mod calibration;
mod canonical;
mod chunk;
mod chunk_minima;
mod compare;
mod estimate;
mod fingerprint;
pub mod laboratory;
mod ladder;
mod levels;
mod min_n;
mod mod_n;
mod modulus;
mod permutation;
mod ratio;
pub mod reference;
mod rolling;
mod rung;
mod sampling;
mod shingle;
mod shingle_set;
mod signature;
mod sketch_n;
mod sort;
mod sorted;
mod spans;
mod super_shingle;
mod template_lines;
mod whole_chunk;
mod window;
mod winnowing;

pub use binomial::{clopper_pearson, lower_tail, min_overlap_cut};
pub use bsw_error::{BswError, MeasuredRatio, Offsets};
pub use bsw_n::BswN;
pub use canonical::{CANONICAL_VERSION, CanonicalText};
pub use chunk::{Chunk, ChunkSize, Chunks, chunk_map};
pub use compare::{containment, resemblance};
pub use estimate::{Estimate, containment_from_counts, resemblance_from_counts};
pub use fingerprint::{Fingerprint, POLYNOMIAL, sort_holders};
pub use ladder::Ladder;
pub use levels::{LevelSample, Levels, LevelsTogether, SharedAt};
pub use min_n::MinN;
pub use mod_n::{ModN, select};
pub use ratio::{CONFIDENCE, Interval, Ratio};
pub use rolling::RabinTables;
pub use rung::Rung;
pub use sampling::{BadSampling, Sampling, SizeStep};
pub use shingle_set::ShingleSet;
pub use signature::{Scheme, SchemeKind, Signature, Unlike};
pub use sketch_n::{SketchLookup, SketchN};
pub use sorted::count_shared_at;
pub use spans::{SharedSpans, Span, peak_bytes as span_bytes, shared_spans};
pub use super_shingle::SuperShingles;
pub use template_lines::{
    LeftOutLines, LineKey, ShortTemplateLine, SignedText, TemplateLines, TemplateLinesId,
};
pub use window::{Unit, Window};
