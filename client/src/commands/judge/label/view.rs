//! What a rater sees of a pair: numbers and both texts side by side, or the words that differ.

use std::io::{self, Write};

use simdex_client::lines::{Comparison, LabelledPair};
use simdex_client::text::{counted, escaped};
use simdex_client::wire::CompareReply;

use crate::output::{
    ComparisonText, Printer, SideBySide, by_words, eprint_line, is_shown_better_by_words,
    screen_width,
};

/// How much of a pair is shown, and in which form.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum View {
    /// Numbers, and the first lines side by side.
    Beginning { lines: usize },
    /// All that differs, side by side.
    Whole,
    /// The words that differ.
    Words,
}

/// Shows a pair. With `--json` that is the line of its comparison, whatever the view.
pub(super) fn show<W: Write>(
    printer: &mut Printer<W>,
    pair: &LabelledPair,
    reply: &CompareReply,
    view: View,
) -> io::Result<()> {
    let paths = pair.sides().map(|sides| sides.map(|side| side.path));
    let [a, b] = paths.unwrap_or_default();
    if printer.is_json() {
        printer.line(&Comparison::new(Some(&a), Some(&b), reply.clone()))?;
        return printer.finish();
    }
    let names = [&a[..], &b];
    match view {
        View::Beginning { lines } => {
            writeln!(printer)?;
            numbers(printer, reply, names)?;
            differences(printer, reply, names, lines)?;
        }
        View::Whole => differences(printer, reply, names, usize::MAX)?,
        View::Words => words(printer, reply, names, usize::MAX)?,
    }
    printer.finish()
}

/// The numbers of a comparison alone.
fn numbers<W: Write>(
    printer: &mut Printer<W>,
    reply: &CompareReply,
    [a, b]: [&[u8]; 2],
) -> io::Result<()> {
    printer.comparison(&ComparisonText {
        a,
        b,
        reply,
        difference: "",
    })
}

/// Both texts side by side; the words that differ if that cannot be shown.
fn differences<W: Write>(
    printer: &mut Printer<W>,
    reply: &CompareReply,
    names: [&[u8]; 2],
    lines: usize,
) -> io::Result<()> {
    if !reply.difference_left_out.is_empty() {
        let why = &reply.difference_left_out;
        printer.finish()?;
        eprint_line(format!("the texts are not shown side by side: {why}"));
        return words(printer, reply, names, lines);
    }
    writeln!(printer)?;
    let side_by_side = SideBySide::new(&reply.diff, screen_width());
    let hidden = side_by_side.write(printer, names, lines)?;
    tell_hidden(printer, hidden)?;
    if is_shown_better_by_words(reply) {
        writeln!(
            printer,
            "Lines are broken differently, or text moved; w shows the words that differ"
        )?;
    }
    Ok(())
}

/// The words that differ, or why they are not shown.
fn words<W: Write>(
    printer: &mut Printer<W>,
    reply: &CompareReply,
    names: [&[u8]; 2],
    lines: usize,
) -> io::Result<()> {
    match by_words(reply) {
        Ok(mut text) => {
            rename_sides(&mut text, names);
            let hidden = cut(&mut text, lines);
            printer.difference(&text)?;
            tell_hidden(printer, hidden)
        }
        Err(why) => {
            printer.finish()?;
            eprint_line(format!("the words that differ are not shown: {why}"));
            Ok(())
        }
    }
}

fn tell_hidden(out: &mut impl Write, hidden: u64) -> io::Result<()> {
    match hidden {
        0 => Ok(()),
        hidden => writeln!(out, "… {} more; d shows all", counted(hidden, "line")),
    }
}

/// Puts the names of the files into the head of a difference.
fn rename_sides(diff: &mut String, [a, b]: [&[u8]; 2]) {
    let lines: Vec<&str> = diff.splitn(3, '\n').collect();
    if let [first, second, hunks] = lines[..]
        && first.starts_with("--- ")
        && second.starts_with("+++ ")
    {
        *diff = format!("--- {}\n+++ {}\n{hunks}", escaped(a), escaped(b));
    }
}

/// Cuts a text to the given number of lines; returns how many were cut off.
fn cut(text: &mut String, lines: usize) -> u64 {
    let ends = text.match_indices('\n').map(|(at, _)| at + 1);
    let Some(end) = ends.take(lines).last().filter(|_| lines < usize::MAX) else {
        return 0;
    };
    let hidden = text[end..].lines().count() as u64;
    if text.lines().count() > lines {
        text.truncate(end);
        return hidden;
    }
    0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_difference_is_cut_after_whole_lines() {
        let cut_to = |lines: usize| {
            let mut text = "a\nb\nc\n".to_owned();
            let hidden = cut(&mut text, lines);
            (text, hidden)
        };
        assert_eq!(cut_to(2), ("a\nb\n".to_owned(), 1));
        assert_eq!(cut_to(3), ("a\nb\nc\n".to_owned(), 0));
        assert_eq!(cut_to(usize::MAX), ("a\nb\nc\n".to_owned(), 0));
        assert_eq!(cut(&mut String::new(), 2), 0);
    }

    #[test]
    fn a_difference_names_files_and_not_their_hashes() {
        let named = |diff: &str| {
            let mut diff = diff.to_owned();
            rename_sides(&mut diff, [b"/s/a", b"/s/b\xff"]);
            diff
        };
        assert_eq!(
            named("--- ab\n+++ cd\n@@ -1 +1 @@\n-x\n+y\n"),
            "--- /s/a\n+++ /s/b\\xff\n@@ -1 +1 @@\n-x\n+y\n"
        );
        assert_eq!(named(""), "");
    }
}
