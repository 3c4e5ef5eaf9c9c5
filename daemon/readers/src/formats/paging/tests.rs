//! Pages made here: running lines and broken words.

use super::*;
use proptest::prelude::*;

fn body(pages: &[&str]) -> Body {
    let mut paged = Pages::default();
    for page in pages {
        paged.push(page.lines().map(str::to_owned).collect());
    }
    paged.into_body()
}

#[test]
fn headers_footers_and_page_numbers_are_kept_apart_once() {
    let body = body(&[
        "RFC 1   A Title   May 1990\n\nThe first page\n\nDoe   [Page 1]",
        "RFC 1   A Title   May 1990\n\nand the second,\n\nDoe   [Page 2]",
        "RFC 1   A Title   May 1990\n\nand the third.\n\nDoe   [Page 3]",
    ]);
    assert_eq!(
        body.text,
        "The first page\nand the second,\nand the third.\nRFC 1   A Title   May 1990\nDoe   [Page 1]\n"
    );
    assert_eq!(body.running_lines, 6);
}

#[test]
fn running_lines_that_differ_in_numbers_are_kept_each() {
    let page = |own: &str| format!("A = 0.75\nA = 0.55\n{own}\nA = 0.15\nA = 0.00");
    let pages = ["first", "second", "third"].map(page);
    let pages: Vec<&str> = pages.iter().map(String::as_str).collect();
    assert_eq!(
        body(&pages).text,
        "first\nsecond\nthird\nA = 0.75\nA = 0.55\nA = 0.00\nA = 0.15\n"
    );
    let pages: Vec<String> = (1..=6_usize)
        .map(|page| {
            format!(
                "Part {} Page {page}\n{}",
                page.div_ceil(3),
                "a".repeat(page)
            )
        })
        .collect();
    let pages: Vec<&str> = pages.iter().map(String::as_str).collect();
    let text = body(&pages).text;
    assert!(
        text.ends_with("aaaaaa\nPart 1 Page 1\nPart 2 Page 4\n"),
        "{text}"
    );
}

#[test]
fn numbers_alone_go_if_they_count_the_pages() {
    let counting = body(&["a\n7", "b\n8", "c\n9", "d\n10"]);
    assert_eq!(
        (counting.text.as_str(), counting.running_lines),
        ("a\nb\nc\nd\n", 4)
    );
    let roman = body(&["a\niii", "b\niv", "c\nv", "d\nvi"]);
    assert_eq!(roman.text, "a\nb\nc\nd\n");
    // Figures of a table are no page numbers.
    let figures = body(&["a\n7", "b\n15", "c\n3", "d\n7"]);
    assert_eq!(
        (figures.text.as_str(), figures.running_lines),
        ("a\n7\nb\n15\nc\n3\nd\n7\n", 0)
    );
}

#[test]
fn headers_may_alternate_and_begin_late() {
    let pages = [
        "Title\nfirst",
        "Odd\na",
        "Even\nb",
        "Odd\nc",
        "Even\nd",
        "Odd\ne",
        "Even\nf",
    ];
    let body = body(&pages);
    assert_eq!(body.text, "Title\nfirst\na\nb\nc\nd\ne\nf\nOdd\nEven\n");
}

#[test]
fn what_comes_again_far_away_or_within_the_page_stays() {
    let page = |(at, own): (usize, char)| {
        // At the edge of every seventh page; and in the middle of each.
        let edge = if at % 7 == 0 { "Example" } else { "" };
        format!("{edge}{own}\nb{own}\nc{own}\nd{own}\nsame\ne{own}\nf{own}\ng{own}")
            .replace(&format!("Example{own}"), "Example")
    };
    let pages: Vec<String> = ('A'..'T').enumerate().map(page).collect();
    let pages: Vec<&str> = pages.iter().map(String::as_str).collect();
    let whole = pages.join("\n") + "\n";
    let body = body(&pages);
    assert_eq!((body.text, body.running_lines), (whole, 0));
}

#[test]
fn two_pages_and_copies_of_one_page_are_left_as_they_are() {
    assert_eq!(body(&["H\na", "H\nb"]).text, "H\na\nH\nb\n");
    assert_eq!(body(&["same", "same", "same"]).running_lines, 0);
}

#[test]
fn broken_words_are_joined_within_and_across_pages() {
    let body = body(&["an exam-\nple of a docu-", "ment and exam\u{ad}\nples"]);
    assert_eq!(body.text, "an example of a document and examples\n");
    assert_eq!(body.joined_hyphens, 3);
}

#[test]
fn compounds_keep_their_hyphens() {
    let known = body(&["a trade-off and trade-\noffs in a docu-\nment, the document"]);
    assert_eq!(
        known.text,
        "a trade-off and trade-offs in a document, the document\n"
    );
    assert_eq!(body(&["the sub-\nTLV"]).text, "the sub-TLV\n");
    assert_eq!(body(&["state-of-the-\nart"]).text, "state-of-the-art\n");
    // A text whose hyphens are real ones is not one that breaks words.
    let real = body(&["a vendor-specific thing is vendor-\nspecific, and well-\nformed"]);
    assert_eq!(
        real.text,
        "a vendor-specific thing is vendor-specific, and well-formed\n"
    );
}

#[test]
fn addresses_are_joined_and_what_is_no_break_is_not() {
    let address = body(&["see <https://\nwww.example.org/a/\nb.html>"]);
    assert_eq!(address.text, "see <https://www.example.org/a/b.html>\n");
    for kept in [
        "pre-\nand postwar\n",
        "1-\n2\n",
        "dash -\nword\n",
        "x --\ny\n",
        "and/\nor\n",
        "a-\n\nb\n",
    ] {
        assert_eq!(body(&[kept]).text, kept);
    }
}

proptest! {
    /// Only white space, hyphens and running lines may go.
    #[test]
    fn every_word_stays(pages in prop::collection::vec("([ab1-]{1,3}[ \n]){0,12}", 0..6)) {
        let pages: Vec<&str> = pages.iter().map(String::as_str).collect();
        let body = body(&pages);
        if body.running_lines == 0 {
            let letters = |text: &str| text.replace([' ', '\n', '-'], "");
            prop_assert_eq!(letters(&body.text), letters(&pages.concat()));
        }
    }
}

#[test]
fn lines_of_cells_are_one_line_and_their_words_are_whole() {
    let cells = "a descrip-\u{fdd0}tion\u{fdd0}of it\tof 5\u{fdd0}euro-\u{fdd0}area\nend";
    let body = body(&[&cells.replace('\n', "\n\n")]);
    assert_eq!(body.text, "a description of it\tof 5 euroarea\n\nend\n");
    assert_eq!(body.joined_hyphens, 2);
}

#[test]
fn line_separators_of_a_text_stay() {
    let text = "a descrip-\u{2028}tion\u{2028}of it\n";
    let body = body(&[text]);
    assert_eq!((body.text.as_str(), body.joined_hyphens), (text, 0));
}

#[test]
fn blank_ends_and_blank_lines_do_not_change_what_is_joined() {
    assert_eq!(body(&["a descrip- \u{a0} \ntion"]).text, "a description\n");
    assert_eq!(body(&["a descrip-\n \ntion"]).text, "a descrip-\n \ntion\n");
}

#[test]
fn running_cells_have_one_line() {
    let pages =
        ["one", "two", "three", "four"].map(|own| format!("of the\u{fdd0}firm\tseal\n\n{own}"));
    let pages: Vec<&str> = pages.iter().map(String::as_str).collect();
    assert_eq!(
        body(&pages).text,
        "one\ntwo\nthree\nfour\nof the firm\tseal\n"
    );
}
