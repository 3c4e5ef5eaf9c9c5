//! Formulas of both notations in one line; no two that read differently are one.

use std::collections::BTreeMap;

use proptest::prelude::*;
use quick_xml::Reader;
use quick_xml::XmlVersion;
use quick_xml::events::{BytesStart, Event};

use super::*;

/// The formula of an XML fragment, by local names.
fn line(xml: &str) -> String {
    let mut formula = Formula::new(1000);
    let mut reader = Reader::from_str(xml);
    let start = |formula: &mut Formula, tag: &BytesStart<'_>| {
        let name = tag.local_name().into_inner().to_owned();
        let stated: BTreeMap<String, String> = tag
            .attributes()
            .map_while(Result::ok)
            .map(|one| {
                let value = one.normalized_value(XmlVersion::Implicit1_0).unwrap();
                (
                    one.key.local_name().into_inner().to_owned(),
                    value.into_owned(),
                )
            })
            .collect();
        formula.start(&name, |name| stated.get(name).cloned());
    };
    while let Ok(event) = reader.read_event() {
        match event {
            Event::Start(tag) => start(&mut formula, &tag),
            Event::Empty(tag) => {
                start(&mut formula, &tag);
                formula.end();
            }
            Event::End(_) => formula.end(),
            Event::Text(text) => formula.push(&text.xml10_content()),
            Event::Eof => break,
            _ => {}
        }
    }
    formula.finish()
}

fn omml(xml: &str) -> String {
    line(&format!("<oMath>{xml}</oMath>"))
}

fn mathml(xml: &str) -> String {
    line(&format!("<math>{xml}</math>"))
}

fn run(text: &str) -> String {
    format!("<r><t>{text}</t></r>")
}

#[test]
#[expect(clippy::too_many_lines, reason = "a table of cases")]
fn omml_is_written_in_one_line() {
    let (one, x) = (run("1"), run("x"));
    let sum = run("a+b");
    for (xml, expected) in [
        (
            format!("{}<d><e>{sum}</e></d>{}", run("2·"), run("·5")),
            "2·(a+b)·5",
        ),
        (
            format!(
                "<d><dPr><begChr val='|'/><endChr val='|'/></dPr><e>{}</e></d>",
                run("-x")
            ),
            "|-x|",
        ),
        (
            format!("<d><dPr><begChr val='{{'/><endChr val=''/></dPr><e>{x}</e></d>"),
            "{x",
        ),
        (format!("<d><e>{x}</e><e>{one}</e></d>"), "(x| 1)"),
        (
            format!("<f><num>{}</num><den>{}</den></f>", run("12"), run("3")),
            "12/3",
        ),
        (format!("<f><num>{sum}</num><den>{x}</den></f>"), "(a+b)/x"),
        (
            format!("<f><fPr><type val='noBar'/></fPr><num>{x}</num><den>{one}</den></f>"),
            "x¦1",
        ),
        (
            format!("<sSup><e>{}</e><sup>{}</sup></sSup>", run("10"), run("3")),
            "10^3",
        ),
        (
            format!("<sSubSup><e>{x}</e><sub>{one}</sub><sup>{sum}</sup></sSubSup>"),
            "x_1^(a+b)",
        ),
        (
            format!(
                "<sPre><sub>{}</sub><sup>{}</sup><e>{}</e></sPre>",
                run("6"),
                run("14"),
                run("C")
            ),
            "(_6^14)C",
        ),
        (
            format!(
                "<rad><radPr><degHide val='1'/></radPr><deg/><e>{}</e></rad>",
                run("16")
            ),
            "√(16)",
        ),
        (
            format!("<rad><deg>{}</deg><e>{x}</e></rad>", run("3")),
            "√[3](x)",
        ),
        (
            format!(
                "<nary><naryPr><chr val='∏'/></naryPr><sub>{}</sub><sup>{}</sup><e>{x}</e></nary>",
                run("i=1"),
                run("n")
            ),
            "∏_(i=1)^n x",
        ),
        (format!("<nary><sub/><sup/><e>{x}</e></nary>"), "∫x"),
        (
            format!(
                "<acc><accPr><chr val='¬'/></accPr><e>{}</e></acc>",
                run("p")
            ),
            "p^¬",
        ),
        (format!("<acc><e>{x}</e></acc>"), "x\u{302}"),
        (
            format!("<bar><barPr><pos val='top'/></barPr><e>{sum}</e></bar>"),
            "(a+b)\u{305}",
        ),
        (format!("<groupChr><e>{sum}</e></groupChr>"), "(a+b)_⏟"),
        (
            format!("<func><fName>{}</fName><e>{x}</e></func>", run("sin")),
            "sin x",
        ),
        (
            format!(
                "<limLow><e>{}</e><lim>{}</lim></limLow>",
                run("lim"),
                run("x→0")
            ),
            "(lim)_(x→0)",
        ),
        (
            format!(
                "<d><e><m><mPr><mcs><mc><mcPr><count val='2'/></mcPr></mc></mcs></mPr><mr><e>{one}</e><e>{x}</e></mr><mr><e>{x}</e><e>{one}</e></mr></m></e></d>"
            ),
            "([1, x; x, 1])",
        ),
        (format!("<eqArr><e>{x}</e><e>{one}</e></eqArr>"), "[x; 1]"),
        (format!("<borderBox><e>{x}</e></borderBox>"), "x\u{20de}"),
        (
            format!(
                "<borderBox><borderBoxPr><hideTop val='1'/><hideBot/><hideLeft/><hideRight val='on'/><strikeH/></borderBoxPr><e>{x}</e></borderBox>"
            ),
            "x\u{336}",
        ),
        (
            format!("<phant><phantPr><show val='0'/></phantPr><e>{x}</e></phant>{one}"),
            " 1",
        ),
        (
            format!("<r><rPr><sty val='p'/></rPr><t>a b</t></r>{}", run(" c")),
            "a b c",
        ),
    ] {
        assert_eq!(omml(&xml), expected, "{xml}");
    }
}

