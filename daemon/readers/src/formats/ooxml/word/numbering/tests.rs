//! Numbered paragraphs of documents made here.

use simdex_extract::Fact;

use super::super::super::super::samples::docx;
use super::super::read;
use crate::input::input_of;
use crate::sink::Sink;

/// A legal outline with a style for its second level, a list of letters, one of bullets, and a list referred to by a
/// style.
const NUMBERING: &str = "<w:numbering>\
    <w:abstractNum w:abstractNumId='0'>\
    <w:lvl w:ilvl='0'><w:start w:val='1'/><w:numFmt w:val='upperRoman'/><w:lvlText w:val='Article %1.'/></w:lvl>\
    <w:lvl w:ilvl='1'><w:start w:val='1'/><w:numFmt w:val='decimal'/><w:pStyle w:val='Clause'/>\
    <w:isLgl/><w:lvlText w:val='%1.%2'/></w:lvl>\
    <w:lvl w:ilvl='2'><w:start w:val='1'/><w:numFmt w:val='lowerLetter'/><w:suff w:val='nothing'/>\
    <w:lvlText w:val='(%3)'/></w:lvl></w:abstractNum>\
    <w:abstractNum w:abstractNumId='1'><w:lvl w:ilvl='0'><w:start w:val='3'/>\
    <w:numFmt w:val='lowerRoman'/><w:lvlText w:val='%1)'/></w:lvl></w:abstractNum>\
    <w:abstractNum w:abstractNumId='2'><w:lvl w:ilvl='0'><w:numFmt w:val='bullet'/>\
    <w:lvlText w:val='o'/></w:lvl></w:abstractNum>\
    <w:abstractNum w:abstractNumId='3'><w:numStyleLink w:val='Named'/></w:abstractNum>\
    <w:num w:numId='1'><w:abstractNumId w:val='0'/></w:num>\
    <w:num w:numId='2'><w:abstractNumId w:val='1'/></w:num>\
    <w:num w:numId='3'><w:abstractNumId w:val='1'/><w:lvlOverride w:ilvl='0'>\
    <w:startOverride w:val='9'/></w:lvlOverride></w:num>\
    <w:num w:numId='4'><w:abstractNumId w:val='2'/></w:num>\
    <w:num w:numId='5'><w:abstractNumId w:val='3'/></w:num>\
    <w:num w:numId='6'><w:abstractNumId w:val='1'/><w:lvlOverride w:ilvl='0'><w:lvl w:ilvl='0'>\
    <w:numFmt w:val='ordinal'/><w:lvlText w:val='%1 %%'/></w:lvl></w:lvlOverride></w:num>\
    <w:abstractNum w:abstractNumId='4'><w:lvl w:ilvl='0'><w:lvlText w:val='%1'/></w:lvl>\
    <w:lvl w:ilvl='1'><w:start w:val='1'/><w:lvlText w:val='%1.%2'/></w:lvl>\
    <w:lvl w:ilvl='2'><w:start w:val='1'/><w:lvlText w:val='%1.%2.%3'/></w:lvl></w:abstractNum>\
    <w:num w:numId='7'><w:abstractNumId w:val='4'/></w:num>\
    <w:num w:numId='8'><w:abstractNumId w:val='4'/><w:lvlOverride w:ilvl='1'>\
    <w:startOverride w:val='5'/></w:lvlOverride></w:num>\
    <w:abstractNum w:abstractNumId='5'><w:lvl w:ilvl='0'><w:numFmt w:val='bullet'/>\
    <w:lvlText w:val='\u{f0fe}'/><w:rPr><w:rFonts w:ascii='Wingdings'/></w:rPr></w:lvl>\
    <w:lvl w:ilvl='1'><w:numFmt w:val='bullet'/><w:lvlText w:val='-'/></w:lvl>\
    <w:lvl w:ilvl='2'><w:numFmt w:val='bullet'/><w:lvlText w:val='\u{f0b7}'/>\
    <w:rPr><w:rFonts w:ascii='Symbol'/></w:rPr></w:lvl></w:abstractNum>\
    <w:num w:numId='9'><w:abstractNumId w:val='5'/></w:num>\
    </w:numbering>";

const STYLES: &str = "<w:styles>\
    <w:style w:styleId='Article'><w:pPr><w:numPr><w:numId w:val='1'/></w:numPr></w:pPr></w:style>\
    <w:style w:styleId='Clause'><w:basedOn w:val='Article'/></w:style>\
    <w:style w:styleId='Named'><w:pPr><w:numPr><w:numId w:val='2'/></w:numPr></w:pPr></w:style>\
    <w:style w:styleId='Loop'><w:basedOn w:val='Loop'/></w:style></w:styles>";

