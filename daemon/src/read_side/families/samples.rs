//! How alike the versions of a family are, counted on samples of their shingles.
//!
//! All versions are sampled at one modulus, a power of 2 that grows with the family, so that the number of
//! fingerprints held is bounded; while the modulus is 1, every count is exact. Versions of a family share
//! most of their fingerprints: for each fingerprint either its holders or the versions that lack it are
//! stored, whichever are fewer. Counting one version against all others takes the length of those lists, in
//! practice a small part of versions times sample.

use simdex_signature::{Fingerprint, Rung, ShingleSet, sort_holders};

use super::{Likeness, Origins, ShingleOverlap};

/// How far a count on a sample may fall short of the rule: the pair is counted exactly afterwards.
const SLACK: f64 = 0.05;

/// The ratios from which one version is considered derived from another.
#[derive(Clone, Copy, Debug)]
pub struct LinkRule {
    /// Least resemblance of two versions that are linked.
    pub resemblance: f64,
    /// Least containment of either in the other, if they resemble each other less.
    pub containment: f64,
}

impl LinkRule {
    /// Whether two texts of `a` and `b` shingles with `shared` in both are linked.
    pub fn links(&self, shared: u64, a: u64, b: u64) -> bool {
        self.links_within(shared, a, b, 0.0)
    }

    fn links_within(&self, shared: u64, a: u64, b: u64, slack: f64) -> bool {
        let share = |whole: u64| shared as f64 / whole.max(1) as f64;
        shared > 0
            && (share(a + b - shared) >= self.resemblance - slack
                || share(a.min(b)) >= self.containment - slack)
    }
}

/// Samples of the versions found so far.
#[derive(Debug)]
pub struct Samples {
    held: Vec<Vec<Fingerprint>>,
    /// A fingerprint is held if it is divisible by 2 to this power.
    level: u32,
    total: usize,
    max_sampled: usize,
}

impl Samples {
    /// No versions yet; at most `max_sampled` fingerprints in all.
    pub fn new(max_sampled: usize) -> Self {
        Self {
            held: Vec::new(),
            level: 0,
            total: 0,
            max_sampled,
        }
    }

    /// Makes room for a version of `shingles`, and estimates how many fingerprints there will be.
    pub fn make_room(&mut self, shingles: usize) -> usize {
        let expected = |level| shingles.checked_shr(level).unwrap_or(0);
        while self.total + expected(self.level) > self.max_sampled && self.level < u64::BITS {
            self.coarsen();
        }
        self.total + expected(self.level)
    }

    /// Adds a version; its number is the count of versions added before.
    pub fn add(&mut self, set: &ShingleSet) {
        self.make_room(set.len());
        let rung = u8::try_from(self.level).ok().and_then(Rung::new);
        let mut sample = set.sampled(rung.unwrap_or(Rung::TOP));
        thin(&mut sample, self.level);
        self.total += sample.len();
        self.held.push(sample);
        while self.total > self.max_sampled && self.level < u64::BITS {
            self.coarsen();
        }
    }

    fn coarsen(&mut self) {
        self.level += 1;
        self.held
            .iter_mut()
            .for_each(|sample| thin(sample, self.level));
        self.total = self.held.iter().map(Vec::len).sum();
    }

    /// Forgets all but the first versions.
    pub fn truncate(&mut self, versions: usize) {
        self.held.truncate(versions);
        self.total = self.held.iter().map(Vec::len).sum();
    }

    /// How alike two versions are; 0 if neither has a fingerprint.
    pub fn resemblance(&self, a: usize, b: usize) -> f64 {
        let (a, b) = (&self.held[a], &self.held[b]);
        let (mut shared, mut rest) = (0, b.iter().peekable());
        for fingerprint in a {
            while rest.next_if(|other| *other < fingerprint).is_some() {}
            shared += usize::from(rest.next_if_eq(&fingerprint).is_some());
        }
        shared as f64 / (a.len() + b.len() - shared).max(1) as f64
    }

    /// Fingerprints held of all versions together.
    #[cfg(test)]
    pub fn total(&self) -> usize {
        self.total
    }

    /// Counts how alike the versions are, under this rule.
    pub fn counted(self, rule: LinkRule) -> CountedSamples {
        let lengths = self.held.iter().map(|sample| sample.len() as u64).collect();
        let (of_version, lists) = lists(self.held);
        let slack = if self.level == 0 { 0.0 } else { SLACK };
        CountedSamples {
            of_version,
            lists,
            lengths,
            rule,
            bridges: Vec::new(),
            slack,
            level: self.level,
        }
    }
}

fn thin(sample: &mut Vec<Fingerprint>, level: u32) {
    sample.retain(|fingerprint| fingerprint.0.trailing_zeros() >= level);
    sample.shrink_to_fit();
}

