//! Two texts side by side by words, independent of line breaks: what changed, and what moved, with the place it
//! came from or went to.

use std::fmt::Write as _;
use std::ops::Range;

use super::{HEAD, NO_ROW, PLACES_SHOWN, Text, rest};
use crate::read_side::difference::shown::{LineStarts, beginning, ending, shortened};
use crate::read_side::difference::words::{Operation, WordDifference, WordOperationKind};

/// Approximate bytes of unchanged text shown before and after a change; changes farther apart than twice
/// this are two places.
const AROUND: usize = 90;
/// A change longer than this, in bytes, is shown without its middle.
const CHANGE_WHOLE: usize = 1_200;
/// A moved block longer than this, in bytes, is shown without its middle: it is in both texts.
const MOVED_WHOLE: usize = 300;
/// A row with a side longer than this, in bytes, ends at the next unchanged words.
const ROW: usize = 600;
/// Most bytes of HTML for one place, and for all places.
const PLACE_SHOWN: usize = 16 << 10;
const TABLE_SHOWN: usize = 128 << 10;

/// Printed above the words, and if no word differs.
const NOTE: &str = "Compared by words: line breaks, white space and case are disregarded here.";
const SAME_WORDS: &str = "No word differs but in its case, in bullets before a line or in forms of characters that are compared as one.";
const SAME_BUT_SPACE: &str = "The texts differ in line breaks and white space alone.";

/// What happens to words, in reading order.
#[derive(Clone, Copy)]
struct Item<'o> {
    operation: &'o Operation,
    /// Whether these are moved words, at the place that they left.
    is_away: bool,
}

impl Item<'_> {
    fn is_change(&self) -> bool {
        !matches!(
            self.operation.kind,
            WordOperationKind::Equal | WordOperationKind::Reformat
        )
    }
}

/// The difference by words as an HTML table; `link` leads to the whole diff.
pub(super) fn table(difference: &WordDifference<'_>, link: &str) -> String {
    let items = items(&difference.operations);
    let places: Vec<Range<usize>> = places(&items).collect();
    if places.is_empty() {
        let mut out = format!("<p class=\"soft\">{}</p>\n", without_changes(difference));
        rest(&mut out, 0, link);
        return out;
    }
    let mut table = WordTable {
        out: format!("<p class=\"soft\">{NOTE}</p>\n{HEAD}"),
        difference,
        lines: difference.texts.map(LineStarts::of),
        items: &items,
    };
    let mut shown = 0;
    for place in places.iter().take(PLACES_SHOWN) {
        if table.out.len() > TABLE_SHOWN {
            break;
        }
        table.place(place.clone());
        shown += 1;
    }
    let mut out = table.out;
    out.push_str("</table>\n");
    rest(&mut out, places.len() - shown, link);
    out
}

fn without_changes(difference: &WordDifference<'_>) -> &'static str {
    let [a, b] = difference.texts.map(str::split_whitespace);
    match a.eq(b) {
        true => SAME_BUT_SPACE,
        false => SAME_WORDS,
    }
}

/// The operations, with moved words repeated where they were in the first text.
fn items(operations: &[Operation]) -> Vec<Item<'_>> {
    let moves = operations
        .iter()
        .filter(|it| it.kind == WordOperationKind::Move);
    let mut moves: Vec<&Operation> = moves.collect();
    moves.sort_unstable_by_key(|it| it.a.start);
    let mut items = Vec::with_capacity(operations.len() + moves.len());
    let mut away = moves.into_iter().peekable();
    for operation in operations {
        let is_away = operation.kind != WordOperationKind::Move;
        while is_away && let Some(left) = away.next_if(|left| left.a.end <= operation.a.start) {
            items.push(Item {
                operation: left,
                is_away,
            });
        }
        items.push(Item {
            operation,
            is_away: false,
        });
    }
    items.extend(away.map(|operation| Item {
        operation,
        is_away: true,
    }));
    items
}

/// Changes merged with what lies between them if that is short, as ranges of items.
fn places(items: &[Item<'_>]) -> impl Iterator<Item = Range<usize>> {
    let mut next = 0;
    std::iter::from_fn(move || {
        let first = next + items.get(next..)?.iter().position(Item::is_change)?;
        let mut unchanged = 0;
        next = first + 1;
        for (at, item) in items.iter().enumerate().skip(next) {
            if item.is_change() {
                (next, unchanged) = (at + 1, 0);
            } else {
                unchanged += item.operation.b.len();
            }
            if unchanged > 2 * AROUND {
                break;
            }
        }
        Some(first..next)
    })
}

/// The table being written.
struct WordTable<'v> {
    out: String,
    difference: &'v WordDifference<'v>,
    lines: [LineStarts; 2],
    items: &'v [Item<'v>],
}

/// One row: HTML of both sides, and the first byte shown of each.
#[derive(Default)]
struct Row {
    sides: [String; 2],
    first: [Option<usize>; 2],
}

