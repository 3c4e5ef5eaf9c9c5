//! What a rater sees and types, and what becomes of the labels.

use std::os::unix::fs::symlink;
use std::path::Path;

use rustix::fs::{CWD, FileType, Mode, mknodat};

use super::{Run, command, run_typing};
use crate::fake::Daemon;

/// The fields of a line that name a pair; pairs with different numbers are of different documents.
fn fields(of: u8) -> String {
    let document = |last: u8| format!("{of:02x}").repeat(31) + &format!("{last:02x}");
    let (a, b) = (document(0xa), document(0xb));
    format!(
        r#""a":"/share/a-{of}.txt","b":"/share/b-{of}.txt","document_a":"{a}","document_b":"{b}""#
    )
}

/// A line of a labels file.
fn label_line(of: u8, verdict: &str) -> String {
    let pair = fields(of);
    format!(
        r#"{{"type":"label","v":1,{pair},"verdict":"{verdict}","rater":"ada","at":"2026-11-23T03:00:00Z"}}"#
    ) + "\n"
}

/// Runs a verb of `judge` on standard input.
fn judge(daemon: &Daemon, arguments: &[&str], typed: &str) -> Run {
    let arguments = [&["judge"], arguments].concat();
    run_typing(command(&daemon.socket(), &arguments), typed)
}

fn text(path: &Path) -> &str {
    path.to_str().expect("a temporary folder in UTF-8")
}

#[test]
fn labels_from_standard_input_go_beside_those_of_files() {
    let daemon = Daemon::start();
    let file = daemon.local_file("labels", label_line(1, "same").as_bytes());
    let typed = label_line(2, "version") + &label_line(3, "skip");
    for verb in ["evaluate", "train"] {
        let arguments = [verb, "--labels", text(&file), "--labels", "-", "--json"];
        let run = judge(&daemon, &arguments, &typed);
        assert_eq!(run.code, 0, "{}", run.talk);
        let sent = daemon.seen().labels.take().expect("labels");
        let sides = sent.iter().filter_map(|label| label.a.as_ref());
        let paths: Vec<&[u8]> = sides.map(|side| &side.path[..]).collect();
        assert_eq!(paths, [b"/share/a-1.txt", b"/share/a-2.txt"]);
    }
    let refused = judge(&daemon, &["evaluate", "--labels", "-"], "nonsense\n");
    assert_eq!(refused.code, 2);
    let said = "simctl: standard input: line 1 is no label; correct or remove that line";
    assert!(refused.talk.starts_with(said), "{}", refused.talk);
}

#[test]
fn a_fifo_in_place_of_a_file_is_refused_in_one_sentence() {
    let daemon = Daemon::start();
    let fifo = daemon.dir.path().join("fifo");
    mknodat(CWD, &fifo, FileType::Fifo, Mode::RWXU, 0).expect("FIFO");
    let link = daemon.dir.path().join("link");
    symlink(&fifo, &link).expect("link");
    let [fifo, link] = [text(&fifo), text(&link)];
    let labels = daemon.dir.path().join("labels");
    let labels = text(&labels);
    for (arguments, named) in [
        (&["evaluate", "--labels", fifo][..], fifo),
        (&["train", "--labels", link], link),
        (&["label", "--rater", "ada", "--labels", fifo], fifo),
        (
            &[
                "label", "--rater", "ada", "--labels", labels, "--pairs", link,
            ],
            link,
        ),
        (
            &["label", "--rater", "ada", "--labels", "/dev/null"],
            "/dev/null",
        ),
    ] {
        let run = judge(&daemon, arguments, "");
        let said = format!(
            "simctl: {named} is not a regular file; name a file; a query, `judge evaluate` and `judge train` also read \
             standard input, as `-`\n"
        );
        assert_eq!((run.code, run.talk), (2, said), "{arguments:?}");
    }
}

#[test]
fn labels_that_the_daemon_would_refuse_are_not_sent() {
    let daemon = Daemon::start();
    let most = label_line(1, "same").repeat(20_000);
    let many = daemon.local_file("many", (most + &label_line(2, "same")).as_bytes());
    // The fake accepts messages of 1 MiB.
    let large = daemon.local_file("large", label_line(1, "same").repeat(12_000).as_bytes());
    for (file, said) in [
        (
            &many,
            "20,001 labels are more than the 20,000 that one request may hold; name fewer files, or leave out labels that \
             later ones replace",
        ),
        (
            &large,
            "the labels take 1,356,000 bytes, more than the 1,048,576 that the daemon accepts in a request; name fewer \
             files, or raise `max_message_mib` under `[grpc]` in the daemon's config",
        ),
    ] {
        for verb in ["evaluate", "train"] {
            let run = judge(&daemon, &[verb, "--labels", text(file)], "");
            assert_eq!((run.code, run.talk), (2, format!("simctl: {said}\n")));
        }
    }
    assert!(daemon.seen().labels.is_none());
}
