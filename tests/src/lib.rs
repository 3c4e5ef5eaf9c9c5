//! Code shared by the tests, benchmarks and studies of Simdex.
//!
//! * [`sandbox`]: the real programs on a share of their own;
//! * [`jsonl`]: what they print;
//! * [`simdex_oracle`]: resemblance and containment, counted without the product's code;
//! * [`version_chains`]: real histories compared with the version graph;
//! * [`acceptance`]: what must hold on real documents, run by tests and by `--bin acceptance`;
//! * [`fault`]: trees under churn, disks that fail, what was acknowledged;
//! * [`corpus`]: documents made from a seed;
//! * [`near_duplicates`]: collections made by known edits, with a log of them;
//! * [`collections`]: the same over files, and comparisons of lists, as commands of `--bin study`;
//! * [`labelled`]: pairs of known class, for training and evaluating judgements;
//! * [`evaluation`]: pairs and groups found, compared with a list;
//! * [`fuzz`]: mutated documents and lying workers against the pool;
//! * [`hostile`]: a daemon treated badly for an hour, run by `--bin hostile`;
//! * [`handmade`]: files written byte by byte;
//! * [`figure`]: how figures are printed, and [`plot`] how they are drawn;
//! * [`browser`]: pages in headless Chromium;
//! * [`mod@bench`]: one module for each benchmark, run by `--bin bench`;
//! * [`study`]: one module for each study of what is read of real documents, and for each of the papers'
//!   experiments, run by `--bin study`.

pub mod acceptance;
pub mod bench;
pub mod browser;
pub mod collections;
pub mod corpus;
pub mod evaluation;
pub mod fault;
pub mod figure;
pub mod fuzz;
pub mod handmade;
pub mod hostile;
pub mod jsonl;
pub mod labelled;
pub mod near_duplicates;
pub mod plot;
pub mod sandbox;
pub mod study;
pub mod version_chains;
