//! What an answer says: dates of versions, estimates, comparisons with and without a difference.

use simdex_client::{CompareOptions, Error, FindKind, FindOptions, Subject, wire};

use crate::daemon::{self, Daemon, prose};
use crate::names;

#[test]
#[expect(clippy::too_many_lines, reason = "one story, step by step")]
fn versions_come_by_the_best_date_known_and_say_where_it_is_from() {
    use std::time::{Duration, SystemTime};
    let body = prose(11, 300);
    let mail = |date: &str| format!("From: a@b.example\r\n{date}Subject: x\r\n\r\n{body}\r\n");
    let daemon = Daemon::start(&[
        ("asked.txt", body.clone()),
        (
            "late.eml",
            mail("Date: Sat, 01 Jan 2022 00:00:00 +0000\r\n"),
        ),
        ("none.txt", format!("{body} and more")),
        (
            "unknown.tar",
            daemon::tar(&[("inside.txt", &format!("{body} and less"))]),
        ),
    ]);
    let set = |name: &str, seconds: u64| {
        let file = std::fs::File::options()
            .write(true)
            .open(daemon.path(name))
            .unwrap();
        file.set_modified(SystemTime::UNIX_EPOCH + Duration::from_secs(seconds))
            .unwrap();
    };
    // By the file system the mail is the oldest of all; it was sent in 2022.
    set("late.eml", 1_000);
    set("asked.txt", 1_600_000_000);
    set("none.txt", 1_700_000_000);
    daemon.sync();
    let options = FindOptions {
        limit: Some(3),
        ..FindOptions::default()
    };
    let subject = Subject::Path(daemon.path("asked.txt"));
    let (found, summary) = daemon
        .find_with(FindKind::Related, subject, &options)
        .unwrap();
    assert_eq!(
        names(&found),
        ["asked.txt", "late.eml", "none.txt", "inside.txt"],
        "the file itself stands beside the limit"
    );
    let said: Vec<_> = found
        .iter()
        .map(|version| (version.date, version.date_source.as_str(), version.is_query))
        .collect();
    assert_eq!(
        said,
        [
            (Some(1_600_000_000), "file", true),
            (Some(1_640_995_200), "sent", false),
            (Some(1_700_000_000), "file", false),
            (None, "", false),
        ]
    );
    assert!(!summary.truncated);
}

#[test]
fn a_file_without_text_is_answered_by_its_bytes_and_its_interval_has_a_width_or_is_none() {
    let mut state = 1_u64;
    let mut noise = || {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        char::from((state >> 57) as u8)
    };
    let bytes: String = std::iter::repeat_with(|| ['\0', noise()])
        .take(30_000)
        .flatten()
        .collect();
    let daemon = Daemon::start(&[
        ("a.bin", bytes.clone()),
        ("alone.bin", bytes.chars().rev().collect()),
        ("b.bin", format!("{bytes}{}", &bytes[..20_000])),
    ]);
    let asked = |name: &str| {
        daemon
            .find(FindKind::Similar, Subject::Path(daemon.path(name)))
            .unwrap()
    };
    let (found, _) = asked("a.bin");
    assert_eq!(names(&found), ["b.bin"]);
    let ratio = found[0].resemblance.unwrap();
    assert!(
        !found[0].verified && (ratio.low < ratio.high || ratio.low.is_none()),
        "{ratio:?}"
    );
    let (found, summary) = asked("alone.bin");
    assert!(
        found.is_empty() && !summary.document.is_empty(),
        "{summary:?}"
    );
}

