//! Lists of pairs and groups, with judgements beside their numbers if requested.

use std::ops::ControlFlow;
use std::path::PathBuf;

use simdex_index::{IndexError, MemoryAccount};

use crate::base::visit::FirstError;
use crate::engine::Engine;
use crate::read_side::catalogue::{self, Group, GroupMember, Pair, PairStep};
use crate::read_side::judging::{JudgedApart, ListJudge};
use crate::read_side::judging_outcome::JudgingOutcome;
use crate::read_side::lists::{self, ListError, ListRequest, ListSummary, PairOptions};
use crate::read_side::query::Overlap;

/// Which pairs of a list, or files of groups beside their principals, are judged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum JudgedItems {
    /// None is judged.
    None,
    /// The first of those with different texts, this many and fewer long ones, so that little text is read for a list.
    First(u64),
    /// All are judged.
    All,
}

impl JudgedItems {
    /// The most that are judged; `None` if none is to be.
    fn most(self) -> Option<u64> {
        match self {
            Self::None => None,
            Self::First(count) => Some(count),
            Self::All => Some(u64::MAX),
        }
    }
}

/// Parameters of a list of pairs.
#[derive(Clone, Debug)]
pub struct PairsRequest {
    /// Roots and threshold of the list.
    pub list: ListRequest,
    /// What it has beside these.
    pub options: PairOptions,
    /// Which of its pairs are judged.
    pub judged: JudgedItems,
    /// Whether files are counted first, so that progress can be shown.
    pub with_progress: bool,
}

/// Parameters of a list of groups.
#[derive(Clone, Debug)]
pub struct GroupsRequest {
    /// Roots and threshold of the list.
    pub list: ListRequest,
    /// Only groups whose principal's path comes after this one.
    pub after: Option<PathBuf>,
    /// Which files of groups are judged.
    pub judged: JudgedItems,
}

/// A pair of a list.
pub struct ListedPair {
    /// The two files with their numbers.
    pub pair: Pair,
    /// The judgement of the pair; `None` if none was requested.
    pub judged: Option<JudgingOutcome>,
}

/// A group of a list, or the next part of a large one.
pub struct ListedGroup {
    /// The files with their numbers.
    pub group: Group,
    /// The judgement of each file beside the principal, in the order of the files; `None` for the principal itself,
    /// and for all if no judgements were requested.
    pub judged: Vec<Option<JudgingOutcome>>,
    /// Whether a file of this part is judged not to be a version of the principal; `None` if that is not known.
    pub is_judged_apart: Option<bool>,
}

/// A step of a list of pairs.
pub enum ListedPairStep {
    /// The list begins; visited once, before the first pair, if progress was requested.
    Begun {
        /// The number of files of the view; `None` if the list is resumed.
        files: Option<u64>,
    },
    /// Documents that contain others are searched for, before the first pair.
    ContainersSearched {
        /// The number of documents for which that is done.
        documents: u64,
    },
    /// A pair of the list.
    Pair(Box<ListedPair>),
    /// All pairs of one more file were visited.
    FileDone {
        /// The number of files done.
        files: u64,
        /// The number of pairs visited.
        pairs: u64,
    },
}

/// Calls `visit` for each pair of [`lists::pairs`], and for the steps between them. If `visit` returns `Break`, ignore
/// the summary.
pub fn pairs(
    engine: &Engine,
    request: &PairsRequest,
    account: &MemoryAccount,
    visit: &mut dyn FnMut(ListedPairStep) -> ControlFlow<()>,
) -> Result<ListSummary, ListError> {
    if request.with_progress {
        let files = countable_files(engine, request, account)?;
        if visit(ListedPairStep::Begun { files }).is_break() {
            return Ok(ListSummary::default());
        }
    }
    let mut judge = ItemJudge::new(engine, request.judged, account);
    let mut failed = FirstError::default();
    let PairsRequest { list, options, .. } = request;
    let summary = lists::pairs(engine, list, options, account, &mut |step| {
        let step = match step {
            PairStep::ContainersSearched { documents } => {
                Ok(ListedPairStep::ContainersSearched { documents })
            }
            PairStep::Pair(pair) => judge.pair(pair).map(Box::new).map(ListedPairStep::Pair),
            PairStep::FileDone { files, pairs } => Ok(ListedPairStep::FileDone { files, pairs }),
        };
        step.map_or_else(|error| failed.flow(Err(error)), &mut *visit)
    });
    failed.into_result()?;
    Ok(judge.close(summary?))
}

