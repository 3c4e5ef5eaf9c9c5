//! A sink whose members are collected in a list, for tests.

use std::cell::RefCell;
use std::io;
use std::rc::Rc;

use simdex_extract::{Budgets, Facts, MemberHead, MemberOut, Reason, Role};

use super::Sink;

/// A member as a reader passed it on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Collected {
    pub(crate) name: String,
    pub(crate) role: Role,
    pub(crate) modified: Option<i64>,
    pub(crate) unread: Option<Reason>,
    pub(crate) bytes: Vec<u8>,
    pub(crate) cut: Option<Reason>,
}

/// The list; clones share it.
#[derive(Debug, Clone, Default)]
pub(crate) struct Collector(pub(crate) Rc<RefCell<Vec<Collected>>>);

impl Collector {
    pub(crate) fn take(&self) -> Vec<Collected> {
        self.0.take()
    }
}

impl MemberOut for Collector {
    fn begin(&mut self, head: &MemberHead) -> io::Result<()> {
        self.0.borrow_mut().push(Collected {
            name: head.name.clone(),
            role: head.role,
            modified: head.modified,
            unread: head.unread,
            bytes: Vec::new(),
            cut: None,
        });
        Ok(())
    }

    fn chunk(&mut self, bytes: &[u8]) -> io::Result<()> {
        let mut list = self.0.borrow_mut();
        let last = list.last_mut().ok_or(io::ErrorKind::InvalidInput)?;
        last.bytes.extend_from_slice(bytes);
        Ok(())
    }

    fn end(&mut self, cut: Option<Reason>) -> io::Result<()> {
        let mut list = self.0.borrow_mut();
        let last = list.last_mut().ok_or(io::ErrorKind::InvalidInput)?;
        last.cut = cut;
        Ok(())
    }
}

impl Sink {
    /// A sink of `limit` bytes with the default budgets that drops members.
    pub(crate) fn of(limit: usize) -> Self {
        Self::collecting(limit, Budgets::default()).0
    }

    /// A sink and the list its members go to.
    pub(crate) fn collecting(limit: usize, budgets: Budgets) -> (Self, Collector) {
        let collector = Collector::default();
        (
            Self::new(limit, budgets, Box::new(collector.clone())),
            collector,
        )
    }

    /// The facts so far.
    pub(crate) fn facts(&self) -> &Facts {
        &self.facts
    }
}
