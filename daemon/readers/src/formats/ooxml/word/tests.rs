//! Word documents made here: parts and order, changes, bombs.

use simdex_extract::{Budgets, Facts, Outcome, Reason};

use super::super::tests::relations;
use super::*;
use crate::formats::samples::zip_of;
use crate::input::input_of;

const DOCUMENT: &str =
    "application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml";

/// A document of a body and other parts, each with the end of its content type.
pub(crate) fn docx(body: &str, others: &[(&str, &str, &str)]) -> Vec<u8> {
    let mut types = format!(
        "<Types><Default Extension=\"xml\" ContentType=\"application/xml\"/>\
         <Override PartName=\"/word/document.xml\" ContentType=\"{DOCUMENT}\"/>"
    );
    for (name, kind, _) in others {
        let base = "application/vnd.openxmlformats-officedocument.wordprocessingml";
        types += &format!("<Override PartName=\"/{name}\" ContentType=\"{base}.{kind}+xml\"/>");
    }
    types += "</Types>";
    let kinds = others
        .iter()
        .enumerate()
        .map(|(id, (name, kind, _))| (id.to_string(), *kind, format!("/{name}")));
    let kinds: Vec<_> = kinds.collect();
    let kinds: Vec<_> = kinds
        .iter()
        .map(|(id, kind, to)| (&**id, *kind, &**to))
        .collect();
    let relations = relations(&kinds);
    let body = format!("<w:document><w:body>{body}</w:body></w:document>");
    let mut entries = vec![
        ("[Content_Types].xml", types.as_bytes()),
        ("word/document.xml", body.as_bytes()),
        ("word/_rels/document.xml.rels", relations.as_bytes()),
    ];
    entries.extend(
        others
            .iter()
            .map(|(name, _, content)| (*name, content.as_bytes())),
    );
    zip_of(&entries)
}

fn paragraph(text: &str) -> String {
    format!("<w:p><w:r><w:t>{text}</w:t></w:r></w:p>")
}

fn text(bytes: &[u8]) -> (Reading, String) {
    let mut sink = Sink::of(64 << 20);
    let reading = read(&input_of(bytes), &mut sink);
    (reading, sink.take_text())
}

fn body_text(body: &str) -> String {
    text(&docx(body, &[])).1
}

#[test]
fn body_then_headers_notes_and_comments() {
    let part = |text| format!("<w:x>{}</w:x>", paragraph(text));
    let (h10, h2, note, comment) = (part("ten"), part("two"), part("note"), part("comment"));
    let others = [
        ("word/comments.xml", "comments", comment.as_str()),
        ("word/header10.xml", "header", &h10),
        ("word/footnotes.xml", "footnotes", &note),
        ("word/header2.xml", "header", &h2),
        ("word/styles.xml", "styles", "<w:t>never</w:t>"),
    ];
    let (reading, text) = text(&docx(&paragraph("body"), &others));
    assert_eq!(
        (reading, text.as_str()),
        (Ok(None), "body\ntwo\nten\nnote\ncomment\n")
    );
}

#[test]
fn breaks_tabs_and_entities() {
    let body = "<w:p><w:pPr><w:tabs><w:tab w:val=\"left\"/></w:tabs></w:pPr><w:r><w:t>a</w:t><w:tab/>\
                <w:t xml:space=\"preserve\"> b &amp; &#252;</w:t><w:br/><w:t>c</w:t>\
                <w:noBreakHyphen/><w:t>d</w:t></w:r></w:p>";
    assert_eq!(body_text(body), "a\t b & ü\nc-d\n");
}

#[test]
fn insertions_count_deletions_and_field_codes_do_not() {
    let body = "<w:p><w:r><w:t>old</w:t></w:r><w:ins><w:r><w:t> new</w:t></w:r></w:ins>\
                <w:del><w:r><w:delText>gone</w:delText></w:r></w:del>\
                <w:moveFrom><w:r><w:t>moved</w:t></w:r></w:moveFrom>\
                <w:r><w:instrText>PAGE</w:instrText></w:r></w:p>";
    assert_eq!(body_text(body), "old new\n");
}

