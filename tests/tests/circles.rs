//! Modules do not import each other in circles, except those listed here.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;

use super::imports::{Arrows, code, is_in_circle, names, names_after};
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
        path: "crate::",
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
        path: "crate::store::",
        circles: &[],
    },
    Parent {
        entry: "daemon/extract/src/lib.rs",
        folder: "daemon/extract/src",
        path: "crate::",
        circles: &[],
    },
    Parent {
        entry: "daemon/signature/src/lib.rs",
        folder: "daemon/signature/src",
        path: "crate::",
        circles: &[],
    },
    Parent {
        entry: "daemon/readers/src/lib.rs",
        folder: "daemon/readers/src",
        path: "crate::",
        circles: &[],
    },
    Parent {
        entry: "daemon/src/write_side.rs",
        folder: "daemon/src/write_side",
        path: "crate::write_side::",
        circles: &[],
    },
    Parent {
        entry: "daemon/src/write_side/ingest.rs",
        folder: "daemon/src/write_side/ingest",
        path: "crate::write_side::ingest::",
        circles: &[],
    },
    Parent {
        entry: "daemon/judge/src/lib.rs",
        folder: "daemon/judge/src",
        path: "crate::",
        circles: &[],
    },
    Parent {
        entry: "daemon/judge/src/signal.rs",
        folder: "daemon/judge/src/signal",
        path: "crate::signal::",
        circles: &[],
    },
    Parent {
        entry: "daemon/readers/src/formats/mapi.rs",
        folder: "daemon/readers/src/formats/mapi",
        path: "crate::formats::mapi::",
        circles: &[],
    },
    Parent {
        entry: "daemon/readers/src/formats/mapi/pst.rs",
        folder: "daemon/readers/src/formats/mapi/pst",
        path: "crate::formats::mapi::pst::",
        circles: &[],
    },
    Parent {
        entry: "daemon/src/read_side.rs",
        folder: "daemon/src/read_side",
        path: "crate::read_side::",
        circles: &[],
    },
    Parent {
        entry: "daemon/src/edge/grpc.rs",
        folder: "daemon/src/edge/grpc",
        path: "crate::edge::grpc::",
        circles: &[],
    },
    Parent {
        entry: "daemon/src/reports.rs",
        folder: "daemon/src/reports",
        path: "crate::reports::",
        circles: &[],
    },
];

impl Parent {
    /// The children, and for each name that the parent exports the child it comes from.
    fn children(&self) -> (BTreeSet<String>, BTreeMap<String, String>) {
        let entry = fs::read_to_string(top().join(self.entry)).expect("a parent");
        let entry = code(&entry).replace("#[cfg(test)]\nmod ", "#[cfg(test)] ");
        let declared = entry.lines().filter_map(|line| {
            let name = line.split_once("mod ")?.1.strip_suffix(';')?;
            Some(name.to_owned())
        });
        let children: BTreeSet<String> = declared.collect();
        let mut exports = BTreeMap::new();
        for (at, keyword) in entry.match_indices("use ") {
            let export = entry[at + keyword.len()..].split(';').next();
            let mut named = names(export.unwrap_or_default());
            if let Some(child) = named.next().filter(|child| children.contains(*child)) {
                exports.extend(named.map(|name| (name.to_owned(), child.to_owned())));
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
            let parts = inside.iter().map(|part| part.to_string_lossy());
            let parts: Vec<String> = parts.map(|part| part.replace(".rs", "")).collect();
            let own = &parts[0];
            if !children.contains(own) || parts.iter().any(|part| part == "tests") {
                continue;
            }
            let source = code(&fs::read_to_string(&path).expect("a Rust file is UTF-8"));
            let mut named = names_after(&source, self.path);
            named.extend(names_after(&source, &"super::".repeat(parts.len())));
            let others = named.iter().filter_map(|name| {
                let child = children.get(name).or_else(|| exports.get(name));
                child.filter(|child| *child != own).cloned()
            });
            arrows.entry(own.clone()).or_default().extend(others);
        }
        arrows
    }
}

#[test]
fn modules_import_each_other_in_no_other_circles() {
    for parent in PARENTS {
        let mut arrows = parent.arrows();
        let found: BTreeSet<String> = arrows.keys().cloned().collect();
        assert_eq!(found, parent.children().0, "{}", parent.entry);
        let count: usize = arrows.values().map(BTreeSet::len).sum();
        assert!(count > 1, "what is looked for is written in another way");
        for circle in parent.circles {
            for module in *circle {
                assert!(is_in_circle(&arrows, module), "{module} was freed");
            }
            for module in *circle {
                let others = arrows.entry((*module).to_owned()).or_default();
                others.retain(|other| !circle.contains(&other.as_str()));
            }
        }
        let modules = arrows.keys();
        let left: Vec<_> = modules
            .filter(|module| is_in_circle(&arrows, module))
            .collect();
        assert!(left.is_empty(), "{}: {left:?}", parent.entry);
    }
}