/// Files of the roots asked about; `None` if the list is resumed.
fn countable_files(
    engine: &Engine,
    request: &PairsRequest,
    account: &MemoryAccount,
) -> Result<Option<u64>, IndexError> {
    if request.options.after.is_some() {
        return Ok(None);
    }
    let (index, view) = (engine.index.reader(), &request.list.view);
    let counts = catalogue::counts(index, view, account.cancel())?;
    Ok(Some(counts.files_on_disk + counts.container_members))
}

/// Calls `visit` for each group of [`lists::groups`]. If `visit` returns `Break`, ignore the summary.
pub fn groups(
    engine: &Engine,
    request: &GroupsRequest,
    account: &MemoryAccount,
    visit: &mut dyn FnMut(ListedGroup) -> ControlFlow<()>,
) -> Result<ListSummary, ListError> {
    let mut judge = ItemJudge::new(engine, request.judged, account);
    let mut failed = FirstError::default();
    let (list, after) = (&request.list, request.after.as_deref());
    let summary = lists::groups(engine, list, after, account, &mut |group| {
        let group = judge.group(group);
        group.map_or_else(|error| failed.flow(Err(error)), &mut *visit)
    });
    failed.into_result()?;
    Ok(judge.close(summary?))
}

/// Judges the items of a list one after another, if judgements are requested.
pub(super) struct ItemJudge<'a> {
    judge: Option<ListJudge<'a>>,
    /// The principal of the last group visited.
    principal: Option<GroupMember>,
    /// Items that were not judged because the time for it ran out.
    unjudged: u64,
}

impl<'a> ItemJudge<'a> {
    pub(super) fn new(engine: &'a Engine, judged: JudgedItems, account: &'a MemoryAccount) -> Self {
        let model = || engine.models.in_force();
        let judge = |most| ListJudge::new(model(), engine.index.reader(), account, most);
        Self {
            judge: judged.most().map(judge),
            principal: None,
            unjudged: 0,
        }
    }

    /// Adds the number of items left unjudged to the counts that close the list.
    fn close(&self, summary: ListSummary) -> ListSummary {
        ListSummary {
            unjudged: self.judge.is_some().then_some(self.unjudged),
            ..summary
        }
    }

    fn pair(&mut self, pair: Pair) -> Result<ListedPair, IndexError> {
        let judged = match &mut self.judge {
            Some(judge) => {
                let numbers = [
                    pair.resemblance,
                    pair.containment_of_a,
                    pair.containment_of_b,
                ];
                Some(judge.judge([&pair.a, &pair.b], &Overlap::counted(numbers))?)
            }
            None => None,
        };
        self.unjudged += u64::from(judged.as_ref().is_some_and(JudgingOutcome::is_time_over));
        Ok(ListedPair { pair, judged })
    }

    /// Judges a group, or the next part of a large one.
    pub(super) fn group(&mut self, group: Group) -> Result<ListedGroup, IndexError> {
        let mut judged = vec![None; group.members.len()];
        if !group.is_continued && self.judge.is_some() {
            self.principal = group.members.first().cloned();
        }
        let (Some(judge), Some(principal)) = (&mut self.judge, &self.principal) else {
            return Ok(ListedGroup {
                group,
                judged,
                is_judged_apart: None,
            });
        };
        let mut apart = JudgedApart::default();
        let first = usize::from(!group.is_continued);
        for (member, outcome) in group.members.iter().zip(&mut judged).skip(first) {
            let numbers = [
                member.resemblance,
                member.containment_of_principal,
                member.containment_of_member,
            ];
            let overlap = Overlap::counted(numbers);
            let judged = judge.judge([&principal.file, &member.file], &overlap)?;
            self.unjudged += u64::from(judged.is_time_over());
            apart.note(&judged);
            *outcome = Some(judged);
        }
        Ok(ListedGroup {
            group,
            judged,
            is_judged_apart: apart.verdict(),
        })
    }
}
