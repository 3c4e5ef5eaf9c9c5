//! Collects the members of one container as its worker sends them.

use std::io::{self, Write};

use crate::member::{Member, MemberHead};
use crate::member_bytes::{Extent, Spool};
use crate::private_bytes::GrowingBytes;
use crate::spool_budget::SpoolBudget;
use crate::{Budgets, Reason};

/// What is done with the files inside a document.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum MemberPolicy {
    /// They are kept, and returned with the text.
    #[default]
    Keep,
    /// They are counted against the budgets and dropped as they arrive: nothing is spooled.
    Discard,
}

/// Collects the members that a worker sends, within the budgets: a worker that sends more is not to be trusted.
pub(crate) struct MemberCollector<'a> {
    space: &'a SpoolBudget,
    budgets: &'a Budgets,
    policy: MemberPolicy,
    spool: GrowingBytes,
    /// Bytes of members so far, kept or not.
    received: u64,
    members: Vec<(MemberHead, Extent)>,
    /// The error that kept the bytes from being stored, which is not the worker's fault.
    failed: Option<io::Error>,
}

impl<'a> MemberCollector<'a> {
    pub(crate) fn new(
        space: &'a SpoolBudget,
        budgets: &'a Budgets,
        policy: MemberPolicy,
    ) -> io::Result<Self> {
        Ok(Self {
            space,
            budgets,
            policy,
            spool: GrowingBytes::new(space, 0)?,
            received: 0,
            members: Vec::new(),
            failed: None,
        })
    }

    /// Takes the error that kept the bytes from being stored, if any.
    pub(crate) fn failure(&mut self) -> Option<io::Error> {
        self.failed.take()
    }

    /// Begins the next member; the bytes that follow are its own.
    pub(crate) fn begin(&mut self, head: MemberHead) -> io::Result<()> {
        if self.members.len() >= self.budgets.entries as usize || !head.is_sound() {
            return Err(io::ErrorKind::InvalidData.into());
        }
        let extent = Extent {
            start: self.spool.length(),
            length: 0,
            cut: None,
        };
        self.members.push((head, extent));
        Ok(())
    }

    pub(crate) fn chunk(&mut self, bytes: &[u8]) -> io::Result<()> {
        let more = bytes.len() as u64;
        if self.received + more > self.budgets.total_bytes {
            return Err(io::ErrorKind::InvalidData.into());
        }
        self.current()?.length += more;
        self.received += more;
        if self.policy == MemberPolicy::Discard {
            return Ok(());
        }
        self.spool.write_all(bytes).map_err(|error| {
            let kind = error.kind();
            self.failed = Some(error);
            kind.into()
        })
    }

    pub(crate) fn end(&mut self, cut: Option<Reason>) -> io::Result<()> {
        self.current()?.cut = cut;
        Ok(())
    }

    /// The members; none if they are discarded.
    pub(crate) fn into_members(self) -> io::Result<Vec<Member>> {
        if self.policy == MemberPolicy::Discard {
            return Ok(Vec::new());
        }
        let spool = Spool::of(self.spool, self.space)?;
        // A member that breaks off before its first byte counts as unread: kept with no bytes, it would look like an
        // empty file.
        let unread = |head: &MemberHead, extent: &Extent| {
            let is_empty = extent.length == 0;
            head.unread.or(extent.cut.filter(|_| is_empty))
        };
        let member = |(head, extent): (MemberHead, Extent)| Member {
            body: match unread(&head, &extent) {
                Some(reason) => Err(reason),
                None => Ok(spool.part(extent)),
            },
            name: head.name,
            role: head.role,
            modified: head.modified,
        };
        Ok(self.members.into_iter().map(member).collect())
    }

    /// The member whose bytes arrive.
    fn current(&mut self) -> io::Result<&mut Extent> {
        self.members
            .last_mut()
            .filter(|(head, _)| head.unread.is_none())
            .map(|(_, extent)| extent)
            .ok_or_else(|| io::ErrorKind::InvalidData.into())
    }
}

#[cfg(test)]
mod tests {
    use std::io::Read;

    use super::*;
    use crate::Role;
    use crate::private_bytes::IN_MEMORY;

    fn space() -> SpoolBudget {
        SpoolBudget::new(std::env::temp_dir(), 1 << 30)
    }

    fn head(name: &str) -> MemberHead {
        MemberHead::new(name, Role::Entry)
    }

