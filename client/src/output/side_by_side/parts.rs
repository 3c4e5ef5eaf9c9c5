//! The lines of a unified difference, each with the side or sides that it is on.

/// One part of two texts side by side.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Part<'t> {
    /// A line of the first text, of the second, or one of each; without its line feed.
    Lines(Option<&'t str>, Option<&'t str>),
    /// So many equal lines are left out.
    LeftOut(u64),
    /// Nothing differs behind the equal lines before this.
    End,
    /// A line that no unified difference has.
    Unknown(&'t str),
}

/// The parts of a unified difference, in order.
///
/// Removed lines that stand directly before added ones are paired with them one by one, as `diff -y` does.
pub(super) struct Parts<'t> {
    rest: &'t str,
    /// Removed lines whose turn is next, with their signs.
    removed: &'t str,
    /// Added lines beside them.
    added: &'t str,
    /// Number of the next line of the first text, from 1.
    line: u64,
    /// The last line was an equal one.
    after_equal: bool,
}

impl<'t> Parts<'t> {
    pub(super) fn of(diff: &'t str) -> Self {
        let (first, after_first) = split_line(diff);
        let (second, after_both) = split_line(after_first);
        let has_names = first.starts_with("--- ") && second.starts_with("+++ ");
        Self {
            rest: if has_names { after_both } else { diff },
            removed: "",
            added: "",
            line: 1,
            after_equal: false,
        }
    }

    /// The next lines of a change that has begun.
    fn changed(&mut self) -> Option<Part<'t>> {
        let (removed, added);
        (removed, self.removed) = next_line(self.removed);
        (added, self.added) = next_line(self.added);
        self.line += u64::from(removed.is_some());
        let is_over = removed.is_none() && added.is_none();
        (!is_over).then_some(Part::Lines(removed, added))
    }

    /// Begins a change: its removed lines, and the added ones behind them.
    fn begin_change(&mut self) {
        (self.removed, self.rest) = split_run(self.rest, b'-');
        (self.added, self.rest) = split_run(self.rest, b'+');
        self.after_equal = false;
    }

    /// The lines left out before a hunk with this header; `None` if there are none.
    fn begin_hunk(&mut self, header: &'t str) -> Option<Part<'t>> {
        let Some(first) = first_line(header) else {
            return Some(Part::Unknown(header));
        };
        let left_out = first.saturating_sub(self.line);
        self.line = first;
        (left_out > 0).then_some(Part::LeftOut(left_out))
    }
}

impl<'t> Iterator for Parts<'t> {
    type Item = Part<'t>;

    fn next(&mut self) -> Option<Part<'t>> {
        loop {
            if let Some(part) = self.changed() {
                return Some(part);
            }
            let (line, rest) = split_line(self.rest);
            let Some(sign) = line.as_bytes().first() else {
                return std::mem::take(&mut self.after_equal).then_some(Part::End);
            };
            if matches!(sign, b'-' | b'+') {
                self.begin_change();
                continue;
            }
            self.rest = rest;
            let part = match sign {
                b' ' => {
                    (self.line, self.after_equal) = (self.line + 1, true);
                    let line = without_feed(&line[1..]);
                    Some(Part::Lines(Some(line), Some(line)))
                }
                b'@' => self.begin_hunk(without_feed(line)),
                // That a text ends without a line feed is of no use to a reader.
                b'\\' => None,
                _ => Some(Part::Unknown(without_feed(line))),
            };
            if part.is_some() {
                return part;
            }
        }
    }
}

/// Splits after the first line.
fn split_line(text: &str) -> (&str, &str) {
    text.split_at(text.find('\n').map_or(text.len(), |end| end + 1))
}

/// Splits after the lines that begin with a sign, or tell that such a line is not ended.
fn split_run(text: &str, sign: u8) -> (&str, &str) {
    let of_run = |line: &&str| {
        let first = line.as_bytes().first();
        first.is_some_and(|first| *first == sign || *first == b'\\')
    };
    let lines = text.split_inclusive('\n').take_while(of_run);
    text.split_at(lines.map(str::len).sum())
}

/// The next line of a run without its sign, and what follows it.
fn next_line(run: &str) -> (Option<&str>, &str) {
    let mut rest = run;
    loop {
        let (line, after) = split_line(rest);
        rest = after;
        match line.as_bytes().first() {
            None => return (None, rest),
            Some(b'\\') => {}
            Some(_) => return (Some(without_feed(&line[1..])), rest),
        }
    }
}

/// The first line of a hunk in the first text; of an empty hunk, the line after it.
fn first_line(header: &str) -> Option<u64> {
    let range = header.strip_prefix("@@ -")?.split(' ').next()?;
    match range.split_once(',') {
        Some((before, "0")) => before.parse::<u64>().ok()?.checked_add(1),
        Some((first, _)) => first.parse().ok(),
        None => range.parse().ok(),
    }
}

fn without_feed(line: &str) -> &str {
    line.strip_suffix('\n').unwrap_or(line)
}