#[test]
fn a_text_box_is_read_once_and_cells_are_apart() {
    let choice = format!("<mc:Choice>{}</mc:Choice>", paragraph("box"));
    let fallback = format!("<mc:Fallback>{}</mc:Fallback>", paragraph("box"));
    let body = format!("<mc:AlternateContent>{choice}{fallback}</mc:AlternateContent>");
    assert_eq!(body_text(&body), "box\n");
    let row = format!(
        "<w:tr><w:tc>{}</w:tc><w:tc>{}</w:tc></w:tr>",
        paragraph("a"),
        paragraph("b")
    );
    assert_eq!(body_text(&format!("<w:tbl>{row}</w:tbl>")), "a\tb\n");
}

fn read_with_facts(bytes: &[u8]) -> (String, Facts) {
    let mut sink = Sink::of(1 << 20);
    assert_eq!(read(&input_of(bytes), &mut sink), Ok(None));
    (sink.take_text(), sink.facts().clone())
}

#[test]
fn what_stands_beside_the_body_is_counted() {
    let body = "<w:p><w:ins><w:r><w:t>in</w:t></w:r></w:ins><w:del><w:r><w:delText>out</w:delText></w:r></w:del>\
                <w:rPr><w:ins/><w:del/></w:rPr></w:p>";
    let notes = "<w:footnote w:type='separator' w:id='-1'><w:p/></w:footnote>\
                 <w:footnote w:id='1'><w:p><w:t>note</w:t></w:p></w:footnote>";
    let comments = "<w:comment w:id='1'><w:p><w:t>remark</w:t></w:p></w:comment>";
    let others = [
        ("word/footnotes.xml", "footnotes", notes),
        ("word/comments.xml", "comments", comments),
        (
            "word/glossary/document.xml",
            "glossaryDocument",
            "<w:t>never</w:t>",
        ),
    ];
    let (text, facts) = read_with_facts(&docx(body, &others));
    assert_eq!(text, "in\nnote\nremark\n");
    let counts = [
        Fact::Insertions,
        Fact::Deletions,
        Fact::Notes,
        Fact::Comments,
    ];
    assert_eq!(counts.map(|fact| facts.number(fact)), [1; 4]);
}

#[test]
fn headers_of_many_sections_are_written_once() {
    let (same, other) = (paragraph("same"), paragraph("other"));
    let others = [
        ("word/header1.xml", "header", &*same),
        ("word/header2.xml", "header", &other),
        ("word/header3.xml", "header", &same),
        ("word/footer1.xml", "footer", &same),
    ];
    let (reading, text) = text(&docx(&paragraph("body"), &others));
    assert_eq!((reading, &*text), (Ok(None), "body\nsame\nother\n"));
}

#[test]
fn a_text_box_follows_its_paragraph() {
    let body = format!(
        "<w:p><w:r><w:t>before </w:t></w:r><w:r><w:pict><v:textbox><w:txbxContent>{}{}</w:txbxContent></v:textbox></w:pict></w:r>\
         <w:r><w:t>after</w:t></w:r></w:p>{}",
        paragraph("box"),
        paragraph("more"),
        paragraph("next")
    );
    let (text, facts) = read_with_facts(&docx(&body, &[]));
    assert_eq!(text, "before after\nbox\nmore\nnext\n");
    assert_eq!(facts.number(Fact::TextBoxes), 1);
}

#[test]
fn fields_give_their_result_and_no_instruction() {
    let mark = |kind| format!("<w:r><w:fldChar w:fldCharType='{kind}'/></w:r>");
    let run = |text| format!("<w:r><w:t>{text}</w:t></w:r>");
    let [begin, separate, end] = ["begin", "separate", "end"].map(mark);
    let inner = format!("{begin}{separate}{}{end}", run("instruction"));
    let field = format!("{begin}{inner}{separate}{}{end}", run("result "));
    let broken = format!("<w:p>{begin}{}</w:p>", run("lost"));
    let body = format!(
        "<w:p>{field}{}</w:p>{broken}{}",
        run("text"),
        paragraph("next")
    );
    assert_eq!(body_text(&body), "result text\nnext\n");
}

