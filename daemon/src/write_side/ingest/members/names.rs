//! The recorded names of members.

use std::collections::HashSet;

use simdex_extract::{Member, Role};
use simdex_schema::{FileKey, Reason};

use crate::write_side::ingest::framesets::RENDERED_NAME;

/// Gives every member a unique name: one without a name, or with another's, gets its number.
pub(super) fn name(
    container: &FileKey,
    member: &Member,
    ordinal: usize,
    names: &mut HashSet<String>,
) -> FileKey {
    // NUL is removed before names are compared: in a stored path it only separates members.
    let mut name = member.name.replace('\0', "");
    if name.is_empty() {
        name = format!("member {}", ordinal + 1);
    }
    while !names.insert(name.clone()) {
        name = format!("{name} ({})", ordinal + 1);
    }
    container.member(name.as_bytes())
}

/// Placeholder for a page that could not be rendered.
pub(super) fn not_rendered() -> Member {
    Member {
        name: RENDERED_NAME.to_owned(),
        role: Role::Rendered,
        modified: None,
        body: Err(Reason::ReadError),
    }
}
