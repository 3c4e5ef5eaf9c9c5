//! Arguments of `report`.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::{Args, ValueEnum};
use simdex_client::wire;

use super::{Threshold, Wanted};

/// `report`.
#[derive(Debug, Args)]
pub(crate) struct ReportArgs {
    #[command(flatten)]
    pub(crate) target: ReportTarget,
    #[command(flatten)]
    pub(crate) load: LoadArgs,
    #[command(flatten)]
    pub(crate) threshold: Threshold,
    #[command(flatten)]
    pub(crate) wanted: Wanted,
}

/// Where a report goes.
#[derive(Debug, Args)]
#[group(required = true, multiple = false)]
pub(crate) struct ReportTarget {
    /// Directory to make, here and with your rights; it must not exist
    #[arg(long, value_name = "DIR")]
    pub(crate) out: Option<PathBuf>,
    /// Name under which the daemon keeps the report in its own directory for reports
    #[arg(long, value_name = "NAME")]
    pub(crate) keep: Option<OsString>,
}

/// A load file in the report.
#[derive(Debug, Args)]
pub(crate) struct LoadArgs {
    /// Also write a load file for review platforms, one row per file, in load/ of the report
    #[arg(long, value_name = "FORMAT", value_enum)]
    load_file: Option<LoadFormat>,
    /// Name the fields of the load file as this platform does
    #[arg(long, value_enum, default_value_t = Profile::Relativity, requires = "load_file")]
    profile: Profile,
    /// Encode the load file in this way (csv and edrm are always UTF-8)
    #[arg(long, value_enum, default_value_t = Encoding::Utf8, requires = "load_file")]
    encoding: Encoding,
}

/// Formats of load files.
#[derive(Debug, Clone, Copy, ValueEnum)]
enum LoadFormat {
    /// Concordance DAT
    Dat,
    /// CSV; a value that a spreadsheet might run gets an apostrophe in front
    Csv,
    /// EDRM XML 1.2
    Edrm,
}

/// Names of fields.
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

/// Encodings of a DAT.
#[derive(Debug, Clone, Copy, ValueEnum)]
enum Encoding {
    /// UTF-8
    #[value(name = "utf-8")]
    Utf8,
    /// Windows-1252; what it has not becomes `?`
    #[value(name = "windows-1252")]
    Windows1252,
}

impl LoadArgs {
    /// As it is asked for.
    fn wire(&self) -> Option<wire::LoadFile> {
        Some(wire::LoadFile {
            format: name(&self.load_file?),
            profile: name(&self.profile),
            encoding: name(&self.encoding),
        })
    }
}

impl ReportArgs {
    /// What the report is to hold.
    pub(crate) fn options(&self) -> wire::ReportOptions {
        wire::ReportOptions {
            load_file: self.load.wire(),
        }
    }
}

/// The name of a value on the command line, which is its name on the wire.
fn name(value: &impl ValueEnum) -> String {
    let value = value.to_possible_value();
    value.map_or_else(String::new, |value| value.get_name().to_owned())
}
