//! Records of lists: each as a JSON line and as rows of a table.

use indicatif::HumanBytes;
use simdex_client::lines::{self, Body, hex, not_judged, relation};
use simdex_client::text::{escaped, plural};
use simdex_client::wire;

use crate::output::table::{Column, left, path, right, text};
use crate::output::text::{UNKNOWN, VERIFIED, basis, class_and_probability, estimated, measured};

/// A record that a table shows.
pub(crate) trait Tabular {
    /// The columns of its table.
    const COLUMNS: &'static [Column];
    /// Its rows, one cell per column.
    fn rows(&self) -> Vec<Vec<String>>;
    /// The paths that `--after` takes to resume its list behind it; none if the list cannot be resumed.
    fn place(&self) -> Vec<&[u8]> {
        Vec::new()
    }
}

/// A record that verbs list: rows for people, a JSON line for programs.
pub(crate) trait Record: Tabular {
    /// Its JSON object.
    type Json: Body;
    /// Converts it to its JSON object.
    fn json(&self) -> Self::Json;
}

/// Lists wire messages whose JSON object is a plain conversion.
macro_rules! records {
    ($($message:ident),*) => {
        $(impl Record for wire::$message {
            type Json = lines::$message;

            fn json(&self) -> Self::Json {
                self.into()
            }
        })*
    };
}

records!(Match, Pair, Group, FolderCopies, Template, File, Root);

/// The column of judgements.
pub(super) const JUDGED: Column = left("JUDGED").unless_empty();

/// The column that says whether numbers are exact. Estimates also show their intervals.
const BASIS: Column = left("BASIS").unless_usual(VERIFIED);

/// The column of roots, shown if the list may be of several.
pub(crate) const ROOT: &str = "ROOT";

/// Digits of a hash that tables show: enough to distinguish documents by eye.
const HASH_DIGITS: usize = 12;

/// Characters of a template that tables show.
const SHOWN_TEXT: usize = 60;

/// Further copies of a folder that tables name, beside the two of their row.
const FURTHER_NAMED: usize = 10;

fn short(hash: &[u8]) -> String {
    hex(hash).map_or_else(
        || UNKNOWN.to_owned(),
        |digits| digits.chars().take(HASH_DIGITS).collect(),
    )
}

pub(super) fn relation_name(relation_value: i32) -> String {
    relation(relation_value).unwrap_or(UNKNOWN).to_owned()
}

/// A judgement in a table: its class and probability, or why there is none.
pub(super) fn judged(judgement: Option<&wire::Judgement>, why_not: i32) -> String {
    let none = || not_judged(why_not).unwrap_or(UNKNOWN).to_owned();
    judgement.map_or_else(none, class_and_probability)
}

pub(super) fn text_or_dash(text: &str) -> String {
    if text.is_empty() {
        UNKNOWN.to_owned()
    } else {
        text.to_owned()
    }
}

pub(super) fn count_or_dash(value: Option<u64>) -> String {
    value.map_or_else(|| UNKNOWN.to_owned(), |value| value.to_string())
}

impl Tabular for wire::Match {
    const COLUMNS: &'static [Column] = &[
        left("RESEMBLANCE"),
        left("CONTAINMENT OF QUERY"),
        left("CONTAINMENT IN QUERY"),
        left("RELATION"),
        JUDGED,
        BASIS,
        path("PATH"),
    ];

    fn rows(&self) -> Vec<Vec<String>> {
        vec![vec![
            estimated(self.resemblance.as_ref(), self.verified),
            estimated(self.containment_of_query.as_ref(), self.verified),
            estimated(self.containment_in_query.as_ref(), self.verified),
            relation_name(self.relation),
            judged(self.judgement.as_ref(), self.not_judged),
            basis(self.verified),
            escaped(&self.path),
        ]]
    }
}

/// A match with those folded under it.
pub(crate) struct FoldedMatch<'a> {
    /// The best match.
    pub(crate) found: &'a wire::Match,
    /// How many others there are.
    pub(crate) folded: u64,
}

impl Tabular for FoldedMatch<'_> {
    const COLUMNS: &'static [Column] = wire::Match::COLUMNS;

    fn rows(&self) -> Vec<Vec<String>> {
        let mut rows = self.found.rows();
        if let (Some(path), 1..) = (rows.last_mut().and_then(|row| row.last_mut()), self.folded) {
            path.push_str(&format!(
                " (+ {} near-duplicate{})",
                self.folded,
                plural(self.folded)
            ));
        }
        rows
    }
}

impl Tabular for wire::Pair {
    const COLUMNS: &'static [Column] = &[
        left("RESEMBLANCE"),
        left("CONTAINMENT OF A"),
        left("CONTAINMENT OF B"),
        left("RELATION"),
        JUDGED,
        BASIS,
        path("A"),
        path("B"),
    ];

    fn place(&self) -> Vec<&[u8]> {
        vec![&self.a, &self.b]
    }

    fn rows(&self) -> Vec<Vec<String>> {
        vec![vec![
            measured(self.resemblance),
            measured(self.containment_of_a),
            measured(self.containment_of_b),
            relation_name(self.relation),
            judged(self.judgement.as_ref(), self.not_judged),
            basis(self.verified),
            escaped(&self.a),
            escaped(&self.b),
        ]]
    }
}