#[test]
fn fields_that_fetch_are_counted() {
    let body = "<w:p><w:fldSimple w:instr=' PAGE '><w:r><w:t>1</w:t></w:r></w:fldSimple>\
                <w:fldSimple w:instr=' includepicture &quot;http://a.example/&quot; '/>\
                <w:r><w:instrText> DDEAUTO cmd</w:instrText></w:r></w:p>";
    let (text, facts) = read_with_facts(&docx(body, &[]));
    assert_eq!((&*text, facts.number(Fact::External)), ("1\n", 2));
}

#[test]
fn symbols_and_readings() {
    let body = "<w:p><w:sym w:font='Symbol' w:char='F061'/><w:sym w:font='Wingdings' w:char='F0FC'/>\
                <w:sym w:font='Arial' w:char='2014'/><w:ruby><w:rt><w:t>reading</w:t></w:rt>\
                <w:rubyBase><w:t>base</w:t></w:rubyBase></w:ruby></w:p>";
    assert_eq!(body_text(body), "α✓—base\n");
    let choice = |code| {
        let body = format!("<w:p><w:sym w:font='Wingdings' w:char='{code}'/><w:t> yes</w:t></w:p>");
        body_text(&body)
    };
    assert_eq!(
        (choice("F0FE"), choice("F0A8")),
        ("☑ yes\n".into(), "☐ yes\n".into())
    );
    let minus = "<w:p><w:sym w:font='Symbol' w:char='F02D'/><w:t>5 EUR</w:t></w:p>";
    assert_eq!(body_text(minus), "−5 EUR\n");
}

#[test]
fn private_use_characters_are_signs_of_the_font_of_their_run() {
    let run = |properties: &str| {
        format!("<w:r><w:rPr>{properties}</w:rPr><w:t>\u{f0d8}\u{f0a7}\u{f0b7}a</w:t></w:r>")
    };
    let in_font = |font| run(&format!("<w:rFonts w:ascii='{font}' w:hAnsi='{font}'/>"));
    let unknown = "\u{f0d8}\u{f0a7}\u{f0b7}a";
    for (run, shown) in [
        (in_font("Symbol"), "¬♣•a"),
        (in_font("Wingdings"), "➢▪\u{f0b7}a"),
        (in_font("MT Extra"), unknown),
        (in_font("Arial"), unknown),
        (run(""), unknown),
        (run("<w:rStyle w:val='Signs'/>"), "¬♣•a"),
        (
            run("<w:rStyle w:val='Signs'/><w:rFonts w:hAnsi='Arial'/>"),
            unknown,
        ),
    ] {
        let styles = "<w:styles><w:style w:styleId='Signs'><w:rPr><w:rFonts w:ascii='Symbol'/></w:rPr></w:style></w:styles>";
        let bytes = docx(
            &format!("<w:p>{run}</w:p>"),
            &[("word/styles.xml", "styles", styles)],
        );
        assert_eq!(text(&bytes).1, format!("{shown}\n"), "{run}");
    }
    let theme = "<w:rFonts w:ascii='Symbol' w:hAnsi='Symbol' w:hAnsiTheme='minorHAnsi'/>";
    let in_theme = format!("<w:p>{}</w:p>", run(theme));
    assert_eq!(body_text(&in_theme), format!("{unknown}\n"));
    // The sign has a font of its own.
    let sign = "<w:p><w:r><w:rPr><w:rFonts w:ascii='Symbol'/></w:rPr><w:sym w:font='MT Extra' w:char='F0D8'/>\
                </w:r></w:p>";
    assert_eq!(body_text(sign), "\u{f0d8}\n");
}

