//! Where the formats write what they find: text, bounded and without NUL; also remarks, facts and members.

use std::io::Read;

use simdex_extract::{Budgets, Fact, Facts, MemberHead, MemberOut, Reason, Role};

use crate::struck;

/// Maximum number of remarks kept for one document.
const MAX_WARNINGS: usize = 16;
/// Longest remark, in characters.
const MAX_WARNING_CHARS: usize = 200;

/// Bytes of a member that are sent at once.
const CHUNK_BYTES: usize = 64 << 10;

/// The result of one document. Text is kept up to a limit; the sink remembers whether more was dropped.
pub(crate) struct Sink {
    text: String,
    limit: usize,
    full: bool,
    warnings: Vec<String>,
    facts: Facts,
    parser: Option<&'static str>,
    budgets: Budgets,
    members: Box<dyn MemberOut>,
    member_bytes: u64,
}

impl Sink {
    pub(crate) fn new(limit: usize, budgets: Budgets, members: Box<dyn MemberOut>) -> Self {
        Self {
            text: String::new(),
            limit,
            full: false,
            warnings: Vec::new(),
            facts: Facts::default(),
            parser: None,
            budgets,
            members,
            member_bytes: 0,
        }
    }

    /// A sink for a dry run: members are dropped, nothing is remembered.
    pub(crate) fn dry_run(&self) -> Self {
        Self::new(self.limit, self.budgets.clone(), Box::new(DiscardMembers))
    }

    /// The bounds of every reader.
    pub(crate) fn budgets(&self) -> &Budgets {
        &self.budgets
    }

    /// Names the parser that read the document, if it is not the format's usual one.
    pub(crate) fn set_parser(&mut self, parser: &'static str) {
        self.parser = Some(parser);
    }

    pub(crate) fn parser(&self) -> Option<&'static str> {
        self.parser
    }

    /// Whether the text is in other files: inside, or where the frames of a page ask for it.
    pub(crate) fn has_text_elsewhere(&self) -> bool {
        self.has_members() || self.facts.get(Fact::FramesAsked).is_some()
    }

    /// Whether any member was reported.
    pub(crate) fn has_members(&self) -> bool {
        self.facts.number(Fact::Members) > 0
    }

    /// States a fact; the first of several statements stays.
    pub(crate) fn state(&mut self, fact: Fact, value: &str) {
        self.facts.state(fact, value);
    }

    /// Adds to a list of addresses.
    pub(crate) fn list(&mut self, fact: Fact, address: &str) {
        self.facts.list(fact, address);
    }

    /// Adds to a count.
    pub(crate) fn count(&mut self, fact: Fact, more: u64) {
        self.facts.count(fact, more);
    }

    /// Passes on a member and counts it. Returns `None` if it was complete; a reason if the member was cut
    /// ([`Reason::Damaged`] if `bytes` fails, [`Reason::InflateLimit`]), or left out because there are too many
    /// ([`Reason::PartsLimit`]): no further one is accepted then.
    pub(crate) fn member(
        &mut self,
        name: &str,
        role: Role,
        modified: Option<i64>,
        bytes: &mut dyn Read,
    ) -> Option<Reason> {
        let head = MemberHead {
            modified,
            ..MemberHead::new(name, role)
        };
        if !self.count_member() {
            return Some(Reason::PartsLimit);
        }
        self.transfer(&head, bytes)
            .unwrap_or(Some(Reason::ReadError))
    }

    /// Reports a member whose bytes cannot be read: encrypted, packed in an unknown way, damaged.
    pub(crate) fn member_unread(
        &mut self,
        name: &str,
        role: Role,
        modified: Option<i64>,
        reason: Reason,
    ) -> Option<Reason> {
        let head = MemberHead {
            modified,
            unread: Some(reason),
            ..MemberHead::new(name, role)
        };
        if !self.count_member() {
            return Some(Reason::PartsLimit);
        }
        self.members.begin(&head).err().map(|_| Reason::ReadError)
    }

    /// Counts one more, if allowed.
    fn count_member(&mut self) -> bool {
        let has_room = self.has_room_for_member();
        self.count(Fact::Members, u64::from(has_room));
        has_room
    }

    /// Whether [`Sink::member`] would take another.
    pub(crate) fn has_room_for_member(&self) -> bool {
        self.facts.number(Fact::Members) < u64::from(self.budgets.entries)
    }

    fn transfer(
        &mut self,
        head: &MemberHead,
        bytes: &mut dyn Read,
    ) -> std::io::Result<Option<Reason>> {
        self.members.begin(head)?;
        let left = self.budgets.total_bytes.saturating_sub(self.member_bytes);
        let mut left = left.min(self.budgets.entry_bytes);
        let mut buffer = vec![0; CHUNK_BYTES];
        let cut = loop {
            let read = match bytes.read(&mut buffer) {
                Ok(0) => break None,
                Ok(read) => read,
                Err(error) if error.kind() == std::io::ErrorKind::Interrupted => continue,
                // A reader's own limit, such as the ratio of an archive's entry.
                Err(error) if error.kind() == std::io::ErrorKind::FileTooLarge => {
                    break Some(Reason::InflateLimit);
                }
                Err(_) => break Some(Reason::Damaged),
            };
            let taken = usize::try_from(left).map_or(read, |left| read.min(left));
            self.members.chunk(&buffer[..taken])?;
            self.member_bytes += taken as u64;
            left -= taken as u64;
            if taken < read {
                break Some(Reason::InflateLimit);
            }
        };
        self.members.end(cut)?;
        Ok(cut)
    }

    /// Appends `piece` without its NULs, up to the limit and never splitting a character.
    pub(crate) fn push(&mut self, piece: &str) {
        for run in piece.split('\0').filter(|run| !run.is_empty()) {
            if self.full {
                return;
            }
            let room = self.limit - self.text.len();
            let cut = run.floor_char_boundary(room.min(run.len()));
            self.full = cut < run.len();
            self.text.push_str(&run[..cut]);
        }
    }

    /// Ends the line, unless one has just ended or nothing was written yet.
    pub(crate) fn newline(&mut self) {
        self.separate('\n');
    }

    /// Puts `separator` between words, unless there is already white space.
    pub(crate) fn separate(&mut self, separator: char) {
        let last = self.text.chars().next_back();
        let ends = match separator {
            '\n' => last.is_none_or(|c| c == '\n'),
            _ => last.is_none_or(char::is_whitespace),
        };
        if !ends {
            self.push(separator.encode_utf8(&mut [0; 4]));
        }
    }

    /// Notes a remark for people; control characters are dropped, the rest is bounded.
    pub(crate) fn warn(&mut self, warning: &str) {
        if self.warnings.len() < MAX_WARNINGS {
            let clean = warning.chars().filter(|c| !c.is_control());
            self.warnings.push(clean.take(MAX_WARNING_CHARS).collect());
        }
    }

    /// Whether text was dropped because the room was used up; formats may stop early then.
    pub(crate) fn is_full(&self) -> bool {
        self.full
    }

    /// Bytes still free.
    pub(crate) fn room(&self) -> usize {
        self.limit - self.text.len()
    }

    pub(crate) fn is_blank(&self) -> bool {
        self.text.trim_ascii().is_empty() && self.text.trim().is_empty()
    }

    #[cfg(test)]
    pub(crate) fn text(&self) -> &str {
        &self.text
    }

    /// Takes the text out, with the marks of what is struck through in it.
    pub(crate) fn take_text(&mut self) -> String {
        struck::settle(std::mem::take(&mut self.text))
    }

    /// Remarks and facts.
    pub(crate) fn into_remarks(self) -> (Vec<String>, Facts) {
        (self.warnings, self.facts)
    }
}

