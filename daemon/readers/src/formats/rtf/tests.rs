//! Documents made here.

use proptest::prelude::*;
use simdex_extract::{Budgets, Fact, Role};

use super::*;
use crate::sink::collected::Collected;

fn sink_of(rtf: &[u8]) -> (Sink, Option<Reason>, Vec<Collected>) {
    let (mut sink, members) = Sink::collecting(1 << 20, Budgets::default());
    let reason = write_text(rtf, &mut sink);
    (sink, reason, members.take())
}

fn text(rtf: &str) -> String {
    let (mut sink, reason, _) = sink_of(rtf.as_bytes());
    assert_eq!(reason, None);
    sink.take_text()
}

#[test]
fn paragraphs_tabs_and_cells() {
    let rtf = r"{\rtf1\ansi One\par two\line three\tab four\emdash five\par
\trowd a\cell b\cell\row c\~d\_e\-f \{\\\}}";
    assert_eq!(
        text(rtf),
        "One\ntwo\nthree\tfour—five\na\tb\t\nc\u{a0}d-ef {\\}"
    );
}

#[test]
fn destinations_that_hold_no_text_are_left_out() {
    let rtf = r"{\rtf1{\fonttbl{\f0 Arial;}}{\colortbl;\red0;}{\stylesheet{\s1 Normal;}}
{\*\unknown hidden}{\pict\wmetafile8 0123}{\xe\v entry}{\v veiled}seen{\b bold}}";
    assert_eq!(text(rtf), "veiledseenbold");
}

#[test]
fn numbers_of_items_are_text_and_bullets_are_not() {
    let rtf = r"{\rtf1\ansi{\fonttbl{\f0 Arial;}{\f3\fcharset2 Symbol;}}
{\listtext\pard\plain 1.2\tab}One\par{\pntext\f3\'b7\tab}Two\par{\listtext\f0 o\tab}Three\par
{\*\pn\pntxta .}{\listtext (a)\tab}{\b Four}}";
    let (mut sink, reason, _) = sink_of(rtf.as_bytes());
    assert_eq!(reason, None);
    assert_eq!(sink.take_text(), "1.2 One\nTwo\nThree\n(a) Four");
    assert_eq!(sink.facts().number(Fact::ListNumbers), 2);
}

/// A minus and a ticked box change what a text says.
#[test]
fn signs_of_symbol_fonts_are_text() {
    let fonts = r"{\fonttbl{\f0 Arial;}{\f1\fcharset2 Symbol;}{\f2\fcharset2 Wingdings;}}";
    let read = |body: &str| text(&format!(r"{{\rtf1\ansi\uc1{fonts}{body}}}"));
    assert_eq!(
        read(r"Balance: {\f1\'2d}5, {\f1 -}6, {\f1\u-4051?}7"),
        "Balance: −5, −6, −7"
    );
    assert_eq!(read(r"3{\f1\'b4}5 {\f1\'b1}1"), "3×5 ±1");
    assert_eq!(read(r"{\f2\'fe} yes {\f2\u-3928?} no"), "☑ yes ☐ no");
    assert_eq!(
        read(r"{\listtext -\tab}5 EUR\par{\pntext *\tab}6"),
        "- 5 EUR\n* 6"
    );
}

#[test]
fn bytes_are_read_by_the_font_in_use() {
    let rtf = r"{\rtf1\ansi\ansicpg1252\deff0{\fonttbl{\f0\fcharset0 A;}{\f1\fcharset204 B;}
{\f2\fcharset128 C;}{\f3\fcharset2 Wingdings;}{\f4\fcharset2 Not a symbol font;}}
\'e4{\f1 \'cf\'f0}{\f2 \'83e\'83X \'83\
'65}{\f3 \'b7}{\f4 ok}}"
        .replace("\\\n", "\\");
    assert_eq!(text(&rtf), "äПрテス テ\u{f0b7}ok");
}

#[test]
fn unicode_characters_take_the_place_of_their_fallback() {
    assert_eq!(
        text(r"{\rtf1\uc1\u228 ?x\u8364\'80y\u-3849?z}"),
        "äx€y\u{f0f7}z"
    );
    assert_eq!(
        text(r"{\rtf1\uc2\u12486\'83\'65.{\uc0\u233 t\u233}!}"),
        "テ.ét\u{e9}!"
    );
    assert_eq!(text(r"{\rtf1\u-10187?\u-9216?.}"), "\u{1d400}.");
}

