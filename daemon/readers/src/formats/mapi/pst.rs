//! Mailboxes of Outlook [MS-PST]: personal ones (PST) and copies of those on a server (OST).
//!
//! Each message is passed on as mail, named by its folders, its number in the last of them and its subject. The node of
//! a message tells its folder; the tables that list the messages of a folder repeat that and are not needed, so damage
//! to them costs nothing.

mod cipher;
mod heap;
mod layout;
mod mailbox;
mod store;
#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, BTreeSet};
use std::io::Read;

use super::super::Reading;
use super::as_mail::as_mail;
use super::message::label;
use super::properties::id;
use crate::input::Input;
use crate::sink::Sink;
use heap::Heap;
use mailbox::{FOLDER, MESSAGE, TYPE_BITS};
use simdex_extract::{Fact, Outcome, Reason, Role};
use store::Store;

/// Numbers of the nodes of the mailbox itself and of the folder all others are in [§2.4.1].
const MAILBOX: u32 = 0x21;
const ROOT_FOLDER: u32 = 0x122;
/// Maximum number of message and folder nodes.
const MAX_NODES: usize = 4 << 20;
/// Maximum nesting of folders.
const MAX_DEPTH: usize = 100;

pub(crate) fn read(input: &Input, sink: &mut Sink) -> Reading {
    let store = Store::open(input, sink)?;
    let Some(nodes) = Nodes::of(&store) else {
        return Err(Outcome::Failed(Reason::Malformed));
    };
    let mailbox = Walk::new(&store, sink).display_name(MAILBOX);
    sink.state(Fact::Title, &mailbox);
    let mut walk = Walk::new(&store, sink);
    walk.partial = nodes.partial;
    walk.all(&nodes);
    let (partial, lost) = (walk.partial, walk.lost);
    let wrong = store.wrong_checksums.get();
    if wrong > 0 {
        sink.warn(&format!("{wrong} blocks have a wrong checksum"));
    }
    sink.count(Fact::PartsFailed, lost);
    if lost > 0 && !sink.has_members() {
        return Err(Outcome::Failed(Reason::Malformed));
    }
    Ok(partial)
}

/// Folders and messages, by the folder they are in.
#[derive(Default)]
struct Nodes {
    folders: BTreeMap<u32, Vec<u32>>,
    messages: BTreeMap<u32, Vec<u32>>,
    partial: Option<Reason>,
}

impl Nodes {
    /// `None` if nothing can be found in the tree.
    fn of(store: &Store<'_>) -> Option<Self> {
        let mut nodes = Self::default();
        let (mut seen, mut kept) = (0_usize, 0_usize);
        let is_whole = store.each_node(|node, parent| {
            seen += 1;
            let group = match node & TYPE_BITS {
                FOLDER => &mut nodes.folders,
                MESSAGE => &mut nodes.messages,
                _ => return true,
            };
            group.entry(parent).or_default().push(node);
            kept += 1;
            kept < MAX_NODES
        });
        nodes.partial = match () {
            () if kept >= MAX_NODES => Some(Reason::PartsLimit),
            () if !is_whole => Some(Reason::Damaged),
            () => None,
        };
        (seen > 0).then_some(nodes)
    }
}

/// The traversal of the folders.
struct Walk<'a, 's> {
    store: &'a Store<'a>,
    sink: &'s mut Sink,
    visited: BTreeSet<u32>,
    /// Bytes of all messages that may still be passed on.
    left: u64,
    /// Messages whose properties are lost.
    lost: u64,
    partial: Option<Reason>,
    is_over: bool,
}

impl<'a, 's> Walk<'a, 's> {
    fn new(store: &'a Store<'a>, sink: &'s mut Sink) -> Self {
        Self {
            left: sink.budgets().total_bytes,
            store,
            sink,
            visited: BTreeSet::new(),
            lost: 0,
            partial: None,
            is_over: false,
        }
    }

    /// All folders from the root down; then the folders and messages that cannot be reached from it.
    fn all(&mut self, nodes: &Nodes) {
        self.folder(ROOT_FOLDER, "", 0, nodes);
        for &folder in nodes.folders.values().flatten() {
            if !self.visited.contains(&folder) {
                let path = self.path("", folder);
                self.folder(folder, &path, 0, nodes);
            }
        }
        for (parent, messages) in &nodes.messages {
            if !self.visited.contains(parent) {
                self.messages(messages, "");
            }
        }
    }

    fn folder(&mut self, folder: u32, path: &str, depth: usize, nodes: &Nodes) {
        if !self.visited.insert(folder) || self.is_over {
            return;
        }
        let messages = nodes.messages.get(&folder);
        self.messages(messages.map(Vec::as_slice).unwrap_or_default(), path);
        if depth >= MAX_DEPTH {
            self.partial = self.partial.or(Some(Reason::DepthLimit));
            return;
        }
        for &below in nodes.folders.get(&folder).into_iter().flatten() {
            let path = self.path(path, below);
            self.folder(below, &path, depth + 1, nodes);
        }
    }

    /// The path of `folder` below `path`; it ends with a slash.
    fn path(&mut self, path: &str, folder: u32) -> String {
        match label(&self.display_name(folder)) {
            name if name.is_empty() => path.to_owned(),
            name => format!("{path}{name}/"),
        }
    }

    /// The name of a folder or of the mailbox.
    fn display_name(&mut self, node: u32) -> String {
        let limit = self.sink.budgets().entry_bytes;
        let heap = self
            .store
            .node(node)
            .and_then(|node| Heap::open(self.store, node, limit));
        let Some(mut bag) = heap.and_then(|heap| heap.bag()) else {
            return String::new();
        };
        bag.properties.settle(None, self.sink);
        bag.properties
            .text(id::DISPLAY_NAME)
            .unwrap_or_default()
            .to_owned()
    }

    fn messages(&mut self, messages: &[u32], path: &str) {
        for (at, &node) in messages.iter().enumerate() {
            if self.is_over {
                return;
            }
            self.message(node, path, at + 1);
        }
    }

    fn message(&mut self, node: u32, path: &str, ordinal: usize) {
        let found = self.store.node(node);
        let message = found
            .and_then(|node| mailbox::Reader::new(self.store, self.sink).message(node, None, 0));
        let Some(message) = message else {
            self.lost += 1;
            self.partial = self.partial.or(Some(Reason::PartsFailed));
            return;
        };
        let name = format!("{path}{ordinal:04} {}", label(&message.subject()));
        let name = format!("{}.eml", name.trim_end());
        let sent = message.sent().map(|sent| sent.to_timestamp());
        let (mail, partial) = as_mail(message, self.sink);
        let mut mail = mail.take(self.left);
        let cut = self.sink.member(&name, Role::Message, sent, &mut mail);
        self.left = mail.limit();
        if self.left == 0 {
            self.partial = self.partial.or(Some(Reason::InflateLimit));
        }
        self.is_over = self.left == 0 || cut == Some(Reason::PartsLimit);
        self.partial = self.partial.or(cut).or(partial);
    }
}
