//! What a reader sees of long, reflowed and wholly different texts.

fn render(principal: &str, member: &str, link: &str) -> String {
    super::render([principal, member], link, &mut || Ok::<_, ()>(())).unwrap()
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
    let wide = render(&narrow, &broken(&words("new"), 11), "diffs/1/x.diff");
    assert!(
        wide.contains("<del>old</del>") && wide.contains("<ins>new</ins>"),
        "{wide}"
    );
    assert!(wide.contains("disregarded here"));
    assert_eq!(wide.matches("<tbody>").count(), 1);
    let same = render(&narrow, &broken(&words("old"), 11), "diffs/1/x.diff");
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
    assert!(one.contains("this place goes on") && one.len() < 100_000);
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
    // Without sentences and spaces it is cut between characters.
    assert!(render(&"ä".repeat(5_000), &"ö".repeat(5_000), "x").contains("<table"));
}
