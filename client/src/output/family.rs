//! Draws the family of a document: as a tree in the terminal, as DOT, as SVG.

mod dot;
mod layout;
mod svg;
#[cfg(test)]
mod tests;
mod tree;

use simdex_client::FamilyPart;
use simdex_client::lines::date;
use simdex_client::text::escaped;
use simdex_client::wire::{Direction, VersionEdge, VersionFile, VersionKind};

use crate::output::text::{UNKNOWN, ending, ratio};

pub(crate) use dot::dot;
pub(crate) use svg::svg;
pub(crate) use tree::tree;

/// Files of a version that are named where not all are wanted.
const NAMED: usize = 3;

/// The versions of a family, and how each came of an earlier one.
#[derive(Debug, Default)]
pub(crate) struct Family {
    /// Versions by number, from 1.
    versions: Vec<Version>,
    /// All files are named.
    wide: bool,
}

/// One version: the files that carry one text.
#[derive(Debug, Default)]
struct Version {
    /// Those that are named, the one asked about first.
    files: Vec<String>,
    /// How many there are.
    count: u64,
    is_query: bool,
    /// The day it was made, as well as that is known.
    day: Option<String>,
    /// A document states that day; else it is a modification time.
    is_stated: bool,
    /// How it came of an earlier version.
    edge: Option<VersionEdge>,
}

impl Family {
    /// An empty family, of which all files are named or some.
    pub(crate) fn new(wide: bool) -> Self {
        Self {
            versions: Vec::new(),
            wide,
        }
    }

    /// Adds a part, in the order in which the daemon sends them.
    pub(crate) fn add(&mut self, part: FamilyPart) {
        match part {
            FamilyPart::File(file) => self.add_file(&file),
            FamilyPart::Edge(edge) => {
                // The contract says that a parent comes first; a daemon may err.
                let is_known = (1..edge.version).contains(&edge.parent);
                let version = self.versions.get_mut(place(edge.version));
                if let Some(version) = version.filter(|_| is_known) {
                    version.edge = Some(edge);
                }
            }
        }
    }

    fn add_file(&mut self, file: &VersionFile) {
        let Some(found) = &file.r#match else { return };
        let at = place(file.version);
        // Numbers have no gaps.
        if at == self.versions.len() {
            self.versions.push(Version::default());
        }
        let wide = self.wide;
        let Some(version) = self.versions.get_mut(at) else {
            return;
        };
        version.count += 1;
        let day = date(found.date).map(|date| date.chars().take(10).collect::<String>());
        let is_stated = found.date_source != "file";
        let is_better = (!is_stated, &day) < (!version.is_stated, &version.day);
        if day.is_some() && (version.day.is_none() || is_better) {
            (version.day, version.is_stated) = (day, is_stated);
        }
        let name = match found.path.is_empty() {
            true => "standard input".to_owned(),
            false => escaped(&found.path),
        };
        if found.is_query {
            version.is_query = true;
            version.files.insert(0, name);
        } else if wide || version.files.len() < NAMED {
            version.files.push(name);
        }
    }

    /// Files in all versions, and versions that are one of several that came of the same.
    pub(crate) fn summary(&self) -> String {
        use simdex_client::text::counted;
        let files = self.versions.iter().map(|version| version.count).sum();
        let versions = counted(self.versions.len() as u64, "version");
        let mut said = format!("{versions} in {}", counted(files, "file"));
        let parents: Vec<_> = self.edges().map(|edge| edge.parent).collect();
        let distinct: std::collections::BTreeSet<_> = parents.iter().collect();
        match (parents.len() - distinct.len()) as u64 {
            0 => {}
            1 => said.push_str(", 1 branch"),
            branches => said.push_str(&format!(", {branches} branches")),
        }
        let unknown = self
            .edges()
            .filter(|edge| edge.direction() == Direction::Unknown);
        match unknown.count() {
            0 => {}
            unknown => said.push_str(&format!(
                "; nothing tells which is the later in {}",
                counted(unknown as u64, "pair")
            )),
        }
        said
    }

    fn edges(&self) -> impl Iterator<Item = &VersionEdge> {
        self.versions
            .iter()
            .filter_map(|version| version.edge.as_ref())
    }

    /// The longest folder that all named files lie in, with its `/` at the end.
    fn folder(&self) -> &str {
        let names = self.versions.iter().flat_map(|version| &version.files);
        // What came without a name lies nowhere.
        let mut names = names.filter(|name| name.starts_with('/'));
        let Some(first) = names.next() else { return "" };
        let mut folder = &first[..first.rfind('/').map_or(0, |at| at + 1)];
        for name in names {
            while !name.starts_with(folder) {
                let above = folder.trim_end_matches('/');
                folder = &folder[..above.rfind('/').map_or(0, |at| at + 1)];
            }
        }
        folder
    }
}

impl Version {
    fn day(&self) -> &str {
        self.day.as_deref().unwrap_or(UNKNOWN)
    }

    /// What it is to the version that it came of, with the number that says so.
    fn kind(&self) -> String {
        let Some(edge) = &self.edge else {
            return UNKNOWN.to_owned();
        };
        let (name, value) = match edge.kind() {
            VersionKind::Contains => ("contains", edge.containment_of_parent),
            VersionKind::ContainedIn => ("contained", edge.containment_of_version),
            VersionKind::RevisedFrom | VersionKind::Unspecified => ("revised", edge.resemblance),
        };
        format!("{name} {}", ratio(value))
    }

    /// What tells that it is the later one.
    fn told_by(&self) -> &'static str {
        match self.edge.as_ref().map(VersionEdge::direction) {
            None => UNKNOWN,
            Some(Direction::InnerDate) => "inner date",
            Some(Direction::Container) => "mail",
            Some(Direction::ModificationTime) => "file time",
            Some(Direction::Text) => "text",
            Some(Direction::Unknown | Direction::Unspecified) => "unknown",
        }
    }

    /// Files that are not named.
    fn unnamed(&self) -> u64 {
        self.count.saturating_sub(self.files.len() as u64)
    }
}

/// Versions are numbered from 1.
fn place(version: u32) -> usize {
    (version as usize).wrapping_sub(1)
}
