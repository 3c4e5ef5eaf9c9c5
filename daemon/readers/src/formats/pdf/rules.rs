//! Straight lines that a page draws: borders of tables, rules between their rows.
//!
//! Of the contents of a page (ISO 32000-2, 8.5) only paths are read: segments along an axis, rectangles, and rectangles
//! so thin that they are lines. Those within forms are not.

use pdf_extract::{Document, ObjectId};

use super::next_line::{after_picture, is_number, next_token};

/// Maximum number of lines of a page; one with more draws a picture, not a table.
const MAX_RULES: usize = 4000;
/// Maximum number of saved states and of operands.
const MAX_SAVED: usize = 256;
const MAX_OPERANDS: usize = 6;
/// Maximum thickness of a line, and minimum length, in points.
const MAX_THICKNESS: f64 = 3.0;
const MIN_LENGTH: f64 = 4.0;
/// How far a line may be from an axis, from another that it continues, and from the place where that is.
const ASLANT: f64 = 0.5;
const MAX_GAP: f64 = 3.0;
const MAX_SHIFT: f64 = 1.5;

/// A line along an axis.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Rule {
    /// Its place on the other axis.
    pub(super) at: f64,
    pub(super) from: f64,
    pub(super) to: f64,
}

/// The lines of a page.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Rules {
    /// From the top down.
    pub(super) across: Vec<Rule>,
    /// From left to right.
    pub(super) down: Vec<Rule>,
}

type Point = (f64, f64);

impl Rules {
    /// The lines of a page.
    pub(super) fn of_page(document: &Document, page: Option<&ObjectId>) -> Self {
        let content = page.and_then(|page| document.get_page_content(*page).ok());
        content.map_or_else(Self::default, |content| Self::of(&content))
    }

    /// The lines that the contents of a page draw.
    pub(super) fn of(content: &[u8]) -> Self {
        let mut painter = Painter::default();
        let (mut operands, mut at) = (Vec::new(), 0);
        while let Some(token) = next_token(content, at) {
            at = token.end;
            let bytes = &content[token];
            if is_number(bytes) {
                let number = std::str::from_utf8(bytes).ok().and_then(|n| n.parse().ok());
                if operands.len() == MAX_OPERANDS {
                    operands.remove(0);
                }
                operands.push(number.unwrap_or(0.0));
                continue;
            }
            if bytes == b"ID" {
                at = after_picture(content, at);
            }
            painter.operate(bytes, &operands);
            operands.clear();
            if painter.across.len() + painter.down.len() > MAX_RULES {
                return Self::default();
            }
        }
        let mut across = joined(painter.across);
        across.reverse();
        Self {
            across,
            down: joined(painter.down),
        }
    }
}

/// The state of painting.
struct Painter {
    matrix: [f64; 6],
    saved: Vec<[f64; 6]>,
    /// The path that has not been painted yet: where it is, its segments, its rectangles by two corners.
    point: Point,
    segments: Vec<(Point, Point)>,
    rectangles: Vec<(Point, Point)>,
    across: Vec<Rule>,
    down: Vec<Rule>,
}

impl Default for Painter {
    fn default() -> Self {
        Self {
            matrix: [1.0, 0.0, 0.0, 1.0, 0.0, 0.0],
            saved: Vec::new(),
            point: (0.0, 0.0),
            segments: Vec::new(),
            rectangles: Vec::new(),
            across: Vec::new(),
            down: Vec::new(),
        }
    }
}

impl Painter {
    fn operate(&mut self, operator: &[u8], operands: &[f64]) {
        match (operator, operands) {
            (b"q", _) if self.saved.len() < MAX_SAVED => self.saved.push(self.matrix),
            (b"Q", _) => self.matrix = self.saved.pop().unwrap_or(self.matrix),
            (b"cm", &[a, b, c, d, e, f]) => self.transform([a, b, c, d, e, f]),
            (b"m", &[x, y]) => self.point = self.place(x, y),
            (b"l", &[x, y]) => {
                let next = self.place(x, y);
                if self.segments.len() < MAX_RULES {
                    self.segments.push((self.point, next));
                }
                self.point = next;
            }
            (b"re", &[x, y, width, height]) if self.rectangles.len() < MAX_RULES => {
                let corners = (self.place(x, y), self.place(x + width, y + height));
                self.rectangles.push(corners);
            }
            (b"S" | b"s" | b"B" | b"B*" | b"b" | b"b*", _) => self.stroke(),
            (b"f" | b"F" | b"f*", _) => self.fill(),
            (b"n", _) => self.end_path(),
            _ => {}
        }
    }

    fn transform(&mut self, [a, b, c, d, e, f]: [f64; 6]) {
        let [m11, m12, m21, m22, m31, m32] = self.matrix;
        self.matrix = [
            a * m11 + b * m21,
            a * m12 + b * m22,
            c * m11 + d * m21,
            c * m12 + d * m22,
            e * m11 + f * m21 + m31,
            e * m12 + f * m22 + m32,
        ];
    }

    fn place(&self, x: f64, y: f64) -> Point {
        let [a, b, c, d, e, f] = self.matrix;
        (a * x + c * y + e, b * x + d * y + f)
    }

