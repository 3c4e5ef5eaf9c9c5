//! Pairs of every kind, made from a text.
//!
//! | kind | class | both documents are |
//! |---|---|---|
//! | `printer` | same | a page with navigation, and its printer version in pages with running heads |
//! | `mirror` | same | one page on two sites that differ in banner, addresses and notices |
//! | `notices` | same | one text, with and without a few lines of legal notices and navigation |
//! | `redirect` | same | a page that redirects, and its target |
//! | `framed` | same | a page in frames, and the page alone |
//! | `edited` | version | a text, and the text with 1 to 25 % of its words or paragraphs changed |
//! | `excerpt` | version | a text, and a passage of it |
//! | `collection` | version | a text, and a collection that took it in |
//! | `appended` | version | a text, and the text with a later part of 2 to 60 % of its length |
//! | `form` | template-only | one form or letter, filled in twice |
//! | `sorted` | template-only | one list in two orders |
//! | `reframed` | template-only | the same data amid other surroundings |
//! | `login` | template-only | a page, and the login page that leads to it |
//! | `frameset` | template-only | two pages in frames of one layout |
//! | `siblings` | template-only | two pages of one site |
//! | `unrelated` | unrelated | two texts |
//!
//! [`standard`](super::standard) and [`records`](super::records) add more.

use simdex_judge::Class;

use super::entry::one_of;
use super::prose::{Prose, wrapped};
use super::{Document, LabelledPair, Tongue};
use crate::corpus::Random;
use crate::near_duplicates::{Operation, Stock, operation, paragraphs};

/// Makes pairs from one text: one of each kind that begins with a page, a few edits and excerpts.
pub struct Cases<'a> {
    /// Where the pairs come from.
    pub source: u64,
    /// What they are all made after.
    pub family: u64,
    /// The language they are written in.
    pub tongue: Tongue,
    /// Of all that is made.
    pub seed: u64,
    /// Paragraphs that edits put in and collections are made of.
    pub stock: &'a Stock,
    /// Texts a collection is filled with.
    pub others: &'a [String],
}

/// What surrounds the content of a page on one site.
struct Site {
    name: String,
    head: String,
    foot: String,
}

impl Site {
    fn new(prose: &mut Prose) -> Self {
        let name = prose.name();
        let links: Vec<String> = (0..8 + prose.random().below(10))
            .map(|_| prose.title())
            .collect();
        let notice = prose.paragraph(2);
        Self {
            head: format!("{name} Home\n{}\nSearch {name}", links.join("\n")),
            foot: format!(
                "Copyright {} {name}. All rights reserved.\n{notice}",
                2000 + prose.number(1)
            ),
            name,
        }
    }

    fn page(&self, title: &str, content: &str) -> String {
        format!("{title}\n{}\n\n{content}\n\n{}", self.head, self.foot)
    }
}

/// Lines that many pages end with, whatever is on them.
const NOTICES: [&str; 14] = [
    "All rights reserved.",
    "No part of this page may be reproduced without written permission.",
    "Terms of use and privacy policy apply.",
    "We use cookies to improve this site.",
    "Printed from our site.",
    "Follow us, or subscribe to our news.",
    "The information is given without any warranty.",
    "Trademarks are the property of their owners.",
    "Report an error on this page.",
    "Back to top. Site map. Contact. About us.",
    "Share this page by mail.",
    "This page was last updated some time ago.",
    "Advertisement",
    "Skip to content. Log in. Register.",
];

/// A few lines of legal notices and navigation of a site.
fn notices(site: &Site, prose: &mut Prose) -> String {
    let mut lines = vec![format!(
        "Copyright {} {}.",
        2000 + prose.number(1),
        site.name
    )];
    let count = 1 + prose.random().below(5);
    lines.extend((0..count).map(|_| one_of(prose, &NOTICES)));
    lines.join("\n")
}

