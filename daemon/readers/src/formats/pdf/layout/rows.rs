//! Which runs of characters are on one line.

use super::run::Run;

/// Runs by line, from the top down, each line from left to right.
pub(super) fn rows(mut runs: Vec<Run>) -> Vec<Vec<Run>> {
    runs.sort_by(|a, b| b.base.total_cmp(&a.base));
    let mut rows: Vec<Vec<Run>> = Vec::new();
    // The tallest run of the last row represents its line.
    let mut tallest: Option<Run> = None;
    for run in runs {
        match (&mut tallest, rows.last_mut()) {
            (Some(line), Some(row)) if line.beside(&run) => {
                if run.size > line.size {
                    *line = run.clone();
                }
                row.push(run);
            }
            _ => {
                tallest = Some(run.clone());
                rows.push(vec![run]);
            }
        }
    }
    for row in &mut rows {
        row.sort_by(|a, b| a.left.total_cmp(&b.left));
        row.dedup_by(|next, kept| {
            if next.covers(kept) {
                std::mem::swap(next, kept);
                return true;
            }
            next.repeats(kept) || kept.covers(next)
        });
    }
    rows
}
