//! Small pairs as they are shown, and that no line of any pair is lost, doubled or displaced.

use proptest::prelude::*;
use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

use super::parts::{Part, Parts};
use super::{SideBySide, pieces};

/// What is shown of a difference, without names.
fn rows(hunks: &str, width: usize) -> String {
    let diff = format!("--- a\n+++ b\n{hunks}");
    let rows = SideBySide::new(&diff, width).rows();
    rows.map(|row| row + "\n").collect()
}

#[test]
fn lines_are_beside_each_other_with_a_mark_where_they_differ() {
    let hunks = "\
@@ -5,7 +5,8 @@
 one
 two
 three
-four old
+four new
+five
 six
 seven
 eight
@@ -20,4 +21,3 @@
 nine
 ten
-gone
 end
";
    let expected = "\
… 4 equal lines
one          one
two          two
three        three
four old   | four new
           > five
six          six
seven        seven
eight        eight
… 8 equal lines
nine         nine
ten          ten
gone       <
end          end
… no further difference
";
    assert_eq!(rows(hunks, 23), expected);
    assert_eq!(rows(hunks, 1), expected, "no column has less than 10 cells");
}

#[test]
fn long_lines_are_continued_below_after_a_word() {
    let hunks = "\
@@ -1 +1 @@
-The supplier delivers within 30 days.
+The supplier delivers within 31 days of the order.
";
    let narrow = "\
The supplier         | The supplier
delivers within 30   | delivers within 31
days.                | days of the order.
";
    assert_eq!(rows(hunks, 43), narrow);
    assert_eq!(rows(hunks, 44), narrow, "both columns are equally wide");
    let wide = "\
The supplier delivers within 30 days.              | The supplier delivers within 31 days of the order.
";
    assert_eq!(rows(hunks, 103), wide);
    let widest = rows(hunks, 1_000_000);
    assert_eq!(widest.lines().count(), 1);
    assert!(widest.len() < 300, "{widest}");
}

#[test]
fn equal_lines_are_left_out_where_they_take_much_of_the_screen() {
    // Four rows each.
    let long = ["The supplier delivers within 30 days to the place that is agreed."; 6];
    let [a, b, c, d, e, f] = long;
    let hunks =
        format!("@@ -3,9 +3,8 @@\n {a}\n {b}\n short\n-x\n+y\n {c}\n {d}\n {e}\n {f}\n-z\n end\n");
    let paragraph = "\
The supplier           The supplier
delivers within 30     delivers within 30
days to the place      days to the place
that is agreed.        that is agreed.
";
    let expected = [
        "… 3 equal lines\n",
        paragraph,
        "short                  short\nx                    | y\n",
        paragraph,
        "… 2 equal lines\n",
        paragraph,
        "z                    <\nend                    end\n… no further difference\n",
    ];
    assert_eq!(rows(&hunks, 43), expected.concat());
    let huge = "word ".repeat(100);
    let hunks = format!("@@ -1,3 +1,3 @@\n {huge}\n-x\n+y\n {huge}\n");
    let expected = "… 1 equal line\nx                    | y\n… no further difference\n";
    assert_eq!(rows(&hunks, 43), expected);
}

#[test]
fn a_line_is_broken_at_spaces_and_within_a_word_that_is_too_long() {
    assert_eq!(pieces("", 10), [""]);
    assert_eq!(pieces("abcdefghij klm", 10), ["abcdefghij ", "klm"]);
    assert_eq!(pieces("abcdefghij   klm", 10), ["abcdefghij   ", "klm"]);
    assert_eq!(pieces("ab cdefghijklmnop", 10), ["ab cdefghi", "jklmnop"]);
    assert_eq!(pieces("abcdef ghijk", 10), ["abcdef ", "ghijk"]);
    let marks = "\u{301}".repeat(1_000);
    let all = pieces(&marks, 10);
    assert!(all.len() > 1 && all.concat() == marks, "{}", all.len());
}

