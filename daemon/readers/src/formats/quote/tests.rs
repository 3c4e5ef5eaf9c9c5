//! Quotes as mail programs write them.

use simdex_extract::Budgets;

use super::*;

/// Own text, quoted text, quoted lines.
fn split(text: &str) -> (String, String, u64) {
    let (mut sink, members) = Sink::collecting(1 << 20, Budgets::default());
    assert_eq!(write_body(text, &mut sink), None);
    let members = members.take();
    assert!(members.len() <= 1);
    let quoted = members.first().map(|member| {
        assert_eq!((member.name.as_str(), member.role), (MEMBER, Role::Quoted));
        String::from_utf8(member.bytes.clone()).unwrap()
    });
    let lines = sink.facts().number(Fact::QuotedLines);
    (sink.take_text(), quoted.unwrap_or_default(), lines)
}

#[test]
fn marked_lines_go_with_the_line_that_says_who_wrote_them() {
    let text = "Thanks, that works for us.\r\n\r\nOn Mon, 3 Nov 2026 at 10:00, Jo <j@x.example>\r\nwrote:\r\n\r\n\
                > Shall we meet?\r\n>> Earlier words\r\n\r\nRegards\r\n";
    let (own, quoted, lines) = split(text);
    assert_eq!(own, "Thanks, that works for us.\n\n\nRegards\n");
    assert!(quoted.starts_with("On Mon"), "{quoted}");
    assert!(
        quoted.ends_with("Shall we meet?\nEarlier words\n"),
        "{quoted}"
    );
    assert_eq!(lines, 5);
}

#[test]
fn answers_between_the_quotes_stay() {
    let text = "Jo wrote:\n> One?\nYes, one is fine.\n> Two?\nNo, not two.\n";
    let (own, quoted, _) = split(text);
    assert_eq!(own, "Yes, one is fine.\nNo, not two.\n");
    assert_eq!(quoted, "Jo wrote:\nOne?\nTwo?\n");
}

#[test]
fn the_rest_after_a_separator_is_another_message() {
    for mark in [
        "-----Original Message-----",
        "-----Ursprüngliche Nachricht-----",
        "-------- Message d'origine --------",
        "-----Mensaje original-----",
        "---------- Forwarded message ---------",
        "Begin forwarded message:",
        "________________________________\nVon: Jo Doe\nGesendet: Montag, 3. November 2026 10:00\nAn: Al\nBetreff: AW: x",
        "From: Jo Doe\nSent: Monday\nTo: Al\nSubject: x",
        "*De :* Jo\n*Envoyé :* lundi\n*À :* Al\n*Objet :* x",
        "De: Jo\nEnviado el: lunes\nPara: Al\nAsunto: x",
        "Am 03.11.2026 um 10:00 schrieb Jo Doe <j@x.example>:",
        "Le lun. 3 nov. 2026 à 10:00, Jo <j@x.example> a écrit :",
        "El lun, 3 nov 2026 a las 10:00, Jo (<j@x.example>) escribió:",
    ] {
        let (own, quoted, _) = split(&format!(
            "These are my own words.\n\n{mark}\n\nTheir words here.\n"
        ));
        assert_eq!(own.trim_end(), "These are my own words.", "{mark}");
        assert!(
            quoted.contains(mark) && quoted.ends_with("Their words here.\n"),
            "{quoted}"
        );
    }
}

#[test]
fn a_bare_forward_keeps_its_text() {
    let text = "FYI\n\n-----Original Message-----\nFrom: Jo\n\nThe words that matter.\n";
    assert_eq!(split(text), (text.to_owned(), String::new(), 0));
    assert_eq!(split("> only quoted\n> words here\n").2, 0);
}

#[test]
fn ordinary_text_is_left_alone() {
    for text in [
        "From: the beginning of a list\nTo: its end\n",
        "On Monday he wrote:\n\nNothing of note happened.\n",
        "a -> b\n  x > y\nend --- of it\n",
        "He said:\nthis and that, and no more than this.\n",
        "Dear all,\n\n>From the very start it was so.\n\nBye now, all\n",
        "An example of mail:\n\n   From: a@b.c\n   Date: today\n   To: d@e.f\n\n   set in\n",
        "if (a\n   > b)\n",
        "Total:\n-----\nnot a message at all\n",
    ] {
        assert_eq!(split(text), (text.to_owned(), String::new(), 0));
    }
}

#[test]
fn many_lines_cost_little_memory_and_all_of_them_stay() {
    let text = format!("> q\nthree own words\n{}", "\n".repeat(MAX_LINES + 10));
    let (own, _, lines) = split(&text);
    assert_eq!((own.len(), lines), ((1 << 20), 1), "cut by the sink alone");
}

#[test]
fn html_quotes_are_kept_apart_too() {
    for quote in [
        "<blockquote type=\"cite\"><p>their words</p><p>more</p></blockquote>",
        "<div class='gmail_quote'><div class=gmail_attr>On x, y wrote:</div><blockquote>their words</blockquote></div>",
        "<div id=\"divRplyFwdMsg\"><b>From:</b> Jo<br><b>Sent:</b> today</div><div>their words</div>",
        "<div style='border:none;border-top:solid #E1E1E1 1.0pt;padding:3.0pt'><p><b>Von:</b> Jo<br><b>Gesendet:</b> \
         heute<br><b>An:</b> Al<br><b>Betreff:</b> x</p></div><p>their words</p>",
    ] {
        let (mut sink, members) = Sink::collecting(1 << 20, Budgets::default());
        write_html_body(&format!("<p>These are my own words</p>{quote}"), &mut sink);
        assert_eq!(sink.text().trim(), "These are my own words", "{quote}");
        let member = String::from_utf8(members.take().remove(0).bytes).unwrap();
        assert!(
            member.contains("their words") && !member.contains('>'),
            "{member}"
        );
    }
}
