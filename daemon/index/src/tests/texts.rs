//! A seeded source of texts: short and long ones, versions, excerpts, boilerplate.

/// SplitMix64: good enough to draw test data from, and the same on every machine.
pub(super) struct Random(u64);

impl Random {
    pub(super) fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) + 1)
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    /// A number below `end`.
    pub(super) fn below(&mut self, end: usize) -> usize {
        (self.next() % end as u64) as usize
    }

    /// True once in `n` times.
    pub(super) fn once_in(&mut self, n: usize) -> bool {
        self.below(n) == 0
    }

    pub(super) fn pick<'a, T>(&mut self, items: &'a [T]) -> &'a T {
        &items[self.below(items.len())]
    }

    /// This many words of a vocabulary of ten thousand.
    pub(super) fn words(&mut self, count: usize) -> String {
        let words: Vec<String> = (0..count)
            .map(|_| format!("w{:x}", self.below(10_000) * 7_919))
            .collect();
        words.join(" ")
    }

    /// The text with a few words replaced.
    pub(super) fn version(&mut self, text: &str, edits: usize) -> String {
        let mut words: Vec<String> = text.split(' ').map(str::to_owned).collect();
        for _ in 0..edits {
            let at = self.below(words.len());
            words[at] = self.words(1);
        }
        words.join(" ")
    }

    /// A run of words of the text.
    pub(super) fn excerpt(&mut self, text: &str, count: usize) -> String {
        let words: Vec<&str> = text.split(' ').collect();
        let start = self.below(words.len().saturating_sub(count).max(1));
        words[start..(start + count).min(words.len())].join(" ")
    }
}

/// A pool of related texts: families of versions, excerpts and containers, some with boilerplate.
pub(super) fn pool(random: &mut Random, families: usize, longest: usize) -> Vec<String> {
    let boilerplate = random.words(30);
    let mut pool = Vec::new();
    for _ in 0..families {
        let length = 30 + random.below(longest);
        let base = random.words(length);
        pool.push(base.clone());
        for edits in [1, 2, 4] {
            let edits = edits * length / 60;
            pool.push(random.version(&base, edits.max(1)));
        }
        let part = random.excerpt(&base, length / 2 + 10);
        pool.push(part.clone());
        let around = random.words(length / 8 + 1);
        pool.push(format!("{part} {around}"));
        pool.push(format!("{base} {boilerplate}"));
    }
    pool
}
