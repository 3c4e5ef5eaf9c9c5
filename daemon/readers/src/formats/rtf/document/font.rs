//! The font table: which font is in use decides how bytes become characters.

use std::collections::BTreeMap;

use super::super::code_page::CodePage;

/// Fonts of pictures, by the beginning of their name.
const PICTURES: [&[u8]; 4] = [b"Symbol", b"Wingdings", b"Webdings", b"ZapfDingbats"];
/// Bytes of a font's name that are kept.
const NAME_BYTES: usize = 64;

#[derive(Debug, Default)]
struct Font {
    page: Option<CodePage>,
    /// Set where the character set says that it is a font of pictures; its name decides.
    pictures: bool,
    name: Vec<u8>,
}

/// Fonts by their number.
#[derive(Debug, Default)]
pub(super) struct Fonts(BTreeMap<i32, Font>);

impl Fonts {
    fn entry(&mut self, number: Option<i32>) -> &mut Font {
        self.0.entry(number.unwrap_or(0)).or_default()
    }

    /// Takes a font's character set or code page.
    pub(super) fn set(&mut self, number: Option<i32>, word: &str, value: i32) {
        let font = self.entry(number);
        font.pictures = word == "fcharset" && value == 2;
        font.page = match word {
            "cpg" => CodePage::numbered(value),
            _ => CodePage::of_charset(value),
        };
    }

    /// Takes a piece of a font's name.
    pub(super) fn name(&mut self, number: Option<i32>, bytes: &[u8]) {
        let name = &mut self.entry(number).name;
        let room = NAME_BYTES.saturating_sub(name.len());
        name.extend(bytes.iter().take(room));
    }

    /// The code page of a font; `None` where it is the document's.
    pub(super) fn page(&self, number: Option<i32>) -> Option<CodePage> {
        let font = self.0.get(&number?)?;
        let known = |name: &&[u8]| font.name.starts_with(name);
        if font.pictures && PICTURES.iter().any(known) {
            Some(CodePage::Symbols)
        } else {
            font.page
        }
    }
}
