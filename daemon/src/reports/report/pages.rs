//! The pages of a report: `report.html`, and `report-0002.html` and so on, if there are more groups than a
//! browser shows at once.
//!
//! The page of each group depends only on the sizes of the groups, so that the list of groups at the head of
//! the first page can link to all of them before any is compared.
use std::io::{self, Write};

use super::page_plan::PagePlan;
use super::sink::{HashedFile, HashingSink};
use super::{ReportError, ReportGroup, ReportInput, html};
use crate::base::report_files::page_name;

/// Bytes of differences shown on a page; browsers struggle with more.
const PAGE_DIFFERENCES: usize = 4 << 20;

/// Bytes of differences shown on all pages together: a report should not grow without need.
const ALL_DIFFERENCES: usize = 64 << 20;

/// The pages while they are written. The first is open to the end, for what follows its groups.
pub(super) struct Pages<'a> {
    plan: PagePlan,
    first: HashedFile<'a>,
    /// The page of the last group, if that is not the first.
    later: Option<HashedFile<'a>>,
    page: usize,
    /// Bytes of differences on this page, and on all.
    difference_bytes: usize,
    all_difference_bytes: usize,
}

impl<'a> Pages<'a> {
    pub(super) fn open(
        sink: &mut HashingSink<'a>,
        groups: &[&ReportGroup],
    ) -> Result<Self, ReportError> {
        Ok(Self {
            plan: PagePlan::of(groups),
            first: sink.create_file(&page_name(0))?,
            later: None,
            page: 0,
            difference_bytes: 0,
            all_difference_bytes: 0,
        })
    }

    /// Appends links to groups on all pages to the first page.
    pub(super) fn write_to_first<F>(&mut self, write: F) -> Result<(), ReportError>
    where
        F: FnOnce(&mut dyn Write, &PagePlan) -> io::Result<()>,
    {
        let plan = &self.plan;
        self.first.write_with(|out| write(out, plan))
    }

    /// The first page.
    pub(super) fn first(&mut self) -> &mut HashedFile<'a> {
        &mut self.first
    }

    /// Opens the page that a group is on, if that is a new one.
    pub(super) fn turn_to(
        &mut self,
        group: usize,
        sink: &mut HashingSink<'a>,
        input: &ReportInput<'_>,
    ) -> Result<(), ReportError> {
        let page = self.plan.page_of(group);
        if page == self.page {
            return Ok(());
        }
        self.end_page(sink)?;
        let mut file = sink.create_file(&page_name(page))?;
        file.write_with(|out| html::later_head(out, input, page, self.plan.pages()))?;
        (self.later, self.page, self.difference_bytes) = (Some(file), page, 0);
        Ok(())
    }

    /// Ends the current page, unless it is the first.
    pub(super) fn end_page(&mut self, sink: &mut HashingSink<'a>) -> Result<(), ReportError> {
        let Some(mut file) = self.later.take() else {
            return Ok(());
        };
        file.write_with(|out| html::later_foot(out, self.page, self.plan.pages()))?;
        sink.finish(file)
    }

    /// Appends to the current page.
    pub(super) fn write_with<F>(&mut self, write: F) -> Result<(), ReportError>
    where
        F: FnOnce(&mut dyn Write) -> io::Result<()>,
    {
        self.later
            .as_mut()
            .unwrap_or(&mut self.first)
            .write_with(write)
    }

    /// Whether the current page has room for one more difference.
    pub(super) fn has_room(&self) -> bool {
        self.difference_bytes < PAGE_DIFFERENCES && self.all_difference_bytes < ALL_DIFFERENCES
    }

    /// Counts a difference shown on the current page.
    pub(super) fn take_room(&mut self, bytes: usize) {
        self.difference_bytes += bytes;
        self.all_difference_bytes += bytes;
    }

    /// Completes the first page; nothing can be added to it afterwards.
    pub(super) fn finish(self, sink: &mut HashingSink<'a>) -> Result<(), ReportError> {
        sink.finish(self.first)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn group(files: usize) -> ReportGroup {
        let member = super::super::tests::plain_member();
        ReportGroup {
            id: 1,
            kind: "star",
            common: None,
            principal: Vec::new(),
            members: vec![member; files],
        }
    }

    #[test]
    fn pages_hold_so_many_files_and_every_group_is_on_one() {
        let groups: Vec<_> = [2, 597, 2, 5_000, 500, 2, 2].map(group).into();
        let groups: Vec<_> = groups.iter().collect();
        let plan = PagePlan::of(&groups);
        let pages: Vec<_> = (0..groups.len()).map(|it| plan.page_of(it)).collect();
        assert_eq!(pages, [0, 0, 0, 0, 1, 1, 1]);
        assert_eq!(plan.pages(), 2);
        assert_eq!(plan.link(1, 9), "#g9");
        assert_eq!(plan.link(6, 9), "report-0002.html#g9");
    }

    #[test]
    fn no_groups_are_one_page() {
        assert_eq!(PagePlan::of(&[]).pages(), 1);
        let large = group(1_000);
        assert_eq!(PagePlan::of(&[&large]).pages(), 1);
    }
}
