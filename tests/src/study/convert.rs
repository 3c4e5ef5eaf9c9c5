//! Conversions by other programs, in folders of their own and limited in time.

use std::fs;
use std::os::unix::fs::symlink;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use rustix::process::{Pid, Signal, kill_process_group};
use tempfile::TempDir;

use super::reference::is_installed;

/// What LibreOffice may take to start, and then for each file.
const START: Duration = Duration::from_secs(90);
const EACH: Duration = Duration::from_secs(10);
/// What pandoc may take for a file.
const PANDOC: Duration = Duration::from_secs(60);
/// Files that may hang LibreOffice before it is asked no more.
const HANGS: usize = 3;

/// LibreOffice without a screen, with a profile of its own.
pub(super) struct LibreOffice {
    profile: TempDir,
}

impl LibreOffice {
    /// None where it is not installed.
    pub(super) fn new() -> Result<Option<Self>> {
        if !is_installed("soffice") {
            return Ok(None);
        }
        let profile = tempfile::Builder::new()
            .prefix("simdex-office-")
            .tempdir()?;
        Ok(Some(Self { profile }))
    }

    /// Converts files of distinct stems into `folder`, many by one process. A file it refuses
    /// leaves nothing there; one that hangs it is passed over.
    pub(super) fn convert(&self, files: &[PathBuf], to: &str, folder: &Path) -> Result<()> {
        let end = to.split(':').next().unwrap_or(to);
        let mut open: Vec<&PathBuf> = files.iter().collect();
        for _ in 0..HANGS {
            if open.is_empty() {
                break;
            }
            let profile = format!(
                "-env:UserInstallation=file://{}",
                self.profile.path().display()
            );
            let mut command = Command::new("soffice");
            command
                .arg(profile)
                .args(["--headless", "--norestore", "--convert-to", to]);
            // Without it pages are read by the editor of web pages, which writes fewer kinds.
            if open[0].extension().is_some_and(|name| name == "html") {
                command.arg("--infilter=HTML (StarWriter)");
            }
            command.arg("--outdir").arg(folder).args(&open);
            if ended(command, START + EACH * open.len() as u32)? {
                break;
            }
            open.retain(|file| !converted(file, end, folder).exists());
            // Files are converted in their order, so the first without a result was the one.
            open.drain(..open.len().min(1));
        }
        Ok(())
    }
}

/// Where the conversion of a file lies.
pub(super) fn converted(file: &Path, end: &str, folder: &Path) -> PathBuf {
    let stem = file.file_stem().unwrap_or_default();
    folder.join(stem).with_extension(end)
}

/// One file by pandoc, with options; false where it fails.
pub(super) fn pandoc(file: &Path, options: &[&str], to: &Path) -> Result<bool> {
    let mut command = Command::new("pandoc");
    command.args(options).arg("--output").arg(to).arg(file);
    Ok(ended(command, PANDOC)? && to.exists())
}

/// Which of these files LibreOffice opens: those it can save as PDF. None where it is not
/// installed.
pub(super) fn opened_by_libreoffice(files: &[PathBuf]) -> Result<Option<Vec<PathBuf>>> {
    let Some(office) = LibreOffice::new()? else {
        return Ok(None);
    };
    let folder = tempfile::Builder::new()
        .prefix("simdex-opened-")
        .tempdir()?;
    let mut links = Vec::new();
    for (at, file) in files.iter().enumerate() {
        let end = file.extension().unwrap_or_default();
        let link = folder.path().join(at.to_string()).with_extension(end);
        symlink(file, &link)?;
        links.push(link);
    }
    let results = folder.path().join("results");
    fs::create_dir(&results)?;
    office.convert(&links, "pdf", &results)?;
    let opened = files.iter().zip(&links);
    let opened = opened.filter(|(_, link)| converted(link, "pdf", &results).exists());
    Ok(Some(opened.map(|(file, _)| file.clone()).collect()))
}

/// Runs a program that says nothing; false where it fails or takes too long. Programs it started
/// end with it.
fn ended(mut command: Command, limit: Duration) -> Result<bool> {
    let name = command.get_program().to_string_lossy().into_owned();
    let silent = command
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    let mut child = silent.process_group(0).spawn().context(name)?;
    let deadline = Instant::now() + limit;
    while Instant::now() < deadline {
        if let Some(status) = child.try_wait()? {
            return Ok(status.success());
        }
        thread::sleep(Duration::from_millis(50));
    }
    if let Some(group) = Pid::from_raw(child.id().cast_signed()) {
        // It may have ended just now.
        let _ = kill_process_group(group, Signal::KILL);
    }
    child.wait()?;
    Ok(false)
}
