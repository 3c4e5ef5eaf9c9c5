//! Progress of a list, sent in its stream to clients that request it.

use std::time::{Duration, Instant};

use simdex_proto::v1;

/// Least time between two messages.
const PAUSE: Duration = Duration::from_millis(500);

/// Decides when progress is sent.
pub(super) struct ListProgress {
    /// Files of the roots asked about; `None` if the list is resumed.
    of: Option<u64>,
    /// When the last message was sent.
    last_sent: Instant,
}

impl ListProgress {
    /// The progress of a list that begins now, and the first message.
    pub(super) fn begin(of: Option<u64>, now: Instant) -> (Self, v1::ListProgress) {
        let first = v1::ListProgress {
            of,
            ..v1::ListProgress::default()
        };
        (Self { of, last_sent: now }, first)
    }

    /// The message to send now, if the last one was sent long enough ago: `done`, with the number of all files.
    pub(super) fn due(&mut self, done: v1::ListProgress, now: Instant) -> Option<v1::ListProgress> {
        if now.duration_since(self.last_sent) < PAUSE {
            return None;
        }
        self.last_sent = now;
        Some(v1::ListProgress {
            of: self.of,
            ..done
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_client_is_told_at_once_and_then_twice_a_second_at_most() {
        let start = Instant::now();
        let (mut progress, first) = ListProgress::begin(Some(9), start);
        assert_eq!((first.files, first.of, first.pairs), (0, Some(9), 0));
        let sent = (1..=9).filter_map(|files| {
            let now = start + Duration::from_millis(200 * files);
            let done = v1::ListProgress {
                files,
                pairs: 2 * files,
                ..v1::ListProgress::default()
            };
            progress.due(done, now)
        });
        let sent: Vec<_> = sent.map(|sent| (sent.files, sent.of, sent.pairs)).collect();
        assert_eq!(sent, [3, 6, 9].map(|files| (files, Some(9), 2 * files)));
    }
}
