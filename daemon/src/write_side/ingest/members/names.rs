//! The recorded names of members.

use std::collections::HashSet;

use simdex_extract::Member;
use simdex_schema::FileKey;

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
