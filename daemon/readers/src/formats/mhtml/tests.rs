//! Archives of several browsers.

use simdex_extract::Budgets;

use super::*;
use crate::input::input_of;
use crate::sink::collected::Collected;

fn archive(parts: &[&str]) -> (String, Sink, Vec<Collected>) {
    let parts: String = parts.iter().map(|part| format!("--x\n{part}\n")).collect();
    let archive = format!(
        "From: <Saved by Hand>\nSubject: =?utf-8?q?S=C3=BCbject?=\nDate: Sat, 21 Nov 2026 09:00:00 +0100\nMIME-Version: 1.0\n\
         Content-Type: multipart/related; type=\"text/html\"; boundary=x\n\n{parts}--x--\n"
    );
    let (mut sink, members) = Sink::collecting(1 << 20, Budgets::default());
    assert_eq!(
        read(
            &input_of(archive.replace('\n', "\r\n").as_bytes()),
            &mut sink
        ),
        Ok(None)
    );
    (sink.take_text(), sink, members.take())
}

const MAIN: &str = "Content-Type: text/html\nContent-Location: https://x.example/a/main.html\n\n\
                    <title>Main</title><p>one</p><iframe src='inner.html'></iframe><p>two</p>\
                    <iframe src=\"cid:f1@x\"></iframe><frame src=/c.html><iframe src='inner.html'></iframe><script>no()</script>";

#[test]
fn frames_are_filled_in_where_they_stand() {
    let (text, sink, members) = archive(&[
        MAIN,
        "Content-Type: text/html\nContent-Location: https://x.example/a/inner.html\n\n<title>Inner</title><p>inside",
        "Content-Type: text/html; charset=iso-8859-1\nContent-ID: <f1@x>\nContent-Transfer-Encoding: quoted-printable\n\n<p>fr=E4me",
        "Content-Type: text/html\nContent-Location: https://x.example/c.html\n\n<p>third",
        "Content-Type: image/png\nContent-Location: https://x.example/a/i.png\n\nPNG",
        "Content-Type: text/plain\nContent-Disposition: attachment; filename=a.txt\n\nfile",
    ]);
    assert_eq!(text, "one\ninside\ntwo\nfräme\nthird\n");
    let facts = sink.facts();
    assert_eq!(
        (facts.get(Fact::Title), facts.get(Fact::Created)),
        (Some("Main"), Some("2026-11-21T09:00:00+01:00"))
    );
    assert_eq!(
        (facts.number(Fact::Scripts), facts.number(Fact::External)),
        (1, 0)
    );
    assert_eq!(members.len(), 1);
    assert_eq!(
        (members[0].name.as_str(), members[0].bytes.as_slice()),
        ("a.txt", b"file".as_slice())
    );
}

#[test]
fn pages_that_no_frame_asks_for_follow() {
    let (text, sink, _) = archive(&[
        "Content-Type: text/html\n\n<p>page",
        "Content-Type: text/html\n\n<p>another",
    ]);
    assert_eq!(text, "page\nanother");
    assert_eq!(sink.facts().get(Fact::Title), Some("Sübject"));
}

#[test]
fn pages_of_a_folder_are_filled_in_by_their_names() {
    let (text, sink, _) = archive(&[
        "Content-Type: text/html\nContent-Location: a/index.html\n\n<p>page<frame src='../m/my menu.html?x'>\
         <frame src=gone.html><frame src=index.html><noframes>No frames?</noframes>",
        "Content-Type: text/html\nContent-Location: m/my%20menu.html\n\n<p>menu<iframe src='../a/top.html'>",
        "Content-Type: text/html\nContent-Location: a/top.html\n\n<p>top<iframe src='../m/my%20menu.html'>",
    ]);
    assert_eq!(text, "page\nmenu\ntop\n");
    let facts = sink.facts();
    let (filled, missing) = (
        facts.get(Fact::FramesFilled),
        facts.get(Fact::FramesMissing),
    );
    assert_eq!(filled, Some("m/my%20menu.html?x a/top.html"));
    assert_eq!(missing, Some("a/gone.html"));
}

#[test]
fn a_frame_that_names_its_own_folder_leaves_the_lists_sound() {
    let (_, sink, _) = archive(&[
        "Content-Type: text/html\nContent-Location: index.html\n\n<frameset><frame src=ok.html>\
         <frame src=zz.html><frame src=.></frameset>",
        "Content-Type: text/html\nContent-Location: ok.html\n\n<p>ok",
    ]);
    let facts = sink.facts();
    assert_eq!(facts.get(Fact::FramesMissing), Some("zz.html ./"));
    assert!(facts.is_sound());
}
