//! Real histories with names and times withheld: what of them the version graph finds again.
//!
//! All files of all histories lie in one folder, under names that say nothing, with one modification time, unless
//! times are told: then each version was modified a day after the one before.
//! The truth is the order of `MANIFEST.tsv`. Links between files of the same text are left out: they are
//! copies of one version. A version that was restored has two places in its history; links into the past
//! are left out of directions. The dates inside differ where both texts have a full date and the latest of one
//! is not that of the other; such a link counts for the directions if it is an edge of the graph.

use std::collections::{BTreeMap, HashMap};
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use anyhow::{Context, Result, ensure};
use serde_json::Value;

use crate::figure::Figures;
use crate::jsonl::text;
use crate::sandbox::{Daemon, Sandbox};

/// When all files were modified, seconds since 1970.
const MODIFIED: u64 = 1_700_000_000;

/// Whether the modification times of files tell the order of versions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Times {
    /// All files have one.
    Withheld,
    /// They do.
    Told,
}

/// What became of the links of real histories.
#[derive(Debug, Default)]
pub struct Chains {
    /// Consecutive versions of different texts.
    pub links: u32,
    /// Of these, edges of the version graph.
    pub edges: u32,
    /// Links whose dates inside differ, edges or not.
    pub dated_links: u32,
    /// Of these the edges: directed as they came, the other way round, and by nothing.
    pub dated: [u32; 3],
    /// Edges that are directed as they came, the other way round, and by nothing.
    pub directed: [u32; 3],
    /// Links whose later version is the longer, the shorter, and of the same length.
    pub longer: [u32; 3],
    /// Families that were asked for.
    pub families: u32,
    /// The longest time that one took, seconds.
    pub longest: f64,
}

/// A file, as the answers tell of it.
#[derive(Clone, Debug)]
struct Known {
    document: String,
    written: Option<String>,
}

/// Reads histories, asks a daemon for the family of each file, and counts; times are withheld.
pub fn measure(histories: &[PathBuf]) -> Result<Chains> {
    measure_with(histories, Times::Withheld)
}

/// Reads histories, asks a daemon for the family of each file, and counts.
pub fn measure_with(histories: &[PathBuf], times: Times) -> Result<Chains> {
    let sandbox = Sandbox::new()?;
    let chains = copy(histories, sandbox.share(), times)?;
    let daemon = sandbox.serve().start()?;
    daemon.sync()?;
    daemon.simctl(["sync"])?.success()?;
    let lengths = lengths(&daemon)?;
    let mut found = Chains::default();
    let (mut known, mut edges) = (HashMap::new(), HashMap::new());
    for file in chains.iter().flatten() {
        if !known.contains_key(file) && lengths.contains_key(file) {
            found.ask(&daemon, file, &mut known, &mut edges)?;
        }
    }
    for chain in &chains {
        found.count(chain, &known, &edges, &lengths);
    }
    Ok(found)
}

/// Copies the files of all histories; gives the new paths by history, in order.
fn copy(histories: &[PathBuf], share: &Path, times: Times) -> Result<Vec<Vec<String>>> {
    let mut chains: BTreeMap<(usize, String), Vec<(u32, String)>> = BTreeMap::new();
    let mut number = 0_u64;
    for (at, history) in histories.iter().enumerate() {
        let manifest = history.join("MANIFEST.tsv");
        let manifest =
            fs::read_to_string(&manifest).with_context(|| manifest.display().to_string())?;
        for row in manifest.lines().skip(1) {
            let cells: Vec<&str> = row.split('\t').collect();
            let [family, version, .., file] = cells[..] else {
                anyhow::bail!("a short row: {row}")
            };
            number += 1;
            // An odd factor permutes the numbers: names are in no order.
            let name = format!("{:016x}", number.wrapping_mul(0x9e37_79b9_7f4a_7c15));
            let end = Path::new(file).extension().unwrap_or_default();
            let copy = share.join(name).with_extension(end);
            fs::copy(history.join(file), &copy)?;
            let version: u32 = version.parse()?;
            let days = match times {
                Times::Withheld => 0,
                Times::Told => u64::from(version),
            };
            let modified = SystemTime::UNIX_EPOCH + Duration::from_secs(MODIFIED + days * 86_400);
            File::options()
                .write(true)
                .open(&copy)?
                .set_modified(modified)?;
            let chain = chains.entry((at, family.to_owned())).or_default();
            chain.push((version, copy.to_string_lossy().into_owned()));
        }
    }
    let chain = |mut chain: Vec<(u32, String)>| {
        chain.sort_unstable();
        chain.into_iter().map(|(_, file)| file).collect()
    };
    Ok(chains.into_values().map(chain).collect())
}

/// Characters of every file with a text.
fn lengths(daemon: &Daemon) -> Result<HashMap<String, u64>> {
    let lines = daemon.simctl(["files"])?.success()?.lines_of("file")?;
    let length = |line: &Value| Some((line["path"].as_str()?.to_owned(), line["chars"].as_u64()?));
    Ok(lines.iter().filter_map(length).collect())
}

/// Edges by the documents of the later and the earlier version, with what directs them.
type Edges = HashMap<(String, String), String>;

