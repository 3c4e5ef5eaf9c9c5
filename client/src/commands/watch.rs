//! `watch`: changes as they become visible to queries.

use simdex_client::lines::Event as EventLine;
use simdex_client::text::{escaped, harmless};
use simdex_client::wire::Event;
use simdex_client::{Error, lines};
use std::io::Write as _;

use crate::cli::WatchArgs;
use crate::commands::Session;
use crate::exit_code::Outcome;
use crate::failure::Failure;
use crate::output::eprint_line;

/// The first event of a stream, which is not a change.
const WATCHING: &str = "watching";

pub(super) async fn run(session: &mut Session, args: WatchArgs) -> Result<Outcome, Failure> {
    let roots = session.root_ids(&args.roots.paths).await?;
    let mut events = session.client.events(roots, args.after).await?;
    let mut after = args.after;
    loop {
        let event = match events.message().await.map_err(Error::from) {
            Ok(Some(event)) => event,
            Ok(None) => return Err(Failure::StreamEnded),
            Err(error @ Error::Disconnected { .. }) => {
                return Err(Failure::WatchBroken { error, after });
            }
            Err(error) => return Err(error.into()),
        };
        after = Some(event.number);
        if session.printer.is_json() {
            session.printer.line(&EventLine::from(&event))?;
        } else if event.kind == WATCHING {
            eprint_line(format!("watching from event {} on", event.number));
        } else {
            writeln!(session.printer, "{}", row(&event))?;
        }
        // A reader acts on each event immediately.
        session.printer.flush()?;
    }
}

/// An event as one line.
fn row(event: &Event) -> String {
    let at = lines::date_of_micros(event.at).unwrap_or_default();
    let kind = harmless(&event.kind, |_| false);
    let mut row = format!("{} {at} {kind:<14}", event.number);
    if let Some(group) = event.group {
        row.push_str(&format!(" group {group}"));
    }
    for words in [escaped(&event.path), escaped(event.detail.as_bytes())] {
        if !words.is_empty() {
            row.push(' ');
            row.push_str(&words);
        }
    }
    row
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_event_is_one_line_whatever_its_name_holds() {
        let event = Event {
            kind: "group-joined".to_owned(),
            path: b"/share/a\nb.txt".to_vec(),
            detail: String::new(),
            at: 1_000_000,
            number: 7,
            group: Some(3),
        };
        let expected = "7 1970-01-01T00:00:01Z group-joined   group 3 /share/a\\nb.txt";
        assert_eq!(row(&event), expected);
        let hostile = Event {
            kind: "file-\x1b[2Jgone\n".to_owned(),
            ..event
        };
        let shown = row(&hostile);
        assert!(shown.contains("file-\\u{1b}[2Jgone\\n"), "{shown:?}");
        assert!(!shown.contains(char::is_control));
    }
}
