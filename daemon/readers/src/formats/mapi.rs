//! Messages as MAPI properties: single ones (MSG), in mail (TNEF), and mailboxes (PST, OST).
//!
//! The three store the same thing, a bag of numbered properties for a message, each of its
//! recipients and each of its attachments [MS-OXPROPS], in three ways. Each reader only fills the bags; `message`,
//! `people` and `body` alone define what is a subject, a sender or a body.

mod as_mail;
mod body;
mod checksum;
mod compressed_rtf;
mod document;
mod item;
mod message;
pub(crate) mod msg;
mod people;
mod properties;
pub(crate) mod pst;
pub(crate) mod tnef;

pub(super) const PARSER: &str = "mapi 1";
