//! Load files: one row per file for review platforms, in `load/`.
//!
//! * Concordance DAT: field 020, quote 254, line break 174; UTF-8 or Windows-1252.
//! * CSV (RFC 4180), in UTF-8.
//! * EDRM XML 1.2, with the relationships of containers and near-duplicates.
//!
//! A [`Profile`] determines the names of the fields, as one platform knows them ([`fields`]). Every file of the roots
//! has a row, by path, whether it is in a group or not; a report of the groups of some files has rows for these files
//! and for those of the groups. Rows are written as they are visited; memory holds the place of each file of a group,
//! but no row.

mod dat;
mod edrm;
mod fields;
mod sheet;
#[cfg(test)]
mod tests;

use std::collections::{HashMap, HashSet};
use std::io::{self, Write};

use simdex_index::{GrowingPermit, MemoryAccount};
use thiserror::Error;

use super::sink::HashingSink;
use super::sorted_group::SortedGroup;
use simdex_schema::DocumentHash;

use super::{ReportError, ReportFile, ReportInput, ReportMember};
use fields::{Field, LoadRow};

/// A load file to write.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LoadFile {
    format: Format,
    profile: Profile,
}

/// The file format.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Format {
    Dat(Encoding),
    Csv,
    Edrm,
}

/// The character encoding of a DAT.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Encoding {
    Utf8,
    Windows1252,
}

/// The platform whose field names are used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Profile {
    Relativity,
    Law,
    Brainspace,
    Purview,
    /// Names of at most twelve capital letters.
    Short,
}

/// Why a load file cannot be written.
#[derive(Debug, Error, PartialEq, Eq)]
pub enum LoadFileError {
    /// No such format.
    #[error("{0:?} is not a format of load files; choose dat, csv or edrm")]
    Format(String),
    /// No such profile.
    #[error(
        "{0:?} is not a profile of load files; choose relativity, law, brainspace, purview or short"
    )]
    Profile(String),
    /// No such encoding.
    #[error("{0:?} is not an encoding of load files; choose utf-8 or windows-1252")]
    Encoding(String),
    /// Only a DAT has a choice of encodings.
    #[error("a load file in {0} is UTF-8; choose dat for another encoding")]
    Utf8Alone(&'static str),
}

impl LoadFile {
    /// A load file, given the names of its format, profile and encoding. An empty profile means
    /// `relativity`, an empty encoding `utf-8`.
    pub fn named(format: &str, profile: &str, encoding: &str) -> Result<Self, LoadFileError> {
        let known = match encoding {
            "" | "utf-8" => Encoding::Utf8,
            "windows-1252" => Encoding::Windows1252,
            _ => return Err(LoadFileError::Encoding(encoding.to_owned())),
        };
        let format = match (format, known) {
            ("dat", encoding) => Format::Dat(encoding),
            ("csv", Encoding::Utf8) => Format::Csv,
            ("edrm", Encoding::Utf8) => Format::Edrm,
            ("csv", _) => return Err(LoadFileError::Utf8Alone("CSV")),
            ("edrm", _) => return Err(LoadFileError::Utf8Alone("EDRM XML")),
            _ => return Err(LoadFileError::Format(format.to_owned())),
        };
        let profile = match profile {
            "" | "relativity" => Profile::Relativity,
            "law" => Profile::Law,
            "brainspace" => Profile::Brainspace,
            "purview" => Profile::Purview,
            "short" => Profile::Short,
            _ => return Err(LoadFileError::Profile(profile.to_owned())),
        };
        Ok(Self { format, profile })
    }

    /// Path of its file in the report.
    fn path(self) -> &'static str {
        match self.format {
            Format::Dat(_) => "load/documents.dat",
            Format::Csv => "load/documents.csv",
            Format::Edrm => "load/documents.xml",
        }
    }

    /// Whether a path can be written unchanged; if not, another field holds its exact bytes.
    fn holds(self, path: &[u8]) -> bool {
        std::str::from_utf8(path).is_ok_and(|path| match self.format {
            Format::Dat(encoding) => dat::holds(path, encoding),
            Format::Csv => sheet::holds(path),
            Format::Edrm => edrm::holds(path),
        })
    }
}

/// A file's place in its group, with facts of the group.
#[derive(Clone, Copy)]
pub(super) struct GroupPlace<'a> {
    pub(super) id: u64,
    pub(super) principal: &'a ReportMember,
    pub(super) member: &'a ReportMember,
    /// Files and distinct texts of the group.
    pub(super) files: u64,
    pub(super) texts: u64,
}

