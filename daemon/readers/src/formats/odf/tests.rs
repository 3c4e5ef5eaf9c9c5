//! Packages and flat files made here.

use proptest::prelude::*;
use simdex_extract::Budgets;

use super::super::ooxml::sheets::tests::one_sheet;
use super::super::package::tests::zip_of;
use super::*;
use crate::input::input_of;
use crate::sink::collected::Collected;

mod signs;

const NAMESPACES: &str = "xmlns:office='o' xmlns:text='t' xmlns:table='b' xmlns:draw='d' xmlns:style='s' xmlns:form='f' xmlns:field='i' xmlns:number='n'";

fn read_with(bytes: &[u8], budgets: Budgets) -> (Sink, Reading, Vec<Collected>) {
    let (mut sink, members) = Sink::collecting(1 << 20, budgets);
    let reading = read(&input_of(bytes), &mut sink);
    (sink, reading, members.take())
}

fn flat_of(genre: &str, body: &str) -> Vec<u8> {
    format!(
        "<?xml version='1.0'?><office:document {NAMESPACES}><office:body><office:{genre}>{body}\
         </office:{genre}></office:body></office:document>"
    )
    .into_bytes()
}

fn sink_of(genre: &str, body: &str) -> Sink {
    let (sink, reading, _) = read_with(&flat_of(genre, body), Budgets::default());
    assert_eq!(reading, Ok(None));
    sink
}

fn text(body: &str) -> String {
    sink_of("text", body).take_text()
}

#[test]
fn white_space_is_what_the_format_means_by_it() {
    let body = "\n <text:h>One\n  two</text:h>\n <text:p> a<text:s text:c='2'/>b<text:tab/>c\
                <text:line-break/>d <text:span> e</text:span>&amp;&#228;</text:p>";
    assert_eq!(text(body), "One two\na  b\tc\nd e&ä\n");
    assert_eq!(
        text("<text:p>a<text:s text:c='4000000000'/>b</text:p>").len(),
        259
    );
}

#[test]
fn a_part_that_breaks_off_between_tags_is_named() {
    let content = String::from_utf8(flat_of("text", "<text:p>body</text:p>")).unwrap();
    let meta = "<office:meta><meta:keyword>one</meta:keyword></office:meta>";
    let read_parts = |content: &str, meta: &str| {
        let parts = [("content.xml", content), ("meta.xml", meta)];
        let parts = parts.map(|(name, part)| (name, part.as_bytes()));
        let (sink, reading, _) = read_with(&zip_of(&parts), Budgets::default());
        (reading, sink.into_remarks().0)
    };
    assert_eq!(read_parts(&content, meta), (Ok(None), Vec::new()));
    let cut = |part: &str| part[..part.rfind("</").unwrap()].to_owned();
    let broken = [
        (read_parts(&cut(&content), meta), "content.xml"),
        (read_parts(&content, &cut(meta)), "meta.xml"),
    ];
    for ((reading, remarks), name) in broken {
        assert_eq!(reading, Ok(Some(Reason::Damaged)), "{name}");
        assert!(
            matches!(&*remarks, [said] if said.contains(name)),
            "{remarks:?}"
        );
    }
}

#[test]
fn controls_of_forms_show_their_state() {
    let control = |element: &str| text(&format!("<office:forms>{element}</office:forms>"));
    let ticked = "<form:checkbox form:label='yes' form:current-state='checked'/>";
    assert_eq!(control(ticked), "☒ yes\n");
    assert_eq!(control("<form:checkbox form:state='checked'/>"), "☒\n");
    assert_eq!(
        control("<form:checkbox form:state='checked' form:current-state='unchecked'/>"),
        "☐\n"
    );
    assert_eq!(control("<form:checkbox form:state='unknown'/>"), "▣\n");
    assert_eq!(
        control(
            "<form:radio form:label='a' form:current-selected='true'/><form:radio form:label='b'/>"
        ),
        "☒ a\n☐ b\n"
    );
    let list = "<form:listbox><form:option form:label='a'/>\
                <form:option form:label='b' form:current-selected='true'/></form:listbox>";
    assert_eq!(control(list), "b\n");
    assert_eq!(
        control("<form:text form:current-value='typed'/>"),
        "typed\n"
    );
}

