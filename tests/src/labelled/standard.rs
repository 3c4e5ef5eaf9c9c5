//! Standard forms: contracts, policies, certificates and declarations of 1 to 60 paragraphs, filled in by different
//! parties, and revised for the same ones.
//!
//! | kind | class | both documents are |
//! |---|---|---|
//! | `standard form` | template-only | one form, filled in for other parties; one of them may be in both |
//! | `blank form` | template-only | a form, and the form filled in |
//! | `revised for others` | template-only | a form, and its revision filled in for other parties |
//! | `clauses changed` | version | a filled form, and the same with clauses replaced or words changed |
//! | `clauses struck` | version | a filled form, and the same without some clauses |
//! | `addendum` | version | a filled form, and the same with a later part |
//! | `amended` | version | a filled form, and its amended edition of another date |
//! | `corrected` | version | a filled form, and the same with another amount or date |
//!
//! Names, dates and amounts stand in the head, in clauses and at the end, or only in some of these; some forms have no
//! number at all. Licences are never trained on: models are tested on them ([`held_out`]).

use simdex_judge::Class;

use super::cases::Cases;
use super::entry::{Entry, one_of};
use super::{LabelledPair, Prose, Tongue};
use crate::near_duplicates::{Operation, Stock, operation};

/// What a kind of form says beside its standard text. `~` stands for a few words of its own, so that no two forms share
/// more than a shape.
struct Manner {
    titles: &'static [&'static str],
    head: &'static [&'static str],
    /// The fields of clauses; each clause has the fields of one line.
    clauses: &'static [&'static [&'static str]],
    end: &'static [&'static str],
}

const CONTRACT: Manner = Manner {
    titles: &["Agreement", "Lease", "Supply", "Loan", "Sale"],
    head: &[
        "~ <date> ~ <a>, <at-a>, ~ <b>, <at-b>.",
        "~\n<a>\n<at-a>\n~\n<b>\n<at-b>\nNo. <no>",
        "~: <a>, <at-a>\n~: <b>, <at-b>\nDate: <date>",
    ],
    clauses: &[
        &["<b>", "<amount>", "<a>"],
        &["<date>", "<term>"],
        &["<a>", "<at-a>", "<at-b>"],
        &["<fee>"],
        &["<place>"],
        &["<sign-a>", "<a>"],
    ],
    end: &[
        "<place>, <date>\n\n<sign-a>\n~ <a>\n\n<sign-b>\n~ <b>",
        "~ <sign-a> ~ <sign-b> ~ <place>.",
    ],
};

const POLICY: Manner = Manner {
    titles: &["Policy", "Cover", "Conditions", "Practice"],
    head: &[
        "~: <a>\n~: <b>, <at-b>\n~: <no>\nFrom: <date>",
        "~ <a> ~ <b>.",
        "~ <a>, <at-a>, ~ <date>.",
    ],
    clauses: &[
        &["<a>", "<amount>"],
        &["<fee>", "<date>"],
        &["<a>", "<at-a>", "<term>"],
        &["<b>", "<a>"],
        &["<sign-a>", "<place>"],
    ],
    end: &["<a>\n<sign-a>\n<place>, <date>", "~ <no>"],
};

const CERTIFICATE: Manner = Manner {
    titles: &["Certificate", "Confirmation", "Reference", "Receipt"],
    head: &[
        "<a> ~ <b>, <at-b>, ~ <term> ~.",
        "~ <b> ~ <amount> ~ <a> ~ <date>.",
        "~ <b>\n~ <a>\n<date>",
    ],
    clauses: &[&["<b>"], &["<amount>", "<sign-a>"], &["<b>", "<date>"]],
    end: &["<place>, <date>\n<sign-a>\n<a>", "<sign-a>, <place>"],
};

