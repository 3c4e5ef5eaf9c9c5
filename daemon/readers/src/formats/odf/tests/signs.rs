//! Signs that are formatting or objects: currencies, formulas, raised digits.

use super::*;

#[test]
fn numbers_have_the_signs_around_their_display() {
    let cell = |kind: &str, value: &str, shown: &str| {
        let cell = format!(
            "<table:table-cell office:value-type='{kind}' office:value='{value}'>{shown}</table:table-cell>"
        );
        let row = format!("<table:table><table:table-row>{cell}</table:table-row></table:table>");
        sink_of("spreadsheet", &row).text().to_owned()
    };
    for (kind, value, shown, expected) in [
        (
            "currency' office:currency='USD",
            "5",
            "<text:p>5.00 USD</text:p>",
            "5 USD\n",
        ),
        ("currency' office:currency='USD", "5", "", "5 USD\n"),
        ("currency", "-5", "<text:p>($5.00)</text:p>", "($5)\n"),
        ("currency", "-5", "<text:p>$5.00</text:p>", "-$5\n"),
        ("currency", "0", "<text:p> - €</text:p>", "0 €\n"),
        ("percentage", "0.05", "", "5%\n"),
        ("percentage", "0.05", "<text:p>0.05</text:p>", "0.05\n"),
        ("float", "3", "<text:p>Yes</text:p>", "Yes\n"),
        ("float", "0.5", "<text:p>.5</text:p>", "0.5\n"),
        (
            "float",
            "3",
            "<text:p>3 kg</text:p><text:p>4</text:p>",
            "3\n",
        ),
    ] {
        assert_eq!(cell(kind, value, shown), expected, "{value} as {shown}");
    }
}

#[test]
fn formulas_are_text_where_they_stand() {
    let math =
        "<math><mfrac><mn>12</mn><mn>3</mn></mfrac><annotation>12 over 3</annotation></math>";
    let flat =
        format!("<text:p>is <draw:frame><draw:object>{math}</draw:object></draw:frame>.</text:p>");
    assert_eq!(text(&flat), "is 12/3.\n");
    let content = format!(
        "<office:document-content {NAMESPACES} xmlns:xlink='l'><office:body><office:text><text:p>is <draw:frame>\
         <draw:object xlink:href='./Object 1'/></draw:frame>.</text:p></office:text></office:body>\
         </office:document-content>"
    );
    let parts = [
        ("content.xml", content.as_bytes()),
        ("Object 1/content.xml", math.as_bytes()),
        ("Object 2/content.xml", math.as_bytes()),
        ("Object 3/content.xml", b"<office:document-content/>"),
    ];
    let (sink, reading, members) = read_with(&zip_of(&parts), Budgets::default());
    assert_eq!((sink.text(), reading), ("is 12/3.\n", Ok(None)));
    // One that the text does not show is a member like other objects.
    let names: Vec<_> = members.iter().map(|member| &*member.name).collect();
    assert_eq!(names, ["Object 2/content.xml", "Object 3/content.xml"]);
}

#[test]
fn raised_and_lowered_digits_stay_so() {
    let styles = "<style:style style:name='Up' style:family='text'><style:text-properties \
                  style:text-position='super 58%'/></style:style><style:style style:name='T1' \
                  style:family='text' style:parent-style-name='Up'/><style:style style:name='T2' \
                  style:family='text'><style:text-properties style:text-position='-33% 58%'/></style:style>";
    let body = "<text:p>10<text:span text:style-name='T1'>3<text:note><text:note-body><text:p>4</text:p>\
                </text:note-body></text:note></text:span>5 H<text:span text:style-name='T2'>2</text:span>O</text:p>";
    assert_eq!(text(&format!("{styles}{body}")), "10³5 H₂O\n4\n");
}

