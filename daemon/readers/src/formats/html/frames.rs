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
    pub(super) fn refresh(&mut self, content: &str) {
        let digits = content.trim_start();
        let end = digits.find(|c: char| !c.is_ascii_digit());
        let seconds = &digits[..end.unwrap_or(digits.len())];
        let is_at_once = seconds.is_empty()
            || seconds
                .parse::<u32>()
                .is_ok_and(|s| s <= MAX_REFRESH_SECONDS);
        let at = content.to_ascii_lowercase().find("url=");
        if let Some(at) = at.filter(|_| is_at_once) {
            let target = content[at + 4..].trim_matches(['\'', '"', ' ']);
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
        (self.lists, self.link) = (lists, link);
        (self.preformatted, self.silent, self.in_title) = state;
    }
}
