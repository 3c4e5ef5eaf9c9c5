//! Mutations, all from one seed: the same seed and number give the same bytes.

use crate::corpus::Random;
use crate::handmade::zip::{Entry, unzip, zip};

/// Longest document that is tried.
const LONGEST: usize = 512 << 10;
/// Numbers that lengths, counts and offsets are set to.
const TELLING: &[u64] = &[
    0,
    1,
    2,
    7,
    8,
    15,
    16,
    31,
    32,
    63,
    64,
    127,
    128,
    255,
    256,
    511,
    512,
    4095,
    4096,
    65_535,
    65_536,
    0x00ff_ffff,
    0x7fff_ffff,
    0x8000_0000,
    0xffff_fffe,
    0xffff_ffff,
    0x7fff_ffff_ffff_ffff,
    u64::MAX,
];
/// Numbers as texts have them.
const WRITTEN: &[&[u8]] = &[
    b"0",
    b"-1",
    b"1",
    b"255",
    b"65536",
    b"1048576",
    b"2147483647",
    b"4294967296",
    b"9223372036854775807",
    b"-9223372036854775808",
    b"99999999999999999999999",
    b"1e999",
    b"NaN",
];
/// Documents with a new outcome that are mutated further.
const MOST_LEARNT: usize = 200;

/// How often one of them is taken.
const LEARNT: f64 = 0.3;

/// Makes documents from seeds.
pub struct Mutator {
    seeds: Vec<Vec<u8>>,
    own: usize,
    words: Vec<&'static [u8]>,
    is_package: bool,
}

impl Mutator {
    /// From seeds, of which there must be one, with these words of the format.
    pub fn new(seeds: Vec<Vec<u8>>, words: Vec<&'static [u8]>, is_package: bool) -> Self {
        Self {
            own: seeds.len(),
            seeds,
            words,
            is_package,
        }
    }

    /// Keeps a document that led to an outcome not seen before, to be mutated further.
    pub fn learn(&mut self, document: Vec<u8>) {
        if self.seeds.len() < self.own + MOST_LEARNT {
            self.seeds.push(document);
        }
    }

    /// The next document.
    pub fn document(&self, random: &mut Random) -> Vec<u8> {
        let seed = self.any_seed(random);
        let inside = self.is_package && random.chance(0.85);
        let mutated = inside.then(|| self.within(seed, random)).flatten();
        let mut document = mutated.unwrap_or_else(|| self.bytes(seed.to_owned(), random));
        document.truncate(LONGEST);
        document
    }

    fn any_seed(&self, random: &mut Random) -> &[u8] {
        // What was learnt is far from the format now and then, so it is not tried too often.
        let (own, learnt) = self.seeds.split_at(self.own);
        let from = if !learnt.is_empty() && random.chance(LEARNT) {
            learnt
        } else {
            own
        };
        pick(from, random).map_or(&[], Vec::as_slice)
    }

    /// One part of a package mutated, and now and then its name or its neighbours.
    fn within(&self, package: &[u8], random: &mut Random) -> Option<Vec<u8>> {
        let mut parts = unzip(package).filter(|parts| !parts.is_empty())?;
        let at = random.below(parts.len() as u64) as usize;
        if random.chance(0.05) {
            parts[at].0 = self.bytes(parts[at].0.clone(), random);
            parts[at].0.truncate(1000);
        } else if random.chance(0.05) {
            parts.remove(at);
        } else {
            parts[at].1 = self.bytes(parts[at].1.clone(), random);
        }
        let entry = |(name, bytes): &(Vec<u8>, Vec<u8>)| {
            if random.chance(0.5) {
                Entry::deflated(name, bytes)
            } else {
                Entry::stored(name, bytes)
            }
        };
        Some(zip(&parts.iter().map(entry).collect::<Vec<_>>()))
    }

    /// One to eight mutations.
    pub fn bytes(&self, mut bytes: Vec<u8>, random: &mut Random) -> Vec<u8> {
        for _ in 0..=random.below(8) {
            match random.below(12) {
                0 | 1 => flip(&mut bytes, random),
                2 => overwrite(&mut bytes, random),
                3 | 4 => set_number(&mut bytes, random),
                5 => write_number(&mut bytes, random),
                6 => cut_out(&mut bytes, random),
                7 => repeat(&mut bytes, random),
                8 | 9 => self.put_word(&mut bytes, random),
                10 => self.splice(&mut bytes, random),
                _ if random.chance(0.3) => {
                    let end = place(&bytes, random);
                    bytes.truncate(end);
                }
                _ => self.nest(&mut bytes, random),
            }
            bytes.truncate(LONGEST);
        }
        bytes
    }

