//! Groups of near-duplicate documents, within a view and at a threshold.
//!
//! Groups of the configured roots, at the index's own threshold, are maintained ([`maintained`]). Those of another view
//! or threshold are computed for the call: the documents are taken in order of rank, and each is compared with the
//! principals found so far.

use std::ops::Deref;

use roaring::RoaringTreemap;
use simdex_schema::{DocId, EdgeRecord, GroupId};
use simdex_signature::Ratio;

use crate::edges::EdgeFinder;
use crate::groups::{Rank, Stars, rank};
use crate::shared::{IndexShared, IndexState};
use crate::{
    GrowingPermit, IndexError, MemoryAccount, MemoryPermit, ShingleSets, UnsettledCounts,
    VisibleRoots,
};

mod list;
mod maintained;

pub use list::GroupList;
pub use maintained::GroupLookup;

/// A group with its documents; files are asked for by document.
#[derive(Clone, Debug)]
pub struct DocumentGroup {
    /// Persistent id; `None` if the group was computed for this call, or has none yet.
    pub id: Option<GroupId>,
    /// The principal document.
    pub principal: DocId,
    /// Documents other than the principal.
    pub members: Vec<GroupDocument>,
}

impl DocumentGroup {
    /// Bytes of memory that it takes.
    pub fn bytes(&self) -> u64 {
        listed_bytes(1, self.members.len())
    }
}

/// A document of a group.
#[derive(Clone, Copy, Debug)]
pub struct GroupDocument {
    /// Id of the document; never that of the principal.
    pub document: DocId,
    /// Exact counts, the principal's side first.
    pub edge: EdgeRecord,
}

/// Groups of a view, and what was left unread to find them.
#[derive(Debug, Default)]
pub struct FoundGroups {
    /// The groups found, unordered.
    pub groups: Vec<DocumentGroup>,
    /// Posting lists left unread, because no result depended on them; 0 for maintained groups.
    pub common_lists_skipped: u64,
    /// Documents that were not settled when maintained groups were copied; zero for groups computed for the call.
    pub unsettled: UnsettledCounts,
    /// The permit that covers them.
    pub held: Option<GrowingPermit>,
}

/// Documents with text, each after the principal of its group, and the permit for them.
pub struct TextsByGroup {
    grouped: Vec<(DocId, DocId)>,
    _permit: Option<MemoryPermit>,
}

impl Deref for TextsByGroup {
    type Target = [(DocId, DocId)];

    fn deref(&self) -> &Self::Target {
        &self.grouped
    }
}

/// Bytes that a document takes while groups are computed: its rank, and its entry in a star.
const BYTES_PER_PLACED_DOCUMENT: u64 = 192;
/// Documents that are examined while the state is locked.
const AT_ONCE: usize = 4_096;

/// Bytes that this many groups take, with their members.
fn listed_bytes(groups: usize, members: usize) -> u64 {
    (groups * size_of::<DocumentGroup>() + members * size_of::<GroupDocument>()) as u64
}

/// What was unsettled when a list of groups was begun.
struct BegunList {
    unsettled: UnsettledCounts,
    departures: u64,
}

impl BegunList {
    fn of(state: &IndexState) -> Self {
        Self {
            unsettled: state.unsettled.counts(),
            departures: state.stars.departures(),
        }
    }

    /// Documents that were unsettled then, or that have lost their principal since: the list may lack them.
    fn unsettled(&self, now: &IndexState) -> UnsettledCounts {
        let departed = now.stars.departures() - self.departures;
        UnsettledCounts {
            awaited: self.unsettled.awaited.max(departed),
            ..self.unsettled
        }
    }
}

/// Notes the documents of a group, and removes those that were listed before, in another. Returns false if its
/// principal was.
fn note_listed(group: &mut DocumentGroup, listed: &mut RoaringTreemap) -> bool {
    let is_new = listed.insert(group.principal.0);
    if is_new {
        let members = &mut group.members;
        members.retain(|member| listed.insert(member.document.0));
    }
    is_new
}

/// Groups of near-duplicates within a view.
///
/// At the index's own threshold, those of everything served are maintained in memory, and read by locking the state for
/// some thousands of documents at a time. Groups of another view or threshold are computed for the call: that compares
/// every document of the view, and may take minutes. Their memory is charged to the account that is passed.
#[derive(Clone, Copy)]
pub struct Groups<'a> {
    shared: &'a IndexShared,
    shingles: ShingleSets<'a>,
}

