//! Fonts of every kind that does not say what its characters mean, made here.

mod composites;
mod truetype;

use simdex_extract::{Outcome, Reason};

use super::super::Reading;
use super::super::tests::{pdf_of, stream, text};
use super::*;

/// A page that shows `codes` in a font of these objects, the first of which has number 3, the others 6 and following;
/// streams among them get `contents`.
fn page(fonts: &[String], contents: &[(u32, &[u8])], codes: &str) -> Vec<u8> {
    let mut objects = vec![
        "<< /Type /Catalog /Pages 2 0 R >>".to_owned(),
        "<< /Type /Pages /Kids [4 0 R] /Count 1 >>".to_owned(),
        fonts[0].clone(),
        "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents 5 0 R \
         /Resources << /Font << /F1 3 0 R >> >> >>"
            .to_owned(),
        stream(&format!("BT /F1 12 Tf 72 700 Td {codes} Tj ET")),
    ];
    objects.extend_from_slice(&fonts[1..]);
    let mut document = Document::load_mem(&pdf_of(&objects)).unwrap();
    for (number, content) in contents {
        let Some(Object::Stream(stream)) = document.objects.get_mut(&(*number, 0)) else {
            panic!("no stream")
        };
        stream.set_content(content.to_vec());
    }
    let mut bytes = Vec::new();
    document.save_to(&mut bytes).unwrap();
    bytes
}

fn read(pdf: &[u8]) -> (Reading, String) {
    let (reading, text, _) = text(pdf);
    (reading, text.trim().to_owned())
}

/// A simple font whose characters are half as wide as high.
fn simple(entries: &str) -> String {
    let widths = "500 ".repeat(256);
    format!(
        "<< /Type /Font /BaseFont /Some /FirstChar 0 /LastChar 255 /Widths [{widths}] {entries} >>"
    )
}

fn simple_text(entries: &str, codes: &str) -> String {
    let font = simple(&format!("/Subtype /Type1 {entries}"));
    read(&page(&[font], &[], codes)).1
}

#[test]
fn names_of_glyphs_are_read_by_the_rules_of_the_glyph_list() {
    let names = "/a.alt /f_i /uni0416 /u1F600 /afii57388 /Lcommaaccent.sc /germandbls";
    let encoding = format!("/Encoding << /Type /Encoding /Differences [1 {names}] >>");
    let text = simple_text(&encoding, "<01020304050607>");
    assert_eq!(text, "afiЖ😀،\u{13b}ß");
}

#[test]
fn codes_without_a_name_are_read_by_the_base_encoding() {
    let encoding = "/Encoding << /Differences [65 /B] >>";
    assert_eq!(simple_text(encoding, "(A\\341'\\256)"), "BÆ’ﬁ");
    assert_eq!(simple_text("/Encoding /StandardEncoding", "(A\\341)"), "AÆ");
    let encoding = "/Encoding << /BaseEncoding /MacRomanEncoding /Differences [65 /B.x] >>";
    assert_eq!(simple_text(encoding, "(A\\212)"), "Bä");
}

#[test]
fn a_truetype_font_without_an_encoding_has_that_of_windows() {
    let encoding = "/Encoding << /Differences [65 /b.x] >>";
    let font = simple(&format!("/Subtype /TrueType {encoding}"));
    assert_eq!(read(&page(&[font], &[], "(Aa\\223\\344)")).1, "ba“ä");
}

#[test]
fn a_truetype_font_that_is_told_to_be_latin_has_the_standard_encoding() {
    let font = simple("/Subtype /TrueType /FontDescriptor 6 0 R");
    let descriptor =
        |flags: u8| format!("<< /Type /FontDescriptor /FontName /Some /Flags {flags} >>");
    let text = |flags| {
        read(&page(
            &[font.clone(), descriptor(flags)],
            &[],
            "(o,\\371 a\\361)",
        ))
        .1
    };
    assert_eq!(text(32), "o,ø aæ");
    assert_eq!(
        (text(4), text(36)),
        ("o,ù añ".to_owned(), "o,ù añ".to_owned())
    );
}