#[test]
#[expect(clippy::too_many_lines, reason = "a table of cases")]
fn mathml_is_written_in_one_line() {
    for (xml, expected) in [
        ("<mfrac> <mn> 12 </mn>\n<mn>3</mn> </mfrac>", "12/3"),
        (
            "<mfrac linethickness='0pt'><mi>n</mi><mi>k</mi></mfrac>",
            "n¦k",
        ),
        ("<msup><mn>10</mn><mn>3</mn></msup>", "10^3"),
        (
            "<msub><mi>x</mi><mrow><mi>i</mi><mo>+</mo><mn>1</mn></mrow></msub>",
            "x_(i+1)",
        ),
        ("<msqrt><mn>1</mn><mn>6</mn></msqrt>", "√(16)"),
        ("<mroot><mn>8</mn><mn>3</mn></mroot>", "√[3](8)"),
        (
            "<mn>2</mn><mfenced><mn>3</mn><mn>4</mn></mfenced>",
            "2(3, 4)",
        ),
        (
            "<mfenced open='[' close=')' separators=';'><mn>3</mn><mn>4</mn></mfenced>",
            "[3; 4)",
        ),
        (
            "<munderover><mo>∑</mo><mi>i</mi><mi>n</mi></munderover><mi>x</mi>",
            "∑_i^n x",
        ),
        ("<mover><mi>x</mi><mo>¯</mo></mover>", "x^¯"),
        (
            "<mmultiscripts><mi>C</mi><none/><mn>2</mn><mprescripts/><mn>6</mn><mn>14</mn></mmultiscripts>",
            "(_6^14)C^2",
        ),
        (
            "<mtable><mtr><mtd><mn>1</mn></mtd><mtd><mn>2</mn></mtd></mtr><mtr><mtd><mn>3</mn></mtd></mtr></mtable>",
            "[1, 2; 3]",
        ),
        (
            "<menclose notation='updiagonalstrike'><mi>x</mi></menclose>",
            "x\u{338}",
        ),
        ("<menclose><mn>12</mn></menclose>", "⟌(12)"),
        ("<ms>a</ms><mspace/><mtext>if x</mtext>", "\"a\" if x"),
        (
            "<semantics><mrow><mi>a</mi></mrow><annotation>\\alpha</annotation></semantics>",
            "a",
        ),
        ("<mi>sin</mi><mi>x</mi><mn>2</mn><mi>y</mi>", "sin x2y"),
        ("<mphantom><mn>3</mn></mphantom><mn>4</mn>", " 4"),
        ("<munder><mi>lim</mi><mi>n</mi></munder>", "lim_n"),
        ("<mo>−</mo><mn>5</mn>", "−5"),
        ("unknown <b>text</b>", "unknown text"),
    ] {
        assert_eq!(mathml(xml), expected, "{xml}");
    }
}

