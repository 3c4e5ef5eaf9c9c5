//! What an index must return, computed slowly and simply.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::ControlFlow;

use simdex_schema::{DocumentHash, FileKey, RootId, State};
use simdex_signature::{
    CanonicalText, Ladder, Ratio, Rung, ShingleSet, SignedText, TemplateLines, Window,
    min_overlap_cut,
};

use super::bed::{Clients, account, content, document, pairs};
use crate::cuts::DOUBT;
use crate::{Cancel, FileCounts, VisibleRoots};

/// Files with their texts and formats, and the lines left out of them.
#[derive(Clone, Default)]
pub(super) struct Model {
    pub(super) files: BTreeMap<FileKey, (String, u8)>,
    pub(super) template_lines: TemplateLines,
}

struct Text {
    hash: DocumentHash,
    length: usize,
    rung: Rung,
    set: ShingleSet,
    /// One for every rung above zero.
    samples: Vec<Sample>,
    files: usize,
}

/// The fingerprints that are sampled at a rung.
struct Sample {
    rung: Rung,
    hashes: BTreeSet<u64>,
}

impl Sample {
    fn of(set: &ShingleSet, rung: Rung) -> Self {
        let hashes = set.sampled(rung).iter().map(|f| f.0).collect();
        Self { rung, hashes }
    }
}

impl Model {
    /// Checks everything that the settled `index` returns in this view.
    pub(super) fn check(&self, index: &Clients, view: &VisibleRoots, threshold: f64) {
        let ladder = index.reader().ladder();
        let by_ladder = |text: &CanonicalText, set: &ShingleSet| rung_of(ladder, text, set);
        self.check_by(index, view, threshold, &by_ladder);
    }

    /// Checks the same things while documents have mixed rungs.
    pub(super) fn check_as_signed(&self, index: &Clients, view: &VisibleRoots, threshold: f64) {
        let as_signed = |text: &CanonicalText, _: &ShingleSet| {
            let hash = DocumentHash(text.hash());
            let id = index.reader().documents().with_hash(hash).unwrap().unwrap();
            index.reader().documents().stats(id).unwrap().rung
        };
        self.check_by(index, view, threshold, &as_signed);
    }

    fn check_by(&self, index: &Clients, view: &VisibleRoots, threshold: f64, rung: &RungOf<'_>) {
        self.check_files(index, view);
        self.check_documents(index, view);
        let texts = self.texts(view, rung);
        let edges = edges(&texts, threshold);
        let groups = groups(&texts, &edges);
        let ratio = Ratio::new(threshold).unwrap();
        let found = index
            .reader()
            .groups()
            .of_view(view, ratio, &account(index))
            .unwrap()
            .groups;
        let name = |id| index.reader().documents().stats(id).unwrap().hash;
        let pairs = pairs(index, view, ratio);
        let mut distinct = BTreeSet::new();
        for (a, b, edge) in &pairs {
            let sides: BTreeSet<_> = [name(*a), name(*b)].into();
            assert_eq!(edge.shared, edges[&sides].0);
            assert_eq!(edge.resemblance(), edges[&sides].1);
            distinct.insert(sides);
        }
        assert_eq!(distinct, edges.keys().cloned().collect());
        assert_eq!(2 * distinct.len(), pairs.len(), "found from either side");
        for group in &found {
            for member in &group.members {
                let sides: BTreeSet<_> = [name(group.principal), name(member.document)].into();
                assert_eq!(member.edge.shared, edges[&sides].0);
                assert_eq!(member.edge.resemblance(), edges[&sides].1);
            }
        }
        let shown = found.iter().map(|group| {
            let members = group.members.iter().map(|member| name(member.document));
            (name(group.principal), members.collect())
        });
        assert_eq!(shown.collect::<BTreeMap<_, BTreeSet<_>>>(), groups);
        let group_ids: Vec<_> = found.iter().filter_map(|group| group.id).collect();
        assert_eq!(
            group_ids.iter().collect::<BTreeSet<_>>().len(),
            group_ids.len()
        );
        if *view == VisibleRoots::All && threshold == index.reader().parameters().threshold {
            assert_eq!(group_ids.len(), groups.len(), "every group has a group");
        }
    }

    /// The pairs of a view, by comparing every two texts.
    pub(super) fn pairs(
        &self,
        view: &VisibleRoots,
        threshold: f64,
    ) -> BTreeSet<BTreeSet<DocumentHash>> {
        let by_ladder =
            |text: &CanonicalText, set: &ShingleSet| rung_of(Ladder::default(), text, set);
        edges(&self.texts(view, &by_ladder), threshold)
            .into_keys()
            .collect()
    }

    fn visible(&self, view: &VisibleRoots) -> impl Iterator<Item = (&FileKey, &(String, u8))> {
        self.files.iter().filter(|(key, _)| view.shows(key.root))
    }

    fn check_files(&self, index: &Clients, view: &VisibleRoots) {
        let mut expected = Vec::new();
        let mut first = BTreeMap::new();
        for (key, (text, format)) in self.visible(view) {
            let content = content(text, *format);
            let state = match first.get(&document(text)) {
                None => State::Indexed,
                Some(same) if *same == content => State::IdenticalBytes,
                Some(_) => State::IdenticalText,
            };
            first.entry(document(text)).or_insert(content);
            expected.push((path(key), state, document(text)));
        }
        let mut shown = Vec::new();
        let mut listed = FileCounts::default();
        let mut visit = |file: crate::FileInfo| {
            listed.add(&file);
            let path = file.path.to_string_lossy().into_owned();
            shown.push((path, file.state, file.document.unwrap().1));
            ControlFlow::Continue(())
        };
        let listed_all = index
            .reader()
            .files()
            .visit(view, &account(index), &mut visit);
        listed_all.unwrap();
        assert_eq!(shown, expected);
        listed.documents = first.len() as u64;
        let counts = index
            .reader()
            .file_totals()
            .count(view, &Cancel::never())
            .unwrap();
        assert_eq!(counts, listed);
    }

