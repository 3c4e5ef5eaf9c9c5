//! From bytes to answer, whatever the bytes.

use proptest::prelude::*;

use super::samples::{docx, pdf};
use super::*;
use crate::input::input_of;

const LIMIT: usize = 1 << 20;

fn outcome(bytes: &[u8]) -> Outcome {
    sniff_and_read(&input_of(bytes), None, Sink::of(LIMIT)).outcome
}

fn mail() -> Vec<u8> {
    b"From: a@b.c\r\nSubject: s\r\nMIME-Version: 1.0\r\nContent-Type: multipart/mixed; boundary=x\r\n\r\n\
      --x\r\n\r\nbody\r\n--x\r\nContent-Type: message/rfc822\r\n\r\nSubject: t\r\n\r\nin\r\n--x--\r\n"
        .to_vec()
}

#[test]
fn every_kind_that_is_read_gives_its_text() {
    let samples: [(&[u8], &str, &str); 6] = [
        (&pdf(&["some words"]), "application/pdf", pdf::PARSER),
        (
            &docx("<w:t>some words</w:t>", &[]),
            "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
            ooxml::PARSER,
        ),
        (b"<html><p>some words", "text/html", html::PARSER),
        (
            b"<?xml version='1.0'?><a>some words</a>",
            "application/xml",
            xml::PARSER,
        ),
        (
            b"From: a@b.c\nTo: d@e.f\n\nsome words",
            "message/rfc822",
            eml::PARSER,
        ),
        (b"some words", "text/plain", plain::PARSER),
    ];
    for (bytes, media, parser) in samples {
        let answer = sniff_and_read(&input_of(bytes), None, Sink::of(LIMIT));
        assert_eq!((&*answer.media_type, &*answer.parser), (media, parser));
        let Outcome::Text {
            text,
            partial: None,
        } = answer.outcome
        else {
            panic!("{media}: {:?}", answer.outcome)
        };
        assert!(text.contains("some words"), "{media}");
    }
}

#[test]
fn printed_pages_are_joined_whatever_they_look_like() {
    let pages = "From: a@b.org\nfirst\n\u{c}From: a@b.org\nsecond\n\u{c}From: a@b.org\nthird\n";
    let joined = join_pages(&input_of(pages.as_bytes()), Sink::of(LIMIT));
    let text = ExtractedText::new("first\nsecond\nthird\nFrom: a@b.org\n".into());
    let whole = Outcome::Text {
        text,
        partial: None,
    };
    assert_eq!(joined.outcome, whole, "a line runs through them");
    assert_eq!(joined.facts.number(simdex_extract::Fact::RunningLines), 3);
    let blank = join_pages(&input_of(b"\x0c\x0c"), Sink::of(LIMIT));
    assert_eq!(blank.outcome, Outcome::NoText(Reason::NoWords));
}

#[test]
fn the_engines_of_old_records_name_their_readers() {
    let (pdf, locked) = (pdf(&["x"]), b"\x89PNG\r\n\x1a\n....");
    for bytes in [
        &*pdf,
        locked,
        b"<html><p>x",
        b"BEGIN:VCARD\nFN:x\nEND:VCARD",
    ] {
        let answer = sniff_and_read(&input_of(bytes), None, Sink::of(LIMIT));
        assert!(answer.reader.is_some());
        assert_eq!(Reader::of_parser(&answer.parser), answer.reader);
    }
}

#[test]
fn blank_text_is_no_text() {
    assert_eq!(outcome(b" \r\n\t"), Outcome::NoText(Reason::NoWords));
    assert_eq!(
        outcome(b"<html><script>x()</script>"),
        Outcome::NoText(Reason::NoWords)
    );
}

#[test]
fn text_beyond_the_limit_is_partial_and_text_at_the_limit_is_not() {
    let read = |limit| sniff_and_read(&input_of("ääää".as_bytes()), None, Sink::of(limit)).outcome;
    let text = |text: &str, partial| Outcome::Text {
        text: ExtractedText::new(text.into()),
        partial,
    };
    assert_eq!(read(8), text("ääää", None));
    assert_eq!(read(7), text("äää", Some(Reason::OutputLimit)));
}

#[test]
fn nul_characters_are_dropped() {
    let bytes = ["word ".repeat(100).as_bytes(), b"\0", b"end"].concat();
    let Outcome::Text { text, .. } = outcome(&bytes) else {
        panic!()
    };
    assert!(text.ends_with("word end") && !text.contains('\0'));
}

#[test]
fn kinds_that_are_not_read_say_so() {
    assert_eq!(
        outcome(b"\x89PNG\r\n\x1a\n...."),
        Outcome::Unsupported(Reason::KindNotRead)
    );
    assert_eq!(
        outcome(&[0, 1, 2, 3, 4]),
        Outcome::Unsupported(Reason::Binary)
    );
    assert_eq!(
        outcome(b"PK\x03\x04...."),
        Outcome::Failed(Reason::Malformed)
    );
}

#[test]
fn a_panic_is_a_failure() {
    let result: Result<(), Outcome> = catch_panic(|| panic!("parser"));
    assert_eq!(result, Err(Outcome::Failed(Reason::ParserPanic)));
}

#[test]
fn files_cut_anywhere_are_answered() {
    for whole in [pdf(&["one", "two"]), docx("<w:t>x</w:t>", &[]), mail()] {
        for part in 0..64 {
            outcome(&whole[..whole.len() * part / 64]);
        }
    }
}

proptest! {
    #[test]
    fn damaged_files_never_escape_the_guard(
        sample in 0..3_usize,
        edits in proptest::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..20),
    ) {
        let mut bytes = match sample {
            0 => pdf(&["one", "two"]),
            1 => docx("<w:p><w:t>x &amp; y</w:t></w:p>", &[]),
            _ => mail(),
        };
        for (index, byte) in edits {
            let at = index.index(bytes.len());
            bytes[at] = byte;
        }
        outcome(&bytes);
    }
}
