//! Which groups of a report are shown, and on which page.

use super::ReportGroup;
use crate::base::report_files::{MAX_PAGES, page_name};

/// Groups shown, on all pages together; this also limits the list of groups, which is on one page.
pub(super) const GROUPS_SHOWN: usize = MAX_PAGES;
/// Files shown of one group.
pub(super) const FILES_SHOWN: usize = 200;
/// Files shown on a page, by its groups together; a group is on one page.
const PAGE_FILES: usize = 600;

/// Which group is on which page.
pub(super) struct PagePlan {
    /// The first group of each page, by its index in the report's order.
    starts: Vec<usize>,
}

impl PagePlan {
    /// Groups in the order of the report.
    pub(super) fn of(groups: &[&ReportGroup]) -> Self {
        let (mut starts, mut files) = (vec![0], 0);
        for (index, group) in groups.iter().take(GROUPS_SHOWN).enumerate() {
            files += group.members.len().min(FILES_SHOWN);
            if files > PAGE_FILES && starts.last() != Some(&index) {
                starts.push(index);
                files = group.members.len().min(FILES_SHOWN);
            }
        }
        Self { starts }
    }

    /// The number of pages.
    pub(super) fn pages(&self) -> usize {
        self.starts.len()
    }

    /// The page of a group, from 0.
    pub(super) fn page_of(&self, group: usize) -> usize {
        let after = self.starts.partition_point(|start| *start <= group);
        after.saturating_sub(1)
    }

    /// A link from the first page to a group.
    pub(super) fn link(&self, group: usize, id: u64) -> String {
        match self.page_of(group) {
            0 => format!("#g{id}"),
            page => format!("{}#g{id}", page_name(page)),
        }
    }
}
