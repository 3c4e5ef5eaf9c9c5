//! A start tag and those of its attributes that are used.

/// Attributes that are kept.
const KEPT: &[&str] = &[
    "href",
    "src",
    "srcdoc",
    "type",
    "class",
    "id",
    "lang",
    "http-equiv",
    "name",
    "content",
    "property",
    "start",
    "value",
    "reversed",
    "style",
    "alt",
    "checked",
    "selected",
    "role",
    "dir",
    "face",
    "aria-hidden",
    // Of formulas.
    "display",
    "open",
    "close",
    "separators",
    "notation",
    "linethickness",
    "lquote",
    "rquote",
];

/// Elements whose text is not read.
const SILENT: &[&[u8]] = &[
    b"script",
    b"style",
    b"template",
    b"noscript",
    b"iframe",
    b"noembed",
];

/// Classes and identifiers that mail programs use for quotes.
const QUOTES: &[&str] = &[
    "gmail_quote",
    "gmail_attr",
    "yahoo_quoted",
    "protonmail_quote",
    "moz-cite-prefix",
    "moz-forward-container",
    "zmail_extra",
    "gmx_quote",
    "mail-editor-reference-message-container",
    "replyforward",
    "reply-intro",
];
/// … and for the head of another message, which continues to the end.
const TAILS: &[&str] = &["divrplyfwdmsg", "outlookmessageheader", "appendonsend"];

#[derive(Debug, Default)]
pub(super) struct Tag {
    pub(super) name: Vec<u8>,
    /// Attributes by the index of their name in [`KEPT`].
    attributes: Vec<(usize, String)>,
    /// The attribute whose value comes next.
    current: Option<usize>,
}

impl Tag {
    pub(super) fn open(&mut self, name: &[u8]) {
        self.name.clear();
        self.name.extend_from_slice(name);
        self.attributes.clear();
        self.current = None;
    }

    /// Begins an attribute. The first one of several with the same name counts.
    pub(super) fn attribute(&mut self, name: &[u8]) {
        let kept = KEPT.iter().position(|kept| kept.as_bytes() == name);
        self.current = kept.filter(|kept| self.attributes.iter().all(|(known, _)| known != kept));
        // Some have no value.
        self.attributes
            .extend(self.current.map(|name| (name, String::new())));
    }

    pub(super) fn value(&mut self, value: &[u8]) {
        if self.current.take().is_some()
            && let Some((_, empty)) = self.attributes.last_mut()
        {
            *empty = String::from_utf8_lossy(value).into_owned();
        }
    }

    /// The value of a kept attribute, or nothing.
    pub(super) fn get(&self, name: &str) -> &str {
        let found = self.attributes.iter().find(|(kept, _)| KEPT[*kept] == name);
        found.map_or("", |(_, value)| value)
    }

    pub(super) fn has(&self, name: &str) -> bool {
        self.attributes.iter().any(|(kept, _)| KEPT[*kept] == name)
    }

    pub(super) fn lower(&self, name: &str) -> String {
        self.get(name).to_lowercase()
    }

    /// Fills `field` with a value, unless it has one.
    pub(super) fn fill(&self, name: &str, field: &mut String) {
        if field.is_empty() {
            field.push_str(self.get(name));
        }
    }

    pub(super) fn is_silent(&self) -> bool {
        SILENT.contains(&self.name.as_slice())
    }

    /// Whether this element holds what a message quotes.
    pub(super) fn is_quote(&self) -> bool {
        (self.name == b"blockquote" && self.get("type").eq_ignore_ascii_case("cite"))
            || self.is_called(QUOTES)
    }

    /// Whether everything after this tag is another message.
    pub(super) fn begins_tail(&self) -> bool {
        self.is_called(TAILS)
    }

    fn is_called(&self, known: &[&str]) -> bool {
        // Outlook on the web puts `x_` before the names in what it quotes.
        let is_known = |name: &str| known.contains(&name.trim_start_matches("x_"));
        self.lower("class").split_ascii_whitespace().any(is_known) || is_known(&self.lower("id"))
    }
}