#[test]
fn glyphs_that_draw_nothing_are_spaces() {
    let names = "/Encoding << /Differences [65 /o /n /e /g9 /t /w] >> /FontDescriptor 6 0 R";
    let descriptor = "<< /Type /FontDescriptor /FontName /Some /Flags 4 /FontFile2 7 0 R >>";
    let cmap = "begincmap 1 begincodespacerange <00> <FF> endcodespacerange 1 beginbfrange \
                <41> <43> <0061> endbfrange 1 beginbfrange <45> <46> <0078> endbfrange endcmap";
    let program = truetype::blank(10);
    for (to_unicode, text) in [("", "one two"), ("/ToUnicode 8 0 R", "abc xya")] {
        let objects = [
            simple(&format!("/Subtype /TrueType {names} {to_unicode}")),
            descriptor.to_owned(),
            stream("program"),
            stream(cmap),
        ];
        let pdf = page(&objects, &[(7, &program)], "(ABCDEFA)");
        assert_eq!(read(&pdf).1, text);
    }
}

#[test]
fn glyphs_whose_names_say_nothing_are_no_text() {
    let encoding = "/Encoding << /Differences [65 /G01 /G02 /G03] >>";
    let font = simple(&format!("/Subtype /Type1 {encoding}"));
    let (reading, text) = read(&page(std::slice::from_ref(&font), &[], "(ABCABC)"));
    assert_eq!(
        (reading, text.as_str()),
        (Err(Outcome::NoText(Reason::NeedsOcr)), "")
    );
    // Next to text they are left out, and the text is unchanged.
    let (reading, text) = read(&page(&[font], &[], "(A few words ABC)"));
    assert_eq!((reading, text.as_str()), (Ok(None), "few words"));
}

#[test]
fn symbol_fonts_have_their_own_encoding() {
    let font = simple("/Subtype /Type1").replace("/Some", "/Symbol");
    assert_eq!(read(&page(&[font], &[], "(abG)")).1, "αβΓ");
    let font = simple("/Subtype /Type1").replace("/Some", "/ZapfDingbats");
    assert_eq!(read(&page(&[font], &[], "(4)")).1, "✔");
}

#[test]
fn private_use_characters_are_signs_of_their_symbol_font() {
    let cmap = "begincmap 1 begincodespacerange <00> <FF> endcodespacerange 3 beginbfchar <01> <F0D8> <02> <F0A7> \
                <43> <0062> endbfchar endcmap";
    let read_as = |family: &str| {
        let font = simple("/Subtype /TrueType /ToUnicode 6 0 R").replace("/Some", family);
        read(&page(&[font, stream(cmap)], &[], "<01022043>")).1
    };
    assert_eq!(read_as("/ABCDEF+SymbolMT"), "¬♣ b");
    assert_eq!(read_as("/ABCDEF+Wingdings-Regular,Bold"), "➢▪ b");
    assert_eq!(read_as("/ABCDEF+OpenSymbol"), "\u{f0d8}\u{f0a7} b");
}

#[test]
fn other_codes_of_a_symbol_font_get_what_is_known_of_them() {
    let cmap = "begincmap 1 begincodespacerange <00> <FF> endcodespacerange 2 beginbfchar <01> <F0B7> <02> <FFFD> \
                endbfchar endcmap";
    let encoding = "/Encoding << /Differences [2 /one] >> /ToUnicode 6 0 R";
    let font = simple(&format!("/Subtype /Type1 {encoding}")).replace("/Some", "/ABCDEF+SymbolMT");
    let pdf = page(&[font, stream(cmap)], &[], "<0102>");
    assert_eq!(read(&pdf).1, "•1");
}

/// A Type 3 font with procedures of these names from code 65 on, in units of a tenth.
fn bitmaps(names: &str) -> String {
    let widths = "5 ".repeat(26);
    format!(
        "<< /Type /Font /Subtype /Type3 /FontBBox [0 0 10 10] /FontMatrix [0.1 0 0 0.1 0 0] \
         /FirstChar 65 /LastChar 90 /Widths [{widths}] /CharProcs << >> \
         /Encoding << /Type /Encoding /Differences [65 {names}] >> >>"
    )
}

