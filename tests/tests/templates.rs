//! Template text with the real programs: a planted letterhead is one template with its exact count, root by root.

use std::ffi::{OsStr, OsString};
use std::fs;

use anyhow::{Context, Result, ensure};
use simdex_tests::sandbox::{Daemon, Run, Sandbox, simdexd};

const HEAD: &str = "Example Limited, 12 Sample Street, 1000 Town\n\
    Registered in Town under number 12345\n";
const FOOT: &str = "This letter is confidential and meant for its addressee alone.\n";

/// A letter with a text of its own; three in four have a footer.
fn letter(at: usize) -> String {
    let own = format!(
        "In the matter of file {at} we write about item {}.\n",
        at * at + 17
    );
    let foot = if at.is_multiple_of(4) { "" } else { FOOT };
    format!("{HEAD}\n{own}Kind regards\n{foot}")
}

#[test]
fn a_letterhead_is_one_template_and_each_root_has_its_own() -> Result<()> {
    let sandbox = Sandbox::new()?;
    let (letters, others) = (sandbox.beside("letters"), sandbox.beside("others"));
    for root in [&letters, &others] {
        fs::create_dir(root)?;
    }
    for at in 0..40 {
        fs::write(letters.join(format!("{at:02}.txt")), letter(at))?;
    }
    // A copy is no further document; nine letters are not enough.
    fs::write(letters.join("copy.txt"), letter(1))?;
    for at in 100..109 {
        fs::write(others.join(format!("{at}.txt")), letter(at))?;
    }
    // A document of both roots is one of each, and one of all.
    for root in [&letters, &others] {
        fs::write(root.join("both.txt"), own_words(7))?;
    }
    let roots = [(letters.clone(), "native"), (others.clone(), "native")];
    let daemon = sandbox.serve().roots(roots).start()?;
    daemon.sync()?;
    let listed = daemon.simctl(["templates"])?.success()?;
    let found = listed.lines_of("template")?;
    let letters = letters.to_str().context("a path")?;
    ensure!(found.len() == 2, "{found:?}");
    ensure!(
        found
            .iter()
            .all(|template| template["root"] == letters && template["of_documents"] == 41)
    );
    ensure!(found[0]["text"] == HEAD && found[0]["lines"] == 2 && found[0]["documents"] == 40);
    ensure!(found[1]["text"] == FOOT && found[1]["lines"] == 1 && found[1]["documents"] == 30);
    let example = found[1]["path"].as_str().context("an example")?;
    ensure!(
        fs::read_to_string(example)?.contains(FOOT.trim_end()),
        "{example}"
    );
    let summary = &listed.lines_of("templates")?[0];
    ensure!(
        summary["templates"] == 2 && summary["documents"] == 50,
        "{summary}"
    );
    ensure!(
        summary["truncated"] == false && summary["complete"] == true,
        "{summary}"
    );

    ensure!(daemon.stop()?.success());
    Ok(())
}

#[test]
fn a_template_some_of_whose_lines_are_listed_is_partly_left_out() -> Result<()> {
    let sandbox = Sandbox::new()?;
    for at in 0..12 {
        sandbox.write(format!("{at}.txt"), letter(4 * at))?;
    }
    let list = sandbox.beside("template-lines.txt");
    let (first, _) = HEAD.split_once('\n').context("two lines")?;
    for (listed, expected) in [(first, [false, true]), (HEAD, [true, false])] {
        fs::write(&list, listed)?;
        let daemon = sandbox.serve().template_lines(&list).start()?;
        daemon.sync()?;
        let found = daemon.simctl(["templates"])?.success()?;
        let found = found.lines_of("template")?;
        ensure!(found.len() == 1 && found[0]["lines"] == 2, "{found:?}");
        let left_out = [&found[0]["left_out"], &found[0]["partly_left_out"]];
        ensure!(left_out == expected, "{found:?}");
        ensure!(daemon.stop()?.success());
    }
    Ok(())
}

