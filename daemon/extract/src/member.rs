//! Files inside a file: entries of an archive, attachments of a message, messages of a mailbox.
//!
//! A worker does not read members. It unpacks them one level deep and returns their bytes; the daemon identifies each
//! by its hash, as it does files on disk, and has it read like one. So each member is read separately, and only once
//! however often it occurs, and no worker can decide what the bytes of another content mean.

use std::io;

use serde::{Deserialize, Serialize};

use crate::Reason;
use crate::member_bytes::MemberBytes;

/// Longest name of a member, in bytes.
pub(crate) const MAX_NAME_BYTES: usize = 1024;

/// The role of a member in its container.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Role {
    /// Entry of an archive.
    Entry,
    /// Attachment of a message or a document.
    Attachment,
    /// Message of a mailbox.
    Message,
    /// Object embedded in a document.
    Embedded,
    /// Text that a message quotes from another.
    Quoted,
    /// A page as it is displayed: its frames filled in from the files beside it.
    Rendered,
}

/// The metadata of a member, from its container.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MemberHead {
    /// Only a label: with `/` between folders, never a path that is opened.
    pub name: String,
    /// Its role in its container.
    pub role: Role,
    /// Last modification or sending, in seconds since 1970, if the container states it.
    pub modified: Option<i64>,
    /// Why its bytes do not follow.
    pub unread: Option<Reason>,
}

impl MemberHead {
    /// The head of a member whose bytes follow; its name is cut to what the daemon accepts.
    #[must_use]
    pub fn new(name: &str, role: Role) -> Self {
        let mut name: String = name.chars().filter(|c| *c != '\0').collect();
        name.truncate(name.floor_char_boundary(MAX_NAME_BYTES));
        Self {
            name,
            role,
            modified: None,
            unread: None,
        }
    }

    pub(crate) fn is_sound(&self) -> bool {
        self.name.len() <= MAX_NAME_BYTES && !self.name.contains('\0')
    }
}

/// Where a reader passes members: to the daemon, or into a test's list.
///
/// # Errors
/// All of its functions fail if the daemon no longer listens.
pub trait MemberOut {
    /// Begins a member; its bytes follow, unless the head says why they do not.
    fn begin(&mut self, head: &MemberHead) -> io::Result<()>;
    /// Some of its bytes.
    fn chunk(&mut self, bytes: &[u8]) -> io::Result<()>;
    /// Ends the bytes of a member; `cut` says why they are incomplete.
    fn end(&mut self, cut: Option<Reason>) -> io::Result<()>;
}

/// A member as the daemon holds it.
#[derive(Debug, Clone)]
pub struct Member {
    /// Only a label, as the container spells it: with `/` between folders. It may be empty, be `..`, or occur twice.
    pub name: String,
    /// Its role in its container.
    pub role: Role,
    /// Last modification or sending, in seconds since 1970, if the container states it.
    pub modified: Option<i64>,
    /// Its bytes, or why there are none.
    pub body: Result<MemberBytes, Reason>,
}
