//! Texts that grow: small files whose texts would take the memory of a large machine, given to the real
//! daemon on a small machine. It must answer, restart, and still answer.

#![expect(
    clippy::unwrap_used,
    clippy::panic,
    reason = "a test that cannot go on fails"
)]

use std::fmt::Write as _;
use std::time::{Duration, Instant};

use simdex_tests::handmade::zip::{Entry, zip};
use simdex_tests::sandbox::{Daemon, Sandbox};

/// Address space of the daemon: the text of one U+FDFA file alone took more than this.
const SMALL_MACHINE: u64 = 3 << 30;
/// Bytes of each text.
const LONG: usize = 60_000_000;
/// Bytes of a text without repeats: its shingles are too many to be listed.
const VARIED: usize = 12_000_000;

/// A ZIP with one text.
fn zipped(text: &str) -> Vec<u8> {
    zip(&[Entry::deflated("text.txt", text.as_bytes())])
}

/// Words of which hardly one returns.
fn words(seed: u64) -> String {
    let mut text = String::with_capacity(VARIED + 32);
    let mut at = seed << 32;
    while text.len() < VARIED {
        at += 1;
        let _ = write!(text, "{:x} ", at.wrapping_mul(0x9E37_79B9_7F4A_7C15));
    }
    text
}

/// State and reason of a file of the share.
fn state(daemon: &Daemon, path: &str) -> (String, String) {
    let listed = daemon.simctl(["files"]).unwrap().success().unwrap();
    let files = listed.lines_of("file").unwrap();
    let is_it = |file: &&serde_json::Value| file["path"].as_str().unwrap().ends_with(path);
    let file = files
        .iter()
        .find(is_it)
        .unwrap_or_else(|| panic!("no {path}"));
    let text = |key: &str| file[key].as_str().unwrap_or_default().to_owned();
    (text("state"), text("reason"))
}

/// Six at once, each about a text that takes as much as it can.
fn six_questions(daemon: &Daemon, sandbox: &Sandbox, path: &str) {
    let path = sandbox.share().join(path);
    std::thread::scope(|scope| {
        let asked = (0..6).map(|_| {
            scope.spawn(|| {
                let args = ["find-similar".as_ref(), path.as_os_str()];
                daemon.simctl(args).unwrap().ended_with(&[0, 1]).unwrap()
            })
        });
        let asked: Vec<_> = asked.collect();
        asked
            .into_iter()
            .for_each(|asked| drop(asked.join().unwrap()));
    });
}

/// Bytes of the daemon that `status` can name no holder of.
fn unaccounted(daemon: &Daemon) -> u64 {
    let status = daemon.simctl(["status"]).unwrap().success().unwrap();
    let lines = status.lines_of("status").unwrap();
    let held = lines[0]["memory"].as_array().unwrap().iter();
    let mut rest = held.filter(|part| part["holder"] == "not accounted for");
    rest.next().unwrap()["bytes"].as_u64().unwrap()
}

#[test]
fn memory_that_a_comparison_used_is_returned_to_the_system() {
    const LEFT: u64 = 100 << 20;
    let sandbox = Sandbox::new().unwrap();
    let text = words(1);
    sandbox.write("a.txt", &text).unwrap();
    let near = text.replacen("7 ", "seven ", 40_000);
    sandbox.write("b.txt", near).unwrap();
    let daemon = sandbox.serve().start().unwrap();
    daemon.sync().unwrap();
    let sides = ["a.txt", "b.txt"].map(|name| sandbox.share().join(name).into_os_string());
    let args = [&["compare".into()], &sides[..]].concat();
    daemon.simctl(args).unwrap().success().unwrap();
    let until = Instant::now() + Duration::from_secs(120);
    while unaccounted(&daemon) > LEFT {
        assert!(Instant::now() < until, "{} bytes", unaccounted(&daemon));
        std::thread::sleep(Duration::from_secs(1));
    }
    assert!(daemon.stop().unwrap().success());
}

#[test]
#[ignore = "minutes; run by night"]
#[expect(clippy::too_many_lines, reason = "one story, step by step")]
fn small_files_with_huge_texts_do_not_end_the_daemon() {
    let sandbox = Sandbox::new().unwrap();
    for number in 0..4 {
        let text = format!("{number} {}", "\u{fdfa}".repeat(LONG / 3));
        let name = format!("grows-{number}.zip");
        sandbox.write(name, zipped(&text)).unwrap();
    }
    let marks = format!("a{}", "\u{301}\u{323}".repeat(LONG / 4));
    sandbox.write("marks.zip", zipped(&marks)).unwrap();
    sandbox
        .write("letter.zip", zipped(&"x".repeat(LONG)))
        .unwrap();
    sandbox.write("words.zip", zipped(&words(1))).unwrap();
    let near = words(1).replacen("7 ", "seven ", 4_000);
    sandbox.write("near.zip", zipped(&near)).unwrap();
    let serve = sandbox.serve().address_space(SMALL_MACHINE);
    // As small as the machine; nothing else stops these files.
    let config = "[extract]\ninflate_ratio = 100000\nmemory_mib = 1024\n[store]\ncache_mib = 64\nworking_mib = 512\n";
    let daemon = serve.config(config).start().unwrap();
    let check = |daemon: &Daemon| {
        daemon.sync().unwrap();
        let cut = ("partial".to_owned(), "too-long".to_owned());
        assert_eq!(state(daemon, "grows-3.zip!/text.txt"), cut);
        for whole in ["marks", "letter", "words", "near"] {
            let (state, reason) = state(daemon, &format!("{whole}.zip!/text.txt"));
            assert_eq!(
                (state.as_str(), reason.as_str()),
                ("indexed", ""),
                "{whole}"
            );
        }
        six_questions(daemon, &sandbox, "grows-0.zip!/text.txt");
        six_questions(daemon, &sandbox, "words.zip!/text.txt");
    };
    check(&daemon);
    let asked = daemon
        .simctl([
            "find-similar".into(),
            sandbox.share().join("words.zip!/text.txt").into_os_string(),
        ])
        .unwrap()
        .success()
        .unwrap();
    let matches = asked.lines_of("match").unwrap();
    let near = matches
        .iter()
        .find(|found| found["path"].as_str().unwrap().contains("near.zip"));
    // Counted in parts: neither set is ever whole in memory.
    assert_eq!(near.unwrap()["verified"], true);
    daemon.kill().unwrap();
    let serve = sandbox.serve().address_space(SMALL_MACHINE).config(config);
    let daemon = serve.start().unwrap();
    check(&daemon);
    assert!(daemon.stop().unwrap().success());
}
