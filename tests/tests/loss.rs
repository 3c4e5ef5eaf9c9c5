//! Roots that lose much at once, vanish, or are replaced: nothing is deleted until it is sure, and
//! `sync` does not pretend otherwise.

use std::fs;
use std::path::Path;

use anyhow::{Context, Result, ensure};
use serde_json::Value;
use simdex_tests::fault::answers::{Listed, agree};
use simdex_tests::sandbox::{Daemon, Run, Sandbox, simdexd};

/// Files of the share that loses most of them; a loss of 1,000 is held.
const FILES: usize = 1_200;
const LOST: usize = 1_050;
/// Only `sync` walks: the guard must not depend on who was first.
const CONFIG: &str = "[watch]\ndebounce_ms = 50\npoll_seconds = 3600\n";

/// Three files of one text, and one that stands alone.
fn write_some(sandbox: &Sandbox) -> Result<()> {
    let text = "one text that is long enough to be a document, and is there three times".repeat(5);
    for name in ["a.txt", "b/b.txt", "c/c/c.txt"] {
        sandbox.write(name, &text)?;
    }
    sandbox.write(
        "other.txt",
        "another text, which nothing else resembles in the least",
    )?;
    Ok(())
}

/// `sync` fails, says why and names the root; exit code 2.
fn refused(daemon: &Daemon, root: &Path, why: &str) -> Result<()> {
    let refused = daemon.simctl(["sync"])?.ended_with(&[2])?;
    let named = refused.stderr.contains(&*root.to_string_lossy()) && refused.stderr.contains(why);
    ensure!(named, "sync says: {}", refused.stderr);
    Ok(())
}

/// Nothing is confirmed for who does not say which loss was looked at.
fn unseen_is_refused(daemon: &Daemon, root: &str) -> Result<()> {
    let unseen = daemon.simctl(["roots", "confirm-loss", root])?;
    let unseen = unseen.ended_with(&[2])?.stderr;
    ensure!(unseen.contains("--token"), "{unseen}");
    Ok(())
}

/// An answer says that the index lacks this, and no more.
fn lacks(daemon: &Daemon, what: &str) -> Result<()> {
    let groups = daemon.simctl(["groups"])?.ended_with(&[0, 1])?;
    let summary = &groups.lines_of("summary")?[0];
    ensure!(
        summary["complete"] == false && summary["pending"][what] == 1,
        "{what}: {summary}"
    );
    Ok(())
}

fn state(daemon: &Daemon) -> Result<String> {
    let roots = daemon.simctl(["roots"])?.success()?.lines_of("root")?;
    Ok(roots[0]["state"].as_str().unwrap_or_default().to_owned())
}

/// A daemon whose share lost so much that the loss is held.
fn loss_held(sandbox: &Sandbox) -> Result<Daemon> {
    let share = sandbox.share();
    let name = |number: usize| format!("d{}/f{number}.txt", number % 9);
    for number in 0..FILES {
        sandbox.write(name(number), format!("short {number}"))?;
    }
    write_some(sandbox)?;
    let serve = sandbox.serve().roots([(share, "poll")]).config(CONFIG);
    let daemon = serve.start()?;
    agree(&daemon, &[share])?;
    for number in 0..LOST {
        fs::remove_file(share.join(name(number)))?;
    }
    refused(&daemon, share, "confirm-loss")?;
    ensure!(state(&daemon)? == "loss-held");
    Ok(daemon)
}

/// A report that is made now is not complete, and says so in its manifest, on its page, and to who asked for it.
fn report_lacks(sandbox: &Sandbox, daemon: &Daemon, what: &str, said: &str) -> Result<()> {
    let out = sandbox.beside(format!("without-{what}"));
    let asked = ["report".as_ref(), "--out".as_ref(), out.as_os_str()];
    let answer = daemon.simctl_in_words(asked)?.success()?;
    let mut lines = answer.stderr.lines();
    let told = lines.find_map(|line| line.strip_prefix("simctl: the index is not complete: "));
    let told = told.with_context(|| answer.stderr.clone())?;
    ensure!(
        told.contains(said) && told.contains("`simctl roots` names the roots"),
        "{told}"
    );
    let manifest: Value = serde_json::from_slice(&fs::read(out.join("manifest.json"))?)?;
    ensure!(
        manifest["complete"] == false && manifest["pending"][what] == 1,
        "{manifest}"
    );
    let page = fs::read_to_string(out.join("report.html"))?;
    let banner = "<p class=\"warning\"><b>This report is not complete.</b> When it was made: ";
    let (_, banner) = page.split_once(banner).context("the page has no banner")?;
    let banner = banner.lines().next().unwrap_or_default();
    ensure!(banner.contains(said), "{banner}");
    let verified = Run::of(simdexd()?).args(["verify".as_ref(), out.as_os_str()]);
    verified.wait()?.success()?;
    Ok(())
}

#[test]
fn a_report_made_while_a_loss_is_held_says_that_it_is_not_complete() -> Result<()> {
    let sandbox = Sandbox::new()?;
    let daemon = loss_held(&sandbox)?;
    report_lacks(&sandbox, &daemon, "held_losses", "1 loss held")
}

#[test]
fn a_report_made_while_a_root_is_stale_says_that_it_is_not_complete() -> Result<()> {
    let sandbox = Sandbox::new()?;
    let share = sandbox.share();
    write_some(&sandbox)?;
    let serve = sandbox.serve().roots([(share, "poll")]).config(CONFIG);
    let daemon = serve.start()?;
    daemon.sync()?;
    fs::rename(share, sandbox.beside("away"))?;
    refused(&daemon, share, "stale")?;
    report_lacks(&sandbox, &daemon, "stale_roots", "1 root stale")
}

