//! Group by group into the files of the report.

mod diffs;

use std::collections::{HashMap, HashSet};
use std::io;

use crate::base::report_files::MANIFEST;
use simdex_index::HeldText;
use simdex_schema::DocumentHash;

use super::Written;
use super::changes::{ChangeSummary, Changes};
use super::pages::Pages;
use super::sink::{HashedFile, HashingSink, Sink};
use super::survey::survey;
use super::texts::Texts;
use super::{ReportError, ReportGroup, ReportInput, ReportMember};
use super::{check, diff_path, html, load, manifest, text_path, view};
use crate::read_side::difference::permit_to_align;
use simdex_index::MemoryAccount;
use simdex_proto::lines::{self as json, Body, JsonPath, Line, exact, lossy};
use simdex_proto::manifest::checked_hash;

pub(super) use diffs::{DiffFacts, NoDiff};

/// A group in the order of the report: its principal, then the others by path.
pub(super) struct SortedGroup<'a> {
    pub(super) group: &'a ReportGroup,
    pub(super) principal: &'a ReportMember,
    pub(super) members: Vec<&'a ReportMember>,
}

impl<'a> SortedGroup<'a> {
    fn line(&self) -> json::Group {
        let members = self.members.iter().map(|member| json::Member {
            path: JsonPath::new(&member.path),
            document: Some(member.document.to_string()),
            relation: Some(member.relation),
            resemblance: member.resemblance,
            containment_of_member: member.containment_of_member,
            containment_of_principal: member.containment_of_principal,
            judgement: None,
        });
        json::Group {
            id: self.group.id,
            kind: self.group.kind.to_owned(),
            common: None,
            principal: lossy(&self.group.principal),
            principal_bytes: exact(&self.group.principal),
            members: members.collect(),
            judged_apart: None,
        }
    }

    pub(super) fn new(group: &'a ReportGroup) -> Result<Self, ReportError> {
        let mut members: Vec<_> = group.members.iter().collect();
        members.sort_by_key(|m| (m.path != group.principal, &m.path));
        let first = members.first().filter(|m| m.path == group.principal);
        let principal = *first.ok_or(ReportError::NoPrincipal { id: group.id })?;
        Ok(Self {
            group,
            principal,
            members,
        })
    }

    /// How many distinct documents the members carry.
    pub(super) fn distinct_documents(&self) -> u64 {
        let documents: HashSet<_> = self.members.iter().map(|m| &m.document).collect();
        documents.len() as u64
    }

    /// The least resemblance to the principal; `None` if one was not measured.
    pub(super) fn least_resemblance(&self) -> Option<f64> {
        let mut others = self.members.iter().skip(1).map(|m| m.resemblance);
        others.try_fold(1.0, |least, next| next.map(|next| f64::min(least, next)))
    }

    /// The documents unlike the principal's, each with its files, in the members' order.
    fn other_documents(&self) -> Vec<(&'a DocumentHash, Vec<&'a ReportMember>)> {
        let mut place = HashMap::new();
        let mut others: Vec<(_, Vec<_>)> = Vec::new();
        for member in &self.members {
            if member.document == self.principal.document {
                continue;
            }
            let at = *place.entry(&member.document).or_insert(others.len());
            match others.get_mut(at) {
                Some((_, files)) => files.push(*member),
                None => others.push((&member.document, vec![*member])),
            }
        }
        others
    }
}

/// A document of a group compared with the principal's.
pub(super) struct ComparedDocument<'a> {
    pub(super) document: &'a DocumentHash,
    pub(super) files: Vec<&'a ReportMember>,
    pub(super) facts: Result<DiffFacts, NoDiff>,
    /// The difference as HTML, while there is room.
    pub(super) view: Option<String>,
}