#[test]
fn a_difference_may_be_declined_and_one_that_is_too_long_costs_the_difference_alone() {
    let lines = |seed| prose(seed, 60_000).replace(' ', "\n");
    let files = [
        ("a.txt", lines(1)),
        ("b.txt", format!("{}\n{}", lines(2), lines(1))),
    ];
    let daemon = Daemon::with(&files, |config| {
        config.grpc.max_message_mib = simdexd::config::Mebibytes(1);
    });
    let side = |name: &str| wire::Side {
        source: Some(wire::side::Source::Path(simdex_client::path_bytes(
            &daemon.path(name),
        ))),
        name: Vec::new(),
    };
    let (a, b) = (side("a.txt"), side("b.txt"));
    let swapped = side("c.txt");
    std::fs::write(daemon.path("c.txt"), lines(3)).unwrap();
    daemon.sync();
    let long = daemon
        .wait(daemon.client.compare(a.clone(), swapped))
        .unwrap();
    assert!(
        long.diff.is_empty() && long.shingles_a > 100_000,
        "{}",
        long.shingles_a
    );
    assert!(
        long.difference_left_out
            .starts_with("it is larger than the "),
        "{}",
        long.difference_left_out
    );
    let declined = daemon.wait(daemon.client.compare_numbers(a, b)).unwrap();
    assert!(declined.diff.is_empty() && declined.containment_of_a > 0.99);
    assert_eq!(declined.difference_left_out, "it was not requested");
}

/// A text of 4,000 words; and the same in lines of another width, one word changed and 60 in another place.
fn two_versions() -> [String; 2] {
    let words: Vec<String> = (0..4_000).map(|at| format!("word{at}")).collect();
    let wrapped = |words: &[String], width: usize| -> String {
        let lines = words.chunks(width).map(|line| line.join(" ") + "\n");
        lines.collect()
    };
    let (before, rest) = words.split_at(100);
    let (block, rest) = rest.split_at(60);
    let (between, after) = rest.split_at(2_840);
    let mut changed = [before, between, block, after].concat();
    changed[50] = "changed".to_owned();
    [wrapped(&words, 9), wrapped(&changed, 7)]
}

#[test]
fn a_comparison_sees_through_other_line_breaks_and_knows_what_moved() {
    let [a, b] = two_versions();
    let daemon = Daemon::start(&[("a.txt", a.clone()), ("b.txt", b.clone())]);
    let side = |name: &str| wire::Side {
        source: Some(wire::side::Source::Path(simdex_client::path_bytes(
            &daemon.path(name),
        ))),
        name: Vec::new(),
    };
    let asked = CompareOptions {
        with_words: true,
        with_operations: true,
        ..CompareOptions::default()
    };
    let compared = daemon
        .client
        .compare_with(side("a.txt"), side("b.txt"), asked);
    let compared = daemon.wait(compared).unwrap();
    assert!(compared.diff.lines().count() > 1_000);
    let found = compared.words.unwrap();
    assert_eq!((found.words_removed, found.words_added), (1, 1));
    assert_eq!((found.words_moved, found.blocks_moved), (60, 1));
    for shown in ["[-word50-]{+changed+}", "{>line 12: word100 word101"] {
        assert!(found.text.contains(shown), "{}", found.text);
    }
    let operations = found.operations.into_iter();
    let operations = operations.map(simdex_client::lines::Operation::of);
    let operations: Vec<_> = operations.map(Option::unwrap).collect();
    let applied = simdexd::read_side::difference::operations::apply_operations(&operations, &a);
    assert_eq!(applied, Ok(b));
    // All that containment counts lies in spans.
    assert_eq!(compared.shared_shingles_outside_spans, 0);
    let covered: u64 = compared.spans.iter().map(|span| span.length).sum();
    assert!(covered as f64 / compared.chars_a as f64 > compared.containment_of_a);
}

#[test]
fn a_comparison_shows_the_text_of_the_very_files_named() {
    let text = prose(1, 400);
    let shouted = text.to_uppercase();
    let files = [("loud.txt", shouted.clone()), ("soft.txt", text.clone())];
    let daemon = Daemon::start(&files);
    let side = |name: &str| wire::Side {
        source: Some(wire::side::Source::Path(simdex_client::path_bytes(
            &daemon.path(name),
        ))),
        name: Vec::new(),
    };
    for (a, b, removed, added) in [
        ("loud.txt", "soft.txt", &shouted, &text),
        ("soft.txt", "loud.txt", &text, &shouted),
    ] {
        let compared = daemon
            .wait(daemon.client.compare(side(a), side(b)))
            .unwrap();
        assert_eq!(compared.relation(), wire::Relation::IdenticalText);
        let holds = |mark: char, text: &str| compared.diff.contains(&format!("\n{mark}{text}"));
        assert!(
            holds('-', removed) && holds('+', added),
            "{}",
            compared.diff
        );
    }
}

