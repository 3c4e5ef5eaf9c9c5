//! The configuration: one TOML file, every key with a default and a range, unknown keys refused.
//!
//! The sections here are the one table of keys. [`check`] refuses values outside their ranges,
//! [`mod@sample`] writes the sample config from the table, [`setting`] defines how sections are
//! declared, and [`limits`] converts them to what workers, watchers and index take.

mod check;
mod limits;
mod memory;
mod sample;
mod schedules;
mod schemes;
mod setting;
mod template_list;
#[cfg(test)]
mod tests;

use std::path::PathBuf;

use serde::Deserialize;
use simdex_signature::{SchemeKind, TemplateLines};

pub use check::ConfigError;
pub use memory::StoreMemory;
pub use sample::sample;
pub use schedules::ScheduleConfig;
pub use schemes::SchemeList;
use setting::section;
pub use setting::{Mebibytes, Permissions, Range, Setting, Value};

/// Everything that can be configured.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Config {
    /// Where the index lives; none = a temporary directory (scan) or the system's (serve).
    pub data_dir: Option<PathBuf>,
    /// The data directory that the config file names, where the command line names another.
    #[serde(skip)]
    pub data_dir_of_file: Option<PathBuf>,
    /// The Unix socket; none = `simdexd.sock` in the runtime directory.
    pub socket: Option<PathBuf>,
    /// Where the daemon keeps reports that clients ask it to keep; none = it keeps none.
    pub report_dir: Option<PathBuf>,
    /// A list of lines that are left out of what is signed and compared; none = nothing is.
    pub template_lines: Option<PathBuf>,
    /// The lines of that list, once it has been read.
    #[serde(skip)]
    pub template_list: TemplateLines,
    /// The watched trees.
    pub roots: Vec<RootConfig>,
    /// Reports on schedule.
    pub schedules: Vec<ScheduleConfig>,
    /// What counts as near-duplicate, and what is indexed.
    pub signature: SignatureConfig,
    /// Limits of the extraction workers.
    pub extract: ExtractConfig,
    /// Programs of the machine that may be asked.
    pub outside: OutsideConfig,
    /// Times and bounds of watching.
    pub watch: WatchConfig,
    /// Memory of the store.
    pub store: StoreConfig,
    /// Limits of the gRPC server.
    pub grpc: GrpcConfig,
}

impl Config {
    /// Every key of every section with its current value, in the order of the sample config.
    pub fn settings(&self) -> Vec<Setting> {
        [
            self.signature.settings(),
            self.extract.settings(),
            self.outside.settings(),
            self.watch.settings(),
            self.store.settings(),
            self.grpc.settings(),
        ]
        .concat()
    }
}

/// Names and comments of the sections, in the same order.
const SECTIONS: &[(&str, &str)] = &[
    (SignatureConfig::SECTION, SignatureConfig::ABOUT),
    (ExtractConfig::SECTION, ExtractConfig::ABOUT),
    (OutsideConfig::SECTION, OutsideConfig::ABOUT),
    (WatchConfig::SECTION, WatchConfig::ABOUT),
    (StoreConfig::SECTION, StoreConfig::ABOUT),
    (GrpcConfig::SECTION, GrpcConfig::ABOUT),
];

/// One watched tree.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RootConfig {
    /// Absolute path of the directory, without `..`.
    pub path: PathBuf,
    /// How it is watched.
    #[serde(default)]
    pub mode: RootMode,
}

/// How a root is watched.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum RootMode {
    /// Native or polled, depending on the type of its file system.
    #[default]
    Auto,
    /// Watched by events and rescans.
    Native,
    /// Watched by rescans alone.
    Poll,
}

impl RootMode {
    /// The name used in the config.
    pub fn name(self) -> &'static str {
        match self {
            Self::Auto => "auto",
            Self::Native => "native",
            Self::Poll => "poll",
        }
    }
}

section! {
    /// What counts as near-duplicate, and what is indexed.
    SignatureConfig "signature" {
        /// Resemblance from which a pair is a near-duplicate. Pairs and groups are kept at this threshold;
        /// changing it searches for them again at the next start.
        threshold: f64 = 0.8 => 0.05..=1.0,
        /// The signature schemes that are indexed and can be used in queries about one file (simctl --scheme):
        /// mod_n, by which groups are found and which is required; bsw_n, a second opinion of the same size in
        /// the index; min_n and sketch_n, which find similar files, define no containment and take up to 512
        /// postings per text; super_shingles, which takes six, signs some 14 MB of text a second, and finds
        /// what is almost equal: it misses 12 % of the files with a resemblance of 0.95, and 97 % of those with
        /// 0.8. Pairs, groups, folders and reports verify every answer on all shingles, so that another scheme
        /// than mod_n would find the same or fewer. After a change of the list every document is signed again
        /// at the next start.
        schemes: SchemeList = SchemeList::of(&[SchemeKind::ModN, SchemeKind::BswN]),
    }
}

