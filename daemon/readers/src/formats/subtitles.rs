//! Subtitles: SubRip (`.srt`) and WebVTT (W3C). The text is what is spoken; numbers, times, settings and marks are left
//! out, so that the same film with other times gives the same text.

use super::{Reading, plain};
use crate::input::Input;
use crate::kind::{is_subtitle_time as is_time, is_subtitle_timing};
use crate::sink::Sink;

pub(super) const PARSER: &str = "subtitles 1";

/// Blocks of WebVTT without a cue.
const SILENT: &[&str] = &["WEBVTT", "NOTE", "STYLE", "REGION"];

pub(super) fn read(input: &Input, sink: &mut Sink) -> Reading {
    let text = plain::text_of(input, sink)?;
    let text = text
        .trim_start_matches('\u{feff}')
        .replace("\r\n", "\n")
        .replace('\r', "\n");
    for block in text.split("\n\n") {
        write_block(block.trim_matches('\n'), sink);
    }
    Ok(None)
}

/// A cue is an optional number or name, a line of times, and lines of text.
fn write_block(block: &str, sink: &mut Sink) {
    let first = block.split([' ', '\t', '\n']).next().unwrap_or_default();
    let timing = block.lines().position(is_subtitle_timing);
    if SILENT.contains(&first) && timing.is_none_or(|at| at > 1) {
        return;
    }
    let said = block.lines().skip(timing.map_or(0, |at| at + 1));
    for line in said {
        sink.push(&unmarked(line));
        sink.newline();
    }
}

/// Longest mark, in bytes.
const MAX_MARK: usize = 200;

/// Tags of SubRip and WebVTT (§3.4), by name; any other text between `<` and `>` is spoken.
const TAGS: &[&str] = &["b", "br", "c", "i", "ruby", "rt", "s", "u"];

/// Tags that have attributes, or a name after a space.
const TAGS_WITH_MORE: &[&str] = &["font", "lang", "v"];

/// A line without `<i>`, `<v Jo>`, `<00:00:01.000>` and `{\an8}`.
fn unmarked(line: &str) -> String {
    let mut text = String::with_capacity(line.len());
    let mut rest = line;
    while let Some(at) = rest.find(['<', '{']) {
        let close = if rest[at..].starts_with('<') {
            '>'
        } else {
            '}'
        };
        let window = &rest[at + 1..rest.floor_char_boundary(at + 1 + MAX_MARK)];
        let inside = window.split(close).next().unwrap_or_default();
        let is_mark = inside.len() < window.len()
            && if close == '>' {
                is_tag(inside)
            } else {
                inside.starts_with('\\')
            };
        let end = if is_mark {
            at + inside.len() + 2
        } else {
            at + 1
        };
        text.push_str(&rest[..if is_mark { at } else { end }]);
        rest = &rest[end..];
    }
    text.push_str(rest);
    ["&amp;", "&lt;", "&gt;", "&nbsp;"]
        .iter()
        .zip(["&", "<", ">", " "])
        .fold(text, |text, (name, character)| {
            if text.contains(name) {
                text.replace(name, character)
            } else {
                text
            }
        })
}

/// Whether this stands between the brackets of a tag, or of the time at which the next word is shown.
fn is_tag(inside: &str) -> bool {
    let (tag, more) = inside.split_once([' ', '\t']).unwrap_or((inside, ""));
    let tag = tag.trim_end_matches('/');
    // Classes follow the name: `c.yellow`.
    let name = tag.strip_prefix('/').unwrap_or(tag).split('.').next();
    let is_among = |tags: &[&str]| {
        tags.iter()
            .any(|tag| name.is_some_and(|name| name.eq_ignore_ascii_case(tag)))
    };
    let is_bare = matches!(more.trim(), "" | "/");
    is_among(TAGS_WITH_MORE) || is_bare && (is_among(TAGS) || is_time(tag))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::input::input_of;

    fn text(subtitles: &str) -> String {
        let mut sink = Sink::of(1 << 20);
        read(&input_of(subtitles.as_bytes()), &mut sink).unwrap();
        sink.take_text()
    }

    #[test]
    fn only_what_is_said_is_read() {
        let srt = "1\r\n00:00:01,000 --> 00:00:04,000\r\n<i>Hello</i>,\r\n{\\an8}you 3 < 4 {two}.\r\n\r\n2\r\n00:00:05,000 --> 00:00:06,000\r\n42\r\n";
        assert_eq!(text(srt), "Hello,\nyou 3 < 4 {two}.\n42\n");
        let vtt = "\u{feff}WEBVTT - title\nKind: captions\n\nNOTE\nnot said\n\nSTYLE\n::cue {}\n\nintro\n\
                   00:01.000 --> 00:04.000 line:0 align:start\n<v Jo>Say <c.x>this</c> &amp; that\n\nlost line\n";
        assert_eq!(text(vtt), "Say this & that\nlost line\n");
    }

    #[test]
    fn what_is_no_tag_is_spoken() {
        for said in [
            "drill <5 mm> holes",
            "if a <b and c> d",
            "see <http://a.example/> and <Jo>",
            "1 < 2 > 0 <> <3",
        ] {
            assert_eq!(unmarked(said), said);
        }
        let marked = "<B>one</B> <font color=\"red\">two</font><br /><v.loud Jo>three</v>\
                      <c.yellow.bg>four</c><lang en>five</lang><00:00:01.000>six<ruby>7<rt>8</rt></ruby>";
        assert_eq!(unmarked(marked), "one twothreefourfivesix78");
    }

    #[test]
    fn marks_without_end_cost_no_more_than_the_line() {
        let line = "<".repeat(100_000);
        assert_eq!(unmarked(&line).len(), line.len());
    }
}
