//! `watch`: changes as they become visible to queries.

use simdex_client::lines::Event as EventLine;
use simdex_client::text::{escaped, harmless};
use simdex_client::wire::Event;
use simdex_client::{Error, lines};
use std::io::Write as _;
use unicode_width::UnicodeWidthStr;

use crate::cli::WatchArgs;
use crate::commands::Session;
use crate::exit_code::Outcome;
use crate::failure::Failure;
use crate::output::eprint_line;
use crate::output::text::ending;

/// The first event of a stream, which is not a change.
const WATCHING: &str = "watching";

/// Cells of a path that are shown, however little room there is.
const MIN_PATH_CELLS: usize = 20;

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
            let row = row(&event, session.printer.max_cells());
            writeln!(session.printer, "{row}")?;
        }
        // A reader acts on each event immediately.
        session.printer.flush()?;
    }
}

/// An event as one line, with its time in whole seconds. The path is cut if the line would be wider than `max_cells`,
/// but a few cells of it always stay.
fn row(event: &Event, max_cells: Option<usize>) -> String {
    let at = lines::date(Some(event.at.div_euclid(1_000_000))).unwrap_or_default();
    let kind = harmless(&event.kind, |_| false);
    let mut row = format!("{} {at} {kind:<17}", event.number);
    if let Some(group) = event.group {
        row.push_str(&format!(" group {group}"));
    }
    let detail = escaped(event.detail.as_bytes());
    let used = row.width() + detail.width() + 2;
    let room = max_cells.map_or(usize::MAX, |most| {
        most.saturating_sub(used).max(MIN_PATH_CELLS)
    });
    for words in [ending(&escaped(&event.path), room), detail] {
        if !words.is_empty() {
            row.push(' ');
            row.push_str(&words);
        }
    }
    row.truncate(row.trim_end().len());
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
            document: vec![1; 32],
        };
        let expected = "7 1970-01-01T00:00:01Z group-joined      group 3 /share/a\\nb.txt";
        assert_eq!(row(&event, None), expected);
        let long = Event {
            path: format!("/share/{}/b.txt", "folder/".repeat(30)).into_bytes(),
            detail: "why".to_owned(),
            ..event.clone()
        };
        let shown = row(&long, Some(80));
        assert_eq!(shown.width(), 80);
        assert!(shown.ends_with("folder//b.txt why"), "{shown}");
        assert!(row(&long, Some(10)).contains('…'), "some of the path stays");
        let hostile = Event {
            kind: "file-\x1b[2Jgone\n".to_owned(),
            ..event
        };
        let shown = row(&hostile, Some(80));
        assert!(shown.contains("file-\\u{1b}[2Jgone\\n"), "{shown:?}");
        assert!(!shown.contains(char::is_control));
    }
}