    /// Draws the path as lines.
    fn stroke(&mut self) {
        for (from, to) in std::mem::take(&mut self.segments) {
            self.line(from, to);
        }
        for (from, to) in std::mem::take(&mut self.rectangles) {
            if !self.thin(from, to) {
                let [left, right] = [from, to];
                let corners = [left, (right.0, left.1), right, (left.0, right.1), left];
                for side in corners.windows(2) {
                    self.line(side[0], side[1]);
                }
            }
        }
    }

    /// Fills the path, of which only thin rectangles are lines.
    fn fill(&mut self) {
        for (from, to) in std::mem::take(&mut self.rectangles) {
            self.thin(from, to);
        }
        self.end_path();
    }

    fn end_path(&mut self) {
        self.segments.clear();
        self.rectangles.clear();
    }

    /// Takes a rectangle as a line, if it is thin enough.
    fn thin(&mut self, from: Point, to: Point) -> bool {
        let middle = ((from.0 + to.0) / 2.0, (from.1 + to.1) / 2.0);
        let is_flat = (from.1 - to.1).abs() <= MAX_THICKNESS;
        let is_narrow = (from.0 - to.0).abs() <= MAX_THICKNESS;
        if is_flat {
            self.line((from.0, middle.1), (to.0, middle.1));
        } else if is_narrow {
            self.line((middle.0, from.1), (middle.0, to.1));
        }
        is_flat || is_narrow
    }

    fn line(&mut self, from: Point, to: Point) {
        let is_sound = [from.0, from.1, to.0, to.1].iter().all(|n| n.is_finite());
        let (wide, high) = ((from.0 - to.0).abs(), (from.1 - to.1).abs());
        if is_sound && high <= ASLANT && wide >= MIN_LENGTH {
            self.across.push(Rule {
                at: (from.1 + to.1) / 2.0,
                from: from.0.min(to.0),
                to: from.0.max(to.0),
            });
        } else if is_sound && wide <= ASLANT && high >= MIN_LENGTH {
            self.down.push(Rule {
                at: (from.0 + to.0) / 2.0,
                from: from.1.min(to.1),
                to: from.1.max(to.1),
            });
        }
    }
}

/// The lines by their place, those joined that continue each other: programs draw the borders of each cell.
fn joined(mut rules: Vec<Rule>) -> Vec<Rule> {
    rules.sort_by(|a, b| a.at.total_cmp(&b.at));
    let mut lines: Vec<Rule> = Vec::new();
    let mut rest = rules.as_mut_slice();
    while let Some(first) = rest.first().map(|rule| rule.at) {
        let count = rest.partition_point(|rule| rule.at <= first + MAX_SHIFT);
        let (level, behind) = rest.split_at_mut(count);
        level.sort_by(|a, b| a.from.total_cmp(&b.from));
        let begin = lines.len();
        for rule in level {
            match lines[begin..].last_mut() {
                Some(last) if rule.from <= last.to + MAX_GAP => last.to = last.to.max(rule.to),
                _ => lines.push(*rule),
            }
        }
        rest = behind;
    }
    lines
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn rule(at: f64, from: f64, to: f64) -> Rule {
        Rule { at, from, to }
    }

    #[test]
    fn lines_are_stroked_or_thin_and_only_what_is_painted() {
        let content = b"q 2 0 0 2 10 0 cm 0 5 m 20 5 l 20 15 l S Q 0 50 30 1 re f* 0 60 1 20 re f \
                        0 70 40 40 re f 0 90 m 50 90 l n (5 5 m 90 5 l S) Tj 0 30 m 40 50 l S 100 0 20 10 re B";
        assert_eq!(
            Rules::of(content),
            Rules {
                across: vec![
                    rule(50.5, 0.0, 30.0),
                    rule(10.0, 100.0, 120.0),
                    rule(10.0, 10.0, 50.0),
                    rule(0.0, 100.0, 120.0),
                ],
                down: vec![
                    rule(0.5, 60.0, 80.0),
                    rule(50.0, 10.0, 30.0),
                    rule(100.0, 0.0, 10.0),
                    rule(120.0, 0.0, 10.0),
                ],
            }
        );
    }

    #[test]
    fn borders_of_cells_are_one_line() {
        let content = b"0 9 10 .5 re f* 12 9.2 10 .5 re f* 30 9 10 .5 re f* 0 0 .5 .5 re f";
        let across = Rules::of(content).across;
        assert_eq!(across.len(), 2, "{across:?}");
        assert_eq!((across[1].from, across[1].to), (0.0, 22.0));
    }

    #[test]
    fn a_picture_of_lines_has_none() {
        let content = "0 0 m 9 0 l S ".repeat(MAX_RULES + 1);
        assert_eq!(Rules::of(content.as_bytes()), Rules::default());
        assert_eq!(
            Rules::of(b"1 Q l re 0 m [ ( << cm -.5 --5 S"),
            Rules::default()
        );
    }

    proptest! {
        #[test]
        fn any_contents_are_answered(
            content in "([mlqQSfn]|re|cm|ID|f\\*|[(<>\\[% ]|-?[0-9.]{1,9}|\\PC| ){0,60}",
        ) {
            let Rules { across, down } = Rules::of(content.as_bytes());
            prop_assert!(across.iter().chain(&down).all(|rule| rule.from < rule.to));
        }
    }
}
