//! Characters at some positions, and the lines they form.

use super::*;

mod ruled;

/// Words of a font of size 10 whose characters are 5 wide.
fn lines(words: &[(f64, f64, &str)]) -> Vec<String> {
    let mut layout = Layout::default();
    for (x, y, word) in words {
        put(&mut layout, (*x, *y), (1.0, 0.0), word);
    }
    layout.lines()
}

/// A word of a font of this size, whose characters are half as wide.
fn put_of(layout: &mut Layout, (x, y): (f64, f64), size: f64, word: &str) {
    for (at, c) in word.chars().enumerate() {
        let place = Place {
            x: x + size / 2.0 * at as f64,
            y,
            advance: (size / 2.0, 0.0),
            direction: (1.0, 0.0),
            size,
        };
        layout.push(&c.to_string(), place);
    }
}

fn put(layout: &mut Layout, (x, y): (f64, f64), (dx, dy): (f64, f64), word: &str) {
    for (at, c) in word.chars().enumerate() {
        let along = 5.0 * at as f64;
        let place = Place {
            x: x + along * dx,
            y: y + along * dy,
            advance: (5.0 * dx, 5.0 * dy),
            direction: (dx, dy),
            size: 10.0,
        };
        layout.push(&c.to_string(), place);
    }
}

#[test]
fn words_drawn_late_stand_in_their_gaps() {
    let drawn = [
        (0.0, 100.0, "You"),
        (40.0, 100.0, "go."),
        (0.0, 88.0, "End"),
        (18.0, 100.0, "MUST"),
    ];
    assert_eq!(lines(&drawn), ["You MUST go.", "End"]);
}

#[test]
fn small_gaps_are_none_and_wide_ones_are_tabs() {
    let drawn = [
        (0.0, 0.0, "a"),
        (5.5, 0.0, "b"),
        (13.0, 0.0, "c"),
        (60.0, 0.0, "d"),
    ];
    assert_eq!(lines(&drawn), ["ab c\td"]);
}

#[test]
fn paragraphs_are_apart_and_lines_are_not() {
    let drawn = [(0.0, 100.0, "a"), (0.0, 88.0, "b"), (0.0, 60.0, "c")];
    assert_eq!(lines(&drawn), ["a", "b", "", "c"]);
}

#[test]
fn a_word_drawn_twice_to_look_bold_stands_once() {
    assert_eq!(lines(&[(0.0, 0.0, "bold"), (0.4, 0.0, "bold")]), ["bold"]);
    assert_eq!(
        lines(&[(0.0, 0.0, "very"), (25.0, 0.0, "very")]),
        ["very very"]
    );
}

#[test]
fn parts_of_a_line_drawn_twice_to_look_bold_stand_once() {
    let drawn = [
        (0.0, 0.0, "Notes to"),
        (0.4, 0.0, "Notes to"),
        (40.4, 0.0, " the report"),
        (40.8, 0.0, " the report"),
    ];
    assert_eq!(lines(&drawn), ["Notes to the report"]);
    let parts = [(0.0, 0.0, "Notes"), (30.0, 0.0, "Notes to")];
    assert_eq!(lines(&parts), ["Notes Notes to"]);
}

#[test]
fn characters_drawn_twice_to_look_bold_stand_once() {
    let twice = |text: &str| {
        let mut layout = Layout::default();
        for (at, c) in text.chars().enumerate() {
            let x = 5.0 * at as f64;
            put(&mut layout, (x, 0.0), (1.0, 0.0), &c.to_string());
            put(&mut layout, (x + 0.4, 0.1), (1.0, 0.0), &c.to_string());
        }
        layout.lines()
    };
    assert_eq!(twice("balloon"), ["balloon"]);
    assert_eq!(twice("םלש"), ["שלם"]);
}

#[test]
fn characters_without_a_text_leave_a_gap() {
    let mut layout = Layout::default();
    for (at, text) in ["o", "n", "", "i", "t"].into_iter().enumerate() {
        let place = Place {
            x: 5.0 * at as f64,
            y: 0.0,
            advance: (5.0, 0.0),
            direction: (1.0, 0.0),
            size: 10.0,
        };
        layout.push(text, place);
    }
    assert_eq!(layout.lines(), ["on it"]);
}

#[test]
fn columns_are_read_one_after_the_other_below_their_heading() {
    let text = "thirty letters make up a line ";
    let mut drawn = vec![(
        50.0,
        200.0,
        "A heading that reaches across the gutter of it",
    )];
    let lines_of =
        |name: &str| -> Vec<String> { (0..6).map(|at| format!("{name}{at} {text}")).collect() };
    let (left, right) = (lines_of("L"), lines_of("R"));
    for (at, (left, right)) in left.iter().zip(&right).enumerate() {
        let y = 180.0 - 12.0 * at as f64;
        drawn.push((0.0, y, left));
        drawn.push((190.0, y, right));
    }
    let lines = lines(&drawn);
    let names: String = lines
        .iter()
        .filter(|line| !line.is_empty())
        .map(|line| &line[..2])
        .collect();
    assert_eq!(names, "A L0L1L2L3L4L5R0R1R2R3R4R5");
}

