//! The fields of every type of line, as the design documents them.

mod check;
mod judging;
mod lists;
mod reports;
#[cfg(test)]
mod tests;

pub(super) use check::check;
use judging::JUDGEMENT;

/// What a field may hold.
#[derive(Clone, Copy)]
pub(super) enum Kind {
    Text,
    /// A path; beside it, where it is no UTF-8, a field NAME_bytes in base64.
    Path,
    /// 64 hexadecimal digits.
    Hash,
    /// A whole number.
    Count,
    /// A number of seconds.
    Seconds,
    /// Any number, whole or not.
    Number,
    /// A number from 0 to 1.
    Ratio,
    Bool,
    Is(&'static str),
    /// State to count.
    Counts,
    /// A list of texts.
    Texts,
    /// Name to text.
    Named,
    Object(Fields),
    /// The fields of this, among the others; the name is that of none.
    Flattened(Fields),
    List(Fields),
    /// Null, or this.
    Maybe(&'static Kind),
    /// Absent, or this.
    Optional(&'static Kind),
}

use Kind::{
    Bool, Count, Counts, Hash, List, Maybe, Named, Number, Object, Optional, Path, Ratio, Seconds,
    Text, Texts,
};

/// Names and kinds; every one must be there.
pub(super) type Fields = &'static [(&'static str, Kind)];

const SCHEME: Fields = &[
    ("name", Text),
    ("n", Count),
    ("window", Count),
    ("unit", Text),
    ("canonical", Count),
];

const SAMPLING: Fields = &[
    ("chosen", Bool),
    ("groups", List(&[("from_bytes", Count), ("n", Count)])),
    ("waiting", Count),
    ("done", Count),
    ("unreadable", Count),
    ("per_second", Maybe(&Number)),
    ("seconds_left", Maybe(&Seconds)),
    ("shortest_excerpt_bytes", Count),
    ("false_match_rate", Ratio),
    (
        "widths",
        List(&[
            ("from_bytes", Count),
            ("n", Count),
            ("interval_width", Ratio),
        ]),
    ),
];

/// Of a star every number is there; of a component or core none was counted.
const MEMBER: Fields = &[
    ("path", Path),
    ("document", Hash),
    ("relation", Maybe(&Text)),
    ("resemblance", Maybe(&Ratio)),
    ("containment_of_member", Maybe(&Ratio)),
    ("containment_of_principal", Maybe(&Ratio)),
    ("asked", Optional(&Bool)),
    ("judgement", Optional(&Object(JUDGEMENT))),
    ("not_judged", Optional(&Text)),
];

/// Of a promise, wherever there is one.
const PROMISE: Fields = &[
    ("scheme", Text),
    ("threshold", Ratio),
    ("missed_at_most", Maybe(&Ratio)),
];

const SUMMARY: Fields = &[
    ("files_on_disk", Count),
    ("members", Count),
    ("states", Counts),
    ("member_states", Counts),
    ("documents", Count),
    ("groups", Count),
    ("suppressed", Count),
    ("unfinished", Optional(&Count)),
    ("unjudged", Optional(&Count)),
    ("seconds", Seconds),
    ("complete", Bool),
];

/// Beside a `complete` that is false.
const PENDING: Fields = &[
    ("queued", Count),
    ("unsettled", Count),
    ("crowded", Count),
    ("retrying", Count),
    ("stale_roots", Count),
    ("held_losses", Count),
    ("unreadable", Count),
    ("damaged", Count),
    ("moved", Count),
];

/// Beside `complete`, where lines are left out.
const TEMPLATE_LIST: Fields = &[
    ("complete", Bool),
    ("template_lines", Count),
    ("template_list", Hash),
];

/// What was left out of one text.
const RENAMING: Fields = &[("from", Text), ("to", Text)];

const LEFT_OUT: Fields = &[("lines", Count), ("bytes", Count)];

const ROOT: Fields = &[
    ("id", Count),
    ("path", Path),
    ("mode", Text),
    ("configured_mode", Text),
    ("state", Text),
    ("detail", Maybe(&Text)),
    ("files", Count),
    ("pending_loss", Count),
    ("loss_token", Maybe(&Text)),
];

const ESTIMATE: Fields = &[
    ("scheme", Object(SCHEME)),
    ("resemblance", Maybe(&Ratio)),
    ("resemblance_low", Maybe(&Ratio)),
    ("resemblance_high", Maybe(&Ratio)),
    ("containment_of_a", Maybe(&Ratio)),
    ("containment_of_a_low", Maybe(&Ratio)),
    ("containment_of_a_high", Maybe(&Ratio)),
    ("containment_of_b", Maybe(&Ratio)),
    ("containment_of_b_low", Maybe(&Ratio)),
    ("containment_of_b_high", Maybe(&Ratio)),
    ("not_given", Texts),
];

const SPAN: Fields = &[("offset_a", Count), ("offset_b", Count), ("length", Count)];

const WORDS: Fields = &[
    ("removed", Count),
    ("added", Count),
    ("moved", Count),
    ("blocks_moved", Count),
    ("cut_short", Bool),
    ("bytes_a", Count),
    ("bytes_b", Count),
];

/// What becomes of bytes of a text in another.
const OPERATION: Fields = &[
    ("op", Text),
    ("offset_a", Count),
    ("length_a", Count),
    ("offset_b", Count),
    ("length_b", Count),
    ("removed", Optional(&Text)),
    ("added", Optional(&Text)),
];

const USAGE: Fields = &[
    ("scheme", Object(SCHEME)),
    ("postings", Count),
    ("bytes", Count),
    ("sign_seconds", Seconds),
    ("n_most", Count),
    ("unmerged", Count),
];

const MEMORY: Fields = &[
    ("holder", Text),
    ("bytes", Maybe(&Count)),
    ("limit", Maybe(&Count)),
];

const PACE: Fields = &[
    ("per_second", Number),
    ("seconds_left", Maybe(&Seconds)),
    ("takes_longer", Bool),
];

const SCHEDULE: Fields = &[
    ("name", Text),
    ("next", Maybe(&Text)),
    ("last", Maybe(&Text)),
    ("report", Maybe(&Path)),
    ("error", Maybe(&Text)),
];

/// Every type of line that a scan or a verb prints, or a report holds, `type` and `v` apart.
pub(super) const LINES: &[(&str, Fields)] = &[
    (
        "file",
        &[
            ("path", Path),
            ("state", Text),
            ("reason", Maybe(&Text)),
            ("document", Maybe(&Hash)),
            ("content", Maybe(&Hash)),
            ("media_type", Maybe(&Text)),
            ("bytes", Maybe(&Count)),
            ("chars", Maybe(&Count)),
            ("engine", Maybe(&Text)),
            ("extractor", Maybe(&Count)),
            ("warnings", Texts),
            ("facts", Named),
            ("container", Maybe(&Path)),
            ("role", Maybe(&Text)),
            ("ordinal", Maybe(&Count)),
            ("last_read", Maybe(&Text)),
            ("modified", Maybe(&Text)),
            ("owner", Maybe(&Count)),
            ("group", Maybe(&Count)),
        ],
    ),
    (
        "match",
        &[
            ("path", Path),
            ("document", Maybe(&Hash)),
            ("relation", Text),
            ("resemblance", Maybe(&Ratio)),
            ("resemblance_low", Maybe(&Ratio)),
            ("resemblance_high", Maybe(&Ratio)),
            ("containment_of_query", Maybe(&Ratio)),
            ("containment_in_query", Maybe(&Ratio)),
            ("shared_fingerprints", Count),
            ("verified", Bool),
            ("scheme", Object(SCHEME)),
            ("judgement", Maybe(&Object(JUDGEMENT))),
            ("not_judged", Optional(&Text)),
        ],
    ),
    (
        "version-edge",
        &[
            ("version", Count),
            ("parent", Count),
            ("kind", Text),
            ("resemblance", Ratio),
            ("containment_of_version", Ratio),
            ("containment_of_parent", Ratio),
            ("direction", Text),
            ("container", Maybe(&Path)),
            ("renamings", List(RENAMING)),
            ("resemblance_renamed", Maybe(&Ratio)),
            ("shingles_of_parent_alone", Maybe(&Count)),
            ("is_second_parent", Bool),
            ("across_gap", Bool),
        ],
    ),
    (
        "near-miss",
        &[
            ("version", Count),
            ("path", Path),
            ("document", Hash),
            ("resemblance", Ratio),
            ("reason", Text),
        ],
    ),
    (
        "query",
        &[
            ("path", Maybe(&Path)),
            ("document", Maybe(&Hash)),
            ("state", Maybe(&Text)),
            ("reason", Maybe(&Text)),
            ("candidates", Count),
            ("verified", Count),
            ("suppressed", Count),
            ("common_lists", Count),
            ("unverified", Count),
            ("compared_by", Text),
            ("seconds", Seconds),
            ("truncated", Bool),
            ("left_out", Optional(&Object(LEFT_OUT))),
            ("latest", Optional(&Count)),
            ("unjudged", Optional(&Count)),
            ("complete", Bool),
        ],
    ),
    (
        "pair",
        &[
            ("a", Path),
            ("b", Path),
            ("document_a", Hash),
            ("document_b", Hash),
            ("relation", Text),
            ("resemblance", Ratio),
            ("containment_of_a", Ratio),
            ("containment_of_b", Ratio),
            ("verified", Bool),
            ("judgement", Optional(&Object(JUDGEMENT))),
            ("not_judged", Optional(&Text)),
        ],
    ),
    (
        "group",
        &[
            ("id", Count),
            ("kind", Text),
            ("common", Optional(&Count)),
            ("principal", Path),
            ("judged_apart", Optional(&Bool)),
            ("members", List(MEMBER)),
        ],
    ),
    ("summary", SUMMARY),
    (
        "comparison",
        &[
            ("a", Maybe(&Path)),
            ("b", Maybe(&Path)),
            ("relation", Text),
            ("resemblance", Ratio),
            ("containment_of_a", Ratio),
            ("containment_of_b", Ratio),
            ("shared_shingles", Count),
            ("shingles_a", Count),
            ("shingles_b", Count),
            ("chars_a", Count),
            ("chars_b", Count),
            ("judgement", Maybe(&Object(JUDGEMENT))),
            ("not_judged", Optional(&Text)),
            ("estimates", List(ESTIMATE)),
            ("spans", List(SPAN)),
            ("shared_shingles_outside_spans", Count),
            ("left_out_a", Optional(&Object(LEFT_OUT))),
            ("left_out_b", Optional(&Object(LEFT_OUT))),
            ("diff", Maybe(&Text)),
            ("words", Maybe(&Object(WORDS))),
            ("operations", Maybe(&List(OPERATION))),
            ("operations_left_out", Optional(&Text)),
            ("complete", Bool),
        ],
    ),
    (
        "status",
        &[
            ("version", Text),
            ("format", Count),
            ("data_dir", Path),
            ("new_index", Bool),
            ("index_of_config", Optional(&Text)),
            ("set_aside", Optional(&Text)),
            ("damage", Optional(&Text)),
            ("uptime_seconds", Seconds),
            ("queued", Count),
            ("threshold", Ratio),
            ("store_bytes", Count),
            ("text_bytes", Count),
            ("max_message_bytes", Count),
            ("sandbox", Text),
            ("resident_bytes", Maybe(&Count)),
            ("memory", List(MEMORY)),
            ("memory_limit_bytes", Maybe(&Count)),
            ("reading", Optional(&Object(PACE))),
            ("settling", Optional(&Object(PACE))),
            ("merging_seconds", Optional(&Seconds)),
            ("schemes", List(USAGE)),
            ("roots", List(ROOT)),
            ("judge_model", Object(judging::MODEL)),
            ("judge_model_fallback", Optional(&Text)),
            ("sampling", Object(SAMPLING)),
            ("summary", Object(SUMMARY)),
            ("complete", Bool),
        ],
    ),
    ("sampling", SAMPLING),
    ("label", judging::LABEL),
    ("evaluation", judging::EVALUATION),
    ("trained-model", judging::TRAINED),
    ("reset-model", judging::RESET),
    ("completeness", &[("complete", Bool)]),
    ("root", ROOT),
    ("rescan", &[("roots", Count)]),
    (
        "sync",
        &[
            ("seconds", Seconds),
            ("files", Count),
            ("unreadable", Count),
            ("unsteady", Count),
            ("crowded", Count),
        ],
    ),
    (
        "report",
        &[
            ("out", Path),
            ("manifest", Hash),
            ("summary", Object(SUMMARY)),
            ("findings", Optional(&Counts)),
            ("files_not_compared", Optional(&List(reports::UNREAD))),
        ],
    ),
    ("folders", lists::FOLDERS),
    ("folder-copies", lists::FOLDER_COPIES),
    ("template", lists::TEMPLATE),
    ("templates", lists::TEMPLATES),
    ("calibration", lists::CALIBRATION),
    ("event", lists::EVENT),
    ("confirmed-loss", lists::CONFIRMED_LOSS),
    ("diff", reports::DIFF),
    ("operation", OPERATION),
    ("unread", reports::UNREAD),
    ("finding", reports::FINDING),
    ("change", reports::CHANGE),
    ("finding-change", reports::FINDING_CHANGE),
    ("changes", reports::CHANGES),
    ("manifest", reports::MANIFEST),
];
