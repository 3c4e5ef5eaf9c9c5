//! How long, reflowed and entirely different texts are shown.

use super::{PLACES_SHOWN, by_lines, by_words};

fn render(principal: &str, member: &str, link: &str) -> String {
    by_lines([principal, member], link, &mut || Ok::<_, ()>(())).unwrap()
}

fn render_words(principal: &str, member: &str) -> String {
    by_words([principal, member], "diffs/1/x.diff", &mut || {
        Ok::<_, ()>(())
    })
    .unwrap()
}

#[test]
fn other_line_breaks_do_not_hide_what_changed() {
    let words = |changed: &str| -> Vec<String> {
        (0..300)
            .map(|i| {
                if i == 150 {
                    changed.to_owned()
                } else {
                    format!("word{i}.")
                }
            })
            .collect()
    };
    let broken = |words: &[String], n: usize| -> String {
        words.chunks(n).map(|line| line.join(" ") + "\n").collect()
    };
    let narrow = broken(&words("old"), 7);
    let wide = render_words(&narrow, &broken(&words("new"), 11));
    assert!(
        wide.contains("<del>old</del>") && wide.contains("<ins>new</ins>"),
        "{wide}"
    );
    assert!(wide.contains("disregarded here"));
    assert_eq!(wide.matches("<tbody>").count(), 1);
    let same = render_words(&narrow, &broken(&words("old"), 11));
    assert!(same.contains("white space alone") && !same.contains("<table"));
}

#[test]
fn a_difference_shown_is_bounded_and_says_so() {
    let lines = |step: usize| -> String {
        (0..9_000)
            .map(|i| {
                if i % step == 0 {
                    "changed\n".to_owned()
                } else {
                    format!("{i}\n")
                }
            })
            .collect()
    };
    let view = render(&lines(100_000), &lines(90), "diffs/1/x.diff");
    assert_eq!(view.matches("<tbody>").count(), 25);
    assert!(
        view.contains("… 74 more changed places, see <a href=\"diffs/1/x.diff\">"),
        "{}",
        &view[view.len() - 300..]
    );
    let one = render("a\n", &"b\n".repeat(100_000), "diffs/1/x.diff");
    assert!(one.contains("this part continues") && one.len() < 100_000);
}

#[test]
fn a_long_line_is_shown_by_its_changed_sentence() {
    let text: String = (0..2_000)
        .map(|i| format!("This is sentence number {i} of a long line. "))
        .collect();
    let view = render(
        &text,
        &text.replace("number 1000 of", "number one of"),
        "diffs/1/x.diff",
    );
    assert!(
        view.contains("<del>1000</del>") && view.contains("<ins>one</ins>"),
        "{view}"
    );
    assert!(view.len() < 5_000);
    // Without sentences and spaces it is split between characters.
    assert!(render(&"ä".repeat(5_000), &"ö".repeat(5_000), "x").contains("<table"));
}

/// Unchanged text stands in the texts, and twice where it is shown.
#[test]
fn of_unchanged_text_only_what_is_nearest_to_a_change_is_shown() {
    let view = |line: &str, changed: &[usize]| {
        let text = |word: &str| -> String {
            let line = |at| match changed.contains(&at) {
                true => format!("{word} {line} {at}\n"),
                false => format!("{line} {at}\n"),
            };
            (0..60).map(line).collect()
        };
        render(&text("old"), &text("new"), "diffs/1/x.diff")
    };
    let rows = |view: &str| view.matches("<tr>").count() - 1;
    let (code, prose) = (
        "x = f(y)",
        "words of a line of prose that somebody wrapped at a usual width",
    );
    assert_eq!(rows(&view(code, &[30])), 7);
    assert_eq!(rows(&view(prose, &[30])), 3);
    // What lies between two changes is shown if it is short, and otherwise as of two places.
    let near = view(prose, &[30, 32]);
    assert_eq!((rows(&near), near.matches("<tbody>").count()), (5, 1));
    let apart = view(prose, &[30, 36]);
    assert_eq!((rows(&apart), apart.matches("<tbody>").count()), (6, 2));
    // Of a paragraph in one line the part at the change is shown.
    let paragraph = prose.repeat(5);
    let long = view(&paragraph, &[30, 32]);
    assert!(long.len() < 10 * paragraph.len(), "{}", long.len());
    assert_eq!(long.matches("<tbody>").count(), 2);
    assert_eq!(
        (
            long.matches("<td>… ").count(),
            long.matches(" …<td>").count()
        ),
        (4, 2),
        "{long}"
    );
    for shown in [
        "<del>old</del>",
        "<ins>new</ins>",
        "usual width 29",
        "usual width 31",
    ] {
        assert!(long.contains(shown), "{shown}: {long}");
    }
}

