//! Arguments of `report`.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::{Args, ValueEnum};
use simdex_client::{Error, absolute, parse_age, path_bytes, shown, wire};

use super::arguments::Roots;
use super::arguments::Threshold;
use super::numbers::ratio;
use super::{CompletenessArgs, JudgeReportArgs};

/// Arguments of `simctl report`.
#[derive(Debug, Args)]
pub(crate) struct ReportArgs {
    #[command(flatten)]
    pub(crate) target: ReportTarget,
    /// Compare with this earlier report of the same kind, given by its directory or manifest; changes are written to
    /// DIR.changes.jsonl beside the new report. With --keep, give the name of a kept report; changes are part of the
    /// new one
    #[arg(long, value_name = "REPORT")]
    pub(crate) since: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) question: QuestionArgs,
    #[command(flatten)]
    pub(crate) roots: Roots,
    #[command(flatten)]
    pub(crate) load: LoadArgs,
    #[command(flatten)]
    pub(crate) judge: JudgeReportArgs,
    #[command(flatten)]
    pub(crate) threshold: Threshold,
    #[command(flatten)]
    pub(crate) completeness: CompletenessArgs,
}

/// Destination of a report.
#[derive(Debug, Args)]
#[group(required = true, multiple = false)]
pub(crate) struct ReportTarget {
    /// Write the report to this directory, with your own permissions; it must not exist
    #[arg(long, value_name = "DIR")]
    pub(crate) out: Option<PathBuf>,
    /// Have the daemon keep the report under this name, in its own directory for reports
    #[arg(long, value_name = "NAME")]
    pub(crate) keep: Option<OsString>,
}

/// Subject of a report.
#[derive(Debug, Args)]
pub(crate) struct QuestionArgs {
    /// Kind of report
    #[arg(long, value_enum, default_value_t = Kind::Groups)]
    kind: Kind,
    /// Indexed files whose groups alone are reported (--kind groups), or files whose near-copies are (--kind copies-of):
    /// one that is not indexed is sent to the daemon and read for this report alone
    #[arg(value_name = "FILE")]
    pub(crate) files: Vec<PathBuf>,
    /// Least age of a stale version, such as 12h, 90d, 6w or 2y (--kind stale-versions)
    #[arg(long, value_name = "AGE", value_parser = age)]
    older_than: Option<u64>,
    /// With --kind cores: least number of fingerprints that all documents share, of 100 kept of each [default: 85]
    #[arg(long, value_name = "COUNT", value_parser = clap::value_parser!(u32).range(2..=100))]
    common: Option<u32>,
    /// With --kind cores: stop the search after this time, and report what may be missing [default: 60]
    #[arg(long = "deadline", value_name = "SECONDS", value_parser = clap::value_parser!(u32).range(1..=86_400))]
    mining_seconds: Option<u32>,
    /// Least containment, from 0 to 1: with --kind copies-of, of the given file in the other; with --kind leak, of
    /// either in the other; with --kind stale-versions, of the older text in the newer. --threshold is then the least
    /// resemblance only [default: --threshold; with --kind stale-versions, the daemon's threshold]
    #[arg(long, value_name = "RATIO", value_parser = ratio)]
    containment: Option<f64>,
    /// Watched root whose text must not occur elsewhere (--kind leak; repeatable)
    #[arg(long, value_name = "ROOT")]
    protected: Vec<PathBuf>,
}

/// Kinds of reports.
#[derive(Debug, Clone, Copy, ValueEnum)]
enum Kind {
    /// Groups of near-duplicates, with their differences
    Groups,
    /// Documents linked by chains of near-duplicates
    Components,
    /// Maximal sets of documents that all share the same fingerprints
    Cores,
    /// Everyone who holds a near-copy of these files, by root and owner
    CopiesOf,
    /// Versions that a later one superseded, by dates or by times of files an hour apart, older than --older-than
    StaleVersions,
    /// Files outside the protected roots that share text with a document inside
    Leak,
    /// Copies that could be deleted to free space; nothing is deleted
    Duplicates,
}

