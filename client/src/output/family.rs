//! Draws the family of a document: as a tree in the terminal, as DOT, or as SVG.

mod dot;
mod layout;
mod svg;
#[cfg(test)]
mod tests;
mod tree;

use simdex_client::FamilyPart;
use simdex_client::lines::date;
use simdex_client::text::escaped;
use simdex_client::wire::{Direction, Renaming, VersionEdge, VersionFile, VersionKind};

use crate::output::text::{UNKNOWN, ending, ratio};

pub(crate) use dot::dot;
pub(crate) use svg::svg;
pub(crate) use tree::tree;

/// The source of a date that is a modification time.
const FILE_DATE: &str = "file";

/// Files listed per version unless all are wanted.
const NAMED: usize = 3;

/// The versions of a family, and how each derives from another.
#[derive(Debug, Default)]
pub(crate) struct Family {
    /// Versions by number, from 1.
    versions: Vec<Version>,
    /// The number of the latest version, if dates tell.
    latest: Option<u32>,
    /// Whether all files are listed.
    wide: bool,
}

/// One version: the files that carry one text.
#[derive(Debug, Default)]
struct Version {
    /// The files listed, the queried one first.
    files: Vec<String>,
    /// The number of its files.
    count: u64,
    is_query: bool,
    /// The day it was made, as far as known.
    day: Option<String>,
    /// The source of that day: `file` for a modification time, otherwise a document or a mail states it.
    source: String,
    /// How it derives from an earlier version.
    edge: Option<VersionEdge>,
    /// How it derives from a second one.
    second: Option<VersionEdge>,
}

impl Family {
    /// An empty family, of which all files are listed or only some.
    pub(crate) fn new(wide: bool) -> Self {
        Self {
            wide,
            ..Self::default()
        }
    }

    /// Whether it has no version at all.
    pub(crate) fn is_empty(&self) -> bool {
        self.versions.is_empty()
    }

    /// Adds a part, in the order in which the daemon sends them.
    pub(crate) fn add(&mut self, part: FamilyPart) {
        match part {
            FamilyPart::File(file) => self.add_file(&file),
            FamilyPart::Edge(edge) => {
                // The contract says that parents come first, but a daemon may be faulty.
                let is_known = (1..edge.version).contains(&edge.parent);
                let version = self.versions.get_mut(place(edge.version));
                if let Some(version) = version.filter(|_| is_known) {
                    match edge.is_second_parent {
                        true => version.second = Some(edge),
                        false => version.edge = Some(edge),
                    }
                }
            }
        }
    }

    fn add_file(&mut self, file: &VersionFile) {
        let Some(found) = &file.r#match else { return };
        let at = place(file.version);
        // Version numbers have no gaps.
        if at == self.versions.len() {
            self.versions.push(Version::default());
        }
        let wide = self.wide;
        let Some(version) = self.versions.get_mut(at) else {
            return;
        };
        version.count += 1;
        let day = date(found.date).map(|date| date.chars().take(10).collect::<String>());
        let is_of_file = |source: &str| source == FILE_DATE;
        let ours = (is_of_file(&found.date_source), &day);
        let is_better = ours < (is_of_file(&version.source), &version.day);
        if day.is_some() && (version.day.is_none() || is_better) {
            (version.day, version.source) = (day, found.date_source.clone());
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

    /// The numbers of files, versions and branches: versions that share their parent with an earlier sibling.
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
        let merged = self.versions.iter();
        match merged.filter(|version| version.second.is_some()).count() {
            0 => {}
            merged => said.push_str(&format!(", {}", counted(merged as u64, "merge"))),
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
        if let Some(latest) = self.latest {
            let day = self.versions[place(latest)].day();
            said.push_str(&format!("; the latest by date is {latest}, of {day}"));
        }
        said
    }

    /// Takes the number of the latest version from the summary of the daemon.
    pub(crate) fn set_latest(&mut self, latest: Option<u32>) {
        self.latest = latest.filter(|latest| self.versions.get(place(*latest)).is_some());
    }

    /// The number of the latest version, if dates tell.
    pub(crate) fn latest(&self) -> Option<u32> {
        self.latest
    }

    fn edges(&self) -> impl Iterator<Item = &VersionEdge> {
        self.versions
            .iter()
            .filter_map(|version| version.edge.as_ref())
    }

    /// The longest folder that contains all listed files, with its `/` at the end.
    fn folder(&self) -> &str {
        let names = self.versions.iter().flat_map(|version| &version.files);
        // A file without a name is in no folder.
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

    /// What states the day: of the mail that holds the document, `mail`.
    fn source(&self) -> &str {
        match &*self.source {
            "" => UNKNOWN,
            "mail-sent" => "mail",
            source => source,
        }
    }

    /// The relation to its parent version, with the number that supports it.
    fn kind(&self) -> String {
        let Some(edge) = &self.edge else {
            return UNKNOWN.to_owned();
        };
        if let Some(resemblance) = edge.resemblance_renamed {
            return format!("renamed {}", ratio(resemblance));
        }
        if edge.across_gap {
            return format!("rewritten {}", ratio(edge.resemblance));
        }
        let (name, value) = match edge.kind() {
            VersionKind::Contains => ("contains", edge.containment_of_parent),
            VersionKind::ContainedIn => ("contained", edge.containment_of_version),
            VersionKind::RevisedFrom | VersionKind::Unspecified => ("revised", edge.resemblance),
        };
        format!("{name} {}", ratio(value))
    }

    /// The evidence that it is the later of the two.
    fn evidence(&self) -> &'static str {
        match self.edge.as_ref().map(VersionEdge::direction) {
            None => UNKNOWN,
            Some(Direction::InnerDate) => "inner date",
            Some(Direction::Container) => "mail",
            Some(Direction::ModificationTime) => "file time",
            Some(Direction::Text) => "text",
            Some(Direction::Unknown | Direction::Unspecified) => "unknown",
        }
    }

    /// The second parent, with the number that supports it.
    fn merged(&self) -> Option<String> {
        let edge = self.second.as_ref()?;
        let apart = edge.shingles_of_parent_alone.unwrap_or(0);
        let shingles = simdex_client::text::counted(apart, "shingle");
        Some(format!("{shingles} from {} too", edge.parent))
    }

    /// The names that were replaced from its parent version to it.
    fn renamings(&self) -> impl Iterator<Item = String> + '_ {
        let edges = self.edge.iter();
        let renamings = edges.flat_map(|edge| &edge.renamings);
        renamings.map(|Renaming { from, to }| {
            let [from, to] = [from, to].map(|name| escaped(name.as_bytes()));
            format!("{from} → {to}")
        })
    }

    /// The number of files that are not listed.
    fn unnamed(&self) -> u64 {
        self.count.saturating_sub(self.files.len() as u64)
    }
}

/// Versions are numbered from 1.
fn place(version: u32) -> usize {
    (version as usize).wrapping_sub(1)
}