#[test]
fn notes_comments_headers_and_boxes_stand_once_and_are_counted() {
    let rtf = r"{\rtf1{\header Top\par}{\headerf Top\par}{\footer Foot}Body{\footnote\chftn Note.}
 goes on.{\*\atnid ab}{\*\atnauthor A B}\chatn{\*\annotation Comment.}
{\shp{\*\shpinst{\sp{\sn name}{\sv value}}{\shptxt Box\par}}{\shprslt Box}}}";
    let (sink, reason, _) = sink_of(rtf.as_bytes());
    assert_eq!(reason, None);
    assert_eq!(
        sink.text(),
        "Body goes on.\nBox\nTop\nFoot\nNote.\nComment.\n"
    );
    for fact in [Fact::Notes, Fact::Comments, Fact::TextBoxes] {
        assert_eq!(sink.facts().number(fact), 1, "{fact}");
    }
}

#[test]
fn fields_of_running_lines_are_left_out() {
    let field = |name| format!(r"{{\field{{\*\fldinst {{ {name} }}}}{{\fldrslt 7}}}}");
    let (page, title) = (field("PAGE"), field("TITLE"));
    let rtf =
        format!(r"{{\rtf1{{\footer Page {page}}}{{\header My paper {title}, {page}}}{page}}}");
    assert_eq!(text(&rtf), "7\nMy paper 7,\n");
}

#[test]
fn deletions_are_left_out_and_changes_counted() {
    let rtf = r"{\rtf1 kept {\deleted gone\par {\b gone too}}{\revised new {\i words}}\deleted a\deleted0 end}";
    let (sink, ..) = sink_of(rtf.as_bytes());
    assert_eq!(sink.text(), "kept new wordsend");
    assert_eq!(sink.facts().number(Fact::Deletions), 2);
    assert_eq!(sink.facts().number(Fact::Insertions), 1);
}

#[test]
fn of_fields_the_result_is_read() {
    let rtf = r#"{\rtf1{\field{\*\fldinst HYPERLINK "http://a.b/"}{\fldrslt{\ul link}}} and
{\field{\fldinst{\*\x }INCLUDEPICTURE "http://a.b/c.png"}{\fldrslt }}.}"#;
    let (sink, ..) = sink_of(rtf.as_bytes());
    assert_eq!(sink.text(), "link and.");
    assert_eq!(sink.facts().number(Fact::External), 1);
}

#[test]
fn a_symbol_field_shows_its_sign_once() {
    let sign = r#"{\*\fldinst {\f2 SYMBOL 254 \\f "Wingdings" \\s 10}}"#;
    let fonts = r"{\fonttbl{\f0 Arial;}{\f2\fcharset2 Wingdings;}}";
    for result in [r"", r"{\fldrslt }", r"{\fldrslt{\f2\'fe}}"] {
        let rtf = format!(
            r#"{{\rtf1{fonts}{{\field{sign}{result}}} yes {{\field{{\*\fldinst HYPERLINK "x"}}{{\fldrslt link}}}}}}"#
        );
        assert_eq!(text(&rtf), "☑ yes link", "{rtf}");
    }
}

#[test]
fn form_fields_show_their_state() {
    let form = |name: &str, data: &str| {
        let data = format!(r"{{\*\datafield 6500}}{{\*\formfield{{{data}{{\*\ffname a}}}}}}");
        text(&format!(
            r"{{\rtf1{{\field{{\*\fldinst {{{name} }}{{{data}}}}}{{\fldrslt }}}}.}}"
        ))
    };
    let check = |data| form("FORMCHECKBOX", data);
    assert_eq!(check(r"\fftype1\ffres1\ffdefres0"), "☒.");
    assert_eq!(check(r"\fftype1\ffres25\ffdefres1"), "☒.");
    assert_eq!(check(r"\fftype1\ffres0\ffdefres1"), "☐.");
    assert_eq!(check(r"\fftype1\ffres25"), "☐.");
    let items = r"{\*\ffl no}{\*\ffl yes}";
    let choice = |data: &str| form("FORMDROPDOWN", &(data.to_owned() + items));
    assert_eq!(choice(r"\fftype2\ffres1"), "yes.");
    assert_eq!(choice(r"\fftype2\ffres25\ffdefres0"), "no.");
}

#[test]
fn what_the_document_says_of_itself_are_facts() {
    let rtf = r"{\rtf1\ansi\ansicpg932{\info{\upr{\title ??}{\*\ud{\title \u12486\'83\'65}}}{\author \'83\'65}
{\creatim\yr2006\mo5\dy18\hr12\min19}}{\*\generator Writer 1;}x}"
        .replace("\\u12486\\'83\\'65", "\\uc2\\u12486\\'83\\'65");
    let (sink, ..) = sink_of(rtf.as_bytes());
    assert_eq!(sink.text(), "x");
    let facts = [
        (Fact::Title, "テ"),
        (Fact::Author, "テ"),
        (Fact::Created, "2006-05-18T12:19:00-00:00"),
        (Fact::Producer, "Writer 1"),
    ];
    for (fact, value) in facts {
        assert_eq!(sink.facts().get(fact), Some(value));
    }
}

