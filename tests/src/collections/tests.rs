//! The commands from their arguments to the files they write and the lines they print.

use clap::Parser;
use serde_json::Value;

use super::*;

#[derive(Parser)]
struct Line {
    #[command(subcommand)]
    command: Command,
}

fn said(arguments: &[&str]) -> Result<String> {
    let line = Line::try_parse_from([&["study"], arguments].concat())?;
    let mut out = Vec::new();
    run(&line.command, &mut Figures::new(&mut out, false))?;
    Ok(String::from_utf8(out)?)
}

fn refusal(arguments: &[&str]) -> String {
    format!("{:#}", said(arguments).unwrap_err())
}

/// A folder with two texts, one of them in a folder below, and a file of three chains.
fn originals() -> (tempfile::TempDir, [String; 3]) {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).display().to_string();
    let paths = [path("from"), path("chains"), path("to")];
    let text = |of: &str| {
        (0..30)
            .map(|at| format!("{of} number {at} says so.\n\n"))
            .collect::<String>()
    };
    write(&folder.path().join("from/a.txt"), &text("Paragraph")).unwrap();
    write(&folder.path().join("from/below/b.txt"), &text("Line")).unwrap();
    let chains = "delete 10; characters Pq\ninsert 5 uniform\nremove 7 random\n";
    write(&folder.path().join("chains"), chains).unwrap();
    (folder, paths)
}

#[test]
fn a_collection_is_written_with_all_that_was_done_to_it_and_evaluates_as_itself() {
    let (folder, [from, chains, to]) = originals();
    let made = [
        "collection",
        "--originals",
        &from,
        "--chains",
        &chains,
        "--seed",
        "3",
        "--out",
        &to,
    ];
    let told = said(&made).unwrap();
    assert!(told.contains("documents") && told.contains(" 8"), "{told}");

    let log = read(&folder.path().join("to/log.jsonl")).unwrap();
    let log: Vec<Value> = log
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert_eq!(log.len(), 6);
    assert_eq!(log[0]["changes"][0]["parameters"]["percent"], 10.0);
    assert_eq!(log[0]["changes"][1]["parameters"]["pairs"][0], "Pq");
    assert_eq!(log[1]["changes"][0]["parameters"]["spread"], "uniform");
    assert_eq!(log[1]["changes"][0]["touched"]["characters"], 10);
    assert_eq!(log[5]["changes"][0]["touched"]["words"], 7);
    assert_eq!(log[5]["input"], "below/b.txt");
    let copy = read(&folder.path().join("to/documents/below/b.txt~3")).unwrap();
    assert_eq!(copy.split_whitespace().count(), 30 * 5 - 7);

    let (list, documents) = (format!("{to}/pairs.tsv"), format!("{to}/documents"));
    let told = said(&[
        "evaluate",
        "--list",
        &list,
        "--found",
        &list,
        "--documents",
        &documents,
    ])
    .unwrap();
    assert!(
        !told.contains("missed") && !told.contains("extra"),
        "{told}"
    );
    let again = refusal(&made);
    assert!(
        again.ends_with("is not empty; name another folder"),
        "{again}"
    );
}

