//! One user stops everybody.

use super::Line;
use super::Proof::{Test, Trial};
use crate::acceptance::attack::{doors, machine};

pub(super) const LINES: &[Line] = &[
    Line {
        number: 11,
        weakness: "a small ZIP ends the daemon",
        proofs: &[
            Test(
                "daemon/bin/tests/snapshot.rs",
                "a_document_that_the_daemon_crashed_on_twice_is_not_tried_a_third_time",
            ),
            Test(
                "daemon/signature/src/canonical/tests.rs",
                "one_character_that_becomes_eighteen_does_not_pass_the_bound",
            ),
            Trial("a text that grows eighteenfold", machine::grows),
        ],
    },
    Line {
        number: 12,
        weakness: "one error stops indexing in silence",
        proofs: &[
            Test(
                "daemon/src/lifecycle.rs",
                "a_shortage_is_an_alarm_and_a_pause_a_failed_sync_is_the_end",
            ),
            Test("daemon/src/lifecycle.rs", "pauses_double_up_to_a_bound"),
            Test(
                "daemon/src/lifecycle.rs",
                "a_shortage_is_repeated_until_it_passes_or_the_caller_gives_up",
            ),
            Test(
                "daemon/src/pipeline/jobs.rs",
                "a_caller_that_gives_up_does_not_wait_for_room_and_its_file_is_queued_all_the_same",
            ),
            Test(
                "daemon/extract/src/space.rs",
                "a_disk_without_room_refuses_what_the_budget_would_allow",
            ),
            Test(
                "daemon/index/src/tests/faults.rs",
                "a_text_longer_than_a_segment_takes_is_a_state_and_others_go_on",
            ),
            Test(
                "daemon/index/src/tests/faults.rs",
                "what_could_not_be_appended_is_applied_by_the_same_call_later",
            ),
            Test(
                "daemon/index/src/tests/faults.rs",
                "a_text_that_the_disk_has_lost_costs_its_own_document_only",
            ),
            Test(
                "daemon/bin/tests/completeness.rs",
                "a_file_that_the_machine_keeps_failing_is_told_as_such_and_not_waited_for",
            ),
            Test(
                "daemon/src/pipeline/retry.rs",
                "a_full_folder_keeps_no_other_file_from_being_tried_again",
            ),
            Test(
                "daemon/src/pipeline/retry.rs",
                "files_that_do_not_fit_into_the_queue_are_counted_until_they_are_read",
            ),
            Test(
                "daemon/src/supervisor.rs",
                "the_pages_of_every_file_of_the_store_are_forgotten_and_no_link_is_followed",
            ),
            Test(
                "daemon/src/watch/root_thread/tests.rs",
                "a_root_that_fell_back_is_watched_again_after_a_while",
            ),
            Test(
                "daemon/src/disk.rs",
                "what_is_kept_is_never_given_out_not_even_between_two_measurements",
            ),
            Test(
                "daemon/src/descriptors.rs",
                "what_is_kept_is_free_while_it_is_lent_and_taken_back_after",
            ),
            Test(
                "daemon/src/grpc/runner/tests.rs",
                "requests_end_with_the_engine_and_wait_for_the_next_outside",
            ),
            Test(
                "daemon/bin/tests/reopen.rs",
                "a_failed_commit_acknowledges_nothing_and_the_index_is_opened_again",
            ),
            Test(
                "daemon/bin/tests/reopen.rs",
                "a_refusal_of_the_disk_is_said_waited_out_and_made_up_for",
            ),
            Test(
                "daemon/index/src/store/judge.rs",
                "a_probe_is_ended_where_somebody_says_stop",
            ),
            Test(
                "daemon/bin/tests/signals.rs",
                "an_index_that_is_being_opened_is_closed_again_where_somebody_says_stop",
            ),
            Test(
                "daemon/bin/tests/signals.rs",
                "no_signal_to_stop_kills_a_daemon_that_starts",
            ),
            Test(
                "daemon/src/disk.rs",
                "what_can_be_refused_stops_before_the_writer_does",
            ),
            Test(
                "daemon/src/alarms.rs",
                "a_root_that_recovers_ends_its_own_alarm_and_no_other",
            ),
            Test(
                "tests/tests/house.rs",
                "threads_are_started_where_their_panic_is_seen",
            ),
            Test(
                "daemon/src/watch/tests.rs",
                "a_watcher_that_panics_ends_the_engine",
            ),
            Test(
                "daemon/bin/tests/reopen.rs",
                "a_thread_in_the_background_that_panics_is_started_anew",
            ),
            Test(
                "daemon/bin/tests/reopen.rs",
                "a_daemon_starts_on_a_full_disk_and_opens_its_index_once_there_is_room",
            ),
            Test(
                "tests/tests/damage.rs",
                "a_full_disk_lets_the_daemon_end_and_start_and_what_was_not_merged_is_signed_again",
            ),
            Trial("no descriptors for a while", machine::descriptors),
            Trial("no room for a while", machine::room),
        ],
    },
    Line {
        number: 13,
        weakness: "a report into the data directory",
        proofs: &[
            Test(
                "daemon/bin/tests/reports.rs",
                "a_daemon_without_a_directory_for_reports_writes_none",
            ),
            Test(
                "daemon/bin/tests/reports.rs",
                "no_name_leads_out_of_the_directory_or_tells_what_lies_there",
            ),
            Test(
                "daemon/bin/tests/reports.rs",
                "a_directory_for_reports_in_the_data_directory_or_a_root_is_refused_at_the_start",
            ),
            Test(
                "daemon/src/report/tests.rs",
                "a_report_stops_at_the_room_that_is_kept_free_and_leaves_nothing_behind",
            ),
            Test(
                "daemon/src/report/folder/tests.rs",
                "no_more_reports_are_kept_than_are_allowed_and_one_that_is_removed_makes_room",
            ),
            Test(
                "daemon/bin/tests/reports.rs",
                "kept_reports_are_listed_in_pages_bounded_and_forgotten_when_removed",
            ),
            Trial("reports where they may not be", doors::reports),
        ],
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
            Test(
                "daemon/index/src/tests/cost.rs",
                "a_version_costs_the_same_in_a_small_family_and_in_a_large_one",
            ),
            Test(
                "daemon/index/src/tests/cost.rs",
                "documents_that_resemble_each_other_at_random_cost_a_few_comparisons_each",
            ),
            Test(
                "daemon/index/src/tests/cost.rs",
                "short_documents_of_one_template_are_not_compared_with_all_before_them",
            ),
            Test(
                "daemon/index/src/tests/cost.rs",
                "nobody_waits_for_documents_that_must_be_compared_with_very_many_in_whatever_order_they_come",
            ),
        ],
    },
    Line {
        number: 15,
        weakness: "one client starves the others",
        proofs: &[
            Test(
                "daemon/index/src/memory/tests.rs",
                "a_large_request_is_not_passed_by_small_ones_that_came_later",
            ),
            Test(
                "daemon/index/src/memory/tests.rs",
                "questions_have_memory_of_their_own",
            ),
            Test(
                "daemon/index/src/memory/tests.rs",
                "one_user_leaves_a_quarter_to_others_and_does_not_hold_up_the_line",
            ),
            Test(
                "daemon/src/query/tests.rs",
                "an_upload_asks_for_no_worker_before_there_is_room_for_its_text",
            ),
            Test(
                "daemon/src/compare.rs",
                "nothing_large_is_made_of_two_texts_without_a_permit",
            ),
            Test(
                "daemon/src/compare.rs",
                "a_difference_of_more_lines_than_there_is_memory_for_is_left_out",
            ),
            Test(
                "daemon/bin/tests/greedy.rs",
                "an_upload_that_is_not_sent_on_ends_whatever_its_deadline",
            ),
            Test(
                "daemon/bin/tests/greedy.rs",
                "no_client_chooses_a_deadline_above_the_ceiling",
            ),
            Test(
                "daemon/bin/tests/greedy.rs",
                "a_long_path_is_neither_believed_nor_echoed",
            ),
            Test(
                "daemon/bin/tests/greedy.rs",
                "a_client_that_does_not_read_loses_its_connection_and_nothing_else_waits_for_it",
            ),
            Test(
                "daemon/src/grpc/reply_budget.rs",
                "no_user_holds_more_than_half_of_all_replies_that_are_not_read",
            ),
            Test(
                "daemon/src/grpc/reply_channel.rs",
                "what_is_made_ahead_of_a_client_is_bounded_in_bytes",
            ),
            Test(
                "daemon/src/grpc/reply_channel.rs",
                "a_sender_waits_while_its_user_leaves_other_replies_unread",
            ),
            Test(
                "daemon/src/query/hits/tests.rs",
                "of_many_hits_hardly_more_are_held_than_are_asked_for",
            ),
            Test(
                "daemon/bin/tests/greedy.rs",
                "texts_that_nobody_reads_keep_no_question_waiting",
            ),
            Test(
                "daemon/bin/tests/greedy.rs",
                "replies_without_text_are_counted_until_they_are_read",
            ),
            Test(
                "daemon/bin/tests/greedy.rs",
                "reports_that_are_sent_to_nobody_who_reads_keep_no_barrier_waiting",
            ),
            Test(
                "daemon/bin/tests/greedy.rs",
                "families_that_nobody_reads_hold_no_memory_of_questions",
            ),
            Test(
                "daemon/bin/tests/greedy.rs",
                "who_would_follow_events_above_the_share_is_refused_and_does_not_wait",
            ),
            Test(
                "daemon/src/grpc/fair_semaphore.rs",
                "two_users_who_hold_all_they_may_leave_slots_for_others",
            ),
            Test(
                "daemon/src/grpc/fair_semaphore.rs",
                "neither_a_connection_nor_a_user_takes_every_slot",
            ),
            Test(
                "daemon/src/grpc/deadline.rs",
                "the_clients_deadline_comes_before_the_configs_and_neither_is_endless",
            ),
            Test(
                "daemon/src/grpc/peer/tests.rs",
                "busy_connections_give_way_to_a_user_who_has_none",
            ),
            Test(
                "daemon/src/grpc/peer/tests.rs",
                "a_client_that_reads_too_slowly_is_cut_and_one_that_rests_once_is_not",
            ),
            Test(
                "daemon/extract/src/pool/queue.rs",
                "of_two_places_in_a_row_one_goes_to_the_backlog",
            ),
            Test(
                "daemon/extract/src/pool/queue.rs",
                "a_backlog_that_fills_its_places_keeps_no_question_waiting",
            ),
            Test(
                "daemon/extract/src/pool/queue.rs",
                "the_user_who_has_the_fewest_questions_under_way_is_next",
            ),
            Trial("300 idle connections", machine::connections),
        ],
    },
];
