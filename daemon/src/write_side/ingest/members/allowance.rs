//! What the members under one file on disk may still cost.

use std::time::Duration;

use simdex_schema::{Reason, State};

use super::TreeLimits;

/// Why a member is recorded without its content: state and reason code.
pub(super) type MemberSkip = (State, Reason);

/// The remainder of the limits.
pub(super) struct Allowance {
    /// Containers inside each other.
    nesting: usize,
    /// Remaining time at workers.
    time: Duration,
    /// Remaining time for containers on record that are unpacked again for their members.
    time_again: Duration,
    /// Bytes that may still be extracted.
    bytes: u64,
    /// Members that may still be examined.
    members: usize,
    /// Members beyond the limits that may still be recorded by name.
    names: usize,
}

impl Allowance {
    pub(super) fn of(limits: TreeLimits) -> Self {
        Self {
            nesting: limits.nesting,
            time: limits.time,
            time_again: limits.time,
            bytes: limits.bytes,
            members: limits.members,
            names: limits.members,
        }
    }

    /// Counts the members of the file itself, which are examined in any case.
    pub(super) fn begin(&mut self, members: usize) {
        self.members = self.members.saturating_sub(members);
    }

    /// Reserves room for this many more members, `depth` contents deep.
    pub(super) fn take(
        &mut self,
        members: usize,
        bytes: u64,
        depth: usize,
    ) -> Result<(), MemberSkip> {
        match () {
            () if members == 0 => return Ok(()),
            () if depth >= self.nesting => return Err((State::TooLarge, Reason::DepthLimit)),
            () if members > self.members => return Err((State::TooLarge, Reason::PartsLimit)),
            () if bytes > self.bytes => return Err((State::TooLarge, Reason::InflateLimit)),
            () => {}
        }
        self.members -= members;
        self.bytes -= bytes;
        Ok(())
    }

    /// How many of this many members beyond the limits are recorded by name: as many again as may be
    /// read, and at least one of each container, so that it is visible that it has members.
    pub(super) fn take_names(&mut self, members: usize) -> usize {
        let named = members.min(self.names.max(1));
        self.names -= named.min(self.names);
        named
    }

    pub(super) fn is_out_of_time(&self) -> bool {
        self.time.is_zero()
    }

    /// Charges the time for a content that was read. One on record that is unpacked `again` for its members has a
    /// separate budget of the same size: otherwise each try would use up the time for new contents, and no try would
    /// get further.
    pub(super) fn charge(&mut self, took: Duration, again: bool) {
        let budget = match again && !self.time_again.is_zero() {
            true => &mut self.time_again,
            false => &mut self.time,
        };
        *budget = budget.saturating_sub(took);
    }
}
