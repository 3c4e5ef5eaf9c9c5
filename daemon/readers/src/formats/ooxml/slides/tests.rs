//! Presentations made here: order, placeholders, tables, notes, comments.

use simdex_extract::{Budgets, Facts, Reason};

use super::super::tests::{read_parts, relations};
use super::*;

fn read_slides(parts: &[(&str, &str)]) -> (Reading, String, Facts) {
    let (reading, text, facts, _) = read_parts(read, parts, Budgets::default());
    (reading, text, facts)
}

/// A presentation whose slides 2 and 1 are shown in this order.
fn two(first: &str, second: &str, others: &[(&str, &str)]) -> (Reading, String, Facts) {
    let package = relations(&[("r1", "officeDocument", "ppt/presentation.xml")]);
    let main = relations(&[
        ("rId7", "slide", "slides/slide2.xml"),
        ("rId8", "slide", "/ppt/slides/slide1.xml"),
        ("rId9", "slide", "slides/orphan.xml"),
    ]);
    let mut parts = vec![
        ("_rels/.rels", &*package),
        ("ppt/_rels/presentation.xml.rels", &main),
        (
            "ppt/presentation.xml",
            "<p:sldIdLst><p:sldId id='256' r:id='rId7'/><p:sldId r:id='rId8' id='257'/><p:sldId r:id='rId7'/></p:sldIdLst>",
        ),
        ("ppt/slides/slide2.xml", first),
        ("ppt/slides/slide1.xml", second),
        ("ppt/slides/orphan.xml", "<a:t>never</a:t>"),
    ];
    parts.extend(others);
    read_slides(&parts)
}

fn shape(placeholder: &str, text: &str) -> String {
    format!(
        "<p:sp><p:nvPr><p:ph type='{placeholder}'/></p:nvPr><p:txBody><a:p><a:r><a:t>{text}</a:t></a:r></a:p></p:txBody></p:sp>"
    )
}

#[test]
fn a_slide_that_breaks_off_between_tags_is_damaged() {
    let whole = format!("<p:sld>{}</p:sld>", shape("title", "first"));
    assert_eq!(two(&whole, &whole, &[]).0, Ok(None));
    let cut = whole.replace("</p:sp></p:sld>", "");
    let (reading, text, _) = two(&whole, &cut, &[]);
    assert_eq!(
        (reading, &*text),
        (Ok(Some(Reason::Damaged)), "first\nfirst\n")
    );
}

#[test]
fn slides_come_in_the_order_of_the_presentation_and_footers_once() {
    let slide = |title| {
        let shapes = ["title", "sldNum", "ftr"]
            .iter()
            .zip([title, "17", "confidential"]);
        shapes
            .map(|(kind, text)| shape(kind, text))
            .collect::<String>()
    };
    let hidden = format!("<p:sld show='0'>{}</p:sld>", slide("second"));
    let (reading, text, facts) = two(&slide("first"), &hidden, &[]);
    assert_eq!(
        (reading, &*text),
        (Ok(None), "first\nconfidential\nsecond\n")
    );
    assert_eq!(facts.number(Fact::Pages), 2);
}

#[test]
fn tables_breaks_fields_and_choices() {
    let cell =
        |text| format!("<a:tc><a:txBody><a:p><a:r><a:t>{text}</a:t></a:r></a:p></a:txBody></a:tc>");
    let row = |a, b| format!("<a:tr>{}{}</a:tr>", cell(a), cell(b));
    let slide = format!(
        "<a:tbl>{}{}</a:tbl><a:p><a:r><a:t>x &amp;</a:t></a:r><a:br/><a:r><a:t>y</a:t></a:r>\
         <a:fld type='slidenum'><a:t>9</a:t></a:fld></a:p>\
         <mc:AlternateContent><mc:Choice>{choice}</mc:Choice><mc:Fallback>{choice}</mc:Fallback></mc:AlternateContent>",
        row("a", "b"),
        row("", "d"),
        choice = shape("body", "once"),
    );
    assert_eq!(two(&slide, "", &[]).1, "a\tb\nd\nx &\ny\nonce\n");
}