#[test]
fn type_3_fonts_are_read_by_the_names_of_their_procedures() {
    let font = bitmaps("/o /n /e /space /t /w /f_f");
    assert_eq!(read(&page(&[font], &[], "(ABCDEFADAG)")).1, "one two off");
    // Named by their codes.
    let font = bitmaps("/a65 /a66 /a67 /a68");
    assert_eq!(read(&page(&[font], &[], "(ABCD)")).1, "ABCD");
}

/// A bitmap font of TeX that has these codes.
fn bitmaps_of_tex(codes: &[u8]) -> String {
    let names = codes.iter().map(|code| format!("{code} /a{code} "));
    let names = names.collect::<String>();
    let font = bitmaps("").replace("/Differences [65 ", &format!("/Differences [{names}"));
    let widths = format!("/FirstChar 0 /LastChar 255 /Widths [{}]", "5 ".repeat(256));
    let (before, after) = font.split_once("/FirstChar").unwrap();
    let (_, after) = after.split_once(']').unwrap();
    format!("{before}{widths}{after}")
}

#[test]
fn bitmaps_of_tex_are_read_by_their_codes() {
    let text = |codes: &[u8]| {
        let shown = codes.iter().map(|code| format!("{code:02X}"));
        let shown = shown.collect::<String>();
        read(&page(&[bitmaps_of_tex(codes)], &[], &format!("<{shown}>"))).1
    };
    // The encoding of Cork, and the first one, which has other ligatures.
    assert_eq!(text(b"e.\x1c\xe1\xf7\xb3"), "e.ﬁáœş");
    assert_eq!(text(b"e,\x0c\x19"), "e,ﬁß");
    // Letters above 191 are those of Cork even if no text shows it.
    assert_eq!(text(b"1\xc0\xe9"), "1Àé");
    // Fonts of mathematics have other signs there.
    assert_eq!(text(b"ex\x0c\x80"), "ex");
}

#[test]
fn fonts_of_chinese_windows_have_codes_of_gbk() {
    let font = simple("/Subtype /TrueType /Encoding /WinAnsiEncoding");
    let codes = "<C4BFC2BC4131>";
    let read_as = |family: &str| read(&page(&[font.replace("/Some", family)], &[], codes)).1;
    let families = [
        "/#CB#CE#CC#E5",
        "/#B7#C2#CB#CE_GB2312,Bold",
        "/#B7#BD#D5#FD#D0#A1#B1#EA#CB#CE",
    ];
    for family in families {
        assert_eq!(read_as(family), "目录A1", "{family}");
    }
    // Not the name of a font of Japanese Windows, nor one in UTF-8.
    for other in ["/Some", "/#82l#82r#96#BE#92#A9", "/#E5#AE#8B#E4#BD#93"] {
        assert_eq!(read_as(other), "Ä¿Â¼A1", "{other}");
    }
}

#[test]
fn letters_beside_chinese_ones_keep_their_widths() {
    let font = simple("/Subtype /TrueType /Encoding /WinAnsiEncoding");
    let font = font
        .replace("/Some", "/#CB#CE#CC#E5")
        .replace("500 ", "250 ");
    let pdf = page(&[font], &[], "<6C69> Tj 9 0 Td <6C69>");
    assert_eq!(read(&pdf).1, "li li");
}

#[test]
fn widths_of_type_3_fonts_are_in_their_own_units() {
    let font = bitmaps("/o /n /e /t /w");
    let pdf = page(&[font], &[], "(ABC) Tj 24 0 Td (DEA)");
    assert_eq!(read(&pdf).1, "one two");
    assert!(!text(&pdf).1.contains("o n e"));
}

#[test]
fn tables_that_say_nothing_are_replaced_by_what_is_known() {
    let cmap = |entries: &str| {
        format!(
            "begincmap 1 begincodespacerange <00> <FF> endcodespacerange \
             3 beginbfchar {entries} endbfchar endcmap"
        )
    };
    let encoding = "/Encoding << /Differences [65 /one /two /three] >> /ToUnicode 6 0 R";
    let font = simple(&format!("/Subtype /Type1 {encoding}"));
    for useless in ["0000", "FFFD", "E001"] {
        let entries = format!("<41> <{useless}> <42> <{useless}> <43> <0078>");
        let objects = [font.clone(), stream(&cmap(&entries))];
        assert_eq!(read(&page(&objects, &[], "(ABC)")).1, "12x", "{useless}");
    }
}
