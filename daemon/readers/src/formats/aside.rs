//! Text outside the body: headers, footers, notes and comments. It is held back while the body is written and follows
//! it, wherever the format stores it; so the same document gives the same text in every format.

use std::collections::BTreeSet;

use simdex_extract::{Fact, Reason};

use crate::sink::Sink;

/// The kinds of text outside the body, in the order in which they are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum AsideKind {
    Header,
    Footer,
    Note,
    Comment,
}

/// The body, pieces of text that are being collected apart from it, and the pieces held back.
///
/// Pieces nest: text is written to the innermost open one, or to the body. All of them together are limited to the room
/// that the body had.
pub(super) struct Streams<'a, K> {
    pub(super) sink: &'a mut Sink,
    open: Vec<(K, String)>,
    asides: Vec<(AsideKind, String)>,
    seen: BTreeSet<(AsideKind, String)>,
    held: usize,
    limit: usize,
    dropped: bool,
}

impl<'a, K> Streams<'a, K> {
    pub(super) fn new(sink: &'a mut Sink) -> Self {
        Self {
            limit: sink.room(),
            sink,
            open: Vec::new(),
            asides: Vec::new(),
            seen: BTreeSet::new(),
            held: 0,
            dropped: false,
        }
    }

    /// Appends to the innermost open piece, or to the body.
    pub(super) fn push(&mut self, text: &str) {
        match self.open.last_mut() {
            None => self.sink.push(text),
            Some((_, piece)) => {
                let room = self.limit.saturating_sub(self.held).min(text.len());
                let taken = text.floor_char_boundary(room);
                piece.push_str(&text[..taken]);
                self.held += taken;
                self.dropped |= taken < text.len();
            }
        }
    }

    /// Ends the line, unless one has just ended or nothing was written yet.
    pub(super) fn newline(&mut self) {
        match self.open.last() {
            None => self.sink.newline(),
            Some((_, piece)) if piece.is_empty() || piece.ends_with('\n') => {}
            Some(_) => self.push("\n"),
        }
    }

    /// Opens a piece.
    pub(super) fn begin(&mut self, kind: K) {
        self.open.push((kind, String::new()));
    }

    /// Closes the innermost piece and returns it.
    pub(super) fn end(&mut self) -> Option<(K, String)> {
        let piece = self.open.pop()?;
        self.held -= piece.1.len();
        Some(piece)
    }

    /// The innermost open piece's kind.
    pub(super) fn innermost(&mut self) -> Option<&mut K> {
        self.open.last_mut().map(|(kind, _)| kind)
    }

    /// Kinds of the open pieces, the innermost first.
    pub(super) fn kinds(&mut self) -> impl Iterator<Item = &mut K> {
        self.open.iter_mut().rev().map(|(kind, _)| kind)
    }

    /// Holds a piece back until the body is finished, and counts it. Headers and footers are stored with every section
    /// or page style: each text is kept once.
    pub(super) fn keep(&mut self, aside: AsideKind, text: &str) {
        let text = text.trim();
        if text.is_empty() {
            return;
        }
        match aside {
            AsideKind::Header | AsideKind::Footer
                if !self.seen.insert((aside, text.to_owned())) =>
            {
                return;
            }
            AsideKind::Header | AsideKind::Footer => {}
            AsideKind::Note => self.sink.count(Fact::Notes, 1),
            AsideKind::Comment => self.sink.count(Fact::Comments, 1),
        }
        if self.held + text.len() > self.limit {
            self.dropped = true;
        } else {
            self.held += text.len();
            self.asides.push((aside, text.to_owned()));
        }
    }

    /// Whether no more text is wanted.
    pub(super) fn is_full(&self) -> bool {
        self.dropped || self.sink.is_full()
    }

    /// Writes what was held back; returns why if something was dropped.
    pub(super) fn finish(mut self) -> Option<Reason> {
        self.asides.sort_by_key(|(aside, _)| *aside);
        for (_, text) in &self.asides {
            self.sink.newline();
            self.sink.push(text);
            self.sink.newline();
        }
        self.dropped.then_some(Reason::OutputLimit)
    }
}

/// Whether a header or footer is only a label of its fields, such as "Page".
pub(super) fn says_little(text: &str) -> bool {
    let words = text.split_whitespace();
    words
        .filter(|word| word.contains(char::is_alphanumeric))
        .count()
        < 2
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_follow_the_body_in_their_order_and_running_ones_stand_once() {
        let mut sink = Sink::of(1000);
        let mut streams = Streams::<()>::new(&mut sink);
        streams.keep(AsideKind::Note, "note");
        streams.keep(AsideKind::Header, "top ");
        streams.keep(AsideKind::Header, " top");
        streams.push("body");
        assert_eq!(streams.finish(), None);
        assert_eq!(sink.text(), "body\ntop\nnote\n");
        assert_eq!(sink.facts().number(Fact::Notes), 1);
    }

    #[test]
    fn what_is_held_is_bounded_by_the_room_and_said() {
        let mut sink = Sink::of(10);
        let mut streams = Streams::new(&mut sink);
        streams.begin(());
        streams.push("12345678");
        streams.push("more than fits");
        let piece = streams.end().map(|(_, text)| text);
        assert_eq!(piece.as_deref(), Some("12345678mo"));
        assert!(streams.is_full());
        assert_eq!(streams.finish(), Some(Reason::OutputLimit));
    }
}
