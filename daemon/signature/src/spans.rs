//! The spans that two texts share: all parts of one text that occur in the other, with their positions there.
//!
//! Containment counts the windows of w bytes that are in both. Here every window of one text is looked up among those
//! of the other, and the equal text around it is a span, so that the spans hold exactly the windows that were counted;
//! a window that lies across the end of a span is looked up too. If texts are too long or share too many short pieces,
//! some windows are left out and counted. Linear in both lengths.

mod places;
#[cfg(test)]
mod tests;

use crate::fingerprint::Fingerprint;
use crate::rolling::RabinTables;
use places::Places;

/// A run of bytes equal in two inputs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Span {
    /// Where its first byte is in the first input, counted from 0.
    pub offset_a: u64,
    /// Where its first byte is in the second input, counted from 0.
    pub offset_b: u64,
    /// Length in bytes; at least 1.
    pub length: u64,
}

impl Span {
    const fn end_a(self) -> u64 {
        self.offset_a + self.length
    }
}

/// What of one text is in another.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SharedSpans {
    /// Ascending and disjoint in the first text, each as long as it can be.
    pub spans: Vec<Span>,
    /// How many distinct windows that both texts have lie in the text that the spans cover; none where all do.
    pub covered: Option<u64>,
}

/// What bounds the work and the answer.
#[derive(Clone, Copy, Debug)]
struct Limits {
    /// Windows of the second text that are indexed; of a longer text only every second, third …
    indexed: usize,
    /// Spans that are returned; of more the longest.
    spans: usize,
}

const LIMITS: Limits = Limits {
    indexed: 2 << 20,
    spans: 1 << 16,
};

impl Limits {
    /// Spans of a text of this length: of more than one in four bytes most say nothing.
    fn spans_of(self, length: u64) -> usize {
        self.spans.min(length as usize / 4 + 16)
    }
}

/// The text of `a` that `b` has, from `width` bytes on, in at most so many spans, and never more than 65,536. Nothing
/// that is not equal is ever returned. Of several places in `b` the one that continues the span before is taken, else
/// the next one, else the first.
pub fn shared_spans(a: &[u8], b: &[u8], width: usize, most: usize) -> SharedSpans {
    let spans = LIMITS.spans.min(most);
    within(a, b, width, Limits { spans, ..LIMITS })
}

/// The most that finding the spans of two texts takes beside them, in bytes.
pub fn peak_bytes(a: u64, b: u64) -> u64 {
    let most = LIMITS.indexed as u64;
    let spans = LIMITS.spans_of(a) as u64;
    Places::PEAK_BYTES * b.min(most) + 8 * a.min(most) + 2 * spans * size_of::<Span>() as u64
}

fn within(a: &[u8], b: &[u8], width: usize, limits: Limits) -> SharedSpans {
    let tables = RabinTables::new(width);
    let places = Places::of(b, &tables, limits.indexed);
    let mut scan = Scan {
        texts: [a, b],
        width,
        places: &places,
        most: limits.spans_of(a.len() as u64),
        spans: Vec::new(),
        end: (0, 0),
        is_cut: false,
    };
    let mut at = 0;
    tables.for_each(a, |fingerprint| {
        scan.window(at, fingerprint);
        at += 1;
    });
    scan.keep_longest();
    let is_whole = !scan.is_cut && places.step() == 1;
    let spans = scan.spans;
    let covered = (!is_whole).then(|| covered(a, &spans, (&tables, &places), limits.indexed));
    SharedSpans { spans, covered }
}

/// The windows of the first text, one after another.
struct Scan<'s> {
    texts: [&'s [u8]; 2],
    width: usize,
    places: &'s Places<'s>,
    most: usize,
    spans: Vec<Span>,
    /// Where the span before ends in both texts.
    end: (usize, usize),
    /// Whether spans were left out.
    is_cut: bool,
}

impl Scan<'_> {
    fn window(&mut self, at: usize, fingerprint: Fingerprint) {
        let (end_a, end_b) = self.end;
        // Windows within the span before.
        if at + self.width <= end_a {
            return;
        }
        let [a, b] = self.texts;
        let window = &a[at..at + self.width];
        let ahead = (end_b + at).checked_sub(end_a).filter(|place| {
            let goes_on = at >= end_a && end_a > 0;
            goes_on && b.get(*place..*place + self.width) == Some(window)
        });
        let found = ahead.or_else(|| self.places.find(window, fingerprint, end_b));
        let Some(place) = found else {
            return;
        };
        let forward = equal(a[at..].iter(), b[place..].iter());
        // What lies before the end of the span before belongs to that.
        let covered = end_a.saturating_sub(at);
        let (from_a, from_b) = (at + covered, place + covered);
        let back = equal(a[end_a..from_a].iter().rev(), b[..from_b].iter().rev());
        self.spans.push(Span {
            offset_a: (from_a - back) as u64,
            offset_b: (from_b - back) as u64,
            length: (back + forward - covered) as u64,
        });
        self.end = (at + forward, place + forward);
        if self.spans.len() > 2 * self.most {
            self.keep_longest();
        }
    }

    /// Leaves out the shortest where there are too many.
    fn keep_longest(&mut self) {
        if self.spans.len() > self.most {
            self.spans
                .sort_by_key(|span| std::cmp::Reverse(span.length));
            self.spans.truncate(self.most);
            self.spans.sort_by_key(|span| span.offset_a);
            self.is_cut = true;
        }
    }
}

fn equal<'t>(a: impl Iterator<Item = &'t u8>, b: impl Iterator<Item = &'t u8>) -> usize {
    a.zip(b).take_while(|(x, y)| x == y).count()
}

/// How many distinct windows lie in the text that spans cover and are known to be in the other text, counted in
/// parts of at most about so many.
fn covered(
    a: &[u8],
    spans: &[Span],
    (tables, places): (&RabinTables, &Places<'_>),
    at_once: usize,
) -> u64 {
    let parts = (a.len() / at_once.max(1) + 1) as u64;
    let width = tables.width();
    let mut count = 0;
    for part in 0..parts {
        let (mut found, mut at, mut next) = (Vec::new(), 0, 0);
        tables.for_each(a, |fingerprint| {
            let (from, to) = (at as u64, (at + width) as u64);
            at += 1;
            while spans.get(next).is_some_and(|span| span.end_a() <= from) {
                next += 1;
            }
            if fingerprint.0 % parts != part {
                return;
            }
            let Some(span) = spans.get(next).filter(|span| span.offset_a <= from) else {
                return;
            };
            let is_known = || {
                let window = &a[at - 1..at - 1 + width];
                is_joined(&spans[next..], to) && places.find(window, fingerprint, 0).is_some()
            };
            if to <= span.end_a() || is_known() {
                found.push(fingerprint);
            }
        });
        found.sort_unstable();
        found.dedup();
        count += found.len() as u64;
    }
    count
}

/// Whether spans touch each other up to an end.
fn is_joined(spans: &[Span], end: u64) -> bool {
    let mut reached = spans.first().map_or(0, |first| first.offset_a);
    for span in spans {
        if span.offset_a != reached {
            return false;
        }
        reached = span.end_a();
        if reached >= end {
            return true;
        }
    }
    false
}
