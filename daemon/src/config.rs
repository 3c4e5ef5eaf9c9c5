//! The configuration: one TOML file, every key with a default, unknown keys refused.
//!
//! `packaging/simdexd.toml` explains each key; a test there holds it against this file.

use std::path::{Path, PathBuf};
use std::time::Duration;

use serde::Deserialize;
use simdex_extract::{Budgets, Limits, OutsideLimits};
use simdex_schema::meta::Parameters;
use simdex_signature::{CANONICAL_VERSION, Ladder, Window};
use thiserror::Error;

use crate::watch;

/// Everything that can be configured.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Config {
    /// Where the index lives; none = a temporary directory (scan) or the system's (serve).
    pub data_dir: Option<PathBuf>,
    /// The Unix socket; none = `simdexd.sock` in the runtime directory.
    pub socket: Option<PathBuf>,
    /// The watched trees.
    pub roots: Vec<RootConfig>,
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

/// One watched tree.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RootConfig {
    /// Absolute path.
    pub path: PathBuf,
    /// How it is watched.
    #[serde(default)]
    pub mode: RootMode,
}

/// How a root is watched.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum RootMode {
    /// By the type of its file system.
    #[default]
    Auto,
    /// By events, and rescans.
    Native,
    /// By rescans alone.
    Poll,
}

impl RootMode {
    /// As it is written in the config.
    pub fn name(self) -> &'static str {
        match self {
            Self::Auto => "auto",
            Self::Native => "native",
            Self::Poll => "poll",
        }
    }
}

impl From<RootMode> for watch::Mode {
    fn from(mode: RootMode) -> Self {
        match mode {
            RootMode::Auto => watch::Mode::Auto,
            RootMode::Native => watch::Mode::Native,
            RootMode::Poll => watch::Mode::Poll,
        }
    }
}