#[test]
fn fewer_documents_are_enough_where_that_is_asked_for() -> Result<()> {
    let sandbox = Sandbox::new()?;
    for at in 100..109 {
        sandbox.write(format!("{at}.txt"), letter(at))?;
    }
    let daemon = sandbox.serve().start()?;
    daemon.sync()?;
    let none = daemon.simctl(["templates"])?.ended_with(&[1])?;
    ensure!(none.lines_of("template")?.is_empty());
    let root = sandbox.share().to_str().context("a path")?;
    let few = ["templates", root, "--min-documents", "6", "--limit", "1"];
    let few = daemon.simctl(few)?.success()?;
    let found = few.lines_of("template")?;
    ensure!(found.len() == 1 && found[0]["text"] == HEAD && found[0]["documents"] == 9);
    let summary = &few.lines_of("templates")?[0];
    ensure!(summary["templates"] == 2, "{summary}");
    ensure!(summary["truncated"] == true, "{summary}");
    ensure!(daemon.stop()?.success());
    Ok(())
}

/// A text in lines of at most so many characters.
fn wrapped(text: &str, columns: usize) -> String {
    let mut lines: Vec<String> = Vec::new();
    for word in text.split(' ') {
        match lines.last_mut() {
            Some(line) if line.len() + 1 + word.len() <= columns => {
                line.push(' ');
                line.push_str(word);
            }
            _ => lines.push(word.to_owned()),
        }
    }
    lines.join("\n")
}

#[test]
fn a_disclaimer_is_one_template_wherever_its_lines_break() -> Result<()> {
    const SENTENCES: [&str; 3] = [
        "This message and any files that come with it are confidential and meant for the addressee alone.",
        "If you are not the addressee, please tell the sender (by return of mail) and delete the message.",
        "No liability is accepted for damage that is caused by it!",
    ];
    let disclaimer = SENTENCES.join(" ");
    let sandbox = Sandbox::new()?;
    for at in 0..12 {
        let columns = [60, 72, 80, usize::MAX][at % 4];
        let own = format!(
            "In the matter of file {at} we write about item {}.",
            at * at + 17
        );
        let foot = wrapped(&disclaimer, columns);
        sandbox.write(format!("{at}.txt"), format!("{own}\n\n{foot}\n"))?;
    }
    let daemon = sandbox.serve().start()?;
    daemon.sync()?;
    let root = sandbox.share().to_str().context("a path")?;
    // Three documents have each wrapping: with two as the least, each of their lines recurs as well.
    for least in ["12", "2"] {
        let listed = daemon.simctl(["templates", root, "--min-documents", least])?;
        let listed = listed.success()?;
        let found = listed.lines_of("template")?;
        ensure!(found.len() == 1, "{found:?}");
        let expected = SENTENCES.join("\n") + "\n";
        ensure!(
            found[0]["text"] == expected && found[0]["documents"] == 12,
            "{found:?}"
        );
        ensure!(
            found[0]["lines"] == 3 && found[0]["left_out"] == false,
            "{found:?}"
        );
    }
    ensure!(daemon.stop()?.success());
    Ok(())
}

/// Lines of the frame.
const FRAME_LINES: usize = 39;

/// What is in all letters, on either side of what they say: so much that they are near-duplicates by it.
fn frame() -> [String; 2] {
    let clause = |at: usize| {
        let (days, percent) = (at * at + 30, 3 * at + 2);
        format!(
            "Clause {at}: payment within {days} days, else {percent} percent of interest a year\n"
        )
    };
    let clauses: String = (0..FRAME_LINES - 3).map(clause).collect();
    [format!("{HEAD}{clauses}"), FOOT.to_owned()]
}

/// A letter of the frame and a sentence of its own.
fn short_letter(at: usize) -> String {
    let ([head, foot], own) = (frame(), own_words(at));
    format!("{head}Re: {own}\n{foot}")
}

/// Some 100 bytes that hardly share a shingle with those of another number.
fn own_words(at: usize) -> String {
    let word = |step: usize| {
        format!(
            "{:x}",
            (at + 7) * (step + 3) * 2_654_435_761 % 4_294_967_291
        )
    };
    (0..12).map(word).collect::<Vec<_>>().join(" ")
}

