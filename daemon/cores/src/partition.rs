//! Disjoint sets of numbers, by union and find.
//!
//! Source: Tarjan 1975, "Efficiency of a good but not linear set union algorithm"; by size, with path
//! halving. Cost: almost constant for each operation, 8 bytes for each number.

/// The numbers below a limit in disjoint sets, initially one set each.
#[derive(Clone, Debug)]
pub struct Partition {
    parents: Vec<u32>,
    sizes: Vec<u32>,
}

impl Partition {
    /// The numbers from 0 to `count` - 1.
    pub fn new(count: u32) -> Self {
        Self {
            parents: (0..count).collect(),
            sizes: vec![1; count as usize],
        }
    }

    /// The representative of this number's set, until that set is joined with another.
    pub fn find(&mut self, mut number: u32) -> u32 {
        while self.parents[number as usize] != number {
            let parent = self.parents[number as usize];
            self.parents[number as usize] = self.parents[parent as usize];
            number = parent;
        }
        number
    }

    /// Joins the sets of two numbers; returns whether they were different.
    pub fn join(&mut self, a: u32, b: u32) -> bool {
        let (a, b) = (self.find(a), self.find(b));
        if a == b {
            return false;
        }
        let is_smaller = self.sizes[a as usize] < self.sizes[b as usize];
        let (small, large) = if is_smaller { (a, b) } else { (b, a) };
        self.parents[small as usize] = large;
        self.sizes[large as usize] += self.sizes[small as usize];
        true
    }

    /// For each number, whether it is alone in its set.
    pub fn alone(&mut self) -> impl Iterator<Item = bool> + '_ {
        (0..self.parents.len() as u32).map(|number| {
            let root = self.find(number);
            self.sizes[root as usize] == 1
        })
    }

    /// Sets of two numbers or more, each ascending, by their least number.
    pub fn sets(mut self) -> Vec<Vec<u32>> {
        let count = self.parents.len() as u32;
        let mut places = vec![u32::MAX; self.parents.len()];
        let mut sets: Vec<Vec<u32>> = Vec::new();
        for number in 0..count {
            let root = self.find(number) as usize;
            if self.sizes[root] < 2 {
                continue;
            }
            if places[root] == u32::MAX {
                places[root] = sets.len() as u32;
                sets.push(Vec::new());
            }
            sets[places[root] as usize].push(number);
        }
        sets
    }
}