#[test]
fn charts_diagrams_notes_and_comments_follow_their_slide() {
    let slide = "<p:sld><c:chart r:id='r3'/><dgm:relIds r:dm='r4' r:lo='r9'/><a:p><a:t>slide</a:t></a:p></p:sld>";
    let to = relations(&[
        ("r1", "notesSlide", "../notesSlides/n.xml"),
        ("r2", "comments", "../comments/classic.xml"),
        ("r3", "chart", "../charts/c.xml"),
        ("r4", "diagramData", "../diagrams/d.xml"),
        ("r5", "comments", "../comments/modern.xml"),
        ("r6", "slideLayout", "../slideLayouts/l.xml"),
    ]);
    let notes = shape("sldImg", "") + &shape("body", "note") + &shape("sldNum", "3");
    let modern = "<p188:cm><p188:txBody><a:p><a:t>thread</a:t></a:p></p188:txBody>\
                  <p188:replyLst><p188:reply><a:p><a:t>reply</a:t></a:p></p188:reply></p188:replyLst></p188:cm>";
    let (reading, text, facts) = two(
        slide,
        "<a:p><a:t>next</a:t></a:p>",
        &[
            ("ppt/slides/_rels/slide2.xml.rels", &to),
            ("ppt/notesSlides/n.xml", &notes),
            (
                "ppt/comments/classic.xml",
                "<p:cm><p:text>remark</p:text></p:cm>",
            ),
            ("ppt/comments/modern.xml", modern),
            (
                "ppt/charts/c.xml",
                "<c:title><a:p><a:t>growth</a:t></a:p></c:title><c:v>17</c:v>",
            ),
            (
                "ppt/diagrams/d.xml",
                "<dgm:t><a:p><a:t>step</a:t></a:p></dgm:t>",
            ),
            ("ppt/slideLayouts/l.xml", "<a:t>Click to edit</a:t>"),
        ],
    );
    let expected = "slide\ngrowth\nstep\nnote\nremark\nthread\nreply\nnext\n";
    assert_eq!((reading, &*text), (Ok(None), expected));
    assert_eq!(
        (facts.number(Fact::Notes), facts.number(Fact::Comments)),
        (1, 3)
    );
}

#[test]
fn a_lost_slide_is_partial_and_a_lost_presentation_is_malformed() {
    let parts = two(
        "<a:p><a:t>here</a:t></a:p>",
        "<a:p><a:t>cut</a:t><a:r",
        &[("x", "")],
    );
    assert_eq!(
        (parts.0, &*parts.1),
        (Ok(Some(Reason::Damaged)), "here\ncut\n")
    );
    let package = relations(&[("r1", "officeDocument", "ppt/presentation.xml")]);
    let nothing = read_slides(&[
        ("_rels/.rels", &package),
        ("[Content_Types].xml", "<Types/>"),
    ]);
    assert_eq!(nothing.0, Err(Outcome::Failed(Reason::Malformed)));
}

#[test]
fn formulas_and_raised_digits_of_a_slide_keep_their_signs() {
    let slide = "<p:sld><a:p><a:r><a:t>10</a:t></a:r><a:r><a:rPr baseline='30000' strike='noStrike'/><a:t>3</a:t></a:r>\
                 <a:r><a:rPr baseline='-25000'/><a:t>4</a:t></a:r><a:r><a:rPr/><a:t> m, </a:t></a:r><a14:m>\
                 <m:oMath><m:f><m:num><m:r><m:t>12</m:t></m:r></m:num><m:den><m:r><m:t>3</m:t></m:r></m:den></m:f>\
                 </m:oMath></a14:m><a:r><a:t>.</a:t></a:r></a:p></p:sld>";
    let (reading, text, _) = two(slide, "<p:sld/>", &[]);
    assert_eq!((reading, &*text), (Ok(None), "10³₄ m, 12/3.\n"));
}

#[test]
fn struck_text_of_a_slide_is_marked() {
    let slide = "<p:sld><a:p><a:r><a:t>a </a:t></a:r><a:r><a:rPr strike='sngStrike'/><a:t>b</a:t></a:r>\
                 <a:r><a:rPr strike='dblStrike'/><a:t>c\u{b}d</a:t></a:r><a:r><a:rPr/><a:t>e</a:t></a:r></a:p></p:sld>";
    let (_, text, _) = two(slide, "<p:sld/>", &[]);
    assert_eq!(text, "a ~~bc~~\n~~d~~e\n");
}

#[test]
fn private_use_characters_are_signs_of_the_font_of_their_run() {
    let slide = "<p:sld><a:p><a:r><a:rPr><a:latin typeface='Wingdings'/></a:rPr><a:t>\u{f0d8}</a:t></a:r><a:r><a:rPr>\
                 <a:latin typeface='Arial'/><a:sym typeface='Symbol'/></a:rPr><a:t> \u{f0d8}p</a:t></a:r><a:r><a:rPr/>\
                 <a:t> \u{f0d8}</a:t></a:r></a:p></p:sld>";
    assert_eq!(two(slide, "<p:sld/>", &[]).1, "➢ ¬p \u{f0d8}\n");
}