#[test]
fn columns_that_stand_close_together_are_columns() {
    let (left, right) = (
        "thirty letters make up a line L",
        "thirty letters make up a line R",
    );
    let mut drawn = Vec::new();
    for at in 0..6 {
        let y = -12.0 * f64::from(at);
        drawn.extend([(0.0, y, left), (165.0, y, right)]);
    }
    let read: String = lines(&drawn).concat();
    let ends: String = read.chars().filter(|c| c.is_uppercase()).collect();
    assert_eq!(ends, "LLLLLLRRRRRR");
}

#[test]
fn small_labels_of_a_figure_hide_no_columns() {
    let mut layout = Layout::default();
    for at in 0..20 {
        put_of(
            &mut layout,
            (30.0, 200.0 - 6.0 * f64::from(at)),
            5.0,
            "label",
        );
    }
    for at in 0..20 {
        let y = 200.0 - 12.0 * f64::from(at);
        let left = if at < 11 {
            ""
        } else {
            "thirty letters make up a line L"
        };
        put_of(&mut layout, (0.0, y), 10.0, left);
        put_of(
            &mut layout,
            (190.0, y),
            10.0,
            "thirty letters make up a line R",
        );
    }
    let read = layout.lines().concat();
    let ends: String = read.chars().filter(|c| c.is_uppercase()).collect();
    assert_eq!(ends, "L".repeat(9) + &"R".repeat(20));
}

#[test]
fn lines_beside_a_taller_one_of_the_next_column_stay_apart() {
    let mut layout = Layout::default();
    put_of(&mut layout, (0.0, 100.0), 7.0, "one");
    put_of(&mut layout, (14.0, 100.0), 7.0, "line");
    put_of(&mut layout, (0.0, 92.4), 7.0, "and");
    put_of(&mut layout, (14.0, 92.4), 7.0, "another");
    put_of(&mut layout, (90.0, 96.0), 9.0, "taller");
    assert_eq!(layout.lines(), ["one line\tand another\ttaller"]);
}

#[test]
fn words_of_two_lines_do_not_become_one() {
    assert_eq!(lines(&[(0.0, 4.0, "one"), (15.0, 0.0, "two")]), ["one two"]);
    // What is written over a line does not belong to its last word either.
    assert_eq!(
        lines(&[(0.0, 0.0, "a whole line"), (20.0, 4.5, "sign")]),
        ["a whole line sign"]
    );
}

#[test]
fn letters_set_apart_are_words() {
    let apart = |text: &str, step: f64| {
        let letters: Vec<String> = text.chars().map(String::from).collect();
        let at = |at: usize| step * at as f64;
        let drawn = letters.iter().enumerate();
        let drawn = drawn.map(|(index, letter)| (at(index), 0.0, letter.trim()));
        lines(
            &drawn
                .filter(|(_, _, letter)| !letter.is_empty())
                .collect::<Vec<_>>(),
        )
    };
    assert_eq!(apart("CHAPTER ONE", 8.0), ["CHAPTER ONE"]);
    assert_eq!(apart("чтобы", 8.0), ["чтобы"]);
    // Letters of a chart, cells, figures, and words of one letter are not.
    assert_eq!(apart("ABCDE", 8.0), ["A B C D E"]);
    assert_eq!(apart("HOUSE", 12.0), ["H O U S E"]);
    assert_eq!(apart("2024", 8.0), ["2 0 2 4"]);
    assert_eq!(apart("aim", 8.0), ["a i m"]);
}

#[test]
fn letters_of_many_widths_in_even_places_are_a_chart() {
    let mut layout = Layout::default();
    for (at, (letter, width)) in [("w", 8.0), ("i", 2.0), ("n", 5.0), ("g", 5.0), ("s", 4.0)]
        .into_iter()
        .enumerate()
    {
        let place = Place {
            x: 10.0 * at as f64 - width / 2.0,
            y: 0.0,
            advance: (width, 0.0),
            direction: (1.0, 0.0),
            size: 10.0,
        };
        layout.push(letter, place);
    }
    assert_eq!(layout.lines(), ["w i n g s"]);
}

#[test]
fn ideographs_that_fill_a_line_have_no_spaces() {
    assert_eq!(
        lines(&[(0.0, 0.0, "关于"), (12.5, 0.0, "红军")]),
        ["关于红军"]
    );
    assert_eq!(
        lines(&[(0.0, 0.0, "关于"), (14.0, 0.0, "红军")]),
        ["关于 红军"]
    );
}

#[test]
fn cells_of_a_table_are_read_row_by_row() {
    let mut drawn = Vec::new();
    for at in 0..8 {
        let y = -12.0 * f64::from(at);
        drawn.extend([(0.0, y, "name"), (100.0, y, "value")]);
    }
    assert_eq!(lines(&drawn), ["name\tvalue"; 8]);
}

#[test]
fn text_at_any_angle_keeps_its_lines() {
    let mut layout = Layout::default();
    put(&mut layout, (0.0, 0.0), (0.0, 1.0), "upward");
    put(&mut layout, (12.0, 0.0), (0.0, 1.0), "again");
    put(&mut layout, (50.0, 0.0), (0.8, 0.6), "aslant");
    assert_eq!(layout.lines(), ["upward", "again", "aslant"]);
}

