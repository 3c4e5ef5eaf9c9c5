//! The font table: the current font decides how bytes are decoded.

use std::collections::BTreeMap;

use super::super::code_page::CodePage;
use crate::formats::symbol_font::SymbolFont;

/// Bytes of a font's name that are kept.
const NAME_BYTES: usize = 64;

#[derive(Debug, Default)]
struct Font {
    page: Option<CodePage>,
    /// Whether the character set marks it as a symbol font; its name says which one, if any.
    has_signs: bool,
    name: Vec<u8>,
}

/// Fonts by their number.
#[derive(Debug, Default)]
pub(super) struct Fonts(BTreeMap<i32, Font>);

impl Fonts {
    fn entry(&mut self, number: Option<i32>) -> &mut Font {
        self.0.entry(number.unwrap_or(0)).or_default()
    }

    /// Sets a font's character set or code page.
    pub(super) fn set(&mut self, number: Option<i32>, word: &str, value: i32) {
        let font = self.entry(number);
        font.has_signs = word == "fcharset" && value == 2;
        font.page = match word {
            "cpg" => CodePage::numbered(value),
            _ => CodePage::of_charset(value),
        };
    }

    /// Adds a piece of a font's name.
    pub(super) fn name(&mut self, number: Option<i32>, bytes: &[u8]) {
        let name = &mut self.entry(number).name;
        let room = NAME_BYTES.saturating_sub(name.len());
        name.extend(bytes.iter().take(room));
    }

    /// The code page of a font; `None` if it is the document's.
    pub(super) fn page(&self, number: Option<i32>) -> Option<CodePage> {
        match self.symbols(number) {
            Some(symbols) => Some(CodePage::Symbols(symbols)),
            None => self.0.get(&number?)?.page,
        }
    }

    /// Returns which symbol font this is, if it is one.
    pub(super) fn symbols(&self, number: Option<i32>) -> Option<SymbolFont> {
        let font = self.0.get(&number?).filter(|font| font.has_signs)?;
        let name = String::from_utf8_lossy(&font.name);
        SymbolFont::named(name.trim_end_matches(';'))
    }
}