#[test]
fn form_fields_of_other_programs_show_their_state() {
    let field = |kind: &str, parameters: &[(&str, &str)]| {
        let parameters: String = parameters
            .iter()
            .map(|(name, value)| {
                format!("<field:param field:name='{name}' field:value='{value}'/>")
            })
            .collect();
        text(&format!(
            "<text:p>a <field:fieldmark field:type='vnd.oasis.opendocument.field.{kind}'>{parameters}\
             </field:fieldmark> b</text:p>"
        ))
    };
    let ticked = [("Checkbox_Checked", "true")];
    assert_eq!(field("FORMCHECKBOX", &ticked), "a ☒ b\n");
    assert_eq!(field("FORMCHECKBOX", &[]), "a ☐ b\n");
    let chosen = [
        ("Dropdown_ListEntry", "no"),
        ("Dropdown_ListEntry", "yes"),
        ("Dropdown_Selected", "1"),
    ];
    assert_eq!(field("FORMDROPDOWN", &chosen), "a yes b\n");
    assert_eq!(field("FORMTEXT", &[]), "a b\n");
}

const LIST_STYLES: &str = "<text:list-style style:name='L'>\
    <text:list-level-style-number text:level='1' style:num-format='1' style:num-suffix='.'/>\
    <text:list-level-style-number text:level='2' style:num-format='a' style:num-prefix='(' \
    style:num-suffix=')'/></text:list-style>\
    <text:list-style style:name='D'><text:list-level-style-number text:level='1' style:num-format='I'/>\
    <text:list-level-style-number text:level='2' style:num-format='1' text:display-levels='2'/>\
    <text:list-level-style-number text:level='3' style:num-format='1' loext:num-list-format='%2%-%3%:'/>\
    </text:list-style><text:list-style style:name='B'>\
    <text:list-level-style-bullet text:level='1' text:bullet-char='o'/></text:list-style>\
    <text:list-style style:name='M'><text:list-level-style-bullet text:level='1' text:bullet-char='-'/></text:list-style>\
    <style:style style:name='P' style:list-style-name='L'/>\
    <text:outline-style><text:outline-level-style text:level='1' style:num-format='1'/>\
    <text:outline-level-style text:level='2' style:num-format='1' text:display-levels='2'/>\
    </text:outline-style>";

fn list(attributes: &str, items: &[&str]) -> String {
    let items = items
        .iter()
        .map(|item| match item.strip_prefix('<') {
            Some(_) => format!("<text:list-item>{item}</text:list-item>"),
            None => format!("<text:list-item><text:p>{item}</text:p></text:list-item>"),
        })
        .collect::<String>();
    format!("<text:list {attributes}>{items}</text:list>")
}

#[test]
fn items_and_headings_have_their_numbers() {
    let inner = format!(
        "<text:p>b</text:p><text:p>more</text:p>{}",
        list("", &["c", "d"])
    );
    let deep = list("", &[&list("", &["g"]), "h"]);
    let body = [
        "<text:h text:outline-level='1'>One</text:h>",
        "<text:h text:outline-level='2'>Two</text:h><text:p>x</text:p>",
        &list("text:style-name='L' xml:id='l'", &["a", &inner, "e"]),
        &list("text:style-name='B'", &["f"]),
        &list("text:style-name='M'", &["minus"]),
        &list(
            "text:style-name='L' text:continue-numbering='true'",
            &[&deep, "i"],
        ),
        &list(
            "text:continue-list='l'",
            &["<text:p text:style-name='P'>j</text:p>"],
        ),
        &list(
            "text:style-name='D'",
            &["k", &list("", &["l", &list("", &["m"])])],
        ),
        "<text:h text:outline-level='2'>Three</text:h>",
        "<text:list text:style-name='L'><text:list-header><text:p>n</text:p></text:list-header>\
         <text:list-item text:start-value='7'><text:p>o</text:p></text:list-item></text:list>",
    ];
    let page = flat_of("text", &body.concat());
    let page = String::from_utf8(page).unwrap();
    let styles = format!("<office:styles>{LIST_STYLES}</office:styles><office:body>");
    let (sink, _, _) = read_with(
        page.replacen("<office:body>", &styles, 1).as_bytes(),
        Budgets::default(),
    );
    let expected = "1 One\n1.1 Two\nx\n1. a\n2. b\nmore\n(a) c\n(b) d\n3. e\nf\n- minus\ng\n(a) h\n4. i\n4. j\n\
                    I k\nI.1 l\n1-1: m\n1.2 Three\nn\n7. o\n";
    assert_eq!(sink.text(), expected);
    assert_eq!(sink.facts().number(Fact::ListNumbers), 16);
}

