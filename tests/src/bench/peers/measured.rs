//! What was measured of each program, and the table of it.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use super::questions::{Question, Questions};
use crate::corpus::Kind;
use crate::figure::{Cell, Figures, percentile};

/// The documents found for each question.
pub(super) type Found = Vec<BTreeSet<u64>>;

/// All of one program.
pub(super) struct Measured {
    /// With its version, if it has one of its own.
    pub(super) name: String,
    /// What its index costs.
    pub(super) index: IndexCost,
    /// For each relation.
    pub(super) answers: [Answers; 2],
    /// A search for all pairs, of programs that have one.
    pub(super) pairs: Option<Pairs>,
    /// All pairs found with the fingerprints of whole families, of programs that leave such fingerprints out above.
    pub(super) pairs_of_families: Option<Pairs>,
}

/// What an index of all documents costs.
pub(super) struct IndexCost {
    /// Seconds until documents are found, on the clock and of processors.
    pub(super) build: [f64; 2],
    /// Fingerprints of all documents that it holds.
    pub(super) postings: f64,
    /// Bytes on disk; none of an index in memory.
    pub(super) disk: Option<f64>,
    /// Megabytes resident at most, beyond those before the first document; none where that is not known.
    pub(super) memory: Option<f64>,
    /// Seconds that it took to delete a tenth of all documents; none where that cannot be done.
    pub(super) delete: Option<f64>,
}

/// What questions of one relation found, and the time each took.
#[derive(Default)]
pub(super) struct Answers {
    pub(super) times: Vec<Duration>,
    /// Seconds of processors for all questions.
    pub(super) processor: f64,
    pub(super) found: Found,
}

/// A search for all pairs at the threshold.
pub(super) struct Pairs {
    /// On the clock and of processors.
    pub(super) seconds: [f64; 2],
    pub(super) count: f64,
    /// The partners of the documents that are asked about.
    pub(super) found: Found,
}

/// How much of what is true was found, and how much of what was found is true.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Score {
    right: usize,
    found: usize,
    truth: usize,
}

impl Score {
    /// The score of all questions.
    pub(super) fn of(questions: &Questions, found: &Found) -> Self {
        let mut all = Self::default();
        for (question, found) in questions.all.iter().zip(found) {
            all.add(question, found);
        }
        all
    }

    /// Adds an answer; that a document finds itself is neither right nor wrong.
    fn add(&mut self, question: &Question, found: &BTreeSet<u64>) {
        let others = found.iter().filter(|number| **number != question.number);
        self.found += others.count();
        self.right += found.intersection(&question.truth).count();
        self.truth += question.truth.len();
    }

    pub(super) fn recall(self) -> f64 {
        self.right as f64 / self.truth.max(1) as f64
    }

    pub(super) fn precision(self) -> f64 {
        self.right as f64 / self.found.max(1) as f64
    }

    /// Scores by the kind of the document asked about, of those kinds for which there is anything to be found.
    fn by_kind(questions: &Questions, found: &Found) -> BTreeMap<Kind, Self> {
        let mut kinds: BTreeMap<Kind, Self> = BTreeMap::new();
        for (question, found) in questions.all.iter().zip(found) {
            kinds.entry(question.kind).or_default().add(question, found);
        }
        kinds.retain(|_, score| score.truth > 0);
        kinds
    }
}

/// Prints the table: a line for each figure, a column for each program.
pub(super) fn put_table(
    measured: &[Measured],
    questions: &[Questions; 2],
    bytes_of_text: u64,
    figures: &mut Figures<'_>,
) -> std::io::Result<()> {
    let names: Vec<&str> = measured.iter().map(|each| each.name.as_str()).collect();
    let mut rows = Rows {
        measured,
        rows: Vec::new(),
    };
    rows.of_index("build, s", |index| Cell::Figure(index.build[0]));
    rows.of_index("build, processor s", |index| Cell::Figure(index.build[1]));
    rows.of_index("disk, bytes/posting", |index| {
        Cell::of(index.disk.map(|bytes| bytes / index.postings), "none")
    });
    rows.of_index("disk, bytes/byte of text", |index| {
        let share = index.disk.map(|bytes| bytes / bytes_of_text as f64);
        Cell::of(share, "none")
    });
    rows.of_index("memory at most, MB", |index| Cell::of(index.memory, "-"));
    for (at, of) in questions.iter().enumerate() {
        rows.of_answers(at, of);
    }
    for (at, of) in questions.iter().enumerate() {
        rows.of_kinds(at, of);
    }
    rows.of_index("delete a tenth, ms", |index| {
        Cell::of(index.delete.map(|seconds| 1e3 * seconds), "cannot")
    });
    rows.of_index("  for the time to insert it", |index| {
        let share = index.delete.map(|delete| 10.0 * delete / index.build[0]);
        Cell::of(share, "cannot")
    });
    rows.of_pairs("all pairs", &questions[0], |each| each.pairs.as_ref());
    rows.of_pairs("all pairs of families", &questions[0], |each| {
        each.pairs_of_families.as_ref()
    });
    figures.table(&names, &rows.rows)
}

