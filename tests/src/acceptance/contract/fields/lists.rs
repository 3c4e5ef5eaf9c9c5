//! The fields of lines about folders, templates, calibrations and events.

use super::Fields;
use super::Kind::{Bool, Count, Hash, List, Maybe, Object, Optional, Path, Ratio, Seconds, Text};

const PATH: Fields = &[("path", Path)];

/// Two folders that have files in common.
pub(super) const FOLDERS: Fields = &[
    ("a", Path),
    ("b", Path),
    ("files_a", Count),
    ("files_b", Count),
    ("shared_a", Count),
    ("shared_b", Count),
    ("revised", Count),
    ("share", Ratio),
    ("copies", Optional(&Count)),
    ("further", Optional(&List(PATH))),
    ("alone_a", Optional(&List(PATH))),
    ("alone_b", Optional(&List(PATH))),
];

/// Closes a list of folders.
pub(super) const FOLDER_COPIES: Fields = &[
    ("pairs", Count),
    ("files", Count),
    ("truncated", Bool),
    ("too_common", Count),
    ("seconds", Seconds),
    ("complete", Bool),
];

/// Text that recurs in a root.
pub(super) const TEMPLATE: Fields = &[
    ("root", Path),
    ("text", Text),
    ("lines", Count),
    ("documents", Count),
    ("groups", Count),
    ("of_documents", Count),
    ("cut", Bool),
    ("left_out", Bool),
    ("partly_left_out", Bool),
    ("path", Path),
];

/// Closes a list of templates.
pub(super) const TEMPLATES: Fields = &[
    ("templates", Count),
    ("documents", Count),
    ("truncated", Bool),
    ("seconds", Seconds),
    ("complete", Bool),
];

const QUALITY: Fields = &[
    ("precision", Maybe(&Ratio)),
    ("recall", Maybe(&Ratio)),
    ("precision_low", Maybe(&Ratio)),
    ("precision_high", Maybe(&Ratio)),
];

const SIZE_GROUP: Fields = &[
    ("from_bytes", Count),
    ("documents", Count),
    ("bytes", Count),
    ("pairs", Count),
    ("steps", List(QUALITY)),
    ("n", Count),
    ("shortest_excerpt_bytes", Count),
    ("interval_width", Ratio),
];

/// A recommended setting.
pub(super) const CALIBRATION: Fields = &[
    ("groups", List(SIZE_GROUP)),
    ("predicted", Object(QUALITY)),
    ("checked", Object(QUALITY)),
    ("pairs", Count),
    ("checked_pairs", Count),
    ("sampled", Count),
    ("fingerprints", Count),
    ("fingerprints_now", Count),
    ("required_precision", Ratio),
    ("threshold", Ratio),
    ("posting_bytes", Count),
    ("posting_bytes_now", Count),
    ("false_match_rate", Ratio),
    ("complete", Bool),
];

/// A change as it becomes visible to queries.
pub(super) const EVENT: Fields = &[
    ("number", Count),
    ("at", Maybe(&Text)),
    ("kind", Text),
    ("path", Maybe(&Path)),
    ("group", Maybe(&Count)),
    ("document", Maybe(&Hash)),
    ("detail", Maybe(&Text)),
];

/// Files that were removed from the index on somebody's word.
pub(super) const CONFIRMED_LOSS: Fields = &[("root", Path), ("removed", Count)];
