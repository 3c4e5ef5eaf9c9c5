//! The lines of the attack, each with what shows that it is mended.

use std::fmt;

use anyhow::Result;

use super::{doors, machine, roots, texts};
use crate::acceptance::Verdict;

/// One weakness.
pub(super) struct Line {
    pub(super) number: u32,
    pub(super) weakness: &'static str,
    pub(super) proofs: &'static [Proof],
}

/// What shows that a weakness is mended.
pub(super) enum Proof {
    /// A test: its file and its name.
    Test(&'static str, &'static str),
    /// A trial against the real programs.
    Trial(&'static str, fn() -> Result<Verdict>),
}

impl fmt::Display for Proof {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Test(file, name) => write!(f, "{file}::{name}"),
            Self::Trial(name, _) => write!(f, "trial: {name}"),
        }
    }
}

use Proof::{Test, Trial};

pub(super) const LINES: &[Line] = &[
    Line {
        number: 1,
        weakness: "a text bound to another content",
        proofs: &[Trial("files rewritten while they are read", texts::toggled)],
    },
    Line {
        number: 2,
        weakness: "a store into a dirty page changes no time",
        proofs: &[],
    },
    Line {
        number: 3,
        weakness: "ghosts after renames",
        proofs: &[Trial("two folders change places", roots::ghosts)],
    },
    Line {
        number: 4,
        weakness: "a root that refuses empties itself",
        proofs: &[],
    },
    Line {
        number: 5,
        weakness: "another tree in the place of a root",
        proofs: &[Trial("a root becomes a symlink", roots::replaced)],
    },
    Line {
        number: 6,
        weakness: "older or foreign texts are served",
        proofs: &[Trial("an older text directory restored", texts::restored)],
    },
    Line {
        number: 7,
        weakness: "verify overlooks texts, and writes",
        proofs: &[Trial("verify without texts", texts::verified)],
    },
    Line {
        number: 8,
        weakness: "two files share a shown path",
        proofs: &[
            Test(
                "schema/src/path.rs",
                "every_stored_path_is_read_back_from_its_shown_form",
            ),
            Test(
                "schema/src/path.rs",
                "the_shown_form_is_that_of_the_contract",
            ),
            Test(
                "client/src/shown.rs",
                "the_shown_form_is_that_of_the_contract",
            ),
            Test(
                "client/src/locate.rs",
                "members_and_folders_called_like_them_are_spelled_apart",
            ),
            Test(
                "daemon/tests/containers.rs",
                "every_listed_path_leads_to_its_file_and_to_no_other",
            ),
            Trial("every listed path is asked about", doors::paths),
        ],
    },
    Line {
        number: 9,
        weakness: "the machine's faults booked on documents",
        proofs: &[],
    },
    Line {
        number: 10,
        weakness: "a sound store is set aside",
        proofs: &[],
    },
    Line {
        number: 11,
        weakness: "a small ZIP ends the daemon",
        proofs: &[Trial("a text that grows eighteenfold", machine::grows)],
    },
    Line {
        number: 12,
        weakness: "one error stops indexing in silence",
        proofs: &[
            Trial("no descriptors for a while", machine::descriptors),
            Trial("no room for a while", machine::room),
        ],
    },
    Line {
        number: 13,
        weakness: "a report into the data directory",
        proofs: &[Trial("reports where they may not be", doors::reports)],
    },
    Line {
        number: 14,
        weakness: "quadratic cliques",
        proofs: &[
            Test(
                "daemon/index/src/groups/tests.rs",
                "a_family_in_one_batch_costs_one_edge_test_per_member",
            ),
            Test(
                "daemon/index/src/tests/life.rs",
                "a_family_keeps_one_edge_per_member_in_whatever_order_it_comes",
            ),
        ],
    },
    Line {
        number: 15,
        weakness: "one client starves the others",
        proofs: &[Trial("300 idle connections", machine::connections)],
    },
    Line {
        number: 16,
        weakness: "an open data directory",
        proofs: &[Trial("permissions of the data", doors::permissions)],
    },
    Line {
        number: 17,
        weakness: "a config out of range; overlapping roots",
        proofs: &[
            Test(
                "daemon/src/config/tests.rs",
                "a_number_outside_its_range_is_refused_by_key_value_and_range",
            ),
            Test(
                "daemon/src/config/tests.rs",
                "every_number_has_a_range_that_holds_its_default",
            ),
            Test(
                "daemon/src/config/tests.rs",
                "keys_that_contradict_each_other_are_both_named",
            ),
            Test("daemon/src/config/tests.rs", "a_root_has_one_spelling"),
            Test(
                "daemon/src/config/tests.rs",
                "no_text_is_longer_than_a_segment_takes",
            ),
            Test(
                "daemon/src/config/tests.rs",
                "the_sample_config_is_written_from_the_table",
            ),
            Trial("configs that are refused", doors::configs),
            Trial("roots and data in one another", roots::overlaps),
        ],
    },
    Line {
        number: 18,
        weakness: "names, links and pipes in the way",
        proofs: &[
            Trial("names of frames", doors::frames),
            Trial("pipes and links in the data", doors::in_the_data),
            Trial("a report with more than it lists", doors::report_verified),
            Trial("a pipe is asked about", doors::pipe_asked),
            Trial("hanging up", doors::hang_up),
        ],
    },
];