/// Files of a folder that have no counterpart in the other, one per row, and how many more there are.
fn alone(paths: &[Vec<u8>], all: u64) -> impl Iterator<Item = [String; 2]> {
    let named = paths.iter().map(|path| ["alone".to_owned(), escaped(path)]);
    let more = all.saturating_sub(paths.len() as u64);
    let more =
        (more > 0 && !paths.is_empty()).then(|| ["alone".to_owned(), format!("and {more} more")]);
    named.chain(more)
}

impl Tabular for wire::FolderCopies {
    const COLUMNS: &'static [Column] = &[
        right("SHARED OF A"),
        right("SHARED OF B"),
        right("REVISED"),
        right("COPIES"),
        path("A"),
        path("B"),
    ];

    fn rows(&self) -> Vec<Vec<String>> {
        let mut rows = vec![vec![
            format!("{} of {}", self.shared_a, self.files_a),
            format!("{} of {}", self.shared_b, self.files_b),
            self.revised.to_string(),
            self.copies
                .map(|copies| copies.to_string())
                .unwrap_or_default(),
            escaped(&self.a),
            escaped(&self.b),
        ]];
        let unnamed = self.copies.unwrap_or(0).saturating_sub(2);
        let named = self.further.len().min(FURTHER_NAMED);
        let further = self.further[..named].iter().map(|path| escaped(path));
        let more = unnamed.saturating_sub(named as u64);
        let more = (more > 0).then(|| format!("and {more} more"));
        rows.extend(further.chain(more).map(|path| {
            let blank = String::new;
            vec![blank(), blank(), blank(), "also".to_owned(), path, blank()]
        }));
        let lone = self.files_a.saturating_sub(self.shared_a);
        let other = self.files_b.saturating_sub(self.shared_b);
        rows.extend(alone(&self.alone_a, lone).map(|[said, path]| {
            let blank = String::new;
            vec![said, blank(), blank(), blank(), path, blank()]
        }));
        rows.extend(alone(&self.alone_b, other).map(|[said, path]| {
            let blank = String::new;
            vec![blank(), said, blank(), blank(), blank(), path]
        }));
        rows
    }
}

impl Tabular for wire::Template {
    const COLUMNS: &'static [Column] = &[
        right("DOCUMENTS"),
        right("GROUPS"),
        right("LINES"),
        left("LEFT OUT"),
        path(ROOT),
        text("TEXT"),
        path("EXAMPLE"),
    ];

    fn rows(&self) -> Vec<Vec<String>> {
        let text = self.text.split_whitespace().collect::<Vec<_>>().join(" ");
        let beginning: String = text.chars().take(SHOWN_TEXT).collect();
        let more = if beginning.len() < text.len() {
            "…"
        } else {
            ""
        };
        let left_out = match (self.left_out, self.partly_left_out) {
            (true, _) => "yes",
            (false, true) => "partly",
            (false, false) => "no",
        };
        vec![vec![
            format!("{} of {}", self.documents, self.of_documents),
            self.groups.to_string(),
            self.lines.to_string(),
            left_out.to_owned(),
            escaped(&self.root),
            text_or_dash(&format!("{beginning}{more}")),
            escaped(&self.example),
        ]]
    }
}

impl Tabular for wire::File {
    const COLUMNS: &'static [Column] = &[
        left("STATE"),
        left("REASON"),
        right("BYTES"),
        right("CHARS"),
        left("DOCUMENT"),
        path("PATH"),
    ];

    fn place(&self) -> Vec<&[u8]> {
        vec![&self.path]
    }

    fn rows(&self) -> Vec<Vec<String>> {
        vec![vec![
            text_or_dash(&self.state),
            text_or_dash(&self.reason),
            count_or_dash(self.bytes),
            count_or_dash(self.chars),
            short(&self.document),
            escaped(&self.path),
        ]]
    }
}

impl Tabular for wire::Root {
    const COLUMNS: &'static [Column] = &[
        right("ID"),
        left("STATE"),
        left("MODE"),
        right("FILES"),
        right("PENDING LOSS"),
        path("PATH"),
        text("DETAIL"),
    ];

    fn rows(&self) -> Vec<Vec<String>> {
        let mode = if self.configured_mode == self.mode {
            text_or_dash(&self.mode)
        } else {
            format!("{} ({})", self.mode, self.configured_mode)
        };
        vec![vec![
            self.id.to_string(),
            text_or_dash(&self.state),
            mode,
            self.files.to_string(),
            self.pending_loss.to_string(),
            escaped(&self.path),
            text_or_dash(&self.detail),
        ]]
    }
}

impl Tabular for wire::MemoryUse {
    const COLUMNS: &'static [Column] = &[text("MEMORY HELD BY"), right("BYTES"), right("AT MOST")];

    fn rows(&self) -> Vec<Vec<String>> {
        let bytes = |count: Option<u64>| count.map(|count| HumanBytes(count).to_string());
        let or_dash = |text: Option<String>| text_or_dash(&text.unwrap_or_default());
        vec![vec![
            text_or_dash(&self.holder),
            or_dash(bytes(self.bytes)),
            or_dash(bytes(self.limit)),
        ]]
    }
}
