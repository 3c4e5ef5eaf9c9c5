//! What the fake daemon was asked.

use simdex_client::wire;

/// What the daemon was asked.
#[derive(Default)]
pub(crate) struct Seen {
    pub(crate) queries: Vec<wire::Query>,
    pub(crate) uploads: Vec<Received>,
    pub(crate) compared: Option<wire::CompareRequest>,
    pub(crate) calibrated: Option<wire::CalibrateRequest>,
    pub(crate) sampling: Option<wire::set_sampling_request::Chosen>,
    pub(crate) listed: Vec<(Option<f64>, Vec<u32>)>,
    /// The threshold of containment of the last list of pairs.
    pub(crate) contained: Option<f64>,
    /// Where the last list of pairs was resumed.
    pub(crate) after: Option<wire::PairPlace>,
    /// Where the last list of files or groups was resumed.
    pub(crate) after_file: Option<Vec<u8>>,
    /// `with_judgement` and `judge_first` of the last list of pairs or groups, or of the last group.
    pub(crate) judging: Option<(bool, u64)>,
    /// Labels of the last evaluation or training.
    pub(crate) labels: Option<Vec<wire::Label>>,
    pub(crate) states: Vec<String>,
    pub(crate) rescans: Vec<Vec<u8>>,
    pub(crate) waits: u32,
    pub(crate) report: Option<wire::RunReportRequest>,
    pub(crate) streamed: Option<wire::StreamReportRequest>,
    /// Set by a test: the next report ends after its first piece, and the call does not.
    pub(crate) stalls: bool,
}

/// An upload as it arrived.
#[derive(Default)]
pub(crate) struct Received {
    pub(crate) bytes: Vec<u8>,
    pub(crate) largest_chunk: usize,
    /// How it ended, once it has.
    pub(crate) end: Option<End>,
}

/// How an upload ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum End {
    /// The client half-closed: the bytes are the whole document.
    Whole,
    /// The call was cancelled or the connection lost.
    Broken,
}
