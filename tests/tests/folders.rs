//! Copies of whole folders with the real programs: a mirror, an archive of it, a copy with exceptions in another
//! root, and folders that have one file in common and are no copies.

use std::fs;
use std::path::Path;

use anyhow::{Context, Result, ensure};
use serde_json::Value;
use simdex_tests::handmade::zip::{Entry, zip};
use simdex_tests::sandbox::{Daemon, Sandbox};

/// A text of its own for each number.
fn text(at: usize) -> String {
    (0..30)
        .map(|word| format!("word{} ", (at * 7_919 + word * 104_729) % 1_000_003))
        .collect()
}

/// A folder of four folders with five files each.
fn plant(folder: &Path, of: impl Fn(usize) -> Option<String>) -> Result<()> {
    for inner in 0..4 {
        let inside = folder.join(format!("part {inner}"));
        fs::create_dir_all(&inside)?;
        for at in 0..5 {
            if let Some(text) = of(5 * inner + at) {
                fs::write(inside.join(format!("{at}.txt")), text)?;
            }
        }
    }
    Ok(())
}

fn lines(pairs: &[Value], top: &Path) -> Result<Vec<String>> {
    let top = top.to_str().context("a path")?;
    let line = |pair: &Value| {
        let below = |side: &str| Some(pair[side].as_str()?.strip_prefix(top)?.to_owned());
        let (a, b) = below("a").zip(below("b")).context("paths")?;
        let [files_a, files_b, shared_a, shared_b] =
            ["files_a", "files_b", "shared_a", "shared_b"].map(|count| pair[count].to_string());
        Ok(format!("{a} {shared_a}/{files_a} {b} {shared_b}/{files_b}"))
    };
    pairs.iter().map(line).collect()
}

/// A folder, an archive of it, a folder with one file of it, and in another root a mirror with exceptions.
fn plant_all(one: &Path, other: &Path) -> Result<()> {
    plant(&one.join("docs"), |at| Some(text(at)))?;
    let entries = (0..20).map(|at| {
        let name = format!("part {}/{}.txt", at / 5, at % 5);
        Entry::stored(name, text(at).as_bytes())
    });
    fs::write(one.join("docs.zip"), zip(&entries.collect::<Vec<_>>()))?;
    let unlike = |at| if at == 3 { 3 } else { 100 + at };
    plant(&one.join("unlike"), |at| Some(text(unlike(at))))?;
    plant(&other.join("mirror"), |at| match at {
        4 => None,
        9 => Some(text(200)),
        at => Some(text(at)),
    })
}

#[test]
fn a_mirrored_tree_is_one_line_with_its_exceptions_counted() -> Result<()> {
    let sandbox = Sandbox::new()?;
    let (one, other) = (sandbox.beside("one"), sandbox.beside("other"));
    plant_all(&one, &other)?;
    let roots = [(one.clone(), "native"), (other.clone(), "native")];
    let daemon = sandbox.serve().roots(roots).start()?;
    daemon.sync()?;
    let top = one.parent().context("a folder")?;
    let listed = daemon.simctl(["folders"])?.success()?;
    let found = lines(&listed.lines_of("folders")?, top)?;
    let right = [
        "/one/docs 20/20 /one/docs.zip! 20/20",
        "/one/docs.zip! 18/20 /other/mirror 18/19",
    ];
    ensure!(found == right, "{found:?}");
    let summary = &listed.lines_of("folder-copies")?[0];
    ensure!(
        summary["pairs"] == 2 && summary["truncated"] == false,
        "{summary}"
    );
    names_exceptions(&daemon)?;
    // What another root holds is not told of where the view leaves it out.
    let root = one.to_str().context("a path")?;
    let listed = daemon.simctl(["folders", "--root", root])?.success()?;
    ensure!(lines(&listed.lines_of("folders")?, top)? == right[..1]);
    // Two of four parts of the mirror are complete.
    let whole = daemon.simctl(["folders", "--share", "1"])?.success()?;
    let whole = lines(&whole.lines_of("folders")?, top)?;
    ensure!(whole[0] == right[0] && whole.len() == 3, "{whole:?}");
    ensure!(
        whole[1..]
            .iter()
            .all(|line| line.contains("5/5") && line.contains("/part "))
    );
    let refused = daemon
        .simctl(["folders", "--share", "0.01"])?
        .ended_with(&[2])?;
    ensure!(
        refused.stderr.contains("from 0.1 to 1"),
        "{}",
        refused.stderr
    );
    ensure!(daemon.stop()?.success());
    Ok(())
}