const LINES: &str = "<style:style style:name='Gone' style:family='text'><style:text-properties \
    style:text-line-through-style='solid' style:text-line-through-type='single'/></style:style>\
    <style:style style:name='T1' style:family='text' style:parent-style-name='Gone'/>\
    <style:style style:name='T2' style:family='text'><style:text-properties \
    style:text-line-through-style='none'/></style:style>\
    <style:style style:name='P1' style:family='paragraph'><style:text-properties \
    style:text-line-through-type='double'/></style:style>\
    <style:style style:name='c' style:family='table-cell'><style:text-properties \
    style:text-line-through-style='solid'/></style:style>";

#[test]
fn struck_text_is_marked() {
    let body = "<text:p>a <text:span text:style-name='T1'>b<text:span>c</text:span><text:span \
                text:style-name='T2'>d</text:span></text:span><text:span text:style-name='Gone'> e</text:span></text:p>\
                <text:p text:style-name='P1'>f<text:span text:style-name='T2'>g</text:span></text:p><text:p>h</text:p>";
    let read = |styles: &str| text(&format!("{styles}{body}"));
    assert_eq!(read(LINES), "a ~~bc~~d ~~e~~\n~~f~~g\nh\n");
    // Another part may have styles of the same names that say nothing.
    let others = LINES.replace("text-line-through", "other");
    assert_eq!(read(&format!("{LINES}{others}")), "a bcd e\nfg\nh\n");
}

#[test]
fn struck_cells_have_their_style_or_that_of_their_column_or_row() {
    let table = "<table:table><table:table-column table:number-columns-repeated='2'/><table:table-column \
                 table:default-cell-style-name='c'/><table:table-row><table:table-cell \
                 table:number-columns-repeated='2'><text:p>a</text:p></table:table-cell><table:table-cell \
                 office:value-type='float' office:value='-5'><text:p>-5.0 €</text:p></table:table-cell>\
                 </table:table-row><table:table-row><table:table-cell table:style-name='c' \
                 office:value-type='boolean' office:boolean-value='true'><text:p>TRUE</text:p></table:table-cell>\
                 <table:table-cell><text:p>b</text:p></table:table-cell></table:table-row><table:table-row \
                 table:default-cell-style-name='c'><table:table-cell office:value-type='float' office:value='7'/>\
                 </table:table-row></table:table>";
    let body = format!("{LINES}{table}");
    let text = sink_of("spreadsheet", &body).take_text();
    assert_eq!(text, "a\ta\t~~-5 €~~\n~~TRUE~~\tb\n~~7~~\n");
}

#[test]
fn a_number_that_is_shown_divided_is_read_so() {
    let styles = "<number:number-style style:name='N1'><number:number number:display-factor='1000'/>\
                  <number:text>k</number:text></number:number-style><number:number-style style:name='N2'>\
                  <number:number/></number:number-style><style:style style:name='c1' style:family='table-cell' \
                  style:data-style-name='N1'/><style:style style:name='c2' style:family='table-cell' \
                  style:parent-style-name='c1'/><style:style style:name='c3' style:family='table-cell' \
                  style:parent-style-name='c1' style:data-style-name='N2'/>";
    let cell = |style: &str, shown: &str| {
        format!(
            "<table:table-cell table:style-name='{style}' office:value-type='float' office:value='1500'>\
             <text:p>{shown}</text:p></table:table-cell>"
        )
    };
    let cells = [cell("c1", "2k"), cell("c2", "2k"), cell("c3", "1500")].concat();
    let table =
        format!("{styles}<table:table><table:table-row>{cells}</table:table-row></table:table>");
    assert_eq!(sink_of("spreadsheet", &table).text(), "1.5k\t1.5k\t1500\n");
}

#[test]
fn private_use_characters_are_signs_of_their_font() {
    let styles = "<style:font-face style:name='Signs1' svg:font-family='&apos;Symbol&apos;'/><style:style \
                  style:name='T1' style:family='text'><style:text-properties style:font-name='Signs1'/></style:style>\
                  <style:style style:name='T2' style:family='text'><style:text-properties \
                  fo:font-family='Wingdings'/></style:style>";
    let body = "<text:p><text:span text:style-name='T1'>\u{f0d8}p \u{f0a7}</text:span> <text:span \
                text:style-name='T2'>\u{f0d8} \u{f0a7}</text:span> \u{f0d8}</text:p>";
    assert_eq!(text(&format!("{styles}{body}")), "¬p ♣ ➢ ▪ \u{f0d8}\n");
}