impl Cases<'_> {
    fn pair(&self, kind: &'static str, class: Class, a: Document, b: Document) -> LabelledPair {
        LabelledPair {
            kind,
            source: self.source,
            family: self.family,
            class,
            documents: [a, b],
        }
    }

    pub(super) fn texts(&self, kind: &'static str, class: Class, a: &str, b: &str) -> LabelledPair {
        self.pair(kind, class, self.document(a), self.document(b))
    }

    fn document(&self, text: &str) -> Document {
        Document::new(&self.tongue.written(text))
    }

    fn filled_in(&self, fetched: &str, shown: &str) -> Document {
        Document::filled_in(&self.tongue.written(fetched), &self.tongue.written(shown))
    }

    /// All kinds that take any text.
    pub fn of_text(&self, text: &str) -> Vec<LabelledPair> {
        let mut prose = Prose::new(self.seed, self.source);
        let mut pairs = self.same(text, &mut prose);
        pairs.extend(self.versions(text, prose.random()));
        pairs.extend(self.of_site(text, &mut prose));
        pairs.push(self.appended(text, &mut prose));
        let parts = paragraphs(text);
        pairs.extend(self.quotations(&parts, &mut prose));
        pairs.extend(self.standard_forms(&parts));
        pairs
    }

    fn same(&self, text: &str, prose: &mut Prose) -> Vec<LabelledPair> {
        let (site, other) = (Site::new(prose), Site::new(prose));
        let title = prose.title();
        let page = site.page(&title, text);
        let with_notices = format!("{text}\n\n{}", notices(&site, prose));
        let stub = format!("{title}\nThis page has moved. {}", prose.paragraph(3));
        let frameset = format!("{title}\nThis site uses frames, which your browser does not show.");
        let shown = format!("{}\n\n{text}", site.head);
        let moved = self.filled_in(&stub, &page);
        let framed = self.filled_in(&frameset, &shown);
        vec![
            self.texts("printer", Class::Same, &page, &printed(&title, text)),
            self.texts("mirror", Class::Same, &page, &other.page(&title, text)),
            self.texts("notices", Class::Same, text, &with_notices),
            self.pair(
                "redirect",
                Class::Same,
                moved,
                self.document(&site.page(&title, &with_notices)),
            ),
            self.pair("framed", Class::Same, framed, self.document(text)),
        ]
    }

    fn versions(&self, text: &str, random: &mut Random) -> Vec<LabelledPair> {
        let mut pairs = Vec::new();
        for chain in chains(random) {
            let (edited, _) = operation::chain(text, &chain, self.stock, random);
            pairs.push(self.texts("edited", Class::Version, text, &edited));
        }
        let all = paragraphs(text);
        if all.len() > 5 {
            let count = 1 + random.below(all.len() as u64 / 2) as usize;
            let from = random.below((all.len() - count) as u64) as usize;
            let passage = all[from..from + count].join("\n\n");
            pairs.push(self.texts("excerpt", Class::Version, text, &passage));
        }
        let mut parts: Vec<&str> = self.others.iter().map(String::as_str).take(3).collect();
        parts.insert(random.below(parts.len() as u64 + 1) as usize, text);
        pairs.push(self.texts("collection", Class::Version, text, &parts.join("\n\n")));
        pairs
    }

    /// A text, and the text with a later part.
    fn appended(&self, text: &str, prose: &mut Prose) -> LabelledPair {
        let share = 0.02 + 0.58 * prose.random().unit();
        let least = text.len() as f64 * (1.0 + share);
        let mut longer = text.to_owned();
        while (longer.len() as f64) < least {
            let sentences = 1 + prose.random().below(5);
            longer = format!("{longer}\n\n{}", prose.paragraph(sentences));
        }
        self.texts("appended", Class::Version, text, &longer)
    }

    fn of_site(&self, text: &str, prose: &mut Prose) -> Vec<LabelledPair> {
        let (site, elsewhere) = (Site::new(prose), Site::new(prose));
        let count = 1 + prose.random().below(4);
        let own = prose.paragraphs(count).join("\n\n");
        let (title, other) = (prose.title(), prose.title());
        // Little content amid much frame, as pages of sites have it.
        let content = paragraphs(text)
            .into_iter()
            .take(2 + self.source as usize % 3);
        let content = content.collect::<Vec<_>>().join("\n\n");
        let page = site.page(&title, &content);
        let login = site.page(
            "Log in",
            &format!("User name\nPassword\nForgot it? Ask {}", site.name),
        );
        let surroundings = [prose.paragraphs(4), prose.paragraphs(4)].map(|all| all.join("\n\n"));
        let reframed = elsewhere.page(&other, &format!("{}\n\n{content}", surroundings[0]));
        let frames = "This site uses frames, which your browser does not show.";
        let framed = |title: &str, content: &str| {
            let fetched = format!("{}\n{frames}\n{title}", site.head);
            self.filled_in(&fetched, &site.page(title, content))
        };
        vec![
            self.texts("login", Class::TemplateOnly, &page, &login),
            self.texts(
                "siblings",
                Class::TemplateOnly,
                &page,
                &site.page(&other, &own),
            ),
            self.texts(
                "reframed",
                Class::TemplateOnly,
                &site.page(&title, &format!("{content}\n\n{}", surroundings[1])),
                &reframed,
            ),
            self.pair(
                "frameset",
                Class::TemplateOnly,
                framed(&title, &content),
                framed(&other, &own),
            ),
        ]
    }

    /// A text and the first of the others.
    pub fn unrelated(&self, text: &str) -> LabelledPair {
        let other = self.others.first().map_or("", String::as_str);
        self.texts("unrelated", Class::Unrelated, text, other)
    }

    /// One list in two orders: names, numbers and amounts, with this many lines.
    pub fn sorted(&self) -> LabelledPair {
        let mut prose = Prose::new(self.seed ^ 0x11, self.source);
        let title = prose.title();
        let count = 12 + prose.random().below(80);
        let line = |prose: &mut Prose| {
            let (first, last, number) = (prose.name(), prose.name(), prose.number(5));
            format!(
                "{last}, {first}  {number}  {}.{:02}",
                prose.number(4),
                prose.number(2)
            )
        };
        let mut lines: Vec<String> = (0..count).map(|_| line(&mut prose)).collect();
        lines.sort();
        let list = |lines: &[String]| format!("{title}\n\n{}", lines.join("\n"));
        let by_name = list(&lines);
        // By number: unrelated to the order of names.
        lines.sort_by_key(|line| line.split_once("  ").map(|(_, rest)| rest.to_owned()));
        self.texts("sorted", Class::TemplateOnly, &by_name, &list(&lines))
    }

    /// One letter filled in several times, each with the first: the text is the same but for names, dates,
    /// amounts, and a sentence or two.
    pub fn forms(&self, copies: usize) -> Vec<LabelledPair> {
        let mut prose = Prose::new(self.seed ^ 0x22, self.source);
        let count = 1 + prose.random().below(4);
        let parts = prose.paragraphs(count);
        let (own, fields) = (prose.random().below(3), 4 + prose.random().below(12));
        let (letterhead, subject) = (prose.name(), prose.title());
        let labels: Vec<String> = (0..fields).map(|_| prose.title()).collect();
        let filled = |copy: u64| {
            let mut entry = Prose::new(self.seed ^ 0x33 ^ (copy << 32), self.source);
            let values = labels.iter().map(|label| {
                let value = (entry.name(), entry.name(), entry.number(6));
                format!("{label}: {} {} {}", value.0, value.1, value.2)
            });
            let values: Vec<String> = values.collect();
            let remark = entry.paragraph(own);
            let date = (
                1 + entry.number(1),
                1 + entry.number(1),
                2010 + entry.number(1),
            );
            let to = format!("{} {}", entry.name(), entry.name());
            format!(
                "{letterhead}\n{}.{}.{}\n\n{subject}\n\nDear {to},\n\n{}\n\n{}\n\n{remark}\n\n{}",
                date.0,
                date.1,
                date.2,
                parts[0],
                values.join("\n"),
                parts[1..].join("\n\n"),
            )
        };
        let first = filled(0);
        let copies = (1..=copies as u64)
            .map(|copy| self.texts("form", Class::TemplateOnly, &first, &filled(copy)));
        copies.collect()
    }
}

