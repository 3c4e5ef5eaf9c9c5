//! Sixteen documents in four formats each: the copies of one rank before everything else.

use std::collections::BTreeMap;
use std::path::Path;

use anyhow::{Result, ensure};

use super::documents::files_below;
use crate::figure::Figures;
use crate::jsonl::{number, text};
use crate::sandbox::{Daemon, Sandbox};

pub(super) fn run(corpora: &Path, figures: &mut Figures<'_>) -> Result<()> {
    let folder = corpora.join("crossformat");
    let sandbox = Sandbox::new()?;
    let daemon = sandbox.serve().roots([(folder.clone(), "poll")]).start()?;
    daemon.sync()?;
    let mut ranked: BTreeMap<String, [usize; 2]> = BTreeMap::new();
    let (mut wrong, mut least) = (Vec::new(), 1.0f64);
    for file in files_below(&folder)? {
        let (copies, resemblance) = copies_found_first(&daemon, &file)?;
        least = least.min(resemblance);
        let [right, all] = ranked.entry(extension(&file)).or_default();
        *all += 1;
        if copies == 3 {
            *right += 1;
        } else {
            wrong.push(file);
        }
    }
    for (format, [right, all]) in &ranked {
        let name = format!("{format}: copies are the first three answers");
        figures.against(&name, *right as f64, "queries", &format!("of {all}"))?;
    }
    figures.put("least resemblance of a third answer", least, "")?;
    ensure!(
        ranked.values().map(|[_, all]| all).sum::<usize>() > 0,
        "there are no files"
    );
    ensure!(
        wrong.is_empty(),
        "another document ranks before a copy of {wrong:?}"
    );
    Ok(())
}

/// How many of the first three answers are copies of the file, and the third's resemblance.
fn copies_found_first(daemon: &Daemon, file: &Path) -> Result<(usize, f64)> {
    let answer = daemon.simctl(["find-similar".as_ref(), file.as_os_str()])?;
    let matches = answer.ended_with(&[0, 1])?.lines_of("match")?;
    let mut copies = 0;
    for found in matches.iter().take(3) {
        ensure!(found["verified"] == true, "not verified: {found}");
        copies += usize::from(Path::new(text(found, "path")?).file_stem() == file.file_stem());
    }
    let third = matches
        .get(2)
        .map(|found| number(found, "resemblance"))
        .transpose()?;
    Ok((copies, third.unwrap_or(0.0)))
}

fn extension(file: &Path) -> String {
    file.extension()
        .unwrap_or_default()
        .to_string_lossy()
        .into_owned()
}
