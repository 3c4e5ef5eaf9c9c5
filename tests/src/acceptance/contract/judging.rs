//! Lines about labels and models: pairs labelled by hand, evaluated, learned from.

use anyhow::Result;
use serde_json::Value;

use super::SeenLines;
use crate::labelled::collection::{self, FAMILIES};
use crate::sandbox::Sandbox;

/// Labels a collection and checks every line that is printed on the way.
pub(super) fn run(seen: &mut SeenLines) -> Result<()> {
    let sandbox = Sandbox::new()?;
    collection::write(&sandbox)?;
    let daemon = sandbox.serve().start()?;
    daemon.sync()?;
    let labels = |name: &str| sandbox.beside(name).display().to_string();
    let label = |file: &str, typed: String| {
        let asked = [
            "judge",
            "label",
            "--labels",
            file,
            "--rater",
            "ada",
            "--threshold",
            "0.3",
        ];
        daemon.simctl_reading(typed, asked)?.ended_with(&[0])
    };
    let skipped = label(&labels("skipped"), "n\n".repeat(4 * FAMILIES as usize))?;
    let verdict = |line: &Value| match line["a"].as_str() {
        Some(path) if path.contains("contract") => "v\n",
        _ => "t\n",
    };
    let typed = skipped.lines_of("label")?.iter().map(verdict).collect();
    seen.lines(&skipped)?;
    let file = labels("labels");
    seen.lines(&label(&file, typed)?)?;
    let contract = sandbox
        .share()
        .join("contract-1-1.txt")
        .display()
        .to_string();
    for asked in [
        &["judge", "evaluate", "--labels", &file][..],
        &["judge", "train", "--labels", &file],
        &["find-similar", "--judge", "on", &contract],
        &["pairs", "--judge", "on"],
        &["groups", "--judge", "on"],
        &["judge", "train", "--reset"],
    ] {
        seen.lines(&daemon.simctl(asked)?.ended_with(&[0])?)?;
    }
    Ok(())
}