#[test]
fn what_reads_differently_is_written_differently() {
    let (one, two, three) = ("<mn>1</mn>", "<mn>2</mn>", "<mn>3</mn>");
    let fraction = |above: &str, below: &str| {
        format!("<mfrac><mrow>{above}</mrow><mrow>{below}</mrow></mfrac>")
    };
    let power = |base: &str, exponent: &str| {
        format!("<msup><mrow>{base}</mrow><mrow>{exponent}</mrow></msup>")
    };
    let formulas = [
        format!("{two}{}", fraction(one, three)),
        fraction(&format!("{two}{one}"), three),
        format!("{}{three}", fraction(two, one)),
        format!("{}{three}", power(two, one)),
        power(two, &format!("{one}{three}")),
        power(&power(two, one), three),
        power(two, &power(one, three)),
        power(&fraction(two, one), three),
        fraction(two, &power(one, three)),
        fraction(&fraction(two, one), three),
        fraction(two, &fraction(one, three)),
        format!("<mroot>{two}{three}</mroot>{one}"),
        format!("{three}<msqrt>{two}</msqrt>{one}"),
        format!("{three}<msqrt>{two}{one}</msqrt>"),
        format!("<mover>{two}{one}</mover>{three}"),
        format!("<munder>{two}{one}</munder>{three}"),
        format!("{two}{one}{three}"),
    ];
    let mut lines: Vec<String> = formulas.iter().map(|formula| mathml(formula)).collect();
    // A power is above its base in either notation of that.
    assert_eq!(lines.remove(14), lines[3]);
    let all = lines.len();
    lines.sort();
    lines.dedup();
    assert_eq!(lines.len(), all, "{lines:?}");
}

#[test]
fn deep_and_long_formulas_are_bounded_and_keep_their_text() {
    let deep = "<mrow>".repeat(500) + "<mn>5</mn>" + &"</mrow>".repeat(500) + "<mn>6</mn>";
    assert_eq!(mathml(&deep), "56");
    assert_eq!(mathml(&"<mn>7</mn>".repeat(2000)).len(), 1001);
    let many = "<mtd><mn>1</mn></mtd>".repeat(900);
    assert!(mathml(&format!("<mtable><mtr>{many}</mtr></mtable>")).starts_with("[1, 1, "));
}

proptest! {
    #[test]
    fn any_elements_are_written(
        elements in prop::collection::vec((0_usize..ELEMENTS.len(), 0_u8..4), 0..60)
    ) {
        let mut formula = Formula::new(1000);
        for (element, act) in elements {
            match act {
                0 | 1 => formula.start(ELEMENTS[element], |_| None),
                2 => formula.push("x"),
                _ => formula.end_named(ELEMENTS[element]),
            }
        }
        formula.finish();
    }
}

const ELEMENTS: &[&str] = &[
    "f",
    "fPr",
    "chr",
    "rad",
    "sSup",
    "sPre",
    "nary",
    "d",
    "m",
    "mr",
    "acc",
    "bar",
    "borderBox",
    "phant",
    "mi",
    "ms",
    "mspace",
    "msqrt",
    "mroot",
    "mmultiscripts",
    "mprescripts",
    "mfenced",
    "mtable",
    "mtr",
    "menclose",
    "semantics",
    "annotation",
    "mrow",
];