fn with(properties: &str, text: &str) -> String {
    format!("<w:p><w:pPr>{properties}</w:pPr><w:r><w:t>{text}</w:t></w:r></w:p>")
}

fn styled(style: &str, text: &str) -> String {
    with(&format!("<w:pStyle w:val='{style}'/>"), text)
}

fn listed(instance: u32, level: u32) -> String {
    let number = format!("<w:ilvl w:val='{level}'/><w:numId w:val='{instance}'/>");
    with(&format!("<w:numPr>{number}</w:numPr>"), "x")
}

fn text(body: &str) -> (String, u64) {
    let others = [
        ("word/numbering.xml", "numbering", NUMBERING),
        ("word/styles.xml", "styles", STYLES),
    ];
    let mut sink = Sink::of(1 << 20);
    assert_eq!(read(&input_of(&docx(body, &others)), &mut sink), Ok(None));
    (sink.take_text(), sink.facts().number(Fact::ListNumbers))
}

#[test]
fn clauses_are_numbered_by_their_styles() {
    let body = [
        styled("Article", "Scope"),
        styled("Clause", "One"),
        styled("Clause", "Two"),
        listed(1, 2),
        listed(1, 2),
        styled("Article", "Term"),
        styled("Clause", "Three"),
        with(
            "<w:pStyle w:val='Clause'/><w:numPr><w:numId w:val='0'/></w:numPr>",
            "bare",
        ),
        styled("Loop", "plain"),
    ];
    let expected = "Article I. Scope\n1.1 One\n1.2 Two\n(a)x\n(b)x\nArticle II. Term\n2.1 Three\nbare\nplain\n";
    assert_eq!(text(&body.concat()), (expected.to_owned(), 7));
}

#[test]
fn instances_of_a_list_count_on_unless_they_begin_anew() {
    let body = [2, 2, 5, 3, 3, 2, 4, 6].map(|instance| listed(instance, 0));
    let expected = "iii) x\niv) x\nv) x\nix) x\nx) x\nxi) x\nx\n12th %% x\n";
    assert_eq!(text(&body.concat()), (expected.to_owned(), 7));
}

#[test]
fn a_dash_or_a_ticked_box_before_an_item_is_text_and_a_bullet_is_not() {
    let body = [0, 1, 2].map(|level| listed(9, level));
    assert_eq!(text(&body.concat()).0, "☑ x\n- x\nx\n");
}

#[test]
fn a_level_that_says_nothing_of_its_start_and_form_begins_with_zero_in_digits() {
    let body = [(7, 0), (7, 0), (7, 1)].map(|(instance, level)| listed(instance, level));
    assert_eq!(text(&body.concat()).0, "0 x\n1 x\n1.1 x\n");
}

#[test]
fn a_start_of_an_instance_holds_whenever_its_level_begins_again() {
    let items = [(7, 1), (8, 1), (8, 1), (8, 0), (8, 1), (7, 0), (8, 1)];
    let body = items.map(|(instance, level)| listed(instance, level));
    let expected = "0.1 x\n0.5 x\n0.6 x\n1 x\n1.5 x\n2 x\n2.5 x\n";
    assert_eq!(text(&body.concat()).0, expected);
    let skipped = [(8, 0), (8, 2), (8, 1)].map(|(instance, level)| listed(instance, level));
    assert_eq!(text(&skipped.concat()).0, "0 x\n0.5.1 x\n0.6 x\n");
}

#[test]
fn a_deleted_paragraph_and_what_one_was_before_do_not_count() {
    let number = "<w:numPr><w:ilvl w:val='0'/><w:numId w:val='2'/></w:numPr>";
    let deleted = format!(
        "<w:p><w:pPr>{number}<w:rPr><w:del/></w:rPr></w:pPr><w:del><w:r><w:delText>gone</w:delText>\
         </w:r></w:del></w:p>"
    );
    let changed = with(
        &format!("<w:pPrChange><w:pPr>{number}</w:pPr></w:pPrChange>"),
        "was",
    );
    let body = [
        listed(2, 0),
        deleted,
        changed,
        listed(2, 0),
        listed(99, 0),
        listed(2, 9),
    ];
    let expected = "iii) x\nwas\niv) x\nx\nx\n";
    assert_eq!(text(&body.concat()), (expected.to_owned(), 2));
}
