//! 2,000 files created, edited, copied, renamed and removed at random under a watched root: what the
//! daemon says equals what a fresh scan says, ids apart, at several moments.

use std::thread;
use std::time::Duration;

use anyhow::{Result, ensure};
use simdex_tests::fault::answers::{Listed, agree};
use simdex_tests::fault::ledger::Ledger;
use simdex_tests::fault::tree::Tree;
use simdex_tests::sandbox::{Daemon, Sandbox};

/// Files created in all, copies with them.
const FILES: usize = 2_000;
/// How often daemon and scan are compared while they are.
const MOMENTS: usize = 3;
/// Quick rescans; a small buffer, so that merges are part of it.
const CONFIG: &str =
    "[watch]\ndebounce_ms = 100\npoll_seconds = 1\n[store]\nbuffer_postings = 30000\n";

#[test]
fn a_natively_watched_root_under_churn_equals_a_fresh_scan() {
    churn("native", 1).unwrap();
}

#[test]
fn a_polled_root_under_churn_equals_a_fresh_scan() {
    churn("poll", 2).unwrap();
}

fn churn(mode: &'static str, seed: u64) -> Result<()> {
    let sandbox = Sandbox::new()?;
    let share = sandbox.share();
    let daemon = sandbox
        .serve()
        .roots([(share, mode)])
        .config(CONFIG)
        .start()?;
    let mut tree = Tree::new(share, seed)?;
    for moment in 1..=MOMENTS {
        while tree.created() < FILES * moment / MOMENTS {
            tree.step()?;
            // Bursts and pauses, so that hints, looks and changes meet in every order.
            if tree.random().chance(0.1) {
                thread::sleep(Duration::from_millis(tree.random().below(40)));
            }
        }
        let answers = agree(&daemon, &[share])?;
        ensure!(
            answers.count("file") == tree.files().len(),
            "files are missing on both sides"
        );
        let [files, pairs, groups] = ["file", "pair", "group"].map(|kind| answers.count(kind));
        eprintln!(
            "{mode}: {} created, {files} files, {pairs} pairs, {groups} groups",
            tree.created()
        );
        ensure!(
            pairs > 100 && groups > 20,
            "this churn makes too few near-duplicates"
        );
    }
    unasked(&daemon, &mut tree)?;
    let daemon = daemon.restart()?;
    agree(&daemon, &[share])?;
    Ok(())
}

/// Nobody asks for a sync: events or polls alone bring the listing up to date.
fn unasked(daemon: &Daemon, tree: &mut Tree) -> Result<()> {
    let mut ledger = Ledger::default();
    for _ in 0..200 {
        tree.step()?;
    }
    ledger.ask(tree);
    ledger.acknowledge(tree);
    let faults = || Ok::<_, anyhow::Error>(ledger.faults(tree.root(), &Listed::by_daemon(daemon)?));
    for _ in 0..900 {
        if faults()?.is_empty() {
            return Ok(());
        }
        thread::sleep(Duration::from_millis(200));
    }
    anyhow::bail!(
        "without a sync the listing stays behind: {}",
        faults()?.join("\n")
    )
}
