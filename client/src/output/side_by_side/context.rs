//! Leaves out equal lines that would take too much of the screen: where lines are whole paragraphs, even a few do.

use super::parts::Part;

/// Lines of the screen that equal lines take at most before a change, and after it.
const MAX_ROWS: usize = 6;

/// The parts with those equal lines alone that stand next to a change and fit there; `height` is how many lines of the
/// screen a line takes.
pub(super) fn shortened<'t>(
    parts: impl Iterator<Item = Part<'t>>,
    height: impl Fn(&str) -> usize,
) -> impl Iterator<Item = Part<'t>> {
    let mut parts = parts.peekable();
    let mut is_after_change = false;
    let blocks = std::iter::from_fn(move || {
        let first = parts.next()?;
        let mut block = vec![first];
        if !is_equal(&first) {
            is_after_change = true;
            return Some(block);
        }
        while let Some(part) = parts.next_if(is_equal) {
            block.push(part);
        }
        let is_last = parts.peek().is_none_or(|next| *next == Part::End);
        let head = if is_after_change {
            fitting(block.iter(), &height)
        } else {
            0
        };
        if is_last {
            // How many lines follow is not known: the difference holds only the first of them.
            block.truncate(head);
            return Some(block);
        }
        let tail = fitting(block[head..].iter().rev(), &height);
        Some(without_middle(&block, head, tail))
    });
    blocks.flatten()
}

fn is_equal(part: &Part<'_>) -> bool {
    match part {
        Part::Lines(left, right) => left == right,
        Part::LeftOut(_) => true,
        Part::End | Part::Unknown(_) => false,
    }
}

/// The number of lines that fit, from the first one on.
fn fitting<'p, 't: 'p>(
    parts: impl Iterator<Item = &'p Part<'t>>,
    height: impl Fn(&str) -> usize,
) -> usize {
    let mut rows = 0;
    let lines = parts.map_while(|part| match part {
        Part::Lines(Some(line), _) => Some(height(line)),
        _ => None,
    });
    lines
        .take_while(|height| {
            rows += height;
            rows <= MAX_ROWS
        })
        .count()
}

/// The first and last parts, and between them the number of lines that are left out.
fn without_middle<'t>(block: &[Part<'t>], head: usize, tail: usize) -> Vec<Part<'t>> {
    let (head, rest) = block.split_at(head);
    let (middle, tail) = rest.split_at(rest.len() - tail);
    let left_out = middle.iter().map(|part| match part {
        Part::LeftOut(count) => *count,
        _ => 1,
    });
    let left_out = Some(left_out.sum()).filter(|count| *count > 0);
    let left_out = left_out.map(Part::LeftOut);
    [head, left_out.as_slice(), tail].concat()
}
