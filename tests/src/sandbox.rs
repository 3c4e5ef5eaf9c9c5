//! A directory of its own for every test: a share, a data directory, a socket, and the real
//! programs run on them.
//!
//! ```no_run
//! # fn main() -> anyhow::Result<()> {
//! use simdex_tests::sandbox::Sandbox;
//!
//! let sandbox = Sandbox::new()?;
//! sandbox.write("a.txt", "some text")?;
//! let daemon = sandbox.serve().config("[watch]\ndebounce_ms = 50\n").start()?;
//! daemon.sync()?;
//! let answer = daemon.simctl(["find-similar", "a.txt"])?;
//! daemon.kill()?;                            // or stop(): as systemd does
//! let scanned = sandbox.scan(["--pairs"])?;  // the same share, a store of its own
//! # Ok(())
//! # }
//! ```

use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

mod daemon;
mod process;
mod program;
mod run;
mod terminal;

pub use daemon::{Daemon, Serve};
pub use process::{bound_by_permissions, children, high_water_kib};
pub use program::{simctl, simdexd};
pub use run::{Answer, Run};

/// A temporary directory that holds everything one test touches; removed when dropped.
pub struct Sandbox {
    dir: tempfile::TempDir,
    share: PathBuf,
}

impl Sandbox {
    /// An empty share, and room for a data directory and a socket.
    pub fn new() -> Result<Self> {
        let dir = tempfile::Builder::new().prefix("simdex-").tempdir()?;
        // Answers name files by their real path.
        let share = dir.path().canonicalize()?.join("share");
        fs::create_dir(&share)?;
        Ok(Self { dir, share })
    }

    /// The directory that daemons of this sandbox watch unless told otherwise.
    pub fn share(&self) -> &Path {
        &self.share
    }

    /// A path beside the share that nothing watches, for configs and reports.
    pub fn beside(&self, name: impl AsRef<Path>) -> PathBuf {
        self.dir.path().join(name)
    }

    /// The data directory of daemons of this sandbox.
    pub fn data_dir(&self) -> PathBuf {
        self.beside("data")
    }

    /// The socket of daemons of this sandbox.
    pub fn socket(&self) -> PathBuf {
        self.beside("simdexd.sock")
    }

    /// Writes a file of the share, and the directories on its way.
    pub fn write(&self, name: impl AsRef<Path>, bytes: impl AsRef<[u8]>) -> Result<PathBuf> {
        let path = self.share.join(name);
        if let Some(parent) = path.parent() {
            fs::create_dir_all(parent)?;
        }
        fs::write(&path, bytes).with_context(|| format!("writing {}", path.display()))?;
        Ok(path)
    }

    /// A daemon to be started on this sandbox's share, data directory and socket.
    pub fn serve(&self) -> Serve {
        Serve::new(self)
    }

    /// `simdexd scan --json FLAGS SHARE`, with a temporary store unless a flag names one.
    pub fn scan<A: AsRef<OsStr>>(&self, flags: impl IntoIterator<Item = A>) -> Result<Answer> {
        scan([&self.share], flags)
    }
}

/// `simdexd scan --json FLAGS DIRS`, which must succeed.
pub fn scan<D: AsRef<OsStr>, A: AsRef<OsStr>>(
    dirs: impl IntoIterator<Item = D>,
    flags: impl IntoIterator<Item = A>,
) -> Result<Answer> {
    let run = Run::of(simdexd()?).args(["scan", "--json"]);
    run.args(flags).args(dirs).wait()?.success()
}

/// The folder of real documents: `$SIMDEX_CORPORA`, else `../shared/corpora` beside the workspace;
/// none where that is no folder. Tests that want it pass without it and say so.
pub fn corpora() -> Option<PathBuf> {
    let beside = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../shared/corpora");
    let named = std::env::var_os("SIMDEX_CORPORA").map_or(beside, PathBuf::from);
    named.canonicalize().ok().filter(|dir| dir.is_dir())
}