impl<'a> Groups<'a> {
    pub(crate) fn of(shingles: ShingleSets<'a>) -> Self {
        Self {
            shared: shingles.shared,
            shingles,
        }
    }

    /// Documents with text that a view shows, group by group: each after the principal of its group, which is itself if
    /// it is a principal or in no group. Includes the permit for the list.
    pub fn texts(
        self,
        view: &VisibleRoots,
        account: &MemoryAccount,
    ) -> Result<TextsByGroup, IndexError> {
        let texts = self.shared.state().texts(view);
        let bytes = texts.len() * size_of::<(DocId, DocId)>() as u64;
        let _permit = account.take_large(bytes)?;
        let in_group = |state: &IndexState, id| (state.stars.principal(id), id);
        let mut grouped = self.of_each(&texts, account, &in_group)?;
        grouped.sort_unstable();
        Ok(TextsByGroup { grouped, _permit })
    }

    /// Groups of at least two files of the view, with the permit for them. Documents whose text is damaged are not
    /// compared; see [`Documents::damaged`](crate::Documents::damaged).
    pub fn of_view(
        self,
        view: &VisibleRoots,
        threshold: Ratio,
        account: &MemoryAccount,
    ) -> Result<FoundGroups, IndexError> {
        let mut held = GrowingPermit::of(account);
        let is_maintained = threshold.get() == self.shared.parameters.threshold;
        let maintained = match is_maintained {
            true => self.copy_maintained(view, &mut held)?,
            false => None,
        };
        let mut groups = match maintained {
            Some(groups) => groups,
            None => self.make_groups(view, threshold, &mut held)?,
        };
        self.add_copied(&mut groups, view, &mut held)?;
        groups.held = Some(held);
        Ok(groups)
    }

    /// The maintained groups; `None` if they cover other documents than the view shows. The state is locked for a few
    /// thousand documents at a time, or one group. A document that changes its group meanwhile is in one of them at
    /// most, and counts as unsettled.
    fn copy_maintained(
        self,
        view: &VisibleRoots,
        held: &mut GrowingPermit,
    ) -> Result<Option<FoundGroups>, IndexError> {
        let (shown, begun, principals) = {
            let state = self.shared.state();
            let principals: Vec<DocId> = state.stars.with_members().collect();
            (state.shown_by(view), BegunList::of(&state), principals)
        };
        if !shown.is_grouped() {
            return Ok(None);
        }
        let (mut groups, mut listed) = (Vec::new(), RoaringTreemap::new());
        let mut principals = principals.into_iter().peekable();
        while principals.peek().is_some() {
            held.account().cancel().check()?;
            let part = self.shared.state().next_groups(&mut principals, view);
            for mut group in part {
                if note_listed(&mut group, &mut listed) {
                    held.add(listed_bytes(1, group.members.len()))?;
                    groups.push(group);
                }
            }
        }
        let (shown, unsettled) = {
            let state = self.shared.state();
            (state.shown_by(view), begun.unsettled(&state))
        };
        let groups = FoundGroups {
            groups,
            unsettled,
            ..FoundGroups::default()
        };
        Ok(shown.is_grouped().then_some(groups))
    }

    /// Computes groups of two documents or more for the call.
    fn make_groups(
        self,
        view: &VisibleRoots,
        threshold: Ratio,
        held: &mut GrowingPermit,
    ) -> Result<FoundGroups, IndexError> {
        let visible = self.shared.state().texts(view);
        let account = held.account().clone();
        let mut placing = GrowingPermit::of(&account);
        placing.add(visible.len() * BYTES_PER_PLACED_DOCUMENT)?;
        let finder = EdgeFinder::for_question(self.shingles, threshold, visible.clone());
        let stars = self.stars_among(&finder, &visible, &account)?;
        let (groups, members) = stars.count_members();
        held.add(listed_bytes(groups, members))?;
        let mut groups = Vec::new();
        for principal in stars.with_members() {
            groups.push(self.shared.state().group_around(&stars, principal));
        }
        Ok(FoundGroups {
            groups,
            common_lists_skipped: finder.common_lists_skipped(),
            ..FoundGroups::default()
        })
    }