#[test]
fn runs_have_the_font_of_a_style_its_base_or_of_all_text() {
    let font = |name: &str| format!("<w:rPr><w:rFonts w:hAnsi='{name}'/></w:rPr>");
    let style = |attributes: &str, content: &str| {
        format!("<w:style w:type='paragraph' {attributes}>{content}</w:style>")
    };
    let defaults = format!(
        "<w:docDefaults><w:rPrDefault>{}</w:rPrDefault></w:docDefaults>",
        font("Symbol")
    );
    let based = style("w:styleId='Based'", "<w:basedOn w:val='Base'/>");
    let base = style("w:styleId='Base'", &font("Wingdings"));
    let usual = style("w:styleId='Usual' w:default='1'", &font("Wingdings"));
    let former =
        "<w:rPr><w:rPrChange><w:rPr><w:rFonts w:hAnsi='Wingdings'/></w:rPr></w:rPrChange></w:rPr>";
    let run = "<w:r><w:t>\u{f0d8}</w:t></w:r>";
    let named = |style: &str| format!("<w:pPr><w:pStyle w:val='{style}'/></w:pPr>{run}");
    let letters = format!("<w:r>{}<w:t>\u{f0d8}</w:t></w:r>", font("Arial"));
    for (styles, paragraph, shown) in [
        (based + &base, named("Based"), "➢"),
        (usual.clone(), run.to_owned(), "➢"),
        (usual.clone(), named("Unknown"), "➢"),
        (usual, letters.clone(), "\u{f0d8}"),
        (defaults.clone(), run.to_owned(), "¬"),
        (defaults.clone() + &base, named("Base"), "➢"),
        (defaults, letters, "\u{f0d8}"),
        (
            style("w:styleId='Former'", former),
            named("Former"),
            "\u{f0d8}",
        ),
    ] {
        let styles = format!("<w:styles>{styles}</w:styles>");
        let body = format!("<w:p>{paragraph}</w:p>");
        let read = text(&docx(&body, &[("word/styles.xml", "styles", &styles)])).1;
        assert_eq!(read, format!("{shown}\n"), "{paragraph} in {styles}");
    }
}

#[test]
fn charts_and_diagrams_follow_the_body() {
    let body = "<w:p><w:t>body</w:t><c:chart r:id='0'/><dgm:relIds r:dm='1'/></w:p>";
    let others = [
        ("word/charts/c.xml", "chart", "<a:p><a:t>chart</a:t></a:p>"),
        (
            "word/diagrams/d.xml",
            "diagramData",
            "<a:p><a:t>step</a:t></a:p>",
        ),
    ];
    assert_eq!(
        text(&docx(body, &others)),
        (Ok(None), "body\nchart\nstep\n".to_owned())
    );
}

#[test]
fn a_bomb_is_cut_by_its_ratio() {
    let body = paragraph("start") + &paragraph(&"0".repeat(20 << 20));
    let (reading, text) = text(&docx(&body, &[]));
    assert_eq!(reading, Ok(Some(Reason::InflateLimit)));
    assert!(
        text.len() > 100_000 && text.len() < body.len() / 2,
        "{}",
        text.len()
    );
}

#[test]
fn deep_nesting_and_many_entries_are_limited() {
    let deep = paragraph("top") + &"<w:sdt>".repeat(Budgets::default().markup_depth as usize);
    let (reading, shallow) = text(&docx(&deep, &[]));
    assert_eq!(
        (reading, shallow.as_str()),
        (Ok(Some(Reason::DepthLimit)), "top\n")
    );
    let names: Vec<_> = (0..=Budgets::default().entries)
        .map(|i| i.to_string())
        .collect();
    let entries: Vec<_> = names.iter().map(|name| (name.as_str(), &b""[..])).collect();
    let many = text(&zip_of(&entries)).0;
    assert_eq!(many, Err(Outcome::TooLarge(Reason::PartsLimit)));
}

