//! Pages and their text.

use super::*;
use proptest::prelude::*;

fn text(html: &str) -> String {
    read_page(html, "", &mut |_| FrameTarget::Missing).text
}

#[test]
fn blocks_are_lines_and_inline_elements_are_not() {
    let html = "<html><head><title>T &amp; t</title><meta charset=utf-8></head><body>\
                <h1>One</h1><p>Two <b>bo</b>ld.<br>Three\n\n  four</p><ul><li>a<li>b</ul>";
    assert_eq!(text(html), "One\nTwo bold.\nThree four\na\nb\n");
}

#[test]
fn items_of_ordered_lists_have_their_numbers() {
    let html = "<ol start=3><li><p>three</p><p>more</p><ul><li>plain</ul><li value=7>seven\
                <ol type=a><li>a<li type=I value=4>four<li></ol></li><li>eight</ol>after\
                <ol reversed start=2><li>two<li>one</ol><ol style='color:red;List-Style-Type: none'>\
                <li>bare</ol><ol reversed><li>unknown</ol><nav><ol><li>contents</ol></nav>";
    let expected = "3. three\nmore\nplain\n7. seven\na. a\nIV. four\n8. eight\nafter\n2. two\n1. one\n\
                    bare\nunknown\ncontents\n";
    let page = read_page(html, "", &mut |_| FrameTarget::Missing);
    assert_eq!((page.text.as_str(), page.list_numbers), (expected, 8));
    let deep = "<ol><li>".repeat(3_000) + "x";
    assert_eq!(text(&deep), "1. x");
}

#[test]
fn what_the_page_says_of_itself_are_facts() {
    let html = "<html lang=de><title> T &amp;\nt </title><meta name=Author content='Jo Doe'>\
                <meta name=generator content=Hand><script src=x></script><script>a</script>\
                <iframe src='https://x.example/'>none</iframe><p>x<svg><title>tip</title></svg>";
    let mut sink = Sink::of(100);
    let page = read_page(html, "", &mut |_| FrameTarget::Missing);
    page.state(&mut sink);
    let facts: Vec<_> = sink.facts().iter().collect();
    let expected = [
        (Fact::Title, "T & t"),
        (Fact::Author, "Jo Doe"),
        (Fact::Language, "de"),
        (Fact::Producer, "Hand"),
        (Fact::Scripts, "2"),
        (Fact::External, "1"),
    ];
    assert_eq!(facts, expected);
    assert_eq!(page.text.trim(), "x");
}

#[test]
fn dates_that_a_page_states_of_itself_are_facts() {
    let dates = |head: &str| {
        let mut sink = Sink::of(100);
        read_page(head, "", &mut |_| FrameTarget::Missing).state(&mut sink);
        let date = |fact| sink.facts().get(fact).map(str::to_owned);
        (date(Fact::Created), date(Fact::Modified))
    };
    let of = |created: &str, modified: &str| (Some(created.into()), Some(modified.into()));
    let dublin_core = "<meta name=dcterms.created content=2020-01-02>\
                       <meta name=DCTERMS.modified content=' 2021-02-03T04:05:06Z '>";
    let expected = of("2020-01-02T00:00:00-00:00", "2021-02-03T04:05:06Z");
    assert_eq!(dates(dublin_core), expected);
    let article = "<meta property=article:published_time content='2020-01-02T03:04:05+01:00'>\
                   <meta property=article:modified_time content='last week'>\
                   <meta property=article:modified_time content='2021-02-03T04:05Z'>\
                   <meta name=last-modified content='2022-02-03'>";
    let expected = of("2020-01-02T03:04:05+01:00", "2021-02-03T04:05:00Z");
    assert_eq!(dates(article), expected);
    assert_eq!(dates("<meta name=date content=2020-01-02>").0, None);
    let head = "<meta http-equiv=Last-Modified content='Wed, 03 Feb 2021 04:05:06 GMT'>";
    assert_eq!(dates(head).1.as_deref(), Some("2021-02-03T04:05:06Z"));
}

/// A ticked box changes what a form says.
#[test]
fn controls_of_forms_show_their_state() {
    let boxes = "<p><input type=checkbox checked>Yes<input type=CheckBox> no</p>\
                 <p>A<input type=radio name=r>B<input type=radio name=r checked='checked'/>";
    assert_eq!(text(boxes), "☒ Yes ☐ no\nA ☐ B ☒");
    let list = "<select><option>one<option selected>two<option>three</select>";
    assert_eq!(text(list), "one\n☒ two\nthree\n");
    let values = "<p>Name: <input value='Jo Doe'>, <input type=number value=5><input type=hidden value=x>\
                  <input type=password value=y><input type=file value=z><input></p>\
                  <input type=submit value=Send><input type=checkbox role=button id=menu>";
    assert_eq!(text(values), "Name: Jo Doe , 5\nSend");
}