fn age(text: &str) -> Result<u64, String> {
    let wrong = || "an age is a number with h, d, w or y, such as 90d".to_owned();
    parse_age(text).ok_or_else(wrong)
}

/// A load file in the report.
#[derive(Debug, Args)]
pub(crate) struct LoadArgs {
    /// Also write a load file for review platforms, one row per file, to load/ in the report
    #[arg(long, value_name = "FORMAT", value_enum)]
    load_file: Option<LoadFormat>,
    /// Name the fields of the load file as this platform does
    #[arg(long, value_enum, default_value_t = Profile::Relativity, requires = "load_file")]
    profile: Profile,
    /// Encoding of a load file in dat; csv and edrm are always UTF-8
    #[arg(long, value_enum, default_value_t = Encoding::Utf8, requires = "load_file")]
    encoding: Encoding,
}

/// Formats of load files.
#[derive(Debug, Clone, Copy, ValueEnum)]
enum LoadFormat {
    /// Concordance DAT
    Dat,
    /// CSV; values that a spreadsheet might run are prefixed with an apostrophe
    Csv,
    /// EDRM XML 1.2
    Edrm,
}

/// Naming conventions of fields.
#[derive(Debug, Clone, Copy, ValueEnum)]
enum Profile {
    /// Relativity
    Relativity,
    /// CloudNine LAW
    Law,
    /// Brainspace
    Brainspace,
    /// Microsoft Purview
    Purview,
    /// At most 12 characters, for Concordance Desktop
    Short,
}

/// Encodings of a DAT file.
#[derive(Debug, Clone, Copy, ValueEnum)]
enum Encoding {
    /// UTF-8
    #[value(name = "utf-8")]
    Utf8,
    /// Windows-1252; characters that it lacks become `?`
    #[value(name = "windows-1252")]
    Windows1252,
}

impl LoadArgs {
    /// The encoding as requested.
    fn wire(&self) -> Option<wire::LoadFile> {
        Some(wire::LoadFile {
            format: name(&self.load_file?),
            profile: name(&self.profile),
            encoding: name(&self.encoding),
        })
    }
}

impl ReportArgs {
    /// Whether the files asked about may be such as the index lacks.
    pub(crate) fn takes_files_outside(&self) -> bool {
        matches!(self.question.kind, Kind::CopiesOf)
    }

    /// The options of the report, limited to `roots` unless that is empty; without the files asked about if these may be
    /// such as the index lacks.
    ///
    /// # Errors
    /// A relative path whose folder is gone.
    pub(crate) fn options(&self, roots: Vec<Vec<u8>>) -> Result<wire::ReportOptions, Error> {
        let files = match self.takes_files_outside() {
            true => &[],
            false => &self.question.files[..],
        };
        let files = files.iter().map(|file| Ok(path_bytes(&shown(file)?)));
        let protected = self.question.protected.iter();
        let protected = protected.map(|root| Ok(path_bytes(&absolute(root)?)));
        Ok(wire::ReportOptions {
            load_file: self.load.wire(),
            kind: name(&self.question.kind),
            files: files.collect::<Result<_, Error>>()?,
            older_than_seconds: self.question.older_than,
            protected: protected.collect::<Result<_, Error>>()?,
            with_judgement: self.judge.is_on(matches!(self.question.kind, Kind::Groups)),
            roots,
            common: self.question.common,
            mining_seconds: self.question.mining_seconds,
            containment: self.question.containment,
            sent_files: Vec::new(),
        })
    }
}

/// The name of a value on the command line, which equals its name on the wire.
fn name(value: &impl ValueEnum) -> String {
    let value = value.to_possible_value();
    value.map_or_else(String::new, |value| value.get_name().to_owned())
}
