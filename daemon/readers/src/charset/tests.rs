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

#[test]
fn utf16_of_other_scripts_is_found_without_a_mark() {
    for text in [
        "Настоящий договор заключён между двумя сторонами.\nОн действует 30 дней.\n",
        "この契約は三十日以内に解約することができる。\n第二条 支払いは月末に行う。\n",
        "이 계약은 30일 이내에 해지할 수 있다.\n제2조 지급은 월말에 한다.\n",
        "本合同自签字之日起三十日内有效。\n第二条 付款于月底进行。\n",
    ] {
        for is_big in [false, true] {
            let bytes = utf16(text, is_big);
            assert!(is_text(&bytes), "{text}");
            assert_eq!(read(&bytes), text);
        }
    }
    // Numbers of 16 bits, as in sound and in pictures, are no text.
    let sound = (0..4_000_u32).flat_map(|at| ((at * 7_919 % 30_011) as u16).to_le_bytes());
    assert!(!is_text(&sound.collect::<Vec<_>>()));
}

#[test]
fn escapes_select_japanese_and_korean() {
    let japanese = "契約書\n第一条 この契約は三十日以内に解約できる。\n";
    let bytes = encoding_rs::ISO_2022_JP.encode(japanese).0;
    assert!(bytes.is_ascii() && is_text(&bytes));
    assert_eq!(read(&bytes), japanese);
    let korean = "계약서 No. 7\n이 계약은 30일 이내에 해지할 수 있다.\n";
    let mut bytes = b"\x1b$)C".to_vec();
    for character in korean.chars() {
        let encoded = character.to_string();
        match encoding_rs::EUC_KR.encode(&encoded).0.as_ref() {
            [one] => bytes.push(*one),
            wide => {
                bytes.push(0x0e);
                bytes.extend(wide.iter().map(|byte| byte & 0x7f));
                bytes.push(0x0f);
            }
        }
    }
    assert!(is_text(&bytes));
    assert_eq!(read(&bytes), korean);
    let mut sink = Sink::of(0);
    decode(&bytes, None, &mut sink);
    let facts: Vec<_> = sink.facts().iter().collect();
    assert_eq!(facts, [(Fact::Charset, "ISO-2022-KR")]);
    // Colours of a terminal are escapes that select nothing.
    let coloured = "\u{1b}[31merror\u{1b}[0m: nothing to do (B$B)\n";
    assert_eq!(read(coloured.as_bytes()), coloured);
}

#[test]
fn texts_of_dos_and_old_macintoshes_are_not_taken_for_windows() {
    let german =
        "Die Prüfung der Größe erfolgt für jede Änderung. Höhere Beträge müssen geprüft werden.";
    let french =
        "La société a été créée à Paris; le contrat est réputé signé, même après la clôture.";
    let polish = "Umowa została zawarta między stronami. Każda ze stron może ją wypowiedzieć w ciągu trzydziestu dni, \
        jeżeli usługa nie będzie świadczona zgodnie z umową.";
    let russian = "Настоящий договор заключён между двумя сторонами. Каждая сторона имеет право его расторгнуть, \
        если другая нарушает условия. Общая сумма подлежит оплате в течение тридцати дней.";
    let dos = |text: &str, upper: &str| -> Vec<u8> {
        let byte = |c: char| match u8::try_from(c) {
            Ok(byte) if byte.is_ascii() => byte,
            _ => 128 + upper.chars().position(|known| known == c).unwrap() as u8,
        };
        text.chars().map(byte).collect()
    };
    for (text, bytes) in [
        (german, dos(german, dos::DOS_850)),
        (french, dos(french, dos::DOS_850)),
        (polish, dos(polish, dos::DOS_852)),
        (german, encoding_rs::MACINTOSH.encode(german).0.into_owned()),
        (french, encoding_rs::MACINTOSH.encode(french).0.into_owned()),
        (
            russian,
            encoding_rs::X_MAC_CYRILLIC.encode(russian).0.into_owned(),
        ),
    ] {
        assert!(is_text(&bytes), "{text}");
        assert_eq!(read(&bytes), text);
    }
}

/// Signs that stand between letters in Windows texts, and would be letters in DOS or on a Macintosh.
#[test]
fn texts_of_windows_stay_so_whatever_signs_they_hold() {
    for text in [
        "L’été dernier, l’équipe n’a pas livré: c’est à l’acheteur d’agir.",
        "Maße: A×B×C, D×E und F×G; 5 µm, 3 m², ±2°.",
        "She said “stop”and he said “go”then they said “no”again – never…always—or so.",
        "Il·lustració, col·lecció, paral·lel, intel·ligent.",
        "iPhone®Pro, Foo™Bar, Baz©Qux and C§D.",
    ] {
        let bytes = encoding_rs::WINDOWS_1252.encode(text).0;
        assert_eq!(read(&bytes), text);
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
