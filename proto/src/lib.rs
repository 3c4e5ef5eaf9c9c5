//! The wire contract of Simdex: gRPC services and messages of package `simdex.v1`.
//!
//! The `.proto` files under `simdex/v1/` are the contract and carry its comments; the Rust below is generated from them
//! at build time and not committed. Beside it is what daemon and client both print: [`lines`] are the JSON lines,
//! [`completeness`] and [`promise`] are parts of them and their wording, [`manifest`] is the end of a report's
//! manifest, [`text`] formats names and counts, [`age`] formats ages, and [`changes`] compares two reports.

pub mod age;
pub mod changes;
pub mod completeness;
pub mod lines;
pub mod manifest;
pub mod promise;
pub mod text;

/// Messages, clients and servers of `simdex.v1`.
#[expect(
    missing_docs,
    clippy::all,
    clippy::too_many_lines,
    clippy::allow_attributes_without_reason,
    reason = "generated; the documentation stands in the .proto files"
)]
pub mod v1 {
    tonic::include_proto!("simdex.v1");

    /// Metadata of a refused request that holds an encoded [`ErrorDetail`].
    pub const ERROR_DETAIL: &str = "simdex-error-bin";

    /// Encoded `FileDescriptorSet`, for the reflection service.
    pub const FILE_DESCRIPTOR_SET: &[u8] =
        include_bytes!(concat!(env!("OUT_DIR"), "/simdex_v1.bin"));
}

/// Most labels of one request.
pub const MAX_LABELS: usize = 20_000;

/// Every state of a file, by its name as in `File.state`.
pub const STATES: [&str; 17] = [
    "indexed",
    "identical-bytes",
    "identical-text",
    "partial",
    "container",
    "no-text",
    "too-short",
    "encrypted",
    "unsupported",
    "too-large",
    "failed",
    "timed-out",
    "crashed",
    "unreadable",
    "skipped",
    "unstable",
    "quarantined",
];

/// The states of files that have a text.
pub const STATES_WITH_TEXT: [&str; 4] = ["indexed", "identical-bytes", "identical-text", "partial"];

/// Defaults for what a request leaves out. They belong to the contract, so that help and answers agree.
pub mod defaults {
    /// Least resemblance that FindSimilar lists.
    pub const SIMILAR: f64 = 0.1;
    /// Least containment that FindContaining and FindContained list; for FindVersions, least resemblance or containment
    /// in either direction.
    pub const CONTAINMENT: f64 = 0.5;
    /// Minimum number of fingerprints, of 100, that the documents of a core share.
    pub const COMMON: u32 = 85;
    /// Time limit of the search for cores, in seconds.
    pub const MINING_SECONDS: u32 = 60;
    /// Minimum number of documents that hold a template.
    pub const TEMPLATE_DOCUMENTS: u32 = 10;
    /// Most templates listed per root.
    pub const TEMPLATES: u32 = 1_000;
    /// Longest text of a template, in bytes.
    pub const TEMPLATE_BYTES: u32 = 2_000;
    /// Minimum share of the files in both folders that have a counterpart in the other.
    pub const FOLDER_SHARE: f64 = 0.5;
    /// Minimum number of files that two folders have in common.
    pub const FOLDER_FILES: u64 = 2;
    /// The share of pairs found by sampling that Calibrate requires to be similar.
    pub const PRECISION: f64 = 0.95;
    /// Most files that a Find request lists.
    pub const LIMIT: u32 = 20;
    /// Least resemblance by which FindFamily follows from one version to another.
    pub const FAMILY: f64 = 0.5;
    /// Most versions that FindFamily finds.
    pub const VERSIONS: u32 = 4_096;
    /// Pairs that SamplePairs samples.
    pub const SAMPLED_PAIRS: u32 = 100;
    /// The name that TrainModel gives a model.
    pub const MODEL_NAME: &str = "trained";
}
