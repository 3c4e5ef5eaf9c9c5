//! Local headers of ZIP archives (APPNOTE §4.3.7), which precede each entry.

use crate::input::Input;

/// Length of a local header without name and extra fields.
pub(crate) const LOCAL_HEADER: u64 = 30;

/// Names of the first entry of a package, whose parts are not files of their own.
const PACKAGES: &[&str] = &[
    "[Content_Types].xml",
    "mimetype",
    "_rels/",
    "docProps/",
    "word/",
];

/// The header of an entry.
pub(crate) struct LocalHeader {
    pub(crate) flags: u16,
    pub(crate) method: u16,
    pub(crate) packed: u64,
    pub(crate) name: String,
    /// Where the data begins.
    pub(crate) data: u64,
}

/// Whether the first local header is complete and does not begin a package.
pub(crate) fn is_salvageable(input: &Input) -> bool {
    local_header(input, 0).is_some_and(|first| {
        !first.name.is_empty() && !PACKAGES.iter().any(|name| first.name.starts_with(name))
    })
}

/// The header at this position, if there is a complete one.
pub(crate) fn local_header(input: &Input, at: u64) -> Option<LocalHeader> {
    let fixed = input.range(at, LOCAL_HEADER).ok()?;
    let fixed: [u8; LOCAL_HEADER as usize] = fixed.try_into().ok()?;
    if !fixed.starts_with(b"PK\x03\x04") {
        return None;
    }
    let short = |at: usize| u16::from_le_bytes([fixed[at], fixed[at + 1]]);
    let packed = u32::from_le_bytes([fixed[18], fixed[19], fixed[20], fixed[21]]);
    let (name_length, extra_length) = (u64::from(short(26)), u64::from(short(28)));
    let name = input.range(at + LOCAL_HEADER, name_length).ok()?;
    (name.len() as u64 == name_length).then(|| LocalHeader {
        flags: short(6),
        method: short(8),
        packed: packed.into(),
        name: String::from_utf8_lossy(&name).into_owned(),
        data: at + LOCAL_HEADER + name_length + extra_length,
    })
}
