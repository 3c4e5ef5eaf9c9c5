//! Running headers, footers and page numbers: lines at the edge of pages that recur.

use std::collections::{HashMap, HashSet};

/// Lines at the edge of a page that may be running ones.
const EDGE_LINES: usize = 3;
/// Longest running line, in bytes.
const MAX_BYTES: usize = 300;
/// Fewer pages than this have no running lines.
const MIN_PAGES: usize = 3;

/// What was removed from the pages.
#[derive(Debug, Default)]
pub(super) struct Running {
    /// Each running line once, in its first form; a different number that is no page number makes it another line.
    /// Lines of page numbers alone are left out.
    pub(super) lines: Vec<String>,
    /// How many lines were removed.
    pub(super) count: u64,
}

/// Removes running lines from the edges of the pages; none if hardly anything would be left, since then the pages are
/// copies of each other.
pub(super) fn take(pages: &mut Vec<Vec<String>>) -> Running {
    if pages.len() < MIN_PAGES {
        return Running::default();
    }
    let repeats = Repeats::of(pages);
    let mut running = Running::default();
    let mut seen = HashSet::new();
    let mut bodies = pages.clone();
    for (index, page) in bodies.iter_mut().enumerate() {
        for edge in [Edge::Top, Edge::Bottom] {
            for (line, said) in repeats.take(index, edge, page) {
                running.count += 1;
                if said.contains(char::is_alphabetic) && seen.insert(said) {
                    running.lines.push(line);
                }
            }
        }
    }
    let filled = |pages: &[Vec<String>]| pages.iter().filter(|page| !is_blank(page)).count();
    if filled(&bodies) * 2 < filled(pages) {
        return Running::default();
    }
    *pages = bodies;
    running
}

fn is_blank(page: &[String]) -> bool {
    page.iter().all(|line| line.trim().is_empty())
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum Edge {
    Top,
    Bottom,
}

impl Edge {
    /// Indexes of the lines nearest to this edge that are not blank, the outermost first.
    fn lines(self, page: &[String]) -> Vec<usize> {
        let mut filled = (0..page.len()).filter(|&at| !page[at].trim().is_empty());
        match self {
            Self::Top => filled.take(EDGE_LINES).collect(),
            Self::Bottom => {
                let filled = std::iter::from_fn(|| filled.next_back());
                filled.take(EDGE_LINES).collect()
            }
        }
    }

    /// Cuts the page off after the innermost of `found`, and the blank lines there.
    fn cut(self, page: &mut Vec<String>, found: &[usize]) {
        let Some(&last) = found.last() else { return };
        match self {
            Self::Top => {
                page.drain(..=last);
                let blank = page
                    .iter()
                    .take_while(|line| line.trim().is_empty())
                    .count();
                page.drain(..blank);
            }
            Self::Bottom => {
                page.truncate(last);
                let blank = page
                    .iter()
                    .rev()
                    .take_while(|line| line.trim().is_empty())
                    .count();
                page.truncate(page.len() - blank);
            }
        }
    }
}

/// A line with its numbers separated.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Mask {
    text: String,
    numbers: Vec<i64>,
}

impl Mask {
    /// Numbers are runs of digits, and Roman numerals at either end of the line.
    fn of(line: &str) -> Self {
        let words: Vec<_> = super::words(line).collect();
        let mut mask = Self {
            text: String::new(),
            numbers: Vec::new(),
        };
        for (at, word) in words.iter().enumerate() {
            let outer = at == 0 || at + 1 == words.len();
            match roman(word).filter(|_| outer) {
                Some(number) => {
                    mask.numbers.push(number);
                    mask.text.push('#');
                }
                None => mask.digits(word),
            }
            mask.text.push(' ');
        }
        mask
    }

    fn digits(&mut self, word: &str) {
        let mut rest = word;
        while let Some(start) = rest.find(|c: char| c.is_ascii_digit()) {
            let (before, digits) = rest.split_at(start);
            let end = digits
                .find(|c: char| !c.is_ascii_digit())
                .unwrap_or(digits.len());
            self.text.push_str(before);
            self.text.push('#');
            // Numbers too long to be a page's are distinguished well enough by their length.
            self.numbers.push(digits[..end].parse().unwrap_or(-1));
            rest = &digits[end..];
        }
        self.text.push_str(rest);
    }

    /// Whether a line of nothing but numbers may be a page number: `7`, `- 7 -`, `7 / 12`.
    fn is_number_only(&self) -> bool {
        !self.text.contains(char::is_alphabetic)
    }
}

