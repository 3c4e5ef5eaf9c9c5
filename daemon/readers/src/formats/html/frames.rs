//! What a page fills in from others: frames, and immediate refreshes.

use simdex_extract::Facts;

use super::super::instant::{http_date, instant};
use super::tag::Tag;
use super::{FramePlace, FrameTarget, MAX_FRAMES, MAX_REFRESH_SECONDS, PageReader, address};

impl PageReader<'_> {
    pub(super) fn meta(&mut self, tag: &Tag) {
        match tag.lower("name").as_str() {
            "author" | "dc.creator" => tag.fill("content", &mut self.page.author),
            "generator" => tag.fill("content", &mut self.page.producer),
            _ => {}
        }
        for name in ["name", "property", "http-equiv"] {
            self.date(&tag.lower(name), tag.get("content"));
        }
        if tag.lower("http-equiv") == "refresh" {
            self.refresh(tag.get("content"));
        }
    }

    /// Takes a date that the page states of itself; the first of a kind that is one stays.
    fn date(&mut self, name: &str, value: &str) {
        let date = match name {
            "dcterms.created" | "article:published_time" => &mut self.page.created,
            "dcterms.modified" | "last-modified" | "article:modified_time" => {
                &mut self.page.modified
            }
            _ => return,
        };
        if date.is_empty() {
            let value = value.trim();
            let stated = instant(value).or_else(|| http_date(value));
            *date = stated.unwrap_or_default();
        }
    }

    /// Shows the page of a refresh such as `5; url=page.html` instead, if it comes soon.
    fn refresh(&mut self, content: &str) {
        if let Some((seconds, target)) = refresh(content)
            && seconds <= MAX_REFRESH_SECONDS
        {
            self.fill_from(target, FramePlace::Instead);
        }
    }

    /// Fills in a frame, if its page is available.
    pub(super) fn fill(&mut self, tag: &Tag) {
        let inside = tag.get("srcdoc");
        if inside.is_empty() {
            self.fill_from(tag.get("src").trim(), FramePlace::Within);
        } else {
            self.nested(inside);
        }
    }

    /// Resolves addresses against this one from here on; a long one would be copied for each of them.
    pub(super) fn rebase(&mut self, address: &str) {
        let base = address::resolved(&self.base, address);
        if base.len() <= Facts::MAX_ADDRESS_BYTES {
            self.base = base;
        }
    }

    pub(super) fn fill_from(&mut self, address: &str, way: FramePlace) {
        if address.is_empty()
            || ["about:", "data:", "javascript:"]
                .iter()
                .any(|scheme| address.starts_with(scheme))
        {
            return;
        }
        if address.len() > Facts::MAX_ADDRESS_BYTES {
            self.page.external += 1;
            return;
        }
        let whole = address::resolved(&self.base, address);
        match (self.frames)(&whole) {
            FrameTarget::Page { html, location } => {
                let base = std::mem::replace(&mut self.base, location);
                self.page.filled.push(whole);
                if way == FramePlace::Instead && self.depth < MAX_FRAMES {
                    self.give_way();
                }
                self.nested(&html);
                self.is_replaced = way == FramePlace::Instead;
                self.base = base;
            }
            FrameTarget::Shown => {}
            FrameTarget::Missing => {
                self.page.external += 1;
                self.page.miss(whole);
            }
        }
    }

    /// Takes back the text of the page or frame so far: its redirection leads to another, which is all that is shown
    /// (Huffman 2007, §3.1). The page's own record keeps its own text.
    pub(super) fn give_way(&mut self) {
        self.text.take_back(self.begin);
        self.text.label = None;
        if self.depth == 0 {
            let page = &mut self.page;
            for said in [
                &mut page.title,
                &mut page.author,
                &mut page.language,
                &mut page.producer,
            ] {
                said.clear();
            }
            page.redirected = true;
        }
    }

    pub(super) fn nested(&mut self, html: &str) {
        if self.depth >= MAX_FRAMES {
            return;
        }
        let state = (self.preformatted, self.silent.take(), self.in_title);
        let (lists, link) = (std::mem::take(&mut self.lists), self.link.take());
        let scripts = std::mem::take(&mut self.scripts);
        let decoration = std::mem::take(&mut self.decoration);
        self.depth += 1;
        self.text.newline();
        let begin = std::mem::replace(&mut self.begin, self.text.mark());
        // The first words in the frame are those of the surrounding list item.
        let (label, mark) = (self.text.label.clone(), self.text.mark());
        self.run(html);
        self.text.newline();
        self.text.label = label.filter(|_| self.text.mark() == mark);
        self.depth -= 1;
        (self.begin, self.is_replaced) = (begin, false);
        (self.lists, self.link, self.scripts) = (lists, link, scripts);
        self.decoration = decoration;
        (self.preformatted, self.silent, self.in_title) = state;
    }
}

