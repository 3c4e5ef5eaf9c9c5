//! Converts the characters of a document to text: breaks, cells, fields.

use encoding_rs::{Encoding, UTF_16LE};
use simdex_extract::Fact;

use crate::sink::Sink;

/// Fields that are filled in by hand.
const FORM_FIELDS: &[&str] = &["FORMTEXT", "FORMCHECKBOX", "FORMDROPDOWN"];
/// Fields that take their content from elsewhere.
const EXTERNAL_FIELDS: &[&str] = &["INCLUDETEXT", "INCLUDEPICTURE", "LINK", "DDE", "DDEAUTO"];
/// Bytes of an instruction that are kept.
const MAX_INSTRUCTION: usize = 256;

/// Writes one part of a document.
pub(super) struct TextWriter<'a> {
    encoding: &'static Encoding,
    sink: &'a mut Sink,
    /// For each open field, whether its result has begun.
    fields: Vec<bool>,
    /// Open fields whose instruction is being read: nothing is written then.
    instructions: usize,
    instruction: String,
    /// Whether the last character ended a cell; another then ends the row.
    after_cell: bool,
}

impl<'a> TextWriter<'a> {
    pub(super) fn new(encoding: &'static Encoding, sink: &'a mut Sink) -> Self {
        Self {
            encoding,
            sink,
            fields: Vec::new(),
            instructions: 0,
            instruction: String::new(),
            after_cell: false,
        }
    }

    /// Writes characters of 16 bits, or of 8.
    pub(super) fn write(&mut self, bytes: &[u8], is_wide: bool) {
        let encoding = if is_wide { UTF_16LE } else { self.encoding };
        // Bounded pieces, each with whole 16-bit characters.
        for bytes in bytes.chunks(64 << 10) {
            let (text, _) = encoding.decode_without_bom_handling(bytes);
            let mut rest = &*text;
            while let Some(at) = rest.find(|c: char| c < ' ' || self.instructions > 0) {
                self.plain(&rest[..at]);
                let mut after = rest[at..].chars();
                after.next().into_iter().for_each(|c| self.special(c));
                rest = after.as_str();
            }
            self.plain(rest);
            if self.sink.is_full() {
                return;
            }
        }
    }

    pub(super) fn end(self) {
        self.sink.newline();
    }

    fn plain(&mut self, text: &str) {
        if self.instructions > 0 {
            let room = MAX_INSTRUCTION.saturating_sub(self.instruction.len());
            self.instruction.extend(text.chars().take(room));
        } else if !text.is_empty() {
            if std::mem::take(&mut self.after_cell) {
                self.sink.separate('\t');
            }
            self.sink.push(text);
        }
    }

    /// A control character, or any character in an instruction.
    fn special(&mut self, c: char) {
        match c {
            '\u{13}' => {
                self.fields.push(false);
                self.instructions += 1;
                self.instruction.clear();
            }
            '\u{14}' => self.start_result(),
            '\u{15}' => self.end_field(),
            c if self.instructions > 0 => self.plain(c.encode_utf8(&mut [0; 4])),
            '\u{7}' if std::mem::take(&mut self.after_cell) => self.sink.newline(),
            '\u{7}' => self.after_cell = true,
            '\t' => self.plain("\t"),
            '\u{b}' | '\u{c}' | '\r' | '\n' | '\u{e}' => {
                self.after_cell = false;
                self.sink.newline();
            }
            '\u{1e}' => self.plain("-"),
            // Pictures, references to notes and comments, soft hyphens, separators.
            _ => {}
        }
    }

    fn start_result(&mut self) {
        if let Some(in_result @ false) = self.fields.last_mut() {
            *in_result = true;
            self.instructions -= 1;
            let word = self.instruction.split_whitespace().next().unwrap_or("");
            let is_one_of =
                |names: &[&str]| names.iter().any(|name| word.eq_ignore_ascii_case(name));
            self.sink
                .count(Fact::FormFields, is_one_of(FORM_FIELDS).into());
            self.sink
                .count(Fact::External, is_one_of(EXTERNAL_FIELDS).into());
        }
    }

    /// Equations have no result. Ruby text above characters is made with them: that stays.
    fn end_field(&mut self) {
        if self.fields.pop() != Some(false) {
            return;
        }
        self.instructions -= 1;
        let instruction = std::mem::take(&mut self.instruction);
        let is_reading = instruction.trim_start().starts_with("EQ") && instruction.contains("\\up");
        if let Some((_, base)) = instruction.rsplit_once(',').filter(|_| is_reading) {
            self.plain(base.trim_end().trim_end_matches(')'));
        }
    }
}
