//! Characters on one baseline.

use super::brackets::{Brackets, is_balanced};

/// Gap that separates words, in font sizes.
const WORD_GAP: f64 = 0.15;
/// Gap that separates ideographs: they are spread to fill a line.
const IDEOGRAPH_GAP: f64 = 0.3;
/// Minimum distance of the baselines of two adjacent lines, and how much smaller the letters of one may be.
const LINE_SHIFT: f64 = 0.3;
const LINE_SIZE: f64 = 0.85;
/// How far back a character may be placed within a run.
const BACKSTEP: f64 = 0.4;
/// How far a baseline may shift within a run.
const RUN_SHIFT: f64 = 0.1;
/// Maximum offset of what is drawn twice to look bold: of a character in its widths, of a run in font sizes.
const OVERPRINT: f64 = 0.3;
/// The part of a character below and above its baseline.
const DESCENT: f64 = 0.2;
const ASCENT: f64 = 0.8;
/// Minimum height of a character, in its widths: a dash is less high than its font.
const MIN_HEIGHT: f64 = 0.5;

/// The position of a character, in the coordinates of the page.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(in super::super) struct Place {
    pub(in super::super) x: f64,
    pub(in super::super) y: f64,
    /// From this character's origin to that of the next one.
    pub(in super::super) advance: (f64, f64),
    /// Direction of writing; of any length except 0.
    pub(in super::super) direction: (f64, f64),
    /// Height of the font.
    pub(in super::super) size: f64,
}

impl Place {
    /// Whether `other` is on the same baseline, or less than `shift` font sizes from it.
    pub(in super::super) fn is_on_line_of(&self, other: &Self, shift: f64) -> bool {
        let (dx, dy) = self.direction;
        let off = (dx * (other.y - self.y) - dy * (other.x - self.x)) / dx.hypot(dy);
        off.abs() <= shift * self.size
    }

    /// The place of what stands from here to the end of `last`.
    pub(in super::super) fn up_to_end_of(&self, last: &Self) -> Self {
        let advance = (
            last.x + last.advance.0 - self.x,
            last.y + last.advance.1 - self.y,
        );
        Self { advance, ..*self }
    }
}

/// Characters on one baseline, in a frame rotated so that they run to the right.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Run {
    pub(super) text: String,
    pub(super) left: f64,
    pub(super) right: f64,
    /// Where its last character begins.
    pub(super) last: f64,
    /// Height of the baseline; greater is higher.
    pub(super) base: f64,
    /// That of its last line, if it has several: it is a row of a table.
    pub(super) bottom: Option<f64>,
    pub(super) size: f64,
    pub(super) degrees: i16,
    /// Whether its letters run to the left.
    pub(super) leftward: bool,
    /// What is known of brackets on its page.
    pub(super) brackets: Brackets,
}

/// A run of one character; `None` if its position is invalid.
pub(super) fn run(text: &str, place: Place) -> Option<Run> {
    let (dx, dy) = place.direction;
    let length = dx.hypot(dy);
    let (cos, sin) = (dx / length, dy / length);
    let left = place.x * cos + place.y * sin;
    let right = left + place.advance.0 * cos + place.advance.1 * sin;
    let base = place.y * cos - place.x * sin;
    // Bitmap fonts may have any size and characters of another.
    let size = match text.trim().is_empty() {
        true => place.size,
        false => place.size.max((right - left) * MIN_HEIGHT),
    };
    let sound = [left, right, base, size].iter().all(|n| n.is_finite()) && place.size > 0.0;
    #[allow(clippy::cast_possible_truncation, reason = "between -180 and 180")]
    sound.then(|| Run {
        text: text.to_owned(),
        left,
        right: right.max(left),
        last: left,
        base,
        bottom: None,
        size,
        degrees: sin.atan2(cos).to_degrees().round() as i16,
        leftward: text.chars().any(is_leftward),
        brackets: Brackets::default(),
    })
}

/// Letters of Hebrew, Arabic and their neighbours; their digits run to the right.
pub(in super::super) fn is_leftward(c: char) -> bool {
    !c.is_numeric()
        && matches!(u32::from(c), 0x0590..=0x08ff | 0xfb1d..=0xfdff | 0xfe70..=0xfeff | 0x10800..=0x10fff | 0x1e800..=0x1efff)
}

/// Signs of Chinese and Japanese, which are not separated by spaces.
fn is_ideograph(c: char) -> bool {
    matches!(u32::from(c), 0x3040..=0x30ff | 0x3400..=0x9fff | 0xf900..=0xfaff | 0x20000..=0x3ffff)
}

/// What precedes the middle of a text, the middle, and what follows it.
fn parts(text: &str, is_end: impl Fn(char) -> bool) -> [&str; 3] {
    let after_first = text.trim_start_matches(&is_end);
    let middle = after_first.trim_end_matches(&is_end);
    let first = &text[..text.len() - after_first.len()];
    [first, middle, &after_first[middle.len()..]]
}

impl Run {
    /// Whether `next` continues at the end of this run. A gap ends it: something drawn later may be there.
    pub(super) fn takes(&self, next: &Run) -> bool {
        let gap = next.left - self.right;
        let size = self.size.min(next.size);
        self.degrees == next.degrees
            && self.leftward == next.leftward
            && (self.base - next.base).abs() <= RUN_SHIFT * size
            && (-BACKSTEP * size..=WORD_GAP * size).contains(&gap)
    }

