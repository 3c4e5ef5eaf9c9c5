//! Joins runs of characters to pieces of lines, which have no wide gap inside.

use super::rows::rows;
use super::run::Run;
use crate::formats::script::Script;

/// Minimum number of spaced letters that are taken for a letter-spaced word.
const MIN_SPREAD: usize = 4;
/// Maximum gap between them, and how much one gap may differ from another, in font sizes.
const MAX_SPREAD: f64 = 0.6;
const SPREAD_UNEVEN: f64 = 0.08;
/// Minimum gap between two letter-spaced words, relative to the gaps between letters.
const SPREAD_GAP: f64 = 1.6;
/// Maximum size of raised and lowered characters, and minimum distance of their baseline above and below that of the
/// line, in font sizes of the line.
const SCRIPT_SIZE: f64 = 0.85;
const RAISED: f64 = 0.15;
const LOWERED: f64 = 0.08;

/// The runs of a row, joined if no gap above `widest` font sizes separates them; the row goes from left to right.
pub(super) fn pieces(row: Vec<Run>, widest: f64) -> Vec<Run> {
    let mut pieces = Vec::new();
    for group in parted(row, widest) {
        // A taller line of the next column may have merged two lines of this one.
        match rows(group) {
            rows if rows.len() > 1 => {
                let groups = rows.into_iter().flat_map(|row| parted(row, widest));
                pieces.extend(groups.filter_map(joined));
            }
            rows => pieces.extend(rows.into_iter().filter_map(joined)),
        }
    }
    pieces
}

fn parted(row: Vec<Run>, widest: f64) -> Vec<Vec<Run>> {
    let mut groups: Vec<Vec<Run>> = Vec::new();
    // The right end of the last group, and its height.
    let mut end = (f64::NEG_INFINITY, 0.0_f64);
    for run in row {
        let gap = run.left - end.0;
        match groups.last_mut() {
            Some(group) if gap <= widest * end.1.max(run.size) => {
                end = (end.0.max(run.right), end.1.max(run.size));
                group.push(run);
            }
            _ => {
                end = (run.right, run.size);
                groups.push(vec![run]);
            }
        }
    }
    groups
}

/// Joins adjacent runs.
fn joined(mut runs: Vec<Run>) -> Option<Run> {
    let leftward = is_leftward_text(&runs);
    if leftward {
        runs.iter_mut().for_each(Run::turn_ends);
    }
    turn(&mut runs);
    let spread = spread(&runs);
    let mut runs = runs.into_iter().zip(spread);
    let (mut piece, _) = runs.next()?;
    let mut last = piece.clone();
    // The last run that is neither raised nor lowered.
    let mut line = piece.clone();
    for (mut run, is_spread) in runs {
        // Reordered text continues from the previous run, and not from the end of the piece.
        let is_turned = last.leftward || run.leftward;
        let before = if is_turned { &last } else { &piece };
        let parts = !is_spread && before.parts_word(&run);
        match script(&run, &line).filter(|_| !parts && !is_turned) {
            Some(script) => run.text = script.of(&run.text).into_owned(),
            None => line = run.clone(),
        }
        piece.join(&run, parts);
        last = run;
    }
    piece.leftward = leftward;
    Some(piece)
}

/// Whether a run right behind a line stands above or below it.
fn script(run: &Run, line: &Run) -> Option<Script> {
    let shift = (run.base - line.base) / line.size;
    if run.size > SCRIPT_SIZE * line.size {
        return None;
    }
    let raised = (shift >= RAISED).then_some(Script::Raised);
    raised.or((shift <= -LOWERED).then_some(Script::Lowered))
}

/// Whether a run continues the word of the previous one although there is a gap: headings may be letter-spaced.
fn spread(runs: &[Run]) -> Vec<bool> {
    let goes_on =
        |a: &Run, b: &Run| a.letter().is_some() && b.letter().is_some() && a.parts_word(b);
    let phrases = runs.chunk_by(goes_on);
    phrases.flat_map(spread_of).collect()
}

/// Which letters of a row of single ones continue the word of the previous one. All are equally spaced except between
/// words, and not in alphabetical order.
fn spread_of(letters: &[Run]) -> Vec<bool> {
    let mut spread = vec![false; letters.len()];
    let gaps: Vec<f64> = letters
        .windows(2)
        .map(|pair| pair[1].left - pair[0].right)
        .collect();
    let Some(usual) = median(&gaps).filter(|_| letters.len() >= MIN_SPREAD) else {
        return spread;
    };
    let size = letters[0].size;
    let is_even = |gap: f64| (gap - usual).abs() <= SPREAD_UNEVEN * size;
    let is_word = |gap: f64| is_even(gap) || gap > SPREAD_GAP * usual;
    let is_chart = is_chart(letters) || usual > MAX_SPREAD * size;
    if !is_chart && gaps.iter().all(|gap| is_word(*gap)) {
        for (spread, gap) in spread[1..].iter_mut().zip(gaps) {
            *spread = is_even(gap);
        }
    }
    spread
}

/// Whether letters are those of a chart: in the order of their codes, or with their middles equally spaced although
/// their widths differ.
fn is_chart(letters: &[Run]) -> bool {
    let rises = |a: &Run, b: &Run| a.letter() < b.letter();
    let is_ordered = |rises: &dyn Fn(&Run, &Run) -> bool| {
        letters.windows(2).all(|pair| rises(&pair[0], &pair[1]))
    };
    let is_long = letters.len() > MIN_SPREAD;
    if is_long && (is_ordered(&rises) || is_ordered(&|a, b| rises(b, a))) {
        return true;
    }
    let range = |values: &mut dyn Iterator<Item = f64>| {
        let (min, max) = values.fold((f64::INFINITY, f64::NEG_INFINITY), |(min, max), value| {
            (min.min(value), max.max(value))
        });
        max - min
    };
    let middle = |run: &Run| (run.left + run.right) / 2.0;
    let steps = &mut letters
        .windows(2)
        .map(|pair| middle(&pair[1]) - middle(&pair[0]));
    let widths = &mut letters.iter().map(|run| run.right - run.left);
    let size = letters[0].size;
    range(widths) > SPREAD_UNEVEN * size && range(steps) <= SPREAD_UNEVEN * size
}

fn median(values: &[f64]) -> Option<f64> {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    sorted.get(values.len() / 2).copied()
}

/// Puts adjacent runs into reading order: to the left if most of their letters run that way. Runs of the other
/// direction within them keep their own order.
pub(super) fn turn(runs: &mut [Run]) {
    if is_leftward_text(runs) {
        runs.reverse();
        for rightward in runs.chunk_by_mut(|a, b| !a.leftward && !b.leftward) {
            rightward.reverse();
        }
        return;
    }
    let is_rightward = |run: &Run| !run.leftward && run.text.contains(char::is_alphanumeric);
    for phrase in runs.chunk_by_mut(|a, b| !is_rightward(a) && !is_rightward(b)) {
        let first = phrase.iter().position(|run| run.leftward);
        let last = phrase.iter().rposition(|run| run.leftward);
        if let (Some(first), Some(last)) = (first, last) {
            phrase[first..=last].reverse();
        }
    }
}

/// Whether most letters run to the left.
pub(super) fn is_leftward_text(runs: &[Run]) -> bool {
    let letters = |leftward: bool| -> usize {
        let runs = runs.iter().filter(|run| run.leftward == leftward);
        runs.flat_map(|run| run.text.chars())
            .filter(|c| c.is_alphabetic())
            .count()
    };
    letters(true) > letters(false)
}
