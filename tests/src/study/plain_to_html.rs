//! Plain texts as pages of HTML: page furniture taken off, lines joined to paragraphs. It is the
//! one source from which all kinds of a text are made.

/// A page of HTML of a plain text, perhaps paged as RFCs are.
pub(super) fn html_of_plain(text: &str) -> String {
    let lines = unpaged(text);
    let blocks = lines.split(|line| line.trim().is_empty());
    let blocks = blocks.filter(|block| !block.is_empty()).map(block);
    page(&blocks.collect::<String>())
}

/// A whole page around its body.
pub(super) fn page(body: &str) -> String {
    format!(
        "<!DOCTYPE html>\n<html><head><meta charset=\"utf-8\"><title></title></head><body>\n{body}\
         </body></html>\n"
    )
}

/// The lines without footers, form feeds and the headers after them.
fn unpaged(text: &str) -> Vec<&str> {
    let mut lines: Vec<&str> = Vec::new();
    for (at, page) in text.split('\x0c').enumerate() {
        let mut own: Vec<&str> = page.lines().collect();
        let first = own.iter().position(|line| !line.trim().is_empty());
        if let Some(first) = first.filter(|first| at > 0 && own[*first].starts_with("RFC ")) {
            own.drain(..=first);
        }
        own.retain(|line| !is_footer(line));
        lines.extend(own);
    }
    lines
}

/// As in `Author    Standards Track    [Page 12]`.
fn is_footer(line: &str) -> bool {
    let line = line.trim_end();
    line.ends_with(']') && line.contains("[Page ")
}

/// Prose is a paragraph; what is laid out with spaces keeps its lines.
fn block(lines: &[&str]) -> String {
    if lines.iter().any(|line| line.trim().contains("   ")) {
        return format!("<pre>{}</pre>\n", escaped(&lines.join("\n")));
    }
    let joined: Vec<&str> = lines.iter().map(|line| line.trim()).collect();
    format!("<p>{}</p>\n", escaped(&joined.join(" ")))
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
}

/// A message with this text as its body, lines as they are, in base64 as RFC 2045 has it.
pub(super) fn message(text: &str) -> String {
    use base64::Engine;
    let body = base64::engine::general_purpose::STANDARD.encode(text.replace('\n', "\r\n"));
    let lines: Vec<&str> = body
        .as_bytes()
        .chunks(76)
        .filter_map(|line| std::str::from_utf8(line).ok())
        .collect();
    format!(
        "From: one@example.org\r\nTo: two@example.org\r\nSubject: A text\r\n\
         Date: Mon, 02 Mar 2026 10:00:00 +0000\r\nMIME-Version: 1.0\r\n\
         Content-Type: text/plain; charset=utf-8\r\nContent-Transfer-Encoding: base64\r\n\r\n{}\r\n",
        lines.join("\r\n")
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn furniture_goes_and_paragraphs_are_joined() {
        let paged = "One line\nof <prose>.\n\nA   table\n\nName   Track   [Page 1]\n\x0c\n\
                     RFC 1   Title   May\n\nNext page.\n";
        let html = html_of_plain(paged);
        let body = "<body>\n<p>One line of &lt;prose&gt;.</p>\n<pre>A   table</pre>\n\
                    <p>Next page.</p>\n</body>";
        assert!(html.contains(body), "{html}");
    }

    #[test]
    fn a_message_is_what_a_mail_program_sends() {
        let mail = message("Grüße\n");
        assert!(mail.ends_with("base64\r\n\r\nR3LDvMOfZQ0K\r\n"), "{mail}");
    }
}
