//! Documents whose style sheet says how characters look.

use super::*;

/// Kinds of styles, and the number of a style that none is based on.
const OF_PARAGRAPHS: u16 = 1;
const OF_CHARACTERS: u16 = 2;
const NONE: u16 = 0xfff;

/// Properties of characters: struck (or not, or as another style, or not as that), raised, in Wingdings, in Arial.
const STRUCK: &[u8] = &[0x37, 0x08, 1];
const NOT_STRUCK: &[u8] = &[0x37, 0x08, 0];
const STRUCK_AS_STYLE: &[u8] = &[0x37, 0x08, 0x80];
const STRUCK_UNLIKE_STYLE: &[u8] = &[0x37, 0x08, 0x81];
const TWICE_STRUCK: &[u8] = &[0x53, 0x2a, 1];
const RAISED: &[u8] = &[0x48, 0x2a, 1];
const ON_LINE: &[u8] = &[0x48, 0x2a, 0];
const WINGDINGS: &[u8] = &[0x51, 0x4a, 1, 0];
const ARIAL: &[u8] = &[0x51, 0x4a, 0, 0];

/// Numbers of the styles below.
const USUAL: u8 = 0;
const GONE: u8 = 1;
const BASED_ON_GONE: u8 = 2;
const BACK: u8 = 3;
const SIGNS: u8 = 5;
const OF_GONE_CHARACTERS: u8 = 6;
const OF_RAISED_CHARACTERS: u8 = 7;
const OF_SIGNS: u8 = 8;

const STYLES: &[Option<(u16, u16, &[u8])>] = &[
    Some((OF_PARAGRAPHS, NONE, ARIAL)),
    Some((OF_PARAGRAPHS, 0, STRUCK)),
    Some((OF_PARAGRAPHS, 1, ARIAL)),
    Some((OF_PARAGRAPHS, 2, STRUCK_UNLIKE_STYLE)),
    None,
    Some((OF_PARAGRAPHS, 0, WINGDINGS)),
    Some((OF_CHARACTERS, NONE, STRUCK)),
    Some((OF_CHARACTERS, NONE, RAISED)),
    Some((OF_CHARACTERS, NONE, WINGDINGS)),
];

fn counted(bytes: &[u8]) -> Vec<u8> {
    let mut counted = (bytes.len() as u16).to_le_bytes().to_vec();
    counted.extend(bytes);
    counted.resize(counted.len().next_multiple_of(2), 0);
    counted
}

/// A style sheet.
fn sheet(styles: &[Option<(u16, u16, &[u8])>]) -> Vec<u8> {
    // The number of styles, and the bytes that each begins with.
    let mut header = [styles.len() as u16, 10].map(u16::to_le_bytes).concat();
    header.resize(18, 0);
    let mut sheet = counted(&header);
    for style in styles {
        let Some((kind, base, characters)) = style else {
            sheet.extend([0, 0]);
            continue;
        };
        let head = [0, kind | base << 4, 0, 0, 0, 3];
        let name = [u16::from(b'a'), u16::from(b'b'), u16::from(b'c'), 0];
        let words = head.into_iter().chain(name);
        let mut bytes: Vec<u8> = words.flat_map(u16::to_le_bytes).collect();
        if *kind == OF_PARAGRAPHS {
            bytes.extend(counted(&[0, 0, 0x03]));
        }
        bytes.extend(counted(characters));
        sheet.extend(counted(&bytes));
    }
    sheet
}

fn put_structure(main: &mut [u8], number: usize, table: &mut Vec<u8>, bytes: &[u8]) {
    let place = [table.len(), bytes.len()].map(|value| (value as u32).to_le_bytes());
    put(main, 154 + 8 * number, &place.concat());
    table.extend(bytes);
}

/// Adds a page of paragraphs that says that the whole text is one of a style, and the list of pages.
fn put_paragraph(main: &mut Vec<u8>, table: &mut Vec<u8>, end: usize, style: u8, has_byte: bool) {
    main.resize(main.len().next_multiple_of(512), 0);
    let number = main.len() / 512;
    let mut page = [TEXT, end]
        .map(|place| (place as u32).to_le_bytes())
        .concat();
    page.push(200);
    page.resize(512, 0);
    // The number of words, or 0 and another.
    let properties: &[u8] = if has_byte {
        &[2, style, 0, 0]
    } else {
        &[0, 1, style, 0]
    };
    put(&mut page, 400, properties);
    page[511] = 1;
    main.extend(page);
    let words = [TEXT as u32, end as u32, number as u32];
    let pages: Vec<u8> = words.into_iter().flat_map(u32::to_le_bytes).collect();
    put_structure(main, 13, table, &pages);
}

