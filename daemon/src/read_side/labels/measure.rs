//! The signals of labelled pairs, and which pairs belong together.

use std::collections::hash_map::Entry;
use std::collections::{BTreeSet, HashMap};
use std::ops::ControlFlow;
use std::os::unix::ffi::OsStrExt;
use std::time::Duration;

use simdex_index::{FileInfo, MemoryAccount, MemoryPermit, VisibleRoots};
use simdex_judge::evaluation::SourcedPair;
use simdex_judge::measure::time_of;
use simdex_judge::training::LabelledSignals;
use simdex_judge::{Caveats, JudgedText, Signal, Values};
use simdex_schema::{DocumentHash, GroupId};

use super::pairs::Pairs;
use super::{LabelCounts, LabelError, LabelledFile, Labels};
use crate::engine::Engine;
use crate::read_side::judging;
use crate::read_side::query::{Overlap, Subject};

/// Most pairs that signals are timed on.
const TIMED: u32 = 20;

/// Labelled pairs, measured.
pub(super) struct Measured {
    /// The pairs on whose class raters agree, with all their signals.
    pub(super) pairs: Vec<SourcedPair>,
    /// For each, whether one of its texts is in a language that the table of common words does not know.
    pub(super) is_foreign: Vec<bool>,
    /// Mean microseconds of each signal for a pair without cached data; `None` if there is no pair.
    pub(super) microseconds: Option<SignalTimes>,
    /// Counts of labels and pairs.
    pub(super) counts: LabelCounts,
}

/// Microseconds by [`Signal::index`].
pub type SignalTimes = [f64; Signal::ALL.len()];

/// The labelled pairs on whose class raters agree, with all their signals.
pub(super) fn measured(
    engine: &Engine,
    pairs: &Pairs<'_>,
    labels: &Labels,
    account: &MemoryAccount,
) -> Result<Measured, LabelError> {
    let mut counts = LabelCounts {
        labels: labels.labels.len() as u64,
        raters: pairs.raters().len() as u64,
        ..LabelCounts::default()
    };
    let mut reader = Reader::new(engine, account);
    let (mut found, mut is_foreign, mut sources) = (Vec::new(), Vec::new(), Sources::default());
    for (documents, pair) in &pairs.0 {
        account.cancel().check()?;
        if pair.is_identical() {
            counts.identical += 1;
            continue;
        }
        let Some(class) = pair.verdict() else {
            counts.disputed += 1;
            continue;
        };
        let read = match reader.values(pair.sides, &mut sources) {
            Err(LabelError::Unknown { .. } | LabelError::NoText { .. }) if labels.skip_unknown => {
                counts.unknown += 1;
                continue;
            }
            read => read?,
        };
        counts.classes.add(class);
        let values = read.values;
        let pair = LabelledSignals { values, class };
        found.push((documents[0], pair, read.caveats));
        is_foreign.push(read.is_foreign);
    }
    let sourced = found
        .into_iter()
        .map(|(document, pair, caveats)| SourcedPair {
            pair,
            caveats,
            source: sources.source(document),
        });
    let sourced: Vec<SourcedPair> = sourced.collect();
    let distinct: BTreeSet<u64> = sourced.iter().map(|pair| pair.source).collect();
    counts.sources = distinct.len() as u64;
    Ok(Measured {
        pairs: sourced,
        is_foreign,
        microseconds: reader.microseconds(),
        counts,
    })
}

/// Reads the texts of pairs; that of the first side once for all adjacent pairs that share it.
struct Reader<'a> {
    engine: &'a Engine,
    account: &'a MemoryAccount,
    view: VisibleRoots,
    first: Option<HeldDocument>,
    /// Pairs that signals were timed on, and what each took.
    timed: u32,
    took: [Duration; Signal::ALL.len()],
}

/// What is read of a pair.
struct ReadPair {
    values: Values,
    caveats: Caveats,
    /// Whether one of its texts is in a language that the table of common words does not know.
    is_foreign: bool,
}

/// A document with its analysed text.
struct HeldDocument {
    document: DocumentHash,
    group: Option<GroupId>,
    subject: Subject,
    text: JudgedText,
    _permit: Option<MemoryPermit>,
}

impl<'a> Reader<'a> {
    fn new(engine: &'a Engine, account: &'a MemoryAccount) -> Self {
        Self {
            engine,
            account,
            view: engine.roots.view(),
            first: None,
            timed: 0,
            took: Default::default(),
        }
    }

    fn microseconds(&self) -> Option<SignalTimes> {
        let mean = |took: Duration| 1e6 * took.as_secs_f64() / f64::from(self.timed);
        (self.timed > 0).then(|| self.took.map(mean))
    }

    fn values(
        &mut self,
        [a, b]: [&LabelledFile; 2],
        sources: &mut Sources,
    ) -> Result<ReadPair, LabelError> {
        let kept = self.first.take();
        let first = match kept.filter(|held| held.is_of(a)) {
            Some(held) => held,
            None => self.held(a)?,
        };
        let second = self.held(b);
        let first = self.first.insert(first);
        let second = second?;
        sources.join(first, &second);
        let texts = [first.subject.text(), second.subject.text()];
        let [Some(of_a), Some(of_b)] = texts else {
            return Err(no_text(a));
        };
        let cancel = self.account.cancel();
        let overlap = Overlap::of_texts(of_a, of_b, cancel);
        let overlap = overlap.map_err(LabelError::Index)?;
        let sides = [
            (&first.subject, &first.text),
            (&second.subject, &second.text),
        ];
        let known = judging::known_signals_of(sides, &overlap);
        let (a, b) = (&first.text, &second.text);
        if self.timed < TIMED {
            self.timed += 1;
            for (signal, took) in Signal::ALL.into_iter().zip(&mut self.took) {
                *took += time_of(signal, &known, a, b);
            }
        }
        Ok(ReadPair {
            values: Values::measured(&known, a, b),
            caveats: Caveats {
                is_quoting: known.is_quoting,
                ..Caveats::of(a, b)
            },
            is_foreign: a.is_foreign() || b.is_foreign(),
        })
    }

