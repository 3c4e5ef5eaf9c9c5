//! Changes that became visible to queries, one per event.

use serde::Serialize;

use super::{date_of_micros, exact, filled, hex, lossy};
use crate::v1;

/// One event, as `simctl watch` prints it.
#[derive(Clone, Debug, Serialize)]
pub struct Event {
    /// Number of the event: `simctl watch --after` resumes after it.
    pub number: u64,
    /// Time of recording, in UTC; null for `watching`, which is not a change.
    pub at: Option<String>,
    /// The kind of event, such as `file-indexed`; a newer daemon may send others.
    pub kind: String,
    /// The file, or the root; null if there is none.
    pub path: Option<String>,
    /// Exact bytes of that path, if they are not UTF-8.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub path_bytes: Option<String>,
    /// Number of the group concerned.
    pub group: Option<u64>,
    /// Hash of the document that the file carries, or that joined, left, leads or led the group.
    pub document: Option<String>,
    /// Details of the event.
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
            document: hex(&event.document),
            detail: filled(&event.detail),
        }
    }
}