const DECLARATION: Manner = Manner {
    titles: &["Declaration", "Statement", "Undertaking", "Waiver"],
    head: &[
        "I, <b>, ~ <at-b>, ~ <a> ~.",
        "~ <b> ~ <a>, <at-a>, ~ <b>.",
        "~ <b> ~ <place>.",
    ],
    clauses: &[&["<a>"], &["<b>", "<amount>"], &["<term>", "<b>"]],
    end: &["<place>, <date>\n\n<b>", "<b>\n~ <sign-a>"],
};

const TRAINED: [&Manner; 4] = [&CONTRACT, &POLICY, &CERTIFICATE, &DECLARATION];

/// Never trained on.
const LICENCE: Manner = Manner {
    titles: &["Licence", "Grant of Rights", "Permission"],
    head: &[
        "<a> (~) ~ <b> (~), <at-b>, ~.",
        "~: <a>\n~: <b>\n~: <place>\n~: <date>",
    ],
    clauses: &[
        &["<place>", "<term>"],
        &["<a>", "<fee>", "<amount>"],
        &["<a>"],
        &["<a>", "<b>"],
    ],
    end: &["~ <place> ~ <sign-a>, ~ <sign-b>."],
};

/// A form with all its clauses, not filled in.
struct Form {
    title: String,
    head: String,
    clauses: Vec<String>,
    end: String,
    has_numbers: bool,
    /// Paragraphs of the standard text that are not in the form: what revisions put in.
    spare: Vec<String>,
}

impl Form {
    /// A form of this manner with clauses of a standard text.
    fn new(manner: &Manner, text: &[String], prose: &mut Prose) -> Self {
        let (mut clauses, spare) = clauses_of(text, prose);
        let asked = prose.random().below(1 + 2 * manner.clauses.len() as u64);
        for _ in 0..asked {
            let fields = manner.clauses[prose.random().below(manner.clauses.len() as u64) as usize];
            let clause = clause(fields, prose);
            clauses.insert(place(prose, clauses.len() + 1), clause);
        }
        let head = one_of(prose, manner.head);
        let end = one_of(prose, manner.end);
        let (mut head, mut end) = (worded(&head, prose), worded(&end, prose));
        match prose.random().below(4) {
            // The fields stand elsewhere: who the parties are is still said once.
            0 if asked > 0 => head.clear(),
            1 => end.clear(),
            _ => {}
        }
        Self {
            title: format!("{}: {}", one_of(prose, manner.titles), prose.title()),
            head,
            clauses,
            end,
            has_numbers: prose.random().chance(0.75),
            spare,
        }
    }

    /// A paragraph that a revision puts in.
    fn put_in(&self, prose: &mut Prose) -> String {
        match prose
            .random()
            .chance(0.7)
            .then(|| place(prose, self.spare.len()))
        {
            Some(at) if at < self.spare.len() => self.spare[at].clone(),
            _ => {
                let sentences = 1 + prose.random().below(5);
                prose.paragraph(sentences)
            }
        }
    }

    /// The clauses without some of them, at least one, and with as many others, or fewer.
    fn changed(&self, percent: f64, put_in: usize, prose: &mut Prose) -> String {
        let mut clauses = self.clauses.clone();
        let share = (clauses.len() as f64 * percent / 100.0).round() as usize;
        for _ in 0..share.clamp(1, clauses.len().saturating_sub(1).max(1)) {
            if clauses.len() > 1 {
                clauses.remove(place(prose, clauses.len()));
            }
            for _ in 0..put_in {
                clauses.insert(place(prose, clauses.len() + 1), self.put_in(prose));
            }
        }
        clauses.join("\n\n")
    }

    fn body(&self) -> String {
        self.clauses.join("\n\n")
    }

    fn with(&self, body: &str) -> String {
        let parts = [&self.title, &self.head, body, &self.end];
        let parts = parts.into_iter().filter(|part| !part.is_empty());
        parts.map(str::to_owned).collect::<Vec<_>>().join("\n\n")
    }

    fn written(&self) -> String {
        self.with(&self.body())
    }
}

