//! Texts of many countries and ages.

use super::*;
use proptest::prelude::*;

fn read(bytes: &[u8]) -> String {
    decode(bytes, None, &mut Sink::of(0))
}

fn utf16(text: &str, big: bool) -> Vec<u8> {
    let bytes = |unit: u16| {
        if big {
            unit.to_be_bytes()
        } else {
            unit.to_le_bytes()
        }
    };
    text.encode_utf16().flat_map(bytes).collect()
}

#[test]
fn utf16_is_found_by_mark_and_by_zero_bytes() {
    let text = "Grüße aus Zürich, and more.";
    assert_eq!(read(&utf16(text, false)), text);
    assert_eq!(read(&utf16(text, true)), text);
    assert_eq!(read(&utf16(&format!("\u{feff}{text}"), true)), text);
}

#[test]
fn legacy_encodings_are_guessed() {
    let text = "Die Größe der Änderung überschreitet das zulässige Maß. Mit freundlichen Grüßen";
    let latin = encoding_rs::WINDOWS_1252.encode(text).0;
    assert_eq!(read(&latin), text);
    let japanese = "これは日本語の文章です。文字コードの判定を試します。";
    assert_eq!(read(&encoding_rs::SHIFT_JIS.encode(japanese).0), japanese);
}

#[test]
fn a_few_bad_bytes_do_not_turn_utf8_into_something_else() {
    let mut bytes = "äöü ".repeat(20).into_bytes();
    bytes.push(0xff);
    assert!(read(&bytes).starts_with("äöü"));
}

#[test]
fn a_declared_label_is_read_and_a_wrong_utf8_label_is_not_believed() {
    let html = b"<meta http-equiv=x content=\"text/html; charset=Windows-1251\">";
    assert_eq!(declared_label(html, "charset"), Some("Windows-1251"));
    assert_eq!(
        declared_label(b"<?xml encoding = 'koi8-r'?>", "encoding"),
        Some("koi8-r")
    );
    assert_eq!(declared_label(b"no label", "charset"), None);
    let latin = encoding_rs::WINDOWS_1252
        .encode("Größe, Änderung, Übermut")
        .0;
    let text = decode(&latin, Some("utf-8"), &mut Sink::of(0));
    assert_eq!(text, "Größe, Änderung, Übermut");
}

#[test]
fn control_characters_tell_binary_from_text() {
    assert!(is_text(b"plain\ttext\r\n\x0c\x1b[1mbold"));
    assert!(is_text(&utf16("wide text without mark", false)));
    assert!(!is_text(b"\x7fELF\x02\x01\x01\0\0\0\0\0\0\0\0\0"));
    assert!(!is_text(&(0..=255).collect::<Vec<u8>>()));
}

fn utf32(text: &str, is_big: bool) -> Vec<u8> {
    let bytes = |c: char| {
        if is_big {
            u32::from(c).to_be_bytes()
        } else {
            u32::from(c).to_le_bytes()
        }
    };
    text.chars().flat_map(bytes).collect()
}

#[test]
fn utf32_is_found_by_mark_and_by_its_units() {
    let text = "Grüße, 日本語 and more.";
    for is_big in [false, true] {
        for (text, bytes) in [
            (text, utf32(text, is_big)),
            (text, utf32(&format!("\u{feff}{text}"), is_big)),
        ] {
            assert_eq!(read(&bytes), text);
            assert!(is_text(&bytes));
        }
    }
    assert_ne!(read(b"abcdefgh"), "");
}

#[test]
fn the_character_set_and_what_was_lost_are_stated() {
    let mut sink = Sink::of(0);
    decode("Größe".as_bytes(), Some("utf-8"), &mut sink);
    assert_eq!(sink.facts().iter().count(), 0);
    let mut bytes = encoding_rs::SHIFT_JIS
        .encode("これは日本語の文章です。文字コードの判定。")
        .0
        .into_owned();
    bytes.extend([0xff, b' ', 0xff]);
    decode(&bytes, Some("shift_jis"), &mut sink);
    let facts: Vec<_> = sink.facts().iter().collect();
    assert_eq!(
        facts,
        [(Fact::Charset, "Shift_JIS"), (Fact::Undecoded, "2")]
    );
}

#[test]
fn a_label_that_the_bytes_contradict_is_not_believed() {
    let mut sink = Sink::of(0);
    let text = "Die Größe der Änderung überschreitet das zulässige Maß.";
    assert_eq!(decode(text.as_bytes(), Some("iso-8859-1"), &mut sink), text);
    assert_eq!(
        decode(&utf16(text, false), Some("iso-8859-1"), &mut sink),
        text
    );
    let japanese = "これは日本語の文章です。文字コードの判定を試します。";
    let bytes = encoding_rs::EUC_JP.encode(japanese).0;
    assert_eq!(decode(&bytes, Some("shift_jis"), &mut sink), japanese);
}

#[test]
fn encodings_of_many_countries_are_guessed() {
    for (encoding, text) in [
        (
            encoding_rs::KOI8_U,
            "Это обычный русский текст, который написан в старой кодировке.",
        ),
        (
            encoding_rs::WINDOWS_1251,
            "Это обычный русский текст, который написан в старой кодировке.",
        ),
        (
            encoding_rs::GBK,
            "这是一个用于测试字符编码检测的中文文本，内容没有特别的意义。",
        ),
        (
            encoding_rs::BIG5,
            "這是一個用於測試字元編碼檢測的中文文本，內容沒有特別的意義。",
        ),
        (
            encoding_rs::EUC_KR,
            "이것은 문자 인코딩 감지를 시험하기 위한 한국어 문장입니다.",
        ),
        (
            encoding_rs::EUC_JP,
            "これは日本語の文章です。文字コードの判定を試します。",
        ),
    ] {
        assert_eq!(read(&encoding.encode(text).0), text, "{}", encoding.name());
    }
}

proptest! {
    #[test]
    fn any_text_in_utf8_is_itself(text in "\\PC{0,200}") {
        prop_assume!(!text.starts_with('\u{feff}') && !text.contains('\0'));
        prop_assert_eq!(read(text.as_bytes()), text);
    }

    #[test]
    fn any_bytes_decode_without_panic(bytes in proptest::collection::vec(any::<u8>(), 0..300)) {
        let _ = (read(&bytes), is_text(&bytes), declared_label(&bytes, "charset"));
    }
}