impl GroupPlace<'_> {
    pub(super) fn is_principal(&self) -> bool {
        self.member.path == self.principal.path
    }
}

/// Bytes that a file takes in the map, with spare capacity.
const PLACE: u64 = 3 * size_of::<(&[u8], GroupPlace<'_>)>() as u64;

/// The files of the groups by their paths.
pub(super) struct GroupPlaces<'a> {
    of_files: HashMap<&'a [u8], GroupPlace<'a>>,
    held: GrowingPermit,
}

impl<'a> GroupPlaces<'a> {
    /// An empty map; `account` counts its memory.
    pub(super) fn of(account: &MemoryAccount) -> Self {
        Self {
            of_files: HashMap::new(),
            held: GrowingPermit::of(account),
        }
    }

    /// Notes the files of a group.
    pub(super) fn add(&mut self, group: &SortedGroup<'a>) -> Result<(), ReportError> {
        self.held.add(PLACE * group.members.len() as u64)?;
        let texts = group.distinct_documents();
        for member in &group.members {
            let place = GroupPlace {
                id: group.group.id,
                principal: group.principal,
                member,
                files: group.members.len() as u64,
                texts,
            };
            self.of_files.insert(&member.path, place);
        }
        Ok(())
    }

    /// The place of a file; `None` if it is in no group, or has carried another text since.
    fn place(&self, file: &ReportFile<'_>) -> Option<GroupPlace<'a>> {
        let place = self.of_files.get(file.path).copied();
        place.filter(|place| file.document == Some(place.member.document))
    }
}

/// Writes the load file of a report; `texts` are the documents whose text the report has.
pub(super) fn write(
    sink: &mut HashingSink<'_>,
    input: &ReportInput<'_>,
    load: LoadFile,
    places: &GroupPlaces<'_>,
    texts: &HashSet<DocumentHash>,
) -> Result<(), ReportError> {
    let mut file = sink.create_file(load.path())?;
    let rows = LoadRows {
        load,
        input,
        places,
        texts,
    };
    file.write_with(|out| match load.format {
        Format::Dat(encoding) => {
            rows.table(out, &move |out, values| dat::record(out, values, encoding))
        }
        Format::Csv => rows.table(out, &sheet::record),
        Format::Edrm => edrm::write(out, &rows),
    })?;
    sink.finish(file)
}

/// The rows of a load file.
struct LoadRows<'a> {
    load: LoadFile,
    input: &'a ReportInput<'a>,
    places: &'a GroupPlaces<'a>,
    texts: &'a HashSet<DocumentHash>,
}

/// A function that writes one record of a table.
type WriteRecord = dyn Fn(&mut dyn Write, &[String]) -> io::Result<()>;

impl LoadRows<'_> {
    /// Visits the row of every file that has one.
    fn visit(&self, visit: &mut dyn FnMut(&LoadRow<'_>) -> io::Result<()>) -> io::Result<()> {
        (self.input.files)(&mut |file| {
            let place = self.places.place(file);
            if !self.is_included(file.path, place.is_some()) {
                return Ok(());
            }
            let holds =
                |path: &&[u8]| self.is_included(path, self.places.of_files.contains_key(path));
            let requested_files = self.input.requested_files.as_ref();
            visit(&LoadRow {
                file,
                place,
                is_requested: requested_files
                    .map(|requested_files| requested_files.names(file.path)),
                container: file.container.filter(holds),
                has_text: file.document.is_some_and(|text| self.texts.contains(&text)),
                is_exact: self.load.holds(file.path),
            })
        })
    }

    /// Whether a file has a row: all have, unless the report covers only the groups of some files.
    fn is_included(&self, path: &[u8], is_in_group: bool) -> bool {
        let requested_files = self.input.requested_files.as_ref();
        is_in_group || requested_files.is_none_or(|requested_files| requested_files.names(path))
    }

    /// Writes a record of names, then one per file.
    fn table(&self, out: &mut dyn Write, record: &WriteRecord) -> io::Result<()> {
        let profile = self.load.profile;
        let names = Field::ALL
            .iter()
            .map(|field| field.name(profile).to_owned());
        record(out, &names.collect::<Vec<_>>())?;
        self.visit(&mut |row| {
            let values = Field::ALL.iter().map(|field| row.value(*field, profile));
            record(out, &values.collect::<Vec<_>>())
        })
    }
}
