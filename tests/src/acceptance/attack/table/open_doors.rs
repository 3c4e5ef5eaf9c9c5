//! Attacks that use a missing access check.

use super::Line;
use super::Proof::{Test, Trial};
use crate::acceptance::attack::{doors, roots};

pub(super) const LINES: &[Line] = &[
    Line {
        number: 16,
        weakness: "an open data directory",
        proofs: &[
            Test(
                "daemon/src/host/storage/private.rs",
                "what_was_set_aside_and_moved_elsewhere_is_not_touched_through_its_link",
            ),
            Test(
                "daemon/src/edge/grpc/operator.rs",
                "only_those_who_run_the_daemon_confirm_losses",
            ),
            Test(
                "daemon/src/host/storage/private.rs",
                "what_is_ours_and_open_to_others_is_closed",
            ),
            Test(
                "tests/tests/data_dir.rs",
                "a_data_directory_of_another_user_is_refused",
            ),
            Test(
                "tests/tests/data_dir.rs",
                "a_data_directory_open_to_others_is_closed_to_them",
            ),
            Test(
                "daemon/src/host/storage/private.rs",
                "links_in_it_are_refused_and_a_link_to_it_is_not",
            ),
            Test(
                "daemon/index/src/store/tests.rs",
                "what_the_store_makes_is_its_owners_alone",
            ),
            Trial("permissions of the data", doors::permissions),
        ],
    },
    Line {
        number: 17,
        weakness: "a config out of range; overlapping roots",
        proofs: &[
            Test(
                "daemon/src/host/overlap.rs",
                "a_data_directory_within_a_root_is_refused_before_it_is_made",
            ),
            Test(
                "daemon/src/host/overlap.rs",
                "a_root_named_twice_through_a_symlink_is_refused_and_both_names_are_said",
            ),
            Test(
                "tests/tests/roots.rs",
                "serve_refuses_places_that_are_not_apart_and_names_them",
            ),
            Test(
                "tests/tests/roots.rs",
                "one_directory_bound_to_two_places_is_one_root",
            ),
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
            Test(
                "client/src/labels/tests.rs",
                "a_file_of_something_else_is_refused_and_stays_as_it_is",
            ),
            Test(
                "client/src/output/table/tests.rs",
                "no_cell_commands_the_terminal_or_breaks_its_line",
            ),
            Test(
                "daemon/src/reports/report/tests/pages.rs",
                "documents_whose_hashes_begin_alike_have_diffs_of_their_own",
            ),
            Test(
                "daemon/src/reports/report/tests/pages.rs",
                "names_that_take_much_of_the_page_are_cut_and_not_all_shown",
            ),
            Test(
                "daemon/src/write_side/watch/walk/tests.rs",
                "a_directory_swapped_for_a_symlink_before_it_is_listed_shows_nothing_outside",
            ),
            Test(
                "daemon/src/write_side/watch/walk/tests.rs",
                "a_root_swapped_for_a_symlink_during_the_walk_shows_nothing_outside",
            ),
            Test(
                "daemon/index/src/store/tests.rs",
                "files_that_are_none_are_refused_at_once_and_written_through_by_nobody",
            ),
            Test(
                "daemon/index/src/safe_fs.rs",
                "links_and_fifos_are_refused_at_once",
            ),
            Test(
                "tests/tests/data_dir.rs",
                "what_is_planted_under_its_names_is_refused_in_words",
            ),
            Test(
                "tests/tests/data_dir.rs",
                "a_segment_removed_under_a_running_daemon_is_healed_by_a_sync",
            ),
            Test(
                "tests/tests/format_doc.rs",
                "every_reason_stands_there_with_the_states_it_is_given_with",
            ),
            Test(
                "daemon/src/reports/report/tests/verification.rs",
                "a_report_has_no_folder_without_a_file",
            ),
            Trial("names of frames", doors::frames),
            Trial("pipes and links in the data", doors::in_the_data),
            Trial("a report with more than it lists", doors::report_verified),
            Trial("a pipe is asked about", doors::pipe_asked),
            Trial("hanging up", doors::hang_up),
        ],
    },
];