/// Takes members and drops them.
struct DiscardMembers;

impl MemberOut for DiscardMembers {
    fn begin(&mut self, _: &MemberHead) -> std::io::Result<()> {
        Ok(())
    }

    fn chunk(&mut self, _: &[u8]) -> std::io::Result<()> {
        Ok(())
    }

    fn end(&mut self, _: Option<Reason>) -> std::io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
pub(crate) mod collected;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_limit_cuts_between_characters() {
        let mut sink = Sink::of(4);
        sink.push("abcß and more");
        assert_eq!(sink.text(), "abc");
        assert!(sink.is_full());
        sink.push("d");
        assert_eq!(sink.text(), "abc", "nothing follows a cut");
    }

    #[test]
    fn text_that_just_fits_is_whole() {
        let mut sink = Sink::of(3);
        sink.push("a\0b\0c\0");
        assert_eq!((sink.text(), sink.is_full()), ("abc", false));
    }

    #[test]
    fn separators_do_not_pile_up() {
        let mut sink = Sink::of(100);
        sink.newline();
        sink.push("one");
        sink.newline();
        sink.newline();
        sink.push("two");
        sink.separate(' ');
        sink.separate('\t');
        sink.push("three");
        assert_eq!(sink.text(), "one\ntwo three");
    }

    #[test]
    fn warnings_are_bounded_in_number_length_and_characters() {
        let mut sink = Sink::of(0);
        for _ in 0..100 {
            sink.warn(&format!("\u{1b}[31m{}", "x".repeat(1000)));
        }
        let warnings = sink.into_remarks().0;
        assert_eq!(warnings.len(), MAX_WARNINGS);
        assert_eq!(warnings[0].chars().count(), MAX_WARNING_CHARS);
        assert!(warnings[0].starts_with("[31m"));
    }
}