#[test]
fn damage_in_a_part_keeps_the_rest() {
    let others = [
        ("word/footnotes.xml", "footnotes", "<w:t>no</w:t><w:p"),
        ("word/comments.xml", "comments", "<w:t>yes</w:t>"),
    ];
    let (reading, text) = text(&docx(&paragraph("body"), &others));
    assert_eq!(reading, Ok(Some(Reason::Damaged)));
    assert!(text.contains("body") && text.contains("yes"));
}

#[test]
fn a_part_that_breaks_off_between_tags_is_named() {
    for kind in ["header", "footer", "footnotes", "endnotes", "comments"] {
        let name = format!("word/{kind}.xml");
        let read_part = |part: &str| {
            let bytes = docx(&paragraph("body"), &[(&name, kind, part)]);
            let mut sink = Sink::of(1 << 20);
            let reading = read(&input_of(&bytes), &mut sink);
            let text = sink.take_text();
            (reading, text, sink.into_remarks().0)
        };
        let whole = format!("<w:x>{}{}</w:x>", paragraph("one"), paragraph("two"));
        let (reading, _, remarks) = read_part(&whole);
        assert_eq!((reading, remarks), (Ok(None), Vec::new()), "{kind}");
        for end in ["</w:p>", "</w:t>", "<w:r>"] {
            let cut = &whole[..whole.find(end).unwrap() + end.len()];
            let (reading, text, remarks) = read_part(cut);
            assert_eq!(reading, Ok(Some(Reason::Damaged)), "{cut}");
            assert!(text.starts_with("body\n"), "{text}");
            assert!(
                matches!(&*remarks, [said] if said.contains(&name)),
                "{remarks:?}"
            );
        }
    }
    let body = docx(&paragraph("body"), &[]);
    assert_eq!(text(&body).0, Ok(None));
    let open = docx("<w:p><w:r><w:t>body</w:t></w:document>", &[]);
    assert_eq!(text(&open).0, Ok(None), "nothing is lost");
    let cut = docx(&format!("{}<w:document>", paragraph("body")), &[]);
    assert_eq!(text(&cut).0, Ok(Some(Reason::Damaged)));
}

#[test]
fn a_missing_body_is_malformed_and_a_missing_note_is_not() {
    let whole = docx(
        &paragraph("body"),
        &[("word/footnotes.xml", "footnotes", "<w:t>x</w:t>")],
    );
    let lost = |name: &[u8]| {
        let mut bytes = whole.clone();
        while let Some(at) = bytes.windows(name.len()).position(|window| window == name) {
            bytes[at] = b'_';
        }
        text(&bytes).0
    };
    assert_eq!(
        lost(b"word/document.xml"),
        Err(Outcome::Failed(Reason::Malformed))
    );
    assert_eq!(lost(b"word/footnotes.xml"), Ok(Some(Reason::Damaged)));
}

/// A complex field of an instruction, form data and the runs of its result, if it has one.
fn field(form: &str, instruction: &str, result: Option<&str>) -> String {
    let mark =
        |kind, within| format!("<w:r><w:fldChar w:fldCharType='{kind}'>{within}</w:fldChar></w:r>");
    let result = result.map(|runs| mark("separate", "") + runs);
    let (begin, end) = (mark("begin", form), mark("end", ""));
    format!(
        "{begin}<w:r><w:instrText> {instruction} </w:instrText></w:r>{}{end}",
        result.unwrap_or_default()
    )
}

#[test]
fn a_symbol_field_shows_its_sign_once() {
    let sign = "SYMBOL 254 \\f &quot;Wingdings&quot; \\s 12";
    let stored = "<w:r><w:rPr><w:rFonts w:ascii='Wingdings'/></w:rPr><w:t>\u{fe}</w:t></w:r>";
    let fields = [
        field("", sign, None),
        field("", sign, Some("")),
        field("", sign, Some(stored)),
        format!("<w:fldSimple w:instr='{sign}'/>"),
        format!("<w:fldSimple w:instr='{sign}'>{stored}</w:fldSimple>"),
        format!(
            "<w:fldSimple w:instr='TITLE'>{}</w:fldSimple>",
            field("", sign, None)
        ),
    ];
    for field in fields {
        let body = format!("<w:p>{field}<w:r><w:t xml:space='preserve'> yes</w:t></w:r></w:p>");
        assert_eq!(body_text(&body), "☑ yes\n", "{body}");
    }
    let title = field("", "TITLE", Some("<w:r><w:t>My title</w:t></w:r>"));
    assert_eq!(body_text(&format!("<w:p>{title}</w:p>")), "My title\n");
}

