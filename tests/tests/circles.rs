//! Modules of the index do not import each other in circles, except those listed here.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use super::{rust_files, top};

/// A module whose children may not import each other in circles.
struct Parent {
    /// The file that declares the children.
    entry: &'static str,
    /// The folder of their files.
    folder: &'static str,
    /// The path by which children name each other.
    path: &'static str,
    /// Circles that are left: children that name each other, directly or through others. Remove what was freed.
    circles: &'static [&'static [&'static str]],
}

const PARENTS: &[Parent] = &[
    Parent {
        entry: "daemon/index/src/lib.rs",
        folder: "daemon/index/src",
        path: "crate",
        circles: &[
            // `IndexError` names the errors of the store and of texts, which know when to give up.
            &["cancel", "error", "fault", "store", "text"],
            // `IndexReader` has the methods of those who search for it.
            &["edges", "join", "reader", "signing"],
        ],
    },
    Parent {
        entry: "daemon/index/src/store.rs",
        folder: "daemon/index/src/store",
        path: "crate::store",
        circles: &[],
    },
];

/// The modules that each module names.
type Arrows = BTreeMap<String, BTreeSet<String>>;

/// The code of a source: no comments, no unit tests.
fn code(path: &Path) -> String {
    let source = fs::read_to_string(path).expect("a Rust file is UTF-8");
    let code = source.split("#[cfg(test)]\nmod tests {").next();
    let lines = code.unwrap_or_default().lines();
    let lines = lines.filter(|line| !line.trim_start().starts_with("//"));
    lines.collect::<Vec<_>>().join("\n")
}

fn identifier(text: &str) -> &str {
    let end = text.find(|letter: char| !letter.is_ascii_alphanumeric() && letter != '_');
    &text[..end.unwrap_or(text.len())]
}

/// The names at the beginning of an import path or of each item of a group.
fn first_names(text: &str) -> Vec<&str> {
    let Some(group) = text.strip_prefix('{') else {
        return vec![identifier(text)];
    };
    let (mut names, mut depth, mut is_next) = (Vec::new(), 1, true);
    for (at, letter) in group.char_indices() {
        match letter {
            '{' => depth += 1,
            '}' => depth -= 1,
            ',' if depth == 1 => is_next = true,
            _ if is_next && !letter.is_whitespace() => {
                names.push(identifier(&group[at..]));
                is_next = false;
            }
            _ => {}
        }
        if depth == 0 {
            break;
        }
    }
    names
}

impl Parent {
    /// The children, and what is exported of them by the child it comes from.
    fn children(&self) -> (BTreeSet<String>, BTreeMap<String, String>) {
        let entry = code(&top().join(self.entry)).replace("#[cfg(test)]\nmod ", "#[cfg(test)] ");
        let declared = entry.lines().filter_map(|line| {
            let name = line.split_once("mod ")?.1.strip_suffix(';')?;
            Some(name.to_owned())
        });
        let children: BTreeSet<String> = declared.collect();
        let mut exports = BTreeMap::new();
        for (_, export) in entry
            .match_indices("use ")
            .map(|(at, _)| (at, &entry[at + 4..]))
        {
            let child = identifier(export);
            let items = export.split(';').next().unwrap_or_default();
            if !children.contains(child) {
                continue;
            }
            let group = items.split_once('{').map(|(_, group)| format!("{{{group}"));
            let last = items.rsplit("::").next().unwrap_or_default();
            for name in first_names(group.as_deref().unwrap_or(last)) {
                exports.insert(name.to_owned(), child.to_owned());
            }
        }
        (children, exports)
    }

    fn arrows(&self) -> Arrows {
        let (children, exports) = self.children();
        let mut arrows = Arrows::new();
        for path in rust_files() {
            let Ok(inside) = path.strip_prefix(top().join(self.folder)) else {
                continue;
            };
            let parts = inside
                .iter()
                .map(|part| part.to_string_lossy().replace(".rs", ""));
            let parts: Vec<String> = parts.collect();
            let own = &parts[0];
            if !children.contains(own) || parts.iter().any(|part| part == "tests") {
                continue;
            }
            let source = code(&path);
            let by_path = format!("{}::", self.path);
            let by_super = if parts.len() == 1 { "super::" } else { "\0" };
            for prefix in [by_path.as_str(), by_super] {
                for (at, _) in source.match_indices(prefix) {
                    for name in first_names(&source[at + prefix.len()..]) {
                        let child = children.get(name).or_else(|| exports.get(name));
                        let other = child.filter(|child| *child != own).cloned();
                        arrows.entry(own.clone()).or_default().extend(other);
                    }
                }
            }
        }
        arrows
    }
}

/// Whether a module leads back to itself.
fn is_in_circle(arrows: &Arrows, module: &str) -> bool {
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
fn modules_of_the_index_import_each_other_in_no_other_circles() {
    for parent in PARENTS {
        let mut arrows = parent.arrows();
        assert!(
            arrows.len() > 5,
            "what is looked for is written in another way"
        );
        for circle in parent.circles {
            for module in *circle {
                assert!(is_in_circle(&arrows, module), "{module} was freed");
            }
            for module in *circle {
                let others = arrows.entry((*module).to_owned()).or_default();
                others.retain(|other| !circle.contains(&other.as_str()));
            }
        }
        let modules: Vec<&String> = arrows.keys().collect();
        let left = modules
            .into_iter()
            .filter(|module| is_in_circle(&arrows, module));
        let left: Vec<&String> = left.collect();
        assert!(left.is_empty(), "{}: {left:?}", parent.entry);
    }
}