struct Rows<'a> {
    measured: &'a [Measured],
    rows: Vec<(String, Vec<Cell>)>,
}

impl Rows<'_> {
    fn add(&mut self, name: &str, cell: impl Fn(&Measured) -> Cell) {
        let cells = self.measured.iter().map(cell).collect();
        self.rows.push((name.to_owned(), cells));
    }

    fn of_index(&mut self, name: &str, cell: impl Fn(&IndexCost) -> Cell) {
        self.add(name, |each| cell(&each.index));
    }

    fn of_answers(&mut self, at: usize, questions: &Questions) {
        let name = questions.relation.name();
        for (percent, share) in [("p50", 0.5), ("p99", 0.99)] {
            self.add(&format!("{name}: {percent}, ms"), |each| {
                Cell::Figure(percentile(&mut each.answers[at].times.clone(), share))
            });
        }
        let count = questions.all.len().max(1) as f64;
        self.add(&format!("{name}: processor, ms"), |each| {
            Cell::Figure(1e3 * each.answers[at].processor / count)
        });
        let score = |each: &Measured| Score::of(questions, &each.answers[at].found);
        self.add(&format!("{name}: recall"), |each| {
            Cell::Figure(score(each).recall())
        });
        self.add(&format!("{name}: precision"), |each| {
            Cell::Figure(score(each).precision())
        });
    }

    fn of_kinds(&mut self, at: usize, questions: &Questions) {
        let scores = |each: &Measured| Score::by_kind(questions, &each.answers[at].found);
        let Some(first) = self.measured.first() else {
            return;
        };
        for kind in scores(first).into_keys() {
            let name = format!("  {} to {}: recall", questions.relation.name(), kind.name());
            self.add(&name, |each| Cell::Figure(scores(each)[&kind].recall()));
        }
    }

    fn of_pairs(
        &mut self,
        name: &str,
        questions: &Questions,
        pairs: impl Fn(&Measured) -> Option<&Pairs>,
    ) {
        let mut add = |of: &str, figure: &dyn Fn(&Pairs) -> f64| {
            let name = format!("{name}{of}");
            self.add(&name, |each| Cell::of(pairs(each).map(figure), "-"));
        };
        add(", s", &|pairs| pairs.seconds[0]);
        add(", processor s", &|pairs| pairs.seconds[1]);
        add("", &|pairs| pairs.count);
        let score = |pairs: &Pairs| Score::of(questions, &pairs.found);
        add(": recall", &|pairs| score(pairs).recall());
        add(": precision", &|pairs| score(pairs).precision());
    }
}

#[cfg(test)]
mod tests {
    use super::super::questions::Relation;
    use super::*;

    #[test]
    fn a_score_counts_what_is_right_without_the_document_itself() {
        let question = |number, kind, truth: &[u64]| Question {
            number,
            kind,
            text: String::new(),
            truth: truth.iter().copied().collect(),
        };
        let questions = Questions {
            relation: Relation::Similar,
            all: vec![
                question(1, Kind::Version, &[2, 3, 4]),
                question(5, Kind::Form, &[]),
            ],
        };
        let found = vec![BTreeSet::from([1, 2, 3, 9]), BTreeSet::from([5, 6])];
        let score = Score::of(&questions, &found);
        assert_eq!((score.recall(), score.precision()), (2.0 / 3.0, 0.5));
        let kinds = Score::by_kind(&questions, &found);
        assert_eq!(kinds.into_keys().collect::<Vec<_>>(), [Kind::Version]);
    }
}