#[test]
fn pictures_are_read_as_their_alternative_text() {
    let html = "<p><img alt=W src=w.png>e do <img alt=' not '>agree: <img src=minus.png alt=\u{2212}>5</p>\
                <img alt=One><img alt=Two><img alt=''><img src=x.png><img alt='image001.PNG'><img alt=cid:a@b>\
                <img aria-hidden=true alt='\\displaystyle x'><map><area alt=North><area></map>\
                <input type=image alt=Go value=x>";
    assert_eq!(text(html), "We do not agree: \u{2212}5\nOne Two North Go");
    assert_eq!(text("a<a href='#top'><img alt=\u{2191}></a> b"), "a b");
}

#[test]
fn signs_that_link_within_the_page_are_no_text() {
    let html = "<p>One.<a href='#p1' class=pilcrow>\u{b6}</a></p><a href='#'>\u{25b2}</a><h2>Two</h2>\
                <p>see <a href='#s'>\u{a7} 2</a>, <a href='x#y'>#</a> and \u{b6}";
    assert_eq!(text(html), "One.\nTwo\nsee \u{a7} 2, # and \u{b6}");
}

#[test]
fn a_sign_at_the_head_of_an_item_leaves_its_number() {
    let html = "<ol><li><b><a href='#r1'>^</a></b> One<li><a href='#r2'>\u{2191}</a><p>Two</p>\
                <li><a href='#r3'>^</a><li>Four <a href='#r4'>^</a><li><a href='#r5'>^ a</a></ol>\
                <a href='#'>x<ol><li>^</ol></a>";
    assert_eq!(text(html), "1. One\n2. Two\n4. Four\n5. ^ a\nx\n1. ^\n");
    let quoted =
        "<blockquote type=cite><a href='#a'>^</a> a<ol><li><a href='#b'>#</a>b</blockquote>";
    assert_eq!(read_message(quoted).text, "> a\n> 1. b\n");
}

#[test]
fn cells_do_not_glue() {
    let html = "<table><tr><td>a</td> <td>b</td></tr>\n<tr><th>c</th><th>d</th></tr></table>";
    assert_eq!(text(html), "a\tb\t\nc\td\t\n");
}

#[test]
fn white_space_is_kept_where_the_page_keeps_it() {
    assert_eq!(
        text("<p>a \n b</p><pre>c  d\n  e</pre>f  g"),
        "a b\nc  d\n  e\nf g"
    );
}

#[test]
fn script_style_and_comments_are_silent() {
    let html = "a<script>if (1 < 2) { x('</p>') }</script>b<style>p{}</style><!-- c -->d\
                <template><p>e</p></template>f";
    let words: String = text(html).split_whitespace().collect();
    assert_eq!(words, "abdf");
}

#[test]
fn entities_are_decoded_in_text() {
    assert_eq!(
        text("&Uuml;ber &#8364;5 &lt;tag&gt; &nosuch; &amp"),
        "Über €5 <tag> &nosuch; &"
    );
}

/// A page at this address.
fn page_at(location: &str, html: &str) -> FrameTarget {
    FrameTarget::Page {
        html: html.to_owned(),
        location: location.to_owned(),
    }
}

#[test]
fn frames_are_filled_in_from_what_lies_beside() {
    let mut beside = |address: &str| match address {
        "sub/b.html" => page_at(address, "<title>b</title><p>inside<iframe src=d.html>"),
        "sub/d.html" => page_at(address, "<base href=../e/><p>deep<frame src=f.html>"),
        "shown.html" => FrameTarget::Shown,
        _ => FrameTarget::Missing,
    };
    let html = "<title>a</title><p>before<iframe src=sub/b.html>fallback</iframe>after<frame src=c.html>\
                <iframe srcdoc='&lt;i&gt;own&lt;/i&gt;'></iframe><iframe src=shown.html></iframe>\
                <noframes><p>No frames?</noframes><p>end";
    let page = read_page(html, "", &mut beside);
    assert_eq!(page.text, "before\ninside\ndeep\nafter\nown\nend");
    assert_eq!((page.title.trim(), page.external), ("a", 2));
    assert_eq!(page.filled[..2], ["sub/b.html", "sub/d.html"]);
    assert_eq!(page.missing, ["e/f.html", "c.html"]);
    assert_eq!(text("<frame src=a><noframes>alone</noframes>"), "alone\n");
}