/// Which files have no like in the other folder is told where it is asked for.
fn names_exceptions(daemon: &Daemon) -> Result<()> {
    let named = daemon.simctl(["folders", "--exceptions"])?.success()?;
    let named = named.lines_of("folders")?;
    let alone = |pair: usize, side: &str| -> Vec<String> {
        let paths = named[pair][side].as_array().into_iter().flatten();
        let paths = paths.filter_map(|path| path["path"].as_str());
        let paths = paths.filter_map(|path| path.rsplit_once("part "));
        paths.map(|(_, path)| path.to_owned()).collect()
    };
    ensure!(named[0].get("alone_a").is_none() && named[0].get("alone_b").is_none());
    ensure!(alone(1, "alone_a") == ["0/4.txt", "1/4.txt"], "{named:?}");
    ensure!(alone(1, "alone_b") == ["1/4.txt"], "{named:?}");
    ensure!(
        named[0]["copies"] == 2 && named[0]["share"] == 1.0,
        "{named:?}"
    );
    ensure!(named[1].get("copies").is_none(), "{named:?}");
    Ok(())
}

/// A long text of its own for each number; `revised` has another ending.
fn long_text(at: usize, revised: bool) -> String {
    let ending = if revised {
        "as revised in May"
    } else {
        "as it was"
    };
    let body: Vec<String> = (0..20).map(|part| text(1_000 * (part + 1) + at)).collect();
    format!("{}\n{ending}", body.join("\n"))
}

/// Nineteen of twenty files were revised in the mirror, one of them went into another folder, and one is the same.
#[test]
fn a_mirror_whose_files_were_revised_is_a_version_of_the_folder() -> Result<()> {
    let sandbox = Sandbox::new()?;
    let (one, other) = (sandbox.beside("one"), sandbox.beside("other"));
    plant(&one.join("docs"), |at| Some(long_text(at, false)))?;
    plant(&other.join("mirror"), |at| {
        (at != 7).then(|| long_text(at, at != 3))
    })?;
    fs::write(other.join("mirror/moved.txt"), long_text(7, true))?;
    let roots = [(one.clone(), "native"), (other.clone(), "native")];
    let daemon = sandbox.serve().roots(roots).start()?;
    daemon.sync()?;
    daemon.simctl(["sync"])?.success()?;
    let top = one.parent().context("a folder")?;
    let listed = daemon.simctl(["folders"])?.success()?;
    let pairs = listed.lines_of("folders")?;
    // Nothing else is in the roots: they are versions of each other as a whole.
    let right = ["/one 20/20 /other 20/20"];
    ensure!(lines(&pairs, top)? == right, "{pairs:?}");
    ensure!(pairs[0]["revised"] == 19, "{pairs:?}");
    ensure!(daemon.stop()?.success());
    Ok(())
}

/// Twelve nightly copies of folders with a document and notes too short to be compared, of which three lack a note.
#[test]
fn many_copies_are_one_line_and_short_files_count_by_their_bytes() -> Result<()> {
    let sandbox = Sandbox::new()?;
    for night in 0..12 {
        let folder = sandbox.share().join(format!("night {night:02}"));
        fs::create_dir_all(folder.join("notes"))?;
        for at in 0..9 {
            if night % 4 != 3 || at != night % 9 {
                fs::write(folder.join(format!("notes/{at}.txt")), format!("note {at}"))?;
            }
        }
        fs::write(folder.join("long.txt"), text(1))?;
        fs::write(folder.join("empty.txt"), "")?;
    }
    let daemon = sandbox.serve().start()?;
    daemon.sync()?;
    let share = sandbox.share();
    let found = daemon.simctl(["folders"])?.success()?.lines_of("folders")?;
    ensure!(found.len() == 4, "{found:?}");
    ensure!(found[0]["copies"] == 9, "{found:?}");
    let further = found[0]["further"].as_array().context("further")?;
    ensure!(further.len() == 7, "{further:?}");
    let pairs = lines(&found, share)?;
    ensure!(pairs[0] == "/night 00 10/10 /night 01 10/10", "{pairs:?}");
    for (pair, lacking) in pairs[1..].iter().zip(["03", "07", "11"]) {
        let is_told = pair.contains(&format!("/night {lacking} 9/9"));
        ensure!(is_told && pair.contains("9/10"), "{pairs:?}");
    }
    ensure!(daemon.stop()?.success());
    Ok(())
}