#[test]
fn a_style_has_the_font_and_the_line_of_its_parent_wherever_that_is() {
    let style = |name: &str, parent: &str, properties: &str| {
        format!(
            "<style:style style:name='{name}' style:family='text' style:parent-style-name='{parent}'>\
             <style:text-properties {properties}/></style:style>"
        )
    };
    let [child, middle, top] = [
        style("Child", "Middle", ""),
        style("Middle", "Top", "style:text-line-through-style='solid'"),
        style("Top", "Child", "fo:font-family='Symbol'"),
    ];
    let body = "<text:p><text:span text:style-name='Child'>\u{f0d8}</text:span></text:p>";
    let read = |styles: &[&String]| {
        let styles: String = styles.iter().map(|style| style.as_str()).collect();
        text(&format!("{styles}{body}"))
    };
    assert_eq!(read(&[&child, &middle, &top]), "~~¬~~\n");
    assert_eq!(read(&[&top, &middle, &child]), "~~¬~~\n");
    // A later style of the same name has nothing of the one before.
    let alone = style("Child", "", "");
    assert_eq!(read(&[&child, &middle, &top, &alone]), "\u{f0d8}\n");
    // One that is based on the one before has what that has.
    let again = style("Child", "Child", "");
    assert_eq!(read(&[&child, &middle, &top, &again]), "~~¬~~\n");
    let own = style("Child", "Middle", "style:font-name='Wingdings'");
    assert_eq!(read(&[&own, &middle, &top]), "~~➢~~\n");
}

#[test]
fn letters_are_signs_of_the_font_of_their_cell_in_a_sheet_alone() {
    let styles = "<style:style style:name='c1' style:family='table-cell'><style:text-properties \
                  style:font-name='Wingdings'/></style:style><style:style style:name='T1' style:family='text'>\
                  <style:text-properties style:font-name='Arial'/></style:style>";
    let cell = |kind: &str, text: &str| {
        format!(
            "<table:table-cell table:style-name='c1' {kind}><text:p>{text}</text:p></table:table-cell>"
        )
    };
    let cells = [
        cell(
            "office:value-type='string'",
            "ü<text:span text:style-name='T1'>ü</text:span>",
        ),
        cell("office:value-type='float' office:value='5'", "5 ü"),
    ];
    let row = format!(
        "<table:table><table:table-row>{}</table:table-row></table:table>",
        cells.concat()
    );
    let body = format!("{styles}{row}<table:shapes><text:p>ü</text:p></table:shapes>");
    assert_eq!(sink_of("spreadsheet", &body).take_text(), "✓ü\t5 ü\nü\n");
    assert_eq!(text(&format!("{styles}{row}")), "üü\t5 ü\n");
}

#[test]
fn letters_of_a_value_that_is_not_displayed_are_signs_in_a_sheet_alone() {
    let body = "<style:style style:name='c1' style:family='table-cell'><style:text-properties \
                style:font-name='Wingdings'/></style:style><table:table><table:table-row><table:table-cell \
                table:style-name='c1' office:value-type='string' office:string-value='ü'/>\
                </table:table-row></table:table>";
    assert_eq!(sink_of("spreadsheet", body).take_text(), "✓\n");
    assert_eq!(text(body), "ü\n");
}

