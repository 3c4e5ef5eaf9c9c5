//! Items that are no messages but stored like them: contacts, whose text is in separate fields.

use super::message::Message;
use super::properties::id;

/// Fields of a contact [MS-OXOCNTC §2.2.1] in the order in which they are written: names, work, addresses and numbers,
/// the rest.
const CONTACT: &[u16] = &[
    0x3001, 0x3a4f, 0x3a16, 0x3a17, 0x3a18, 0x3a46,
    0x3a19, // Name, nickname, company, title, …
    0x3a15, 0x3a29, 0x3a27, 0x3a28, 0x3a2a, 0x3a26, // Addresses.
    0x3a59, 0x3a5b, 0x3a5c, 0x3a5a, 0x3a5d, // The same, private.
    0x3a08, 0x3a1b, 0x3a09, 0x3a2f, 0x3a1c, 0x3a1a, 0x3a24, 0x3a25, 0x3a23, // Numbers.
    0x3a50, 0x3a51, 0x3a48, 0x3a4e, 0x3a30, // Pages, partner, manager, assistant.
];

impl Message<'_> {
    /// The fields of a contact, one per line; empty for everything else.
    pub(super) fn fields(&self) -> String {
        let class = self.properties.text(id::MESSAGE_CLASS).unwrap_or_default();
        if !class.to_ascii_lowercase().starts_with("ipm.contact") {
            return String::new();
        }
        let mut lines: Vec<&str> = Vec::new();
        for value in CONTACT.iter().filter_map(|id| self.properties.text(*id)) {
            // What is in a whole address is not repeated piece by piece.
            if !lines.iter().any(|line| line.contains(value)) {
                lines.push(value);
            }
        }
        lines.iter().map(|line| format!("{line}\n")).collect()
    }
}
