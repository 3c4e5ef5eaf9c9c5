//! Recognises messages by the fields they begin with.

/// Header fields of mail. The first nine hardly occur in any other text.
const MAIL_FIELDS: &[&str] = &[
    "received",
    "return-path",
    "message-id",
    "delivered-to",
    "mime-version",
    "content-transfer-encoding",
    "in-reply-to",
    "x-mailer",
    "from",
    "to",
    "cc",
    "bcc",
    "subject",
    "date",
    "sender",
    "reply-to",
    "content-type",
    "importance",
    "references",
    "content-disposition",
];
const STRONG_MAIL_FIELDS: usize = 9;

/// Fields that a sent message has, and a saved page does not.
const SENT_FIELDS: &[&str] = &[
    "to",
    "cc",
    "bcc",
    "received",
    "return-path",
    "message-id",
    "delivered-to",
    "in-reply-to",
];

/// Fields of the head and their values; continuation lines are left out.
fn fields(head: &str) -> impl Iterator<Item = (&str, &str)> {
    let lines = head.lines().enumerate();
    let lines = lines.filter(|(number, line)| *number == 0 || !line.starts_with([' ', '\t']));
    lines.map_while(|(_, line)| line.split_once(':').filter(|(field, _)| is_field(field)))
}

/// Whether it is a page saved by a browser: parts that belong together, sent to nobody.
pub(super) fn is_web_archive(head: &str) -> bool {
    let is = |field: &str, name: &str| field.trim_end().eq_ignore_ascii_case(name);
    let (mut is_page, mut is_saved) = (false, false);
    for (field, value) in fields(head) {
        let value = value.trim().to_ascii_lowercase();
        is_page |= is(field, "content-type") && value.starts_with("multipart/related");
        is_saved |= is(field, "from") && value.contains("saved by")
            || is(field, "snapshot-content-location");
        if SENT_FIELDS.iter().any(|name| is(field, name)) {
            return false;
        }
    }
    is_mail(head) && (is_page || is_saved)
}

/// The head without the first line of Apple's `.emlx`.
pub(super) fn without_length_line(head: &str) -> &str {
    let length = head
        .split_once('\n')
        .filter(|(line, _)| line.trim().parse::<usize>().is_ok());
    length.map_or(head, |(_, rest)| rest)
}

/// Whether it has a separator line followed by a message, or one with a date.
pub(super) fn is_mbox(head: &str) -> bool {
    let lines = head
        .strip_prefix("From ")
        .and_then(|rest| rest.split_once('\n'));
    lines.is_some_and(|(line, message)| {
        is_mail(message.trim_start_matches('>')) || is_dated_separator(&format!("From {line}"))
    })
}

/// Whether it has header lines from the first line on, with two mail fields of which one is hardly used elsewhere, or
/// with one that declares the parts that follow.
pub(super) fn is_mail(head: &str) -> bool {
    let (mut known, mut strong) = (0, false);
    for (field, value) in fields(head) {
        let field = field.trim_end();
        let found = MAIL_FIELDS
            .iter()
            .position(|known| field.eq_ignore_ascii_case(known));
        known += usize::from(found.is_some());
        strong |= found.is_some_and(|index| index < STRONG_MAIL_FIELDS);
        let is_type = field.eq_ignore_ascii_case("content-type");
        if is_type
            && value
                .trim_start()
                .to_ascii_lowercase()
                .starts_with("multipart/")
        {
            return true;
        }
    }
    strong && known >= 2
}

fn is_field(field: &str) -> bool {
    !field.is_empty() && field.trim_end().bytes().all(|b| b.is_ascii_graphic())
}

/// Whether a line separates messages, whatever follows it.
pub(crate) fn is_dated_separator(line: &str) -> bool {
    let Some(rest) = line.strip_prefix("From ") else {
        return false;
    };
    let mut words = rest.split_whitespace();
    let has_year = |word: &str| word.len() == 4 && word.bytes().all(|byte| byte.is_ascii_digit());
    let has_time =
        |word: &str| word.contains(':') && word.starts_with(|c: char| c.is_ascii_digit());
    words.clone().any(has_time) && words.any(has_year)
}
