//! Tables with lines around their cells.

use proptest::prelude::*;

use super::*;

/// The left ends of the columns, their right end, and the tops and the bottom of the rows.
const COLUMNS: [f64; 4] = [0.0, 80.0, 160.0, 240.0];
const ROWS: [f64; 4] = [100.0, 60.0, 30.0, 10.0];

/// What the cells of the rows say, with the baselines.
const WORDS: &[(f64, f64, &str)] = &[
    (3.0, 110.0, "Before the table"),
    (3.0, 88.0, "Name of the"),
    (3.0, 76.0, "product"),
    (83.0, 88.0, "A long"),
    (83.0, 76.0, "description"),
    (83.0, 64.0, "of it"),
    (163.0, 82.0, "5 EUR"),
    (3.0, 48.0, "Another"),
    (163.0, 48.0, "6 EUR of"),
    (163.0, 36.0, "today"),
    (3.0, 18.0, "Third"),
    (83.0, 18.0, "row"),
    (3.0, 0.0, "After it"),
];

/// Draws a line along each row and each column.
fn grid(columns: &[f64], rows: &[f64]) -> String {
    let (left, right) = (columns[0], columns[columns.len() - 1]);
    let (top, bottom) = (rows[0], rows[rows.len() - 1]);
    let across = rows
        .iter()
        .map(|y| format!("{left} {y} m {right} {y} l S "));
    let down = columns
        .iter()
        .map(|x| format!("{x} {bottom} m {x} {top} l S "));
    across.chain(down).collect()
}

fn ruled(words: &[(f64, f64, &str)], content: &str) -> Vec<String> {
    let mut layout = Layout::default();
    for (x, y, word) in words {
        put(&mut layout, (*x, *y), (1.0, 0.0), word);
    }
    let layout = layout.with_rules(Rules::of(content.as_bytes()));
    let lines = layout.lines().into_iter();
    lines.map(|line| line.replace(LINE_IN_CELL, "/")).collect()
}

#[test]
fn cells_of_several_lines_are_read_cell_by_cell() {
    let expected = [
        "Before the table",
        "Name of the/product\tA long/description/of it\t5 EUR",
        "Another\t6 EUR of/today",
        "Third\trow",
        "After it",
    ];
    let read = |content: &str| -> Vec<String> {
        let lines = ruled(WORDS, content).into_iter();
        lines.filter(|line| !line.is_empty()).collect()
    };
    assert_eq!(read(&grid(&COLUMNS, &ROWS)), expected);
    // Without lines at both sides.
    let rows = grid(&[0.0, 240.0], &ROWS).replace("0 10 m 0 100 l S", "");
    let open = rows.replace("240 10 m 240 100 l S", "") + "80 10 m 80 100 l S 160 10 m 160 100 l S";
    assert_eq!(read(&open), expected);
}

#[test]
fn what_is_no_grid_is_read_line_by_line() {
    let plain = ruled(WORDS, "");
    assert_eq!(plain[2], "Name of the\tA long");
    let outer = [COLUMNS[0], COLUMNS[3]];
    for content in [
        // Lines across alone, lines down alone, and one that ends within the row.
        grid(&outer, &ROWS),
        "0 10 m 0 100 l S 80 10 m 80 100 l S 160 10 m 160 100 l S 240 10 m 240 100 l S".to_owned(),
        grid(&outer, &ROWS) + "80 70 m 80 100 l S 80 10 m 80 20 l S",
        // A line through the words.
        grid(&[0.0, 20.0, 96.0, 176.0, 240.0], &ROWS),
        // Lines that are not as wide as those above them.
        "0 100 m 240 100 l S 0 60 m 200 60 l S 0 10 m 240 10 l S 80 10 m 80 100 l S".to_owned(),
    ] {
        assert_eq!(ruled(WORDS, &content), plain, "{content}");
    }
}

#[test]
fn columns_of_text_between_lines_keep_their_lines() {
    let text = "thirty letters make up a line L";
    let mut words = Vec::new();
    for at in 0..20 {
        let y = 300.0 - 12.0 * f64::from(at);
        words.extend([(3.0, y, text), (203.0, y, text)]);
    }
    let content = grid(&[0.0, 200.0, 400.0], &[320.0, 50.0]);
    assert_eq!(ruled(&words, &content), ruled(&words, ""));
}

#[test]
fn a_row_of_words_that_run_to_the_left_begins_at_the_right() {
    let words = [
        (3.0, 88.0, "םולש"),
        (3.0, 76.0, "ףגא"),
        (83.0, 88.0, "רדח"),
        (163.0, 88.0, "5"),
    ];
    let rows = [100.0, 60.0];
    assert_eq!(ruled(&words, &grid(&COLUMNS, &rows)), ["5\tחדר\tשלום/אגף"]);
}

#[test]
fn a_row_with_large_letters_further_down_does_not_take_the_line_above_it() {
    let mut layout = Layout::default();
    put_of(&mut layout, (3.0, 101.0), 6.0, "above");
    put_of(&mut layout, (3.0, 92.0), 6.0, "small");
    put_of(&mut layout, (83.0, 74.0), 20.0, "big");
    let rules = grid(&COLUMNS, &[100.0, 60.0]);
    let lines = layout.with_rules(Rules::of(rules.as_bytes())).lines();
    assert_eq!(lines, ["above", "small\tbig"]);
}

#[test]
fn text_does_not_bring_the_mark_of_rows() {
    let word = format!("a{LINE_IN_CELL}b");
    assert_eq!(ruled(&[(3.0, 88.0, word.as_str())], ""), ["a b"]);
}

proptest! {
    #[test]
    fn no_word_is_lost_or_added_whatever_lines_there_are(
        words in proptest::collection::vec((0_u16..300, 0_u16..100, "[a-z]{1,4}"), 0..30),
        rules in proptest::collection::vec((any::<bool>(), 0_u8..8, 0_u8..8, 0_u8..8), 0..40),
    ) {
        let lines = rules.iter().map(|(is_across, at, from, to)| {
            let [at, from, to] = [at, from, to].map(|place| f64::from(*place) * 40.0);
            match is_across {
                true => format!("{from} {at} m {to} {at} l S "),
                false => format!("{at} {from} m {at} {to} l S "),
            }
        });
        // Apart from each other, so that none is another again.
        let words = words.iter().enumerate().map(|(index, (x, y, word))| {
            (f64::from(*x), f64::from(*y) + 1000.0 * f64::from(u8::from(*x > 250)), format!("{index:02}{word}"))
        });
        let words: Vec<_> = words.collect();
        let places: Vec<_> = words.iter().map(|(x, y, word)| (*x, *y, word.as_str())).collect();
        let letters = |lines: Vec<String>| {
            let mut letters: Vec<char> = lines.concat().chars().filter(|c| c.is_ascii_alphanumeric()).collect();
            letters.sort_unstable();
            letters
        };
        let content: String = lines.collect();
        prop_assert_eq!(letters(ruled(&places, &content)), letters(ruled(&places, "")));
    }
}