impl Cases<'_> {
    /// A standard form with clauses of this text, filled in and revised.
    pub fn standard_forms(&self, text: &[String]) -> Vec<LabelledPair> {
        let mut prose = Prose::new(self.seed ^ 0x44, self.source);
        let manner = TRAINED[prose.random().below(TRAINED.len() as u64) as usize];
        self.of_manner(manner, text, &mut prose)
    }

    fn of_manner(&self, manner: &Manner, text: &[String], prose: &mut Prose) -> Vec<LabelledPair> {
        let form = Form::new(manner, text, prose);
        let entry = Entry::new(prose, form.has_numbers);
        let mut pairs = self.filled_twice(&form, &entry, prose);
        pairs.extend(self.revised(&form, &entry, prose));
        pairs
    }

    fn filled_twice(&self, form: &Form, entry: &Entry, prose: &mut Prose) -> Vec<LabelledPair> {
        let (written, has_numbers) = (form.written(), form.has_numbers);
        let first = entry.filled_into(&written);
        let others = [
            Entry::new(prose, has_numbers),
            Entry::new(prose, has_numbers),
            entry.of_same_party(prose, has_numbers),
        ];
        let mut pairs = Vec::new();
        let mut add = |kind, other: &str| {
            pairs.push(self.texts(kind, Class::TemplateOnly, &first, other));
        };
        for other in &others {
            add("standard form", &other.filled_into(&written));
        }
        if prose.random().chance(0.5) {
            add("blank form", &Entry::blank().filled_into(&written));
        }
        let percent = 1.0 + 9.0 * prose.random().unit();
        let body = self.operated(&form.body(), &[Operation::Replace { percent }], prose);
        add(
            "revised for others",
            &others[0].filled_into(&form.with(&body)),
        );
        pairs
    }

    fn revised(&self, form: &Form, entry: &Entry, prose: &mut Prose) -> Vec<LabelledPair> {
        let first = entry.filled_into(&form.written());
        let body = form.body();
        let percent = |prose: &mut Prose, least: f64, most: f64| {
            least + (most - least) * prose.random().unit()
        };
        let mut pairs = Vec::new();
        let mut add = |kind, text: &str| {
            pairs.push(self.texts(kind, Class::Version, &first, text));
        };
        let words = [Operation::Replace {
            percent: percent(prose, 0.5, 8.0),
        }];
        let reworded = self.operated(&body, &words, prose);
        add("clauses changed", &entry.filled_into(&form.with(&reworded)));
        let share = percent(prose, 1.0, 25.0);
        let replaced = form.changed(share, 1, prose);
        add("clauses changed", &entry.filled_into(&form.with(&replaced)));
        let amended = entry.of_other_date(prose, form.has_numbers);
        let body = self.operated(&form.changed(share, 1, prose), &words, prose);
        let edition = amended.filled_into(&form.with(&body));
        add("amended", &format!("Amended {edition}"));
        let share = percent(prose, 1.0, 35.0);
        let struck = form.changed(share, 0, prose);
        add("clauses struck", &entry.filled_into(&form.with(&struck)));
        let share = percent(prose, 2.0, 45.0);
        let later = addendum(form, first.len() as f64 * share / 100.0, entry, prose);
        add("addendum", &format!("{first}\n\n{later}"));
        let corrected = entry.corrected(prose, form.has_numbers);
        add("corrected", &corrected.filled_into(&form.written()));
        pairs
    }

    /// A text after these operations.
    pub(super) fn operated(&self, text: &str, chain: &[Operation], prose: &mut Prose) -> String {
        operation::chain(text, chain, self.stock, prose.random()).0
    }
}