/// The versions that hold one fingerprint.
#[derive(Debug)]
enum Holders {
    These(Vec<u32>),
    AllBut(Vec<u32>),
}

/// Samples by fingerprint.
#[derive(Debug)]
pub struct CountedSamples {
    /// For each version the lists of its fingerprints; those that only this version holds are left out.
    of_version: Vec<Vec<u32>>,
    lists: Vec<Holders>,
    lengths: Vec<u64>,
    rule: LinkRule,
    bridges: Vec<[usize; 2]>,
    slack: f64,
    level: u32,
}

impl Likeness for CountedSamples {
    fn row(&self, of: usize) -> Vec<Option<f64>> {
        let a = self.lengths[of];
        let shared = self.shared(self.of_version[of].iter()).into_iter();
        let bridges = self.bridges.iter().filter(|bridge| bridge.contains(&of));
        let beyond: Vec<usize> = bridges.flatten().copied().collect();
        let resemblance = |(at, (shared, b)): (usize, (u64, &u64))| {
            let linked = self.rule.links_within(shared, a, *b, self.slack);
            let linked = linked || beyond.contains(&at);
            linked.then(|| shared as f64 / (a + b - shared).max(1) as f64)
        };
        let both = shared.zip(&self.lengths).enumerate();
        both.map(resemblance).collect()
    }
}

impl CountedSamples {
    /// Links these pairs too, at which two pieces of a history meet.
    pub fn with_bridges(self, bridges: Vec<[usize; 2]>) -> Self {
        Self { bridges, ..self }
    }

    /// How many of these lists each version is in.
    fn shared<'a>(&self, of_lists: impl Iterator<Item = &'a u32>) -> Vec<u64> {
        let mut beside = vec![0_i64; self.lengths.len()];
        let mut by_most = 0;
        for list in of_lists {
            match &self.lists[*list as usize] {
                Holders::These(these) => these.iter().for_each(|at| beside[*at as usize] += 1),
                Holders::AllBut(those) => {
                    by_most += 1;
                    those.iter().for_each(|at| beside[*at as usize] -= 1);
                }
            }
        }
        let shared = beside.into_iter();
        shared.map(|beside| (beside + by_most) as u64).collect()
    }
}

impl Origins for CountedSamples {
    fn apart(&self, of: usize, parent: usize) -> Vec<ShingleOverlap> {
        let in_parent = |list: &&u32| self.of_version[parent].binary_search(list).is_ok();
        let (with, without): (Vec<&u32>, Vec<&u32>) =
            self.of_version[of].iter().partition(in_parent);
        let all = with.len() as u64;
        let (with, without) = (
            self.shared(with.into_iter()),
            self.shared(without.into_iter()),
        );
        let both = with.into_iter().zip(without);
        let apart = both.map(|(both, other_alone)| ShingleOverlap {
            other_alone,
            parent_alone: all - both,
            shared: both + other_alone,
        });
        apart.collect()
    }

    fn sampled(&self, shingles: u64) -> u64 {
        shingles.checked_shr(self.level).unwrap_or(0).max(1)
    }
}

/// The lists of all versions, and the content of each list. Consumes the samples as it goes.
fn lists(held: Vec<Vec<Fingerprint>>) -> (Vec<Vec<u32>>, Vec<Holders>) {
    let versions = held.len();
    let total = held.iter().map(Vec::len).sum();
    let mut entries: Vec<(Fingerprint, u32)> = Vec::with_capacity(total);
    for (at, sample) in held.into_iter().enumerate() {
        entries.extend(
            sample
                .into_iter()
                .map(|fingerprint| (fingerprint, at as u32)),
        );
    }
    sort_holders(&mut entries);
    let (mut of_version, mut lists) = (vec![Vec::new(); versions], Vec::new());
    for same in entries
        .chunk_by(|a, b| a.0 == b.0)
        .filter(|same| same.len() > 1)
    {
        let number = lists.len() as u32;
        let holders = same.iter().map(|(_, at)| *at);
        holders
            .clone()
            .for_each(|at| of_version[at as usize].push(number));
        lists.push(match same.len() * 2 <= versions {
            true => Holders::These(holders.collect()),
            false => Holders::AllBut(all_but(holders, versions as u32)),
        });
    }
    (of_version, lists)
}

/// The numbers below `end` that are not among `these`, which are ascending.
fn all_but(these: impl Iterator<Item = u32>, end: u32) -> Vec<u32> {
    let (mut others, mut next) = (Vec::new(), 0);
    for at in these {
        others.extend(next..at);
        next = at + 1;
    }
    others.extend(next..end);
    others
}