macro_rules! section {
    ($(#[$doc:meta])* $name:ident { $($(#[$key_doc:meta])* $key:ident: $type:ty = $default:expr,)* }) => {
        $(#[$doc])*
        #[derive(Clone, Debug, PartialEq, Deserialize)]
        #[serde(deny_unknown_fields, default)]
        pub struct $name { $($(#[$key_doc])* pub $key: $type,)* }

        impl Default for $name {
            fn default() -> Self {
                Self { $($key: $default,)* }
            }
        }
    };
}

section! {
    /// `[signature]`
    SignatureConfig {
        /// Resemblance from which a pair is a near-duplicate.
        threshold: f64 = 0.8,
        /// Whether BSW_n is indexed beside Mod_n.
        bsw_n: bool = true,
    }
}

section! {
    /// `[extract]`
    ExtractConfig {
        /// Worker processes; 0 = one a processor.
        workers: usize = 0,
        /// Refuse to start where the kernel cannot confine workers wholly; without it they run with
        /// what there is, and say DEGRADED.
        require_sandbox: bool = true,
        /// Address space of a worker, MiB.
        memory_mib: u64 = 2048,
        /// CPU seconds a document.
        cpu_seconds: u64 = 30,
        /// Wall-clock seconds a document.
        wall_seconds: u64 = 60,
        /// Extracted text kept of a document, MiB.
        text_mib: u64 = 64,
        /// Longest file that is read, MiB.
        input_mib: u64 = 1024,
        /// Documents a worker serves before it is replaced.
        documents_per_worker: u32 = 500,
        /// Longest file without text that is compared by its raw bytes, MiB.
        raw_mib: u64 = 64,
        /// What copies of files and of files inside them may take of the data directory's disk at
        /// once, MiB.
        spool_mib: u64 = 4096,
        /// Files that one container may hold, containers within it included.
        container_entries: u32 = 10_000,
        /// Bytes that one container may unpack to, MiB.
        container_mib: u64 = 1024,
        /// Bytes that one file inside may unpack to, MiB.
        container_entry_mib: u64 = 256,
        /// Containers within containers.
        container_nesting: u32 = 8,
        /// After so long nothing more of one container is read, s.
        container_seconds: u64 = 600,
        /// Unpacked over packed bytes, once past 1 MiB.
        inflate_ratio: u32 = 200,
        /// Elements of HTML and XML, and groups of RTF, within one another.
        markup_depth: u32 = 1000,
        /// Parts of one message.
        mime_parts: u32 = 1000,
        /// Parts of a message within one another.
        mime_depth: u32 = 20,
        /// Cells of all sheets of one file.
        sheet_cells: u64 = 2_000_000,
    }
}

section! {
    /// `[outside]`
    OutsideConfig {
        /// Ask `pdftotext` (poppler) for PDFs that are not read, or read poorly.
        pdftotext: bool = false,
        /// Ask `tesseract` for pages and pictures without text.
        ocr: bool = false,
        /// Languages that tesseract tries, joined by `+`.
        ocr_languages: String = "eng".to_owned(),
        /// Pages of one document that are recognised.
        ocr_pages: u32 = 50,
        /// Address space of a program, MiB.
        memory_mib: u64 = 2048,
        /// Time one document may take, s.
        seconds: u64 = 300,
    }
}

section! {
    /// `[watch]`
    WatchConfig {
        /// A changed file must be quiet for so long before it is read, ms.
        debounce_ms: u64 = 500,
        /// A file that is never quiet is read after this long all the same, s.
        max_delay_seconds: u64 = 5,
        /// Rescans of a root watched by events, s.
        rescan_seconds: u64 = 3600,
        /// Rescans of a root that is polled, s.
        poll_seconds: u64 = 30,
        /// Files of which nothing tells that they changed are read again, MiB a second; 0 = never.
        recheck_mib_per_second: u64 = 1,
    }
}

section! {
    /// `[store]`
    StoreConfig {
        /// Cache of the store, MiB.
        cache_mib: u64 = 512,
        /// Postings gathered in memory before they are merged (16 bytes each).
        buffer_postings: usize = 12_000_000,
        /// Changes are made power-safe at least this often, ms.
        commit_ms: u64 = 1000,
    }
}

section! {
    /// `[grpc]`
    GrpcConfig {
        /// Longest message, MiB.
        max_message_mib: usize = 16,
        /// Longest document a client may upload, MiB.
        max_upload_mib: u64 = 256,
        /// Streams a connection may have open.
        max_streams: u32 = 64,
        /// Requests under way on one connection.
        max_requests: usize = 64,
        /// Queries answered at once, over all connections; others wait.
        max_queries: usize = 16,
        /// A request without a deadline of its own ends after this long, s.
        deadline_seconds: u64 = 300,
        /// Permissions of the socket.
        socket_mode: u32 = 0o660,
    }
}

/// A config that cannot be used.
#[derive(Debug, Error)]
pub enum ConfigError {
    /// The file cannot be read.
    #[error("the config {} cannot be read ({source}); name a readable file with --config", path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// The file is not what it should be.
    #[error("the config {} is not valid: {reason}; packaging/simdexd.toml explains every key", path.display())]
    Invalid {
        /// The file.
        path: PathBuf,
        /// What and where.
        reason: String,
    },
}

impl Config {
    /// Reads and checks a config file; opens nothing else.
    pub fn load(path: &Path) -> Result<Self, ConfigError> {
        let unreadable = |source| ConfigError::Unreadable {
            path: path.to_owned(),
            source,
        };
        let text = std::fs::read_to_string(path).map_err(unreadable)?;
        let invalid = |reason: String| ConfigError::Invalid {
            path: path.to_owned(),
            reason,
        };
        let config: Self = toml::from_str(&text)
            .map_err(|error| invalid(error.to_string().trim_end().replace('\n', " ")))?;
        config.check().map_err(invalid)?;
        Ok(config)
    }

    /// Says what is wrong with a config, if anything.
    pub fn check(&self) -> Result<(), String> {
        let threshold = self.signature.threshold;
        if !(0.05..=1.0).contains(&threshold) {
            return Err(format!(
                "signature.threshold is {threshold}, it must lie in 0.05 to 1"
            ));
        }
        for (at, root) in self.roots.iter().enumerate() {
            if !root.path.is_absolute() {
                return Err(format!(
                    "the root {} is not an absolute path",
                    root.path.display()
                ));
            }
            let others = self.roots[..at].iter().map(|other| &other.path);
            let overlaps =
                |other: &&PathBuf| root.path.starts_with(other) || other.starts_with(&root.path);
            if let Some(other) = others.into_iter().find(overlaps) {
                let (a, b) = (root.path.display(), other.display());
                return Err(format!("the roots {a} and {b} overlap; keep one of them"));
            }
        }
        if self.extract.wall_seconds == 0 || self.extract.cpu_seconds == 0 {
            return Err("extract.wall_seconds and extract.cpu_seconds must be at least 1".into());
        }
        let ExtractConfig {
            spool_mib,
            input_mib,
            container_mib,
            ..
        } = self.extract;
        // A file, what it holds, and what one of those holds in turn.
        let least = input_mib.saturating_add(container_mib.saturating_mul(2));
        if spool_mib < least {
            return Err(format!(
                "extract.spool_mib is {spool_mib}, it must be at least {least}: input_mib and twice \
                 container_mib"
            ));
        }
        Ok(())
    }

    /// Limits of the extraction workers.
    pub fn limits(&self) -> Limits {
        Limits {
            address_space: self.extract.memory_mib << 20,
            cpu: Duration::from_secs(self.extract.cpu_seconds),
            wall: Duration::from_secs(self.extract.wall_seconds),
            output_bytes: self.extract.text_mib << 20,
            input_bytes: self.extract.input_mib << 20,
            documents_per_worker: self.extract.documents_per_worker,
            budgets: self.budgets(),
        }
    }

    /// What a program of the machine may cost.
    pub fn outside_limits(&self) -> OutsideLimits {
        OutsideLimits {
            address_space: self.outside.memory_mib << 20,
            time: Duration::from_secs(self.outside.seconds),
            output_bytes: self.extract.text_mib << 20,
            pages: self.outside.ocr_pages,
        }
    }

    /// What the structure of one document may cost.
    fn budgets(&self) -> Budgets {
        let extract = &self.extract;
        Budgets {
            entries: extract.container_entries,
            entry_bytes: extract.container_entry_mib << 20,
            total_bytes: extract.container_mib << 20,
            ratio: extract.inflate_ratio,
            markup_depth: extract.markup_depth,
            mime_parts: extract.mime_parts,
            mime_depth: extract.mime_depth,
            cells: extract.sheet_cells,
        }
    }

    /// Worker processes, and threads that read files for them.
    pub fn workers(&self) -> usize {
        let processors = std::thread::available_parallelism().map_or(2, usize::from);
        if self.extract.workers == 0 {
            processors
        } else {
            self.extract.workers
        }
    }

    /// What signatures and edges are made with.
    pub fn parameters(&self) -> Parameters {
        Parameters {
            canonical: CANONICAL_VERSION,
            window: Window::DEFAULT.width(),
            target: ladder().target,
            bsw_n: self.signature.bsw_n,
            threshold: self.signature.threshold,
        }
    }

    /// Times and bounds of the watchers.
    pub fn watch_settings(&self) -> watch::Settings {
        watch::Settings {
            debounce: Duration::from_millis(self.watch.debounce_ms),
            max_delay: Duration::from_secs(self.watch.max_delay_seconds),
            rescan_every: Duration::from_secs(self.watch.rescan_seconds.max(1)),
            poll_every: Duration::from_secs(self.watch.poll_seconds.max(1)),
            ..watch::Settings::default()
        }
    }
}

/// How many fingerprints a document keeps.
pub fn ladder() -> Ladder {
    Ladder::default()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> Result<Config, String> {
        let config: Config = toml::from_str(text).map_err(|error| error.to_string())?;
        config.check().map(|()| config)
    }

    #[test]
    fn an_empty_config_is_all_defaults() {
        let config = parse("").unwrap();
        assert_eq!(
            (config.signature.threshold, config.workers() > 0),
            (0.8, true)
        );
    }

    #[test]
    fn unknown_keys_overlapping_roots_and_bad_numbers_are_refused() {
        assert!(parse("thresold = 1").unwrap_err().contains("thresold"));
        assert!(
            parse("[signature]\nthreshold = 1.5")
                .unwrap_err()
                .contains("threshold")
        );
        let overlap = parse("roots = [{path = \"/a\"}, {path = \"/a/b\"}]").unwrap_err();
        assert!(
            overlap.contains("/a/b") && overlap.contains("overlap"),
            "{overlap}"
        );
        let spool = parse("[extract]\nspool_mib = 3071").unwrap_err();
        assert!(spool.contains("3072"), "{spool}");
        assert!(
            parse("roots = [{path = \"a\"}]")
                .unwrap_err()
                .contains("absolute")
        );
    }

    #[test]
    fn the_sample_config_names_every_key_with_its_default() {
        let sample = include_str!("../../packaging/simdexd.toml");
        let config = parse(sample).unwrap();
        let default = Config::default();
        assert_eq!(config.signature, default.signature);
        assert_eq!(config.extract, default.extract);
        assert_eq!(config.outside, default.outside);
        assert_eq!(config.watch, default.watch);
        assert_eq!(config.store, default.store);
        assert_eq!(config.grpc, default.grpc);
        let sections = format!(
            "{:?}{:?}{:?}{:?}{:?}{:?}",
            default.signature,
            default.extract,
            default.outside,
            default.watch,
            default.store,
            default.grpc
        );
        let keys = sections
            .split(['{', ','])
            .filter_map(|part| part.split_once(": "));
        for (key, _) in keys {
            assert!(
                sample.contains(&format!("\n{} = ", key.trim())),
                "{key} is not in the sample"
            );
        }
        for key in ["data_dir", "socket", "path", "mode"] {
            assert!(
                sample.contains(&format!("\n# {key} = ")),
                "{key} is not in the sample"
            );
        }
    }

    #[test]
    fn roots_take_a_mode() {
        let config = parse("roots = [{path = \"/a\", mode = \"poll\"}, {path = \"/ab\"}]").unwrap();
        assert_eq!(config.roots[0].mode, RootMode::Poll);
        assert_eq!(config.roots[1].mode, RootMode::Auto);
    }
}
