//! Composite fonts: with an embedded program, and of the character collections of Adobe.

use encoding_rs::{BIG5, EUC_KR, GBK, SHIFT_JIS};
use hayro_interpret::hayro_cmap::CMapName;

use super::super::table::predefined;
use super::*;

/// A composite font with an embedded `program` or without.
fn composite(encoding: &str, ordering: &str, more: &str, is_embedded: bool) -> Vec<String> {
    let file = if is_embedded { "/FontFile2 8 0 R" } else { "" };
    vec![
        format!(
            "<< /Type /Font /Subtype /Type0 /BaseFont /Some /Encoding {encoding} \
             /DescendantFonts [6 0 R] {more} >>"
        ),
        format!(
            "<< /Type /Font /Subtype /CIDFontType2 /BaseFont /Some /DW 1000 /FontDescriptor 7 0 R \
             /CIDSystemInfo << /Registry (Adobe) /Ordering ({ordering}) /Supplement 0 >> >>"
        ),
        format!("<< /Type /FontDescriptor /FontName /Some /Flags 4 {file} >>"),
        stream("program"),
        stream("another"),
    ]
}

fn hex(bytes: &[u8]) -> String {
    let digits: String = bytes.iter().map(|byte| format!("{byte:02X}")).collect();
    format!("<{digits}>")
}

fn big_endian(text: &str) -> Vec<u8> {
    text.encode_utf16().flat_map(u16::to_be_bytes).collect()
}

/// Every glyph that a collection may have, and none of them with a character.
fn silent_program() -> Vec<u8> {
    truetype::font(u16::MAX, &[], &[])
}

#[test]
fn glyphs_are_read_by_the_character_map_of_their_program() {
    let program = truetype::font(9, &[('т', 1), ('о', 2), ('ж', 3), ('e', 4)], &[]);
    let objects = composite("/Identity-H", "Identity", "", true);
    let pdf = page(&objects, &[(8, &program)], "<000100020003>");
    assert_eq!(read(&pdf), (Ok(None), "тож".to_owned()));
}

#[test]
fn glyphs_are_read_by_their_names() {
    let names = [
        ".notdef",
        "uniFEE3",
        "uni0644.init",
        "f_f_i",
        "space",
        "Zcaron",
    ];
    let program = truetype::font(6, &[], &names);
    let objects = composite("/Identity-H", "Identity", "", true);
    let pdf = page(&objects, &[(8, &program)], "<000300040005>");
    assert_eq!(read(&pdf).1, "ffi Ž");
    // Letters of Arabic are drawn from the left.
    let pdf = page(&objects, &[(8, &program)], "<00020001>");
    assert_eq!(read(&pdf).1, "\u{fee3}ل");
}

#[test]
fn a_map_from_cids_to_glyphs_is_followed() {
    let program = truetype::font(9, &[('a', 7), ('b', 8)], &[]);
    let mut objects = composite("/Identity-H", "Identity", "", true);
    objects[1] = objects[1].replace("/DW", "/CIDToGIDMap 9 0 R /DW");
    let contents: [(u32, &[u8]); 2] = [(8, &program), (9, &[0, 0, 0, 8, 0, 7])];
    assert_eq!(read(&page(&objects, &contents, "<00010002>")).1, "ba");
}