#[test]
fn a_redirection_shows_its_target_alone() {
    let mut beside = |address: &str| match address {
        "to.html" => page_at(
            address,
            "<title>there</title><p>target<iframe src=b.html></iframe>",
        ),
        "b.html" => page_at(address, "<p>inside"),
        "stub.html" => page_at(
            address,
            "<p>old<meta http-equiv=refresh content='0;url=b.html'>gone",
        ),
        _ => FrameTarget::Missing,
    };
    let mut shown = |html: &str| {
        let page = read_page(html, "", &mut beside);
        (page.text, page.title, page.redirected)
    };
    let stub = "<html lang=en><title>here</title><p>cheap offers<meta http-equiv=Refresh \
                content='0; URL=to.html'><p>more offers<iframe src=b.html></iframe>";
    let target = ("target\ninside\n".to_owned(), "there".to_owned(), true);
    assert_eq!(shown(stub), target);
    // A frame that redirects is replaced in its place.
    let framed = "<title>here</title><p>one<iframe src=stub.html></iframe>two";
    let within = ("one\ninside\ntwo".to_owned(), "here".to_owned(), false);
    assert_eq!(shown(framed), within);
    // Nothing is lost if the target is missing, or the refresh comes late.
    for kept in ["0;url=gone.html", "300;url=to.html"] {
        let html = format!("<p>own<meta http-equiv=refresh content='{kept}'><p>text");
        assert_eq!(shown(&html).0, "own\ntext");
    }
}

#[test]
fn a_page_alone_tells_the_relative_addresses_it_asks_for() {
    let html = "<meta http-equiv=refresh content='3; url=\"next page.html\"'>\
                <meta http-equiv=refresh content='300;url=later.html'>\
                <frameset><frame src='a/../b.html#x'><frame src='..\\c.html'><frame src=/d.html>\
                <frame src=https://x.example/e.html><frame src='b.html#x'><frame src=#top>";
    let (mut sink, input) = (Sink::of(100), crate::input::input_of(html.as_bytes()));
    assert_eq!(read(&input, &mut sink), Ok(None));
    let frames = sink.facts().get(Fact::FramesAsked);
    assert_eq!(frames, Some("next%20page.html b.html#x ../c.html"));
    assert!(sink.has_text_elsewhere() && sink.is_blank());
}

#[test]
fn a_frame_that_names_its_own_folder_leaves_the_lists_sound() {
    let html = "<frameset><frame src=ok.html><frame src=zz.html><frame src=.><frame src='a/..'>";
    let (mut sink, input) = (Sink::of(100), crate::input::input_of(html.as_bytes()));
    assert_eq!(read(&input, &mut sink), Ok(None));
    let frames = sink.facts().get(Fact::FramesAsked);
    assert_eq!(frames, Some("ok.html zz.html ./"));
    assert!(sink.facts().is_sound());
}

#[test]
fn relative_frames_are_asked_for_behind_any_number_of_others() {
    let others: String = (0..40)
        .map(|n| format!("<iframe src='https://x.example/{n}'></iframe>"))
        .collect();
    let same = "<iframe src=a.html></iframe>".repeat(40);
    let html = format!("{others}{same}<iframe src=b.html></iframe>");
    let (mut sink, input) = (Sink::of(100), crate::input::input_of(html.as_bytes()));
    assert_eq!(read(&input, &mut sink), Ok(None));
    assert_eq!(sink.facts().get(Fact::FramesAsked), Some("a.html b.html"));
    assert_eq!(sink.facts().number(Fact::External), 81);
}

#[test]
fn long_addresses_and_bases_are_ignored() {
    let long = "a/".repeat(Facts::MAX_ADDRESS_BYTES);
    let grows = "<base href=b/>".repeat(Facts::MAX_ADDRESS_BYTES);
    let html = format!("<base href='{long}'><iframe src=c></iframe><iframe src='{long}'></iframe>");
    let page = read_page(&html, "", &mut |_| FrameTarget::Missing);
    assert_eq!((page.missing, page.external), (vec!["c".to_owned()], 2));
    let html = format!("{grows}<iframe src=c></iframe>");
    let missing = read_page(&html, "", &mut |_| FrameTarget::Missing).missing;
    assert_eq!(missing, ["b/".repeat(Facts::MAX_ADDRESS_BYTES / 2) + "c"]);
}

