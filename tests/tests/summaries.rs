//! What the summary of an answer counts.

use anyhow::{Result, ensure};
use simdex_tests::sandbox::Sandbox;

/// Candidates of one query that are verified at most.
const VERIFIED: usize = 4_096;

#[test]
fn an_answer_is_truncated_once_there_are_more_candidates_than_are_verified() -> Result<()> {
    let sandbox = Sandbox::new()?;
    let text = |number: usize| {
        let own: Vec<String> = (0..9)
            .map(|at| format!("{}", number * 7_919 + at * 104_729))
            .collect();
        format!("a beginning that all of them share {}", own.join(" "))
    };
    let first = sandbox.write("0.txt", text(0))?;
    for number in 1..VERIFIED + 40 {
        sandbox.write(format!("{number}.txt"), text(number))?;
    }
    let daemon = sandbox.serve().start()?;
    daemon.sync()?;
    let first = first.to_string_lossy().into_owned();
    let asked = [
        "find-similar",
        &first,
        "--threshold",
        "0",
        "--limit",
        "10000",
    ];
    let answer = daemon.simctl(asked)?.success()?;
    let query = answer.lines_of("query")?.remove(0);
    let count = |field: &str| query[field].as_u64().unwrap_or_default();
    ensure!(count("unverified") > 0, "{query}");
    ensure!(query["truncated"] == true, "{query}");
    ensure!(count("suppressed") == count("common_lists"), "{query}");
    ensure!(answer.stderr.contains("not verified"), "{}", answer.stderr);
    Ok(())
}
