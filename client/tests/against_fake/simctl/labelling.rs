//! What a rater sees and types, and what becomes of the labels.

use std::os::unix::fs::symlink;
use std::path::Path;
use std::process::Command;

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

/// Labels these pairs as ada, who types this.
fn label(daemon: &Daemon, pairs: &[u8], typed: &str) -> Run {
    run_typing(label_command(daemon, pairs), typed)
}

fn label_command(daemon: &Daemon, pairs: &[u8]) -> Command {
    let lines = pairs.iter().map(|of| format!("{{{}}}\n", fields(*of)));
    let pairs = daemon.local_file("pairs", lines.collect::<String>().as_bytes());
    let labels = daemon.dir.path().join("labels");
    let labels = ["--labels", text(&labels), "--pairs", text(&pairs)];
    let arguments = [&["judge", "label", "--rater", "ada"], &labels[..]].concat();
    command(&daemon.socket(), &arguments)
}

/// The verdicts in the file, in their order.
fn verdicts(daemon: &Daemon) -> Vec<String> {
    let labels = std::fs::read_to_string(daemon.dir.path().join("labels")).expect("labels");
    let verdict = |line: &str| {
        let (_, rest) = line.split_once("\"verdict\":\"").expect("a label");
        let (verdict, _) = rest.split_once('"').expect("a string");
        verdict.to_owned()
    };
    labels.lines().map(verdict).collect()
}

/// What prompts say of the pair that they ask about.
fn headings(run: &Run) -> Vec<&str> {
    let prompts = run.talk.lines().filter(|line| line.ends_with("[q]uit?"));
    let headings = prompts.map(|prompt| prompt.split(": ").nth(1).unwrap_or_default());
    headings.collect()
}

/// Runs a verb of `judge` on standard input.
fn judge(daemon: &Daemon, arguments: &[&str], typed: &str) -> Run {
    let arguments = [&["judge"], arguments].concat();
    run_typing(command(&daemon.socket(), &arguments), typed)
}

fn text(path: &Path) -> &str {
    path.to_str().expect("a temporary folder in UTF-8")
}

const NUMBERS: &str = "
A                      /share/a-1.txt (220 characters)
B                      /share/b-1.txt (120 characters)
relation               A contains B
resemblance            0.500
containment of A in B  0.500
containment of B in A  1.000
shingles               100 shared, 200 in A, 100 in B
shared text            2 spans, 100 bytes of A; 7 shared shingles in none of them
words                  1 removed, 1 added, 14 moved in 1 block; case and white space aside
";