#[test]
fn styles_of_a_package_number_its_content() {
    let content = format!(
        "<office:document-content><office:body><office:text>{}</office:text></office:body>\
         </office:document-content>",
        list("text:style-name='L'", &["a"])
    );
    let styles = format!("<office:document-styles>{LIST_STYLES}</office:document-styles>");
    let bytes = zip_of(&[
        ("content.xml", content.as_bytes()),
        ("styles.xml", styles.as_bytes()),
    ]);
    let (sink, _, _) = read_with(&bytes, Budgets::default());
    assert_eq!(sink.text(), "1. a\n");
}

#[test]
fn notes_and_comments_follow_the_body_without_their_marks() {
    let body = "<text:p>Body<text:note><text:note-citation>1</text:note-citation><text:note-body>\
                <text:p>Note.</text:p></text:note-body></text:note> goes on<office:annotation>\
                <dc:creator>A B</dc:creator><text:p>Comment.</text:p></office:annotation>.</text:p>";
    let sink = sink_of("text", body);
    assert_eq!(sink.text(), "Body goes on.\nNote.\nComment.\n");
    assert_eq!(sink.facts().number(Fact::Notes), 1);
    assert_eq!(sink.facts().number(Fact::Comments), 1);
    assert_eq!(
        sink.facts().get(Fact::LastAuthor),
        None,
        "of a comment, not of the document"
    );
}

#[test]
fn deletions_are_left_out_and_changes_counted() {
    let body = "<text:tracked-changes><text:changed-region><text:deletion><office:change-info/>\
                <text:p>gone</text:p></text:deletion></text:changed-region><text:changed-region>\
                <text:insertion/></text:changed-region></text:tracked-changes>\
                <text:p>kept<text:change-start/> new<text:change-end/></text:p>";
    let sink = sink_of("text", body);
    assert_eq!(sink.text(), "kept new\n");
    assert_eq!(sink.facts().number(Fact::Deletions), 1);
    assert_eq!(sink.facts().number(Fact::Insertions), 1);
}

#[test]
fn labels_that_no_one_sees_and_numbers_are_left_out() {
    let body = "<text:list><text:list-item><text:number>1.</text:number><text:p>item<draw:frame>\
                <svg:title>picture</svg:title><draw:object><office:document><office:body><text:p>\
                object</text:p></office:body></office:document></draw:object><draw:text-box>\
                <text:p>box</text:p></draw:text-box></draw:frame></text:p></text:list-item></text:list>";
    let sink = sink_of("text", body);
    assert_eq!(sink.text(), "item\nbox\n\n");
    assert_eq!(sink.facts().number(Fact::TextBoxes), 1);
}

#[test]
fn rows_are_lines_and_cells_apart_by_tabs() {
    let body = "<table:table><table:table-row><table:table-cell><text:p>a</text:p></table:table-cell>\
                <table:table-cell/><table:table-cell office:value='2.5'/><table:table-cell \
                table:number-columns-repeated='2'><text:p>x</text:p></table:table-cell>\
                </table:table-row><table:table-row table:number-rows-repeated='2'>\
                <table:table-cell><text:p>y</text:p></table:table-cell></table:table-row></table:table>";
    let sink = sink_of("spreadsheet", body);
    assert_eq!(sink.text(), "a\t2.5\tx\tx\ny\ny\n");
    assert_eq!(sink.facts().number(Fact::Cells), 6);
    assert_eq!(sink.facts().number(Fact::Sheets), 1);
}