/// Ctrl-D at the beginning of a line: the end of what is typed.
const END: &str = "\x04";

#[test]
fn a_loss_is_confirmed_on_a_terminal_by_a_yes_and_by_nothing_else() -> Result<()> {
    let sandbox = Sandbox::new()?;
    let daemon = loss_held(&sandbox)?;
    let root = sandbox
        .share()
        .to_str()
        .context("a path of the test's own")?;
    let question =
        format!("{root} is loss-held: {LOST} files missing: forget what is missing? [y]es, [n]o");
    let confirm = |typed| {
        let answer = daemon.simctl_on_terminal(["roots", "confirm-loss", root], typed)?;
        ensure!(answer.stderr.contains(&question), "{}", answer.stderr);
        Ok(answer)
    };
    for no in ["no\n", "\n", "yesterday\n", END] {
        let answer = confirm(no)?.ended_with(&[2])?;
        let said = answer.stderr;
        ensure!(
            said.contains("nothing was removed") && said.contains("--token"),
            "{said}"
        );
        ensure!(state(&daemon)? == "loss-held" && Listed::by_daemon(&daemon)?.len() == FILES + 4);
    }
    let answer = confirm("yes\n")?.success()?;
    let removed = format!("removed {LOST} files of {root}");
    ensure!(answer.stderr.contains(&removed), "{}", answer.stderr);
    ensure!(Listed::by_daemon(&daemon)?.len() == FILES + 4 - LOST);
    Ok(())
}

#[test]
fn a_great_loss_in_poll_mode_is_held_until_it_is_confirmed() -> Result<()> {
    let sandbox = Sandbox::new()?;
    let share = sandbox.share();
    let daemon = loss_held(&sandbox)?;
    lacks(&daemon, "held_losses")?;
    ensure!(
        Listed::by_daemon(&daemon)?.len() == FILES + 4,
        "something was deleted"
    );

    let daemon = daemon.restart()?;
    refused(&daemon, share, "confirm-loss")?;
    ensure!(
        Listed::by_daemon(&daemon)?.len() == FILES + 4,
        "a restart deleted something"
    );
    // What is not lost is answered for all the same.
    sandbox.write(
        "new.txt",
        "a file that came while the loss was held, and is long enough",
    )?;
    refused(&daemon, share, "confirm-loss")?;
    ensure!(
        Listed::by_daemon(&daemon)?.len() == FILES + 5,
        "a new file was not seen"
    );

    let root = share.to_str().context("the share has no UTF-8 name")?;
    unseen_is_refused(&daemon, root)?;
    let confirmed = daemon.confirm_shown_loss(root)?.lines()?;
    ensure!(confirmed[0]["removed"] == LOST, "{confirmed:?}");
    let answers = agree(&daemon, &[share])?;
    ensure!(answers.count("file") == FILES + 5 - LOST && state(&daemon)? == "watching");
    Ok(())
}

#[test]
fn a_great_loss_that_events_tell_of_is_believed() -> Result<()> {
    let sandbox = Sandbox::new()?;
    let share = sandbox.share();
    for number in 0..FILES {
        sandbox.write(
            format!("d{}/f{number}.txt", number % 9),
            format!("short {number}"),
        )?;
    }
    write_some(&sandbox)?;
    let daemon = sandbox
        .serve()
        .roots([(share, "native")])
        .config(CONFIG)
        .start()?;
    agree(&daemon, &[share])?;
    // One event each: all of them come before the loss is judged.
    for directory in 0..9 {
        let name = format!("d{directory}");
        fs::rename(share.join(&name), sandbox.beside(&name))?;
    }
    let answers = agree(&daemon, &[share])?;
    ensure!(answers.count("file") == 4);
    Ok(())
}

#[test]
fn a_root_that_vanishes_goes_stale_and_comes_back() -> Result<()> {
    for mode in ["native", "poll"] {
        let sandbox = Sandbox::new()?;
        let (share, away) = (sandbox.share(), sandbox.beside("away"));
        write_some(&sandbox)?;
        let daemon = sandbox
            .serve()
            .roots([(share, mode)])
            .config(CONFIG)
            .start()?;
        let before = agree(&daemon, &[share])?;

        fs::rename(share, &away)?;
        refused(&daemon, share, "stale")?;
        ensure!(state(&daemon)? == "stale" && Listed::by_daemon(&daemon)?.len() == 4);
        lacks(&daemon, "stale_roots")?;
        let kept = "the files of a root keep their last state";
        ensure!(daemon.log()?.contains(kept), "{mode}: nothing is logged");

        // What an unmounted share leaves behind: an empty directory in its place.
        fs::create_dir(share)?;
        refused(&daemon, share, "confirm-loss")?;
        ensure!(
            Listed::by_daemon(&daemon)?.len() == 4,
            "{mode}: an unmounted share lost its files"
        );
        fs::remove_dir(share)?;

        fs::rename(&away, share)?;
        let after = agree(&daemon, &[share])?;
        ensure!(after == before && daemon.state_once_walked()? == "watching");
        ensure!(daemon.log()?.contains("a root is usable again"));
        sandbox.write(
            "late.txt",
            "watched again after the root came back, long enough",
        )?;
        fs::remove_file(share.join("a.txt"))?;
        agree(&daemon, &[share])?;
    }
    Ok(())
}
