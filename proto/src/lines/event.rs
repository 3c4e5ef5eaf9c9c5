//! What became visible to queries, event by event.

use serde::Serialize;

use super::{date_of_micros, exact, filled, lossy};
use crate::v1;

/// One event, as `simctl watch` prints it.
#[derive(Clone, Debug, Serialize)]
pub struct Event {
    /// Its number: `simctl watch --after` resumes behind it.
    pub number: u64,
    /// When it was recorded, in UTC; null for `watching`, which is no change.
    pub at: Option<String>,
    /// What happened, such as `file-indexed`; a newer daemon may send others.
    pub kind: String,
    /// The file, or the root; null where there is none.
    pub path: Option<String>,
    /// Its exact bytes, where they are not UTF-8.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub path_bytes: Option<String>,
    /// Number of the group concerned.
    pub group: Option<u64>,
    /// More about it.
    pub detail: Option<String>,
}

impl From<&v1::Event> for Event {
    fn from(event: &v1::Event) -> Self {
        Self {
            number: event.number,
            at: (event.at != 0).then(|| date_of_micros(event.at)).flatten(),
            kind: event.kind.clone(),
            path: filled(&lossy(&event.path)),
            path_bytes: exact(&event.path),
            group: event.group,
            detail: filled(&event.detail),
        }
    }
}