#[test]
fn a_label_is_a_bullet_by_its_font() {
    let read = |font: &str| {
        let styles = format!(
            "<style:font-face style:name='Wingdings' svg:font-family='Wingdings'/><text:list-style style:name='L'>\
             <text:list-level-style-bullet text:level='1' text:bullet-char='\u{f0d8}'><style:text-properties \
             {font}/></text:list-level-style-bullet></text:list-style>"
        );
        text(&format!(
            "{styles}<text:list text:style-name='L'><text:list-item><text:p>p</text:p></text:list-item></text:list>"
        ))
    };
    assert_eq!(read("style:font-name='Wingdings'"), "p\n");
    assert_eq!(read("fo:font-family='Symbol'"), "¬ p\n");
    assert_eq!(read(""), "\u{f0d8} p\n");
}

#[test]
fn a_label_has_no_font_of_another_style() {
    for next in ["style:style style:name='T1'", "style:default-style"] {
        let name = next.split(' ').next().unwrap();
        let styles = format!(
            "<text:list-style style:name='L'><text:list-level-style-bullet text:level='1' \
             text:bullet-char='\u{f0d8}'/></text:list-style><{next} style:family='text'><style:text-properties \
             style:font-name='Wingdings'/></{name}>"
        );
        let list = "<text:list text:style-name='L'><text:list-item><text:p>p</text:p></text:list-item></text:list>";
        assert_eq!(
            text(&format!("{styles}{list}")),
            "\u{f0d8} p\n",
            "before {name}"
        );
    }
}

#[test]
fn a_style_has_no_font_of_a_number_or_a_level_behind_it() {
    for (element, holder) in [
        ("number:number-style", ""),
        ("number:currency-style", ""),
        ("number:percentage-style", ""),
        ("number:date-style", ""),
        ("number:time-style", ""),
        ("number:boolean-style", ""),
        ("number:text-style", ""),
        ("text:list-level-style-number", "text:list-style"),
        ("text:list-level-style-image", "text:list-style"),
        ("text:outline-level-style", "text:outline-style"),
    ] {
        let [before, behind] = match holder {
            "" => [String::new(), String::new()],
            _ => [format!("<{holder} style:name='H'>"), format!("</{holder}>")],
        };
        let styles = format!(
            "{before}<style:style style:name='T1' style:family='text'/><{element} style:name='N'>\
             <style:text-properties style:font-name='Wingdings' style:text-line-through-style='solid'/></{element}>{behind}"
        );
        let body = "<text:p><text:span text:style-name='T1'>\u{f0d8}</text:span></text:p>";
        let read = text(&format!("{styles}{body}"));
        assert_eq!(read, "\u{f0d8}\n", "before {element}");
    }
}

#[test]
fn a_label_has_no_font_of_a_level_or_a_number_behind_it() {
    let list = "<text:list text:style-name='L'><text:list-item><text:p>p</text:p></text:list-item></text:list>";
    let font = "<style:text-properties style:font-name='Wingdings'/>";
    for behind in [
        format!(
            "<text:list-level-style-number text:level='2'>{font}</text:list-level-style-number>"
        ),
        format!("<text:list-level-style-number>{font}</text:list-level-style-number>"),
        format!(
            "<text:list-level-style-bullet text:level='99'>{font}</text:list-level-style-bullet>"
        ),
        format!("<text:list-level-style-image text:level='2'>{font}</text:list-level-style-image>"),
        format!("</text:list-style><number:date-style>{font}</number:date-style><text:list-style>"),
    ] {
        let styles = format!(
            "<text:list-style style:name='L'><text:list-level-style-bullet text:level='1' \
             text:bullet-char='\u{f0d8}'/>{behind}</text:list-style>"
        );
        assert_eq!(text(&format!("{styles}{list}")), "\u{f0d8} p\n", "{behind}");
    }
}

#[test]
fn styles_that_name_a_font_leave_room_for_those_that_are_struck() {
    let fonts: String = (0..20_000)
        .map(|number| {
            format!(
                "<style:style style:name='F{number}' style:family='text'><style:text-properties \
                 style:font-name='Arial'/></style:style>"
            )
        })
        .collect();
    let body = "<text:p>a <text:span text:style-name='Gone'>b</text:span></text:p>";
    assert_eq!(text(&format!("{fonts}{LINES}{body}")), "a ~~b~~\n");
}
