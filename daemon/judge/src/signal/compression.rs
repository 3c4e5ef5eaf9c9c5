//! Compression distances.
//!
//! ```text
//! ncd(A, B) = (c(AB) − min(c(A), c(B))) / max(c(A), c(B))            Cilibrasi and Vitányi 2005
//! mcd(A, B) = max(|c(AB) − c(AA)|, |c(AB) − c(BB)|) / max(c(AA), c(BB))   Huffman et al. 2007, §3.2.1
//! ```
//!
//! c(X) is the length of X compressed. The modified distance is 0 iff c(AA) = c(AB) = c(BB), so equal texts have the
//! distance 0, whereas ncd(A, A) is above 0. Both papers use gzip, whose window is 32 KB: in longer texts it finds
//! nothing of A in B, and all pairs have about the same distance. Here zstd compresses with a window larger than both
//! texts together, and with long-distance matching above 128 KiB. Only the beginning of a text counts
//! ([`LONGEST`]).
//!
//! c(AB) and c(BA) differ a little, so A and B are put in the order of the texts: the distance is symmetric.
//!
//! Cost: three compressions of both texts (c(A) and c(AA) are made once for each text, c(AB) once for a pair), each only
//! where it is needed, at about 100 MB/s.

use std::io;

use zstd::bulk::Compressor;
use zstd::zstd_safe::CParameter;

/// zstd's default level.
const LEVEL: i32 = 3;
/// The smallest window of zstd, as a power of two.
const MIN_WINDOW: u32 = 10;
/// Long-distance matching is used for input from this length on.
const LONG: usize = 128 << 10;

/// Bytes of a text that are compressed.
pub const LONGEST: usize = 1 << 20;

/// The part of a text that is compressed.
pub(crate) fn beginning(text: &str) -> &str {
    &text[..text.floor_char_boundary(LONGEST)]
}

/// The compressed length of a text alone, c(A).
pub fn once(text: &str) -> u64 {
    length(&[beginning(text)])
}

/// The compressed length of a text followed by itself, c(AA).
pub fn twice(text: &str) -> u64 {
    length(&[beginning(text); 2])
}

/// Normalised compression distance, given c(A) and c(B), and c(AB); 0 for two empty texts, hardly above 1 for unlike
/// ones.
pub fn ncd([a, b]: [u64; 2], both: u64) -> f64 {
    both.saturating_sub(a.min(b)) as f64 / a.max(b).max(1) as f64
}

/// Modified normalised compression distance, given c(AA) and c(BB), and c(AB).
pub fn mcd([a, b]: [u64; 2], both: u64) -> f64 {
    let most = both.abs_diff(a).max(both.abs_diff(b));
    most as f64 / a.max(b).max(1) as f64
}

/// c(AB), the lesser text first.
pub fn together(a: &str, b: &str) -> u64 {
    let (a, b) = (beginning(a), beginning(b));
    match a <= b {
        true => length(&[a, b]),
        false => length(&[b, a]),
    }
}

/// The length of texts compressed one after the other. If zstd has no memory, they count uncompressed.
fn length(texts: &[&str]) -> u64 {
    #[cfg(test)]
    made::count_one();
    let joined = texts.concat();
    compressed(joined.as_bytes()).unwrap_or(joined.len()) as u64
}

fn compressed(bytes: &[u8]) -> io::Result<usize> {
    let mut compressor = Compressor::new(LEVEL)?;
    let window = bytes.len().next_power_of_two().ilog2() + 1;
    compressor.set_parameter(CParameter::WindowLog(window.max(MIN_WINDOW)))?;
    compressor.set_parameter(CParameter::EnableLongDistanceMatching(bytes.len() > LONG))?;
    Ok(compressor.compress(bytes)?.len())
}

/// Compressions made by this thread.
#[cfg(test)]
pub(crate) mod made {
    use std::cell::Cell;

    thread_local! {
        static MADE: Cell<u64> = const { Cell::new(0) };
    }

    pub(crate) fn count_one() {
        MADE.set(MADE.get() + 1);
    }

    pub(crate) fn so_far() -> u64 {
        MADE.get()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use simdex_signature::Fingerprint;

    /// Words that hardly compress: nothing can be saved except what occurs in the other text.
    fn noise(seed: u64, words: u64) -> String {
        (0..words)
            .map(|at| format!("{:x} ", Fingerprint((seed << 32) ^ at).mixed()))
            .collect()
    }

    fn ncd(a: &str, b: &str) -> f64 {
        super::ncd([once(a), once(b)], together(a, b))
    }

    fn mcd(a: &str, b: &str) -> f64 {
        super::mcd([twice(a), twice(b)], together(a, b))
    }

    #[test]
    fn equal_texts_have_no_modified_distance_and_some_plain_one() {
        let a = noise(1, 200);
        assert_eq!(mcd(&a, &a), 0.0);
        assert!(ncd(&a, &a) > 0.0);
        assert_eq!(mcd("", ""), 0.0);
    }

    #[test]
    fn the_formula_by_hand() {
        let (a, b) = (noise(1, 100), noise(2, 130));
        let [a, b] = [a.trim(), b.trim()];
        let c = |texts: &[&str]| compressed(texts.concat().as_bytes()).unwrap() as f64;
        let both = if a <= b { c(&[a, b]) } else { c(&[b, a]) };
        let (aa, bb) = (c(&[a, a]), c(&[b, b]));
        let expected = (both - aa).abs().max((both - bb).abs()) / aa.max(bb);
        assert_eq!(mcd(a, b), expected);
        assert_eq!(mcd(a, b), mcd(b, a));
        let expected = (both - c(&[a]).min(c(&[b]))) / c(&[a]).max(c(&[b]));
        assert_eq!(ncd(a, b), expected);
    }

    /// gzip's window of 32 KB finds nothing of a text of 200 KB in its copy; all pairs look the same to it.
    #[test]
    fn long_texts_are_told_apart() {
        let long = noise(3, 12_000);
        assert!(long.len() > 200_000);
        let edited = long.replacen(" ", " edited ", 20);
        let near = mcd(&long, &edited);
        let far = mcd(&long, &noise(4, 12_000));
        assert!(near < 0.05, "{near}");
        assert!(far > 0.8, "{far}");
    }

    #[test]
    fn no_more_than_the_beginning_is_compressed() {
        let long = "é".repeat(LONGEST);
        assert_eq!(beginning(&long).len(), LONGEST);
        assert_eq!(beginning(&format!("a{long}")).len(), LONGEST - 1);
    }
}
