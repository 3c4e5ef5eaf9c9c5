//! Writes the files of the report, group by group.

mod diffs;

use simdex_schema::DocumentHash;

use super::Written;
use super::changes::Changes;
use super::clusters::{ClusterTerms, check_since};
use super::facts::{ChangeSummary, ComparedDocument, DiffFacts, NoDiff};
use super::json_lines::json_line;
use super::judged::Judging;
use super::page_plan::GROUPS_SHOWN;
use super::pages::Pages;
use super::sink::{HashedFile, HashingSink, Sink};
use super::sorted_group::SortedGroup;
use super::survey::survey;
use super::texts::Texts;
use super::{ReportError, ReportGroup, ReportInput, ReportMember};
use super::{check, diff_path, html, load, manifest, side_by_side, text_path};
use crate::read_side::difference::{permit_to_align, permit_to_align_words};
use simdex_index::MemoryAccount;
use simdex_proto::lines::{self as json, JsonPath};

/// Writes the whole report; see [`super::write()`].
pub(super) fn write_groups<'a>(
    sink: &'a dyn Sink,
    input: &'a ReportInput<'a>,
) -> Result<Written, ReportError> {
    let mut groups: Vec<_> = input.groups.iter().collect();
    groups.sort_by_key(|group| (&group.principal, group.id));
    check_since(input)?;
    let mut writer = Writer::open(sink, input, &groups)?;
    let survey = survey(&mut writer.sink, input)?;
    let mut changes = Changes::begin(&mut writer.sink, input)?;
    let mut places = load::GroupPlaces::of(input.account);
    writer
        .pages
        .write_to_first(|out, plan| html::head(out, input, &groups, plan, &survey.kinds))?;
    for (index, group) in groups.iter().enumerate() {
        let sorted = SortedGroup::new(group)?;
        let shown = index < GROUPS_SHOWN;
        if shown {
            writer.pages.turn_to(index, &mut writer.sink, input)?;
        }
        writer.group(index, &sorted, shown)?;
        if let Some(changes) = &mut changes {
            changes.group(&sorted)?;
        }
        if input.load.is_some() {
            places.add(&sorted)?;
        }
    }
    writer.pages.end_page(&mut writer.sink)?;
    let more = groups.len();
    writer.pages.write_to_first(|out, plan| {
        html::more_groups(out, more)?;
        let totals = writer.judging.as_ref().map(|judging| &judging.totals);
        totals.map_or(Ok(()), |totals| html::groups_apart(out, totals, plan))
    })?;
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
    page.write_with(|out| html::foot(out, input, &met))?;
    writer.close(input, changes)
}

