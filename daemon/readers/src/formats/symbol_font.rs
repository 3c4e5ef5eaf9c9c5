//! Symbol fonts, whose codes are symbols and not letters: Symbol itself and the fonts of boxes, ticks and arrows.
//!
//! Word processors write their characters as bytes in such a font, or as U+F000 plus the byte. A minus or a ticked box
//! changes what a text says, so each character is kept: as the Unicode character that looks like it if one is listed
//! here, and otherwise as the private use character that Word and PDFs use for it.

/// A font of symbols instead of letters.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::formats) enum SymbolFont {
    Symbol,
    Wingdings,
    Wingdings2,
    Webdings,
    /// A symbol font whose characters are not listed here.
    Other,
}

/// Characters of Symbol from 0x20 on (Adobe, "Symbol encoding").
const SYMBOL_LOW: &str = " !∀#∃%&∋()∗+,−./0123456789:;<=>?≅ΑΒΧΔΕΦΓΗΙϑΚΛΜΝΟΠΘΡΣΤΥςΩΞΨΖ[∴]⊥_‾αβχδεφγηιϕκλμνοπθρστυϖωξψζ{|}∼";
/// Characters of Symbol from 0xA0 on.
const SYMBOL_HIGH: &str =
    "€ϒ′≤⁄∞ƒ♣♦♥♠↔←↑→↓°±″≥×∝∂•÷≠≡≈…⏐⎯↵ℵℑℜ℘⊗⊕∅∩∪⊃⊇⊄⊂⊆∈∉∠∇®©™∏√⋅¬∧∨⇔⇐⇑⇒⇓◊〈®©™∑⎛⎜⎝⎡⎢⎣⎧⎨⎩⎪";
/// Characters of Symbol from 0xF1 on.
const SYMBOL_END: &str = "〉∫⌠⎮⌡⎞⎟⎠⎤⎥⎦⎫⎬⎭";

/// Characters of Wingdings that mark items and choices, point, or count.
const WINGDINGS: &[(u8, char)] = &[
    (0x22, '✂'),
    (0x28, '☎'),
    (0x4a, '☺'),
    (0x4c, '☹'),
    (0x6c, '●'),
    (0x6d, '❍'),
    (0x6e, '■'),
    (0x6f, '☐'),
    (0x70, '◻'),
    (0x71, '❑'),
    (0x72, '❒'),
    (0x73, '⬧'),
    (0x74, '⧫'),
    (0x75, '◆'),
    (0x76, '❖'),
    (0x77, '⬥'),
    (0x78, '☒'),
    (0xa1, '○'),
    (0xa7, '▪'),
    (0xa8, '☐'),
    (0xab, '★'),
    (0xd8, '➢'),
    (0xdf, '←'),
    (0xe0, '→'),
    (0xe1, '↑'),
    (0xe2, '↓'),
    (0xe8, '➔'),
    (0xf0, '⇨'),
    (0xfb, '✗'),
    (0xfc, '✓'),
    (0xfd, '☒'),
    (0xfe, '☑'),
];
const WINGDINGS_2: &[(u8, char)] = &[
    (0x4f, '✗'),
    (0x50, '✓'),
    (0x51, '☒'),
    (0x52, '☑'),
    (0x53, '☒'),
    (0x54, '☒'),
    (0x97, '●'),
    (0x99, '○'),
    (0xa2, '■'),
    (0xa3, '☐'),
];
const WEBDINGS: &[(u8, char)] = &[
    (0x61, '✓'),
    (0x63, '☐'),
    (0x67, '■'),
    (0x6e, '●'),
    (0x72, '✗'),
];

/// Bullets, which mark list items and say nothing: those that canonical text drops at the beginning of a line, and the
/// `o` of Courier New that Word uses for the second level. No private use character is one: U+F0A7 is a small square in
/// Wingdings and a club in Symbol.
#[cfg(feature = "rtf")]
const BULLETS: &[char] = &['o', '•', '‣', '▪', '◦', '▸', '►', '❖', '➢', '➤'];

