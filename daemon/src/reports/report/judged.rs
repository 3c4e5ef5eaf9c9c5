//! Judges the files of groups while the groups are written, and makes the lines of groups with what is judged.
//!
//! A file is judged only against the principal of its group, using the texts that the report reads for its
//! differences. There are as many judgements as non-principal documents in groups or, for a model that uses file
//! locations, as many as files with such documents. Judgements do not affect the rest of the report.

use std::collections::HashMap;
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt as _;
use std::path::Path;
use std::sync::Arc;

use serde::{Serialize, Serializer};
use simdex_index::{GrowingPermit, IndexError, MemoryAccount};
use simdex_judge::{Judgement, Model};
use simdex_proto::lines::{self as json, JsonPath, exact, lossy};
use simdex_proto::v1;

use super::sorted_group::SortedGroup;
use super::{OnRecord, ReportMember};
use crate::encode;
use crate::read_side::judging::{GroupJudge, JudgedApart, JudgedPair, JudgedSide};
use crate::read_side::judging_outcome::JudgingOutcome;
use crate::read_side::query::Overlap;

/// Most groups with separated files that the page links to.
const LINKED: usize = 100;
/// Bytes of a file's entry in a [`JudgedGroup`], and of a judgement with its signals.
const ENTRY: u64 = 64;
const JUDGEMENT: u64 = 1 << 10;

/// Judges one group after another.
pub(super) struct Judging<'a> {
    judge: GroupJudge<'a>,
    account: &'a MemoryAccount,
    pub(super) totals: JudgedTotals,
}

/// The results of judging.
pub(super) struct JudgedTotals {
    /// The model that judged.
    pub(super) model: v1::JudgeModel,
    /// Files that were not judged because time ran out.
    pub(super) unjudged: u64,
    /// Groups with a file that is judged not to be a version of its principal.
    pub(super) apart: u64,
    /// The first of these: their places in the order of the report, and their ids.
    pub(super) first_apart: Vec<(usize, u64)>,
}

/// The judgements of the files of one group.
pub(super) struct JudgedGroup<'a> {
    by_path: HashMap<&'a [u8], Arc<JudgingOutcome>>,
    pub(super) apart: JudgedApart,
    held: GrowingPermit,
}

impl<'a> Judging<'a> {
    pub(super) fn new(model: Arc<Model>, account: &'a MemoryAccount) -> Self {
        Self {
            totals: JudgedTotals {
                model: encode::model(&model),
                unjudged: 0,
                apart: 0,
                first_apart: Vec::new(),
            },
            judge: GroupJudge::new(model, account),
            account,
        }
    }

    /// Begins a group: its files that carry the principal's text are `same`.
    pub(super) fn begin<'g>(
        &mut self,
        sorted: &SortedGroup<'g>,
    ) -> Result<JudgedGroup<'g>, IndexError> {
        self.judge.next_group();
        let mut group = JudgedGroup {
            by_path: HashMap::new(),
            apart: JudgedApart::default(),
            held: GrowingPermit::of(self.account),
        };
        group.held.add(ENTRY * sorted.members.len() as u64)?;
        let same = Arc::new(JudgingOutcome::Judged(Judgement::of_one_text()));
        let document = &sorted.principal.document;
        let copies = sorted.members.iter().skip(1);
        for copy in copies.filter(|member| member.document == *document) {
            group.note(copy, &same);
        }
        Ok(group)
    }

    /// Judges the files of one document against the principal.
    pub(super) fn document<'g>(
        &mut self,
        group: &mut JudgedGroup<'g>,
        principal: &ReportMember,
        files: &[&'g ReportMember],
        texts: [Option<&str>; 2],
    ) -> Result<(), IndexError> {
        self.judge.next_document();
        let mut of_document: Option<Arc<JudgingOutcome>> = None;
        for file in files {
            let judged = match of_document.take().filter(|_| !self.judge.asks_places()) {
                Some(judged) => judged,
                None => {
                    group.held.add(JUDGEMENT)?;
                    Arc::new(self.file([principal, file], texts)?)
                }
            };
            self.totals.unjudged += u64::from(matches!(*judged, JudgingOutcome::TimeOver));
            group.note(file, &judged);
            of_document = Some(judged);
        }
        Ok(())
    }

    fn file(
        &mut self,
        files: [&ReportMember; 2],
        texts: [Option<&str>; 2],
    ) -> Result<JudgingOutcome, IndexError> {
        let [first, second] = files.map(|file| Some((file, file.on_record.as_deref()?)));
        let (Some(first), Some(second)) = (first, second) else {
            return Ok(JudgingOutcome::NoText);
        };
        let [_, file] = files;
        let numbers = [
            file.resemblance,
            file.containment_of_principal,
            file.containment_of_member,
        ];
        let [a, b] = texts;
        self.judge.judge(&JudgedPair {
            sides: [first, second].map(side),
            lengths: [first.1.length, second.1.length],
            texts: a.zip(b).map(Into::into),
            overlap: Overlap::counted(numbers.map(|number| number.unwrap_or(0.0))),
        })
    }
}

