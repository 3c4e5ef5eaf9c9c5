//! The benchmarks, by name. Times are only meaningful on an otherwise idle machine;
//! ratios are measured in one run.

use std::path::PathBuf;

use crate::figure::Figures;

mod answers;
mod bed;
mod candidates_vs_full;
mod compare;
mod cores;
mod families;
mod index_100k;
mod judged;
mod peers;
mod process;
mod report_100k;
mod report_page;
mod repository;
mod rescan;
mod runs;
mod signing;

/// What the command line may change.
#[derive(Clone, Debug, Default)]
pub struct Settings {
    /// Documents to index; each benchmark has its own default.
    pub documents: Option<u64>,
    /// Where the index is kept; one that lies there whole is asked and not filled again.
    pub store: Option<PathBuf>,
    /// Versions in each family, in place of a power law.
    pub families_of: Option<u64>,
    /// As little memory as the daemon can be configured to take, in place of its defaults.
    pub small: bool,
}

/// A benchmark that is run by its name.
pub struct Benchmark {
    /// As given on the command line.
    pub name: &'static str,
    /// What it measures, in one line.
    pub about: &'static str,
    /// Runs it; an error where something does not work or an answer is wrong.
    pub run: fn(Settings, &mut Figures<'_>) -> anyhow::Result<()>,
}

/// All benchmarks, in the order of their list.
pub const BENCHMARKS: &[Benchmark] = &[
    Benchmark {
        name: "index-100k",
        about: "100,000 synthetic documents: postings per second, bytes per posting, query times",
        run: index_100k::run,
    },
    Benchmark {
        name: "answers-100k",
        about: "whole answers at 100,000 texts: 20 verified hits, in process and over gRPC",
        run: answers::run,
    },
    Benchmark {
        name: "judged-100k",
        about: "what judgements of 20 hits add to a question, at 100,000 texts of 10 KB",
        run: judged::run,
    },
    Benchmark {
        name: "candidates-vs-full",
        about: "looking up some fingerprints of a query against looking up all: time and recall",
        run: candidates_vs_full::run,
    },
    Benchmark {
        name: "compare",
        about: "two texts of 500 KB beside each other: words and lines aligned, the whole comparison",
        run: compare::run,
    },
    Benchmark {
        name: "families",
        about: "versions of documents and near-misses of them: what placing them in groups costs",
        run: families::run,
    },
    Benchmark {
        name: "cores",
        about: "planted cores in a component of 5,000 documents: found, and how fast",
        run: cores::run,
    },
    Benchmark {
        name: "runs",
        about: "one run of blocks: bytes on disk and written, lookups in the cache and beside it",
        run: runs::run,
    },
    Benchmark {
        name: "peers",
        about: "10,000 documents in known relations beside sourmash, DuckDB, datasketch, rensa and gaoya, which PYTHON has installed",
        run: peers::run,
    },
    Benchmark {
        name: "report-100k",
        about: "a report of everything at 100,000 documents in 10,000 groups: time, memory, bytes",
        run: report_100k::run,
    },
    Benchmark {
        name: "report-page",
        about: "the page of a report of 10,000 groups: bytes, pages, first view in a browser",
        run: report_page::run,
    },
    Benchmark {
        name: "repository",
        about: "25,000 documents of 50 KB in families up to 2,500: what settling costs beside indexing, memory, groups",
        run: repository::run,
    },
    Benchmark {
        name: "rescan",
        about: "a walk of 100,000 files that have not changed, beside find",
        run: rescan::run,
    },
    Benchmark {
        name: "signing",
        about: "megabytes of text signed a second, beside a plain loop, memory, and sourmash, rensa and gaoya, which PYTHON has installed",
        run: signing::run,
    },
];

/// The benchmark of this name.
pub fn find(name: &str) -> Option<&'static Benchmark> {
    BENCHMARKS.iter().find(|benchmark| benchmark.name == name)
}