section! {
    /// How documents are read. A file that exceeds a limit here becomes partial or too-large, with its
    /// reason.
    ExtractConfig "extract" {
        /// Refuse to start if the kernel cannot confine workers completely (Landlock, seccomp, limits). If
        /// false, they run with what is available; the log and `simctl status` say DEGRADED and what is
        /// missing.
        require_sandbox: bool = true,
        /// Worker processes that read documents; 0 = one per processor.
        workers: usize = 0 => 0..=256,
        /// Address space of a worker, MiB.
        memory_mib: Mebibytes = Mebibytes(2048) => 256..=1_048_576,
        /// CPU seconds a document may take.
        cpu_seconds: u64 = 30 => 1..=3_600,
        /// Wall-clock seconds a document may take; four times as many if the machine keeps its worker from
        /// running.
        wall_seconds: u64 = 60 => 1..=7_200,
        /// Extracted text kept of a document, MiB; longer text is cut (state partial).
        text_mib: Mebibytes = Mebibytes(64) => 1..=128,
        /// Longest file that is read, MiB; longer ones become too-large.
        input_mib: Mebibytes = Mebibytes(1024) => 1..=1_048_576,
        /// Documents a worker reads before it is replaced.
        documents_per_worker: u32 = 500 => 1..=100_000,
        /// Longest file without text that is compared by chunks of its raw bytes, MiB; 0 = none.
        raw_mib: Mebibytes = Mebibytes(64) => 0..=1_024,
        /// A file is copied before it is read, so that the bytes hashed are the bytes read: short ones to
        /// memory, others to the data directory (if both are on one file system that shares blocks, this
        /// takes neither time nor room). Limit of these copies and of files unpacked from others at one
        /// time, MiB; at least input_mib, and twice container_mib.
        spool_mib: Mebibytes = Mebibytes(4096) => 3..=2_097_152,
        /// Files that one container may hold, containers within it included.
        container_entries: u32 = 10_000 => 1..=1_000_000,
        /// Bytes that one container may unpack to, MiB.
        container_mib: Mebibytes = Mebibytes(1024) => 1..=65_536,
        /// Bytes that one file inside may unpack to, MiB.
        container_entry_mib: Mebibytes = Mebibytes(256) => 1..=16_384,
        /// Nesting depth of containers.
        container_nesting: u32 = 8 => 1..=32,
        /// After this many seconds of worker time the rest of one container is postponed to its next try;
        /// as many more are for what is unpacked again.
        container_seconds: u64 = 600 => 1..=86_400,
        /// Largest ratio of unpacked to packed bytes, beyond 1 MiB.
        inflate_ratio: u32 = 200 => 1..=100_000,
        /// Nesting depth of XML elements, also in office documents, and of RTF groups.
        markup_depth: u32 = 1000 => 10..=10_000,
        /// Parts of one message.
        mime_parts: u32 = 1000 => 1..=100_000,
        /// Nesting depth of the parts of a message.
        mime_depth: u32 = 20 => 1..=100,
        /// Cells of all sheets of one file.
        sheet_cells: u64 = 2_000_000 => 1..=1_000_000_000,
    }
}

section! {
    /// Programs installed on the machine, used where the built-in readers fail. They run confined and are
    /// never required, and the files that they read name them (engine). Once switched on, they are also
    /// tried on files that are already recorded.
    OutsideConfig "outside" {
        /// Use pdftotext (poppler-utils) for PDFs that cannot be read, or whose text is poor.
        pdftotext: bool = false,
        /// Use tesseract for pages and pictures without text, with pdftoppm (poppler-utils) for PDFs.
        ocr: bool = false,
        /// Languages for tesseract, joined by +.
        ocr_languages: String = "eng".to_owned(),
        /// Pages of one document that are recognised; the rest make it partial.
        ocr_pages: u32 = 50 => 1..=100_000,
        /// Address space of a program, MiB.
        memory_mib: Mebibytes = Mebibytes(2048) => 256..=1_048_576,
        /// Seconds that one document may take.
        seconds: u64 = 300 => 1..=86_400,
    }
}

section! {
    /// How changes are noticed.
    WatchConfig "watch" {
        /// A changed file must be quiet for this long before it is read, milliseconds.
        debounce_ms: u64 = 500 => 1..=60_000,
        /// A file that keeps changing is read after this long nevertheless, seconds.
        max_delay_seconds: u64 = 5 => 1..=3_600,
        /// Interval of rescans of a root watched by events, seconds. Events are only hints; rescans find
        /// what they missed.
        rescan_seconds: u64 = 3600 => 1..=604_800,
        /// Interval of rescans of a polled root, seconds.
        poll_seconds: u64 = 30 => 1..=604_800,
        /// A program that has a file mapped may change it without changing its times: neither events nor
        /// rescans detect that. So all files are read again in the background, at this many MiB per second;
        /// 0 = never.
        recheck_mib_per_second: Mebibytes = Mebibytes(1) => 0..=65_536,
        /// Files read within this many seconds are not read again in the background.
        recheck_rest_seconds: u64 = 3600 => 0..=31_536_000,
    }
}