/// The open files and the counts so far.
struct Writer<'a> {
    sink: HashingSink<'a>,
    groups: HashedFile<'a>,
    /// `None` for components and cores.
    diffs: Option<HashedFile<'a>>,
    pages: Pages<'a>,
    texts: Texts<'a>,
    judging: Option<Judging<'a>>,
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
            diffs: match input.clusters {
                Some(_) => None,
                None => Some(sink.create_file("diffs.jsonl")?),
            },
            pages: Pages::open(&mut sink, groups)?,
            sink,
            texts: Texts::of(input.text_of, input.account),
            judging: input
                .judge
                .clone()
                .map(|model| Judging::new(model, input.account)),
            account: input.account,
            diff_count: 0,
            without_text: 0,
        })
    }

    /// Writes a component or core: its files, and nothing that requires their texts.
    fn cluster(&mut self, sorted: &SortedGroup<'a>, shown: bool) -> Result<(), ReportError> {
        let line = sorted.line(None);
        self.groups.write_with(|out| json_line(out, &line))?;
        match shown {
            true => self.pages.write_with(|out| html::cluster(out, sorted)),
            false => Ok(()),
        }
    }

    /// Writes the group that has this place in the order of the report.
    fn group(
        &mut self,
        at: usize,
        sorted: &SortedGroup<'a>,
        shown: bool,
    ) -> Result<(), ReportError> {
        check(self.account.cancel())?;
        if self.diffs.is_none() {
            return self.cluster(sorted, shown);
        }
        let principal = self.texts.get(&mut self.sink, &sorted.principal.document)?;
        let mut judged = self
            .judging
            .as_mut()
            .map(|it| it.begin(sorted))
            .transpose()?;
        let mut compared = Vec::new();
        for (document, files) in sorted.other_documents() {
            check(self.account.cancel())?;
            let member = self.texts.get(&mut self.sink, document)?;
            let texts = [&principal, &member].map(|text| text.as_deref());
            if let Some((judging, group)) = self.judging.as_mut().zip(judged.as_mut()) {
                judging.document(group, sorted.principal, &files, texts)?;
            }
            compared.push(self.compare(sorted, texts, document, files, shown)?);
        }
        if let Some((judging, group)) = self.judging.as_mut().zip(judged.as_ref()) {
            judging.totals.add(at, sorted, group);
        }
        let line = sorted.line(judged.as_ref());
        self.groups.write_with(|out| json_line(out, &line))?;
        if !shown {
            return Ok(());
        }
        let has_text = principal.is_some();
        self.pages
            .write_with(|out| html::group(out, sorted, &compared, judged.as_ref(), has_text))
    }

    /// Compares the text of a group's document with the principal's, and writes its line of `diffs.jsonl`.
    fn compare(
        &mut self,
        sorted: &SortedGroup<'a>,
        texts: [Option<&str>; 2],
        document: &'a DocumentHash,
        files: Vec<&'a ReportMember>,
        shown: bool,
    ) -> Result<ComparedDocument<'a>, ReportError> {
        let (facts, side_by_side) = match texts {
            [Some(a), Some(b)] => self.difference(sorted, document, [a, b], shown)?,
            _ => (Err(NoDiff::TextNotKept), None),
        };
        self.without_text += u64::from(facts.as_ref().err() == Some(&NoDiff::TextNotKept));
        let first = &sorted.principal.document;
        let words = facts.as_ref().ok().and_then(|facts| facts.words.as_ref());
        let [of_first, of_document] = texts.map(|text| text.is_some());
        let line = json::Diff {
            group: sorted.group.id,
            diff: facts.as_ref().ok().map(|facts| facts.diff.clone()),
            left_out: facts.as_ref().err().map(|why| why.name().to_owned()),
            from_document: first.to_string(),
            from_text: of_first.then(|| text_path(first)),
            to_document: document.to_string(),
            to_text: of_document.then(|| text_path(document)),
            files: files.iter().map(|file| JsonPath::new(&file.path)).collect(),
            places: facts.as_ref().ok().map(|facts| facts.extent.hunks),
            lines_removed: facts.as_ref().ok().map(|facts| facts.extent.removed),
            lines_added: facts.as_ref().ok().map(|facts| facts.extent.added),
            cut_short: facts.as_ref().ok().map(|facts| facts.cut_short),
            operations: words.map(|words| words.operations.clone()),
            words_removed: words.map(|words| words.extent.removed),
            words_added: words.map(|words| words.extent.added),
            words_moved: words.map(|words| words.extent.moved),
            words_cut_short: words.map(|words| words.cut_short),
        };
        if let Some(diffs) = &mut self.diffs {
            diffs.write_with(|out| json_line(out, &line))?;
        }
        Ok(ComparedDocument {
            document,
            files,
            facts,
            side_by_side,
        })
    }

    /// Writes the diff of two texts, and shows it as long as there is room.
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
        let mut side_by_side = None;
        if let Ok(facts) = &facts
            && shown
            && self.pages.has_room()
        {
            side_by_side = self.side_by_side(texts, facts)?;
        }
        self.pages
            .take_room(side_by_side.as_ref().map_or(0, String::len));
        Ok((facts, side_by_side))
    }

    /// Two texts side by side; `None` if that takes too much, in which case there is still a diff as a file.
    fn side_by_side(
        &self,
        texts: [&str; 2],
        facts: &DiffFacts,
    ) -> Result<Option<String>, ReportError> {
        let cancel = self.account.cancel();
        let go_on = &mut || cancel.check();
        if facts.is_shown_by_words() {
            let beside = texts.iter().map(|text| text.len() as u64).sum();
            let Ok(_held) = permit_to_align_words(texts, beside, self.account)? else {
                return Ok(None);
            };
            return Ok(Some(side_by_side::by_words(texts, &facts.diff, go_on)?));
        }
        let Ok(_held) = permit_to_align(texts, side_by_side::beside_lines(texts), self.account)?
        else {
            return Ok(None);
        };
        Ok(Some(side_by_side::by_lines(texts, &facts.diff, go_on)?))
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
            judging,
            ..
        } = self;
        for file in [Some(groups), diffs].into_iter().flatten() {
            sink.finish(file)?;
        }
        pages.finish(&mut sink)?;
        let outcome = manifest::Outcome {
            kind: input.clusters.map_or("groups", ClusterTerms::name),
            diffs: self.diff_count,
            without_text: self.without_text,
            changes,
            judged: judging.map(|judging| judging.totals),
            ..manifest::Outcome::default()
        };
        manifest::write(sink, input, outcome)
    }
}
