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
