//! Template text: lines and blocks of lines that recur in many documents of a root, such as letterheads,
//! footers, disclaimers and the fixed parts of forms.
//!
//! The texts are read twice. The first pass estimates with a sketch in how many documents a line occurs,
//! never too few ([`sketch`]); the second counts the lines that may recur, exactly ([`finder`]). So no
//! template is missed and every count is exact; the error of the sketch only costs memory. Only if more
//! lines recur than can be held may some be missing, and the answer says so.
//!
//! Lines are compared in their canonical form, and those shorter than one shingle are left out: no
//! signature contains anything of them alone. Running text that documents wrap differently is found by its sentences
//! ([`units`]), and listed with one of them on each line.

pub mod finder;
mod sketch;
mod units;

use std::collections::HashMap;

use simdex_index::{
    GrowingPermit, HeldText, IndexError, IndexReader, MemoryAccount, Texts, VisibleRoots,
};
use simdex_schema::DocId;
use simdex_signature::{CanonicalText, LineKey, SignedText, TemplateLines};

use finder::{Recurring, Sketching, UnitKind};
pub use units::key_of;
use units::{Units, as_line, key_of_sentence, on_one_line, sentences, units};

/// Bytes that a line or sentence of a text takes: as a unit and its place in the text, in lists that double as they
/// grow, and its key in a copy.
const LINE: u64 = 10 * size_of::<LineKey>() as u64;

/// Shortest line that is as long as a shingle, with its line feed: a character may become 33 bytes of canonical text.
const SHORTEST: usize = 4;

/// Bytes of a template beside its text, while it is put together and after.
const TEMPLATE: u64 = 256;

/// A block of lines, or of sentences, that occur together wherever one of them occurs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Template {
    /// Its lines as in the example, or its sentences without their line breaks, each with a line feed, as many as were
    /// requested; if the first line alone is longer, its beginning without a line feed.
    pub text: String,
    /// Whether part of the text is cut off.
    pub is_cut: bool,
    /// How much of it is left out of what is compared.
    pub left_out: TemplateExclusion,
    /// The number of its lines or sentences, including those not shown.
    pub lines: u64,
    /// Documents that contain it.
    pub documents: u64,
    /// Groups of these documents, with each ungrouped document counted as one: revisions of one document count once.
    pub groups: u64,
    /// One of the documents.
    pub example: DocId,
}

/// How many lines of a template are left out of what is compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TemplateExclusion {
    /// All of the template's lines.
    Whole,
    /// Some of them.
    Partly,
    /// None of them.
    Nothing,
}

/// The templates found in one root.
#[derive(Debug)]
pub struct Templates {
    /// Counts their memory as long as they are held.
    _held: GrowingPermit,
    /// Those in most documents first, ties by longest.
    pub templates: Vec<Template>,
    /// The number of templates, including those not listed.
    pub found: u64,
    /// Documents that were examined.
    pub documents: u64,
    /// Whether some templates may be missing, because more lines recur than can be held.
    pub truncated: bool,
}

/// Parameters of a search for templates.
#[derive(Clone, Copy, Debug)]
pub struct TemplateSearch {
    /// Fewest documents of the view that contain a template.
    pub min_documents: u32,
    /// Most templates that are read; all are counted.
    pub limit: usize,
    /// Longest text of a template, in bytes.
    pub text_bytes: usize,
}

/// Finds the templates of a view.
pub fn templates(
    index: &IndexReader,
    view: &VisibleRoots,
    search: TemplateSearch,
    account: &MemoryAccount,
) -> Result<Templates, IndexError> {
    let TemplateSearch {
        min_documents,
        limit,
        ..
    } = search;
    let documents = index.groups().texts(view, account)?;
    let _permit = account.take_large(Sketching::bytes_for(documents.len(), limit))?;
    let mut sketching = Sketching::new(documents.len(), min_documents);
    for &(_, id) in documents.iter() {
        visit_units(index.texts(), id, account, |units| {
            sketching.add(&units.lines);
            sketching.add(&units.sentences);
        })?;
    }
    let mut counting = sketching.finish();
    for &(group, id) in documents.iter() {
        let numbers = (group.0, id.0);
        visit_units(index.texts(), id, account, |units| {
            counting.add(numbers, UnitKind::Line, &units.lines);
            counting.add(numbers, UnitKind::Sentence, &units.sentences);
        })?;
    }
    let truncated = counting.is_truncated();
    let (recurring, found) = counting.finish(limit);
    let mut held = GrowingPermit::of(account);
    Ok(Templates {
        templates: read_all(index, recurring, search.text_bytes, &mut held)?,
        _held: held,
        found,
        documents: documents.len() as u64,
        truncated,
    })
}

/// Calls `visit` with the units of a document; does not call it if the text cannot be read.
fn visit_units(
    texts: Texts<'_>,
    id: DocId,
    account: &MemoryAccount,
    visit: impl FnOnce(&Units),
) -> Result<(), IndexError> {
    account.cancel().check()?;
    if let Some(text) = text_if_readable(texts, id, account)? {
        let _of_units = account.take_large(LINE * units::max_units(&text) as u64)?;
        visit(&units(&text));
    }
    Ok(())
}

