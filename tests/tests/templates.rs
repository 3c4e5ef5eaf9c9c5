//! Template text with the real programs: a planted letterhead is one template with its exact count, root by root.

use std::fs;

use anyhow::{Context, Result, ensure};
use simdex_tests::sandbox::Sandbox;

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
            .all(|template| template["root"] == letters && template["of_documents"] == 40)
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
        summary["templates"] == 2 && summary["documents"] == 49,
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
