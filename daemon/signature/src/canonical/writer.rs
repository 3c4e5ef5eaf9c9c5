//! Canonical text under construction: the fast paths, the slow one, and the bound.

use super::number_sign;
use super::pieces::pieces;
use super::{fold_and_normalise, is_space, simple};

/// ASCII that is mapped at once, in bytes.
const STEP: usize = 16 << 10;

/// Joins runs of spaces, drops leading ones, and takes no more than fits.
pub(super) struct Writer {
    /// UTF-8 so far; never begins with a space, never holds two in a row, never longer than `most`.
    bytes: Vec<u8>,
    most: usize,
    /// A character did not fit: nothing is taken any more.
    full: bool,
}

impl Writer {
    /// A writer for a text of `length` bytes, of whose canonical form at most `most` are wanted.
    pub(super) fn new(length: usize, most: usize) -> Self {
        Self {
            bytes: Vec::with_capacity(most.min(length + length / 16)),
            most,
            full: false,
        }
    }

    /// What was taken so far.
    pub(super) fn written(&self) -> &[u8] {
        &self.bytes
    }

    /// Whether something did not fit.
    pub(super) fn is_full(&self) -> bool {
        self.full
    }

    /// Drops whole characters in the middle of what was taken.
    pub(super) fn drop_at(&mut self, at: usize, length: usize) {
        self.bytes.drain(at..at + length);
    }

    /// Takes text that ends where a line does, as far as there is room.
    pub(super) fn take(&mut self, mut text: &str) {
        while !text.is_empty() && !self.full {
            text = self.take_ascii(text);
            text = self.take_cluster(text);
        }
    }

    /// Takes the ASCII that `text` begins with, except a last character that a following
    /// combining mark may belong to. Returns the rest.
    fn take_ascii<'t>(&mut self, text: &'t str) -> &'t str {
        let ascii = ascii_prefix(text.as_bytes());
        let taken = if ascii == text.len() {
            ascii
        } else {
            ascii.saturating_sub(1)
        };
        let (run, rest) = text.split_at(taken);
        for step in run.as_bytes().chunks(STEP) {
            self.put_ascii(step);
            if self.full {
                break;
            }
        }
        rest
    }

    fn put_ascii(&mut self, run: &[u8]) {
        let mut end = self.bytes.len();
        self.make_room(run.len());
        self.bytes.resize(end + run.len(), 0);
        let mut after_space = end == 0 || self.bytes[end - 1] == b' ';
        for &byte in run {
            let mapped = ASCII[usize::from(byte)];
            let space = mapped == b' ';
            // Written either way; kept unless it is a second space.
            self.bytes[end] = mapped;
            end += usize::from(!(space && after_space));
            after_space = space;
        }
        self.bytes.truncate(end);
        self.cut();
    }

    /// Cuts what was written beyond the bound. A space at its end alone is nothing that is missed.
    fn cut(&mut self) {
        if let Some(beyond) = self.bytes.get(self.most..) {
            self.full = beyond.iter().any(|&byte| byte != b' ');
            self.bytes.truncate(self.most);
        }
    }

    /// Grows by doubling, but not past the bound by more than what is put at once.
    fn make_room(&mut self, more: usize) {
        let needed = self.bytes.len() + more;
        if needed > self.bytes.capacity() {
            let wanted = needed.max((2 * self.bytes.len()).min(self.most));
            self.bytes.reserve_exact(wanted - self.bytes.len());
        }
    }

    /// Takes characters up to the next run of ASCII. Returns the rest.
    fn take_cluster<'t>(&mut self, text: &'t str) -> &'t str {
        let mut rest = text;
        let mut chars = text.chars();
        let mut next = chars.next();
        while let Some(first) = next
            && !self.full
        {
            let after_first = chars.as_str();
            next = chars.next();
            let safe = |c: Option<char>| c.is_none_or(|c| simple::map(c).is_some());
            match simple::map(first) {
                Some(mapped) if safe(next) => {
                    self.put(mapped);
                    rest = after_first;
                }
                _ => {
                    let mut cluster_end = text.len() - after_first.len();
                    while !safe(next) {
                        cluster_end = text.len() - chars.as_str().len();
                        next = chars.next();
                    }
                    let start = text.len() - rest.len();
                    self.put_slowly(&text[start..cluster_end]);
                    rest = &text[cluster_end..];
                }
            }
            if rest.as_bytes().first().is_some_and(u8::is_ascii)
                && ascii_prefix(rest.as_bytes()) > 1
            {
                break;
            }
        }
        rest
    }

    /// The defining path, for any text that no combining mark follows.
    fn put_slowly(&mut self, text: &str) {
        for (run, sign) in number_sign::runs(text) {
            self.put_run(run);
            if let Some(sign) = sign.filter(|_| !self.full) {
                self.put(sign);
            }
            if self.full {
                return;
            }
        }
    }

    fn put_run(&mut self, run: &str) {
        let mut pieces = pieces(run);
        while let Some(piece) = pieces.next_piece() {
            for c in fold_and_normalise(piece) {
                self.put(if is_space(c) { ' ' } else { c });
                if self.full {
                    return;
                }
            }
        }
    }

    fn put(&mut self, c: char) {
        if c != ' ' {
            let length = c.len_utf8();
            if self.bytes.len() + length > self.most {
                self.full = true;
                return;
            }
            self.make_room(length);
            let mut utf8 = [0; 4];
            self.bytes
                .extend_from_slice(c.encode_utf8(&mut utf8).as_bytes());
        } else if self.bytes.last().is_some_and(|&last| last != b' ')
            && self.bytes.len() < self.most
        {
            self.make_room(1);
            self.bytes.push(b' ');
        }
    }

    pub(super) fn finish(mut self) -> String {
        if self.bytes.last() == Some(&b' ') {
            self.bytes.pop();
        }
        self.bytes.shrink_to_fit();
        // Whole characters are all that was ever written.
        String::from_utf8(self.bytes)
            .unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned())
    }
}

/// The length of the ASCII run at the front.
fn ascii_prefix(bytes: &[u8]) -> usize {
    let (words, _) = bytes.as_chunks::<16>();
    let whole = words.iter().take_while(|word| word.is_ascii()).count() * 16;
    whole
        + bytes[whole..]
            .iter()
            .take_while(|byte| byte.is_ascii())
            .count()
}

/// Canonical form of each ASCII byte.
const ASCII: [u8; 128] = {
    let mut table = [0; 128];
    let mut byte = 0;
    while byte < 128 {
        let value = byte as u8;
        table[byte] = if value <= b' ' || value == 0x7F {
            b' '
        } else {
            value.to_ascii_lowercase()
        };
        byte += 1;
    }
    table
};
