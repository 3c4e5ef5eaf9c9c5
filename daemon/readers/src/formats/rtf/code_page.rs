//! Code pages of RTF: by their number (`\ansicpg`, `\cpg`) or by a font's character set
//! (`\fcharset`).

use encoding_rs::Encoding;

use crate::charset::dos::{self, DOS_437, DOS_850, DOS_852};
use crate::formats::symbol_font::SymbolFont;

/// How bytes become characters.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::formats) enum CodePage {
    Known(&'static Encoding),
    /// A DOS code page: ASCII, and these characters from 128 on.
    Dos(&'static str),
    /// Characters of a symbol font.
    Symbols(SymbolFont),
}

/// Labels of the code pages that have one other than `windows-` or `iso-8859-` and a number.
const LABELS: &[(i32, &str)] = &[
    (708, "iso-8859-6"),
    (866, "ibm866"),
    (932, "shift_jis"),
    (936, "gbk"),
    (949, "euc-kr"),
    (950, "big5"),
    (1361, "euc-kr"),
    (10000, "macintosh"),
    (10001, "shift_jis"),
    (10002, "big5"),
    (10003, "euc-kr"),
    (10007, "x-mac-cyrillic"),
    (10008, "gbk"),
    (20866, "koi8-r"),
    (20127, "us-ascii"),
    (20932, "euc-jp"),
    (21866, "koi8-u"),
    (50220, "iso-2022-jp"),
    (50221, "iso-2022-jp"),
    (50222, "iso-2022-jp"),
    (51932, "euc-jp"),
    (51949, "euc-kr"),
    (54936, "gb18030"),
    (65001, "utf-8"),
];

/// Character sets of fonts and their code pages.
const CHARSETS: &[(i32, i32)] = &[
    (0, 1252),
    (77, 10000),
    (78, 932),
    (79, 949),
    (80, 936),
    (81, 950),
    (89, 10007),
    (128, 932),
    (129, 949),
    (130, 1361),
    (134, 936),
    (136, 950),
    (161, 1253),
    (162, 1254),
    (163, 1258),
    (177, 1255),
    (178, 1256),
    (186, 1257),
    (204, 1251),
    (222, 874),
    (238, 1250),
    (254, 437),
    (255, 850),
];

impl CodePage {
    /// The code page of that number.
    pub(in crate::formats) fn numbered(number: i32) -> Option<Self> {
        let label = match number {
            437 => return Some(Self::Dos(DOS_437)),
            850 => return Some(Self::Dos(DOS_850)),
            852 => return Some(Self::Dos(DOS_852)),
            874 | 1250..=1258 => format!("windows-{number}"),
            28591..=28606 => format!("iso-8859-{}", number - 28590),
            _ => LABELS
                .iter()
                .find(|(known, _)| *known == number)?
                .1
                .to_owned(),
        };
        Encoding::for_label(label.as_bytes()).map(Self::Known)
    }

    /// The code page of a font's character set; `None` if it is the document's.
    pub(super) fn of_charset(charset: i32) -> Option<Self> {
        let (_, page) = CHARSETS.iter().find(|(known, _)| *known == charset)?;
        Self::numbered(*page)
    }

    /// Characters of `bytes`, and how many of them are lost.
    pub(in crate::formats) fn decode(self, bytes: &[u8]) -> (String, usize) {
        match self {
            Self::Known(encoding) => {
                let (text, lossy) = encoding.decode_without_bom_handling(bytes);
                let lost = if lossy {
                    text.matches('\u{fffd}').count()
                } else {
                    0
                };
                (text.into_owned(), lost)
            }
            Self::Dos(upper) => (dos::decode(bytes, upper), 0),
            Self::Symbols(font) => (bytes.iter().map(|byte| font.character(*byte)).collect(), 0),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_listed_page_is_known_and_dos_pages_are_complete() {
        for (number, label) in LABELS {
            assert!(CodePage::numbered(*number).is_some(), "{label}");
        }
        for (charset, _) in CHARSETS {
            assert!(CodePage::of_charset(*charset).is_some(), "{charset}");
        }
        for upper in [DOS_437, DOS_850, DOS_852] {
            assert_eq!(upper.chars().count(), 128);
        }
        assert_eq!(CodePage::of_charset(1), None);
    }

    #[test]
    fn bytes_are_read_by_their_page() {
        let read = |number, bytes| CodePage::numbered(number).unwrap().decode(bytes);
        assert_eq!(read(1251, b"\xcf\xf0"), ("Пр".into(), 0));
        assert_eq!(read(932, b"\x83\x65\x83\x58"), ("テス".into(), 0));
        assert_eq!(read(437, b"a\x84"), ("aä".into(), 0));
        assert_eq!(read(65001, b"a\xff"), ("a\u{fffd}".into(), 1));
        let symbols = CodePage::Symbols(SymbolFont::Symbol);
        assert_eq!(symbols.decode(b"\xb7 -"), ("• −".into(), 0));
    }
}
