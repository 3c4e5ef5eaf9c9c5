//! The names of members on record.

use std::collections::HashSet;

use simdex_extract::{Member, Role};
use simdex_schema::{FileKey, Reason};

use crate::write_side::ingest::framesets::RENDERED_NAME;

/// A name of its own for every member: what has none, or has another's, gets its number.
pub(super) fn name(
    container: &FileKey,
    member: &Member,
    ordinal: usize,
    names: &mut HashSet<String>,
) -> FileKey {
    // A NUL is dropped before names are told apart: a stored path has it between members only.
    let mut name = member.name.replace('\0', "");
    if name.is_empty() {
        name = format!("member {}", ordinal + 1);
    }
    while !names.insert(name.clone()) {
        name = format!("{name} ({})", ordinal + 1);
    }
    container.member(name.as_bytes())
}

/// Stands for a page that could not be rendered.
pub(super) fn not_rendered() -> Member {
    Member {
        name: RENDERED_NAME.to_owned(),
        role: Role::Rendered,
        modified: None,
        body: Err(Reason::ReadError),
    }
}
