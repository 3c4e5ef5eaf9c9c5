//! Periodic documents, mails with one disclaimer, quotations, and texts that go on.
//!
//! | kind | class | both documents are |
//! |---|---|---|
//! | `invoice` | template-only | invoices to one customer of two months, or to two customers |
//! | `invoice corrected` | version | an invoice, and the same with one line corrected |
//! | `minutes` | template-only | minutes of two meetings of one board |
//! | `minutes revised` | version | a draft of minutes, and the final ones |
//! | `disclaimer` | template-only | mails of different people under one disclaimer |
//! | `quotation` | unrelated | a text, and another that quotes a passage of it; or two that quote one passage |
//! | `log continued` | version | a log, and the same with later entries |

use simdex_judge::Class;

use super::cases::Cases;
use super::entry::{amount, date, one_of, person};
use super::{LabelledPair, Prose};
use crate::near_duplicates::{Operation, paragraphs};

impl Cases<'_> {
    /// All kinds that need no text.
    pub fn records(&self) -> Vec<LabelledPair> {
        let mut prose = Prose::new(self.seed ^ 0x66, self.source);
        let mut pairs = self.invoices(&mut prose);
        pairs.extend(self.minutes(&mut prose));
        pairs.extend(self.disclaimer(&mut prose));
        pairs.push(self.log(&mut prose));
        pairs
    }

    fn invoices(&self, prose: &mut Prose) -> Vec<LabelledPair> {
        let head = format!("{} {}\n{}", prose.name(), prose.title(), person(prose));
        let foot = match prose.random().chance(0.5) {
            true => prose.paragraph(2),
            false => "Payable within one month".to_owned(),
        };
        let count = 2 + prose.random().below(14);
        let items: Vec<String> = (0..count).map(|_| prose.title()).collect();
        let mut prices: Vec<String> = (0..count).map(|_| amount(prose, true)).collect();
        let customers = [person(prose), person(prose)];
        let numbers = [0, 1, 2].map(|_| prose.number(4));
        let dates = [0, 1, 2].map(|_| date(prose, true));
        let written = |customer: &str, at: usize, prices: &[String]| {
            let lines = items.iter().zip(prices);
            let lines: Vec<String> = lines
                .map(|(item, price)| format!("{item}  {price}"))
                .collect();
            format!(
                "{head}\n\nInvoice {}\nDate {}\nTo {customer}\n\n{}\n\n{foot}",
                numbers[at],
                dates[at],
                lines.join("\n")
            )
        };
        let first = written(&customers[0], 0, &prices);
        let next = written(&customers[0], 1, &prices);
        let other = written(&customers[1], 2, &prices);
        prices[0] = amount(prose, true);
        let corrected = written(&customers[0], 0, &prices);
        vec![
            self.texts("invoice", Class::TemplateOnly, &first, &next),
            self.texts("invoice", Class::TemplateOnly, &first, &other),
            self.texts("invoice corrected", Class::Version, &first, &corrected),
        ]
    }

    fn minutes(&self, prose: &mut Prose) -> Vec<LabelledPair> {
        let head = format!("{}\nMinutes of the meeting of", prose.title());
        let members: Vec<String> = (0..3 + prose.random().below(6))
            .map(|_| person(prose))
            .collect();
        let headings: Vec<String> = (0..3 + prose.random().below(6))
            .map(|_| prose.title())
            .collect();
        let standing = prose.paragraph(2);
        let mut meeting = || {
            let held = date(prose, true);
            let points = headings.iter().map(|heading| {
                let sentences = 1 + prose.random().below(4);
                format!("{heading}\n{}", prose.paragraph(sentences))
            });
            let points: Vec<String> = points.collect();
            format!(
                "{head} {held}\nPresent: {}\n\n{standing}\n\n{}",
                members.join(", "),
                points.join("\n\n")
            )
        };
        let [first, second] = [meeting(), meeting()];
        let percent = 1.0 + 11.0 * prose.random().unit();
        let last = self.operated(&first, &[Operation::Replace { percent }], prose);
        vec![
            self.texts("minutes", Class::TemplateOnly, &first, &second),
            self.texts("minutes revised", Class::Version, &first, &last),
        ]
    }

    fn disclaimer(&self, prose: &mut Prose) -> Vec<LabelledPair> {
        let count = 1 + prose.random().below(3);
        let disclaimer = prose.paragraphs(count).join("\n\n");
        let mut mail = || {
            let (to, from) = (person(prose), person(prose));
            let sentences = 1 + prose.random().below(5);
            format!(
                "{}\n\nDear {to},\n\n{}\n\n{from}\n\n{disclaimer}",
                prose.title(),
                prose.paragraph(sentences)
            )
        };
        let mails = [mail(), mail(), mail()];
        let others = mails[1..].iter();
        let pair = |other: &String| self.texts("disclaimer", Class::TemplateOnly, &mails[0], other);
        others.map(pair).collect()
    }

    /// A log whose later entries stand at its end or at its beginning.
    fn log(&self, prose: &mut Prose) -> LabelledPair {
        let name = format!(
            "{} {}",
            prose.name(),
            one_of(prose, &["changes", "history", "news", "log"])
        );
        let count = 4 + prose.random().below(30);
        let mut entry = |at: u64| {
            let lines: Vec<String> = (0..1 + prose.random().below(5))
                .map(|_| format!("- {}", prose.sentence()))
                .collect();
            let head = format!("{}.{} ({})", at / 6, at % 6, date(prose, true));
            format!("{head}\n{}", lines.join("\n"))
        };
        let mut entries: Vec<String> = (0..count).map(&mut entry).collect();
        let later = 1 + prose.random().below(1 + count / 2) as usize;
        let kept = entries.len() - later.min(entries.len() - 1);
        let before = entries[..kept].to_vec();
        let mut both = [before, std::mem::take(&mut entries)];
        if prose.random().chance(0.6) {
            both.iter_mut().for_each(|entries| entries.reverse());
        }
        let [before, after] = both.map(|entries| format!("{name}\n\n{}", entries.join("\n\n")));
        self.texts("log continued", Class::Version, &before, &after)
    }

    /// Documents of their own that quote a passage of this text.
    pub(super) fn quotations(&self, text: &[String], prose: &mut Prose) -> Vec<LabelledPair> {
        let Some(other) = self.others.first() else {
            return Vec::new();
        };
        let count = text.len().min(1 + prose.random().below(3) as usize);
        if 4 * count > text.len() {
            return Vec::new();
        }
        let from = prose.random().below((text.len() - count) as u64) as usize;
        let passage = text[from..from + count].join("\n\n");
        let foreign = prose.paragraphs(12).join("\n\n");
        let mut quoting = |around: &str| {
            let mut parts = paragraphs(around);
            parts.insert(
                prose.random().below(parts.len() as u64 + 1) as usize,
                passage.clone(),
            );
            parts.join("\n\n")
        };
        let (quoting, also) = (quoting(other), quoting(&foreign));
        vec![
            self.texts("quotation", Class::Unrelated, &text.join("\n\n"), &quoting),
            self.texts("quotation", Class::Unrelated, &quoting, &also),
        ]
    }
}