/// The list that `simctl templates --lines` prints, without the marks that leave the decision to a person.
fn decided(daemon: &Daemon) -> Result<String> {
    let listed = daemon
        .simctl_in_words(["templates", "--lines"])?
        .success()?;
    let listed = String::from_utf8(listed.stdout)?;
    let lines = listed.lines().filter(|line| !line.is_empty());
    // All letters are in one group, since their frame alone makes them alike.
    for line in lines.clone() {
        ensure!(line.starts_with("# "), "no comment: {line}");
    }
    let unmarked = lines.filter_map(|line| line.strip_prefix("# "));
    let is_line = |line: &&str| !line.starts_with("in ") && !line.starts_with("cut: ");
    let decided: Vec<&str> = unmarked.filter(is_line).collect();
    ensure!(decided.len() == FRAME_LINES, "{listed}");
    Ok(decided.join("\n"))
}

/// A share of letters that are alike by their frame alone, one of them revised, and the frame, twice.
fn letters() -> Result<Sandbox> {
    let sandbox = Sandbox::new()?;
    for at in 0..20 {
        sandbox.write(format!("{at:02}.txt"), short_letter(at))?;
    }
    let revised = short_letter(3).replace("Re: ", "Re: no. ");
    sandbox.write("03 revised.txt", &revised)?;
    let frame = frame().concat();
    sandbox.write("frame.txt", &frame)?;
    sandbox.write("frame in one line.txt", frame.replace('\n', " "))?;
    Ok(sandbox)
}

/// The path of a file of the share, as it is typed.
fn named(sandbox: &Sandbox, name: &str) -> Result<String> {
    let path = sandbox.share().join(name);
    Ok(path.to_str().context("a path")?.to_owned())
}

#[test]
fn short_letters_of_one_template_are_unlike_once_its_lines_are_left_out() -> Result<()> {
    let sandbox = letters()?;
    let letter = named(&sandbox, "03.txt")?;
    let daemon = sandbox.serve().start()?;
    daemon.sync()?;
    let similar = daemon.simctl(["find-similar", &letter])?.success()?;
    ensure!(similar.lines_of("match")?.len() >= 20, "alike by the frame");
    let query = &similar.lines_of("query")?[0];
    ensure!(query.get("template_lines").is_none(), "{query}");
    let file = sandbox.beside("template-lines.txt");
    fs::write(&file, decided(&daemon)?)?;
    ensure!(daemon.stop()?.success());

    let daemon = sandbox.serve().template_lines(&file).start()?;
    daemon.sync()?;
    finds_the_revision_alone(&sandbox, &daemon, &letter)?;
    finds_copies_of_the_frame(&sandbox, &daemon, &letter)?;
    names_the_list(&sandbox, &daemon)?;
    ensure!(daemon.stop()?.success());
    refuses_to_forget_the_list(&sandbox)?;

    // Without the list they are alike again.
    let daemon = sandbox.serve().start()?;
    daemon.sync()?;
    let similar = daemon.simctl(["find-similar", &letter])?.success()?;
    ensure!(similar.lines_of("match")?.len() >= 20);
    ensure!(daemon.stop()?.success());
    Ok(())
}

fn finds_the_revision_alone(sandbox: &Sandbox, daemon: &Daemon, letter: &str) -> Result<()> {
    for threshold in ["0.3", "0.8"] {
        let asked = ["find-similar", letter, "--threshold", threshold];
        let similar = daemon.simctl(asked)?.success()?;
        let found = similar.lines_of("match")?;
        ensure!(found.len() == 1, "{found:?}");
        let path = found[0]["path"].as_str().context("a path")?;
        ensure!(path.ends_with("03 revised.txt"), "{path}");
        let query = &similar.lines_of("query")?[0];
        ensure!(query["template_lines"] == FRAME_LINES, "{query}");
        ensure!(query["left_out"]["lines"] == FRAME_LINES, "{query}");
    }
    let other = named(sandbox, "04.txt")?;
    let asked = [
        "compare", letter, &other, "--scheme", "min_n", "--scheme", "mod_n",
    ];
    let compared = daemon.simctl(asked)?.success()?;
    let compared = &compared.lines_of("comparison")?[0];
    ensure!(compared["resemblance"].as_f64() < Some(0.1), "{compared}");
    let estimates = compared["estimates"].as_array().context("estimates")?;
    for estimate in estimates {
        ensure!(estimate["resemblance"].as_f64() < Some(0.1), "{estimate}");
    }
    ensure!(compared["left_out_a"]["lines"] == FRAME_LINES, "{compared}");
    let sides = [&compared["left_out_a"], &compared["left_out_b"]];
    ensure!(sides[0] == sides[1], "{compared}");
    let said = daemon.simctl_in_words(["find-similar", letter])?.stderr;
    let left_out = "39 template lines are left out of what is compared";
    ensure!(said.contains(left_out), "{said}");
    Ok(())
}

