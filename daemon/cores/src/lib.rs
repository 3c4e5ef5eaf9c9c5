//! Cores: maximal sets of documents that all share at least k fingerprints.
//!
//! Source: Ignatov, Jánosi-Rancz and Kuznetsov 2009, "Towards a framework for near-duplicate detection in
//! document collections based on closed sets of attributes", §2.2. In the terms of formal concept analysis,
//! fingerprints are the objects of a context and documents its attributes. A set B of documents has the support |B'|,
//! the number of fingerprints that all of them hold, and is k-frequent if that is at least k. A maximal frequent set is
//! closed: adding any document makes its support drop below k. Such a set of two documents or more is a core.
//!
//! Documents of a component of the near-duplicate graph may be unlike: a resembles b, b resembles c, and so
//! on, until the last shares nothing with the first. In a core any two share k fingerprints, and all of its documents
//! share the same k.
//!
//! - [`InvertedTable`]: the context: for each fingerprint the documents that hold it; [`fimi`] writes and reads it.
//! - [`components`]: the components of the graph "shares at least k"; each core is within one.
//! - [`mine`]: the cores.
//! - [`fp_max`]: the miner that the paper used, with which the tests compare [`mine`].
//! - [`Partition`]: disjoint sets, by union and find.
//!
//! No I/O and no clock: long work asks its caller now and then whether to continue.
//!
//! ```
//! use simdex_cores::{InvertedTable, mine};
//!
//! let images: [&[u64]; 3] = [&[1, 2, 3], &[2, 3, 4], &[3, 4, 5]];
//! let table = InvertedTable::from_images(images.iter().copied());
//! let mut cores = Vec::new();
//! mine(&table, 2, &|| true, &mut |core| {
//!     cores.push(core.documents);
//!     std::ops::ControlFlow::Continue(())
//! })
//! .unwrap();
//! cores.sort();
//! assert_eq!(cores, [[0, 1], [1, 2]]);
//! ```

mod components;
pub mod fimi;
pub mod fp_max;
mod miner;
mod partition;
mod table;
#[cfg(test)]
mod tests;

pub use components::{Components, components};
pub use miner::{Core, LONGEST_IMAGE, Mined, TooLong, mine};
pub use partition::Partition;
pub use table::InvertedTable;

/// Whether to continue; called often, so it must be quick.
pub type ShouldContinue<'a> = dyn Fn() -> bool + 'a;