    fn held(&self, side: &LabelledFile) -> Result<HeldDocument, LabelError> {
        let file = self.file(side)?;
        let subject = Subject::from_file(self.engine.index.reader(), &file, self.account);
        let subject = subject.map_err(|error| error.naming(|| shown(side)))?;
        let text = subject.text().ok_or_else(|| no_text(side))?;
        let length = text.canonical.as_bytes().len() as u64;
        let permit = self.account.take_large(JudgedText::peak_bytes(length))?;
        Ok(HeldDocument {
            document: side.document,
            group: file.group,
            text: text.judged(),
            subject,
            _permit: permit,
        })
    }

    /// The labelled file, if it still carries the same document; otherwise the first file that does.
    fn file(&self, side: &LabelledFile) -> Result<FileInfo, LabelError> {
        let index = self.engine.index.reader();
        let carries = |file: &FileInfo| {
            let document = file.document.map(|(_, hash)| hash);
            document == Some(side.document)
        };
        if let Some((_, key)) = self.engine.roots.locate(&side.path)
            && let Some(file) = index.files().get(&key, &self.view)?.filter(carries)
        {
            return Ok(file);
        }
        let mut found = None;
        if let Some(id) = index.documents().with_hash(side.document)? {
            index
                .files()
                .visit_of_document(id, &self.view, &mut |file| {
                    found = Some(file);
                    ControlFlow::Break(())
                })?;
        }
        found
            .filter(carries)
            .ok_or_else(|| LabelError::Unknown { path: shown(side) })
    }
}

impl HeldDocument {
    /// Whether it is exactly this side: signals of locations differ from file to file.
    fn is_of(&self, side: &LabelledFile) -> bool {
        let path = self.subject.subject_path.as_deref();
        self.document == side.document && path == Some(&*side.path)
    }
}

fn no_text(side: &LabelledFile) -> LabelError {
    LabelError::NoText { path: shown(side) }
}

fn shown(side: &LabelledFile) -> String {
    String::from_utf8_lossy(side.path.as_os_str().as_bytes()).into_owned()
}

/// Disjoint sets of documents linked by labelled pairs or groups of the index.
#[derive(Default)]
struct Sources {
    numbers: HashMap<DocumentHash, usize>,
    groups: HashMap<GroupId, usize>,
    /// The parent of each document; a root is its own.
    above: Vec<usize>,
    /// For each root, the least hash of the documents in its set.
    smallest: Vec<DocumentHash>,
}

impl Sources {
    fn join(&mut self, a: &HeldDocument, b: &HeldDocument) {
        let (first, second) = (self.number(a.document), self.number(b.document));
        self.unite(first, second);
        for (number, group) in [(first, a.group), (second, b.group)] {
            let Some(group) = group else { continue };
            match self.groups.entry(group) {
                Entry::Vacant(free) => {
                    free.insert(number);
                }
                Entry::Occupied(known) => {
                    let known = *known.get();
                    self.unite(number, known);
                }
            }
        }
    }

    fn number(&mut self, document: DocumentHash) -> usize {
        let next = self.above.len();
        let number = *self.numbers.entry(document).or_insert(next);
        if number == next {
            self.above.push(next);
            self.smallest.push(document);
        }
        number
    }

    /// The root of the set; halves the path to it.
    fn top(&mut self, mut at: usize) -> usize {
        while self.above[at] != at {
            self.above[at] = self.above[self.above[at]];
            at = self.above[at];
        }
        at
    }

    fn unite(&mut self, a: usize, b: usize) {
        let (a, b) = (self.top(a), self.top(b));
        let (upper, lower) = match self.smallest[a].0 <= self.smallest[b].0 {
            true => (a, b),
            false => (b, a),
        };
        self.above[lower] = upper;
    }

    /// A number for the set of a document, independent of the order of pairs.
    fn source(&mut self, document: DocumentHash) -> u64 {
        let number = self.number(document);
        let top = self.top(number);
        let first = self.smallest[top].0.first_chunk().copied();
        u64::from_be_bytes(first.unwrap_or_default())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn linked_documents_are_one_source_in_whatever_order_they_come() {
        let hash = |of: u8| DocumentHash([of; 32]);
        let links = [(1, 2), (3, 4), (5, 6), (2, 3), (7, 8), (8, 7)];
        let of = |links: &[(u8, u8)]| {
            let mut sources = Sources::default();
            for (a, b) in links {
                let (a, b) = (sources.number(hash(*a)), sources.number(hash(*b)));
                sources.unite(a, b);
            }
            (1..=9)
                .map(|at| sources.source(hash(at)))
                .collect::<Vec<_>>()
        };
        let found = of(&links);
        let reversed: Vec<_> = links.iter().rev().map(|(a, b)| (*b, *a)).collect();
        assert_eq!(found, of(&reversed));
        let same = |a: usize, b: usize| found[a - 1] == found[b - 1];
        assert!(same(1, 4) && same(5, 6) && same(7, 8));
        assert!(!same(1, 5) && !same(5, 7) && !same(8, 9));
    }
}