#[test]
fn lists_and_links_of_a_frame_and_of_its_page_are_apart() {
    let mut beside = |address: &str| match address {
        "nav.html" => page_at(address, "<nav>menu<a href='#top'>^"),
        "end.html" => page_at(address, "</ol></ol></nav>end"),
        "list.html" => page_at(address, "<ol><li>own</ol>"),
        "open.html" => page_at(address, "open<ol start=7><li>"),
        _ => page_at(address, ""),
    };
    let html = "<iframe src=nav.html></iframe><ol><li>a<iframe src=end.html></iframe><li>b\
                <li><iframe src=none.html></iframe>c<li><iframe srcdoc=framed></iframe>more\
                <li>d<iframe src=open.html></iframe>plain</ol></a>\
                <nav><iframe src=list.html></iframe><ol><li>contents</ol></nav><ol><li>x</ol>";
    let expected = "menu^\n1. a\nend\n2. b\n3. c\n4. framed\nmore\n5. d\nopen\nplain\n\
                    1. own\ncontents\n1. x\n";
    assert_eq!(read_page(html, "", &mut beside).text, expected);
}

#[test]
fn frames_that_hold_themselves_end() {
    let page = read_page("x<iframe src=a>", "", &mut |_| {
        page_at("a", "y<iframe src=a></iframe>")
    });
    assert_eq!(page.text.matches('y').count(), MAX_FRAMES);
}

#[test]
fn quotes_of_a_message_are_marked_as_in_plain_text() {
    let html = "<p>mine</p><blockquote type=cite><div>a</div><blockquote>b</blockquote>\
                <pre>c\nd</pre></blockquote><p>mine too</p><blockquote>said</blockquote>";
    assert_eq!(
        read_message(html).text,
        "mine\n> a\n> b\n> c\n> d\nmine too\nsaid\n"
    );
    assert_eq!(text(html), "mine\na\nb\nc\nd\nmine too\nsaid\n");
}

#[test]
fn deep_nesting_costs_nothing() {
    assert_eq!(text(&format!("{}x", "<div>".repeat(200_000))), "x");
}

proptest! {
    #[test]
    fn any_markup_is_read_without_panic(html in "(<[a-z/!-]{0,8}|[&;>a-z \"'=]|script|\\PC){0,60}") {
        text(&html);
        read_message(&html);
    }
}

#[test]
fn formulas_keep_the_signs_that_are_no_text() {
    let formula = |inner: &str| text(&format!("<p>is <math>{inner}</math>."));
    assert_eq!(formula("<mfrac><mn>12</mn><mn>3</mn></mfrac>"), "is 12/3.");
    assert_eq!(formula("\n<msqrt><mn>16</mn></msqrt>\n"), "is √(16).");
    assert_eq!(
        formula("<mn>2</mn><mfenced open='|' close=\"|\"><mn>3</mn></mfenced>"),
        "is 2|3|."
    );
    assert_eq!(
        formula("<msup><mi>x</mi><mrow><mo>&minus;</mo><mn>1</mn></mrow></msup>"),
        "is x^(−1)."
    );
    assert_eq!(
        formula("<mmultiscripts><mi>C</mi><mprescripts/><mn>6</mn><none/></mmultiscripts>"),
        "is (_6)C."
    );
    assert_eq!(
        formula("<semantics><mi>a</mi><annotation>tex</annotation></semantics>"),
        "is a."
    );
    assert_eq!(
        text("<m:math xmlns:m='x'><m:mfrac><m:mn>1</m:mn><m:mn>2</m:mn></m:mfrac></m:math>"),
        "1/2"
    );
    assert_eq!(
        text("5<math display=block><mo>-</mo><mn>5</mn></math>6"),
        "5\n-5\n6"
    );
    // What is not closed ends with its block, and with the page.
    assert_eq!(
        text("<p><math><mfrac><mn>1</mn><mn>2</mn><p>next"),
        "1/2\nnext"
    );
    assert_eq!(text("<td><math><msqrt><mn>2</td><td>3"), "√(2)\t3");
}