/// The text of a document of one paragraph, of which a range of bytes has properties.
fn read_styled(run: Run, style: u8, range: Range<usize>, properties: &[u8]) -> String {
    let read = |has_byte| {
        let Run(characters, is_wide) = run;
        let (mut main, mut table) = streams(&[Run(characters, is_wide)], &[100]);
        let end = main.len();
        put_fonts(&mut main, &mut table);
        put_structure(&mut main, 1, &mut table, &sheet(STYLES));
        put_paragraph(&mut main, &mut table, end, style, has_byte);
        let range = TEXT + range.start..TEXT + range.end;
        mark(&mut main, &mut table, range, properties);
        text(&compound_of(&[("WordDocument", &main), ("1Table", &table)])).0
    };
    let text = read(true);
    assert_eq!(read(false), text);
    text
}

/// The style of characters as a property.
fn of(style: u8) -> [u8; 4] {
    [0x30, 0x4a, style, 0]
}

#[test]
fn text_is_struck_and_raised_by_the_styles_of_its_paragraph_and_its_characters() {
    let [gone, raised] = [OF_GONE_CHARACTERS, OF_RAISED_CHARACTERS].map(of);
    let raised_on_line = [&raised, ON_LINE].concat();
    for (style, properties, expected) in [
        (USUAL, &[][..], "1034\n"),
        (GONE, &[], "~~1034~~\n"),
        (BASED_ON_GONE, &[], "~~1034~~\n"),
        (BACK, &[], "1034\n"),
        (99, &[], "1034\n"),
        (GONE, NOT_STRUCK, "~~10~~3~~4~~\n"),
        (GONE, STRUCK_AS_STYLE, "~~1034~~\n"),
        (GONE, STRUCK_UNLIKE_STYLE, "~~10~~3~~4~~\n"),
        (USUAL, STRUCK_UNLIKE_STYLE, "10~~3~~4\n"),
        (USUAL, STRUCK_AS_STYLE, "1034\n"),
        (USUAL, TWICE_STRUCK, "10~~3~~4\n"),
        (USUAL, &gone, "10~~3~~4\n"),
        // A style within a style that strikes takes the line away.
        (GONE, &gone, "~~10~~3~~4~~\n"),
        (USUAL, &raised, "10³4\n"),
        (USUAL, &raised_on_line, "1034\n"),
        (GONE, &raised, "~~10³4~~\n"),
    ] {
        let read = read_styled(Run("1034", false), style, 2..3, properties);
        assert_eq!(read, expected, "{style} with {properties:x?}");
    }
}

#[test]
fn text_has_the_symbol_font_of_its_paragraph_or_its_characters() {
    let signs = of(OF_SIGNS);
    for (style, properties, expected) in [
        (USUAL, &[][..], "\u{f0d8}\u{f0d8}\n"),
        (USUAL, &signs, "\u{f0d8}➢\n"),
        (SIGNS, &[], "➢➢\n"),
        (SIGNS, ARIAL, "➢\u{f0d8}\n"),
    ] {
        let read = read_styled(Run("\u{f0d8}\u{f0d8}", true), style, 2..4, properties);
        assert_eq!(read, expected, "{style} with {properties:x?}");
    }
}

#[test]
fn a_paragraph_without_properties_is_of_the_first_style() {
    let (mut main, mut table) = streams(&[Run("1034", false)], &[100]);
    let end = main.len();
    put_fonts(&mut main, &mut table);
    let sheet = sheet(&[Some((OF_PARAGRAPHS, NONE, STRUCK))]);
    put_structure(&mut main, 1, &mut table, &sheet);
    put_paragraph(&mut main, &mut table, end, USUAL, true);
    // Where the page says that its properties are, behind the ends of the paragraph.
    let at = main.len() - 512 + 8;
    main[at] = 0;
    mark(&mut main, &mut table, TEXT + 2..TEXT + 3, &[]);
    let read = text(&compound_of(&[("WordDocument", &main), ("1Table", &table)])).0;
    assert_eq!(read, "~~1034~~\n");
}

proptest! {
    #[test]
    fn damaged_style_sheets_are_answered(
        edits in proptest::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 0..10),
        length in any::<prop::sample::Index>(),
    ) {
        let mut sheet = sheet(STYLES);
        for (index, byte) in edits {
            let at = index.index(sheet.len());
            sheet[at] = byte;
        }
        let length = length.index(sheet.len());
        let _ = style_sheet::StyleSheet::parse(&sheet[..length]);
        let _ = style_sheet::StyleSheet::parse(&sheet);
    }
}