    fn check_documents(&self, index: &Clients, view: &VisibleRoots) {
        let mut files: BTreeMap<&str, Vec<String>> = BTreeMap::new();
        for (key, (text, _)) in self.visible(view) {
            files.entry(text).or_default().push(path(key));
        }
        assert_eq!(index.index.live_documents(view), files.len() as u64);
        for (text, paths) in files {
            let id = index
                .reader()
                .documents()
                .with_hash(document(text))
                .unwrap()
                .unwrap();
            assert_eq!(
                index
                    .reader()
                    .texts()
                    .read_unaccounted(id)
                    .unwrap()
                    .as_deref(),
                Some(text)
            );
            let of = index.reader().files().of_document(id, view).unwrap();
            let shown: Vec<String> = of
                .iter()
                .map(|file| file.path.to_string_lossy().into_owned())
                .collect();
            assert_eq!(shown, paths);
            assert_eq!(of[0].state, State::Indexed);
            assert!(of[1..].iter().all(|file| file.state != State::Indexed));
        }
    }

    fn texts(&self, view: &VisibleRoots, rung: &RungOf<'_>) -> Vec<Text> {
        let mut files: BTreeMap<&str, usize> = BTreeMap::new();
        self.visible(view)
            .for_each(|(_, (text, _))| *files.entry(text).or_default() += 1);
        let text = |(text, files): (&str, usize)| {
            let canonical = CanonicalText::from_extracted(text);
            let length = canonical.as_bytes().len();
            let signed = SignedText::of(&canonical, &self.template_lines);
            let set = ShingleSet::new(&signed, Window::DEFAULT);
            let rungs = Rung::all().filter(|rung| *rung > Rung::ZERO);
            Text {
                hash: document(text),
                length,
                rung: rung(&canonical, &set),
                samples: rungs.map(|rung| Sample::of(&set, rung)).collect(),
                set,
                files,
            }
        };
        files.into_iter().map(text).collect()
    }
}

/// The rung of a text with these shingles.
type RungOf<'a> = dyn Fn(&CanonicalText, &ShingleSet) -> Rung + 'a;

/// The rung that a ladder has for a text.
pub(super) fn rung_of(ladder: Ladder, text: &CanonicalText, set: &ShingleSet) -> Rung {
    let by_length = ladder.rung_of_text(text.as_bytes().len() as u64);
    ladder.rung_of_kept(by_length, set.sampled(by_length).len() as u64)
}

fn path(key: &FileKey) -> String {
    let root = if key.root == RootId(1) {
        "/data/a"
    } else {
        "/data/b"
    };
    format!("{root}/{}", String::from_utf8_lossy(&key.path))
}

/// Shared shingles and resemblance of pairs of documents.
type Edges = BTreeMap<BTreeSet<DocumentHash>, (u64, f64)>;

/// All edges, by comparing every two texts.
fn edges(texts: &[Text], threshold: f64) -> Edges {
    let mut edges = BTreeMap::new();
    for (at, a) in texts.iter().enumerate() {
        for b in &texts[..at] {
            if let Some(edge) = edge(a, b, threshold) {
                edges.insert([a.hash, b.hash].into(), edge);
            }
        }
    }
    edges
}

fn edge(a: &Text, b: &Text, threshold: f64) -> Option<(u64, f64)> {
    let resemblance = a.set.resemblance(&b.set)?.get();
    // Most pairs; their samples need not be compared.
    if resemblance < threshold {
        return None;
    }
    let rung = a.rung.max(b.rung);
    let ratio = Ratio::new(threshold).unwrap();
    let enough = |(of_a, of_b): (&Sample, &Sample)| {
        let shared = of_a.hashes.intersection(&of_b.hashes).count() as u64;
        let union = (of_a.hashes.len() + of_b.hashes.len()) as u64 - shared;
        let miss = if of_a.rung == rung { 0.001 } else { DOUBT };
        shared >= min_overlap_cut(union, ratio, miss).max(u64::from(of_a.rung == rung))
    };
    let enough = rung == Rung::ZERO || a.samples.iter().zip(&b.samples).all(enough);
    enough.then(|| (a.set.shared_with(&b.set), resemblance))
}

/// Stars, longest document first, and documents with several files.
fn groups(texts: &[Text], edges: &Edges) -> BTreeMap<DocumentHash, BTreeSet<DocumentHash>> {
    let mut order: Vec<&Text> = texts.iter().collect();
    order.sort_by_key(|text| (std::cmp::Reverse(text.length), text.hash));
    let mut taken = BTreeSet::new();
    let mut groups = BTreeMap::new();
    for principal in &order {
        if !taken.insert(principal.hash) {
            continue;
        }
        let near = |other: &&&Text| {
            let sides: BTreeSet<_> = [principal.hash, other.hash].into();
            edges.contains_key(&sides)
        };
        let members: BTreeSet<DocumentHash> = order
            .iter()
            .filter(|other| !taken.contains(&other.hash))
            .filter(near)
            .map(|other| other.hash)
            .collect();
        taken.extend(&members);
        if !members.is_empty() || principal.files > 1 {
            groups.insert(principal.hash, members);
        }
    }
    groups
}