fn text_if_readable(
    texts: Texts<'_>,
    id: DocId,
    account: &MemoryAccount,
) -> Result<Option<HeldText>, IndexError> {
    match texts.read(id, account) {
        Err(error) if error.concerns_one_document() => Ok(None),
        text => text,
    }
}

/// How much of a template is left out: by its lines on the list of those that are; or, of one listed by sentences,
/// all of it if listed lines leave nothing.
fn left_out(
    list: &TemplateLines,
    recurring: &Recurring,
    text: &str,
    is_cut: bool,
) -> TemplateExclusion {
    let is_listed = |key: &&LineKey| match recurring.kind {
        UnitKind::Line => list.contains(**key),
        UnitKind::Sentence => list.contains(as_line(**key)),
    };
    let is_gone = || {
        SignedText::of(&CanonicalText::from_extracted(text), list)
            .as_bytes()
            .is_empty()
    };
    if list.is_empty() {
        return TemplateExclusion::Nothing;
    }
    let listed = recurring.lines.iter().filter(is_listed).count();
    let may_be_gone = recurring.kind == UnitKind::Sentence && !is_cut;
    match listed {
        _ if listed == recurring.lines.len() || (may_be_gone && is_gone()) => {
            TemplateExclusion::Whole
        }
        0 => TemplateExclusion::Nothing,
        _ => TemplateExclusion::Partly,
    }
}

/// Adds the texts, counted in `held`; each example is read once.
fn read_all(
    index: &IndexReader,
    recurring: Vec<Recurring>,
    text_bytes: usize,
    held: &mut GrowingPermit,
) -> Result<Vec<Template>, IndexError> {
    let account = &held.account().clone();
    held.add(TEMPLATE * recurring.len() as u64)?;
    let mut examples: HashMap<u64, Vec<usize>> = HashMap::new();
    for (at, template) in recurring.iter().enumerate() {
        examples.entry(template.example).or_default().push(at);
    }
    let mut texts = vec![(String::new(), true); recurring.len()];
    for (id, places) in examples {
        account.cancel().check()?;
        let Some(text) = text_if_readable(index.texts(), DocId(id), account)? else {
            continue;
        };
        // Of the lines of the text, only those that are shown.
        let shown_keys = || {
            places
                .iter()
                .flat_map(|&at| shown_keys(&recurring[at].lines, text_bytes))
        };
        let _of_lines = account.take_large(2 * LINE * shown_keys().count() as u64)?;
        let shown_keys = shown_keys();
        let mut lines: HashMap<LineKey, &str> = shown_keys.map(|&key| (key, "")).collect();
        find_shown(&text, &mut lines);
        for at in places {
            let text = shown(&recurring[at].lines, &lines, text_bytes);
            held.add(text.0.capacity() as u64)?;
            texts[at] = text;
        }
    }
    let list = index.signer().template_lines();
    let templates = recurring.into_iter().zip(texts);
    let templates = templates.map(|(recurring, (text, is_cut))| Template {
        left_out: left_out(list, &recurring, &text, is_cut),
        text,
        is_cut,
        lines: recurring.lines.len() as u64,
        documents: recurring.documents.into(),
        groups: recurring.groups.into(),
        example: DocId(recurring.example),
    });
    Ok(templates.collect())
}

/// Finds the lines and sentences of a text that are shown; a sentence as it stands in the text.
fn find_shown<'a>(text: &'a str, lines: &mut HashMap<LineKey, &'a str>) {
    for line in text.lines() {
        if let Some(found) = key_of(line).and_then(|key| lines.get_mut(&key)) {
            *found = line.trim();
        }
    }
    for at in sentences(text) {
        let sentence = &text[at];
        if let Some(found) = key_of_sentence(sentence).and_then(|key| lines.get_mut(&key)) {
            *found = sentence;
        }
    }
}

/// The lines of a template that may be shown.
fn shown_keys(keys: &[LineKey], text_bytes: usize) -> &[LineKey] {
    &keys[..keys.len().min(text_bytes / SHORTEST + 1)]
}

/// The whole lines that fit into `text_bytes`, each with a line feed, and whether others are cut off. If the first
/// line is longer, its beginning without a line feed.
fn shown(keys: &[LineKey], lines: &HashMap<LineKey, &str>, text_bytes: usize) -> (String, bool) {
    let mut text = String::new();
    for key in keys {
        // A line that the example has lost, because it was read again meanwhile, is cut off too.
        let line = lines.get(key);
        let Some(line) = line.filter(|line| text.len() + line.len() < text_bytes) else {
            let first = line
                .filter(|_| text.is_empty())
                .copied()
                .unwrap_or_default();
            text.push_str(&first[..first.floor_char_boundary(text_bytes)]);
            return (text, true);
        };
        text.push_str(&on_one_line(line));
        text.push('\n');
    }
    (text, false)
}