#[test]
fn form_fields_show_their_state() {
    let form = |data: &str| {
        let data = format!("<w:ffData><w:name w:val='x'/>{data}</w:ffData>");
        let empty = field(&data, "FORM", Some(""));
        assert_eq!(
            body_text(&format!("<w:p>{}</w:p>", field(&data, "FORM", None))),
            body_text(&format!("<w:p>{empty}</w:p>"))
        );
        body_text(&format!("<w:p>{empty}</w:p>"))
    };
    let check = |data: &str| form(&format!("<w:checkBox><w:sizeAuto/>{data}</w:checkBox>"));
    for ticked in [
        "<w:default w:val='1'/>",
        "<w:default w:val='0'/><w:checked/>",
        "<w:checked w:val='true'/>",
    ] {
        assert_eq!(check(ticked), "☒\n", "{ticked}");
    }
    for unticked in ["", "<w:default w:val='1'/><w:checked w:val='false'/>"] {
        assert_eq!(check(unticked), "☐\n", "{unticked}");
    }
    let list = "<w:listEntry w:val='no'/><w:listEntry w:val='yes'/>";
    let choice = |result: &str| form(&format!("<w:ddList>{result}{list}</w:ddList>"));
    assert_eq!(
        (choice(""), choice("<w:result w:val='1'/>")),
        ("no\n".into(), "yes\n".into())
    );
}

#[test]
fn the_sign_of_a_check_box_control_stands_once() {
    let control = "<w:p><w:sdt><w:sdtPr><w14:checkbox><w14:checked w14:val='1'/>\
                   <w14:checkedState w14:val='2612' w14:font='MS Gothic'/></w14:checkbox></w:sdtPr>\
                   <w:sdtContent><w:r><w:t>☒</w:t></w:r></w:sdtContent></w:sdt><w:r><w:t> yes</w:t></w:r></w:p>";
    assert_eq!(body_text(control), "☒ yes\n");
}

#[test]
fn formulas_keep_the_signs_that_are_no_text() {
    let run = |text: &str| format!("<m:r><w:rPr><w:i/></w:rPr><m:t>{text}</m:t></m:r>");
    let formula = |inner: &str| {
        let inside =
            format!("<w:r><w:t>is </w:t></w:r><m:oMath>{inner}</m:oMath><w:r><w:t>.</w:t></w:r>");
        body_text(&format!("<w:p>{inside}</w:p>"))
    };
    let fence = format!(
        "{}<m:d><m:e>{}</m:e></m:d>{}",
        run("2·"),
        run("3+4"),
        run("·5")
    );
    assert_eq!(formula(&fence), "is 2·(3+4)·5.\n");
    let product = format!(
        "<m:nary><m:naryPr><m:chr m:val='∏'/></m:naryPr><m:sub>{}</m:sub><m:sup>{}</m:sup><m:e>{}</m:e></m:nary>",
        run("i"),
        run("n"),
        run("x")
    );
    assert_eq!(formula(&product), "is ∏_i^n x.\n");
    let changed = format!("<w:del>{}</w:del><w:ins>{}</w:ins>", run("3"), run("4"));
    assert_eq!(formula(&changed), "is 4.\n");
    let lines = format!(
        "<m:oMath>{}</m:oMath><m:oMath>{}</m:oMath>",
        run("a=1"),
        run("2=b")
    );
    assert_eq!(
        body_text(&format!("<w:p><m:oMathPara>{lines}</m:oMathPara></w:p>")),
        "a=1\n2=b\n"
    );
}