#[test]
fn wide_characters_take_two_cells() {
    let hunks = "\
@@ -1,2 +1,2 @@
-合同第一条甲方
-a合同第一条
+合同第二条甲方
+b
";
    let expected = "\
合同第一条 | 合同第二条
甲方       | 甲方
a合同第一  | b
条         |
";
    assert_eq!(rows(hunks, 23), expected);
}

#[test]
fn of_an_empty_text_a_column_stays_empty() {
    assert_eq!(
        rows("@@ -0,0 +1,2 @@\n+one\n+\n", 23),
        "           > one\n           >\n"
    );
    assert_eq!(rows("@@ -1 +0,0 @@\n-one\n", 23), "one        <\n");
    assert_eq!(rows("", 23), "");
}

#[test]
fn what_cannot_be_printed_is_escaped_and_tabs_are_spaces() {
    let hunks = "@@ -1 +1 @@\n-one\u{1b}[31m\u{202e}\n+a\tb\n";
    let expected = "one\\u{1b}[31m\\u{202e}   | a       b\n";
    assert_eq!(rows(hunks, 49), expected);
}

#[test]
fn how_lines_end_is_shown_only_where_that_differs() {
    let of = |hunks: &str| rows(&format!("@@ -1 +1 @@\n{hunks}"), 23);
    assert_eq!(of("-a\r\n+b\r\n"), "a          | b\n");
    assert_eq!(of("-a\r\n+a\n"), "a\\r        | a\n");
    assert_eq!(of("-a\r\n"), "a          <\n");
    let unended = "-a\n\\ No newline at end of file\n+a\n+b\n\\ No newline at end of file\n";
    assert_eq!(of(unended), "a            a\n           > b\n");
    assert_eq!(
        of("-x\n+y\n a\n\\ No newline at end of file\n"),
        "x          | y\na            a\n… no further difference\n"
    );
}

#[test]
fn what_is_no_unified_difference_is_shown_as_it_is() {
    assert_eq!(
        rows("@@ odd @@\n-a\n?b\n", 23),
        "@@ odd @@\na          <\n?b\n"
    );
    // A removed line that looks like a name.
    assert_eq!(rows("@@ -1 +0,0 @@\n--- a\n", 23), "-- a       <\n");
}

#[test]
fn the_first_lines_are_written_below_the_names_and_the_others_counted() {
    let mut out = Vec::new();
    let diff = "--- a\n+++ b\n@@ -1,3 +1 @@\n-one\n-two\n-three\n+four\n";
    let names = [&b"/share/folder/a.txt"[..], b"/b\x1b.txt"];
    let side_by_side = SideBySide::new(diff, 23);
    let hidden = side_by_side.write(&mut out, names, 2).expect("written");
    let expected = "\
…der/a.txt   …u{1b}.txt
----------   ----------
one        | four
two        <
";
    assert_eq!(String::from_utf8_lossy(&out), expected);
    assert_eq!(hidden, 1);
    let hidden = side_by_side.write(&mut out, names, usize::MAX);
    assert_eq!(hidden.expect("written"), 0);
}

/// A line, and the sides that it is on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Side {
    Both,
    Left,
    Right,
}

/// Lines of two texts, as a difference has them: of a change those of the left come first.
fn lines() -> impl Strategy<Value = Vec<(Side, String)>> {
    let side = prop_oneof![Just(Side::Both), Just(Side::Left), Just(Side::Right)];
    let line = "[a-z]{0,12}( {1,3}[a-zé漢字]{1,30}){0,3}";
    proptest::collection::vec((side, line), 0..12).prop_map(|mut lines| {
        let changes = lines.chunk_by_mut(|(a, _), (b, _)| *a != Side::Both && *b != Side::Both);
        for change in changes {
            change.sort_by_key(|(side, _)| *side == Side::Right);
        }
        lines
    })
}

