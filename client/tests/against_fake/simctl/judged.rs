//! What is judged by default, on request and not at all.

use super::{Run, simctl};
use crate::fake::Daemon;

/// Runs simctl on a verb with further flags.
fn run(daemon: &Daemon, verb: &[&str], flags: &[&str]) -> Run {
    let run = simctl(daemon, &[verb, flags].concat());
    assert_eq!(run.code, 0, "{}", run.talk);
    run
}

#[test]
fn questions_are_judged_unless_told_otherwise() {
    let daemon = Daemon::start();
    for verb in ["find-similar", "containing", "contained-in"] {
        for (flags, is_judged) in [
            (&[][..], true),
            (&["--judge", "on"], true),
            (&["--judge", "off"], false),
        ] {
            let verb = [verb, "/share/a.txt"];
            let out = run(&daemon, &verb, flags).out;
            let asked = daemon.seen().queries.pop().expect("asked");
            assert_eq!(asked.with_judgement, is_judged, "{verb:?} {flags:?}");
            assert_eq!(out.contains("JUDGED"), is_judged, "{out}");
            let folded = run(&daemon, &verb, &[flags, &["--fold", "always"]].concat());
            assert_eq!(folded.out.contains("template-only 0.875"), is_judged);
        }
    }
    for (flags, is_judged) in [(&[][..], true), (&["--judge", "off"], false)] {
        let out = run(&daemon, &["compare", "/share/a.txt", "/share/b.txt"], flags).out;
        let asked = daemon.seen().compared.take().expect("asked");
        assert_eq!(asked.with_judgement, is_judged);
        assert_eq!(out.contains("\njudged "), is_judged, "{out}");
    }
}

#[test]
fn of_a_list_the_first_are_judged_unless_told_otherwise() {
    let daemon = Daemon::start();
    for verb in [
        &["pairs"][..],
        &["groups"],
        &["groups", "--id", "9"],
        &["groups", "--of", "/share/a.txt"],
    ] {
        for (flags, expected) in [
            (&[][..], (true, 1_000)),
            (&["--judge", "first"], (true, 1_000)),
            (&["--judge", "on"], (true, 0)),
            (&["--judge", "off"], (false, 0)),
        ] {
            let out = run(&daemon, verb, flags).out;
            let asked = daemon.seen().judging.take();
            assert_eq!(asked, Some(expected), "{verb:?} {flags:?}");
            assert_eq!(out.contains("JUDGED"), expected.0, "{out}");
        }
    }
}

#[test]
fn what_cannot_be_judged_is_not_unless_that_is_asked_for() {
    let daemon = Daemon::start();
    for kind in ["components", "cores"] {
        let verb = ["groups", "--kind", kind];
        for flags in [&[][..], &["--judge", "off"]] {
            run(&daemon, &verb, flags);
            assert_eq!(daemon.seen().judging.take(), Some((false, 0)));
        }
        for which in ["on", "first"] {
            let refused = simctl(&daemon, &[&verb[..], &["--judge", which]].concat());
            assert_eq!((refused.code, daemon.seen().judging.take()), (2, None));
        }
    }
    run(&daemon, &["versions", "/share/a.txt"], &[]);
    let asked = daemon.seen().queries.pop();
    assert!(asked.is_some_and(|asked| !asked.with_judgement));
    let refused = simctl(&daemon, &["versions", "/share/a.txt", "--judge", "on"]);
    assert_eq!(refused.code, 2);
}

#[test]
fn a_report_of_groups_is_judged_unless_told_otherwise_and_none_of_another_kind() {
    let daemon = Daemon::start();
    for (flags, is_judged) in [
        (&[][..], true),
        (&["--judge", "off"], false),
        (&["--kind", "duplicates"], false),
        (&["--kind", "cores"], false),
        // The daemon says why not.
        (&["--kind", "cores", "--judge", "on"], true),
    ] {
        run(&daemon, &["report", "--keep", "x"], flags);
        let asked = daemon.seen().report.take().and_then(|asked| asked.options);
        let asked = asked.expect("asked").with_judgement;
        assert_eq!(asked, is_judged, "{flags:?}");
    }
}

#[test]
fn pairs_beyond_the_first_say_so_and_that_all_can_be_judged() {
    let daemon = Daemon::start();
    let remark = "simctl: only the first pair is judged; --judge on judges all\n";
    let first = run(&daemon, &["pairs"], &[]);
    assert_eq!(
        first.out,
        "\
RESEMBLANCE  CONTAINMENT OF A  CONTAINMENT OF B  RELATION        JUDGED               BASIS     A             B
0.750        0.875             0.840             near-duplicate  template-only 0.875  verified  /share/a.txt  /share/b.txt
0.750        0.875             0.840             near-duplicate  beyond-first         verified  /share/a.txt  /share/b.txt
"
    );
    assert!(first.talk.ends_with(remark), "{}", first.talk);
    let json = run(&daemon, &["pairs", "--json"], &[]);
    let last = json.out.lines().nth(1).expect("two pairs");
    assert!(last.ends_with(r#""not_judged":"beyond-first"}"#), "{last}");
    assert_eq!(json.talk, "");
    for flags in [&["--judge", "on"][..], &["--limit", "1"]] {
        let all = run(&daemon, &["pairs"], flags);
        assert!(!all.out.contains("beyond-first"), "{}", all.out);
        assert!(!all.talk.contains(remark), "{}", all.talk);
    }
}