/// Edits of a few kinds and sizes.
fn chains(random: &mut Random) -> [Vec<Operation>; 4] {
    let mut percent = |most: f64| 1.0 + (most - 1.0) * random.unit();
    [
        vec![Operation::Replace {
            percent: percent(5.0),
        }],
        vec![Operation::Replace {
            percent: percent(25.0),
        }],
        vec![
            Operation::Delete {
                percent: percent(30.0),
            },
            Operation::Add {
                percent: percent(20.0),
            },
        ],
        vec![
            Operation::Reorder {
                percent: percent(20.0),
            },
            Operation::Add {
                percent: percent(30.0),
            },
            Operation::Replace {
                percent: percent(4.0),
            },
        ],
    ]
}

/// A printer version: other line breaks, and a running head on every page.
fn printed(title: &str, text: &str) -> String {
    let body = paragraphs(text)
        .iter()
        .map(|part| wrapped(part, 58))
        .collect::<Vec<_>>();
    let lines: Vec<String> = body.join("\n\n").lines().map(str::to_owned).collect();
    let pages = lines.chunks(50).enumerate();
    let pages = pages.map(|(at, page)| format!("{title}\n{}\n- {} -", page.join("\n"), at + 1));
    pages.collect::<Vec<_>>().join("\n\n")
}
