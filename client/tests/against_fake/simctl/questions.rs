//! Questions about a document, and comparisons.

use std::io::Write;
use std::process::Stdio;

use simdex_client::wire::{SchemeChoice, query, side};

use super::{command, simctl};
use crate::fake::{Daemon, End};

/// The judgement of the fake daemon's matches, as JSON.
const JUDGEMENT: &str = r#"{"class":"template-only","probability":0.875,"rule_number":4,"rule":"resemblance > 0.5 and mcd <= 0.25","signals":[{"name":"resemblance","value":0.75},{"name":"mcd","value":0.125},{"name":"same-title","value":null}],"model":{"name":"shipped","hash":"abababababababababababababababababababababababababababababababab","note":null}}"#;

/// What people are told of questions.
const PROMISE: &str = "simctl: found by mod_n: a match at exactly 0.1 is missed with a probability of at most 0.1 %, a better one less often";

#[test]
fn matches_are_a_table_when_piped_without_colour() {
    let daemon = Daemon::start();
    let run = simctl(&daemon, &["find-similar", "/share/a.txt", "--judge", "off"]);
    assert_eq!(run.code, 0, "{}", run.talk);
    assert_eq!(
        run.out,
        "\
RESEMBLANCE           CONTAINMENT OF QUERY  CONTAINMENT IN QUERY  RELATION        BASIS     PATH
0.750                 0.875                 0.840                 near-duplicate  verified  /share/b.txt
0.250 [0.200, 0.313]  -                     0.500 [0.400, 0.600]  overlaps        estimate  /share/c\\xff.txt
"
    );
    assert_eq!(run.talk, format!("{PROMISE}\n"));
    let judged = simctl(&daemon, &["find-similar", "/share/a.txt"]);
    assert_eq!(
        judged.out,
        "\
RESEMBLANCE           CONTAINMENT OF QUERY  CONTAINMENT IN QUERY  RELATION        JUDGED               BASIS     PATH
0.750                 0.875                 0.840                 near-duplicate  template-only 0.875  verified  /share/b.txt
0.250 [0.200, 0.313]  -                     0.500 [0.400, 0.600]  overlaps        -                    estimate  /share/c\\xff.txt
"
    );
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
            r#"{{"type":"match","v":1,"path":"/share/b.txt","document":"{b0}","relation":"near-duplicate","resemblance":0.75,"resemblance_low":0.75,"resemblance_high":0.75,"containment_of_query":0.875,"containment_in_query":0.84,"shared_fingerprints":1200,"verified":true,"scheme":{{"name":"mod_n","n":1,"window":20,"unit":"bytes","canonical":1}},"judgement":{JUDGEMENT}}}"#
        )
    );
    assert_eq!(
        lines[1],
        format!(
            r#"{{"type":"match","v":1,"path":"/share/c{fffd}.txt","path_bytes":"L3NoYXJlL2P/LnR4dA==","document":"{c0}","relation":"overlaps","resemblance":0.25,"resemblance_low":0.2,"resemblance_high":0.3125,"containment_of_query":null,"containment_in_query":0.5,"shared_fingerprints":30,"verified":false,"scheme":{{"name":"mod_n","n":4,"window":20,"unit":"bytes","canonical":1}},"judgement":null}}"#,
            fffd = '\u{fffd}'
        )
    );
    assert_eq!(
        lines[2],
        format!(
            r#"{{"type":"query","v":1,"path":"/share/a.txt","document":"{a0}","state":"indexed","reason":null,"candidates":7,"verified":1,"suppressed":0,"common_lists":0,"unverified":0,"compared_by":"text","seconds":0.5,"truncated":false,"promise":{{"scheme":"mod_n","threshold":0.1,"missed_at_most":0.001}},"complete":true}}"#
        )
    );
}

#[test]
fn what_is_folded_is_counted_and_listed_on_demand() {
    let daemon = Daemon::start();
    let run = simctl(
        &daemon,
        &["find-similar", "/share/a.txt", "--fold", "always"],
    );
    assert_eq!(
        run.out,
        "\
RESEMBLANCE  CONTAINMENT OF QUERY  CONTAINMENT IN QUERY  RELATION        JUDGED               BASIS     PATH
0.750        0.875                 0.840                 near-duplicate  template-only 0.875  verified  /share/b.txt (+ 1 near-duplicate)
"
    );
    assert_eq!(
        run.talk,
        format!(
            "simctl: 1 file folded under a better near-duplicate; --fold never lists all\n{PROMISE}\n"
        )
    );
    let json = ["find-similar", "/share/a.txt", "--fold", "always", "--json"];
    let lines = simctl(&daemon, &json).out;
    assert_eq!(lines.matches("\"type\":\"match\"").count(), 2);
    assert_eq!(
        lines.matches("\"folded_under\":\"/share/b.txt\"").count(),
        1
    );
    let piped = simctl(&daemon, &["find-similar", "/share/a.txt"]);
    assert_eq!(piped.out.lines().count(), 3);
}