#[test]
fn raised_and_lowered_digits_stay_so() {
    for (html, expected) in [
        ("10<sup>3</sup>4", "10³4"),
        ("H<sub>2</sub>O", "H₂O"),
        ("1<sup>st</sup>", "1st"),
        ("price<sup><a href='#n'>1</a></sup>", "price¹"),
        ("x<sup>2<sub>1</sub>3</sup>", "x²₁³"),
        ("x<sup>2<p>1999", "x²\n1999"),
        ("x<sup>2</sub>1", "x²¹"),
        ("<sup>*</sup>", "*"),
    ] {
        assert_eq!(text(html), expected, "{html}");
    }
}

#[test]
fn struck_text_is_marked() {
    for (html, expected) in [
        (
            "a <s>b</s><del>c</del> <strike>d </strike>e",
            "a ~~bc d~~ e",
        ),
        ("<del><p>one<p>two</del> three", "~~one~~\n~~two~~ three"),
        (
            "<span style='color:red; text-decoration: underline Line-Through'>a<span>b</span></span>c",
            "~~ab~~c",
        ),
        ("<s style='text-decoration:none'>a</s>", "a"),
        (
            "<p style='text-decoration-line:line-through'>a<p>b",
            "~~a~~\nb",
        ),
        (
            "<table><tr><td style='text-decoration:line-through'>a<td>b</table>",
            "~~a~~\tb\n",
        ),
        ("<img style='text-decoration:line-through' alt=x>y", "xy"),
        (
            "<style>.c1{text-decoration:line-through}</style><i class='c0 c1'>a</i><i>b</i>",
            "~~a~~b",
        ),
        ("<s>10<sup>3</sup></s>", "~~10³~~"),
        ("<pre><s>a\n  b</s></pre>", "~~a~~\n  ~~b~~\n"),
    ] {
        assert_eq!(text(html), expected, "{html}");
    }
}

#[test]
fn private_use_characters_are_signs_of_the_font_that_elements_state() {
    for (html, expected) in [
        (
            "<font face='Wingdings'>\u{f0fc}J</font>\u{f0fc}",
            "✓J\u{f0fc}",
        ),
        ("<font face='Symbol, serif'>&#xF0D8;</font>", "¬"),
        (
            "<span style=\"color: red; font-family:'Wingdings 2'\">\u{f050}</span>",
            "✓",
        ),
        (
            "<span style='font-family:Wingdings'>\u{f0d8}<span style='font:7.0pt \"Times New Roman\"'>\u{f0d8}</span>\
             <b>\u{f0d8}</b><span>\u{f0d8}</span>\u{f0d8}</span>\u{f0d8}",
            "➢\u{f0d8}➢➢➢\u{f0d8}",
        ),
        (
            "<span style='font: bold 700 10pt/1.2 Symbol, serif'>\u{f0d8}</span>",
            "¬",
        ),
        (
            "<font face=Symbol>\u{f0d8}<i style='font-family: inherit'>\u{f0d8}</i>",
            "¬¬",
        ),
        // What stays open ends with what is around it; an element without content opens nothing.
        (
            "<b style='font-family:Symbol'><i style='font-family:Arial'>\u{f0d8}</b>\u{f0d8}",
            "\u{f0d8}\u{f0d8}",
        ),
        ("<br style='font-family:Symbol'>\u{f0d8}", "\u{f0d8}"),
        (
            "<p style='font-family:Symbol'>\u{f0d8}<p>\u{f0d8}",
            "¬\n\u{f0d8}",
        ),
        (
            "<p style='font-family:Symbol'><i style='font-family:Wingdings'>\u{f0d8}<p>\u{f0d8}",
            "➢\n\u{f0d8}",
        ),
        (
            "<p style='font-family:Symbol'>\u{f0d8}<br>\u{f0d8}</p>\u{f0d8}",
            "¬\n¬\n\u{f0d8}",
        ),
    ] {
        assert_eq!(text(html).trim(), expected, "{html}");
    }
}

#[test]
fn quotation_marks_and_overrides_of_direction_are_text() {
    for (html, expected) in [
        ("He said <q>go <q>now</q></q>.", "He said “go ‘now’”."),
        ("<p><q>open<p><q>a</q>", "“open\n“a”"),
        ("</q>a", "a"),
        ("a <bdo dir=rtl>123</bdo> b", "a \u{202e}123\u{202c} b"),
        (
            "<bdo dir=LTR>a</bdo><bdo>b</bdo></bdo>",
            "\u{202d}a\u{202c}b",
        ),
    ] {
        assert_eq!(text(html), expected, "{html}");
    }
}
