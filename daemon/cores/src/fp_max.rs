//! FPmax: maximal frequent sets from frequent-pattern trees.
//!
//! Source: Grahne and Zhu, "Efficiently using prefix-trees in mining frequent itemsets", FIMI 2003, §4. It is the
//! second miner, for studies and tests: it shares only the table with [`mine`](crate::mine), takes images of any
//! length, and is the algorithm of the paper's experiments.
//!
//! Departures: the table of pair counts (the star in FPmax*), which saves one of two passes over a conditional base, is
//! left out; found sets are searched by lists for each document, not by a prefix tree.

use std::cmp::Reverse;
use std::collections::HashMap;

use crate::{Core, InvertedTable, Mined, ShouldContinue};

/// The cores of a table at k, which is at least 1, each once, unordered.
pub fn fp_max(table: &InvertedTable, k: u32, go_on: &ShouldContinue<'_>) -> (Vec<Core>, Mined) {
    let rows: Vec<(Vec<u32>, u32)> = table.rows().map(|row| (row.to_vec(), 1)).collect();
    let mut search = Search {
        k: k.max(1),
        go_on,
        found: FoundSets::default(),
    };
    let tree = Tree::of(&rows, search.k);
    let mined = match search.run(&tree, &mut Vec::new(), table.rows().len() as u32) {
        true => Mined::All,
        false => Mined::Some,
    };
    let mut cores = search.found.cores;
    cores.retain(|core| core.documents.len() > 1);
    (cores, mined)
}

struct Search<'a> {
    k: u32,
    go_on: &'a ShouldContinue<'a>,
    found: FoundSets,
}

impl Search<'_> {
    /// Returns whether it ran to the end. `support` is that of the head.
    fn run(&mut self, tree: &Tree, head: &mut Vec<u32>, support: u32) -> bool {
        if !(self.go_on)() {
            return false;
        }
        if let Some((path, least)) = tree.single_path() {
            let mut all = head.clone();
            all.extend(path);
            self.found.add(all, least.unwrap_or(support));
            return true;
        }
        for &(document, count) in tree.order.iter().rev() {
            let base = tree.conditional_base(document);
            let below = Tree::of(&base, self.k);
            head.push(document);
            let tail = below.order.iter().map(|(document, _)| *document);
            let most: Vec<u32> = head.iter().copied().chain(tail).collect();
            let goes_on = self.found.holds(&most) || self.run(&below, head, count);
            head.pop();
            if !goes_on {
                return false;
            }
        }
        true
    }
}

/// Frequent documents of weighted rows as a prefix tree.
struct Tree {
    nodes: Vec<Node>,
    /// Frequent documents with their counts, most frequent first.
    order: Vec<(u32, u32)>,
    /// The nodes of each document.
    of_document: HashMap<u32, Vec<usize>>,
}

struct Node {
    document: u32,
    count: u32,
    parent: usize,
    children: u32,
}

/// The parent of the first nodes.
const ROOT: usize = usize::MAX;

impl Tree {
    fn of(rows: &[(Vec<u32>, u32)], k: u32) -> Self {
        let mut counts: HashMap<u32, u32> = HashMap::new();
        for (row, weight) in rows {
            for document in row {
                *counts.entry(*document).or_default() += weight;
            }
        }
        let mut order: Vec<(u32, u32)> = counts
            .into_iter()
            .filter(|(_, count)| *count >= k)
            .collect();
        order.sort_by_key(|&(document, count)| (Reverse(count), document));
        let ranks: HashMap<u32, usize> = order
            .iter()
            .map(|(document, _)| *document)
            .zip(0..)
            .collect();
        let mut tree = Self {
            nodes: Vec::new(),
            order,
            of_document: HashMap::new(),
        };
        let mut places = HashMap::new();
        for (row, weight) in rows {
            let mut row: Vec<u32> = row
                .iter()
                .copied()
                .filter(|of| ranks.contains_key(of))
                .collect();
            row.sort_by_key(|document| ranks[document]);
            tree.insert(&row, *weight, &mut places);
        }
        tree
    }

    fn insert(&mut self, row: &[u32], weight: u32, places: &mut HashMap<(usize, u32), usize>) {
        let mut parent = ROOT;
        for &document in row {
            let at = *places.entry((parent, document)).or_insert(self.nodes.len());
            if at == self.nodes.len() {
                self.nodes.push(Node {
                    document,
                    count: 0,
                    parent,
                    children: 0,
                });
                self.of_document.entry(document).or_default().push(at);
                if let Some(parent) = self.nodes.get_mut(parent) {
                    parent.children += 1;
                }
            }
            self.nodes[at].count += weight;
            parent = at;
        }
    }

    /// The documents of a tree without a branch, and the count of its last; `None` if it has branches.
    fn single_path(&self) -> Option<(Vec<u32>, Option<u32>)> {
        let roots = self.nodes.iter().filter(|node| node.parent == ROOT).count();
        let has_branch = roots > 1 || self.nodes.iter().any(|node| node.children > 1);
        let path = self.nodes.iter().map(|node| node.document).collect();
        (!has_branch).then(|| (path, self.nodes.last().map(|node| node.count)))
    }

    /// What is above each node of a document, with the node's count.
    fn conditional_base(&self, document: u32) -> Vec<(Vec<u32>, u32)> {
        let nodes = self.of_document.get(&document).into_iter().flatten();
        let above = nodes.map(|&at| {
            let (mut row, mut parent) = (Vec::new(), self.nodes[at].parent);
            while parent != ROOT {
                row.push(self.nodes[parent].document);
                parent = self.nodes[parent].parent;
            }
            (row, self.nodes[at].count)
        });
        above.collect()
    }
}

/// Maximal sets found so far.
#[derive(Default)]
struct FoundSets {
    cores: Vec<Core>,
    /// Indices in `cores` of the sets that hold a document, ascending.
    of_document: HashMap<u32, Vec<usize>>,
}

impl FoundSets {
    /// Whether one of them holds all of these documents.
    fn holds(&self, documents: &[u32]) -> bool {
        let mut lists = Vec::new();
        for document in documents {
            match self.of_document.get(document) {
                Some(list) => lists.push(list),
                None => return false,
            }
        }
        lists.sort_by_key(|list| list.len());
        let Some((shortest, others)) = lists.split_first() else {
            return !self.cores.is_empty();
        };
        let in_all = |at: &usize| others.iter().all(|list| list.binary_search(at).is_ok());
        shortest.iter().any(in_all)
    }

    fn add(&mut self, mut documents: Vec<u32>, common: u32) {
        if documents.is_empty() || self.holds(&documents) {
            return;
        }
        documents.sort_unstable();
        for document in &documents {
            let list = self.of_document.entry(*document).or_default();
            list.push(self.cores.len());
        }
        self.cores.push(Core { documents, common });
    }
}
