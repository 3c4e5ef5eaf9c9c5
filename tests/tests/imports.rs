//! What modules name of each other, read from their sources, and whether that leads in a circle.

use std::collections::{BTreeMap, BTreeSet};

/// The modules that each module names.
pub(super) type Arrows = BTreeMap<String, BTreeSet<String>>;

/// The code of a source: no comments, no unit tests.
pub(super) fn code(source: &str) -> String {
    // Tests that need every reader.
    let source = source.replace("#[cfg(feature = \"all\")]\n", "");
    let code = source.split("#[cfg(test)]\nmod tests {").next();
    let lines = code.unwrap_or_default().lines();
    let lines = lines.filter(|line| !line.trim_start().starts_with("//"));
    lines.collect::<Vec<_>>().join("\n")
}

fn is_of_name(letter: char) -> bool {
    letter.is_ascii_alphanumeric() || letter == '_'
}

/// The names that a text holds, without what is between them.
pub(super) fn names(text: &str) -> impl Iterator<Item = &str> {
    text.split(|letter| !is_of_name(letter))
        .filter(|name| !name.is_empty())
}

/// The names directly after a prefix of a path, also those in braces.
pub(super) fn names_after(code: &str, prefix: &str) -> BTreeSet<String> {
    let is_inside = |letter: char| is_of_name(letter) || letter == ':';
    let mut found = BTreeSet::new();
    for (at, _) in code.match_indices(prefix) {
        if code[..at].ends_with(is_inside) {
            continue;
        }
        let rest = &code[at + prefix.len()..];
        let Some(list) = rest.strip_prefix('{') else {
            found.extend(first_name(rest));
            continue;
        };
        let (mut depth, mut from) = (0_u32, 0);
        for (at, letter) in list.char_indices() {
            match letter {
                '{' => depth += 1,
                '}' if depth > 0 => depth -= 1,
                ',' | '}' if depth == 0 => {
                    found.extend(first_name(&list[from..at]));
                    from = at + 1;
                    if letter == '}' {
                        break;
                    }
                }
                _ => {}
            }
        }
    }
    found
}

/// The name that a path begins with.
fn first_name(path: &str) -> Option<String> {
    let path = path.trim_start();
    let first = path.starts_with(is_of_name).then(|| names(path).next());
    first.flatten().map(str::to_owned)
}

/// Whether a module leads back to itself.
pub(super) fn is_in_circle(arrows: &Arrows, module: &str) -> bool {
    let (mut reached, mut next) = (BTreeSet::new(), vec![module]);
    while let Some(at) = next.pop() {
        let others = arrows.get(at).into_iter().flatten();
        next.extend(
            others
                .map(String::as_str)
                .filter(|other| reached.insert(*other)),
        );
    }
    reached.contains(module)
}

#[test]
fn names_after_a_prefix_are_found_in_braces_too() {
    let code =
        "use super::a::B;\nuse super::{c::{D, e}, f, G};\nuse super::super::h;\ncrate::x::super::i";
    let names: Vec<String> = names_after(code, "super::").into_iter().collect();
    assert_eq!(names, ["G", "a", "c", "f", "super"]);
}