impl WordTable<'_> {
    fn place(&mut self, place: Range<usize>) {
        let begin = self.out.len();
        self.out.push_str("<tbody>\n");
        let mut row = Row::default();
        self.context(&mut row, unchanged_before(self.items, place.start), ending);
        for item in &self.items[place.clone()] {
            let is_long = row.sides.iter().any(|side| side.len() > ROW);
            if is_long && !item.is_change() {
                self.row(std::mem::take(&mut row));
            }
            if self.out.len() - begin > PLACE_SHOWN {
                let cut = "<tr><td colspan=\"4\" class=\"cut\">… this part continues</td></tr>\n";
                self.out.push_str(cut);
                self.out.push_str("</tbody>\n");
                return;
            }
            self.item(&mut row, *item);
        }
        self.context(&mut row, unchanged_after(self.items, place.end), beginning);
        self.row(row);
        self.out.push_str("</tbody>\n");
    }

    /// Unchanged words beside a place.
    fn context(&self, row: &mut Row, ranges: [Range<usize>; 2], cut: fn(&str, usize) -> String) {
        for (side, range) in ranges.into_iter().enumerate() {
            let text = self.difference.texts[side];
            let shown = cut(text.get(range.clone()).unwrap_or_default(), AROUND);
            row.add(side, range.end, &Text(&squeezed(&shown)));
        }
    }

    fn item(&self, row: &mut Row, item: Item<'_>) {
        let operation = item.operation;
        let texts = self.difference.texts_of(operation);
        let starts = [operation.a.start, operation.b.start];
        match operation.kind {
            WordOperationKind::Move => {
                let (here, other, word) = if item.is_away {
                    (0, 1, "to")
                } else {
                    (1, 0, "from")
                };
                let line = self.lines[other].number(starts[other]);
                let text = shortened(&squeezed(texts[here]), MOVED_WHOLE);
                let text = Text(&text);
                row.add(
                    here,
                    starts[here],
                    &format_args!(
                        "<span class=\"moved\"><i class=\"u\">moved {word} line {line}</i> {text}</span>"
                    ),
                );
            }
            kind => {
                for (side, tag) in ["del", "ins"].into_iter().enumerate() {
                    let written = squeezed(texts[side]);
                    let text = shortened(written.trim(), CHANGE_WHOLE);
                    let (before, after) = ends(&written);
                    match matches!(kind, WordOperationKind::Equal | WordOperationKind::Reformat) {
                        true => row.add(side, starts[side], &Text(&written)),
                        false if text.is_empty() => {}
                        false => {
                            let text = Text(&text);
                            let marked = format_args!("{before}<{tag}>{text}</{tag}>{after}");
                            row.add(side, starts[side], &marked);
                        }
                    }
                }
            }
        }
    }

    fn row(&mut self, row: Row) {
        self.out.push_str("<tr>");
        for (side, (html, first)) in row.sides.iter().zip(row.first).enumerate() {
            // Writing to a string does not fail.
            let _ = match first.filter(|_| !html.trim().is_empty()) {
                Some(byte) => {
                    let line = self.lines[side].number(byte);
                    let html = html.trim();
                    write!(self.out, "<td>{line}<td>{html}")
                }
                None => write!(self.out, "{NO_ROW}"),
            };
        }
        self.out.push_str("</tr>\n");
    }
}

impl Row {
    fn add(&mut self, side: usize, byte: usize, html: &dyn std::fmt::Display) {
        let _ = write!(self.sides[side], "{html}");
        self.first[side].get_or_insert(byte);
    }
}

/// The bytes of both texts between the change before an item and this one.
fn unchanged_before(items: &[Item<'_>], at: usize) -> [Range<usize>; 2] {
    let before = items[..at]
        .iter()
        .rev()
        .take_while(|item| !item.is_change());
    around(before)
}

/// The bytes of both texts from an item to the next change.
fn unchanged_after(items: &[Item<'_>], at: usize) -> [Range<usize>; 2] {
    around(items[at..].iter().take_while(|item| !item.is_change()))
}

/// The bytes of neighbouring items, as many as the context may need.
fn around<'i>(items: impl Iterator<Item = &'i Item<'i>>) -> [Range<usize>; 2] {
    let mut all: Option<[Range<usize>; 2]> = None;
    for item in items {
        let Operation { a, b, .. } = item.operation;
        let [of_a, of_b] = all.get_or_insert_with(|| [a.clone(), b.clone()]);
        (of_a.start, of_a.end) = (of_a.start.min(a.start), of_a.end.max(a.end));
        (of_b.start, of_b.end) = (of_b.start.min(b.start), of_b.end.max(b.end));
        if of_a.len().min(of_b.len()) > 2 * AROUND {
            break;
        }
    }
    all.unwrap_or_default()
}

/// A text with its white space replaced by single spaces.
fn squeezed(text: &str) -> String {
    let (before, after) = ends(text);
    let words: Vec<&str> = text.split_whitespace().collect();
    match words.is_empty() {
        true => before.to_owned(),
        false => format!("{before}{}{after}", words.join(" ")),
    }
}

/// The white space before and after a text, as one space each.
fn ends(text: &str) -> (&'static str, &'static str) {
    let space = |is_there: bool| if is_there { " " } else { "" };
    (
        space(text.starts_with(char::is_whitespace)),
        space(text.ends_with(char::is_whitespace)),
    )
}
