//! Converts the characters of a document to text: breaks, cells, fields.

use encoding_rs::{Encoding, UTF_16LE};
use simdex_extract::Fact;

use crate::formats::field::{self, Form, MAX_INSTRUCTION};
use crate::formats::text_style::TextStyle;
use crate::sink::Sink;

/// Fields that are filled in by hand.
const FORM_FIELDS: &[&str] = &["FORMTEXT", "FORMCHECKBOX", "FORMDROPDOWN"];
/// Fields that take their content from elsewhere.
const EXTERNAL_FIELDS: &[&str] = &["INCLUDETEXT", "INCLUDEPICTURE", "LINK", "DDE", "DDEAUTO"];

/// The part of a field that is being read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Phase {
    Instruction,
    Result,
    /// A result that is left out: what the field shows was written.
    Replaced,
}

/// Writes one part of a document.
pub(super) struct TextWriter<'a> {
    encoding: &'static Encoding,
    sink: &'a mut Sink,
    /// Open fields, the innermost last.
    fields: Vec<Phase>,
    /// Open fields of which no result is being read: nothing is written then.
    instructions: usize,
    instruction: String,
    /// The state of the field whose instruction is being read, if it keeps one.
    form: Form,
    /// Whether the last character ended a cell; another then ends the row.
    after_cell: bool,
    /// The style of the characters.
    pub(super) style: TextStyle,
}

impl<'a> TextWriter<'a> {
    pub(super) fn new(encoding: &'static Encoding, sink: &'a mut Sink) -> Self {
        Self {
            encoding,
            sink,
            fields: Vec::new(),
            instructions: 0,
            instruction: String::new(),
            form: Form::default(),
            after_cell: false,
            style: TextStyle::default(),
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

    /// Writes a sign that a character stands for.
    pub(super) fn sign(&mut self, sign: char) {
        self.plain(sign.encode_utf8(&mut [0; 4]));
    }

    /// Notes the state of the field whose instruction is being read.
    pub(super) fn form(&mut self, form: Option<Form>) {
        self.form = form.unwrap_or_default();
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
            self.sink.push(&self.style.apply(text));
        }
    }

    /// A control character, or any character in an instruction.
    fn special(&mut self, c: char) {
        match c {
            '\u{13}' => {
                self.fields.push(Phase::Instruction);
                self.instructions += 1;
                self.instruction.clear();
                self.form = Form::default();
            }
            '\u{14}' => self.start_result(),
            '\u{15}' => self.end_field(),
            // A sign is no paragraph: the end of the field is missing.
            '\r' if self.fields.last() == Some(&Phase::Replaced) => {
                self.end_field();
                self.sink.newline();
            }
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
        if self.fields.last() != Some(&Phase::Instruction) {
            return;
        }
        let word = self.instruction.split_whitespace().next().unwrap_or("");
        let is_one_of = |names: &[&str]| names.iter().any(|name| word.eq_ignore_ascii_case(name));
        let (is_form, is_external) = (is_one_of(FORM_FIELDS), is_one_of(EXTERNAL_FIELDS));
        self.sink.count(Fact::FormFields, is_form.into());
        self.sink.count(Fact::External, is_external.into());
        self.fields.pop();
        self.instructions -= 1;
        let is_shown = self.show();
        self.instructions += usize::from(is_shown);
        self.fields.push(match is_shown {
            true => Phase::Replaced,
            false => Phase::Result,
        });
    }

    /// Writes what the field whose instruction has ended shows by itself; returns whether it does.
    fn show(&mut self) -> bool {
        let form = std::mem::take(&mut self.form);
        let shown = form.shown().map(str::to_owned);
        let shown = shown.or_else(|| field::shown(&self.instruction));
        // Its font, if it has one, is stated by the field.
        let style = self.style;
        self.style = style.without_symbols();
        self.plain(shown.as_deref().unwrap_or_default());
        self.style = style;
        shown.is_some()
    }

    fn end_field(&mut self) {
        let phase = self.fields.pop();
        if matches!(phase, None | Some(Phase::Result)) {
            return;
        }
        self.instructions -= 1;
        // Formulas have no result.
        if phase == Some(Phase::Instruction) {
            self.show();
        }
    }
}