/// Writes the whole report; see [`super::write`].
pub(super) fn report<'a>(
    sink: &'a dyn Sink,
    input: &'a ReportInput<'a>,
) -> Result<Written, ReportError> {
    let mut groups: Vec<_> = input.groups.iter().collect();
    groups.sort_by_key(|group| (&group.principal, group.id));
    let mut writer = Writer::open(sink, input, &groups)?;
    let survey = survey(&mut writer.sink, input)?;
    let mut changes = Changes::begin(&mut writer.sink, input)?;
    let mut places = load::GroupPlaces::of(input.account);
    writer
        .pages
        .write_head(|out, plan| html::head(out, input, &groups, plan, &survey.kinds))?;
    for (index, group) in groups.iter().enumerate() {
        let sorted = SortedGroup::new(group)?;
        let shown = index < html::GROUPS_SHOWN;
        if shown {
            writer.pages.turn_to(index, &mut writer.sink, input)?;
        }
        writer.group(&sorted, shown)?;
        if let Some(changes) = &mut changes {
            changes.group(&sorted)?;
        }
        if input.load.is_some() {
            places.add(&sorted)?;
        }
    }
    writer.pages.end_page(&mut writer.sink)?;
    let more = groups.len();
    let page = writer.pages.first();
    page.write_with(|out| html::more_groups(out, more))?;
    let changes = changes.map(|it| it.finish(input, &mut writer.sink, writer.pages.first()));
    let changes = changes.transpose()?;
    let page = writer.pages.first();
    page.write_with(|out| html::unread(out, &survey.unread))?;
    if let Some(load) = input.load {
        load::write(
            &mut writer.sink,
            input,
            load,
            &places,
            writer.texts.written(),
        )?;
    }
    let met = (input.completeness)();
    let page = writer.pages.first();
    page.write_with(|out| html::foot(out, &input.summary.completeness, &met))?;
    writer.close(input, changes)
}

/// The open files and what was counted.
struct Writer<'a> {
    sink: HashingSink<'a>,
    groups: HashedFile<'a>,
    diffs: HashedFile<'a>,
    pages: Pages<'a>,
    texts: Texts<'a>,
    account: &'a MemoryAccount,
    diff_count: u64,
    without_text: u64,
}

impl<'a> Writer<'a> {
    fn open(
        to: &'a dyn Sink,
        input: &ReportInput<'a>,
        groups: &[&ReportGroup],
    ) -> Result<Self, ReportError> {
        let mut sink = HashingSink::new(to, input.account);
        Ok(Self {
            groups: sink.create_file("groups.jsonl")?,
            diffs: sink.create_file("diffs.jsonl")?,
            pages: Pages::open(&mut sink, groups)?,
            sink,
            texts: Texts::of(input.text_of, input.account),
            account: input.account,
            diff_count: 0,
            without_text: 0,
        })
    }

    fn group(&mut self, sorted: &SortedGroup<'a>, shown: bool) -> Result<(), ReportError> {
        check(self.account.cancel())?;
        let line = sorted.line();
        self.groups.write_with(|out| json_line(out, &line))?;
        let principal = self.texts.get(&mut self.sink, &sorted.principal.document)?;
        let mut compared = Vec::new();
        for (document, files) in sorted.other_documents() {
            check(self.account.cancel())?;
            compared.push(self.compare(sorted, &principal, document, files, shown)?);
        }
        if shown {
            self.pages
                .write_with(|out| html::group(out, sorted, &compared, principal.is_some()))?;
        }
        Ok(())
    }

