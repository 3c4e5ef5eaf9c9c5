//! Arguments, completions, and how the binary behaves in a pipeline.

use std::io::Read;
use std::path::Path;
use std::process::Stdio;

use super::{command, run, simctl};
use crate::fake::Daemon;

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
            "simctl: cannot reach a daemon at {}: connection refused; start one with `simdexd serve` \
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
        (
            &["find-similar", "a", "--scheme", "super_n"],
            "mod_n, bsw_n, min_n, sketch_n",
        ),
        (&["files", "--state", "lost"], "quarantined"),
        (&["report"], "--out"),
        (&["report", "--out", "a", "--keep", "b"], "--keep"),
        (&["frobnicate"], "unrecognized subcommand"),
    ] {
        let run = run(command(nowhere, args));
        assert_eq!(run.code, 2, "{args:?}");
        assert!(run.talk.contains(words), "{args:?}: {}", run.talk);
    }
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

#[test]
fn the_packaged_completions_are_those_the_binary_prints() {
    let packaged = Path::new(env!("CARGO_MANIFEST_DIR")).join("../packaging/completions");
    for (shell, file) in [
        ("bash", "simctl.bash"),
        ("zsh", "_simctl"),
        ("fish", "simctl.fish"),
    ] {
        let printed = run(command(Path::new("/nowhere"), &["completions", shell])).out;
        let kept = std::fs::read_to_string(packaged.join(file)).expect("packaged");
        assert!(
            kept == printed,
            "run: simctl completions {shell} > packaging/completions/{file}"
        );
    }
}

#[test]
fn the_manual_page_knows_every_verb_and_flag() {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../packaging/man/simctl.1");
    let page = std::fs::read_to_string(page)
        .expect("packaged")
        .replace("\\-", "-");
    let completions = run(command(Path::new("/nowhere"), &["completions", "bash"])).out;
    for word in completions
        .split_whitespace()
        .map(|word| word.trim_matches('"'))
    {
        let is_flag = word.len() > 2 && word.starts_with("--") && word != "--";
        if is_flag && word[2..].chars().all(|letter| letter.is_ascii_lowercase()) {
            assert!(page.contains(word), "{word}");
        }
    }
    let help = run(command(Path::new("/nowhere"), &["--help"])).out;
    let verbs = help.lines().skip_while(|line| *line != "Commands:").skip(1);
    for verb in verbs.map_while(|line| line.split_whitespace().next()) {
        assert!(page.contains(verb), "{verb}");
    }
}

#[test]
fn tables_are_as_wide_as_columns_say_unless_all_is_wanted() {
    let daemon = Daemon::start();
    let table = |verb: &[&str], columns: Option<&str>, wide: bool| {
        let mut command = command(&daemon.socket(), verb);
        columns.map(|columns| command.env("COLUMNS", columns));
        command.args(wide.then_some("--wide"));
        run(command).out
    };
    let verbs = [
        &["find-similar", "/share/a.txt"][..],
        &["pairs"],
        &["groups"],
        &["files"],
        &["roots"],
        &["folders"],
        &["templates"],
        &["status"],
        &["compare", "/share/a.txt", "/share/b.txt"],
    ];
    for verb in verbs {
        let whole = table(verb, None, false);
        let narrow = table(verb, Some("80"), false);
        assert!(!narrow.is_empty(), "{verb:?}");
        assert!(
            narrow.lines().all(|line| line.chars().count() <= 80),
            "{narrow}"
        );
        assert_eq!(table(verb, Some("80"), true), whole);
        assert_eq!(table(verb, Some("1000"), false), whole);
    }
}

#[test]
fn a_comparison_is_named_by_thresholds_of_its_own() {
    let daemon = Daemon::start();
    let files = ["compare", "/share/a.txt", "/share/b.txt", "--no-difference"];
    let ratios = [
        "--relation-threshold",
        "0.7",
        "--containment-threshold",
        "0.95",
    ];
    for (flags, asked) in [
        (&[][..], [None, None]),
        (&ratios[..2], [Some(0.7), None]),
        (&ratios[..], [Some(0.7), Some(0.95)]),
    ] {
        simctl(&daemon, &[&files[..], flags].concat());
        let request = daemon.seen().compared.clone().expect("compared");
        let seen = [request.relation_threshold, request.containment_threshold];
        assert_eq!(seen, asked);
    }
}