#[test]
fn versions_carry_their_dates() {
    let daemon = Daemon::start();
    let tree = simctl(&daemon, &["versions", "/share/a.txt"]).out;
    let rows: Vec<_> = tree.lines().collect();
    assert_eq!(rows[0], "/share/");
    assert!(rows[2].contains("1  2023-11-14  "), "{tree}");
    assert!(rows[3].contains("2  -           "), "{tree}");
    let json = simctl(&daemon, &["versions", "/share/a.txt", "--json"]).out;
    let dates: Vec<_> = json
        .lines()
        .map(|line| line.split(r#""modified":"#).nth(1))
        .collect();
    assert_eq!(
        dates,
        [
            Some(
                r#""2023-11-15T00:00:00Z","date":"2023-11-14T22:13:20Z","date_source":"sent","is_query":false,"number":1,"written":null,"container":null}"#
            ),
            Some(
                r#"null,"date":null,"date_source":null,"is_query":false,"number":2,"written":null,"container":null}"#
            ),
            None
        ]
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
        format!(
            "simctl: no other file resembles /share/unlike.txt by 0.1 or more; a lower --threshold may find more\n\
             {PROMISE}\n"
        )
    );
}

#[test]
fn nothing_found_in_an_index_that_is_being_built_is_not_the_last_word() {
    let run = simctl(&Daemon::start(), &["find-similar", "/share/early.txt"]);
    assert_eq!((run.code, run.out.as_str()), (1, ""));
    assert_eq!(
        run.talk,
        format!(
            "simctl: no other file found yet that resembles /share/early.txt by 0.1 or more\n\
             {}\n\
             simctl: the index is not complete: 5,218 changes queued, 312 documents not settled; \
             `--wait` waits until it is\n",
            PROMISE.replace("mod_n: ", "mod_n: of what is indexed, ")
        )
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
shared text            2 spans, 100 bytes of A; 7 shared shingles in none of them
words                  1 removed, 1 added, 14 moved in 1 block; case and white space aside
judged                 template-only 0.875
by rule                4: resemblance > 0.5 and mcd <= 0.25
signals                resemblance 0.750, mcd 0.125, same-title -
by model               shipped (abababababab)

ESTIMATED BY                         RESEMBLANCE           CONTAINMENT OF A  CONTAINMENT OF B
mod_n, n = 1, windows of 20 bytes    0.500 [0.400, 0.600]  -                 1.000 [1.000, 1.000]
min_n, n = 100, windows of 20 bytes  0.500 [0.300, 0.700]  not given         not given

--- a
+++ b
@@ -1 +1 @@
some [-one-]{{+two+}} words
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
            r#""shingles_a":200,"shingles_b":100,"chars_a":220,"chars_b":120,"judgement":JUDGEMENT,"estimates":[{"scheme":"#,
            r#"{"name":"mod_n","n":1,"window":20,"unit":"bytes","canonical":1},"resemblance":0.5,"#,
            r#""resemblance_low":0.4,"resemblance_high":0.6,"containment_of_a":null,"#,
            r#""containment_of_a_low":null,"containment_of_a_high":null,"containment_of_b":1.0,"#,
            r#""containment_of_b_low":1.0,"containment_of_b_high":1.0,"not_given":[]},{"scheme":"#,
            r#"{"name":"min_n","n":100,"window":20,"unit":"bytes","canonical":1},"resemblance":0.5,"#,
            r#""resemblance_low":0.3,"resemblance_high":0.7,"containment_of_a":null,"#,
            r#""containment_of_a_low":null,"containment_of_a_high":null,"containment_of_b":null,"#,
            r#""containment_of_b_low":null,"containment_of_b_high":null,"not_given":["containment"]}],"#,
            r#""spans":[{"offset_a":0,"#,
            r#""offset_b":0,"length":60},{"offset_a":80,"offset_b":60,"length":40}],"#,
            r#""shared_shingles_outside_spans":7,"#,
            r#""diff":"--- a\n+++ b\n@@ -1 +1 @@\n-one\u001b[31m\n+\ttwo\n","words":{"removed":1,"added":1,"moved":14,"#,
            r#""blocks_moved":1,"cut_short":false,"bytes_a":400,"bytes_b":390},"operations":null,"#,
            r#""operations_left_out":"it was not requested","complete":true}"#,
            "\n"
        )
        .replace("JUDGEMENT", JUDGEMENT)
    );
}

#[test]
fn schemes_and_their_n_are_asked_for() {
    let daemon = Daemon::start();
    let sides = ["compare", "/share/a.txt", "/share/b.txt"];
    let flags = ["--scheme", "sketch_n", "--scheme", "min_n", "--n", "100"];
    assert_eq!(simctl(&daemon, &[&sides[..], &flags].concat()).code, 0);
    let request = daemon.seen().compared.clone().expect("compared");
    let schemes: Vec<_> = request.schemes().collect();
    assert_eq!(schemes, [SchemeChoice::SketchN, SchemeChoice::MinN]);
    assert_eq!(request.n, Some(100));
    assert_eq!(simctl(&daemon, &sides).code, 0);
    let request = daemon.seen().compared.clone().expect("compared");
    assert!(request.schemes.is_empty() && request.n.is_none());
}

#[test]
fn a_difference_is_declined_and_one_left_out_is_told_of() {
    let daemon = Daemon::start();
    let flags = ["compare", "/share/a.txt", "/share/b.txt", "--no-difference"];
    let run = simctl(&daemon, &flags);
    assert_eq!((run.code, run.talk.as_str()), (0, ""));
    assert!(!run.out.contains("@@"), "{}", run.out);
    let json = simctl(&daemon, &[&flags[..], &["--json"]].concat()).out;
    assert!(
        json.ends_with(
            "\"diff\":null,\"difference_left_out\":\"it was not requested\",\"words\":null,\"operations\":null,\
             \"operations_left_out\":\"it was not requested\",\"complete\":true}\n"
        ),
        "{json}"
    );
}

#[test]
fn a_difference_by_words_is_text_for_people_and_operations_for_tools() {
    let daemon = Daemon::start();
    let flags = ["compare", "/share/a.txt", "/share/b.txt", "--diff", "words"];
    let run = simctl(&daemon, &flags);
    assert_eq!((run.code, run.talk.as_str()), (0, ""));
    let shown = "\n--- a\n+++ b\n@@ -1 +1 @@\nsome [-one-]{+two+} words\n";
    assert!(run.out.ends_with(shown), "{}", run.out);
    let request = daemon.seen().compared.clone().expect("compared");
    assert!(request.without_difference && request.with_words && !request.with_operations);
    let json = simctl(&daemon, &[&flags[..], &["--json"]].concat()).out;
    let operations = r#""operations":[{"op":"move","offset_a":40,"length_a":9,"offset_b":0,"length_b":11,"added":"moved\ntext\n"}],"complete""#;
    assert!(json.contains(operations), "{json}");
    let request = daemon.seen().compared.clone().expect("compared");
    assert!(request.without_difference && !request.with_words && request.with_operations);
    let by_lines = simctl(&daemon, &[&flags[..3], &["--diff", "lines"]].concat()).out;
    assert!(
        by_lines.ends_with("-one\\u{1b}[31m\n+\ttwo\n"),
        "{by_lines}"
    );
    let both = simctl(&daemon, &[&flags[..], &["--no-difference"]].concat());
    assert_eq!(both.code, 2);
}

#[test]
fn a_side_that_could_not_be_read_in_time_is_told_of() {
    let daemon = Daemon::start();
    let flags = ["compare", "/share/a.txt", "/share/hanging/b.txt"];
    let run = simctl(&daemon, &flags);
    let told = "simctl: /share/hanging/b.txt: compared as last read at 2023-11-14T22:13:20Z: the file could not be read in time";
    assert_eq!((run.code, run.talk.trim_end()), (0, told));
    let json = simctl(&daemon, &[&flags[..], &["--json"]].concat()).out;
    let last_read = r#""last_read_b":{"at":"2023-11-14T22:13:20Z","why":"not-in-time"},"complete""#;
    assert!(json.contains(last_read), "{json}");
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
fn files_asked_about_are_refused_together_unless_the_daemon_is_gone() {
    let daemon = Daemon::start();
    let out = daemon.dir.path().join("report").display().to_string();
    let report = |files: &[&str]| {
        let options = ["report", "--kind", "copies-of", "--out", &out];
        simctl(&daemon, &[&options[..], files].concat())
    };
    let unknown = report(&["/none/a.txt", "/none/b.txt"]);
    assert_eq!(unknown.code, 2);
    for name in ["/none/a.txt", "/none/b.txt"] {
        assert!(unknown.talk.contains(name), "{}", unknown.talk);
    }
    let lost = report(&["/none/a.txt", "/lost/b.txt", "/lost/c.txt", "/none/d.txt"]);
    assert_ne!(lost.code, 0);
    assert!(lost.talk.contains("/none/a.txt"), "{}", lost.talk);
    let times = lost.talk.matches("simdexd is stopping").count();
    assert_eq!(times, 1, "{}", lost.talk);
    assert!(!lost.talk.contains("/none/d.txt"), "{}", lost.talk);
}