#[test]
fn of_a_page_within_rtf_the_page_is_read() {
    let rtf = r"{\rtf1\ansi\fromhtml1{\*\htmltag64 <p>}\htmlrtf{\htmlrtf0 1 < 2{\*\htmltag84 &nbsp;}\htmlrtf \'a0\htmlrtf0 b
\htmlrtf\par}\htmlrtf0{\*\htmltag72 </p><script>x()</script>}{\*\mhtmltag <a>}c}";
    assert_eq!(text(rtf), "1 < 2\u{a0}b\nc");
}

#[test]
fn embedded_objects_are_members() {
    let le = |number: u32| number.to_le_bytes().to_vec();
    let counted = |text: &[u8]| [le(text.len() as u32), text.to_vec()].concat();
    let file = [&b"\x02\0a.txt\0C:\\x\\a.txt\0"[..], &[0, 0, 3, 0]].concat();
    let native = [file, counted(b"C:\\t\0"), counted(b"words")].concat();
    let object = [
        le(0x501),
        le(2),
        counted(b"Package\0"),
        le(0),
        le(0),
        counted(&native),
    ]
    .concat();
    let hex: String = object.iter().map(|byte| format!("{byte:02x}\n")).collect();
    let rtf = format!(
        r"{{\rtf1 a{{\object\objemb{{\*\objclass Package}}{{\*\objdata {hex}}}{{\result b}}}}}}"
    );
    let (sink, reason, members) = sink_of(rtf.as_bytes());
    assert_eq!((sink.text(), reason), ("ab", None));
    let [member] = &members[..] else {
        panic!("{members:?}")
    };
    assert_eq!((&*member.name, member.role), ("a.txt", Role::Embedded));
    assert_eq!(member.bytes, b"words");
}

#[test]
fn groups_beyond_the_limit_are_left_out_and_said() {
    let rtf = format!(
        "{{\\rtf1 start {}deep{} end}}",
        "{".repeat(100_000),
        "}".repeat(100_000)
    );
    let (sink, reason, _) = sink_of(rtf.as_bytes());
    assert_eq!(
        (sink.text(), reason),
        ("start  end", Some(Reason::DepthLimit))
    );
}

#[test]
fn a_document_that_breaks_off_is_damaged() {
    let (sink, reason, _) = sink_of(br"{\rtf1 one {\footnote two");
    assert_eq!(
        (sink.text(), reason),
        ("one \ntwo\n", Some(Reason::Damaged))
    );
    assert_eq!(sink_of(br"{\rtf1 one {\b two}").1, None);
    assert_eq!(
        sink_of(br"{\rtf1\bin4000000000 one}").1,
        Some(Reason::Damaged)
    );
}

proptest! {
    #[test]
    fn any_bytes_are_read_without_panic(
        rtf in r"(\{|\}|\\(\*|u-?[0-9]{0,6}|'[0-9a-f]{0,2}|f[0-9]|bin[0-9]|uc[0-9]|par|footnote|fonttbl|info|title|upr|ud|object|objdata|fromhtml1|htmltag|deleted|shp|shpinst|shptxt) ?|[ -~]){0,80}",
    ) {
        sink_of(rtf.as_bytes());
    }
}

#[test]
fn formulas_keep_the_signs_that_are_no_text() {
    let rtf = r"{\rtf1\ansi is {\mmath{\*\moMath{\mf{\mfPr{\mctrlPr\f1 x}}{\mnum{\mr\mscr0 12}}{\mden{\mr 3}}}
{\md{\mdPr{\mbegChr |}{\mendChr |}}{\me{\mr\u8722?x}}}}}.}";
    assert_eq!(text(rtf), "is 12/3|−x|.");
    let open = r"{\rtf1\ansi {\*\moMath{\mrad{\mdeg}{\me{\mr 16";
    assert_eq!(sink_of(open.as_bytes()).0.take_text(), "√(16)");
}

#[test]
fn raised_and_lowered_digits_stay_so() {
    let rtf = r"{\rtf1\ansi 10{\super 3}4\super 5\nosupersub 6 H{\sub 2}O 1{\super st} {\super 7\plain 8}}";
    assert_eq!(text(rtf), "10³4⁵6 H₂O 1st ⁷8");
}

#[test]
fn struck_text_is_marked_and_labels_of_lists_are_not() {
    let rtf = r"{\rtf1\ansi a {\strike b}{\striked1  c}\strike0 {\strike d\strike0 e}\par\strike f\par g\plain h\par
{\listtext\strike o\tab}{\strike i}{\strike\deleted gone}}";
    assert_eq!(
        text(rtf),
        "a ~~b c~~~~d~~e\n~~f~~\n~~g~~h\n~~i~~".replace("c~~~~d", "cd")
    );
}

#[test]
fn formulas_of_fields_are_text() {
    let rtf = r"{\rtf1 is {\field{\*\fldinst EQ \\f(1,2)}{\fldrslt }}.}";
    assert_eq!(text(rtf), "is 1/2.");
}
