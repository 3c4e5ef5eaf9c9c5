//! Compound files (DOC, XLS, PPT, MSG): distinguished by the names in their root storage [MS-CFB]. Objects embedded in
//! a document are deeper and do not count.

use super::{Format, Kind};
use crate::compound::{Compound, ROOT};
use crate::input::Input;

pub(super) use crate::compound::MAGIC;

/// Directory name, format, media type.
const NAMES: &[(&str, Format, &str)] = &[
    ("WordDocument", Format::Doc, "application/msword"),
    ("Workbook", Format::Xls, "application/vnd.ms-excel"),
    ("Book", Format::Xls, "application/vnd.ms-excel"),
    (
        "PowerPoint Document",
        Format::Ppt,
        "application/vnd.ms-powerpoint",
    ),
    (
        "__properties_version1.0",
        Format::Msg,
        "application/vnd.ms-outlook",
    ),
];

/// Streams that identify a kind that is not read.
const KNOWN: &[(&str, &str)] = &[
    ("VisioDocument", "application/vnd.visio"),
    ("Quill", "application/vnd.ms-publisher"),
];

/// The kind of a compound file; one with a stream of that name is an encrypted OOXML package.
pub(super) fn kind(input: &Input) -> Kind {
    let Ok(file) = Compound::open(input) else {
        return Kind::Broken("application/x-ole-storage");
    };
    let has = |name| file.child(ROOT, name).is_some();
    if has("EncryptedPackage") {
        return Kind::Encrypted("application/vnd.ms-office");
    }
    if let Some((_, format, media)) = NAMES.iter().find(|(name, ..)| has(name)) {
        return Kind::read(*format, media);
    }
    let known = KNOWN.iter().find(|(name, _)| has(name));
    Kind::Known(
        known
            .map_or("application/x-ole-storage", |(_, media)| *media)
            .into(),
    )
}