#[test]
fn a_comparison_says_which_side_is_as_it_was_last_read_and_why() {
    use wire::NotReadAgain::{Changed, Unreadable};
    let files = ["kept.txt", "changed.txt", "gone.txt"];
    let daemon = Daemon::start(&files.map(|name| (name, prose(1, 400) + name)));
    let side = |name: &str| wire::Side {
        source: Some(wire::side::Source::Path(simdex_client::path_bytes(
            &daemon.path(name),
        ))),
        name: Vec::new(),
    };
    let compared = |a: &str, b: &str| {
        let compared = daemon
            .wait(daemon.client.compare(side(a), side(b)))
            .unwrap();
        let why = |side: Option<wire::LastRead>| {
            side.map(|side| {
                assert!(side.at.is_some());
                side.why()
            })
        };
        (why(compared.last_read_a), why(compared.last_read_b))
    };
    assert_eq!(compared("kept.txt", "changed.txt"), (None, None));
    std::fs::write(daemon.path("changed.txt"), prose(2, 400)).unwrap();
    std::fs::remove_file(daemon.path("gone.txt")).unwrap();
    assert_eq!(compared("kept.txt", "changed.txt"), (None, Some(Changed)));
    assert_eq!(
        compared("gone.txt", "changed.txt"),
        (Some(Unreadable), Some(Changed))
    );
}

#[test]
fn a_question_says_that_its_file_changed_since_it_was_read() {
    use wire::NotReadAgain::{Changed, Unreadable};
    let files = ["kept.txt", "changed.txt", "gone.txt"];
    let mut all = files.map(|name| (name, prose(1, 400))).to_vec();
    all.push(("kept.tar", daemon::tar(&[("in.txt", &prose(1, 400))])));
    let daemon = Daemon::start(&all);
    let why = |name: &str| {
        let subject = Subject::Path(daemon.path(name));
        let (found, summary) = daemon.find(FindKind::Similar, subject).unwrap();
        assert!(!found.is_empty(), "it is answered from the index");
        summary.last_read.map(|last_read| {
            assert!(last_read.at.is_some());
            last_read.why()
        })
    };
    let all = ["kept.txt", "changed.txt", "gone.txt", "kept.tar!/in.txt"];
    assert_eq!(all.map(why), [None; 4]);
    std::fs::write(daemon.path("changed.txt"), prose(2, 400)).unwrap();
    std::fs::remove_file(daemon.path("gone.txt")).unwrap();
    // New permissions change no bytes.
    let readable = std::os::unix::fs::PermissionsExt::from_mode(0o600);
    std::fs::set_permissions(daemon.path("kept.txt"), readable).unwrap();
    assert_eq!(all.map(why), [None, Some(Changed), Some(Unreadable), None]);
    std::fs::remove_file(daemon.path("kept.tar")).unwrap();
    assert_eq!(why("kept.tar!/in.txt"), Some(Unreadable));
    let engine = daemon.engine();
    let root = engine.roots.iter().next().unwrap();
    let hanging = [(); 2].map(|()| root.live_reads.begin().unwrap());
    assert_eq!(
        why("gone.txt"),
        None,
        "it does not wait for a share that hangs"
    );
    drop(hanging);
}