#[test]
#[expect(clippy::too_many_lines, reason = "one sample sheet in two formats")]
fn a_sheet_is_the_same_text_in_either_kind() {
    let cells = [
        ("t='str'><v>Ümlaut</v>", "string'><text:p>Ümlaut</text:p>"),
        (
            "><v>1234567.891</v>",
            "float' office:value='1234567.891'><text:p>1,234,567.89</text:p>",
        ),
        (
            "><v>0.10000000000000001</v>",
            "float' office:value='0.1'><text:p>0.10</text:p>",
        ),
        (
            "s='3'><v>0.25</v>",
            "percentage' office:value='0.25'><text:p>25.00%</text:p>",
        ),
        (
            "s='4'><v>-12.5</v>",
            "currency' office:currency='EUR' office:value='-12.5'><text:p>-12.50 €</text:p>",
        ),
        (
            "s='1'><v>45351</v>",
            "date' office:date-value='2024-02-29'><text:p>29.2.24</text:p>",
        ),
        (
            "s='1'><v>45351.5</v>",
            "date' office:date-value='2024-02-29T11:59:59.9999997'><text:p>12:00</text:p>",
        ),
        (
            "s='1'><v>0.25</v>",
            "time' office:time-value='PT06H00M00S'><text:p>6:00</text:p>",
        ),
        (
            "s='2'><v>1.5</v>",
            "time' office:time-value='PT36H00M00S'><text:p>36:00</text:p>",
        ),
        (
            "t='b'><v>1</v>",
            "boolean' office:boolean-value='true'><text:p>WAHR</text:p>",
        ),
        (
            "t='e'><v>#N/A</v>",
            "string' office:string-value=''><text:p>#N/A</text:p>",
        ),
    ];
    let styles = "<numFmts><numFmt numFmtId='170' formatCode='[h]:mm'/>\
                  <numFmt numFmtId='171' formatCode='#,##0.00\\ [$€-407];-#,##0.00\\ [$€-407]'/></numFmts>\
                  <cellXfs><xf numFmtId='0'/><xf numFmtId='14'/><xf numFmtId='170'/><xf numFmtId='10'/>\
                  <xf numFmtId='171'/></cellXfs>";
    let xml = cells.map(|(xml, _)| format!("<c {xml}</c>")).concat();
    let open = cells
        .map(|(_, cell)| format!("<table:table-cell office:value-type='{cell}</table:table-cell>"));
    let xlsx = one_sheet(&format!("<sheetData><row>{xml}</row></sheetData>"), styles);
    let row = format!(
        "<table:table><table:table-row>{}</table:table-row></table:table>",
        open.concat()
    );
    assert_eq!(sink_of("spreadsheet", &row).text(), xlsx);
    let expected = "Ümlaut\t1234567.891\t0.1\t25%\t-12.5 €\t2024-02-29\t2024-02-29 12:00:00\t06:00:00\t\
                    36:00:00\tTRUE\t#N/A\n";
    assert_eq!(xlsx, expected);
}

#[test]
fn values_that_are_none_leave_what_is_shown() {
    let cells = [
        "float' office:value='much",
        "date' office:date-value='soon",
        "time' office:time-value='P1D",
    ];
    let cells = cells.map(|cell| {
        format!(
            "<table:table-cell office:value-type='{cell}'><text:p>shown</text:p></table:table-cell>"
        )
    });
    let row = format!(
        "<table:table><table:table-row>{}</table:table-row></table:table>",
        cells.concat()
    );
    assert_eq!(sink_of("spreadsheet", &row).text(), "shown\tshown\tshown\n");
}

#[test]
fn tables_of_texts_and_slides_give_what_they_show() {
    let row = "<table:table><table:table-row><table:table-cell office:value-type='currency' \
               office:currency='EUR' office:value='1234.5'><text:p>1.234,50 €</text:p></table:table-cell>\
               <table:table-cell office:value-type='date' office:date-value='2024-02-29'>\
               <text:p>29. Februar 2024</text:p><text:p>ein Schalttag</text:p></table:table-cell>\
               <table:table-cell office:value-type='float' office:value='2.5'/>\
               </table:table-row></table:table>";
    let shown = "1.234,50 €\t29. Februar 2024\nein Schalttag\t2.5\n";
    for genre in ["text", "presentation", "drawing"] {
        assert_eq!(sink_of(genre, row).text(), shown, "{genre}");
    }
    assert_eq!(
        sink_of("spreadsheet", row).text(),
        "1234.5 €\t2024-02-29\t2.5\n"
    );
}

/// A sheet of one cell that is repeated `columns` times `rows` times.
fn repeated(columns: u64, rows: u64, cell: &str) -> Vec<u8> {
    let body = format!(
        "<table:table><table:table-row table:number-rows-repeated='{rows}'><table:table-cell \
         table:number-columns-repeated='{columns}'>{cell}</table:table-cell></table:table-row>\
         </table:table><table:table><table:table-row><table:table-cell><text:p>end</text:p>\
         </table:table-cell></table:table-row></table:table>"
    );
    flat_of("spreadsheet", &body)
}