impl SymbolFont {
    /// The font of this name, if it is a symbol font. PDFs name the same fonts `SymbolMT`, `Wingdings-Regular` and
    /// `Wingdings2`.
    pub(in crate::formats) fn named(name: &str) -> Option<Self> {
        let name = name.trim();
        let is = |names: &[&str]| names.iter().any(|known| name.eq_ignore_ascii_case(known));
        let has_prefix = |prefix: &str| {
            name.get(..prefix.len())
                .is_some_and(|start| start.eq_ignore_ascii_case(prefix))
        };
        match () {
            () if is(&["Symbol", "SymbolMT"]) => Some(Self::Symbol),
            () if is(&["Wingdings", "Wingdings-Regular"]) => Some(Self::Wingdings),
            () if is(&["Wingdings 2", "Wingdings2"]) => Some(Self::Wingdings2),
            () if is(&["Webdings"]) => Some(Self::Webdings),
            () if ["Symbol", "Wingdings", "Webdings", "ZapfDingbats"]
                .into_iter()
                .any(has_prefix) =>
            {
                Some(Self::Other)
            }
            () => None,
        }
    }

    /// The character for a code of this font.
    pub(in crate::formats) fn character(self, code: u8) -> char {
        let listed = |table: &[(u8, char)]| {
            let found = table.iter().find(|(known, _)| *known == code);
            found.map(|(_, character)| *character)
        };
        let known = match self {
            _ if code.is_ascii_whitespace() => Some(char::from(code)),
            Self::Symbol => symbol(code),
            Self::Wingdings => listed(WINGDINGS),
            Self::Wingdings2 => listed(WINGDINGS_2),
            Self::Webdings => listed(WEBDINGS),
            Self::Other => None,
        };
        known.unwrap_or_else(|| private(code))
    }

    /// The character that a private use character stands for; any other character is returned unchanged.
    pub(in crate::formats) fn of_private(self, character: char) -> char {
        let code = u32::from(character).checked_sub(0xf000);
        let code = code.and_then(|code| u8::try_from(code).ok());
        code.map_or(character, |code| self.character(code))
    }

    /// This text with the signs that its letters stand for: in a cell of a sheet a tick is an `ü` in Wingdings, as a
    /// formula writes it, too. Letters whose signs are not listed are kept, so that words in a font that is not listed
    /// stay.
    #[cfg(feature = "office")]
    pub(in crate::formats) fn signs_of_letters(self, text: &str) -> String {
        let sign = |letter| {
            let sign = code(letter).map(|code| self.character(code));
            sign.filter(|sign| !is_private(*sign)).unwrap_or(letter)
        };
        text.chars().map(sign).collect()
    }

    /// This text with the characters that its private use characters stand for.
    pub(in crate::formats) fn signs(self, text: &str) -> String {
        text.chars().map(|c| self.of_private(c)).collect()
    }
}

fn symbol(code: u8) -> Option<char> {
    let (table, first) = match code {
        0x20..=0x7e => (SYMBOL_LOW, 0x20),
        0xa0..=0xef => (SYMBOL_HIGH, 0xa0),
        0xf1..=0xfe => (SYMBOL_END, 0xf1),
        _ => return None,
    };
    table.chars().nth(usize::from(code - first))
}

fn private(code: u8) -> char {
    char::from_u32(0xf000 + u32::from(code)).unwrap_or(char::REPLACEMENT_CHARACTER)
}

#[cfg(feature = "office")]
fn is_private(character: char) -> bool {
    matches!(character, '\u{f000}'..='\u{f0ff}')
}

/// The code of a character in the code page that programs of sheets take the codes of a symbol font for. A no-break
/// space is a space, and no euro.
#[cfg(feature = "office")]
fn code(letter: char) -> Option<u8> {
    let mut utf_8 = [0; 4];
    let (bytes, _, is_lost) = encoding_rs::WINDOWS_1252.encode(letter.encode_utf8(&mut utf_8));
    match *bytes {
        [code] if !is_lost && code >= b' ' && letter != '\u{a0}' => Some(code),
        _ => None,
    }
}