    #[test]
    fn members_keep_their_own_bytes_and_can_only_be_read() {
        let (space, budgets) = (space(), Budgets::default());
        let mut spool = MemberCollector::new(&space, &budgets, MemberPolicy::Keep).unwrap();
        for (name, pieces) in [
            ("a", &["one ", "two"][..]),
            ("b", &[]),
            ("c", &["three"]),
            ("d", &[]),
        ] {
            spool.begin(head(name)).unwrap();
            for piece in pieces {
                spool.chunk(piece.as_bytes()).unwrap();
            }
            spool.end((name >= "c").then_some(Reason::Damaged)).unwrap();
        }
        let members = spool.into_members().unwrap();
        assert!(
            matches!(members[3].body, Err(Reason::Damaged)),
            "taken for an empty file"
        );
        let read = |member: &Member| {
            let bytes = member.body.as_ref().unwrap();
            let (private, mut text) = (bytes.to_file().unwrap(), String::new());
            let mut file = private.file();
            assert!(file.write_all(b"x").is_err(), "it can be written to");
            file.read_to_string(&mut text).unwrap();
            (bytes.length(), text, bytes.cut())
        };
        assert_eq!(read(&members[0]), (7, "one two".into(), None));
        assert_eq!(read(&members[1]), (0, String::new(), None));
        assert_eq!(
            read(&members[2]),
            (5, "three".into(), Some(Reason::Damaged))
        );
    }

    #[test]
    fn what_outgrows_the_memory_lies_in_a_file_and_reads_the_same() {
        let (space, budgets) = (space(), Budgets::default());
        let mut spool = MemberCollector::new(&space, &budgets, MemberPolicy::Keep).unwrap();
        let bytes: Vec<u8> = (0..IN_MEMORY / 2 + 1).map(|at| (at % 251) as u8).collect();
        for name in ["a", "b", "c"] {
            spool.begin(head(name)).unwrap();
            spool.chunk(&bytes).unwrap();
        }
        let members = spool.into_members().unwrap();
        for member in &members {
            let own = member.body.as_ref().unwrap();
            assert!(own.is_in_file());
            let mut read = Vec::new();
            own.to_file()
                .unwrap()
                .file()
                .read_to_end(&mut read)
                .unwrap();
            assert!(read == bytes, "{}", member.name);
        }
    }

    #[test]
    fn more_than_the_budgets_allow_is_a_lie() {
        let space = space();
        let budgets = Budgets {
            entries: 1,
            total_bytes: 4,
            ..Budgets::default()
        };
        let mut spool = MemberCollector::new(&space, &budgets, MemberPolicy::Keep).unwrap();
        assert!(spool.chunk(b"x").is_err(), "bytes of no member");
        let mut spool = MemberCollector::new(&space, &budgets, MemberPolicy::Keep).unwrap();
        spool.begin(head("a")).unwrap();
        spool.chunk(b"1234").unwrap();
        assert!(spool.chunk(b"5").is_err());
        assert!(spool.begin(head("b")).is_err());
    }

    #[test]
    fn a_full_spool_is_told_from_a_lie() {
        let (space, budgets) = (
            SpoolBudget::new(std::env::temp_dir(), 1 << 20),
            Budgets::default(),
        );
        let mut spool = MemberCollector::new(&space, &budgets, MemberPolicy::Keep).unwrap();
        spool.begin(head("a")).unwrap();
        assert!(spool.chunk(&vec![0; IN_MEMORY + 1]).is_err());
        assert!(spool.failure().is_some());
        let mut spool = MemberCollector::new(&space, &budgets, MemberPolicy::Keep).unwrap();
        assert!(spool.chunk(b"bytes of no member").is_err());
        assert!(spool.failure().is_none());
    }

    #[test]
    fn what_is_discarded_takes_no_room_and_is_bounded_all_the_same() {
        let (space, budgets) = (
            SpoolBudget::new(std::env::temp_dir(), 1),
            Budgets {
                total_bytes: 4 << 20,
                ..Budgets::default()
            },
        );
        let mut spool = MemberCollector::new(&space, &budgets, MemberPolicy::Discard).unwrap();
        spool.begin(head("a")).unwrap();
        for _ in 0..4 {
            spool.chunk(&vec![0; IN_MEMORY]).unwrap();
        }
        assert_eq!(space.used(), 0);
        assert!(spool.chunk(b"1").is_err() && spool.failure().is_none());
        assert!(spool.into_members().unwrap().is_empty());
    }
}
