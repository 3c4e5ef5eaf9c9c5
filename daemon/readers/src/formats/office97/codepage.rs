//! Code pages by their Windows numbers, and by the languages that use them.

use encoding_rs as e;
use encoding_rs::Encoding;

const NUMBERS: &[(u16, &Encoding)] = &[
    (866, e::IBM866),
    (874, e::WINDOWS_874),
    (932, e::SHIFT_JIS),
    (936, e::GBK),
    (949, e::EUC_KR),
    (950, e::BIG5),
    (1200, e::UTF_16LE),
    (1201, e::UTF_16BE),
    (1250, e::WINDOWS_1250),
    (1251, e::WINDOWS_1251),
    (1252, e::WINDOWS_1252),
    (1253, e::WINDOWS_1253),
    (1254, e::WINDOWS_1254),
    (1255, e::WINDOWS_1255),
    (1256, e::WINDOWS_1256),
    (1257, e::WINDOWS_1257),
    (1258, e::WINDOWS_1258),
    (10000, e::MACINTOSH),
    (10007, e::X_MAC_CYRILLIC),
    (20866, e::KOI8_R),
    (21866, e::KOI8_U),
    (0x8000, e::MACINTOSH),
    (54936, e::GB18030),
    (65001, e::UTF_8),
];

/// Primary language numbers and code pages of languages that are not western.
const LANGUAGES: &[(u16, u16)] = &[
    (0x01, 1256),
    (0x02, 1251),
    (0x04, 936),
    (0x05, 1250),
    (0x08, 1253),
    (0x0d, 1255),
    (0x0e, 1250),
    (0x11, 932),
    (0x12, 949),
    (0x15, 1250),
    (0x18, 1250),
    (0x19, 1251),
    (0x1a, 1250),
    (0x1b, 1250),
    (0x1e, 874),
    (0x1f, 1254),
    (0x22, 1251),
    (0x23, 1251),
    (0x24, 1250),
    (0x25, 1257),
    (0x26, 1257),
    (0x27, 1257),
    (0x29, 1256),
];

/// The encoding of a code page; western if the number is not known.
pub(super) fn encoding(number: u16) -> &'static Encoding {
    let found = NUMBERS.iter().find(|(known, _)| *known == number);
    found.map_or(e::WINDOWS_1252, |(_, encoding)| encoding)
}

/// The encoding of 8-bit text in a language [MS-LCID].
pub(super) fn encoding_of_language(lid: u16) -> &'static Encoding {
    // Traditional Chinese shares its primary number with the simplified one.
    if matches!(lid, 0x0404 | 0x0c04 | 0x1404) {
        return e::BIG5;
    }
    let found = LANGUAGES
        .iter()
        .find(|(language, _)| *language == lid & 0x3ff);
    found.map_or(e::WINDOWS_1252, |(_, number)| encoding(*number))
}
