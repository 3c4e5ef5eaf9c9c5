//! How mail programs mark quotes, in several languages.

/// Longer lines mark nothing.
pub(super) const MAX_BYTES: usize = 600;
/// Lines in which the fields of the other message must occur.
const HEADER_LINES: usize = 8;

/// Words that open an attribution: On …, Am …, Le …
const OPENINGS: &[&str] = &[
    "on ", "am ", "le ", "el ", "il ", "op ", "den ", "em ", "w dniu ", "dnia ", "dne ", "at ",
    "in ", "в ", "pe ", "quoting ",
];

/// Verbs of attributions.
const VERBS: &[&str] = &[
    "wrote",
    "writes",
    "said",
    "schrieb",
    "écrit",
    "ecrit",
    "escribió",
    "escribio",
    "scritto",
    "schreef",
    "geschreven",
    "skrev",
    "escreveu",
    "napisał",
    "napisal",
    "napsal",
    "kirjoitti",
    "yazdı",
    "написал",
    "пишет",
    "пише",
    "írta",
    "a scris",
    "写道",
    "寫道",
    "書きました",
];

/// Between dashes: `-----Original Message-----`.
const SEPARATORS: &[&str] = &[
    "original message",
    "originalmessage",
    "forwarded message",
    "original appointment",
    "ursprüngliche nachricht",
    "urspruengliche nachricht",
    "originalnachricht",
    "original-nachricht",
    "weitergeleitete nachricht",
    "message d'origine",
    "message d’origine",
    "message original",
    "message transféré",
    "message transfere",
    "mensaje original",
    "mensaje reenviado",
    "messaggio originale",
    "messaggio inoltrato",
    "oorspronkelijk bericht",
    "doorgestuurd bericht",
    "mensagem original",
    "mensagem encaminhada",
    "oprindelig meddelelse",
    "opprinnelig melding",
    "ursprungligt meddelande",
    "wiadomość oryginalna",
    "oryginalna wiadomość",
    "původní zpráva",
    "alkuperäinen viesti",
    "исходное сообщение",
    "пересылаемое сообщение",
    "原始邮件",
    "转发邮件",
];

/// Lines that announce a forwarded message and stand alone.
const FORWARDS: &[&str] = &[
    "begin forwarded message",
    "anfang der weitergeleiteten nachricht",
    "début du message réexpédié",
    "début du message transféré",
    "inicio del mensaje reenviado",
    "inizio messaggio inoltrato",
    "begin doorgestuurd bericht",
];

const FROM: &[&str] = &[
    "from",
    "von",
    "de",
    "da",
    "van",
    "fra",
    "från",
    "od",
    "от",
    "lähettäjä",
    "kimden",
    "发件人",
    "寄件者",
    "差出人",
];
const SENT: &[&str] = &[
    "sent",
    "date",
    "gesendet",
    "datum",
    "envoyé",
    "enviado",
    "enviado el",
    "enviada em",
    "fecha",
    "inviato",
    "data",
    "verzonden",
    "sendt",
    "dato",
    "skickat",
    "wysłano",
    "odesláno",
    "отправлено",
    "дата",
    "lähetetty",
    "päivämäärä",
    "gönderildi",
    "tarih",
    "发送时间",
    "日期",
    "送信日時",
];
const ABOUT: &[&str] = &[
    "to",
    "an",
    "à",
    "para",
    "a",
    "aan",
    "til",
    "till",
    "do",
    "кому",
    "komu",
    "kime",
    "收件人",
    "宛先",
    "subject",
    "betreff",
    "objet",
    "asunto",
    "oggetto",
    "onderwerp",
    "emne",
    "ämne",
    "temat",
    "předmět",
    "тема",
    "aihe",
    "konu",
    "assunto",
    "主题",
    "主旨",
    "件名",
];

/// Whether the line is marked as quoted: at its very beginning, since code and figures are indented.
pub(super) fn is_marked(line: &str) -> bool {
    let start = line.trim_start_matches([' ', '\t', '\u{a0}']);
    line.len() - start.len() <= 1 && start.starts_with('>')
}

/// The line without its marks, however often it was quoted.
pub(super) fn unmarked(line: &str) -> &str {
    if is_marked(line) {
        line.trim_start_matches(['>', ' ', '\t', '\u{a0}'])
    } else {
        line
    }
}

/// Whether it is a ruled line, which some programs put above the quote.
pub(super) fn is_rule(line: &str) -> bool {
    let line = line.trim();
    line.len() >= 5 && line.bytes().all(|b| matches!(b, b'_' | b'-' | b'='))
}

/// Whether it is a line after which another message follows.
pub(super) fn is_separator(line: &str) -> bool {
    let line = line.trim().trim_matches('*').to_lowercase();
    if FORWARDS.contains(&line.trim_end_matches([':', ' ', '\u{a0}'])) {
        return true;
    }
    let core = line.trim_matches(['-', '_', ' ']);
    line.starts_with("--")
        && SEPARATORS.iter().any(|known| core.starts_with(known))
        && core.len() < 80
}

/// Header fields of another message, one per line: who, when, and to whom or about what.
pub(super) fn is_header_block(lines: &[&str]) -> bool {
    // Examples of mail in a text are indented.
    if lines[0].starts_with("  ") || !has_label(lines[0], FROM) {
        return false;
    }
    let fields = lines.iter().skip(1).take(HEADER_LINES);
    let fields: Vec<_> = fields.take_while(|line| !line.trim().is_empty()).collect();
    fields.iter().any(|line| has_label(line, SENT))
        && fields.iter().any(|line| has_label(line, ABOUT))
}

fn has_label(line: &str, known: &[&str]) -> bool {
    let line = line.trim_start_matches(['*', ' ', '\t', '\u{a0}']);
    let Some((label, _)) = line.split_once([':', '：']) else {
        return false;
    };
    label.len() <= 40
        && known.contains(
            &label
                .trim_end_matches(['*', ' ', '\u{a0}'])
                .to_lowercase()
                .as_str(),
        )
}

/// Whether an attribution may begin here.
pub(super) fn opens_attribution(line: &str) -> bool {
    let start: String = line
        .trim_start()
        .chars()
        .take(12)
        .flat_map(char::to_lowercase)
        .collect();
    line.len() <= MAX_BYTES && OPENINGS.iter().any(|opening| start.starts_with(opening))
}

/// `On … wrote:` with a time of day or an address in it.
pub(super) fn is_full_attribution(text: &str) -> bool {
    is_attribution(text) && (has_time(text) || text.contains('@')) && text.len() <= MAX_BYTES
}

/// A line that says who wrote what is quoted below it.
pub(super) fn is_attribution(line: &str) -> bool {
    let line = line.trim_end();
    if line.len() > MAX_BYTES || !line.ends_with([':', '：']) {
        return false;
    }
    let line = line.to_lowercase();
    VERBS.iter().any(|verb| line.contains(verb))
}

/// Digits around a colon or a full stop: `9:41`, `9.41`.
fn has_time(text: &str) -> bool {
    let digit = |byte: Option<&u8>| byte.is_some_and(u8::is_ascii_digit);
    let bytes = text.as_bytes();
    (1..bytes.len()).any(|at| {
        matches!(bytes[at], b':' | b'.' | b'h')
            && digit(bytes.get(at - 1))
            && digit(bytes.get(at + 1))
            && digit(bytes.get(at + 2))
    })
}
