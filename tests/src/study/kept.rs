//! What is kept of studies beside their page: figures are linked, and tables are what a run of today prints.

use std::fs;
use std::path::{Path, PathBuf};

use super::{Settings, find};
use crate::figure::Figures;
use crate::sandbox::corpora;

/// Studies that take some seconds at most in a build for tests, and print the same in every run.
const QUICK: &[&str] = &[
    "cherkasova-fig3",
    "cherkasova-fig4",
    "cherkasova-fig5",
    "containment",
    "template-pairs",
    "ye-table3",
];

fn kept() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("study/results")
}

/// A table that differs is made anew: `--bin study -- NAME --figures tests/study/results > tests/study/results/NAME.txt`,
/// and then what the page says of it is corrected.
#[test]
fn quick_studies_print_what_is_kept_of_them() {
    if corpora().is_none() {
        eprintln!("skipped: the real documents are not here");
        return;
    }
    for name in QUICK {
        let drawn = tempfile::tempdir().unwrap();
        let settings = Settings {
            figures: drawn.path().to_owned(),
            ..Settings::default()
        };
        let mut printed = Vec::new();
        let study = find(name).unwrap();
        (study.run)(&settings, &mut Figures::new(&mut printed, false)).unwrap();
        let printed = String::from_utf8(printed).unwrap();
        let table = fs::read_to_string(kept().join(format!("{name}.txt"))).unwrap();
        for (printed, kept) in printed.lines().zip(table.lines()) {
            assert_eq!(printed, kept, "{name} is stale");
        }
        assert_eq!(printed.len(), table.len(), "{name} is stale");
        for figure in fs::read_dir(drawn.path()).unwrap() {
            let figure = figure.unwrap();
            let [drawn, kept] = [figure.path(), kept().join(figure.file_name())]
                .map(|path| fs::read_to_string(path).unwrap());
            assert!(drawn == kept, "{} is stale", figure.path().display());
        }
    }
}

#[test]
fn every_figure_of_the_papers_is_kept_and_linked_and_no_other() {
    let page = fs::read_to_string(kept().join("README.md")).unwrap();
    let files = fs::read_dir(kept()).unwrap();
    let names = files.map(|file| file.unwrap().file_name().into_string().unwrap());
    let figures: Vec<String> = names.filter(|name| name.ends_with(".svg")).collect();
    for figure in &figures {
        assert!(
            page.contains(&format!("]({figure})")),
            "{figure} is not linked"
        );
    }
    let cherkasova = (2..=9).chain([11]).map(|at| format!("cherkasova-fig{at}"));
    let ye = (1..=4).map(|at| format!("ye-fig{at}"));
    let others = DRAWN.iter().map(|name| (*name).to_owned());
    for name in cherkasova.chain(ye).chain(others) {
        // A figure of several panels has a file for each: its name, then that of the panel.
        let is_of = |figure: &String| {
            let rest = figure.strip_prefix(&name);
            rest.is_some_and(|rest| rest == ".svg" || rest.starts_with('-'))
        };
        assert!(figures.iter().any(is_of), "no figure {name}");
    }
}

/// Studies of the papers that draw a figure of their own.
const DRAWN: &[&str] = &[
    "ye-text",
    "ye-recall",
    "ye-width",
    "sketch-families",
    "mod-n-error",
    "units",
    "i-match-stability",
    "ignatov-images",
    "ignatov-lengths",
    "ignatov-table2",
    "ignatov-table3",
    "ignatov-table4",
];