/// Nothing is left of the frame, which is a document all the same.
fn finds_copies_of_the_frame(sandbox: &Sandbox, daemon: &Daemon, letter: &str) -> Result<()> {
    let (frame, copy) = (
        named(sandbox, "frame.txt")?,
        named(sandbox, "frame in one line.txt")?,
    );
    for verb in ["find-similar", "containing", "contained-in"] {
        let found = daemon.simctl([verb, &frame])?.success()?;
        let matches = found.lines_of("match")?;
        ensure!(matches.len() == 1, "{verb}: {matches:?}");
        ensure!(matches[0]["path"] == copy.as_str(), "{verb}: {matches:?}");
        ensure!(matches[0]["resemblance"] == 1.0, "{verb}: {matches:?}");
        let query = &found.lines_of("query")?[0];
        ensure!(query["compared_by"] == "whole-text", "{query}");
        ensure!(query["left_out"]["lines"] == FRAME_LINES, "{query}");
    }
    let versions = daemon.simctl(["versions", &frame])?.success()?;
    ensure!(versions.lines_of("match")?.len() == 2, "both files");
    let said = daemon.simctl_in_words(["find-similar", &frame])?.stderr;
    let nothing = "is left to compare: all of its text is template lines";
    ensure!(said.contains(nothing), "{said}");
    let same = daemon.simctl(["compare", &frame, &copy])?.success()?;
    let same = &same.lines_of("comparison")?[0];
    ensure!(same["resemblance"] == 1.0, "{same}");
    let refused = daemon
        .simctl(["compare", &frame, letter])?
        .ended_with(&[2])?;
    ensure!(refused.stderr.contains(nothing), "{}", refused.stderr);
    Ok(())
}

#[test]
fn fixed_size_sketches_components_and_cores_are_of_what_is_left() -> Result<()> {
    let sandbox = letters()?;
    let list = sandbox.beside("template-lines.txt");
    fs::write(&list, frame().concat())?;
    let schemes = "[signature]\nschemes = [\"mod_n\", \"min_n\", \"sketch_n\"]\n";
    let serve = sandbox.serve().template_lines(&list).config(schemes);
    let daemon = serve.start()?;
    daemon.sync()?;
    let letter = named(&sandbox, "03.txt")?;
    for scheme in ["min_n", "sketch_n"] {
        let asked = ["find-similar", &letter, "--scheme", scheme];
        let found = daemon.simctl(asked)?.success()?;
        let found = found.lines_of("match")?;
        ensure!(found.len() == 1, "{scheme}: {found:?}");
        let path = found[0]["path"].as_str().context("a path")?;
        ensure!(path.ends_with("03 revised.txt"), "{scheme}: {path}");
    }
    for kind in ["components", "cores"] {
        let groups = daemon.simctl(["groups", "--kind", kind])?.success()?;
        for group in groups.lines_of("group")? {
            let told = group.to_string();
            let is_of_letters = told.contains("03.txt") && told.contains("03 revised.txt");
            ensure!(is_of_letters || told.contains("frame"), "{kind}: {group}");
            ensure!(!told.contains("04.txt"), "{kind}: {group}");
        }
    }
    let frame = named(&sandbox, "frame.txt")?;
    let out = sandbox.beside("copies");
    let asked = [
        OsString::from("report"),
        "--out".into(),
        out.clone().into_os_string(),
        "--kind".into(),
        "copies-of".into(),
        frame.into(),
    ];
    daemon.simctl(asked)?.success()?;
    let manifest = fs::read_to_string(out.join("manifest.json"))?;
    let manifest: serde_json::Value = serde_json::from_str(&manifest)?;
    let sums = &manifest["findings"];
    let counted = [&sums["copies"], &sums["not_compared"], &sums["files"]];
    ensure!(counted == [1, 1, 0], "{sums}");
    ensure!(daemon.stop()?.success());
    Ok(())
}