    /// Adds the documents that several files carry and that are in none of these groups. The state is locked for some
    /// thousands of documents at a time.
    fn add_copied(
        self,
        groups: &mut FoundGroups,
        view: &VisibleRoots,
        held: &mut GrowingPermit,
    ) -> Result<(), IndexError> {
        let listed = groups.groups.iter();
        let ids = |group: &DocumentGroup| {
            let members = group.members.iter().map(|member| member.document.0);
            members.chain([group.principal.0]).collect::<Vec<_>>()
        };
        let listed: RoaringTreemap = listed.flat_map(ids).collect();
        let visible: Vec<u64> = self.shared.state().texts(view).iter().collect();
        for some in visible.chunks(AT_ONCE) {
            held.account().cancel().check()?;
            let copied = {
                let state = self.shared.state();
                let alone = some.iter().filter(|id| !listed.contains(**id));
                let copied = alone.map(|id| DocId(*id));
                let copied = copied.filter(|id| state.table.count_files_of(*id, view) >= 2);
                let group = |principal| DocumentGroup {
                    id: state.group_ids.get(principal),
                    principal,
                    members: Vec::new(),
                };
                copied.map(group).collect::<Vec<_>>()
            };
            held.add((copied.len() * size_of::<DocumentGroup>()) as u64)?;
            groups.groups.extend(copied);
        }
        Ok(())
    }

    /// What `get` returns for each of these documents. The state is locked for some thousands of them at a time.
    fn of_each<T>(
        self,
        documents: &RoaringTreemap,
        account: &MemoryAccount,
        get: &dyn Fn(&IndexState, DocId) -> T,
    ) -> Result<Vec<T>, IndexError> {
        let mut found = Vec::with_capacity(documents.len() as usize);
        let mut ids = documents.iter().map(DocId).peekable();
        while ids.peek().is_some() {
            account.cancel().check()?;
            let state = self.shared.state();
            let some = ids.by_ref().take(AT_ONCE);
            found.extend(some.map(|id| get(&state, id)));
        }
        Ok(found)
    }

    /// The ranks of these documents, sorted. The state is locked for a few thousand documents at a time, and not during
    /// the sort.
    pub(crate) fn by_rank(
        self,
        documents: &RoaringTreemap,
        account: &MemoryAccount,
    ) -> Result<Vec<Rank>, IndexError> {
        let rank = |state: &IndexState, id| rank(&state.table, id);
        let mut ranks = self.of_each(documents, account, &rank)?;
        ranks.sort_unstable();
        Ok(ranks)
    }

    /// Computes the stars over these documents at the finder's threshold. In order of rank, every document is final
    /// once it is placed, so only principals are tested.
    fn stars_among(
        self,
        finder: &EdgeFinder<'_>,
        visible: &RoaringTreemap,
        account: &MemoryAccount,
    ) -> Result<Stars, IndexError> {
        let mut stars = Stars::default();
        for (_, _, id) in self.by_rank(visible, account)? {
            account.cancel().check()?;
            let Some(document) = finder.load(id, account)? else {
                continue;
            };
            let leads = |_: &IndexState, other: DocId| stars.leads(other);
            let partners = finder.find_partners(&document, &leads, account)?;
            let to_test = {
                let state = self.shared.state();
                let partners = partners.into_iter().map(|p| (p.id, p.threshold));
                stars.to_test(id, partners, &|id| rank(&state.table, id))
            };
            let place = to_test
                .place(|other, threshold| finder.edge(&document, other, threshold, account))?;
            stars.place(id, &place);
        }
        Ok(stars)
    }
}

impl IndexState {
    /// Documents with text that a view shows.
    pub(super) fn texts(&self, view: &VisibleRoots) -> RoaringTreemap {
        self.table.visible_texts(view)
    }

    /// The maintained groups around the next principals that have members: of so many documents that the state may be
    /// locked meanwhile. Left out are those of a single file, whose members lost theirs since they were settled.
    fn next_groups(
        &self,
        principals: &mut impl Iterator<Item = DocId>,
        view: &VisibleRoots,
    ) -> Vec<DocumentGroup> {
        let files = |id| self.table.count_files_of(id, view);
        let has_others = |group: &DocumentGroup| {
            let mut members = group.members.iter().map(|member| files(member.document));
            files(group.principal) != 1 || members.any(|files| files > 0)
        };
        let (mut groups, mut documents) = (Vec::new(), 0);
        for principal in principals {
            let group = self.group_around(&self.stars, principal);
            documents += 1 + group.members.len();
            let is_group = !group.members.is_empty() && has_others(&group);
            groups.extend(is_group.then_some(group));
            if documents >= AT_ONCE {
                break;
            }
        }
        groups
    }

    fn group_around(&self, stars: &Stars, principal: DocId) -> DocumentGroup {
        let members = stars.members(principal);
        let members = members.map(|(document, edge)| GroupDocument { document, edge });
        DocumentGroup {
            id: self.group_ids.get(principal),
            principal,
            members: members.collect(),
        }
    }
}
