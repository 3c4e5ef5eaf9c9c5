//! Modules do not import each other in circles, except those listed here: the children of every module of the workspace
//! are looked at.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use super::imports::{Arrows, code, is_in_circle, names, names_after};
use super::{rust_files, top};

/// Children of one module that name each other, directly or through others, and stay so. Remove what was freed.
struct Circle {
    /// The file that declares the children.
    entry: &'static str,
    modules: &'static [&'static str],
    /// Why they are not parted.
    #[expect(dead_code, reason = "for those who read the list")]
    why: &'static str,
}

const CIRCLES: &[Circle] = &[
    Circle {
        entry: "daemon/index/src/lib.rs",
        modules: &["cancel", "error", "store"],
        why: "IndexError names the errors of the store, which knows when to give up",
    },
    Circle {
        entry: "daemon/src/lib.rs",
        modules: &["engine", "read_side"],
        why: "the engine lends what an answer needs, and holds what answers keep",
    },
    Circle {
        entry: "daemon/src/read_side/families.rs",
        modules: &["arrange", "grow", "times"],
        why: "arrange calls the others, and has the types of versions that all of them use",
    },
    Circle {
        entry: "daemon/readers/src/formats.rs",
        modules: &["formula", "xml"],
        why: "the reader of XML reads formulas, which decode names as it does",
    },
    Circle {
        entry: "tests/src/lib.rs",
        modules: &["corpus", "near_duplicates"],
        why: "edits draw from the random numbers of the corpus, whose planted documents are edited",
    },
    Circle {
        entry: "tests/src/lib.rs",
        modules: &["acceptance", "labelled", "study"],
        why: "studies list the files of the checks, which use pairs of the studies",
    },
    Circle {
        entry: "tests/src/acceptance/bad_inputs.rs",
        modules: &["bed", "files", "lively"],
        why: "inputs are tried in a bed, which knows the input that is given up",
    },
    Circle {
        entry: "tests/src/fuzz.rs",
        modules: &["lying", "target"],
        why: "a target takes its words from the list of targets, which names it",
    },
    Circle {
        entry: "tests/src/hostile.rs",
        modules: &["acts", "world"],
        why: "acts change the world, which furnishes it for them and counts them",
    },
    Circle {
        entry: "tests/src/near_duplicates.rs",
        modules: &["operation", "spread"],
        why: "operations are spread over a text by the ways that they name",
    },
];

/// A module with children.
struct Parent {
    /// The file that declares the children, below the top.
    entry: PathBuf,
    /// The folder of their files.
    folder: PathBuf,
    /// The path by which children name each other.
    path: String,
    children: BTreeSet<String>,
    /// For each name that the parent imports from a child, that child.
    exports: BTreeMap<String, String>,
}

impl Parent {
    /// The module of a file; `None` if it declares fewer than two children, or is a test.
    fn of(file: &Path) -> Option<Self> {
        let entry = file.strip_prefix(top()).ok()?.to_owned();
        let parts: Vec<_> = entry.iter().map(|part| part.to_string_lossy()).collect();
        let src = parts.iter().rposition(|part| part == "src")?;
        let module = entry.with_extension("");
        let module = module.iter().skip(src + 1);
        let module: Vec<String> = module
            .map(|part| part.to_string_lossy().into_owned())
            .collect();
        if ["tests", "bin"].iter().any(|name| module[0] == *name) {
            return None;
        }
        let is_root = module == ["lib"] || module == ["main"];
        let module = if is_root { Vec::new() } else { module };
        let source = fs::read_to_string(file).expect("a Rust file is UTF-8");
        let source = code(&source).replace("#[cfg(test)]\nmod ", "#[cfg(test)] ");
        let declared = source.lines().filter_map(|line| {
            let (before, name) = line.split_once("mod ")?;
            let is_declared = before.is_empty() || before.starts_with("pub");
            let name = name.strip_suffix(';')?;
            is_declared.then(|| name.to_owned())
        });
        let children: BTreeSet<String> = declared.collect();
        let path = module.iter().map(|name| format!("{name}::"));
        let parent = Self {
            folder: match is_root {
                true => file.parent()?.to_owned(),
                false => file.with_extension(""),
            },
            path: format!("crate::{}", path.collect::<String>()),
            exports: exports(&source, &children),
            entry,
            children,
        };
        (parent.children.len() > 1).then_some(parent)
    }

    /// Which children name which others.
    fn arrows(&self, files: &[(PathBuf, String)]) -> Arrows {
        let mut arrows = Arrows::new();
        for (path, source) in files {
            let Ok(inside) = path.strip_prefix(&self.folder) else {
                continue;
            };
            let parts = inside.iter().map(|part| part.to_string_lossy());
            let parts: Vec<String> = parts.map(|part| part.replace(".rs", "")).collect();
            let own = &parts[0];
            if !self.children.contains(own) || parts.iter().any(|part| part == "tests") {
                continue;
            }
            let mut named = names_after(source, &self.path);
            named.extend(names_after(source, &"super::".repeat(parts.len())));
            let others = named.iter().filter_map(|name| {
                let child = self.children.get(name).or_else(|| self.exports.get(name));
                child.filter(|child| *child != own).cloned()
            });
            arrows.entry(own.clone()).or_default().extend(others);
        }
        arrows
    }
}

/// For each name that a module imports from one of its children, that child.
fn exports(source: &str, children: &BTreeSet<String>) -> BTreeMap<String, String> {
    let mut exports = BTreeMap::new();
    for (at, keyword) in source.match_indices("use ") {
        let import = source[at + keyword.len()..].split(';').next();
        let mut named = names(import.unwrap_or_default()).filter(|name| *name != "self");
        if let Some(child) = named.next().filter(|child| children.contains(*child)) {
            exports.extend(named.map(|name| (name.to_owned(), child.to_owned())));
        }
    }
    exports
}

#[test]
fn modules_import_each_other_in_no_other_circles() {
    let files: Vec<(PathBuf, String)> = rust_files()
        .into_iter()
        .map(|path| {
            let source = fs::read_to_string(&path).expect("a Rust file is UTF-8");
            (path, code(&source))
        })
        .collect();
    let parents: Vec<Parent> = files
        .iter()
        .filter_map(|(path, _)| Parent::of(path))
        .collect();
    let (mut left, mut freed, mut count) = (Vec::new(), Vec::<&str>::new(), 0);
    let mut unknown: BTreeSet<&str> = CIRCLES.iter().map(|circle| circle.entry).collect();
    for parent in &parents {
        let mut arrows = parent.arrows(&files);
        count += arrows.values().map(BTreeSet::len).sum::<usize>();
        for circle in CIRCLES {
            if Path::new(circle.entry) != parent.entry {
                continue;
            }
            unknown.remove(circle.entry);
            let modules = circle.modules.iter().copied();
            freed.extend(modules.filter(|module| !is_in_circle(&arrows, module)));
            for module in circle.modules {
                let others = arrows.entry((*module).to_owned()).or_default();
                others.retain(|other| !circle.modules.contains(&other.as_str()));
            }
        }
        let circular = arrows.keys().filter(|module| is_in_circle(&arrows, module));
        left.extend(circular.map(|module| format!("{}: {module}", parent.entry.display())));
    }
    assert!(
        parents.len() > 100 && count > 500,
        "what is looked for is written in another way: {} modules, {count} arrows",
        parents.len()
    );
    assert!(left.is_empty(), "{left:#?}");
    assert!(
        freed.is_empty() && unknown.is_empty(),
        "freed: {freed:?} {unknown:?}"
    );
}