#[test]
fn the_file_asked_about_is_looked_up_once_and_a_member_with_the_file_that_it_lies_in() {
    let tar = daemon::tar(&[("in.txt", &prose(1, 400))]);
    let daemon = Daemon::start(&[("a.txt", prose(1, 400)), ("b.tar", tar)]);
    let engine = daemon.engine();
    let looked_up = |name: &str, ask: &dyn Fn(Subject)| {
        let before = engine.index.work().files_read;
        ask(Subject::Path(daemon.path(name)));
        engine.index.work().files_read - before
    };
    let find = |subject| drop(daemon.find(FindKind::Similar, subject).unwrap());
    let versions = |subject| {
        let family = async {
            let options = FindOptions::default();
            let mut parts = daemon.client.family(subject, &options).await?;
            while parts.next().await?.is_some() {}
            Ok::<_, Error>(())
        };
        daemon.wait(family).unwrap();
    };
    for ask in [&find as &dyn Fn(Subject), &versions] {
        let both = ["a.txt", "b.tar!/in.txt"].map(|name| looked_up(name, ask));
        assert_eq!(both, [1, 2]);
    }
}

/// A file that two questions hang on, as its share does not answer, is not read for a third: what the index has is an
/// answer as well, and says so.
#[test]
fn a_side_whose_share_hangs_is_compared_as_it_was_last_read() {
    let text = prose(1, 400);
    let daemon = Daemon::start(&[("hanging.txt", text.clone())]);
    let engine = daemon.engine();
    let root = engine.roots.iter().next().unwrap();
    let hanging = [(); 2].map(|()| root.live_reads.begin().unwrap());
    let side = |source| wire::Side {
        source: Some(source),
        name: Vec::new(),
    };
    let path = simdex_client::path_bytes(&daemon.path("hanging.txt"));
    let file = side(wire::side::Source::Path(path));
    let other = side(wire::side::Source::Text(format!("{text} and more")));
    let compare = || {
        let compared = daemon.client.compare(file.clone(), other.clone());
        daemon.wait(compared).unwrap()
    };
    let compared = compare();
    let last_read = compared.last_read_a.unwrap();
    assert_eq!(last_read.why(), wire::NotReadAgain::NotInTime);
    assert!(last_read.at.is_some() && compared.last_read_b.is_none());
    assert!(compared.containment_of_a == 1.0 && !compared.diff.is_empty());
    drop(hanging);
    assert_eq!(compare().last_read_a, None);
}

#[test]
fn schemes_that_the_index_does_not_keep_estimate_in_comparisons_and_answer_no_other_question() {
    let daemon = Daemon::start(&[("a.txt", prose(1, 400)), ("b.txt", prose(1, 300))]);
    let side = |name: &str| wire::Side {
        source: Some(wire::side::Source::Path(simdex_client::path_bytes(
            &daemon.path(name),
        ))),
        name: Vec::new(),
    };
    for (scheme, name) in [
        (wire::SchemeChoice::MinN, "min_n"),
        (wire::SchemeChoice::SketchN, "sketch_n"),
    ] {
        let asked = CompareOptions {
            schemes: vec![scheme],
            n: Some(100),
            ..CompareOptions::default()
        };
        let compared = daemon
            .client
            .compare_with(side("a.txt"), side("b.txt"), asked);
        let compared = daemon.wait(compared).unwrap();
        let [estimate] = compared.estimates.as_slice() else {
            panic!("{:?}", compared.estimates);
        };
        let told = estimate.scheme.clone().unwrap();
        assert_eq!((told.name.as_str(), told.n), (name, 100));
        let resemblance = estimate.resemblance.unwrap();
        let exact = compared.resemblance;
        assert!(resemblance.low() <= exact && exact <= resemblance.high());
        assert_eq!(estimate.containment_of_a, None);
        assert_eq!(estimate.containment_of_b, None);
        let not_given: Vec<_> = estimate.not_given().collect();
        assert_eq!(not_given, [wire::NotGiven::Containment]);

        let options = FindOptions {
            scheme,
            ..FindOptions::default()
        };
        let subject = Subject::Path(daemon.path("b.txt"));
        let asked = daemon.client.find(FindKind::Containing, subject, &options);
        let refused = daemon.wait(async { asked.await?.next().await });
        let told = refused.unwrap_err().to_string();
        assert!(
            told.starts_with(&format!("{name} gives no containment")),
            "{told}"
        );
    }
}