#[test]
fn runs_have_the_style_of_their_level_in_the_shape() {
    let slide = "<p:sld><p:sp><p:txBody><a:lstStyle><a:defPPr><a:defRPr strike='sngStrike'/></a:defPPr><a:lvl1pPr>\
                 <a:buFont typeface='Webdings'/><a:defRPr strike='noStrike'><a:latin typeface='Symbol'/></a:defRPr>\
                 </a:lvl1pPr><a:lvl2pPr><a:defRPr baseline='30000'><a:latin typeface='Wingdings'/></a:defRPr></a:lvl2pPr>\
                 </a:lstStyle><a:p><a:r><a:t>\u{f0d8}1</a:t></a:r></a:p><a:p><a:pPr lvl='1'/><a:r><a:t>\u{f0d8}</a:t></a:r>\
                 <a:r><a:t>2</a:t></a:r>\
                 <a:r><a:rPr baseline='0' strike='noStrike'><a:latin typeface='Arial'/></a:rPr><a:t>\u{f0d8}3</a:t></a:r>\
                 <a:r><a:rPr baseline='0'><a:sym typeface='Arial'/></a:rPr><a:t> \u{f0d8}4</a:t></a:r></a:p><a:p>\
                 <a:pPr lvl='18446744073709551615'/><a:r><a:t>5</a:t></a:r></a:p></p:txBody></p:sp><p:sp><p:txBody><a:p><a:r>\
                 <a:t>\u{f0d8}6</a:t></a:r></a:p></p:txBody></p:sp></p:sld>";
    let read = two(slide, "<p:sld/>", &[]).1;
    assert_eq!(read, "¬1\n~~➢²~~\u{f0d8}3 ~~➢4~~\n~~5~~\n\u{f0d8}6\n");
}

#[test]
fn a_list_style_has_nothing_of_the_one_before() {
    let slide = "<p:sld><p:sp><a:lstStyle><a:lvl1pPr><a:defRPr strike='sngStrike'/></a:lvl1pPr></a:lstStyle>\
                 <a:lstStyle/><a:p><a:r><a:t>a</a:t></a:r></a:p></p:sp></p:sld>";
    assert_eq!(two(slide, "<p:sld/>", &[]).1, "a\n");
}

#[test]
fn the_level_of_a_paragraph_is_not_that_of_a_field_in_it() {
    let slide = "<p:sld><p:sp><p:txBody><a:lstStyle><a:lvl2pPr><a:defRPr strike='sngStrike'/></a:lvl2pPr></a:lstStyle>\
                 <a:p><a:pPr lvl='1'/><a:fld type='other'><a:pPr/><a:t>a</a:t></a:fld><a:r><a:t>b</a:t></a:r></a:p>\
                 </p:txBody></p:sp></p:sld>";
    assert_eq!(two(slide, "<p:sld/>", &[]).1, "~~ab~~\n");
}

#[test]
fn the_font_of_the_end_of_a_paragraph_is_not_that_of_the_next() {
    let slide = "<p:sld><a:p><a:r><a:t>a</a:t></a:r><a:endParaRPr><a:latin typeface='Wingdings'/></a:endParaRPr></a:p>\
                 <a:p><a:r><a:t>\u{f0d8}</a:t></a:r></a:p></p:sld>";
    assert_eq!(two(slide, "<p:sld/>", &[]).1, "a\n\u{f0d8}\n");
}

#[test]
fn a_run_has_no_style_of_a_break_a_list_or_a_paragraph_before_it() {
    let font = "<a:latin typeface='Wingdings'/>";
    let slide = format!(
        "<p:sld><a:p><a:r><a:t>a</a:t></a:r><a:br><a:rPr strike='sngStrike'>{font}</a:rPr></a:br><a:t>\u{f0d8}</a:t>\
         <a:r><a:t>\u{f0d8}</a:t></a:r></a:p><p:other><a:defRPr>{font}</a:defRPr></p:other><a:p><a:pPr><a:defRPr>{font}\
         </a:defRPr></a:pPr><a:r><a:t>\u{f0d8}</a:t></a:r><a:fld type='slidenum'><a:rPr>{font}</a:rPr></a:fld>\
         <a:fld type='x'><a:rPr strike='sngStrike'/><a:pPr><a:defRPr>{font}</a:defRPr></a:pPr><a:t>\u{f0d8}</a:t>\
         </a:fld></a:p></p:sld>"
    );
    let private = "\u{f0d8}";
    assert_eq!(
        two(&slide, "<p:sld/>", &[]).1,
        format!("a\n{private}{private}\n{private}~~{private}~~\n")
    );
}
