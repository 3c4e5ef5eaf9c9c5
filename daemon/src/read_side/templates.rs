//! Template text: lines and blocks of lines that recur in many documents of a root, such as letterheads,
//! footers, disclaimers and the fixed parts of forms.
//!
//! The texts are read twice. The first pass estimates in a sketch in how many documents a line
//! is, never too few ([`sketch`]); the second counts the lines that may recur, exactly ([`finder`]). So no
//! template is missed and every count is exact; the error of the sketch costs memory alone. Only where more
//! lines recur than are held may some be missing, and the answer says so.
//!
//! Lines are compared in their canonical form, and those below one shingle are left out: no signature holds
//! anything of them alone.

pub mod finder;
mod sketch;

use std::collections::HashMap;

use simdex_index::{GrowingPermit, HeldText, IndexError, IndexReader, MemoryAccount, View};
use simdex_schema::DocId;
use simdex_signature::{CanonicalText, LineKey};

use finder::{Recurring, Sketching};

/// Bytes that a line of a text takes: its key, in a list that doubles as it grows and in a copy of it.
const LINE: u64 = 4 * size_of::<LineKey>() as u64;

/// Shortest line that is as long as a shingle, with its line feed: a character may become 33 bytes of canonical text.
const SHORTEST: usize = 4;

/// Bytes of a template beside its text, while it is put together and after.
const TEMPLATE: u64 = 256;

/// A block of lines that stand together wherever one of them stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Template {
    /// Its lines as the example has them, each with a line feed, as far as they were asked for; the beginning of the
    /// first, without one, where that alone is longer.
    pub text: String,
    /// Some of that is cut off.
    pub is_cut: bool,
    /// All of its lines are left out of what is compared.
    pub is_left_out: bool,
    /// How many lines it has, also where fewer are shown.
    pub lines: u64,
    /// Documents that hold it.
    pub documents: u64,
    /// Groups of them, a document in none counted as one: of revisions of one document one alone.
    pub groups: u64,
    /// One of them.
    pub example: DocId,
}

/// What was found in one root.
#[derive(Debug)]
pub struct Templates {
    /// Counts them as long as they are held.
    _held: GrowingPermit,
    /// In most documents first; of equals the longest.
    pub templates: Vec<Template>,
    /// How many there are, also where fewer are listed.
    pub found: u64,
    /// Documents that were looked at.
    pub documents: u64,
    /// True where more lines recur than are held: some templates may be missing.
    pub truncated: bool,
}

/// What is asked for.
#[derive(Clone, Copy, Debug)]
pub struct TemplateSearch {
    /// Fewest documents of the view that hold a template.
    pub least: u32,
    /// Most templates that are read; all are counted.
    pub limit: usize,
    /// Longest text of a template, in bytes.
    pub text_bytes: usize,
}

/// Finds the templates of a view.
pub fn templates(
    index: &IndexReader,
    view: &View,
    search: TemplateSearch,
    account: &MemoryAccount,
) -> Result<Templates, IndexError> {
    let TemplateSearch { least, limit, .. } = search;
    let documents = index.texts_by_group(view, account)?;
    let _permit = account.take_large(Sketching::bytes_for(documents.len(), limit))?;
    let mut sketching = Sketching::new(documents.len(), least);
    for &(_, id) in documents.iter() {
        visit_lines(index, id, account, |lines| sketching.add(lines))?;
    }
    let mut counting = sketching.finish();
    for &(group, id) in documents.iter() {
        let numbers = (group.0, id.0);
        visit_lines(index, id, account, |lines| counting.add(numbers, lines))?;
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

/// Calls `visit` with the keys of a document's lines in their order; not at all where its text is not to be read.
fn visit_lines(
    index: &IndexReader,
    id: DocId,
    account: &MemoryAccount,
    visit: impl FnOnce(&[LineKey]),
) -> Result<(), IndexError> {
    account.cancel().check()?;
    if let Some(text) = text_if_readable(index, id, account)? {
        let _of_lines = account.take_large(LINE * text.lines().count() as u64)?;
        let lines: Vec<LineKey> = text.lines().filter_map(key_of).collect();
        visit(&lines);
    }
    Ok(())
}

fn text_if_readable(
    index: &IndexReader,
    id: DocId,
    account: &MemoryAccount,
) -> Result<Option<HeldText>, IndexError> {
    match index.held_text(id, account) {
        Err(error) if error.is_of_one_document() => Ok(None),
        text => text,
    }
}

/// What names a line; `None` of one that is shorter than a shingle.
pub fn key_of(line: &str) -> Option<LineKey> {
    let canonical = CanonicalText::from_extracted(line);
    let is_long = canonical.as_bytes().len() >= finder::LEAST_BYTES;
    is_long.then(|| LineKey::of(canonical.as_str()))
}

/// Adds the texts, counted in `held`: each example is read once.
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
        let Some(text) = text_if_readable(index, DocId(id), account)? else {
            continue;
        };
        // Of the lines of the text those alone that are shown.
        let wanted = || {
            places
                .iter()
                .flat_map(|&at| shown_keys(&recurring[at].lines, text_bytes))
        };
        let _of_lines = account.take_large(2 * LINE * wanted().count() as u64)?;
        let wanted = wanted();
        let mut lines: HashMap<LineKey, &str> = wanted.map(|&key| (key, "")).collect();
        for line in text.lines() {
            if let Some(found) = key_of(line).and_then(|key| lines.get_mut(&key)) {
                *found = line.trim();
            }
        }
        for at in places {
            let text = shown(&recurring[at].lines, &lines, text_bytes);
            held.add(text.0.capacity() as u64)?;
            texts[at] = text;
        }
    }
    let templates = recurring.into_iter().zip(texts);
    let is_left_out = |keys: &[LineKey]| {
        let list = index.template_lines();
        !list.is_empty() && keys.iter().all(|key| list.contains(*key))
    };
    let templates = templates.map(|(recurring, (text, is_cut))| Template {
        text,
        is_cut,
        is_left_out: is_left_out(&recurring.lines),
        lines: recurring.lines.len() as u64,
        documents: recurring.documents.into(),
        groups: recurring.groups.into(),
        example: DocId(recurring.example),
    });
    Ok(templates.collect())
}

/// The lines of a template that may be shown.
fn shown_keys(keys: &[LineKey], text_bytes: usize) -> &[LineKey] {
    &keys[..keys.len().min(text_bytes / SHORTEST + 1)]
}

/// The whole lines that `text_bytes` have room for, each with a line feed, and whether others are cut off. Where the
/// first is longer it is the beginning of that, without one.
fn shown(keys: &[LineKey], lines: &HashMap<LineKey, &str>, text_bytes: usize) -> (String, bool) {
    let mut text = String::new();
    for key in keys {
        // One that the example has no more, since it was read again meanwhile, is cut off too.
        let line = lines.get(key);
        let Some(line) = line.filter(|line| text.len() + line.len() < text_bytes) else {
            let first = line
                .filter(|_| text.is_empty())
                .copied()
                .unwrap_or_default();
            text.push_str(&first[..first.floor_char_boundary(text_bytes)]);
            return (text, true);
        };
        text.push_str(line);
        text.push('\n');
    }
    (text, false)
}