#[test]
fn letters_that_run_to_the_left_are_put_in_order() {
    // Drawn from the left, as their writers do: the last letter first.
    assert_eq!(lines(&[(0.0, 0.0, "םולש")]), ["שלום"]);
    let drawn = [(18.0, 0.0, "םולש"), (0.0, 0.0, "abc")];
    assert_eq!(lines(&drawn), ["שלום abc"]);
}

#[test]
fn digits_of_arabic_run_to_the_right() {
    // The word for year, and the year, in the order of drawing.
    assert_eq!(
        lines(&[(0.0, 0.0, "١٩٨٤"), (25.0, 0.0, "ةنس")]),
        ["سنة ١٩٨٤"]
    );
}

#[test]
fn marks_and_spaces_run_with_a_line_that_runs_to_the_left() {
    let drawn = [
        (0.0, 0.0, "11:"),
        (15.0, 0.0, "דבוע"),
        (35.0, 0.0, "  (00) "),
        (70.0, 0.0, "ףגא"),
        (85.0, 0.0, " ,"),
        (95.0, 0.0, "רדח"),
    ];
    assert_eq!(lines(&drawn), ["חדר, אגף (00)  עובד:11"]);
    let drawn = [(0.0, 0.0, "5.0% "), (25.0, 0.0, "הלעמל")];
    assert_eq!(lines(&drawn), ["למעלה 5.0%"]);
}

/// Brackets that look like what is drawn, and those of the text itself.
#[test]
fn brackets_of_text_that_runs_to_the_left_are_those_of_the_text() {
    let expected = ["א (ב) ג", "א (ב", "בבבב (abc)", "א [12]"];
    let read = |words: [&str; 4]| {
        let mut y = 100.0;
        let drawn = words.map(|word| {
            y -= 12.0;
            (0.0, y, word)
        });
        lines(&drawn)
    };
    assert_eq!(read(["ג (ב) א", "ב) א", "(abc) בבבב", "[12] א"]), expected);
    assert_eq!(read(["ג )ב( א", "ב( א", ")abc( בבבב", "]12[ א"]), expected);
    let function = [(0.0, 12.0, "ג (ב) א"), (0.0, 0.0, "f(x) אאאא")];
    assert_eq!(lines(&function), ["א (ב) ג", "אאאא f(x)"]);
    assert_eq!(lines(&[(0.0, 0.0, "ב) א")]), ["א )ב"]);
}

#[test]
fn words_that_run_to_the_left_keep_their_order_in_other_text() {
    let drawn = [
        (0.0, 0.0, "several words before"),
        (105.0, 0.0, "םלוע םולש"),
        (155.0, 0.0, "and after"),
    ];
    assert_eq!(lines(&drawn), ["several words before שלום עולם and after"]);
}

#[test]
fn characters_wider_than_their_font_is_high_stay_together() {
    let mut layout = Layout::default();
    for (at, c) in ["w", "i", "d", "e"].into_iter().enumerate() {
        let place = Place {
            x: 31.0 * at as f64,
            y: 0.0,
            advance: (30.0, 0.0),
            direction: (1.0, 0.0),
            size: 1.0,
        };
        layout.push(c, place);
    }
    assert_eq!(layout.lines(), ["wide"]);
}

#[test]
fn raised_and_lowered_figures_stay_so_in_their_line() {
    let read = |y: f64, size: f64, gap: f64, text: &str| {
        let mut layout = Layout::default();
        put(&mut layout, (0.0, 0.0), (1.0, 0.0), "word");
        put_of(&mut layout, (20.0 + gap, y), size, text);
        let end = 20.0 + gap + size / 2.0 * text.len() as f64;
        put(&mut layout, (end, 0.0), (1.0, 0.0), "5");
        layout.lines().concat()
    };
    assert_eq!(read(4.0, 6.0, 0.0, "12"), "word¹²5");
    assert_eq!(read(-2.0, 6.0, 0.0, "2"), "word₂5");
    assert_eq!(read(0.0, 6.0, 0.0, "2"), "word25");
    assert_eq!(read(4.0, 10.0, 0.0, "2"), "word25");
    assert_eq!(read(4.0, 6.0, 0.0, "th"), "wordth5");
    assert_eq!(read(4.0, 6.0, 3.0, "2"), "word 25");
}

#[test]
fn places_that_are_none_are_left_out() {
    let mut layout = Layout::default();
    for (x, size) in [
        (f64::NAN, 10.0),
        (f64::INFINITY, 10.0),
        (0.0, 0.0),
        (0.0, f64::NAN),
    ] {
        let place = Place {
            x,
            y: 0.0,
            advance: (5.0, 0.0),
            direction: (1.0, 0.0),
            size,
        };
        layout.push("a", place);
    }
    let place = Place {
        x: 0.0,
        y: 0.0,
        advance: (5.0, 0.0),
        direction: (0.0, 0.0),
        size: 10.0,
    };
    layout.push("a", place);
    assert!(layout.lines().is_empty());
}