/// Whether the label of a list item is a mere bullet.
#[cfg(feature = "rtf")]
pub(in crate::formats) fn is_bullet(label: &str) -> bool {
    let mut characters = label.trim().chars();
    match (characters.next(), characters.next()) {
        (Some(only), None) => BULLETS.contains(&only),
        (None, _) => true,
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn characters_of_symbol_stand_at_their_codes() {
        assert_eq!(SYMBOL_LOW.chars().count(), 0x7e - 0x20 + 1);
        assert_eq!(SYMBOL_HIGH.chars().count(), 0xef - 0xa0 + 1);
        assert_eq!(SYMBOL_END.chars().count(), 0xfe - 0xf1 + 1);
        let codes = [b'-', b'a', b'z', 0xb1, 0xb4, 0xb7, 0xb8, 0xd6, 0xe5, 0xfe];
        let text: String = codes
            .map(|code| SymbolFont::Symbol.character(code))
            .iter()
            .collect();
        assert_eq!(text, "−αζ±×•÷√∑⎭");
    }

    #[test]
    fn choices_differ_and_what_is_not_listed_stays_private() {
        let font = SymbolFont::named("Wingdings").unwrap();
        assert_eq!((font.character(0xfe), font.character(0xa8)), ('☑', '☐'));
        assert_eq!(font.of_private('\u{f0fd}'), '☒');
        assert_eq!(
            (font.character(0x21), font.of_private('x')),
            ('\u{f021}', 'x')
        );
        assert_eq!(SymbolFont::named("Wingdings 3"), Some(SymbolFont::Other));
        assert_eq!(SymbolFont::named("Arial"), None);
        assert_eq!(SymbolFont::Other.character(b' '), ' ');
    }

    #[cfg(feature = "office")]
    #[test]
    fn letters_of_a_cell_are_signs_if_those_are_listed() {
        let signs = |font, text| SymbolFont::named(font).unwrap().signs_of_letters(text);
        assert_eq!(signs("Wingdings", "ü û\tþ 12"), "✓ ✗\t☑ 12");
        assert_eq!(signs("Wingdings 2", "PO—™"), "✓✗●○");
        assert_eq!(signs("Symbol", "Dmм\u{a0}-5"), "Δμм\u{a0}−5");
        assert_eq!(signs("Wingdings 3", "a\u{f061}"), "a\u{f061}");
    }

    #[test]
    fn bullets_of_word_are_known_by_their_fonts_alone() {
        let sign = |font, code| SymbolFont::named(font).unwrap().of_private(code);
        assert_eq!(sign("Symbol", '\u{f0b7}'), '•');
        assert_eq!(sign("SymbolMT", '\u{f0a7}'), '♣');
        assert_eq!(sign("Symbol", '\u{f0d8}'), '¬');
        assert_eq!(sign("Wingdings-Regular", '\u{f0a7}'), '▪');
        assert_eq!(sign("Wingdings", '\u{f0d8}'), '➢');
        assert_eq!(sign("Wingdings", '\u{f0fc}'), '✓');
        // A clock.
        assert_eq!(sign("Wingdings", '\u{f0b7}'), '\u{f0b7}');
        assert_eq!(SymbolFont::named("MT Extra"), None);
    }

    #[cfg(feature = "rtf")]
    #[test]
    fn only_bullets_are_bullets() {
        assert!(["•", " o ", "▪", ""].into_iter().all(is_bullet));
        assert!(
            ![
                "-", "*", "☐", "☒", "1.", "−", "oo", "\u{f0a7}", "\u{f0b7}", "\u{f0d8}"
            ]
            .into_iter()
            .any(is_bullet)
        );
    }
}
