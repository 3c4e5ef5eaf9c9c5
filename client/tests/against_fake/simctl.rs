//! The real binary: what it prints, what it says, how it exits.

use std::io::{Read, Write};
use std::path::Path;
use std::process::{Command, Stdio};

use simdex_client::wire::{SchemeChoice, query, side};

use crate::fake::{Daemon, End};

const BINARY: &str = env!("CARGO_BIN_EXE_simctl");

/// What came of a run: exit code, stdout, stderr.
#[derive(Debug)]
struct Run {
    code: i32,
    out: String,
    talk: String,
}

fn command(socket: &Path, args: &[&str]) -> Command {
    let mut command = Command::new(BINARY);
    command
        .env_remove("SIMDEX_SOCKET")
        .env_remove("XDG_RUNTIME_DIR");
    command
        .arg("--socket")
        .arg(socket)
        .args(args)
        .stdin(Stdio::null());
    command
}

fn run(mut command: Command) -> Run {
    let output = command.output().expect("simctl runs");
    let text = |bytes| String::from_utf8(bytes).expect("UTF-8");
    Run {
        code: output.status.code().expect("no signal"),
        out: text(output.stdout),
        talk: text(output.stderr),
    }
}

fn simctl(daemon: &Daemon, args: &[&str]) -> Run {
    run(command(&daemon.socket(), args))
}

#[test]
fn matches_are_a_table_when_piped_without_colour() {
    let run = simctl(&Daemon::start(), &["find-similar", "/share/a.txt"]);
    assert_eq!(run.code, 0, "{}", run.talk);
    assert_eq!(
        run.out,
        "\
RESEMBLANCE           CONTAINMENT OF QUERY  CONTAINMENT IN QUERY  RELATION        BASIS     PATH
0.750                 0.875                 0.840                 near-duplicate  verified  /share/b.txt
0.250 [0.200, 0.313]  -                     0.500 [0.400, 0.600]  overlaps        estimate  /share/c\\xff.txt
"
    );
    assert_eq!(run.talk, "");
}

#[test]
fn matches_as_json_are_one_object_a_line() {
    let run = simctl(&Daemon::start(), &["--json", "containing", "/share/a.txt"]);
    let lines: Vec<_> = run.out.lines().collect();
    assert_eq!(lines.len(), 3);
    let (b0, c0, a0) = ("b0".repeat(32), "c0".repeat(32), "a0".repeat(32));
    assert_eq!(
        lines[0],
        format!(
            r#"{{"type":"match","v":1,"path":"/share/b.txt","document":"{b0}","relation":"near-duplicate","resemblance":0.75,"resemblance_low":0.75,"resemblance_high":0.75,"containment_of_query":0.875,"containment_in_query":0.84,"shared_fingerprints":1200,"verified":true,"scheme":{{"name":"mod_n","n":1,"window":20,"unit":"bytes","canonical":1}}}}"#
        )
    );
    assert_eq!(
        lines[1],
        format!(
            r#"{{"type":"match","v":1,"path":"/share/c{fffd}.txt","path_bytes":"L3NoYXJlL2P/LnR4dA==","document":"{c0}","relation":"overlaps","resemblance":0.25,"resemblance_low":0.2,"resemblance_high":0.3125,"containment_of_query":null,"containment_in_query":0.5,"shared_fingerprints":30,"verified":false,"scheme":{{"name":"mod_n","n":4,"window":20,"unit":"bytes","canonical":1}}}}"#,
            fffd = '\u{fffd}'
        )
    );
    assert_eq!(
        lines[2],
        format!(
            r#"{{"type":"query","v":1,"path":"/share/a.txt","document":"{a0}","state":"indexed","reason":null,"candidates":7,"verified":1,"suppressed":0,"seconds":0.5,"truncated":false}}"#
        )
    );
}