/// Encoding, collection, text and its codes.
fn encodings_of_east_asia() -> [(&'static str, &'static str, &'static str, Vec<u8>); 8] {
    let (chinese, japanese, korean) = ("中文字符", "日本語の文字", "한국어글자");
    let traditional = "繁體中文";
    [
        ("UniGB-UCS2-H", "GB1", chinese, big_endian(chinese)),
        ("UniJIS-UTF16-H", "Japan1", japanese, big_endian(japanese)),
        (
            "UniCNS-UTF16-H",
            "CNS1",
            traditional,
            big_endian(traditional),
        ),
        ("UniKS-UCS2-H", "Korea1", korean, big_endian(korean)),
        (
            "GBK-EUC-H",
            "GB1",
            chinese,
            GBK.encode(chinese).0.into_owned(),
        ),
        (
            "90ms-RKSJ-H",
            "Japan1",
            japanese,
            SHIFT_JIS.encode(japanese).0.into_owned(),
        ),
        (
            "ETen-B5-H",
            "CNS1",
            traditional,
            BIG5.encode(traditional).0.into_owned(),
        ),
        (
            "KSCms-UHC-H",
            "Korea1",
            korean,
            EUC_KR.encode(korean).0.into_owned(),
        ),
    ]
}

#[test]
fn codes_of_the_encodings_of_east_asia_are_read_embedded_or_not() {
    for (encoding, ordering, text, codes) in encodings_of_east_asia() {
        for is_embedded in [false, true] {
            let objects = composite(&format!("/{encoding}"), ordering, "", is_embedded);
            let pdf = page(&objects, &[(8, &silent_program())], &hex(&codes));
            assert_eq!(
                read(&pdf),
                (Ok(None), text.to_owned()),
                "{encoding} {is_embedded}"
            );
        }
    }
}

#[test]
fn numbers_of_published_collections_are_read_embedded_or_not() {
    let text = "日本語の文字";
    let codes = predefined(CMapName::UniJisUtf16H).unwrap();
    let cids = big_endian(text)
        .chunks(2)
        .flat_map(|unit| {
            let code = u32::from(u16::from_be_bytes([unit[0], unit[1]]));
            let cid = codes.lookup_cid_code(code, 2).unwrap();
            u16::try_from(cid).unwrap().to_be_bytes()
        })
        .collect::<Vec<_>>();
    for is_embedded in [false, true] {
        let objects = composite("/Identity-H", "Japan1", "", is_embedded);
        let pdf = page(&objects, &[(8, &silent_program())], &hex(&cids));
        assert_eq!(read(&pdf), (Ok(None), text.to_owned()), "{is_embedded}");
    }
}

#[test]
fn glyphs_that_nobody_knows_are_no_text() {
    let objects = composite("/Identity-H", "Identity", "", true);
    let pdf = page(&objects, &[(8, &silent_program())], "<0024002500260027>");
    assert_eq!(
        read(&pdf),
        (Err(Outcome::NoText(Reason::NeedsOcr)), String::new())
    );
}

#[test]
fn a_table_in_which_codes_mean_themselves_gives_way_to_the_program() {
    let identity = "begincmap 1 begincodespacerange <0000> <FFFF> endcodespacerange \
                    1 beginbfrange <0000> <FFFF> <0000> endbfrange endcmap";
    let objects = composite("/Identity-H", "Identity", "/ToUnicode 9 0 R", true);
    let program = truetype::font(0x30, &[('n', 0x24), ('o', 0x25)], &[]);
    let contents: [(u32, &[u8]); 2] = [(8, &program), (9, identity.as_bytes())];
    assert_eq!(read(&page(&objects, &contents, "<00240025>")).1, "no");
    // If the program says nothing, such a table is no reason to use it.
    let contents: [(u32, &[u8]); 2] = [(8, &silent_program()), (9, identity.as_bytes())];
    assert_eq!(read(&page(&objects, &contents, "<00240025>")).1, "");
    // Without a program the table is all there is.
    let objects = composite("/Identity-H", "Identity", "/ToUnicode 9 0 R", false);
    let contents: [(u32, &[u8]); 1] = [(9, identity.as_bytes())];
    assert_eq!(read(&page(&objects, &contents, "<00610062>")).1, "ab");
}

#[test]
fn a_font_may_bring_along_its_own_codes() {
    let codes = "/CMapName /Own def begincmap 1 begincodespacerange <00> <FF> endcodespacerange \
                 1 begincidrange <41> <43> 1 endcidrange endcmap";
    let meaning = "begincmap 1 begincodespacerange <00> <FF> endcodespacerange \
                   3 beginbfchar <41> <0078> <42> <0079> <43> <007A> endbfchar endcmap";
    let objects = composite("8 0 R", "Identity", "/ToUnicode 9 0 R", false);
    let contents: [(u32, &[u8]); 2] = [(8, codes.as_bytes()), (9, meaning.as_bytes())];
    assert_eq!(read(&page(&objects, &contents, "(ABC)")).1, "xyz");
}

#[test]
fn a_table_of_codes_that_are_those_of_unicode_is_believed() {
    let cmap = "begincmap 1 begincodespacerange <0020> <007C> endcodespacerange \
                2 beginbfchar <006E> <006E> <006F> <006F> endbfchar endcmap";
    let objects = composite("/Identity-H", "Identity", "/ToUnicode 9 0 R", true);
    let contents: [(u32, &[u8]); 2] = [(8, &silent_program()), (9, cmap.as_bytes())];
    assert_eq!(
        read(&page(&objects, &contents, "<006E006F>")),
        (Ok(None), "no".to_owned())
    );
    // The program knows better.
    let program = truetype::font(0x70, &[('i', 0x6e)], &[]);
    let contents: [(u32, &[u8]); 2] = [(8, &program), (9, cmap.as_bytes())];
    assert_eq!(read(&page(&objects, &contents, "<006E006F>")).1, "io");
}

#[test]
fn codes_are_those_of_unicode_where_the_font_says_so_and_has_no_program() {
    for name in ["Identity-H", "Identity-V"] {
        let to_unicode = format!("/ToUnicode /{name}");
        let objects = composite("/Identity-H", "Identity", &to_unicode, false);
        let pdf = page(&objects, &[], &hex(&big_endian("Жук, ok")));
        assert_eq!(read(&pdf), (Ok(None), "Жук, ok".to_owned()), "{name}");
    }
    let objects = composite("/Identity-H", "Identity", "", false);
    let pdf = page(&objects, &[], &hex(&big_endian("ok")));
    assert_eq!(read(&pdf).1, "");
}

#[test]
fn glyphs_of_the_fonts_of_windows_are_known_by_their_numbers() {
    let read_as = |family: &str, codes: &str| {
        let mut objects = composite("/Identity-H", "Identity", "", false);
        objects[1] = objects[1].replace("/Some", family);
        read(&page(&objects, &[], codes))
    };
    // Not only the numbers of ASCII letters: `Été à`.
    let codes = "<0065005700700003006A>";
    for family in ["/TimesNewRoman,Bold", "/Arial-BoldMT", "/CourierNewPSMT"] {
        assert_eq!(read_as(family, codes), (Ok(None), "Été à".to_owned()));
    }
    for unknown in ["/Calibri", "/ArialUnicodeMS"] {
        assert_eq!(read_as(unknown, codes).1, "", "{unknown}");
    }
    // Numbers at which the families differ are no text.
    assert_eq!(read_as("/Verdana", "<00440103>").1, "a");
}

#[test]
fn columns_that_are_written_downwards_are_lines() {
    let meaning = "begincmap 1 begincodespacerange <0000> <FFFF> endcodespacerange \
                   1 beginbfrange <0001> <0006> <4E00> endbfrange endcmap";
    let objects = composite("/Identity-V", "Identity", "/ToUnicode 9 0 R", true);
    let contents: [(u32, &[u8]); 2] = [(8, &silent_program()), (9, meaning.as_bytes())];
    let codes = "<00010002000300040005> Tj -24 0 Td <000600050004>";
    let text = read(&page(&objects, &contents, codes)).1;
    let lines: Vec<&str> = text.lines().filter(|line| !line.is_empty()).collect();
    assert_eq!(lines, ["一丁丂七丄", "丅丄七"]);
}
