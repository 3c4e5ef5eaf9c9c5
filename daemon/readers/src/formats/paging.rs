//! Joins pages to one text: running headers, footers and page numbers are kept apart, words broken at the end of a line
//! are joined. Nothing else is changed.

mod hyphen;
mod running;

pub(super) use hyphen::Hyphens;

/// Between the lines of a cell in a line that is a row of a table: the word that ends one may go on in the next. A
/// noncharacter, as real text may have a line separator.
pub(super) const LINE_IN_CELL: char = '\u{fdd0}';

/// Pages of lines, collected to be written as one text.
#[derive(Debug, Default)]
pub(super) struct Pages {
    pages: Vec<Vec<String>>,
    bytes: usize,
}

/// The joined text of pages.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Body {
    /// The body, then each running line once.
    pub(super) text: String,
    /// Running headers, footers and page numbers.
    pub(super) running_lines: u64,
    /// Words joined again.
    pub(super) joined_hyphens: u64,
}

impl Pages {
    pub(super) fn push(&mut self, lines: Vec<String>) {
        self.bytes += lines.iter().map(|line| line.len() + 1).sum::<usize>();
        self.pages.push(lines);
    }

    /// Length of what was collected.
    pub(super) fn bytes(&self) -> usize {
        self.bytes
    }

    /// The pages as one text.
    pub(super) fn into_body(mut self) -> Body {
        let running = running::take(&mut self.pages);
        let hyphens = Hyphens::of(self.pages.iter().flatten());
        let mut body = Body {
            running_lines: running.count,
            ..Body::default()
        };
        body.text.reserve(self.bytes);
        for page in &self.pages {
            for line in page {
                let mut parts = line.split(LINE_IN_CELL);
                let first = parts.next().unwrap_or_default();
                body.joined_hyphens += u64::from(hyphens.append(&mut body.text, first));
                for part in parts {
                    body.joined_hyphens += u64::from(hyphens.append_within(&mut body.text, part));
                }
            }
        }
        for line in &running.lines {
            body.text.push_str(&line.replace(LINE_IN_CELL, " "));
            body.text.push('\n');
        }
        body
    }
}

/// The words of a line, which may be a row of a table.
pub(super) fn words(line: &str) -> impl Iterator<Item = &str> {
    line.split(is_space).filter(|word| !word.is_empty())
}

/// Whether this parts words.
fn is_space(c: char) -> bool {
    c == LINE_IN_CELL || c.is_whitespace()
}

#[cfg(test)]
mod tests;