/// The time and the address of a refresh (WHATWG HTML §4.2.5.3, "shared declarative refresh steps").
fn refresh(content: &str) -> Option<(u32, &str)> {
    let blank = |c: char| c.is_ascii_whitespace();
    let content = content.trim_start_matches(blank);
    let rest = content.trim_start_matches(|c: char| c.is_ascii_digit());
    let seconds = &content[..content.len() - rest.len()];
    if seconds.is_empty() && !rest.starts_with('.') {
        return None;
    }
    // A number that is too large is late in any case.
    let seconds = match seconds {
        "" => 0,
        seconds => seconds.parse().unwrap_or(u32::MAX),
    };
    let rest = rest.trim_start_matches(|c: char| c.is_ascii_digit() || c == '.');
    if !rest.starts_with([';', ',']) && !rest.starts_with(blank) {
        return None;
    }
    let rest = rest.trim_start_matches(blank);
    let rest = rest.strip_prefix([';', ',']).unwrap_or(rest);
    let address = unquoted(rest.trim_start_matches(blank));
    Some((seconds, address.trim_matches(|c: char| c <= ' ')))
}

/// An address, without `url=` before it and without quotes.
fn unquoted(stated: &str) -> &str {
    let blank = |c: char| c.is_ascii_whitespace();
    let is_named = stated
        .get(..3)
        .is_some_and(|name| name.eq_ignore_ascii_case("url"));
    let named = stated
        .get(3..)
        .filter(|_| is_named)
        .map(|rest| rest.trim_start_matches(blank));
    let address = match named.and_then(|rest| rest.strip_prefix('=')) {
        Some(address) => address.trim_start_matches(blank),
        // What only begins like a name is part of the address, quotes as well.
        None if stated.starts_with(['u', 'U']) => return stated,
        None => stated,
    };
    let quote = address.chars().next().filter(|c| matches!(c, '"' | '\''));
    match quote {
        Some(quote) => address[1..].split(quote).next().unwrap_or_default(),
        None => address,
    }
}

#[cfg(test)]
mod tests {
    use super::refresh;

    #[test]
    fn a_refresh_is_read_as_the_standard_says() {
        for (content, expected) in [
            ("0; url=a.html", Some((0, "a.html"))),
            ("0; a.html", Some((0, "a.html"))),
            ("0;a.html", Some((0, "a.html"))),
            ("0 a.html", Some((0, "a.html"))),
            ("0, a.html", Some((0, "a.html"))),
            ("0; url = a.html", Some((0, "a.html"))),
            ("0; URL\t=\n'a b.html' x", Some((0, "a b.html"))),
            ("0; \"a.html\"", Some((0, "a.html"))),
            ("0; url=\"a.html", Some((0, "a.html"))),
            ("0; ur=a.html", Some((0, "ur=a.html"))),
            ("0; urls.html", Some((0, "urls.html"))),
            ("0; url", Some((0, "url"))),
            ("0; a.html?url=b", Some((0, "a.html?url=b"))),
            (" 7.5; url=a.html ", Some((7, "a.html"))),
            (".5;url=a.html", Some((0, "a.html"))),
            ("99999999999; url=a.html", Some((u32::MAX, "a.html"))),
            ("5", None),
            ("5;", Some((5, ""))),
            ("url=a.html", None),
            ("0url=a.html", None),
            ("", None),
        ] {
            assert_eq!(refresh(content), expected, "{content}");
        }
    }
}