fn side<'m>((file, on_record): (&'m ReportMember, &'m OnRecord)) -> JudgedSide<'m> {
    JudgedSide {
        root: Some(on_record.root),
        path: Some(Path::new(OsStr::from_bytes(&file.path))),
        author: on_record.author.as_deref(),
        is_quoting: on_record.is_quoting,
    }
}

impl<'a> JudgedGroup<'a> {
    fn note(&mut self, file: &'a ReportMember, judged: &Arc<JudgingOutcome>) {
        self.apart.note(judged);
        self.by_path.insert(&file.path, Arc::clone(judged));
    }

    /// The outcome for a file; `None` for the principal.
    pub(super) fn of(&self, file: &ReportMember) -> Option<&JudgingOutcome> {
        self.by_path.get(&*file.path).map(Arc::as_ref)
    }

    /// The judgement of a file, as written in its line.
    pub(super) fn line(&self, file: &ReportMember) -> Option<json::Judgement> {
        let judged = self.of(file)?.clone().judgement()?;
        Some((&encode::judgement(judged)).into())
    }

    /// Why a file that was to be judged was not.
    pub(super) fn not_judged(&self, file: &ReportMember) -> Option<&'static str> {
        json::not_judged(encode::not_judged(self.of(file)))
    }
}

impl JudgedTotals {
    /// Counts the group with this place in the order of the report.
    pub(super) fn add(&mut self, at: usize, sorted: &SortedGroup<'_>, judged: &JudgedGroup<'_>) {
        if judged.apart.verdict() != Some(true) {
            return;
        }
        self.apart += 1;
        if self.first_apart.len() < LINKED {
            self.first_apart.push((at, sorted.group.id));
        }
    }
}

impl<'a> SortedGroup<'a> {
    /// Its line, with the judgements of its files if requested.
    pub(super) fn line<'b>(
        &'b self,
        judged: Option<&'b JudgedGroup<'a>>,
    ) -> json::Group<MemberLines<'b, 'a>> {
        json::Group {
            // A component or core is numbered only on the page of one report.
            id: match self.group.kind {
                "star" => self.group.id,
                _ => 0,
            },
            kind: self.group.kind.to_owned(),
            common: self.group.common,
            principal: lossy(&self.group.principal),
            principal_bytes: exact(&self.group.principal),
            judged_apart: judged.and_then(|judged| judged.apart.verdict()),
            members: MemberLines {
                group: self,
                judged,
            },
        }
    }
}

/// The members of a line, each made when it is written: there may be many.
pub(super) struct MemberLines<'b, 'a> {
    group: &'b SortedGroup<'a>,
    judged: Option<&'b JudgedGroup<'a>>,
}

impl Serialize for MemberLines<'_, '_> {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.collect_seq(self.group.members.iter().map(|member| json::Member {
            path: JsonPath::new(&member.path),
            document: Some(member.document.to_string()),
            relation: member.relation,
            resemblance: member.resemblance,
            containment_of_member: member.containment_of_member,
            containment_of_principal: member.containment_of_principal,
            asked: member.is_requested,
            judgement: self.judged.and_then(|judged| judged.line(member)),
            not_judged: self.judged.and_then(|judged| judged.not_judged(member)),
        }))
    }
}
