//! What a form is filled in with: parties, places, dates, amounts.

use super::Prose;

/// Names that are common words as well.
const PLAIN: [&str; 16] = [
    "Green", "Stone", "West", "Park", "Young", "Price", "Long", "Field", "Banks", "Rivers", "Day",
    "Grant", "May", "Page", "Cook", "Marsh",
];
const TRADES: [&str; 10] = [
    "Services",
    "Partners",
    "Systems",
    "Trading",
    "Media",
    "Travel",
    "Energy",
    "Software",
    "Shipping",
    "Insurance",
];
const FORMS: [&str; 6] = ["Limited", "Inc.", "LLC", "SA", "Company", "& Sons"];
const STREETS: [&str; 6] = ["Road", "Street", "Avenue", "Square", "Hill", "Gardens"];
const MONTHS: [&str; 12] = [
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
];
const CURRENCIES: [&str; 4] = ["EUR", "USD", "GBP", "SEK"];
const SPELLED: [&str; 10] = [
    "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten",
];

/// A party: who it is, where, and who signs.
#[derive(Clone, Debug)]
struct Party {
    name: String,
    address: String,
    signer: String,
}

/// The values of all fields of a form.
#[derive(Clone, Debug)]
pub(super) struct Entry {
    parties: [Party; 2],
    date: String,
    place: String,
    amounts: [String; 2],
    term: String,
    number: String,
}

impl Entry {
    /// A new entry. Without numbers, dates and amounts are in words.
    pub(super) fn new(prose: &mut Prose, has_numbers: bool) -> Self {
        let of_firms = prose.random().chance(0.5);
        Self {
            parties: [0, 1].map(|_| Party::new(prose, of_firms, has_numbers)),
            date: date(prose, has_numbers),
            place: prose.name(),
            amounts: [0, 1].map(|_| amount(prose, has_numbers)),
            term: match has_numbers {
                true => (1 + prose.random().below(60)).to_string(),
                false => one_of(prose, &SPELLED),
            },
            number: match has_numbers {
                true => format!("{}-{}", prose.number(3), prose.number(5)),
                false => prose.name(),
            },
        }
    }

    /// Another entry by the same first party.
    pub(super) fn of_same_party(&self, prose: &mut Prose, has_numbers: bool) -> Self {
        let mut other = Self::new(prose, has_numbers);
        other.parties[0] = self.parties[0].clone();
        other
    }

    /// This entry, dated otherwise.
    pub(super) fn of_other_date(&self, prose: &mut Prose, has_numbers: bool) -> Self {
        Self {
            date: date(prose, has_numbers),
            ..self.clone()
        }
    }

    /// This entry with one amount, the term or the date corrected.
    pub(super) fn corrected(&self, prose: &mut Prose, has_numbers: bool) -> Self {
        let mut corrected = self.of_other_date(prose, has_numbers);
        match prose.random().below(3) {
            0 => {}
            1 => corrected.date.clone_from(&self.date),
            _ => return corrected,
        }
        corrected.amounts = [0, 1].map(|_| amount(prose, has_numbers));
        corrected
    }

    /// The entry of a form that nobody has filled in.
    pub(super) fn blank() -> Self {
        let line = || "____________".to_owned();
        let party = || Party {
            name: line(),
            address: line(),
            signer: line(),
        };
        Self {
            parties: [party(), party()],
            date: line(),
            place: line(),
            amounts: [line(), line()],
            term: line(),
            number: line(),
        }
    }

    /// A text with every field filled in: `<a>` and `<b>` are the parties.
    pub(super) fn filled_into(&self, form: &str) -> String {
        let [a, b] = &self.parties;
        let fields = [
            ("<a>", &a.name),
            ("<b>", &b.name),
            ("<at-a>", &a.address),
            ("<at-b>", &b.address),
            ("<sign-a>", &a.signer),
            ("<sign-b>", &b.signer),
            ("<date>", &self.date),
            ("<place>", &self.place),
            ("<amount>", &self.amounts[0]),
            ("<fee>", &self.amounts[1]),
            ("<term>", &self.term),
            ("<no>", &self.number),
        ];
        let mut filled = form.to_owned();
        for (field, value) in fields {
            filled = filled.replace(field, value);
        }
        filled
    }
}

impl Party {
    fn new(prose: &mut Prose, is_firm: bool, has_numbers: bool) -> Self {
        let signer = person(prose);
        let street = format!("{} {}", name(prose), one_of(prose, &STREETS));
        let name = match is_firm {
            true => format!(
                "{} {} {}",
                name(prose),
                one_of(prose, &TRADES),
                one_of(prose, &FORMS)
            ),
            false => signer.clone(),
        };
        let address = match has_numbers {
            true => format!(
                "{} {street}, {} {}",
                prose.number(3),
                prose.number(5),
                prose.name()
            ),
            false => format!("{street}, {}", prose.name()),
        };
        Self {
            name,
            address,
            signer,
        }
    }
}

/// One of some words.
pub(super) fn one_of(prose: &mut Prose, words: &[&str]) -> String {
    let at = prose.random().below(words.len() as u64) as usize;
    words.get(at).copied().unwrap_or_default().to_owned()
}

/// A first and a last name.
pub(super) fn person(prose: &mut Prose) -> String {
    format!("{} {}", prose.name(), name(prose))
}

fn name(prose: &mut Prose) -> String {
    match prose.random().chance(0.2) {
        true => one_of(prose, &PLAIN),
        false => prose.name(),
    }
}

/// A date, in one of the usual forms.
pub(super) fn date(prose: &mut Prose, has_numbers: bool) -> String {
    let (day, month) = (1 + prose.random().below(28), prose.random().below(12));
    let (year, name) = (2005 + prose.random().below(20), MONTHS[month as usize]);
    match (has_numbers, prose.random().below(3)) {
        (false, _) => name.to_owned(),
        (true, 0) => format!("{day} {name} {year}"),
        (true, 1) => format!("{name} {day}, {year}"),
        (true, _) => format!("{year}-{:02}-{day:02}", month + 1),
    }
}

/// An amount of money.
pub(super) fn amount(prose: &mut Prose, has_numbers: bool) -> String {
    match has_numbers {
        true => format!(
            "{} {},{:03}.{:02}",
            one_of(prose, &CURRENCIES),
            1 + prose.number(2),
            prose.number(3),
            prose.number(2)
        ),
        false => format!("{} hundred", one_of(prose, &SPELLED)),
    }
}