/// Some successive paragraphs of a text, one or two for a short form, up to 60 for a long one; and the others.
fn clauses_of(text: &[String], prose: &mut Prose) -> (Vec<String>, Vec<String>) {
    let wanted = match prose.random().below(10) {
        0..=2 => 1 + prose.random().below(2),
        3..=6 => 3 + prose.random().below(10),
        _ => 13 + prose.random().below(48),
    };
    let count = text.len().min(wanted as usize);
    let from = place(prose, text.len() - count + 1);
    let (before, rest) = text.split_at(from);
    let (clauses, after) = rest.split_at(count);
    (clauses.to_vec(), [before, after].concat())
}

/// A random place among this many.
fn place(prose: &mut Prose, count: usize) -> usize {
    prose.random().below(count.max(1) as u64) as usize
}

/// A sentence with these fields, wherever in it.
fn clause(fields: &[&str], prose: &mut Prose) -> String {
    let sentence = prose.sentence();
    let mut words: Vec<&str> = sentence.split(' ').collect();
    for field in fields {
        words.insert(place(prose, words.len()), field);
    }
    words.join(" ")
}

/// A shape with words in the places for them.
fn worded(shape: &str, prose: &mut Prose) -> String {
    let mut parts = shape.split('~');
    let first = parts.next().unwrap_or_default().to_owned();
    parts.fold(first, |worded, part| worded + &prose.title() + part)
}

/// A later part of at least this many bytes.
fn addendum(form: &Form, least: f64, entry: &Entry, prose: &mut Prose) -> String {
    let shapes = ["~ <date>", "~ <a> ~ <b>", "~", "~, ~ <place>"];
    let head = one_of(prose, &shapes);
    let mut later = entry.filled_into(&worded(&head, prose));
    loop {
        later = format!("{later}\n\n{}", form.put_in(prose));
        if later.len() as f64 >= least {
            return later;
        }
    }
}

/// Forms of a manner that no model is trained on, filled in and revised.
pub fn held_out(seed: u64, forms: u64) -> Vec<LabelledPair> {
    let texts: Vec<Vec<String>> = (0..forms)
        .map(|number| Prose::new(seed ^ 0x55, number).paragraphs(62))
        .collect();
    let joined: Vec<String> = texts.iter().map(|text| text.join("\n\n")).collect();
    let stock = Stock::of(joined.iter().map(String::as_str));
    let mut pairs = Vec::new();
    for (source, text) in (0..).zip(&texts) {
        let cases = Cases {
            source,
            family: source,
            tongue: Tongue::English,
            seed,
            stock: &stock,
            others: &[],
        };
        pairs.extend(cases.of_manner(&LICENCE, text, &mut Prose::new(seed, source)));
    }
    pairs
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::labelled::Body;

    #[test]
    fn a_filled_form_has_no_field_left_and_another_entry_fills_it_otherwise() {
        for seed in 0..20 {
            let mut prose = Prose::new(seed, 1);
            let manner = TRAINED[seed as usize % TRAINED.len()];
            let form = Form::new(manner, &prose.paragraphs(4), &mut prose);
            let [a, b] = [0, 1].map(|_| Entry::new(&mut prose, form.has_numbers));
            let [a, b] = [a, b].map(|entry| entry.filled_into(&form.written()));
            assert!(!a.contains('<') && a != b, "{a}");
            assert!(Entry::blank().filled_into(&form.written()).contains("____"));
        }
    }

    #[test]
    fn forms_are_long_and_short_and_of_every_kind() {
        let pairs = held_out(3007, 40);
        let lengths = pairs.iter().map(|pair| {
            let text = pair.documents[0].text(Body::Shown).canonical();
            text.as_bytes().len()
        });
        let lengths: Vec<usize> = lengths.collect();
        assert!(lengths.iter().any(|length| *length < 2_000), "{lengths:?}");
        assert!(lengths.iter().any(|length| *length > 10_000), "{lengths:?}");
        let kinds: std::collections::BTreeSet<_> = pairs.iter().map(|pair| pair.kind).collect();
        assert_eq!(kinds.len(), 8, "{kinds:?}");
    }
}