section! {
    /// How the index is kept.
    StoreConfig "store" {
        /// Memory for all that the daemon chooses to keep, MiB: of 64 parts 16 are the cache of the store, 10 postings
        /// that are not merged yet, 24 texts and shingles of documents under way, 6 shingles of documents that were
        /// compared, 1 principals of long lists, 1 blocks of text, 2 what walks need not look at again; the rest is
        /// left to the program. This bounds those parts and not the process. Besides come some 150 bytes for each
        /// document, pages that the storage engine holds above its cache, what the allocator keeps, replies that are
        /// not read yet (grpc.max_unread_mib), and the workers: at a million documents 256 take some 720 MiB at most,
        /// the default some 1300. `simctl status` says what holds how much.
        memory_mib: Mebibytes = Mebibytes(2048) => 192..=1_048_576,
        /// Cache of the store, MiB; 0 = its part of memory_mib.
        cache_mib: Mebibytes = Mebibytes(0) => 0..=1_048_576,
        /// Postings collected in memory before they are merged into the store (10 bytes each); 0 = as many
        /// as their part of memory_mib holds.
        buffer_postings: usize = 0 => 0..=1_000_000_000,
        /// Memory for texts and shingles of documents being processed, MiB: one half for reading files and
        /// finding pairs, the other for queries. Work that does not fit waits. 0 = its part of memory_mib.
        working_mib: Mebibytes = Mebibytes(0) => 0..=1_048_576,
        /// Changes are made power-safe at least this often, milliseconds.
        commit_ms: u64 = 1000 => 1..=600_000,
        /// If a call of the storage engine has not returned after this many seconds, the daemon exits with
        /// an error, for the service manager to restart it; no committed data is lost. After a tenth of
        /// this time an alarm is raised.
        stuck_seconds: u64 = 600 => 10..=86_400,
        /// If the records take more disk than this, MiB, and more than twice their live data, they are
        /// rewritten to free space.
        records_mib: Mebibytes = Mebibytes(64) => 1..=1_048_576,
        /// Space kept free for commits on the disk of data_dir, MiB: below it changes wait. Below twice as
        /// much, uploads are refused, and so are reports to keep, on the disk of report_dir. As much again
        /// is in the file `reserve` in data_dir, which is released if the disk becomes full nevertheless.
        /// Each is at most a sixteenth of the disk. With 0 nothing is kept free: once the disk is full, nothing is
        /// answered until there is room.
        reserve_mib: Mebibytes = Mebibytes(64) => 0..=1_048_576,
        /// Most reports in report_dir; one user may have half of them. The daemon only removes a schedule's
        /// reports beyond its `keep`. Once the limit is reached, new reports are refused until somebody
        /// removes one.
        kept_reports: u32 = 1000 => 1..=100_000,
    }
}

section! {
    /// How queries are answered.
    GrpcConfig "grpc" {
        /// Longest message, MiB.
        max_message_mib: Mebibytes = Mebibytes(16) => 1..=1_024,
        /// Replies not read by clients yet, over all connections, MiB; one user may have half, and is
        /// refused above that. At least twice max_message_mib.
        max_unread_mib: Mebibytes = Mebibytes(256) => 2..=65_536,
        /// Longest document a client may upload with a query, MiB.
        max_upload_mib: Mebibytes = Mebibytes(256) => 1..=65_536,
        /// Uploaded documents whose queries wait or are being answered, MiB; one user may have half, and is
        /// refused above that. At least twice max_upload_mib.
        max_uploads_mib: Mebibytes = Mebibytes(2048) => 2..=2_097_152,
        /// Streams one connection may have open.
        max_streams: u32 = 64 => 1..=10_000,
        /// Requests being served at once on one connection.
        max_requests: usize = 64 => 1..=10_000,
        /// Queries answered at once, over all connections; further ones wait.
        max_queries: usize = 16 => 1..=256,
        /// A request without a deadline of its own ends after this long, seconds. A list lasts as long as it has items,
        /// and ends if its client reads nothing for this long.
        deadline_seconds: u64 = 300 => 1..=86_400,
        /// Longest deadline of a request, whatever its client asks for, seconds.
        max_deadline_seconds: u64 = 3_600 => 1..=86_400,
        /// Time limit of requests that last as long as their work (sync, confirmed losses, reports, lists),
        /// seconds.
        max_work_seconds: u64 = 86_400 => 1..=604_800,
        /// Connections at once; beyond that the one idle for longest is closed.
        max_connections: usize = 256 => 1..=10_000,
        /// Connections of one user at once.
        max_connections_per_user: usize = 64 => 1..=10_000,
        /// Requests of one user at once, including those whose replies are not read yet.
        max_requests_per_user: usize = 256 => 1..=100_000,
        /// A request is ended if its client stops sending it, or reading its reply, for this long, seconds.
        idle_seconds: u64 = 120 => 1..=86_400,
        /// A connection without requests is closed after this long, seconds.
        connection_idle_seconds: u64 = 600 => 1..=86_400,
        /// Whether every user of the socket may confirm a loss, or another directory as a root (simctl
        /// roots confirm-loss). Otherwise only root and the user that the daemon runs as may.
        users_confirm_losses: bool = false,
        /// Permissions of the socket; 0o660 = owner and group.
        socket_mode: Permissions = Permissions(0o660) => 0o600..=0o777,
    }
}