#[test]
fn empty_repeats_cost_nothing_and_others_end_at_the_limit() {
    let (sink, reading, _) = read_with(&repeated(u64::MAX, u64::MAX, ""), Budgets::default());
    assert_eq!((sink.text(), reading), ("end\n", Ok(None)));
    let budgets = || Budgets {
        cells: 10,
        ..Budgets::default()
    };
    let (sink, reading, _) = read_with(&repeated(4, 1 << 20, "<text:p>x</text:p>"), budgets());
    assert_eq!(reading, Ok(Some(Reason::CellsLimit)));
    assert_eq!(sink.text(), "x\tx\tx\tx\nx\tx\tx\tx\n");
    assert_eq!(sink.facts().number(Fact::Cells), 10);
    let (sink, reading, _) = read_with(&repeated(u64::MAX, 1, "<text:p>x</text:p>"), budgets());
    assert_eq!(reading, Ok(Some(Reason::CellsLimit)));
    assert_eq!(sink.text().matches('x').count(), 10);
}

#[test]
fn a_row_longer_than_the_text_may_be_is_cut_not_lost() {
    let cell = format!("<text:p>{}</text:p>", "word ".repeat(1000));
    let (mut sink, _) = Sink::collecting(10_000, Budgets::default());
    let reading = read(&input_of(&repeated(1 << 40, 1, &cell)), &mut sink);
    assert_eq!(reading, Ok(Some(Reason::OutputLimit)));
    // The last character may be a space.
    assert!(sink.text().trim_end().len() >= 9_999);
}

#[test]
fn hidden_sheets_are_read_and_counted() {
    let content = format!(
        "<office:document {NAMESPACES}><office:automatic-styles><style:style style:name='ta2'>\
         <style:table-properties table:display='false'/><style:table-properties \
         table:display='false'/></style:style></office:automatic-styles>\
         <office:body><office:spreadsheet><table:table table:style-name='ta2'><table:table-row>\
         <table:table-cell><text:p>veiled</text:p></table:table-cell></table:table-row></table:table>\
         <table:table table:style-name='ta1'/><table:table/></office:spreadsheet></office:body></office:document>"
    );
    let (sink, ..) = read_with(content.as_bytes(), Budgets::default());
    assert_eq!(sink.text(), "veiled\n");
    assert_eq!(sink.facts().number(Fact::HiddenSheets), 1);
    assert_eq!(sink.facts().number(Fact::Sheets), 3);
}

#[test]
fn slides_stand_in_order_each_with_its_notes() {
    let slide = |n: u8| {
        format!(
            "<draw:page><draw:frame><draw:text-box><text:p>slide {n}</text:p></draw:text-box>\
             </draw:frame><presentation:notes><draw:frame presentation:class='page-number'>\
             <draw:text-box><text:p>7</text:p></draw:text-box></draw:frame><draw:frame><draw:text-box>\
             <text:p>notes {n}</text:p></draw:text-box></draw:frame></presentation:notes></draw:page>"
        )
    };
    let sink = sink_of("presentation", &(slide(1) + &slide(2)));
    assert_eq!(sink.text(), "slide 1\nnotes 1\nslide 2\nnotes 2\n");
    assert_eq!(sink.facts().number(Fact::Notes), 2);
    assert_eq!(sink.facts().number(Fact::Pages), 2);
}

fn package_of(more: &[(&str, &[u8])]) -> Vec<u8> {
    let content = b"<office:document-content><office:body><office:text><text:p>body</text:p>\
                    </office:text></office:body></office:document-content>";
    let parts = [&[("content.xml", &content[..])], more].concat();
    zip_of(&parts)
}

