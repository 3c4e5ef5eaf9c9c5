//! The sender and the receivers of a message.

use super::message::Message;
use super::properties::{Properties, id};

/// Name and address; one of them may be empty.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Person {
    pub(super) name: String,
    pub(super) address: String,
}

/// The kind of a recipient [MS-OXOMSG §2.2.3.1], with the property that lists the names of its kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Receiver {
    To = 1,
    Cc = 2,
    Bcc = 3,
}

impl Receiver {
    fn display(self) -> u16 {
        match self {
            Self::To => id::DISPLAY_TO,
            Self::Cc => id::DISPLAY_CC,
            Self::Bcc => id::DISPLAY_BCC,
        }
    }
}

impl Person {
    /// `None` if neither name nor address is known.
    fn new(name: Option<&str>, address: Option<&str>) -> Option<Self> {
        // Outlook puts quotes around addresses used as names.
        let name = name.unwrap_or_default().trim().trim_matches('\'');
        let address = address.unwrap_or_default().trim();
        let name = if name.eq_ignore_ascii_case(address) {
            ""
        } else {
            name
        };
        (!name.is_empty() || !address.is_empty()).then(|| Self {
            name: name.to_owned(),
            address: address.to_owned(),
        })
    }

    /// `Name <address>`, as in mail.
    pub(super) fn shown(&self) -> String {
        match (self.name.as_str(), self.address.as_str()) {
            (name, "") => name.to_owned(),
            ("", address) => address.to_owned(),
            (name, address) => format!("{name} <{address}>"),
        }
    }
}

/// The properties of one person: name, internet address, address, its type.
type Tags = [u16; 4];

const REPRESENTED: Tags = [
    id::SENT_REPRESENTING_NAME,
    id::SENT_REPRESENTING_SMTP_ADDRESS,
    id::SENT_REPRESENTING_ADDRESS,
    id::SENT_REPRESENTING_ADDRESS_TYPE,
];
const SENDER: Tags = [
    id::SENDER_NAME,
    id::SENDER_SMTP_ADDRESS,
    id::SENDER_ADDRESS,
    id::SENDER_ADDRESS_TYPE,
];
const RECIPIENT: Tags = [
    id::DISPLAY_NAME,
    id::RECIPIENT_SMTP_ADDRESS,
    id::ADDRESS,
    id::ADDRESS_TYPE,
];

fn person(properties: &Properties, [name, smtp, address, kind]: Tags) -> Option<Person> {
    // Other addresses are paths in a directory that only the sender's organisation knows.
    let is_smtp = properties
        .text(kind)
        .is_none_or(|kind| kind.eq_ignore_ascii_case("SMTP"));
    let address = properties
        .text(address)
        .filter(|address| is_smtp && address.contains('@'));
    Person::new(properties.text(name), properties.text(smtp).or(address))
}

impl Message<'_> {
    /// The person in whose name the message was sent; otherwise the one who sent it.
    pub(super) fn sender(&self) -> Option<Person> {
        person(&self.properties, REPRESENTED).or_else(|| person(&self.properties, SENDER))
    }

    /// Receivers of that kind; if the message lists none, the names it displays.
    pub(super) fn receivers(&self, kind: Receiver) -> Vec<Person> {
        if self.recipients.is_empty() {
            let names = self.properties.text(kind.display()).unwrap_or_default();
            let named = |name| Person::new(Some(name), name.contains('@').then_some(name));
            return names.split(';').map(str::trim).filter_map(named).collect();
        }
        let is_kind = |properties: &&Properties| {
            // Higher bits tell whether it was sent to before.
            properties
                .number(id::RECIPIENT_TYPE)
                .map_or(1, |kind| kind & 15)
                == kind as i32
        };
        let found = self.recipients.iter().filter(is_kind);
        found
            .filter_map(|properties| person(properties, RECIPIENT))
            .collect()
    }
}

/// People as one line.
pub(super) fn shown(people: &[Person]) -> String {
    let people: Vec<_> = people.iter().map(Person::shown).collect();
    people.join(", ")
}
