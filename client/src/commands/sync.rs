//! `sync`: waits until every change made before is applied.

use crate::commands::Session;
use crate::exit_code::Outcome;
use crate::failure::Failure;
use crate::output::eprint_line;
use crate::progress::waiting;
use simdex_client::lines::Sync;
use simdex_client::text::{counted, grouped, plural};
use simdex_client::wire::SyncReply;

pub(super) async fn run(session: &mut Session) -> Result<Outcome, Failure> {
    let reply = waiting("waiting for the daemon", session.client.sync()).await?;
    if session.printer.is_json() {
        session.printer.line(&Sync {
            seconds: reply.seconds,
            files: reply.files,
            unreadable: reply.unreadable,
            unsteady: reply.unsteady,
            crowded: reply.crowded,
        })?;
    } else {
        eprint_line(up_to_date(&reply));
    }
    if reply.unreadable > 0 {
        let paths = counted(reply.unreadable, "path");
        eprint_line(format!(
            "{paths} cannot be read: answers lack what is there, or show its earlier state; see `simctl roots`"
        ));
    }
    Ok(Outcome::Answered)
}

/// How many files are up to date, and how many files and documents are not.
fn up_to_date(reply: &SyncReply) -> String {
    let files = counted(reply.files.saturating_sub(reply.unsteady), "file");
    let mut said = format!("{files} up to date after {:.1} s", reply.seconds);
    if reply.unsteady > 0 {
        let others = counted(reply.unsteady, "other");
        said = format!("{said}, {others} to be tried again");
    }
    if reply.crowded > 0 {
        let (count, ending) = (grouped(reply.crowded), plural(reply.crowded));
        said = format!(
            "{said}; not waited for: {count} crowded document{ending}, which may be in no group yet"
        );
    }
    said
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_could_not_be_read_is_not_called_up_to_date() {
        let said = |unsteady, crowded| {
            up_to_date(&SyncReply {
                seconds: 1.25,
                files: 3,
                unsteady,
                crowded,
                ..SyncReply::default()
            })
        };
        assert_eq!(said(0, 0), "3 files up to date after 1.2 s");
        assert_eq!(
            said(1, 0),
            "2 files up to date after 1.2 s, 1 other to be tried again"
        );
        assert_eq!(
            said(0, 1_108),
            "3 files up to date after 1.2 s; not waited for: 1,108 crowded documents, which may be in no group yet"
        );
    }
}