impl Chains {
    fn ask(
        &mut self,
        daemon: &Daemon,
        file: &str,
        known: &mut HashMap<String, Known>,
        edges: &mut Edges,
    ) -> Result<()> {
        let answer = daemon.simctl(["versions", file])?.ended_with(&[0, 1])?;
        let lines = answer.lines()?;
        self.families += 1;
        let mut documents = HashMap::new();
        for line in &lines {
            match line["type"].as_str() {
                Some("match") => {
                    let document = text(line, "document")?.to_owned();
                    documents.insert(line["number"].as_u64(), document.clone());
                    let written = line["written"].as_str().map(str::to_owned);
                    known.insert(text(line, "path")?.to_owned(), Known { document, written });
                }
                Some("version-edge") => {
                    let end = |field: &str| documents.get(&line[field].as_u64()).cloned();
                    let ends = end("version")
                        .zip(end("parent"))
                        .context("an edge to nothing")?;
                    edges.insert(ends, text(line, "direction")?.to_owned());
                }
                // A document that resembles the family and was not joined to it.
                Some("near-miss") => {}
                _ => {
                    ensure!(line["truncated"] == false, "the family of {file} is cut");
                    self.longest = self
                        .longest
                        .max(line["seconds"].as_f64().unwrap_or_default());
                }
            }
        }
        Ok(())
    }

    fn count(
        &mut self,
        chain: &[String],
        known: &HashMap<String, Known>,
        edges: &Edges,
        lengths: &HashMap<String, u64>,
    ) {
        let mut first = HashMap::new();
        for (at, file) in chain.iter().enumerate() {
            if let Some(known) = known.get(file) {
                first.entry(&known.document).or_insert(at);
            }
        }
        for pair in chain.windows(2) {
            let (Some(a), Some(b)) = (known.get(&pair[0]), known.get(&pair[1])) else {
                continue;
            };
            if a.document == b.document {
                continue;
            }
            self.links += 1;
            let edge = |later: &Known, earlier: &Known| {
                edges.get(&(later.document.clone(), earlier.document.clone()))
            };
            let (right, wrong) = (edge(b, a), edge(a, b));
            self.edges += u32::from(right.or(wrong).is_some());
            if first[&a.document] > first[&b.document] {
                continue;
            }
            let is_dated = a.written.is_some() && b.written.is_some() && a.written != b.written;
            self.dated_links += u32::from(is_dated);
            let Some(told_by) = right.or(wrong) else {
                continue;
            };
            let [before, after] = [0, 1].map(|at| lengths.get(&pair[at]).copied().unwrap_or(0));
            self.longer[usize::from(after < before) + 2 * usize::from(after == before)] += 1;
            let outcome = match told_by.as_str() {
                "unknown" => 2,
                _ => usize::from(right.is_none()),
            };
            self.directed[outcome] += 1;
            self.dated[outcome] += u32::from(is_dated);
        }
    }

    /// Consecutive links that are edges, percent.
    pub fn neighbours(&self) -> f64 {
        share(self.edges, self.links)
    }

    /// Edges directed right where the dates inside differ, percent.
    pub fn by_date(&self) -> f64 {
        share(self.dated[0], self.dated.iter().sum())
    }

    /// Edges directed right of all that are links, percent.
    pub fn right(&self) -> f64 {
        share(self.directed[0], self.directed.iter().sum())
    }

    /// Edges whose later version is the longer, of the same links, percent.
    pub fn baseline(&self) -> f64 {
        share(self.longer[0], self.longer.iter().sum())
    }

    fn print_dated(&self, figures: &mut Figures<'_>) -> Result<()> {
        let links = f64::from(self.dated_links);
        figures.put("links whose dates inside differ", links, "links")?;
        let [right, wrong, unknown] = self.dated.map(f64::from);
        figures.put("of their edges directed right", right, "links")?;
        figures.put("wrong", wrong, "links")?;
        figures.put("unknown", unknown, "links")?;
        figures.against("right of these edges", self.by_date(), "%", "at least 95")?;
        Ok(())
    }

    /// Prints all of it.
    pub fn print(&self, figures: &mut Figures<'_>) -> Result<()> {
        let count = f64::from;
        figures.put("families asked for", count(self.families), "")?;
        figures.put("the longest took", self.longest, "s")?;
        figures.put(
            "consecutive links of different texts",
            count(self.links),
            "links",
        )?;
        figures.against("of these edges", self.neighbours(), "%", "at least 90")?;
        self.print_dated(figures)?;
        let [right, wrong, unknown] = self.directed.map(count);
        figures.put("directed from the text alone: right", right, "links")?;
        figures.put("wrong", wrong, "links")?;
        figures.put("unknown", unknown, "links")?;
        let [longer, shorter, alike] = self.longer.map(count);
        figures.put("the longer is newer: right", longer, "links")?;
        figures.put("wrong", shorter, "links")?;
        figures.put("unknown", alike, "links")?;
        let baseline = format!("the longer is newer: {:.1}", self.baseline());
        figures.against("right of all", self.right(), "%", &baseline)?;
        Ok(())
    }
}

fn share(part: u32, whole: u32) -> f64 {
    100.0 * f64::from(part) / f64::from(whole.max(1))
}
