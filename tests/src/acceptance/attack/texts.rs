//! Trials of extracted texts: bound to their contents, restored from elsewhere, verified.

use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use anyhow::{Context, Result, anyhow, ensure};

use crate::acceptance::{Verdict, files_below};
use crate::corpus::Random;
use crate::fault::answers::Listed;
use crate::fault::ledger::document_of;
use crate::sandbox::{Run, Sandbox, simdexd};

/// Files that are rewritten, and rounds of questions meanwhile.
const FILES: usize = 8;
const ROUNDS: usize = 12;
/// Changes from one content to the other before a file gets two new ones.
const TOGGLES: usize = 6;

/// The document of every content that was written.
type Documents = Mutex<HashMap<String, String>>;

/// Whatever is read of a file that changes meanwhile: a content carries its own document.
pub(super) fn toggled() -> Result<Verdict> {
    let sandbox = Sandbox::new()?;
    let path = |at: usize| sandbox.share().join(format!("{at}.txt"));
    (0..FILES).try_for_each(|at| fs::write(path(at), text(at)))?;
    let serve = sandbox.serve().config("[watch]\ndebounce_ms = 1\n");
    let daemon = serve.start()?;
    let (over, documents) = (AtomicBool::new(false), Documents::default());
    let checked = thread::scope(|scope| {
        let rewriter = scope.spawn(|| rewrite(&over, &documents, path));
        let checked = (0..ROUNDS).try_fold(0, |checked, _| -> Result<usize> {
            // A file that changes while it is read may hold up a sync; that is no matter here.
            daemon.simctl(["sync"])?;
            Ok(checked + consistent(&Listed::by_daemon(&daemon)?, &documents)?)
        });
        over.store(true, Ordering::Relaxed);
        let rewritten = rewriter.join();
        rewritten.map_err(|_| anyhow!("the rewriter panicked"))??;
        checked
    })?;
    daemon.sync()?;
    let last = consistent(&Listed::by_daemon(&daemon)?, &documents)?;
    ensure!(last == FILES, "{last} of {FILES} files in the end");
    ensure!(checked > 0, "no file was ever read whole");
    Ok(Verdict::Holds)
}

/// Texts of one length, so that a rewrite is in place; long enough that reading takes a while.
fn text(number: usize) -> Vec<u8> {
    let mut random = Random::new(number as u64, 3);
    let letters = (0..40_000).map(|_| b'a' + random.below(26) as u8);
    letters.collect()
}

/// Overwrites files in place, as a program that saves does: each toggles between two contents that
/// nobody has read before, and ends with one of them.
fn rewrite(
    over: &AtomicBool,
    documents: &Documents,
    path: impl Fn(usize) -> PathBuf,
) -> Result<()> {
    use std::os::unix::fs::FileExt;
    let mut number = FILES;
    let mut each_is_known = 0;
    while each_is_known < FILES || !over.load(Ordering::Relaxed) {
        let file = fs::File::options().write(true).open(path(number % FILES))?;
        let contents = [text(number), text(number + 1_000_000)];
        for bytes in &contents {
            let content = blake3::hash(bytes).to_hex().to_string();
            let document = document_of(bytes).context("a text is a document")?;
            let mut known = documents.lock().map_err(|_| anyhow!("a panic"))?;
            known.insert(content, document);
        }
        for bytes in contents.iter().cycle().take(TOGGLES) {
            file.write_all_at(bytes, 0)?;
            thread::sleep(Duration::from_millis(2));
        }
        (number, each_is_known) = (number + 1, each_is_known + 1);
    }
    Ok(())
}

/// Files whose content is one of those written; each must carry the document of its content.
fn consistent(listed: &[Listed], documents: &Documents) -> Result<usize> {
    let documents = documents.lock().map_err(|_| anyhow!("a panic"))?;
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
fn stand(folder: &Path) -> Result<Vec<(PathBuf, Vec<u8>, std::time::SystemTime)>> {
    let mut files = files_below(folder)?;
    files.sort();
    let one = |path: PathBuf| {
        let (bytes, changed) = (fs::read(&path)?, path.metadata()?.modified()?);
        Ok((path, bytes, changed))
    };
    files.into_iter().map(one).collect()
}