    fn put_word(&self, bytes: &mut Vec<u8>, random: &mut Random) {
        let word = pick(&self.words, random).copied().unwrap_or_default();
        let at = place(bytes, random);
        let end = if random.chance(0.5) {
            at
        } else {
            bytes.len().min(at + word.len())
        };
        bytes.splice(at..end, word.iter().copied());
    }

    /// A word again and again: what opens something then opens it deep.
    fn nest(&self, bytes: &mut Vec<u8>, random: &mut Random) {
        let word = pick(&self.words, random).copied().unwrap_or_default();
        let times = 1 << random.below(14);
        let at = place(bytes, random);
        bytes.splice(at..at, word.repeat(times.min(LONGEST / word.len().max(1))));
    }

    /// A stretch of another seed.
    fn splice(&self, bytes: &mut Vec<u8>, random: &mut Random) {
        let other = self.any_seed(random);
        let (from, to) = stretch(other, random);
        let (start, end) = stretch(bytes, random);
        bytes.splice(start..end, other[from..to].iter().copied());
    }
}

fn pick<'a, T>(all: &'a [T], random: &mut Random) -> Option<&'a T> {
    all.get(random.below(all.len().max(1) as u64) as usize)
}

fn place(bytes: &[u8], random: &mut Random) -> usize {
    random.below(bytes.len() as u64 + 1) as usize
}

/// A stretch, short ones more often than long ones.
fn stretch(bytes: &[u8], random: &mut Random) -> (usize, usize) {
    let start = place(bytes, random);
    let most = 1 << random.below(14);
    let length = random.below(most) as usize;
    (start, bytes.len().min(start + length))
}

fn flip(bytes: &mut [u8], random: &mut Random) {
    let at = place(bytes, random);
    if let Some(byte) = bytes.get_mut(at) {
        *byte ^= 1 << random.below(8);
    }
}

fn overwrite(bytes: &mut [u8], random: &mut Random) {
    let (start, end) = stretch(bytes, random);
    for byte in bytes[start..end].iter_mut().take(16) {
        *byte = random.next() as u8;
    }
}

/// A binary number, in one of four widths and two orders of bytes, set or moved a little.
fn set_number(bytes: &mut [u8], random: &mut Random) {
    let width = 1 << random.below(4);
    let mut at = place(bytes, random);
    if random.chance(0.7) {
        at -= at % width;
    }
    let Some(field) = bytes.get_mut(at..at + width) else {
        return;
    };
    let mut number = [0; 8];
    number[..width].copy_from_slice(field);
    let old = u64::from_le_bytes(number);
    let new = match random.below(3) {
        0 => old.wrapping_add(random.below(33)).wrapping_sub(16),
        _ => pick(TELLING, random).copied().unwrap_or(0),
    };
    field.copy_from_slice(&new.to_le_bytes()[..width]);
    if random.chance(0.3) {
        field.reverse();
    }
}

/// A number written in digits.
fn write_number(bytes: &mut Vec<u8>, random: &mut Random) {
    let from = place(bytes, random);
    let Some(first) = bytes[from..].iter().position(u8::is_ascii_digit) else {
        return;
    };
    let start = from + first;
    let length = bytes[start..]
        .iter()
        .take_while(|byte| byte.is_ascii_digit())
        .count();
    let new = pick(WRITTEN, random).copied().unwrap_or_default();
    bytes.splice(start..start + length, new.iter().copied());
}

fn cut_out(bytes: &mut Vec<u8>, random: &mut Random) {
    let (start, end) = stretch(bytes, random);
    bytes.drain(start..end);
}

fn repeat(bytes: &mut Vec<u8>, random: &mut Random) {
    let (start, end) = stretch(bytes, random);
    let piece = bytes[start..end].to_owned();
    let times = (1 << random.below(10)).min(LONGEST / piece.len().max(1));
    bytes.splice(start..start, piece.repeat(times));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_seed_and_a_number_give_the_same_bytes() {
        let seeds = vec![
            zip(&[Entry::deflated("a.txt", &[b'1'; 300])]),
            b"two 22".to_vec(),
        ];
        let mutator = Mutator::new(seeds, vec![b"word"], true);
        let all = |seed: u64| -> Vec<Vec<u8>> {
            (0..500)
                .map(|at| mutator.document(&mut Random::new(seed, at)))
                .collect()
        };
        assert_eq!(all(1), all(1));
        let different: std::collections::BTreeSet<_> = all(1).into_iter().collect();
        assert!(different.len() > 400, "{}", different.len());
        let holds = |word: &&Vec<u8>| word.windows(4).any(|at| at == b"word");
        assert!(different.iter().any(|document| holds(&document)));
        assert!(different.iter().any(|document| unzip(document).is_some()));
    }
}