/// The value of a Roman numeral of up to 3999 in lower or upper case.
fn roman(word: &str) -> Option<i64> {
    const SIGNS: [(&str, i64); 13] = [
        ("m", 1000),
        ("cm", 900),
        ("d", 500),
        ("cd", 400),
        ("c", 100),
        ("xc", 90),
        ("l", 50),
        ("xl", 40),
        ("x", 10),
        ("ix", 9),
        ("v", 5),
        ("iv", 4),
        ("i", 1),
    ];
    let lower = word.to_ascii_lowercase();
    if word != lower && word != word.to_ascii_uppercase() {
        return None;
    }
    let (mut rest, mut value) = (lower.as_str(), 0);
    for (sign, worth) in SIGNS {
        let max_repeats = if sign.len() == 1 && "mcxi".contains(sign) {
            3
        } else {
            1
        };
        for _ in 0..max_repeats {
            if let Some(after) = rest.strip_prefix(sign) {
                rest = after;
                value += worth;
            }
        }
    }
    (rest.is_empty() && value > 0).then_some(value)
}

/// A number of a line: as it is, or relative to the page.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum Number {
    Same(i64),
    Counting(i64),
}

/// How often lines recur at an edge.
struct Repeats {
    /// Minimum number of pages with a running line.
    min_pages: usize,
    lines: HashMap<(Edge, String), Tally>,
    /// By edge, line and position of the number in it.
    numbers: HashMap<(Edge, String, usize, Number), Tally>,
}

/// How often something recurs on a nearby page: headers may alternate between odd and even pages.
#[derive(Debug, Default)]
struct Tally {
    last: usize,
    count: usize,
}

impl Tally {
    fn see(&mut self, index: usize) {
        let near = self.count == 0 || (1..=2).contains(&(index - self.last));
        self.count += usize::from(near);
        self.last = index;
    }
}

impl Repeats {
    fn of(pages: &[Vec<String>]) -> Self {
        let mut repeats = Self {
            min_pages: MIN_PAGES.min(pages.len().div_ceil(2)),
            lines: HashMap::new(),
            numbers: HashMap::new(),
        };
        for (index, page) in pages.iter().enumerate() {
            for edge in [Edge::Top, Edge::Bottom] {
                for at in edge.lines(page) {
                    repeats.count(index, edge, &page[at]);
                }
            }
        }
        repeats
    }

    /// Removes the running lines at an edge of a page, the outermost first; returns each with its key.
    fn take(&self, index: usize, edge: Edge, page: &mut Vec<String>) -> Vec<(String, String)> {
        let lines = edge.lines(page).into_iter();
        let found: Vec<_> = lines
            .map_while(|at| Some((at, self.said(index, edge, &page[at])?)))
            .collect();
        let ats: Vec<usize> = found.iter().map(|(at, _)| *at).collect();
        let lines = found.into_iter();
        let lines = lines
            .map(|(at, said)| (page[at].trim().to_owned(), said))
            .collect();
        edge.cut(page, &ats);
        lines
    }

    fn count(&mut self, index: usize, edge: Edge, line: &str) {
        if line.len() > MAX_BYTES {
            return;
        }
        let mask = Mask::of(line);
        for (at, &number) in mask.numbers.iter().enumerate() {
            for number in variants(number, index) {
                let key = (edge, mask.text.clone(), at, number);
                self.numbers.entry(key).or_default().see(index);
            }
        }
        self.lines.entry((edge, mask.text)).or_default().see(index);
    }

    /// The key of a running line on the page with this index: its text and those of its numbers that are no page
    /// numbers. `None` if it is no running line, which recurs, and each of whose numbers recurs or counts the pages. A
    /// line of numbers alone has to count pages.
    fn said(&self, index: usize, edge: Edge, line: &str) -> Option<String> {
        if line.len() > MAX_BYTES {
            return None;
        }
        let mask = Mask::of(line);
        let enough =
            |tally: Option<&Tally>| tally.is_some_and(|tally| tally.count >= self.min_pages);
        let fits = |at: usize, number: Number| {
            enough(self.numbers.get(&(edge, mask.text.clone(), at, number)))
        };
        let mut counting = 0;
        let mut said = mask.text.clone();
        for (at, &number) in mask.numbers.iter().enumerate() {
            let [same, counts] = variants(number, index).map(|number| fits(at, number));
            counting += usize::from(counts);
            match (same, counts) {
                (true, _) => said.push_str(&format!("{number} ")),
                (false, true) => said.push_str("# "),
                (false, false) => return None,
            }
        }
        let counted = !mask.is_number_only() || counting > 0 && mask.numbers.len() <= 2;
        let known = enough(self.lines.get(&(edge, mask.text.clone())));
        (counted && known).then_some(said)
    }
}

fn variants(number: i64, index: usize) -> [Number; 2] {
    let index = i64::try_from(index).unwrap_or(i64::MAX);
    [
        Number::Same(number),
        Number::Counting(number.saturating_sub(index)),
    ]
}
