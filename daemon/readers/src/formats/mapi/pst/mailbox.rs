//! Messages of a mailbox [MS-PST §2.4]: the recipients are a table in a subnode, and each attachment is a subnode
//! itself.

use std::io::Cursor;

use simdex_extract::Reason;

use super::super::message::{Attachment, Content, Message};
use super::super::properties::{id, kind};
use super::heap::{Heap, Lazy, long};
use super::layout::Node;
use super::store::Store;
use crate::sink::Sink;

/// The type of a node, in the low bits of its number [§2.2.2.1].
pub(super) const TYPE_BITS: u32 = 0x1f;
pub(super) const FOLDER: u32 = 0x02;
pub(super) const MESSAGE: u32 = 0x04;
const ATTACHMENT: u32 = 0x05;
const RECIPIENTS: u32 = 0x12;
/// Method of an attachment that is a message.
const BY_MESSAGE: i32 = 5;

/// Reads one message, and the nested messages.
pub(super) struct Reader<'a, 's> {
    store: &'a Store<'a>,
    sink: &'s mut Sink,
    /// Attachments that may still be read. The same nodes may be nested in each other many times.
    parts: u32,
    limit: u64,
}

impl<'a, 's> Reader<'a, 's> {
    pub(super) fn new(store: &'a Store<'a>, sink: &'s mut Sink) -> Self {
        Self {
            store,
            parts: sink.budgets().mime_parts,
            limit: sink.budgets().entry_bytes,
            sink,
        }
    }

    /// The message at `node`; `None` if there is none, or its properties are lost.
    pub(super) fn message(
        &mut self,
        node: Node,
        page: Option<i32>,
        depth: u32,
    ) -> Option<Message<'a>> {
        let heap = Heap::open(self.store, node, self.limit)?;
        let bag = heap.bag()?;
        let mut message = Message {
            properties: bag.properties,
            partial: bag.partial,
            ..Message::default()
        };
        message.properties.settle(page, self.sink);
        let page = message.properties.code_page().or(page);
        for (number, node) in heap.subnodes {
            let cut = match number & TYPE_BITS {
                RECIPIENTS => self.recipients(&mut message, node, page),
                ATTACHMENT if self.parts == 0 => Some(Reason::PartsLimit),
                ATTACHMENT => {
                    self.parts -= 1;
                    let attachment = self.attachment(node, page, depth);
                    let is_lost = attachment.is_none();
                    message.attachments.extend(attachment);
                    is_lost.then_some(Reason::PartsFailed)
                }
                _ => None,
            };
            message.partial = message.partial.or(cut);
        }
        Some(message)
    }

    fn recipients(
        &mut self,
        message: &mut Message<'a>,
        node: Node,
        page: Option<i32>,
    ) -> Option<Reason> {
        let max_rows = self.sink.budgets().entries as usize;
        let table = Heap::open(self.store, node, self.limit);
        let Some(mut rows) = table.and_then(|table| table.table(max_rows)) else {
            return Some(Reason::PartsFailed);
        };
        for recipient in &mut rows {
            recipient.settle(page, self.sink);
        }
        message.recipients.extend(rows);
        None
    }

    fn attachment(&mut self, node: Node, page: Option<i32>, depth: u32) -> Option<Attachment<'a>> {
        let heap = Heap::open(self.store, node, self.limit)?;
        let mut bag = heap.bag()?;
        bag.properties.settle(page, self.sink);
        let method = bag.properties.number(id::ATTACH_METHOD);
        let content = bag.content.map(|(kind, place)| (kind, heap.lazy(place)));
        let content = match content {
            // A number of a subnode, and a size.
            Some((kind::OBJECT, Lazy::Here(object))) => {
                let number = long(&object, 0).unwrap_or_default();
                match heap.subnode(number) {
                    Some(node) if method == Some(BY_MESSAGE) => self.nested(node, page, depth),
                    Some(node) => Content::Bytes(Box::new(self.store.reader(node))),
                    None => Content::Unread(Reason::Damaged),
                }
            }
            Some((_, Lazy::Here(bytes))) => Content::Bytes(Box::new(Cursor::new(bytes))),
            Some((_, Lazy::Subnode(node))) => Content::Bytes(Box::new(self.store.reader(node))),
            _ if Attachment::is_reference(&bag.properties) => Content::Elsewhere,
            _ => Content::Unread(Reason::Damaged),
        };
        Some(Attachment {
            properties: bag.properties,
            content,
        })
    }

    fn nested(&mut self, node: Node, page: Option<i32>, depth: u32) -> Content<'a> {
        if depth >= self.sink.budgets().mime_depth {
            return Content::Unread(Reason::DepthLimit);
        }
        match self.message(node, page, depth + 1) {
            Some(message) => Content::Message(Box::new(message)),
            None => Content::Unread(Reason::Damaged),
        }
    }
}