#[test]
fn raised_and_lowered_digits_stay_so() {
    let run = |align: &str, text: &str| {
        let properties = format!("<w:rPr><w:vertAlign w:val='{align}'/></w:rPr>");
        format!("<w:r>{properties}<w:t>{text}</w:t></w:r><w:r><w:t>.</w:t></w:r>")
    };
    let of = |align, text| {
        body_text(&format!(
            "<w:p><w:r><w:t>10</w:t></w:r>{}</w:p>",
            run(align, text)
        ))
    };
    assert_eq!(of("superscript", "3"), "10³.\n");
    assert_eq!(of("subscript", "3"), "10₃.\n");
    assert_eq!(of("baseline", "3"), "103.\n");
    assert_eq!(of("superscript", "th"), "10th.\n");
    let former = "<w:p><w:r><w:rPr><w:rPrChange><w:rPr><w:vertAlign w:val='superscript'/></w:rPr></w:rPrChange>\
                  </w:rPr><w:t>3</w:t></w:r></w:p>";
    assert_eq!(body_text(former), "3\n");
}

#[test]
fn struck_text_is_marked_whatever_strikes_it() {
    let styles = "<w:styles><w:style w:styleId='Gone'><w:rPr><w:strike/></w:rPr></w:style>\
                  <w:style w:styleId='More'><w:basedOn w:val='Gone'/></w:style>\
                  <w:style w:styleId='Up'><w:rPr><w:vertAlign w:val='superscript'/></w:rPr></w:style></w:styles>";
    let read = |body: &str| text(&docx(body, &[("word/styles.xml", "styles", styles)])).1;
    let run = |properties: &str, text: &str| {
        format!("<w:r><w:rPr>{properties}</w:rPr><w:t xml:space='preserve'>{text}</w:t></w:r>")
    };
    let line = |runs: &[String]| format!("<w:p>{}</w:p>", runs.concat());
    let struck = [
        run("", "a "),
        run("<w:strike/>", "b"),
        run("<w:strike/><w:dstrike w:val='0'/>", "c "),
        run("<w:dstrike w:val='true'/>", "d"),
        run("<w:strike w:val='false'/>", " e "),
        run("<w:rStyle w:val='More'/>", "f"),
        run("<w:rStyle w:val='More'/><w:strike w:val='0'/>", "g"),
        run("<w:rStyle w:val='Up'/>", "3"),
    ];
    assert_eq!(read(&line(&struck)), "a ~~bc d~~ e ~~f~~g³\n");
    let next = [run("<w:strike/>", "b"), run("", "c")];
    assert_eq!(
        read(&[line(&struck[1..2]), line(&next)].concat()),
        "~~b~~\n~~b~~c\n"
    );
    // A style within a style that strikes takes the line away.
    let within = [
        "<w:pPr><w:pStyle w:val='Gone'/></w:pPr>".to_owned(),
        run("", "h"),
        run("<w:rStyle w:val='Gone'/>", "i"),
    ];
    assert_eq!(
        read(&[line(&within), paragraph("j")].concat()),
        "~~h~~i\nj\n"
    );
}

#[test]
fn overrides_of_direction_are_kept() {
    let body = "<w:p><w:r><w:t>a </w:t></w:r><w:bdo w:val='rtl'><w:r><w:t>123</w:t></w:r></w:bdo>\
                <w:bdo w:val='ltr'><w:r><w:t>b</w:t></w:r></w:bdo></w:p>";
    assert_eq!(body_text(body), "a \u{202e}123\u{202c}\u{202d}b\u{202c}\n");
}

#[test]
fn formulas_of_fields_are_text() {
    let field = "<w:p><w:r><w:t>is </w:t></w:r><w:r><w:fldChar w:fldCharType='begin'/></w:r><w:r><w:instrText>EQ \\f(1,</w:instrText>\
                 </w:r><w:r><w:instrText>2)</w:instrText></w:r><w:r><w:fldChar w:fldCharType='end'/></w:r><w:r><w:t>.</w:t></w:r></w:p>";
    assert_eq!(body_text(field), "is 1/2.\n");
}