#[test]
fn a_package_gives_its_headers_once_its_facts_and_its_objects() {
    let styles = b"<office:document-styles><office:master-styles><style:master-page><style:header>\
        <text:p>Top</text:p></style:header><style:footer><text:p>Page <text:page-number>1\
        </text:page-number></text:p></style:footer></style:master-page><style:master-page>\
        <style:header><text:p>Top</text:p></style:header><style:header-left style:display='false'>\
        <text:p>none</text:p></style:header-left><draw:frame><text:p>Click to edit</text:p></draw:frame>\
        </style:master-page></office:master-styles></office:document-styles>";
    let meta = b"<office:document-meta><office:meta><dc:title>A &amp; b</dc:title>\
        <meta:creation-date>2006-05-18T12:19:00</meta:creation-date>\
        <meta:document-statistic meta:page-count='3'/></office:meta></office:document-meta>";
    let parts: [(&str, &[u8]); 6] = [
        ("styles.xml", styles),
        ("meta.xml", meta),
        ("Basic/Standard/script-lb.xml", b""),
        ("Basic/Standard/Module1.xml", b"<m/>"),
        ("Object 1/content.xml", b"<math/>"),
        ("ObjectReplacements/Object 1", b"picture"),
    ];
    let (sink, reading, members) = read_with(&package_of(&parts), Budgets::default());
    assert_eq!((sink.text(), reading), ("body\nTop\n", Ok(None)));
    let facts = sink.facts();
    assert_eq!(facts.get(Fact::Title), Some("A & b"));
    assert_eq!(facts.get(Fact::Created), Some("2006-05-18T12:19:00-00:00"));
    assert_eq!(
        (facts.number(Fact::Pages), facts.number(Fact::Scripts)),
        (3, 1)
    );
    let [object] = &members[..] else {
        panic!("{members:?}")
    };
    assert_eq!(
        (&*object.name, &*object.bytes),
        ("Object 1/content.xml", &b"<math/>"[..])
    );
}

#[test]
fn an_encrypted_package_needs_its_password() {
    let manifest = b"<manifest:manifest><manifest:file-entry manifest:full-path='content.xml'>\
        <manifest:encryption-data/></manifest:file-entry></manifest:manifest>";
    for empty in ["/>", "></manifest:encryption-data>"] {
        let manifest = String::from_utf8_lossy(manifest)
            .replace("/></manifest:f", &format!("{empty}</manifest:f"));
        let (_, reading, _) = read_with(
            &package_of(&[("META-INF/manifest.xml", manifest.as_bytes())]),
            Budgets::default(),
        );
        assert_eq!(reading, Err(Outcome::Encrypted(Reason::PasswordNeeded)));
    }
}

#[test]
fn parts_beside_the_body_may_fail() {
    let (sink, reading, _) =
        read_with(&package_of(&[("styles.xml", b"<a><b")]), Budgets::default());
    assert_eq!(
        (sink.text(), reading),
        ("body\n", Ok(Some(Reason::Damaged)))
    );
    let (_, reading, _) = read_with(&zip_of(&[("meta.xml", b"<a/>")]), Budgets::default());
    assert_eq!(reading, Err(Outcome::Failed(Reason::Malformed)));
}

#[test]
fn a_body_that_breaks_off_leaves_the_other_parts_whole() {
    let content = b"<office:text><text:p>kept<text:tracked-changes><text:p>gone<";
    let parts: [(&str, &[u8]); 3] = [
        ("content.xml", content),
        ("styles.xml", b"<style:master-page><style:footer><text:p>Foot</text:p></style:footer></style:master-page>"),
        ("meta.xml", b"<office:meta><dc:title>Title</dc:title></office:meta>"),
    ];
    let (sink, reading, _) = read_with(&zip_of(&parts), Budgets::default());
    assert_eq!(
        (sink.text(), reading),
        ("kept\nFoot\n", Ok(Some(Reason::Damaged)))
    );
    assert_eq!(sink.facts().get(Fact::Title), Some("Title"));
}

#[test]
fn nesting_beyond_the_limit_is_partial() {
    let body = format!("<text:p>start</text:p>{}", "<table:table>".repeat(100_000));
    let (sink, reading, _) = read_with(&flat_of("text", &body), Budgets::default());
    assert_eq!(
        (sink.text(), reading),
        ("start\n", Ok(Some(Reason::DepthLimit)))
    );
}

proptest! {
    #[test]
    fn any_markup_is_read_without_panic(
        body in "(</?(text:p|text:note-body|table:table-row|table:table-cell|style:header|office:meta|dc:title|draw:text-box|text:tracked-changes|svg:desc)/?>|[&;>a-z \"'=]|\\PC){0,60}",
    ) {
        let (_, reading, _) = read_with(&flat_of("text", &body), Budgets::default());
        prop_assert!(reading.is_ok());
    }
}