#[test]
fn a_leak_of_a_document_that_is_all_template_lines_is_its_copies_alone() -> Result<()> {
    let sandbox = letters()?;
    let (board, frame) = (sandbox.beside("board"), frame().concat());
    fs::create_dir(&board)?;
    fs::write(board.join("form.txt"), &frame)?;
    let list = sandbox.beside("template-lines.txt");
    fs::write(&list, &frame)?;
    let roots = [
        (sandbox.share().to_path_buf(), "native"),
        (board.clone(), "native"),
    ];
    let serve = sandbox.serve().template_lines(&list).roots(roots);
    let daemon = serve.start()?;
    daemon.sync()?;
    let out = sandbox.beside("leak");
    let asked: [&OsStr; 7] = [
        "report".as_ref(),
        "--kind".as_ref(),
        "leak".as_ref(),
        "--out".as_ref(),
        out.as_ref(),
        "--protected".as_ref(),
        board.as_ref(),
    ];
    daemon.simctl(asked)?.success()?;
    let found = fs::read_to_string(out.join("findings.jsonl"))?;
    let found: Vec<serde_json::Value> = found
        .lines()
        .map(serde_json::from_str)
        .collect::<Result<_, _>>()?;
    let named: Vec<_> = found
        .iter()
        .map(|found| (found["path"].as_str(), found["relation"].as_str()))
        .collect();
    let [line, copy] =
        ["frame in one line.txt", "frame.txt"].map(|name| sandbox.share().join(name));
    let expected = [
        (line.to_str(), Some("identical-text")),
        (copy.to_str(), Some("identical-bytes")),
    ];
    ensure!(named == expected, "{named:?}");
    let manifest = fs::read_to_string(out.join("manifest.json"))?;
    let manifest: serde_json::Value = serde_json::from_str(&manifest)?;
    let sums = &manifest["findings"];
    ensure!(sums["not_compared"] == 1 && sums["compared"] == 0, "{sums}");
    ensure!(daemon.stop()?.success());
    Ok(())
}

/// Of the parameters of a report, and where people read.
fn names_the_list(sandbox: &Sandbox, daemon: &Daemon) -> Result<()> {
    let templates = daemon.simctl(["templates"])?.success()?;
    for template in templates.lines_of("template")? {
        ensure!(template["left_out"] == true, "{template}");
    }
    let status = daemon.simctl_in_words(["status"])?.success()?;
    let status = String::from_utf8(status.stdout)?;
    ensure!(status.contains("39 template lines (list "), "{status}");
    let out = sandbox.beside("report");
    let asked = ["report".as_ref(), "--out".as_ref(), out.as_os_str()];
    daemon.simctl(asked)?.success()?;
    let manifest = fs::read_to_string(out.join("manifest.json"))?;
    let manifest: serde_json::Value = serde_json::from_str(&manifest)?;
    ensure!(manifest["template_lines"] == FRAME_LINES, "{manifest}");
    let list = manifest["template_list"].as_str();
    ensure!(list.is_some_and(|list| list.len() == 64), "{manifest}");
    let page = fs::read_to_string(out.join("report.html"))?;
    let left_out = "39 template lines are left out of what is compared";
    ensure!(page.contains(left_out), "the page says nothing of it");
    Ok(())
}

/// `rebuild` has the list from a config alone.
fn refuses_to_forget_the_list(sandbox: &Sandbox) -> Result<()> {
    let args = [
        OsString::from("rebuild"),
        "--data-dir".into(),
        sandbox.data_dir().into_os_string(),
    ];
    let refused = Run::of(simdexd()?).args(args).wait()?.ended_with(&[2])?;
    ensure!(refused.stderr.contains("--config"), "{}", refused.stderr);
    Ok(())
}

#[test]
fn a_list_that_cannot_be_read_keeps_the_daemon_from_starting() -> Result<()> {
    let sandbox = Sandbox::new()?;
    let refused = sandbox.serve().template_lines("/nowhere/lines").refused()?;
    let said = refused.stderr;
    ensure!(
        said.contains("the list of template lines /nowhere/lines cannot be read"),
        "{said}"
    );
    let checked = sandbox.serve().template_lines("/nowhere/lines").checked()?;
    ensure!(checked.stderr.contains("/nowhere/lines"));
    Ok(())
}