#[test]
fn disagreements_are_listed_and_unknown_documents_refused() {
    let (folder, [from, chains, to]) = originals();
    let named = ["--originals", &from, "--chains", &chains, "--out", &to];
    said(&[&["collection"], &named[..]].concat()).unwrap();
    let found = folder.path().join("found").display().to_string();
    fs::write(&found, "a.txt\ta.txt~1\na.txt\tbelow/b.txt\n").unwrap();
    let (list, documents) = (format!("{to}/pairs.tsv"), format!("{to}/documents"));
    let evaluate = [
        "evaluate",
        "--list",
        &list,
        "--found",
        &found,
        "--documents",
        &documents,
    ];
    let told = said(&evaluate).unwrap();
    let figure = |name: &str| {
        let line = told.lines().find(|line| line.starts_with(name)).unwrap();
        line[name.len()..].trim().to_owned()
    };
    assert_eq!(
        [figure("list  "), figure("found  "), figure("common")],
        ["12", "2", "1"]
    );
    assert_eq!([figure("list alone"), figure("found alone")], ["11", "1"]);
    assert_eq!([figure("precision"), figure("recall")], ["0.500", "0.083"]);
    assert!(told.contains("extra\ta.txt\tbelow/b.txt"), "{told}");
    assert_eq!(
        told.lines()
            .filter(|line| line.starts_with("missed\t"))
            .count(),
        11
    );

    fs::write(&found, "a.txt\tc.txt\n").unwrap();
    let unknown = refusal(&evaluate);
    assert!(
        unknown.contains("found: line 1: c.txt is none of the 8 documents"),
        "{unknown}"
    );
    fs::write(&found, "# none\n").unwrap();
    let none = said(&evaluate).unwrap();
    assert!(
        none.contains("precision: no pair to tell it from"),
        "{none}"
    );
}

#[test]
fn without_documents_or_chains_nothing_is_made() {
    let (folder, [from, chains, to]) = originals();
    fs::create_dir(folder.path().join("empty")).unwrap();
    let empty = folder.path().join("empty").display().to_string();
    let none = refusal(&["collection", "--originals", &empty, "--out", &to]);
    assert!(none.starts_with("no document in"), "{none}");
    fs::write(&chains, "tear 3").unwrap();
    let torn = refusal(&[
        "collection",
        "--originals",
        &from,
        "--chains",
        &chains,
        "--out",
        &to,
    ]);
    assert!(
        torn.contains("chains: line 1: \"tear 3\" is no operation"),
        "{torn}"
    );
    assert!(!folder.path().join("to").exists());
}

#[test]
fn an_original_with_the_name_of_a_copy_is_refused_before_anything_is_written() {
    for name in ["a.txt~1", "a.txt~2/c.txt"] {
        let (folder, [from, chains, to]) = originals();
        write(&folder.path().join("from").join(name), "A third text.").unwrap();
        let making = ["--originals", &from, "--chains", &chains, "--out", &to];
        let taken = refusal(&[&["collection"], &making[..]].concat());
        assert!(
            taken.contains("a copy of a.txt would have this name"),
            "{taken}"
        );
        assert!(!folder.path().join("to").exists());
    }
}

#[test]
fn names_that_begin_like_a_comment_are_names() {
    let (folder, [from, chains, to]) = originals();
    write(&folder.path().join("from/#c.txt"), "A third text.").unwrap();
    let making = ["--originals", &from, "--chains", &chains, "--out", &to];
    said(&[&["collection"], &making[..]].concat()).unwrap();
    let (list, documents) = (format!("{to}/pairs.tsv"), format!("{to}/documents"));
    let pairs = read(Path::new(&list)).unwrap();
    assert!(pairs.starts_with("#c.txt\t"), "{pairs}");
    fs::write(&list, format!("# a comment\n{pairs}")).unwrap();
    let evaluating = ["--list", &list, "--found", &list, "--documents", &documents];
    let told = said(&[&["evaluate"], &evaluating[..]].concat()).unwrap();
    let counted = told.lines().find(|line| line.starts_with("list ")).unwrap();
    let right = pairs.lines().count().to_string();
    assert!(counted.ends_with(&right), "{counted}, not {right}");
}

#[cfg(unix)]
#[test]
fn names_that_no_list_can_hold_are_refused_before_anything_is_written() {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt as _;

    for name in [&b"a\tb.txt"[..], b"a\nb.txt", b"a\xff.txt"] {
        let (folder, [from, chains, to]) = originals();
        let path = folder.path().join("from").join(OsStr::from_bytes(name));
        write(&path, "A third text.").unwrap();
        let making = ["--originals", &from, "--chains", &chains, "--out", &to];
        let refused = refusal(&[&["collection"], &making[..]].concat());
        assert!(
            refused.contains("cannot be named in a list of pairs"),
            "{refused}"
        );
        assert!(!folder.path().join("to").exists());
    }
}
