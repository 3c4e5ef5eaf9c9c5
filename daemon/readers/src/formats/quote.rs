//! Text that a message quotes from another, kept apart from what its author wrote.
//!
//! A thread repeats itself in every answer: left in the text, the quotes would make all its messages alike and outweigh
//! what each of them says. So they are passed on as one member, where they can still be found, without the quote marks
//! that other copies of the quoted text lack.
//!
//! Quoted are: lines marked with `>`, with the line above that says who wrote them; and everything after a line such as
//! `-----Original Message-----`, a block of the other message's header fields, or `On … wrote:` if nothing is marked.

use simdex_extract::{Fact, Reason, Role};

use super::html;
use crate::sink::Sink;

mod marks;

/// Name of the member.
const MEMBER: &str = "quoted.txt";
/// Maximum number of lines that are checked; what follows counts as the author's own.
const MAX_LINES: usize = 1 << 20;
/// A message with fewer own words than this is a mere forward: the quotes are its text.
const MIN_OWN_WORDS: usize = 3;
/// Maximum number of lines of an attribution.
const MAX_ATTRIBUTION_LINES: usize = 3;

/// Writes the author's own text of a message and passes on what it quotes.
pub(super) fn write_body(text: &str, sink: &mut Sink) -> Option<Reason> {
    let (lines, rest) = first_lines(text);
    let quoted = quoted(&lines);
    let own = || lines.iter().zip(&quoted).filter(|(_, quoted)| !**quoted);
    let count = quoted.iter().filter(|quoted| **quoted).count();
    let has_own_words = own()
        .flat_map(|(line, _)| words(line))
        .nth(MIN_OWN_WORDS - 1)
        .is_some()
        || !rest.is_empty();
    if count == 0 || !has_own_words {
        sink.push(text);
        return None;
    }
    for (line, _) in own() {
        sink.push(line);
        sink.push("\n");
    }
    sink.push(rest);
    sink.count(Fact::QuotedLines, count as u64);
    let mut member = String::new();
    for (line, _) in lines.iter().zip(&quoted).filter(|(_, quoted)| **quoted) {
        member.push_str(marks::unmarked(line));
        member.push('\n');
    }
    sink.member(MEMBER, Role::Quoted, None, &mut member.as_bytes())
}

/// Writes the body of a message in HTML, as [`write_body`] does.
pub(super) fn write_html_body(html: &str, sink: &mut Sink) -> Option<Reason> {
    let page = html::read_message(html);
    page.count(sink);
    write_body(&page.text, sink)
}

/// The lines that are checked, without their ends, and what follows them.
fn first_lines(text: &str) -> (Vec<&str>, &str) {
    let end = text
        .match_indices('\n')
        .nth(MAX_LINES)
        .map(|(at, _)| at + 1);
    let (first, rest) = text.split_at(end.unwrap_or(text.len()));
    (first.lines().collect(), rest)
}

fn words(line: &str) -> impl Iterator<Item = &str> {
    line.split_whitespace()
        .filter(|word| word.contains(char::is_alphanumeric))
}

/// Which lines are quoted.
fn quoted(lines: &[&str]) -> Vec<bool> {
    let tail = (0..lines.len())
        .find(|&at| begins_tail(lines, at))
        .unwrap_or(lines.len());
    let is_quoted = |at: usize| marks::is_marked(lines[at]) && !is_escape(lines, at);
    let mut quoted: Vec<bool> = (0..lines.len())
        .map(|at| at >= tail || is_quoted(at))
        .collect();
    let starts: Vec<usize> = (1..lines.len())
        .filter(|&at| quoted[at] && !quoted[at - 1])
        .collect();
    for at in starts {
        mark_lead(lines, at, &mut quoted);
    }
    quoted
}

/// Mailboxes escape a line that begins with `From ` in this way: alone it is no quote.
fn is_escape(lines: &[&str], at: usize) -> bool {
    let marked = |at: usize| lines.get(at).is_some_and(|line| marks::is_marked(line));
    lines[at].starts_with(">From ") && !marked(at + 1) && !(at > 0 && marked(at - 1))
}

/// Whether everything from here on is another message.
fn begins_tail(lines: &[&str], at: usize) -> bool {
    let line = lines[at];
    if line.len() > marks::MAX_BYTES || line.trim().is_empty() || marks::is_marked(line) {
        return false;
    }
    marks::is_separator(line)
        || marks::is_header_block(&lines[at..])
        || is_bare_attribution(lines, at)
}

/// `On … wrote:` after an empty line, with nothing marked with `>` after it.
fn is_bare_attribution(lines: &[&str], at: usize) -> bool {
    if at > 0 && !lines[at - 1].trim().is_empty() || !marks::opens_attribution(lines[at]) {
        return false;
    }
    let length = (1..=MAX_ATTRIBUTION_LINES.min(lines.len() - at))
        .find(|&length| marks::is_full_attribution(&lines[at..at + length].join(" ")));
    let Some(length) = length else { return false };
    let mut after = lines[at + length..]
        .iter()
        .filter(|line| !line.trim().is_empty());
    after.next().is_some_and(|line| !marks::is_marked(line))
}

/// Marks the lead of the quote that begins at `start`: who wrote it, or a ruled line.
fn mark_lead(lines: &[&str], start: usize, quoted: &mut [bool]) {
    let Some(last) = (0..start)
        .rev()
        .take(3)
        .find(|&at| !lines[at].trim().is_empty())
    else {
        return;
    };
    let joined = |length: usize| lines[last + 1 - length..=last].join(" ");
    let max_lines = MAX_ATTRIBUTION_LINES.min(last + 1);
    let full = (1..=max_lines).find(|&length| {
        marks::opens_attribution(lines[last + 1 - length])
            && marks::is_full_attribution(&joined(length))
    });
    let length = match full {
        Some(length) => length,
        None if marks::is_rule(lines[last]) || marks::is_attribution(lines[last]) => 1,
        None => return,
    };
    quoted[last + 1 - length..start].fill(true);
}

#[cfg(test)]
mod tests;