    /// Whether `next` is the last character again, drawn a second time to look bold.
    pub(super) fn ends_in(&self, next: &Run) -> bool {
        let is_same = match self.leftward {
            true => self.text.starts_with(&next.text),
            false => self.text.ends_with(&next.text),
        };
        is_same
            && self.degrees == next.degrees
            && (self.base - next.base).abs() <= RUN_SHIFT * self.size.min(next.size)
            && (self.last - next.left).abs() < OVERPRINT * (next.right - next.left)
    }

    /// Appends a character; letters that run to the left are drawn from the left as well.
    pub(super) fn take(&mut self, next: &Run) {
        match self.leftward {
            true => self.text.insert_str(0, &next.text),
            false => self.text.push_str(&next.text),
        }
        self.right = self.right.max(next.right);
        self.last = next.left;
        self.size = self.size.max(next.size);
    }

    /// Reverses the marks and spaces at both ends of left-to-right text in a right-to-left line: there they run with
    /// the line (Unicode Annex 9, rules N1 and N2). Brackets do so if the page shows what they mean, except one that
    /// belongs to another within the text.
    pub(super) fn turn_ends(&mut self) {
        let brackets = self.brackets;
        let is_mark = |c: char| c.is_whitespace() || ".,:;!?،؛".contains(c);
        let is_end = |c: char| is_mark(c) || brackets.moves(c);
        if self.leftward || !self.text.contains(is_end) {
            return;
        }
        let mut ends = parts(&self.text, is_end);
        if !is_balanced(ends[1]) {
            ends = parts(&self.text, is_mark);
        }
        let turned = |end: &str| -> String {
            let characters = end.chars().rev();
            characters.map(|c| brackets.character(c)).collect()
        };
        self.text = turned(ends[2]) + ends[1] + &turned(ends[0]);
    }

    /// Free space between two runs of a line.
    pub(super) fn gap(&self, other: &Run) -> f64 {
        (other.left - self.right).max(self.left - other.right)
    }

    /// The single letter of this run, if it belongs to a script whose headings may be letter-spaced.
    pub(super) fn letter(&self) -> Option<char> {
        let mut characters = self.text.chars();
        let letter = characters.next().filter(|_| characters.next().is_none())?;
        (letter.is_lowercase() || letter.is_uppercase() || is_ideograph(letter)).then_some(letter)
    }

    /// Whether the next run of the line begins another word.
    pub(super) fn parts_word(&self, next: &Run) -> bool {
        let size = self.size.min(next.size);
        let parting = match (self.text.chars().next_back(), next.text.chars().next()) {
            (Some(a), Some(b)) if is_ideograph(a) && is_ideograph(b) => IDEOGRAPH_GAP,
            _ => WORD_GAP,
        };
        // Words of one height that are not on one baseline: two lines, and no superscript or subscript.
        let is_line = [self, next]
            .iter()
            .all(|run| run.text.trim().chars().nth(1).is_some())
            && size > LINE_SIZE * self.size.max(next.size)
            && (self.base - next.base).abs() > LINE_SHIFT * size;
        let gap = self.gap(next);
        is_line || gap > parting * size || gap < -size
    }

    /// Appends the next run of the line, after a space if it is another word.
    pub(super) fn join(&mut self, next: &Run, is_word: bool) {
        let parted =
            self.text.ends_with(char::is_whitespace) || next.text.starts_with(char::is_whitespace);
        if is_word && !parted {
            self.text.push(' ');
        }
        self.text.push_str(&next.text);
        if next.size > self.size {
            self.base = next.base;
        }
        self.left = self.left.min(next.left);
        self.right = self.right.max(next.right);
        self.size = self.size.max(next.size);
    }

    /// Whether both are on one line: half the height of the smaller one is common to both.
    pub(super) fn beside(&self, other: &Run) -> bool {
        let bottom = (self.base - DESCENT * self.size).max(other.base - DESCENT * other.size);
        let top = (self.base + ASCENT * self.size).min(other.base + ASCENT * other.size);
        top - bottom >= 0.5 * self.size.min(other.size)
    }

    /// Whether this is the same run again, drawn a second time to look bold.
    pub(super) fn repeats(&self, other: &Run) -> bool {
        self.text.trim() == other.text.trim()
            && (self.left - other.left).abs() < OVERPRINT * self.size
    }

    /// Whether the beginning or the end of this run is another one again: parts of a line may be drawn twice, one after
    /// the other.
    pub(super) fn covers(&self, other: &Run) -> bool {
        let (text, part) = (self.text.trim(), other.text.trim());
        let is_near = |a: f64, b: f64| (a - b).abs() < OVERPRINT * other.size;
        let begins = text.starts_with(part) && is_near(self.left, other.left);
        let ends = text.ends_with(part) && is_near(self.right, other.right);
        let is_level = (self.base - other.base).abs() <= RUN_SHIFT * other.size;
        !self.leftward && is_level && part.chars().nth(1).is_some() && (begins || ends)
    }
}