const COLUMNS: &str = "
/share/a-1.txt                           /share/b-1.txt
--------------------------------------   --------------------------------------
one\\u{1b}[31m                          |         two
";

const HINT: &str = "Lines are broken differently, or text moved; w shows the words that differ\n";

const WORDS: &str = "
--- /share/a-1.txt
+++ /share/b-1.txt
@@ -1 +1 @@
some [-one-]{+two+} words
";

#[test]
fn a_pair_is_shown_side_by_side_and_its_words_on_request() {
    let daemon = Daemon::start();
    let run = label(&daemon, &[1], "d\nw\nq\n");
    assert_eq!(run.code, 0, "{}", run.talk);
    let expected = [NUMBERS, COLUMNS, HINT, COLUMNS, HINT, WORDS].concat();
    assert_eq!(run.out, expected);
    let asked = daemon.seen().compared.take().expect("asked");
    assert!(asked.with_words && !asked.without_difference && !asked.with_judgement);
}

#[test]
fn columns_are_as_wide_as_the_terminal_and_only_the_first_lines_are_shown() {
    let daemon = Daemon::start();
    let mut command = label_command(&daemon, &[1]);
    command.env("COLUMNS", "33").args(["--lines", "1"]);
    let run = run_typing(command, "d\nq\n");
    let expected = "
/share/a-1.txt    /share/b-1.txt
---------------   ---------------
one\\u{1b}[31m   |         two
";
    assert_eq!(run.out.matches(expected).count(), 2, "{}", run.out);
    let mut command = label_command(&daemon, &[1]);
    command.args(["--lines", "0"]);
    let run = run_typing(command, "d\nq\n");
    let (first, whole) = run
        .out
        .split_once("… 1 line more; d shows all\n")
        .expect("cut");
    assert!(!first.contains("two"), "{first}");
    assert_eq!(whole, [HINT, COLUMNS, HINT].concat());
}

#[test]
fn words_are_shown_where_the_texts_are_too_long_to_be_side_by_side() {
    let daemon = Daemon::start();
    let run = label(&daemon, &[0xee], "q\n");
    let words = WORDS.replace("-1.txt", "-238.txt");
    assert!(run.out.ends_with(&words), "{}", run.out);
    let why = "simctl: the texts are not shown side by side: it is too long\n";
    assert!(run.talk.starts_with(why), "{}", run.talk);
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
    let said = "simctl: standard input: line 1 is no label: it is not a line of JSON; correct or remove that line";
    assert!(refused.talk.starts_with(said), "{}", refused.talk);
}

#[test]
fn labels_are_not_appended_to_standard_output() {
    let daemon = Daemon::start();
    let arguments = ["label", "--rater", "ada", "--labels", "-"];
    let run = judge(&daemon, &arguments, "s\n");
    assert_eq!(run.code, 2);
    let said = "simctl: labels are appended to a file and read back from it, which `-` is not; name a file with --labels\n";
    assert_eq!(run.talk, said);
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
            "simctl: {named} is not a regular file; name a file; commands that read standard input take it \
             as `-`\n"
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

#[test]
fn a_rater_goes_back_to_what_an_earlier_run_labelled_and_on_to_what_is_open() {
    let daemon = Daemon::start();
    let pairs = [1, 2, 3, 4];
    let run = label(&daemon, &pairs, "s\nv\n");
    assert_eq!(
        headings(&run),
        ["pair 1 of 4", "pair 2 of 4", "pair 3 of 4"]
    );
    let run = label(&daemon, &pairs, "b\nb\nt\nn\nq\n");
    assert_eq!(
        headings(&run),
        [
            "pair 3 of 4",
            "pair 2 of 4, version before",
            "pair 1 of 4, same before",
            "pair 3 of 4",
            "pair 4 of 4",
        ]
    );
    assert_eq!(
        verdicts(&daemon),
        ["same", "version", "template-only", "skip"]
    );
    // No verdict can be kept where there is none; from the end there is a way back.
    let run = label(&daemon, &pairs, "k\nb\nk\nu\nn\nb\nq\n");
    assert_eq!(
        headings(&run),
        [
            "pair 4 of 4",
            "pair 4 of 4",
            "pair 3 of 4, skipped before",
            "pair 4 of 4",
            "no pair is left",
            "no pair is left",
            "pair 4 of 4, unrelated before",
        ]
    );
    assert_eq!(verdicts(&daemon)[4..], ["unrelated"]);
    let run = label(&daemon, &pairs, "");
    let said = "simctl: no pair is left, 4 pairs labelled or skipped, 1 of them skipped\n";
    assert!(run.talk.starts_with(said), "{}", run.talk);
    assert_eq!(headings(&run), ["no pair is left"]);
}

#[test]
fn skipped_pairs_are_counted_apart_from_labelled_ones() {
    let daemon = Daemon::start();
    let pairs: Vec<u8> = (1..=11).collect();
    let run = label(&daemon, &pairs, "s\nn\nv\nu\nq\n");
    assert_eq!(run.code, 0, "{}", run.talk);
    let last = run.talk.lines().last().expect("a sentence");
    let said = "simctl: 3 pairs labelled, 1 skipped, 7 left; labels are in ";
    assert!(last.starts_with(said), "{last}");
    // A verdict that is taken back is none.
    let run = label(&daemon, &pairs, "s\nb\nn\nq\n");
    let last = run.talk.lines().last().expect("a sentence");
    assert!(
        last.contains(" 0 pairs labelled, 1 skipped, 6 left;"),
        "{last}"
    );
}

#[test]
fn a_pair_whose_document_is_gone_is_passed_over_in_both_directions() {
    let daemon = Daemon::start();
    let run = label(&daemon, &[1, 0xdd, 3], "s\nb\nk\nq\n");
    assert_eq!(
        headings(&run),
        [
            "pair 1 of 3",
            "pair 3 of 3",
            "pair 1 of 3, same before",
            "pair 3 of 3"
        ]
    );
    let said = "/share/a-221.txt and /share/b-221.txt are passed over: the text of one of them is in no file any more \
                (no such document is known)";
    assert_eq!(run.talk.matches(said).count(), 1, "{}", run.talk);
}