/// The lines of one side.
fn text_of(lines: &[(Side, String)], side: Side) -> Vec<&str> {
    let lines = lines.iter();
    let own = lines.filter(|(of, _)| [side, Side::Both].contains(of));
    own.map(|(_, line)| &**line).collect()
}

/// The unified difference with all lines as one hunk.
fn unified(lines: &[(Side, String)]) -> String {
    let count = |side| match text_of(lines, side).len() {
        0 => "0,0".to_owned(),
        count => format!("1,{count}"),
    };
    let (left, right) = (count(Side::Left), count(Side::Right));
    let lines = lines.iter().map(|(side, line)| {
        let sign = match side {
            Side::Both => ' ',
            Side::Left => '-',
            Side::Right => '+',
        };
        format!("{sign}{line}\n")
    });
    format!("--- a\n+++ b\n@@ -{left} +{right} @@\n") + &lines.collect::<String>()
}

/// The part of a row before this cell, and the part from it on.
fn split_at_cell(row: &str, cell: usize) -> (&str, &str) {
    let mut cells = 0;
    let at = row.char_indices().find_map(|(at, letter)| {
        let is_there = cells >= cell;
        cells += letter.width().unwrap_or(0);
        is_there.then_some(at)
    });
    row.split_at(at.unwrap_or(row.len()))
}

/// The lines of one side among parts.
fn shown_of<'t>(parts: &[Part<'t>], side: Side) -> Vec<&'t str> {
    let shown = parts.iter().filter_map(|part| match part {
        Part::Lines(left, _) if side == Side::Left => *left,
        Part::Lines(_, right) => *right,
        _ => None,
    });
    shown.collect()
}

/// The parts up to the last line that differs: of the equal ones behind it the difference has the first few alone.
fn until_last_change<'p, 't>(parts: &'p [Part<'t>]) -> &'p [Part<'t>] {
    let differs = |part: &Part<'_>| matches!(part, Part::Lines(left, right) if left != right);
    let last = parts.iter().rposition(differs);
    &parts[..last.map_or(0, |last| last + 1)]
}

/// The lines that differ among parts, and the number of the others.
fn accounted<'t>(parts: &[Part<'t>]) -> (Vec<Part<'t>>, u64) {
    let mut equal = 0;
    let changes = parts.iter().filter(|part| match part {
        Part::Lines(left, right) if left == right => {
            equal += 1;
            false
        }
        Part::LeftOut(count) => {
            equal += count;
            false
        }
        _ => true,
    });
    let changes = changes.copied().collect();
    (changes, equal)
}

proptest! {
    #[test]
    fn every_line_is_once_in_its_column_in_order_or_counted_as_left_out(
        lines in lines(),
        width in 23..120_usize,
    ) {
        let diff = unified(&lines);
        let all: Vec<Part<'_>> = Parts::of(&diff).collect();
        for side in [Side::Left, Side::Right] {
            prop_assert_eq!(shown_of(&all, side), text_of(&lines, side));
        }
        let side_by_side = SideBySide::new(&diff, width);
        let parts: Vec<Part<'_>> = side_by_side.parts().collect();
        let accounted_for = |parts| accounted(until_last_change(parts));
        prop_assert_eq!(accounted_for(&parts), accounted_for(&all));
        let (mut left, mut right) = (String::new(), String::new());
        for row in side_by_side.rows().filter(|row| !row.starts_with('…')) {
            prop_assert!(row.width() <= width, "{row}");
            let (cell, rest) = split_at_cell(&row, side_by_side.column);
            left.push_str(cell);
            right.push_str(split_at_cell(rest, 3).1);
        }
        let letters = |text: &str| text.replace(' ', "");
        for (column, side) in [(left, Side::Left), (right, Side::Right)] {
            prop_assert_eq!(letters(&column), letters(&shown_of(&parts, side).concat()));
        }
    }
}
