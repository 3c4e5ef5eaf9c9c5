//! Where the columns of a table are: in one line, or names and texts below it, and how headers are wrapped.

use unicode_width::UnicodeWidthStr;

use super::{Cells, Column};

/// What parts two columns.
pub(super) const GAP: &str = "  ";
/// The least width of names and texts within a row; with less they go below it.
const MIN_COLUMN_WIDTH: usize = 16;
/// Indentation of a name below its row.
const BELOW: &str = "    ";

/// The positions of columns, by index, with each width.
pub(super) struct Layout {
    /// Columns in one line.
    beside: Vec<(usize, usize)>,
    /// Columns on lines of their own.
    below: Vec<(usize, usize)>,
    header_lines: usize,
    max_width: usize,
}

impl Layout {
    /// These columns in one line, each as wide as `width` says.
    pub(super) fn of(shown: &[usize], width: impl Fn(usize) -> usize, max_width: usize) -> Self {
        Self {
            beside: shown.iter().map(|at| (*at, width(*at))).collect(),
            below: Vec::new(),
            header_lines: 1,
            max_width,
        }
    }

    /// The layout with names and texts on lines of their own, and with optional columns too if the rest is too wide.
    pub(super) fn with_below(self, columns: &[Column]) -> Self {
        let layout = self.below_where(|at| columns[at].is_cut());
        match layout.width() > layout.max_width {
            true => layout.below_where(|at| columns[at].blank.is_some()),
            false => layout,
        }
    }

    fn below_where(self, is_below: impl Fn(usize) -> bool) -> Self {
        let beside = self.beside.into_iter();
        let (mut below, beside): (Vec<_>, _) = beside.partition(|(at, _)| is_below(*at));
        below.extend(self.below);
        Self {
            beside,
            below,
            ..self
        }
    }

    /// Notes how many lines the headers take.
    pub(super) fn count_header_lines(&mut self, columns: &[Column]) {
        let headers = self.beside.iter();
        let lines = headers.map(|(at, width)| wrapped(columns[*at].header, *width).len());
        self.header_lines = lines.max().unwrap_or(1);
    }

    pub(super) fn width(&self) -> usize {
        let cells: usize = self.beside.iter().map(|(_, width)| width).sum();
        cells + GAP.len() * self.beside.len().saturating_sub(1)
    }

    /// Makes names and texts narrower until a line fits, the widest first. Returns false if too little of them is left:
    /// less than [`MIN_COLUMN_WIDTH`] or, for paths, than their last names.
    pub(super) fn cut_to_fit(&mut self, columns: &[Column], rows: &[Vec<String>]) -> bool {
        while self.width() > self.max_width {
            let over = self.width() - self.max_width;
            let cut = self
                .beside
                .iter_mut()
                .filter(|(at, _)| columns[*at].is_cut());
            let mut cut: Vec<&mut usize> = cut.map(|(_, width)| width).collect();
            cut.sort_unstable_by_key(|width| std::cmp::Reverse(**width));
            let next = cut.get(1).map_or(0, |width| **width);
            let alike = cut
                .iter()
                .take_while(|width| ***width > next)
                .count()
                .max(1);
            let Some(widest) = cut.first_mut().filter(|width| ***width > MIN_COLUMN_WIDTH) else {
                return false;
            };
            // Down to the next widest, or in equal parts if several are equally wide.
            let step = match **widest > next {
                true => over.min(**widest - next),
                false => over.div_ceil(alike.max(2)),
            };
            **widest -= step.clamp(1, **widest - MIN_COLUMN_WIDTH);
        }
        self.beside.iter().all(|(at, width)| {
            let is_path = columns[*at].cells == Cells::Path;
            let names = rows.iter().map(|row| last_name(&row[*at]).width());
            !is_path || names.max().unwrap_or(0) < *width
        })
    }

    /// The lines of the header.
    pub(super) fn header(&self, columns: &[Column]) -> Vec<String> {
        let mut lines = Vec::new();
        for line in 0..self.header_lines {
            let cells = self.beside.iter().map(|(at, width)| {
                let words = wrapped(columns[*at].header, *width);
                // Short headers are aligned with the bottom line.
                let from = self.header_lines - words.len().min(self.header_lines);
                let word = line.checked_sub(from).and_then(|at| words.get(at).cloned());
                (*at, *width, word.unwrap_or_default())
            });
            lines.push(aligned(columns, cells));
        }
        let below = self.below.iter().map(|(at, _)| columns[*at].header);
        lines.extend(below.map(|header| format!("{BELOW}{header}")));
        lines
    }

    /// The lines of a row.
    pub(super) fn lines(&self, columns: &[Column], row: &[String]) -> Vec<String> {
        let cells = self.beside.iter().map(|(at, width)| {
            let cell = columns[*at].fitted(&row[*at], *width);
            (*at, *width, cell)
        });
        let mut lines = vec![aligned(columns, cells)];
        let says_something = |at: usize| !row[at].is_empty() && columns[at].blank != Some(&row[at]);
        for (at, _) in self.below.iter().filter(|(at, _)| says_something(*at)) {
            let room = self.max_width.saturating_sub(BELOW.len());
            lines.push(format!("{BELOW}{}", columns[*at].fitted(&row[*at], room)));
        }
        lines
    }
}

/// Cells in one line, each with its column and width.
fn aligned(columns: &[Column], cells: impl Iterator<Item = (usize, usize, String)>) -> String {
    let mut line = String::new();
    for (at, width, cell) in cells {
        let blank = " ".repeat(width.saturating_sub(cell.width()));
        let (before, after) = match columns[at].cells {
            Cells::Right => (&*blank, ""),
            _ => ("", &*blank),
        };
        line.extend([before, &*cell, after, GAP]);
    }
    line.truncate(line.trim_end().len());
    line
}

/// Greatest number of lines of a header.
const HEADER_LINES: usize = 3;

/// Long words in headers, and how they are split.
const DIVIDED: [(&str, &str); 2] = [
    ("RESEMBLANCE", "RESEM- BLANCE"),
    ("CONTAINMENT", "CONTAIN- MENT"),
];

/// The least width that a header fits into.
pub(super) fn narrowest(header: &str) -> usize {
    let mut widths = 1..header.width();
    let fits = |width: &usize| {
        let lines = wrapped(header, *width);
        lines.len() <= HEADER_LINES && lines.iter().all(|line| line.width() <= *width)
    };
    widths.find(fits).unwrap_or_else(|| header.width())
}

/// Breaks a header into lines of the given width; long words are split if they do not fit.
fn wrapped(header: &str, width: usize) -> Vec<String> {
    let fits = header.split(' ').all(|word| word.width() <= width);
    let divided = DIVIDED
        .iter()
        .fold(header.to_owned(), |header, (word, parts)| {
            header.replace(word, parts)
        });
    let words = if fits { header } else { &*divided };
    let mut lines: Vec<String> = Vec::new();
    for word in words.split(' ') {
        match lines.last_mut() {
            Some(line) if line.width() + 1 + word.width() <= width && !line.ends_with('-') => {
                line.push(' ');
                line.push_str(word);
            }
            _ => lines.push(word.to_owned()),
        }
    }
    lines
}

/// The last name of a path; for a member, its name within its container.
fn last_name(path: &str) -> &str {
    path.trim_end_matches('/')
        .rsplit('/')
        .next()
        .unwrap_or(path)
}