    /// Compares a document of a group with the principal's, and writes its line of `diffs.jsonl`.
    fn compare(
        &mut self,
        sorted: &SortedGroup<'a>,
        principal: &Option<HeldText>,
        document: &'a DocumentHash,
        files: Vec<&'a ReportMember>,
        shown: bool,
    ) -> Result<ComparedDocument<'a>, ReportError> {
        let member = self.texts.get(&mut self.sink, document)?;
        let (facts, view) = match (principal, &member) {
            (Some(a), Some(b)) => self.difference(sorted, document, [a, b], shown)?,
            _ => (Err(NoDiff::TextNotKept), None),
        };
        self.without_text += u64::from(facts.as_ref().err() == Some(&NoDiff::TextNotKept));
        let first = &sorted.principal.document;
        let words = facts.as_ref().ok().and_then(|facts| facts.words.as_ref());
        let line = json::Diff {
            group: sorted.group.id,
            diff: facts.as_ref().ok().map(|facts| facts.diff.clone()),
            left_out: facts.as_ref().err().map(|why| why.name().to_owned()),
            from_document: first.to_string(),
            from_text: text_name(principal, first),
            to_document: document.to_string(),
            to_text: text_name(&member, document),
            files: files.iter().map(|file| JsonPath::new(&file.path)).collect(),
            places: facts.as_ref().ok().map(|facts| facts.extent.hunks),
            lines_removed: facts.as_ref().ok().map(|facts| facts.extent.removed),
            lines_added: facts.as_ref().ok().map(|facts| facts.extent.added),
            cut_short: facts.as_ref().ok().map(|facts| facts.cut_short),
            operations: words.map(|(name, _)| name.clone()),
            words_removed: words.map(|(_, extent)| extent.removed),
            words_added: words.map(|(_, extent)| extent.added),
            words_moved: words.map(|(_, extent)| extent.moved),
        };
        self.diffs.write_with(|out| json_line(out, &line))?;
        Ok(ComparedDocument {
            document,
            files,
            facts,
            view,
        })
    }

    /// Writes the diff of two texts, and shows it while there is room.
    fn difference(
        &mut self,
        sorted: &SortedGroup<'_>,
        document: &DocumentHash,
        texts: [&str; 2],
        shown: bool,
    ) -> Result<(Result<DiffFacts, NoDiff>, Option<String>), ReportError> {
        let name = diff_path(sorted.group.id, document);
        let facts = self.diff(&name, [&sorted.principal.document, document], texts)?;
        check(self.account.cancel())?;
        let mut view = None;
        if shown && facts.is_ok() && self.pages.has_room() {
            let [a, b] = texts;
            // A text that takes too much to be shown has a diff as a file.
            if let Ok(_held) = permit_to_align(texts, view::beside(texts), self.account)? {
                view = Some(view::render(a, b, &name));
            }
        }
        self.pages.take_room(view.as_ref().map_or(0, String::len));
        Ok((facts, view))
    }

    fn close(
        self,
        input: &ReportInput<'_>,
        changes: Option<ChangeSummary>,
    ) -> Result<Written, ReportError> {
        let Self {
            mut sink,
            groups,
            diffs,
            pages,
            ..
        } = self;
        for file in [groups, diffs] {
            sink.finish(file)?;
        }
        pages.finish(&mut sink)?;
        let outcome = manifest::Outcome {
            kind: "groups",
            diffs: self.diff_count,
            without_text: self.without_text,
            changes,
            ..manifest::Outcome::default()
        };
        close(sink, input, outcome)
    }
}

/// Writes the manifest over all files that are finished.
pub(super) fn close(
    mut sink: HashingSink<'_>,
    input: &ReportInput<'_>,
    outcome: manifest::Outcome,
) -> Result<Written, ReportError> {
    let (diffs, without_text) = (outcome.diffs, outcome.without_text);
    let text = manifest::text(input, &sink.files, outcome);
    let text = text.map_err(|error| ReportError::Write {
        name: MANIFEST.to_owned(),
        source: error.into(),
    })?;
    sink.write_file(MANIFEST, text.as_bytes())?;
    let files = sink.files.len() as u64;
    let bytes = sink.files.iter().map(|file| file.bytes).sum();
    Ok(Written {
        manifest: checked_hash(&text).unwrap_or_default(),
        files,
        bytes,
        diffs,
        without_text,
    })
}

fn text_name(text: &Option<HeldText>, document: &DocumentHash) -> Option<String> {
    text.is_some().then(|| text_path(document))
}

pub(super) fn json_line(out: &mut dyn io::Write, body: &impl Body) -> io::Result<()> {
    serde_json::to_writer(&mut *out, &Line::of(body))?;
    out.write_all(b"\n")
}