#[test]
fn unchanged_text_between_two_changes_is_shown_once() {
    let view = |lengths: &[usize]| {
        let unchanged: String = lengths
            .iter()
            .zip('a'..)
            .map(|(length, letter)| format!("{}\n", letter.to_string().repeat(*length)))
            .collect();
        let text = |word: &str| format!("{word} one\n{unchanged}{word} two\n");
        render(&text("old"), &text("new"), "diffs/1/x.diff")
    };
    let shown = |view: &str, line: &str| view.matches(line).count() / 2;
    // The middle line is near to both changes.
    let all = view(&[50, 150, 50]);
    assert_eq!(all.matches("<tbody>").count(), 1, "{all}");
    for (length, letter) in [(50, "a"), (150, "b"), (50, "c")] {
        assert_eq!(shown(&all, &letter.repeat(length)), 1, "{letter}: {all}");
    }
    assert_eq!(view(&[130, 130]).matches("<tbody>").count(), 1);
    // Only a line that is cut stands in both blocks, with its beginning and its ending.
    let cut = view(&[20, 300, 20]);
    assert_eq!(cut.matches("<tbody>").count(), 2, "{cut}");
    assert!(!cut.contains(&"b".repeat(100)));
    for (length, letter) in [(20, "a"), (20, "c")] {
        assert_eq!(shown(&cut, &letter.repeat(length)), 1, "{letter}: {cut}");
    }
    assert_eq!(view(&[130, 130, 130]).matches("<tbody>").count(), 2);
}

/// A text of paragraphs in this order, in lines of `width` words.
fn paragraphs(order: &[usize], width: usize) -> String {
    let words = order.iter().flat_map(|paragraph| {
        let word = move |at: usize| format!("p{paragraph}w{}", at * at % 997);
        (0..60).map(word)
    });
    let words: Vec<String> = words.collect();
    words
        .chunks(width)
        .map(|line| line.join(" ") + "\n")
        .collect()
}

#[test]
fn what_moved_is_marked_in_both_places_with_where_it_came_from_and_went_to() {
    let a = paragraphs(&[0, 1, 2, 3, 4, 5, 6, 7], 10);
    let b = paragraphs(&[0, 2, 3, 4, 5, 6, 1, 7], 8).replace("p4w16 ", "p4other ");
    let view = render_words(&a, &b);
    // The second paragraph begins in line 7, and in the other text with word 360, in line 46.
    let went = "<span class=\"moved\"><i class=\"u\">moved to line 46</i> p1w0 p1w1 ";
    let came = "<span class=\"moved\"><i class=\"u\">moved from line 7</i> p1w0 p1w1 ";
    for (mark, column) in [(went, 0), (came, 1)] {
        assert_eq!(view.matches(mark).count(), 1, "{view}");
        let row = view.split("<tr>").find(|row| row.contains(mark)).unwrap();
        let cell = row.split("<td>").position(|cell| cell.contains(mark));
        assert_eq!(cell, Some(2 * column + 2), "{row}");
    }
    assert!(view.contains("<del>p4w16</del>") && view.contains("<ins>p4other</ins>"));
    assert_eq!(view.matches("<tbody>").count(), 3, "{view}");
    assert!(
        view.contains("(60 words)") && !view.contains("  "),
        "{view}"
    );
}

#[test]
fn a_difference_by_words_is_bounded_and_inert() {
    let text = |mark: &str| -> String {
        let words = (0..60_000).map(|at| match at % 90 {
            0 => format!("{mark}{at} "),
            _ => format!("w{at}\n"),
        });
        words.collect()
    };
    let view = render_words(&text("<b>"), &text("<i>"));
    assert_eq!(view.matches("<tbody>").count(), PLACES_SHOWN);
    assert!(view.contains("more changed places, see <a href"));
    assert!(!view.contains("<b>") && !view.contains("<i>") && view.contains("&lt;"));
    // One place that never ends.
    let all = |mark: &str| -> String {
        (0..60_000)
            .map(|at| format!("{mark}{at} same{at} "))
            .collect()
    };
    let view = render_words(&all("a"), &all("b"));
    assert!(view.len() < 100_000, "{}", view.len());
    let view = render_words("one two three", &"word ".repeat(200_000));
    assert!(
        view.len() < 10_000 && view.contains("(200000 words)"),
        "{}",
        view.len()
    );
}
