//! Checks on real documents: each one prints its figures, and fails if they do not
//! suffice. Tests and `--bin acceptance` run them.

use std::path::Path;

use anyhow::Result;

use crate::figure::Figures;

mod attack;
mod bad_inputs;
mod contract;
mod crossformat;
mod documents;
mod everything;
mod excerpts;
mod exits;
mod families;
mod formats;
mod groups;
mod named;
mod pairs;
mod raw;
mod renamed;
mod scanned;
mod template_pairs;

pub(crate) use documents::files_below;

/// A check that is run by its name.
pub struct Check {
    /// As given on the command line.
    pub name: &'static str,
    /// What it shows, in one line.
    pub about: &'static str,
    /// How it is run.
    pub run: Run,
}

/// What a check needs.
#[derive(Clone, Copy)]
pub enum Run {
    /// Nothing but what it makes itself.
    Alone(fn(&mut Figures<'_>) -> Result<()>),
    /// Tests elsewhere in the workspace, which it runs on request.
    WithTests(fn(NamedTests, &mut Figures<'_>) -> Result<()>),
    /// The folder of real documents.
    OnDocuments(fn(&Path, &mut Figures<'_>) -> Result<()>),
}

/// What becomes of tests that a check leaves a proof to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NamedTests {
    /// They must exist; a run of all tests includes them.
    Exist,
    /// They are built and run.
    Run,
}

/// All checks, in the order in which `all` runs them.
pub const CHECKS: &[Check] = &[
    Check {
        name: "everything",
        about: "a scan of all documents: every file has a state, and the states add up",
        run: Run::OnDocuments(everything::run),
    },
    Check {
        name: "crossformat",
        about: "txt, html, pdf and xml of one RFC find each other first",
        run: Run::OnDocuments(crossformat::run),
    },
    Check {
        name: "parkr",
        about: "the 10 labelled pairs at 0.5, and no other",
        run: Run::OnDocuments(pairs::parkr),
    },
    Check {
        name: "versions",
        about: "consecutive versions are near-duplicates; every number equals the exact one",
        run: Run::OnDocuments(pairs::versions),
    },
    Check {
        name: "families",
        about: "histories with names and times withheld: chains of the version graph, directed right",
        run: Run::OnDocuments(families::run),
    },
    Check {
        name: "renamed",
        about: "generated histories whose product is renamed: found whole, names and times withheld",
        run: Run::Alone(renamed::generated),
    },
    Check {
        name: "renamed-histories",
        about: "real histories whose product is renamed from the middle on: found whole",
        run: Run::OnDocuments(renamed::real),
    },
    Check {
        name: "template-pairs",
        about: "short forms of one template: hardly a false pair once its lines are left out, none judged a version",
        run: Run::Alone(template_pairs::run),
    },
    Check {
        name: "cpp-docs",
        about: "one template, distinct documents: no pair at 0.8 that exact shingles put below",
        run: Run::OnDocuments(pairs::cpp_docs),
    },
    Check {
        name: "rustsec",
        about: "serial notices: the pairs that exact shingles put at 0.8 or more are found",
        run: Run::OnDocuments(pairs::rustsec),
    },
    Check {
        name: "groups",
        about: "groups equal the stars over exact pairs, every file and copy listed",
        run: Run::OnDocuments(groups::run),
    },
    Check {
        name: "excerpts",
        about: "200 paragraphs of long documents: containing finds the source first",
        run: Run::OnDocuments(excerpts::run),
    },
    Check {
        name: "formats",
        about: "where files of many kinds end: counts by state and reason",
        run: Run::OnDocuments(formats::run),
    },
    Check {
        name: "raw",
        about: "changed copies of files without text are found by shared chunks",
        run: Run::Alone(raw::run),
    },
    Check {
        name: "bad-inputs",
        about: "64 kinds of bad input: each ends as FORMAT.md says, and nothing beside it suffers",
        run: Run::Alone(bad_inputs::run),
    },
    Check {
        name: "attack",
        about: "18 weaknesses that an attack found: each has its tests, and they hold",
        run: Run::WithTests(attack::run),
    },
    Check {
        name: "contract",
        about: "every line of --json has the documented fields and types",
        run: Run::Alone(contract::run),
    },
    Check {
        name: "exits",
        about: "exit codes 0, 1, 2 and 75, each error one line that names the thing",
        run: Run::Alone(exits::run),
    },
];

/// The check of this name.
pub fn find(name: &str) -> Option<&'static Check> {
    CHECKS.iter().find(|check| check.name == name)
}

/// Whether a check could be run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// It was run and holds.
    Holds,
    /// It could not be run here, and why.
    Skipped(String),
}

impl Check {
    /// Runs it, on these documents where it needs any; an error where it does not hold.
    pub fn run(
        &self,
        documents: Option<&Path>,
        tests: NamedTests,
        figures: &mut Figures<'_>,
    ) -> Result<Verdict> {
        match (self.run, documents) {
            (Run::Alone(run), _) => run(figures)?,
            (Run::WithTests(run), _) => run(tests, figures)?,
            (Run::OnDocuments(run), Some(documents)) => run(documents, figures)?,
            (Run::OnDocuments(_), None) => {
                let reason = "no corpora; name them with --corpus";
                return Ok(Verdict::Skipped(reason.to_owned()));
            }
        }
        Ok(Verdict::Holds)
    }
}
