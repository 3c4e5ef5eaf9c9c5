//! The fields of the lines in the files of a report, and of the changes between two.

use super::Fields;
use super::Kind::{
    Bool, Count, Counts, Flattened, Hash, Is, List, Maybe, Object, Optional, Path, Ratio, Seconds,
    Text, Texts,
};
use super::judging::MODEL;

const PATH: Fields = &[("path", Path)];

/// A document that differs from its group's principal.
pub(super) const DIFF: Fields = &[
    ("group", Count),
    ("diff", Maybe(&Text)),
    ("left_out", Optional(&Text)),
    ("from_document", Hash),
    ("from_text", Maybe(&Text)),
    ("to_document", Hash),
    ("to_text", Maybe(&Text)),
    ("files", List(PATH)),
    ("places", Maybe(&Count)),
    ("lines_removed", Maybe(&Count)),
    ("lines_added", Maybe(&Count)),
    ("cut_short", Maybe(&Bool)),
    ("operations", Maybe(&Text)),
    ("words_removed", Maybe(&Count)),
    ("words_added", Maybe(&Count)),
    ("words_moved", Maybe(&Count)),
    ("words_cut_short", Maybe(&Bool)),
];

/// A file that was not read, or not whole.
pub(super) const UNREAD: Fields = &[("path", Path), ("state", Text), ("reason", Maybe(&Text))];

/// A file that a compliance question found.
pub(super) const FINDING: Fields = &[
    ("kind", Text),
    ("path", Path),
    ("root", Path),
    ("owner", Maybe(&Count)),
    ("owner_name", Maybe(&Text)),
    ("relation", Text),
    ("of", Path),
    ("of_not_indexed", Optional(&Bool)),
    ("newest", Optional(&Path)),
    ("document", Maybe(&Hash)),
    ("content", Maybe(&Hash)),
    ("bytes", Maybe(&Count)),
    ("modified", Maybe(&Text)),
    ("date", Optional(&Text)),
    ("date_source", Optional(&Text)),
    ("resemblance", Maybe(&Ratio)),
    ("containment", Maybe(&Ratio)),
    ("containment_of_other", Maybe(&Ratio)),
    ("verified", Maybe(&Bool)),
];

/// What became of a group, or of one of its files.
pub(super) const CHANGE: Fields = &[
    ("change", Text),
    ("group", Count),
    ("principal", Path),
    ("files", Optional(&Count)),
    ("path", Optional(&Path)),
    ("document", Optional(&Hash)),
    ("document_before", Optional(&Hash)),
];

/// What became of a file that a compliance question found: a finding, and what it was.
pub(super) const FINDING_CHANGE: Fields = &[
    ("change", Text),
    ("fields", Optional(&Texts)),
    ("its finding", Flattened(FINDING)),
    ("before", Optional(&Object(FINDING))),
];

/// What changed since an earlier report, in sum: of groups, or of findings.
pub(super) const CHANGES: Fields = &[
    ("path", Path),
    ("since", Hash),
    ("groups_new", Optional(&Count)),
    ("groups_gone", Optional(&Count)),
    ("groups_changed", Optional(&Count)),
    ("files_joined", Optional(&Count)),
    ("files_left", Optional(&Count)),
    ("files_changed", Optional(&Count)),
    ("findings_new", Optional(&Count)),
    ("findings_gone", Optional(&Count)),
    ("findings_changed", Optional(&Count)),
    ("caveats", Texts),
];

/// The earlier report in a manifest.
const SINCE: Fields = &[
    ("path", Path),
    ("manifest", Hash),
    ("groups_new", Optional(&Count)),
    ("groups_gone", Optional(&Count)),
    ("groups_changed", Optional(&Count)),
    ("files_joined", Optional(&Count)),
    ("files_left", Optional(&Count)),
    ("files_changed", Optional(&Count)),
    ("findings_new", Optional(&Count)),
    ("findings_gone", Optional(&Count)),
    ("findings_changed", Optional(&Count)),
    ("caveats", Texts),
];

/// A file asked about that the index lacks.
const SENT_FILE: Fields = &[("path", Path), ("bytes", Count), ("content", Hash)];

const QUESTION: Fields = &[
    ("files", Optional(&List(PATH))),
    ("not_indexed", Optional(&List(SENT_FILE))),
    ("protected", Optional(&List(PATH))),
    ("older_than_seconds", Optional(&Count)),
    ("containment", Optional(&Ratio)),
];

const IN_USE: Fields = &[
    ("name", Text),
    ("n", Count),
    ("n_most", Count),
    ("window", Count),
    ("unit", Text),
    ("canonical", Count),
];

const ENTRY: Fields = &[("path", Text), ("bytes", Count), ("blake3", Hash)];

/// What a report is, and every file in it.
pub(super) const MANIFEST: Fields = &[
    ("product", Is("simdex")),
    ("version", Text),
    ("kind", Text),
    ("created", Text),
    ("seconds", Seconds),
    ("roots", List(PATH)),
    ("threshold", Optional(&Ratio)),
    ("scheme", Object(IN_USE)),
    ("files_on_disk", Count),
    ("members", Count),
    ("states", Counts),
    ("member_states", Counts),
    ("documents", Count),
    ("groups", Optional(&Count)),
    ("suppressed", Count),
    ("complete", Bool),
    ("question", Optional(&Object(QUESTION))),
    ("unfinished", Optional(&Count)),
    ("common", Optional(&Count)),
    ("files_in_no_group", Optional(&List(PATH))),
    ("files_not_compared", Optional(&List(UNREAD))),
    ("findings", Optional(&Counts)),
    ("since", Optional(&Object(SINCE))),
    ("unjudged", Optional(&Count)),
    ("judge_model", Optional(&Object(MODEL))),
    ("groups_judged_apart", Optional(&Count)),
    ("diffs", Count),
    ("documents_without_text", Count),
    ("files", List(ENTRY)),
    ("daemon_mark", Hash),
    ("manifest_blake3", Hash),
];
