//! Attacks that cause a wrong or lost answer.

use super::Line;
use super::Proof::{Test, Trial};
use crate::acceptance::attack::{doors, roots, texts};

pub(super) const LINES: &[Line] = &[
    Line {
        number: 1,
        weakness: "a text bound to another content",
        proofs: &[
            Test(
                "daemon/bin/tests/snapshot.rs",
                "a_text_is_bound_to_the_bytes_that_were_hashed",
            ),
            Test(
                "daemon/extract/src/snapshot.rs",
                "the_bytes_that_are_hashed_are_the_bytes_that_are_kept",
            ),
            Test(
                "daemon/index/src/tests/lookup.rs",
                "a_file_that_is_overwritten_while_the_files_of_its_document_are_visited_is_not_one_of_them",
            ),
            Test(
                "daemon/src/read_side/catalogue/tests.rs",
                "a_group_whose_principal_goes_while_groups_are_listed_is_not_left_out_in_silence",
            ),
            Test(
                "daemon/src/write_side/ingest/records.rs",
                "members_of_a_file_that_holds_another_content_by_now_are_not_copied",
            ),
            Trial("files rewritten while they are read", texts::toggled),
        ],
    },
    Line {
        number: 2,
        weakness: "a store into a dirty page changes no time",
        proofs: &[
            Test(
                "daemon/src/write_side/recheck/debt.rs",
                "every_byte_of_every_file_is_waited_for",
            ),
            Test(
                "daemon/bin/tests/snapshot.rs",
                "a_file_of_a_report_of_our_own_that_changed_without_a_trace_is_found_in_the_background",
            ),
            Test(
                "daemon/bin/tests/snapshot.rs",
                "bytes_that_changed_without_a_trace_are_found_in_the_background",
            ),
            Test(
                "daemon/src/write_side/recheck.rs",
                "what_was_read_a_while_ago_or_under_a_wrong_clock_is_read_again",
            ),
        ],
    },
    Line {
        number: 3,
        weakness: "ghosts after renames",
        proofs: &[
            Test(
                "daemon/bin/tests/moved.rs",
                "a_list_of_files_says_that_files_moved_while_it_was_made",
            ),
            Test(
                "daemon/bin/tests/moved.rs",
                "a_list_of_pairs_says_that_files_moved_while_it_was_made",
            ),
            Test(
                "daemon/bin/tests/moved.rs",
                "a_list_of_files_says_that_one_was_renamed_onto_another_and_not_that_two_had_nothing_in_common",
            ),
            Test(
                "daemon/bin/tests/moved.rs",
                "a_list_of_files_is_not_complete_while_what_left_a_name_may_be_on_its_way_to_another",
            ),
            Test(
                "daemon/index/src/tests/moves.rs",
                "a_file_that_is_renamed_is_noted_whatever_stood_there_and_whichever_name_changes_first",
            ),
            Test(
                "daemon/index/src/tests/moves.rs",
                "a_content_that_a_name_left_before_may_be_a_file_that_was_there_all_the_time",
            ),
            Test(
                "daemon/index/src/tests/moves.rs",
                "a_file_whose_bytes_are_not_read_under_one_of_its_names_is_known_by_its_look",
            ),
            Test(
                "daemon/index/src/counts/moves.rs",
                "a_batch_counts_for_whoever_begins_before_it_is_over_and_not_after",
            ),
            Test(
                "daemon/bin/tests/roots.rs",
                "a_directory_that_takes_anothers_name_within_the_debounce_leaves_no_ghosts",
            ),
            Test(
                "daemon/bin/tests/roots.rs",
                "a_storm_of_renames_leaves_no_ghosts",
            ),
            Test(
                "daemon/bin/tests/roots.rs",
                "a_file_that_goes_while_it_is_read_is_no_ghost",
            ),
            Test(
                "daemon/index/src/tests/containers.rs",
                "members_never_stay_without_the_file_that_holds_them",
            ),
            Trial("two folders change places", roots::ghosts),
        ],
    },
    Line {
        number: 4,
        weakness: "a root that refuses empties itself",
        proofs: &[
            Test(
                "daemon/src/write_side/roots/troubles.rs",
                "what_a_walk_finds_again_is_never_over_meanwhile",
            ),
            Test(
                "daemon/src/write_side/ingest/outcome.rs",
                "an_error_of_the_share_keeps_a_known_content_and_is_said",
            ),
            Test(
                "tests/tests/roots.rs",
                "a_root_that_may_not_be_listed_or_searched_is_stale_and_keeps_its_files",
            ),
            Test(
                "tests/tests/roots.rs",
                "a_folder_that_refuses_keeps_what_is_known_below_it_and_says_so",
            ),
            Test(
                "tests/tests/roots.rs",
                "a_mount_over_a_folder_keeps_what_is_known_below_it_and_says_so",
            ),
            Test(
                "tests/tests/roots.rs",
                "a_file_mounted_over_a_file_does_not_take_its_place",
            ),
        ],
    },
    Line {
        number: 5,
        weakness: "another tree in the place of a root",
        proofs: &[
            Test(
                "daemon/src/write_side/roots/deletes.rs",
                "losses_of_folders_are_believed_up_to_what_a_rescan_believes",
            ),
            Test(
                "daemon/bin/tests/roots.rs",
                "a_root_or_its_parent_replaced_by_a_symlink_is_neither_indexed_nor_forgotten",
            ),
            Test(
                "daemon/bin/tests/roots.rs",
                "another_directory_in_a_roots_place_is_not_believed_until_it_is_confirmed",
            ),
            Test(
                "daemon/bin/tests/losses.rs",
                "what_is_confirmed_is_the_loss_that_was_shown_and_no_other",
            ),
            Test(
                "daemon/src/write_side/roots/loss_token.rs",
                "a_token_is_another_once_number_files_or_directory_are",
            ),
            Test(
                "client/tests/against_fake/simctl/lists.rs",
                "roots_are_listed_and_the_loss_that_was_looked_at_is_confirmed",
            ),
            Test(
                "daemon/bin/tests/losses.rs",
                "deletes_that_were_seen_before_a_loss_is_confirmed_explain_no_later_one",
            ),
            Test(
                "daemon/src/write_side/roots/status.rs",
                "an_identity_that_cannot_be_learnt_takes_nothing_from_the_record",
            ),
            Test(
                "daemon/bin/tests/losses.rs",
                "a_held_loss_is_not_believed_folder_by_folder",
            ),
            Test(
                "daemon/bin/tests/losses.rs",
                "what_folder_after_folder_misses_is_for_the_whole_root_to_judge",
            ),
            Test(
                "tests/tests/roots.rs",
                "an_empty_file_system_of_the_same_type_over_a_root_is_not_believed",
            ),
            Test(
                "tests/tests/roots.rs",
                "another_file_system_mounted_in_the_place_of_a_root_is_not_believed",
            ),
            Test(
                "daemon/src/write_side/watch/root_thread/tests.rs",
                "a_root_that_a_walk_could_not_use_is_walked_again_at_the_next_check",
            ),
            Trial("a root becomes a symlink", roots::replaced),
        ],
    },
    Line {
        number: 6,
        weakness: "older or foreign texts are served",
        proofs: &[
            Test(
                "daemon/index/src/tests/foreign.rs",
                "texts_of_the_same_store_restored_from_another_time_are_not_served",
            ),
            Test(
                "daemon/index/src/tests/foreign.rs",
                "the_texts_of_another_data_directory_are_not_served",
            ),
            Test(
                "daemon/index/src/tests/foreign.rs",
                "no_segment_number_is_used_again_after_the_directory_was_removed",
            ),
            Test(
                "daemon/index/src/tests/foreign.rs",
                "a_run_of_another_store_is_not_believed_and_all_are_made_anew",
            ),
            Test(
                "daemon/index/src/text/tests.rs",
                "another_text_of_the_same_length_in_the_same_place_is_noticed",
            ),
            Test(
                "daemon/index/src/text/tests.rs",
                "a_block_of_another_store_is_noticed_and_one_of_an_older_format_is_read",
            ),
            Test(
                "tests/tests/data_dir.rs",
                "exchanged_texts_are_never_shown_and_are_read_again",
            ),
            Test(
                "daemon/index/src/tests/compact.rs",
                "texts_that_are_newer_than_the_records_are_not_removed",
            ),
            Test(
                "daemon/index/src/tests/opening.rs",
                "an_opening_that_is_stopped_lets_go_of_no_document_whose_text_is_missing",
            ),
            Test(
                "tests/tests/data_dir.rs",
                "a_rebuild_without_its_texts_lets_go_of_nothing",
            ),
            Test(
                "daemon/index/src/tests/opening.rs",
                "an_opening_that_refuses_for_missing_texts_leaves_documents_behind_them_to_be_signed",
            ),
            Test(
                "daemon/index/src/tests/opening.rs",
                "a_merge_passes_no_document_whose_text_may_come_back",
            ),
            Test(
                "daemon/index/src/text/tests.rs",
                "a_segment_that_is_begun_meanwhile_is_not_taken_for_gone",
            ),
            Trial("an older text directory restored", texts::restored),
        ],
    },
    Line {
        number: 7,
        weakness: "verify overlooks texts, and writes",
        proofs: &[
            Test(
                "daemon/index/src/tests/verification.rs",
                "missing_texts_are_told_at_either_depth",
            ),
            Test(
                "daemon/index/src/tests/verification.rs",
                "a_flipped_bit_in_any_text_is_told_where_everything_is_read",
            ),
            Test(
                "daemon/index/src/tests/verification.rs",
                "what_was_never_made_or_is_not_there_is_told",
            ),
            Test(
                "daemon/index/src/store/directory/strays.rs",
                "what_is_neither_current_nor_named_is_told",
            ),
            Test(
                "tests/tests/data_dir.rs",
                "verify_reads_everything_and_leaves_no_trace",
            ),
            Test(
                "tests/tests/data_dir.rs",
                "verify_tells_a_damaged_store_and_leaves_it_where_it_is",
            ),
            Trial("verify without texts", texts::verified),
        ],
    },
    Line {
        number: 8,
        weakness: "two files share a shown path",
        proofs: &[
            Test(
                "proto/path/src/lib.rs",
                "every_stored_path_is_read_back_from_its_shown_form",
            ),
            Test(
                "proto/path/src/lib.rs",
                "the_shown_form_is_that_of_the_contract",
            ),
            Test(
                "client/src/locate.rs",
                "members_and_folders_called_like_them_are_spelled_apart",
            ),
            Test(
                "daemon/bin/tests/containers.rs",
                "every_listed_path_leads_to_its_file_and_to_no_other",
            ),
            Trial("every listed path is asked about", doors::paths),
        ],
    },
    Line {
        number: 9,
        weakness: "the machine's faults booked on documents",
        proofs: &[
            Test(
                "daemon/extract/src/deadline_reader.rs",
                "every_thread_of_a_process_is_asked",
            ),
            Test(
                "daemon/extract/src/spool_budget.rs",
                "who_wants_much_is_not_passed_by_those_who_want_little",
            ),
            Test(
                "daemon/extract/src/external_tools/tests.rs",
                "who_is_confined_has_threads_and_reaches_no_other_process",
            ),
            Test(
                "daemon/extract/src/external_tools/tests.rs",
                "a_program_is_one_process",
            ),
            Test(
                "daemon/extract/src/deadline_reader.rs",
                "only_a_worker_that_was_ready_to_run_was_starved",
            ),
            Test(
                "daemon/extract/src/deadline_reader.rs",
                "a_worker_whose_main_thread_sleeps_is_starved_with_the_thread_that_reads",
            ),
            Test(
                "daemon/extract/src/external_tools/tests.rs",
                "a_program_ends_with_the_pool_and_with_who_waits_for_it_and_has_not_tried",
            ),
            Test(
                "daemon/extract/src/deadline_reader.rs",
                "a_reply_that_lies_there_is_read_however_late_it_is",
            ),
            Test(
                "daemon/extract/src/deadline_reader.rs",
                "time_that_passes_between_two_reads_is_not_the_workers",
            ),
            Test(
                "daemon/bin/tests/containers.rs",
                "a_limit_of_the_tree_takes_no_text_from_a_container_that_was_read",
            ),
            Test(
                "daemon/bin/tests/containers.rs",
                "what_a_tree_cuts_off_hides_nothing_of_another_file_of_the_same_bytes",
            ),
            Test(
                "daemon/src/write_side/ingest/members/tests.rs",
                "what_no_time_is_left_for_is_tried_again_and_waiting_takes_none",
            ),
            Test(
                "daemon/src/write_side/ingest/members/tests.rs",
                "containers_on_record_take_no_time_from_what_they_hold_as_long_as_they_have_their_own",
            ),
            Test(
                "daemon/src/read_side/query/tests.rs",
                "an_upload_asks_for_no_worker_before_there_is_room_for_its_text",
            ),
            Test(
                "daemon/extract/src/member_spool.rs",
                "what_is_discarded_takes_no_room_and_is_bounded_all_the_same",
            ),
            Test(
                "daemon/bin/tests/snapshot.rs",
                "what_the_machine_does_not_allow_is_no_strike_and_is_tried_again",
            ),
            Test(
                "daemon/bin/tests/snapshot.rs",
                "what_is_known_stays_where_another_try_fails_by_the_machines_fault",
            ),
            Test(
                "daemon/extract/src/crash_journal/tests.rs",
                "whoever_holds_what_others_wait_for_never_waits_for_a_suspect",
            ),
            Test(
                "daemon/src/write_side/watch/open/tests.rs",
                "a_root_that_cannot_be_opened_for_want_of_descriptors_keeps_the_reason",
            ),
        ],
    },
    Line {
        number: 10,
        weakness: "a sound store is set aside",
        proofs: &[
            Test(
                "daemon/index/src/store/tests.rs",
                "a_sound_store_is_kept_however_little_memory_the_probe_has",
            ),
            Test(
                "daemon/index/src/store/tests/opening.rs",
                "a_sound_store_is_kept_however_few_descriptors_the_probe_has",
            ),
            Test(
                "daemon/index/src/store/tests/opening.rs",
                "a_large_value_that_may_not_be_read_is_no_end_of_the_log",
            ),
            Test(
                "daemon/index/src/store/tests/opening.rs",
                "a_store_whose_records_are_missing_is_not_begun_where_it_lies",
            ),
            Test(
                "daemon/index/src/store/tests/opening.rs",
                "a_verdict_on_one_store_is_not_carried_out_on_another",
            ),
            Test(
                "daemon/index/src/store/tests/opening.rs",
                "a_store_that_was_not_examined_is_not_opened_for_one_that_was_found_sound",
            ),
            Test(
                "daemon/index/src/store/tests/opening.rs",
                "a_value_of_the_stores_own_that_is_corrupt_is_examined_as_damage",
            ),
            Test(
                "daemon/index/src/store/tests/opening.rs",
                "a_mark_of_a_clean_close_speaks_for_no_other_records",
            ),
            Test(
                "daemon/index/src/store/sled_support/readable.rs",
                "what_the_disk_refuses_is_an_error",
            ),
            Test(
                "daemon/index/src/store/examine/examination.rs",
                "want_of_memory_is_no_damage",
            ),
            Test(
                "daemon/index/src/store/sled_support/recovery.rs",
                "a_clock_before_1970_is_the_machines_fault",
            ),
            Test(
                "daemon/index/src/store/tests.rs",
                "every_flipped_bit_of_the_settings_of_sled_is_put_right",
            ),
            Test(
                "tests/tests/data_dir.rs",
                "a_flipped_bit_in_the_engines_settings_costs_nothing",
            ),
            Test(
                "daemon/index/src/store/examine/examination.rs",
                "a_panic_over_the_machine_is_no_damage_though_it_aborts",
            ),
            Test(
                "daemon/index/src/store/tests/generations.rs",
                "a_mark_that_came_back_costs_nothing",
            ),
            Test(
                "daemon/index/src/store/tests/generations.rs",
                "records_that_do_not_know_the_last_commit_never_take_the_place_of_those_that_do",
            ),
            Test(
                "daemon/index/src/store/tests/generations.rs",
                "records_that_no_witness_tells_from_others_are_set_aside_and_none_is_removed",
            ),
            Test(
                "daemon/index/src/store/tests/derived.rs",
                "runs_that_were_restored_in_part_cost_nothing_else",
            ),
            Test(
                "daemon/index/src/store/tests/derived.rs",
                "a_damaged_block_of_postings_costs_its_run_and_nothing_else",
            ),
            Test(
                "daemon/index/src/store/tests/derived.rs",
                "a_store_is_given_up_only_once_it_was_examined_without_its_snapshots",
            ),
            Test(
                "daemon/index/src/tests/aside.rs",
                "the_texts_of_a_store_that_went_are_set_aside_and_survive_every_close",
            ),
            Test(
                "tests/tests/damage.rs",
                "a_damaged_store_is_set_aside_and_built_anew",
            ),
        ],
    },
];
