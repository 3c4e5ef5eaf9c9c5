//! Trials of extracted texts: bound to their contents, restored from elsewhere, verified.

use std::collections::HashMap;
use std::fs;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use anyhow::{Context, Result, ensure};

use crate::acceptance::{Verdict, files_below};
use crate::corpus::{Prose, Random};
use crate::fault::answers::Listed;
use crate::fault::ledger::document_of;
use crate::sandbox::{Run, Sandbox, simdexd};

/// Files that are rewritten, and rounds of questions meanwhile.
const FILES: usize = 8;
const ROUNDS: usize = 12;

/// Whatever is read of a file that changes meanwhile: a content carries its own document.
pub(super) fn toggled() -> Result<Verdict> {
    let sandbox = Sandbox::new()?;
    let prose = Prose { seed: 3 };
    // Long enough that reading takes a while; of one length, so that a rewrite is in place.
    let text = |seed| {
        let text = prose.text(seed, 0).repeat(40);
        text.chars().cycle().take(300_000).collect::<String>()
    };
    let texts: Vec<Vec<u8>> = (0..6).map(|seed| text(seed).into_bytes()).collect();
    let carried = |bytes: &Vec<u8>| {
        let content = blake3::hash(bytes).to_hex().to_string();
        document_of(bytes).map(|document| (content, document))
    };
    let documents: HashMap<String, String> = texts.iter().filter_map(carried).collect();
    let path = |at: usize| sandbox.share().join(format!("{at}.txt"));
    (0..FILES).try_for_each(|at| fs::write(path(at), &texts[at % texts.len()]))?;
    let daemon = sandbox
        .serve()
        .config("[watch]\ndebounce_ms = 1\n")
        .start()?;
    let over = AtomicBool::new(false);
    let checked = thread::scope(|scope| {
        let rewriter = scope.spawn(|| rewrite(&over, &texts, path));
        let checked = (0..ROUNDS).try_fold(0, |checked, _| -> Result<usize> {
            // A file that changes while it is read may hold up a sync; that is no matter here.
            daemon.simctl(["sync"])?;
            Ok(checked + consistent(&Listed::by_daemon(&daemon)?, &documents)?)
        });
        over.store(true, Ordering::Relaxed);
        let rewritten = rewriter.join();
        rewritten.map_err(|_| anyhow::anyhow!("the rewriter panicked"))??;
        checked
    })?;
    daemon.sync()?;
    let last = consistent(&Listed::by_daemon(&daemon)?, &documents)?;
    ensure!(last == FILES, "{last} of {FILES} files in the end");
    ensure!(checked > 0, "no file was ever read whole");
    Ok(Verdict::Holds)
}

/// Overwrites files in place, as a program that saves does.
fn rewrite(
    over: &AtomicBool,
    texts: &[Vec<u8>],
    path: impl Fn(usize) -> std::path::PathBuf,
) -> Result<()> {
    use std::os::unix::fs::FileExt;
    let mut random = Random::new(1, 1);
    while !over.load(Ordering::Relaxed) {
        let (at, text) = (random.below(FILES as u64), random.below(texts.len() as u64));
        let file = fs::File::options().write(true).open(path(at as usize))?;
        file.write_all_at(&texts[text as usize], 0)?;
        thread::sleep(std::time::Duration::from_millis(random.below(12)));
    }
    Ok(())
}

/// Files whose content is one of those; each must carry the document of its content.
fn consistent(listed: &[Listed], documents: &HashMap<String, String>) -> Result<usize> {
    let mut known = 0;
    for file in listed {
        let document = file.content.as_ref().and_then(|c| documents.get(c));
        let (Some(expected), Some(found)) = (document, &file.document) else {
            continue;
        };
        ensure!(
            expected == found,
            "{} has the text of another content",
            file.path.display()
        );
        known += 1;
    }
    Ok(known)
}

fn serve_and_stop(sandbox: &Sandbox) -> Result<()> {
    let daemon = sandbox.serve().start()?;
    daemon.sync()?;
    ensure!(daemon.stop()?.success(), "the daemon ended badly");
    Ok(())
}

fn copy(from: &Path, to: &Path) -> Result<()> {
    fs::create_dir(to)?;
    for file in files_below(from)? {
        let name = file.file_name().context("a file without a name")?;
        fs::copy(&file, to.join(name))?;
    }
    Ok(())
}

/// Texts of the same lengths, from before: what is compared is never an older text.
pub(super) fn restored() -> Result<Verdict> {
    let sandbox = Sandbox::new()?;
    let text = |word: &str, at: usize| format!("{word} clause {at} of a contract; ").repeat(30);
    for at in 0..6 {
        sandbox.write(format!("{at}.txt"), text("older", at))?;
    }
    serve_and_stop(&sandbox)?;
    let (texts, kept) = (sandbox.data_dir().join("text"), sandbox.beside("kept"));
    copy(&texts, &kept)?;
    fs::remove_dir_all(sandbox.data_dir())?;
    for at in 0..6 {
        sandbox.write(format!("{at}.txt"), text("newer", at))?;
    }
    serve_and_stop(&sandbox)?;
    fs::remove_dir_all(&texts)?;
    copy(&kept, &texts)?;
    let verified = Run::of(simdexd()?)
        .args(["verify"])
        .args([sandbox.data_dir()])
        .wait()?;
    ensure!(verified.code()? != 0, "verify says: {}", verified.stderr);
    let daemon = sandbox.serve().start()?;
    for at in 1..6 {
        let (a, b) = (
            sandbox.share().join("0.txt"),
            sandbox.share().join(format!("{at}.txt")),
        );
        let compared = daemon.simctl(["compare".as_ref(), a.as_os_str(), b.as_os_str()])?;
        let said = String::from_utf8_lossy(&compared.stdout);
        ensure!(!said.contains("older"), "an older text is served: {said}");
    }
    daemon.sync()?;
    let found = daemon.simctl_reading(text("older", 0), ["containing", "-"])?;
    let found = found.ended_with(&[0, 1])?.lines_of("match")?;
    ensure!(found.is_empty(), "an older text is found: {found:?}");
    Ok(Verdict::Holds)
}

/// Everything is read, nothing is written.
pub(super) fn verified() -> Result<Verdict> {
    let sandbox = Sandbox::new()?;
    for at in 0..5 {
        let text = format!("part {at} of a longer work; ").repeat(20);
        sandbox.write(format!("{at}.txt"), text)?;
    }
    serve_and_stop(&sandbox)?;
    let data = sandbox.data_dir();
    let verify = || Run::of(simdexd()?).args(["verify"]).args([&data]).wait();
    let before = stand(&data)?;
    verify()?.success()?;
    ensure!(stand(&data)? == before, "verify changed what it verifies");
    let texts = data.join("text");
    for file in files_below(&texts)? {
        fs::remove_file(file)?;
    }
    let before = stand(&data)?;
    let verified = verify()?;
    ensure!(verified.code()? != 0, "whole without texts");
    ensure!(stand(&data)? == before, "verify changed what it verifies");
    Ok(Verdict::Holds)
}

/// Every file below with its bytes and the time of its last change.
fn stand(folder: &Path) -> Result<Vec<(std::path::PathBuf, Vec<u8>, std::time::SystemTime)>> {
    let mut files = files_below(folder)?;
    files.sort();
    let one = |path: std::path::PathBuf| {
        let (bytes, changed) = (fs::read(&path)?, path.metadata()?.modified()?);
        Ok((path, bytes, changed))
    };
    files.into_iter().map(one).collect()
}