#[test]
fn versions_carry_their_dates() {
    let daemon = Daemon::start();
    let table = simctl(&daemon, &["versions", "/share/a.txt"]).out;
    assert!(
        table.starts_with("MODIFIED              RESEMBLANCE"),
        "{table}"
    );
    assert!(table.contains("2023-11-14T22:13:20Z  0.750"), "{table}");
    let json = simctl(&daemon, &["versions", "/share/a.txt", "--json"]).out;
    let dates: Vec<_> = json
        .lines()
        .map(|line| line.split(r#""modified":"#).nth(1))
        .collect();
    assert_eq!(
        dates,
        [Some(r#""2023-11-14T22:13:20Z"}"#), Some("null}"), None]
    );
}

#[test]
fn flags_reach_the_daemon_with_roots_resolved_to_ids() {
    let daemon = Daemon::start();
    let flags = [
        "--threshold",
        "0.25",
        "--limit",
        "3",
        "--scheme",
        "bsw_n",
        "--root",
        "/share/",
    ];
    let run = simctl(
        &daemon,
        &[&["contained-in", "/share/x/../a.txt"][..], &flags].concat(),
    );
    assert_eq!(run.code, 0, "{}", run.talk);
    let seen = daemon.seen();
    let query = &seen.queries[0];
    assert_eq!(
        query.source,
        Some(query::Source::Path(b"/share/a.txt".to_vec()))
    );
    assert_eq!((query.threshold, query.limit), (Some(0.25), Some(3)));
    assert_eq!(
        (query.scheme(), &query.roots[..]),
        (SchemeChoice::BswN, &[3][..])
    );
}

#[test]
fn nothing_found_exits_1_and_says_so_on_stderr_alone() {
    let run = simctl(&Daemon::start(), &["find-similar", "/share/unlike.txt"]);
    assert_eq!((run.code, run.out.as_str()), (1, ""));
    assert_eq!(
        run.talk,
        "simctl: no other file resembles /share/unlike.txt far enough; --threshold lowers the bar\n"
    );
}

#[test]
fn a_document_without_text_is_an_error_and_not_unlike_everything() {
    let run = simctl(
        &Daemon::start(),
        &["find-similar", "/share/scan.pdf", "--json"],
    );
    assert_eq!((run.code, run.out.as_str()), (2, ""));
    assert_eq!(
        run.talk,
        "simctl: /share/scan.pdf cannot be compared: it is no-text (image-only); \
         ask about a copy that holds readable text\n"
    );
}

#[test]
fn an_answer_that_breaks_off_exits_2() {
    let run = simctl(&Daemon::start(), &["find-similar", "/share/broken-off.txt"]);
    assert_eq!(run.code, 2);
    assert!(
        run.talk.contains("the answer broke off before its end"),
        "{}",
        run.talk
    );
}

#[test]
fn an_unknown_file_names_itself_the_cause_and_the_way_out() {
    let run = simctl(&Daemon::start(), &["find-similar", "/share/nowhere.txt"]);
    assert_eq!(run.code, 2);
    assert_eq!(
        run.talk,
        "simctl: /share/nowhere.txt is unknown to the daemon and does not exist here; \
         check the name, or run `simctl sync` if it has just been made\n"
    );
}

#[test]
fn standard_input_is_sent_to_its_end() {
    let daemon = Daemon::start();
    let mut child = command(&daemon.socket(), &["find-similar", "-"])
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .spawn()
        .expect("simctl runs");
    let text = vec![b'x'; 200_000];
    child
        .stdin
        .take()
        .expect("piped")
        .write_all(&text)
        .expect("written");
    assert_eq!(child.wait().expect("ended").code(), Some(0));
    let seen = daemon.seen();
    assert_eq!(seen.uploads[0].end, Some(End::Whole));
    assert!(seen.uploads[0].bytes == text);
    let nameless = query::Source::Upload(simdex_client::wire::Upload { path: vec![] });
    assert_eq!(seen.queries[0].source, Some(nameless));
}

#[test]
fn no_daemon_is_named_with_cause_and_way_out() {
    let dir = tempfile::tempdir().expect("temporary directory");
    let socket = dir.path().join("simdexd.sock");
    // A socket nobody listens on any more.
    drop(std::os::unix::net::UnixListener::bind(&socket).expect("socket"));
    let run = run(command(&socket, &["status"]));
    assert_eq!((run.code, run.out.as_str()), (2, ""));
    assert_eq!(
        run.talk,
        format!(
            "simctl: no daemon answers at {} (connection refused); start one with `simdexd serve` \
             or name its socket with --socket\n",
            socket.display()
        )
    );
}

#[test]
fn wrong_arguments_exit_2_before_any_daemon_is_asked() {
    let nowhere = Path::new("/nowhere/simdexd.sock");
    for (args, words) in [
        (
            &["pairs", "--threshold", "1.5"][..],
            "it must be a number from 0 to 1",
        ),
        (&["find-similar"], "<FILE>"),
        (&["find-similar", "a", "--limit", "0"], "1..=10000"),
        (&["find-similar", "a", "--scheme", "min_n"], "mod_n, bsw_n"),
        (&["files", "--state", "lost"], "quarantined"),
        (&["report"], "--out"),
        (&["frobnicate"], "unrecognized subcommand"),
    ] {
        let run = run(command(nowhere, args));
        assert_eq!(run.code, 2, "{args:?}");
        assert!(run.talk.contains(words), "{args:?}: {}", run.talk);
    }
}

#[test]
fn a_comparison_shows_numbers_estimates_and_a_harmless_difference() {
    let daemon = Daemon::start();
    let local = daemon.local_file("b.txt", b"local bytes");
    let name = local.display().to_string();
    let run = simctl(&daemon, &["compare", "/share/a.txt", &name]);
    assert_eq!(run.code, 0, "{}", run.talk);
    assert_eq!(
        run.out,
        format!(
            "\
A                      /share/a.txt (220 characters)
B                      {name} (120 characters)
relation               A contains B
resemblance            0.500
containment of A in B  0.500
containment of B in A  1.000
shingles               100 shared, 200 in A, 100 in B
shared text            2 spans, 100 bytes

ESTIMATED BY                       RESEMBLANCE           CONTAINMENT OF A  CONTAINMENT OF B
mod_n, n = 1, windows of 20 bytes  0.500 [0.400, 0.600]  -                 1.000 [1.000, 1.000]

--- a
+++ b
@@ -1 +1 @@
-one\\u{{1b}}[31m
+\ttwo
"
        )
    );
    let seen = daemon.seen();
    let request = seen.compared.clone().expect("compared");
    let (a, b) = (request.a.expect("a"), request.b.expect("b"));
    assert_eq!(a.source, Some(side::Source::Path(b"/share/a.txt".to_vec())));
    assert_eq!(
        b.source,
        Some(side::Source::Content(b"local bytes".to_vec()))
    );
    assert_eq!(b.name, name.as_bytes());
}

#[test]
fn a_comparison_as_json_is_one_object() {
    let run = simctl(
        &Daemon::start(),
        &["compare", "/share/a.txt", "/share/b.txt", "--json"],
    );
    assert_eq!(
        run.out,
        concat!(
            r#"{"type":"comparison","v":1,"a":"/share/a.txt","b":"/share/b.txt","relation":"contains","#,
            r#""resemblance":0.5,"containment_of_a":0.5,"containment_of_b":1.0,"shared_shingles":100,"#,
            r#""shingles_a":200,"shingles_b":100,"chars_a":220,"chars_b":120,"estimates":[{"scheme":"#,
            r#"{"name":"mod_n","n":1,"window":20,"unit":"bytes","canonical":1},"resemblance":0.5,"#,
            r#""resemblance_low":0.4,"resemblance_high":0.6,"containment_of_a":null,"#,
            r#""containment_of_a_low":null,"containment_of_a_high":null,"containment_of_b":1.0,"#,
            r#""containment_of_b_low":1.0,"containment_of_b_high":1.0}],"spans":[{"offset_a":0,"#,
            r#""offset_b":0,"length":60},{"offset_a":80,"offset_b":60,"length":40}],"#,
            r#""diff":"--- a\n+++ b\n@@ -1 +1 @@\n-one\u001b[31m\n+\ttwo\n"}"#,
            "\n"
        )
    );
}

#[test]
fn both_sides_cannot_be_standard_input() {
    let run = simctl(&Daemon::start(), &["compare", "-", "-"]);
    assert_eq!(run.code, 2);
    assert!(
        run.talk
            .starts_with("simctl: both sides are standard input"),
        "{}",
        run.talk
    );
}

#[test]
fn pairs_end_with_the_counts() {
    let daemon = Daemon::start();
    let run = simctl(&daemon, &["pairs", "--limit", "1", "--threshold", "0.7"]);
    assert_eq!(
        run.out,
        "\
RESEMBLANCE  CONTAINMENT OF A  CONTAINMENT OF B  RELATION        BASIS     A             B
0.750        0.875             0.840             near-duplicate  verified  /share/a.txt  /share/b.txt
"
    );
    assert_eq!(
        run.talk,
        "simctl: 3 files, 1 container member, 2 documents, 1 group, 1 pair\n"
    );
    let json = simctl(&daemon, &["pairs", "--json", "--limit", "1"]).out;
    let (a0, b0) = ("a0".repeat(32), "b0".repeat(32));
    assert_eq!(
        json,
        format!(
            "{{\"type\":\"pair\",\"v\":1,\"a\":\"/share/a.txt\",\"b\":\"/share/b.txt\",\
             \"document_a\":\"{a0}\",\"document_b\":\"{b0}\",\"relation\":\"near-duplicate\",\
             \"resemblance\":0.75,\"containment_of_a\":0.875,\"containment_of_b\":0.84,\
             \"verified\":true}}\n\
             {{\"type\":\"summary\",\"v\":1,\"files_on_disk\":3,\"members\":1,\"states\":\
             {{\"indexed\":2,\"unreadable\":1}},\"documents\":2,\"groups\":1,\"pairs\":1,\
             \"suppressed\":0,\"seconds\":0.25}}\n"
        )
    );
    assert_eq!(simctl(&daemon, &["pairs", "--threshold", "1"]).code, 1);
    assert_eq!(daemon.seen().listed[0], (Some(0.7), vec![]));
}

#[test]
fn a_group_lists_its_principal_and_its_members() {
    let daemon = Daemon::start();
    let run = simctl(&daemon, &["groups"]);
    assert_eq!(
        run.out,
        "\
GROUP  RESEMBLANCE  CONTAINMENT OF MEMBER  CONTAINMENT OF PRINCIPAL  RELATION   PATH
    9  1.000        1.000                  -                         principal  /share/a.txt
    9  0.999        0.999                  -                         contains   /share/b.txt
"
    );
    let json = simctl(&daemon, &["groups", "--json"]).out;
    let a0 = "a0".repeat(32);
    assert_eq!(
        json.lines().next(),
        Some(&*format!(
            "{{\"type\":\"group\",\"v\":1,\"id\":9,\"kind\":\"star\",\
                 \"principal\":\"/share/a.txt\",\"members\":[\
                 {{\"path\":\"/share/a.txt\",\"document\":\"{a0}\",\"relation\":null,\
                 \"resemblance\":1.0,\"containment_of_member\":1.0,\
                 \"containment_of_principal\":null}},\
                 {{\"path\":\"/share/b.txt\",\"document\":\"{a0}\",\"relation\":\"contains\",\
                 \"resemblance\":0.9996,\"containment_of_member\":0.9996,\
                 \"containment_of_principal\":null}}]}}"
        ))
    );
}

#[test]
fn files_show_states_and_escape_their_names() {
    let daemon = Daemon::start();
    let run = simctl(
        &daemon,
        &["files", "--state", "indexed", "--state", "unreadable"],
    );
    assert_eq!(
        run.out,
        "\
STATE       REASON             BYTES  CHARS  DOCUMENT      PATH
indexed     -                   1234   1200  a0a0a0a0a0a0  /share/a.txt
unreadable  permission-denied      -      -  -             /share/\\u{1b}[2J.pdf
"
    );
    assert_eq!(daemon.seen().states, ["indexed", "unreadable"]);
    let json = simctl(&daemon, &["files", "--json"]).out;
    assert_eq!(
        json.lines().nth(1),
        Some(
            r#"{"type":"file","v":1,"path":"/share/\u001b[2J.pdf","state":"unreadable","reason":"permission-denied","document":null,"content":null,"media_type":null,"bytes":null,"chars":null}"#
        )
    );
}

#[test]
fn roots_are_listed_and_a_loss_is_confirmed() {
    let daemon = Daemon::start();
    assert_eq!(
        simctl(&daemon, &["roots"]).out,
        "\
ID  STATE      MODE         FILES  PENDING LOSS  PATH    DETAIL
 3  loss-held  poll (auto)   4000          1500  /share  1500 files vanished at once
"
    );
    assert_eq!(
        simctl(&daemon, &["roots", "--json"]).out,
        "{\"type\":\"root\",\"v\":1,\"id\":3,\"path\":\"/share\",\"mode\":\"poll\",\
         \"configured_mode\":\"auto\",\"state\":\"loss-held\",\
         \"detail\":\"1500 files vanished at once\",\"files\":4000,\"pending_loss\":1500}\n"
    );
    let run = simctl(&daemon, &["roots", "confirm-loss", "/share"]);
    assert_eq!(
        (run.code, run.talk.as_str()),
        (0, "simctl: removed 1500 files of /share\n")
    );
    let run = simctl(&daemon, &["roots", "confirm-loss", "/other"]);
    assert_eq!(
        (run.code, run.talk.as_str()),
        (
            2,
            "simctl: /other is not a watched root; watched are: /share\n"
        )
    );
}

#[test]
fn the_status_is_told_to_people_and_to_programs() {
    let daemon = Daemon::start();
    let text = simctl(&daemon, &["status"]).out;
    assert!(
        text.starts_with("daemon                 simdexd 0.1.0, stored format 1\n"),
        "{text}"
    );
    assert!(
        text.contains("\nstates                 2 indexed, 1 unreadable\n"),
        "{text}"
    );
    assert!(
        text.contains("\nstore                  4.00 KiB\n"),
        "{text}"
    );
    let json = simctl(&daemon, &["status", "--json"]).out;
    assert_eq!(json.lines().count(), 1);
    let status: serde_json::Value = serde_json::from_str(&json).expect("JSON");
    assert_eq!(status["type"], "status");
    assert_eq!(status["queued"], 2);
    assert_eq!(status["summary"]["states"]["indexed"], 2);
    assert_eq!(status["roots"][0]["pending_loss"], 1500);
    assert_eq!(status["schemes"][0]["scheme"]["name"], "mod_n");
}

#[test]
fn errands_reach_the_daemon() {
    let daemon = Daemon::start();
    let run = simctl(&daemon, &["rescan", "/share"]);
    assert_eq!(run.code, 0);
    assert!(
        run.talk.starts_with("simctl: 1 root will be walked again"),
        "{}",
        run.talk
    );
    assert_eq!(daemon.seen().rescans, [b"/share"]);

    let run = simctl(&daemon, &["sync"]);
    assert_eq!(run.code, 2);
    assert_eq!(
        run.talk,
        "simctl: root /share holds back a loss of 1500 files; \
         see `simctl status` and `simctl roots`\n"
    );

    let run = simctl(
        &daemon,
        &["report", "--out", "/tmp/x/../report", "--threshold", "0.9"],
    );
    assert_eq!((run.code, run.out.as_str()), (0, "/tmp/report\n"));
    let report = daemon.seen().report.clone().expect("asked for");
    assert_eq!(
        (&report.out[..], report.threshold),
        (&b"/tmp/report"[..], Some(0.9))
    );
}

#[test]
fn completions_need_no_daemon() {
    for shell in ["bash", "zsh", "fish"] {
        let run = run(command(Path::new("/nowhere"), &["completions", shell]));
        assert_eq!(run.code, 0);
        assert!(run.out.contains("find-similar"), "{shell}");
    }
}

#[test]
fn a_reader_that_leaves_early_is_no_error() {
    let mut child = command(Path::new("/nowhere"), &["completions", "zsh"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("simctl runs");
    drop(child.stdout.take());
    let mut talk = String::new();
    child
        .stderr
        .take()
        .expect("piped")
        .read_to_string(&mut talk)
        .expect("UTF-8");
    assert_eq!(
        (child.wait().expect("ended").code(), talk.as_str()),
        (Some(0), "")
    );
}

#[test]
fn an_answer_that_cannot_be_written_is_an_error() {
    let daemon = Daemon::start();
    let full = std::fs::File::options()
        .write(true)
        .open("/dev/full")
        .expect("/dev/full");
    let mut command = command(&daemon.socket(), &["roots"]);
    let output = command
        .stdout(full)
        .stderr(Stdio::piped())
        .output()
        .expect("simctl runs");
    assert_eq!(output.status.code(), Some(2));
    let talk = String::from_utf8(output.stderr).expect("UTF-8");
    assert!(talk.contains("no space left on device"), "{talk}");
}
