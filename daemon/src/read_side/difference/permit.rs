//! Memory for aligning two texts: where lines are short, their lines take many times what the texts take.

use simdex_index::{IndexError, MemoryAccount, MemoryPermit};
use simdex_signature::align::word_count;
use thiserror::Error;

/// Bytes that a line of either text takes while both are aligned: its place, its number, its part in the search, and
/// the resulting operations.
const LINE_BYTES: u64 = 256;

/// Aligning two texts would take more than half of what the account may hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error(
    "aligning {count} {what} takes {needed} MiB, more than the {max_mib} MiB that store.memory_mib allows for it"
)]
pub struct TooMuchToAlign {
    /// What is aligned: lines or words.
    pub what: &'static str,
    /// How many of them both texts have.
    pub count: u64,
    /// Memory that aligning them needs, MiB, rounded up.
    pub needed: u64,
    /// Memory that it may take, MiB.
    pub max_mib: u64,
}

/// Takes a permit for aligning two texts, and for `beside` bytes that are made on the way; `None` if it is too small
/// to be counted.
pub(crate) fn permit_to_align(
    texts: [&str; 2],
    beside: u64,
    account: &MemoryAccount,
) -> Result<Result<Option<MemoryPermit>, TooMuchToAlign>, IndexError> {
    let lines = texts.map(line_count).iter().sum();
    permit(("lines", lines, LINE_BYTES), beside, account)
}

/// Bytes that a word of either text takes while both are aligned: its place and number, its part in the tables of
/// words and word sequences, and the results. Unlike texts whose words are all different took 231 bytes when measured
/// (by the test below).
const WORD_BYTES: u64 = 256;

/// Takes a permit for aligning the words of two texts, and for `beside` bytes that are made on the way.
pub(crate) fn permit_to_align_words(
    texts: [&str; 2],
    beside: u64,
    account: &MemoryAccount,
) -> Result<Result<Option<MemoryPermit>, TooMuchToAlign>, IndexError> {
    let words = texts.map(word_count).iter().sum();
    permit(("words", words, WORD_BYTES), beside, account)
}

fn permit(
    (what, count, bytes): (&'static str, u64, u64),
    beside: u64,
    account: &MemoryAccount,
) -> Result<Result<Option<MemoryPermit>, TooMuchToAlign>, IndexError> {
    let needed = count.saturating_mul(bytes).saturating_add(beside);
    let max_bytes = account.total() / 2;
    if needed > max_bytes {
        return Ok(Err(TooMuchToAlign {
            what,
            count,
            needed: needed.div_ceil(1 << 20),
            max_mib: max_bytes >> 20,
        }));
    }
    account.take_large(needed).map(Ok)
}

fn line_count(text: &str) -> u64 {
    1 + text.bytes().filter(|byte| *byte == b'\n').count() as u64
}

#[cfg(test)]
mod tests {
    use std::path::Path;
    use std::process::Command;

    use crate::read_side::difference::words::WordDifference;
    use crate::read_side::difference::{Difference, lines};

    use super::*;

    /// The variable that gives the folder of texts to be aligned in a separate process.
    const FOLDER: &str = "SIMDEX_TEST_ALIGNED";

    const CASES: [(&str, u64); 7] = [
        ("unlike", WORD_BYTES),
        ("unlike, a table just grown", WORD_BYTES),
        ("moved", WORD_BYTES),
        ("shuffled", WORD_BYTES),
        ("short words", WORD_BYTES),
        ("lines", LINE_BYTES),
        ("changed lines", LINE_BYTES),
    ];

    /// Words that occur in no text of another seed.
    fn words(seed: u64, count: u64) -> Vec<String> {
        let word = |at: u64| {
            format!(
                "w{:x}",
                (at + seed * count).wrapping_mul(0x9e37_79b9) & 0xfff_ffff
            )
        };
        (0..count).map(word).collect()
    }

    /// Two texts by case name.
    fn texts(case: &str) -> [String; 2] {
        // A table of words has room for seven eighths of 2^19 and grows beyond that.
        let count = match case {
            "unlike, a table just grown" => 7 << 15 | 1,
            _ => 150_000,
        };
        let [a, b] = [words(1, count), words(2, count)];
        let rotated = [&a[70_000..], &a[..70_000]].concat();
        let shuffled = || a.chunks(20).rev().flatten().cloned().collect::<Vec<_>>();
        let each = |a: &[String], end: &str| a.join(end) + "\n";
        match case {
            "unlike" | "unlike, a table just grown" => [each(&a, " "), each(&b, " ")],
            "moved" => [each(&a, " "), each(&rotated, "\n")],
            "shuffled" => [each(&a, " "), each(&shuffled(), " ")],
            "short words" => ["a b c d e f g ", "c a f e b a d "].map(|words| words.repeat(20_000)),
            "changed lines" => [each(&a, "\n"), each(&a, "\n").replace("7\n", "x\n")],
            _ => [each(&a, "\n"), each(&b, "\n")],
        }
    }

    /// The most kilobytes that this process had resident at once.
    fn high_water() -> u64 {
        let status = std::fs::read_to_string("/proc/self/status").unwrap();
        let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
        let kib = line.and_then(|line| line.split_whitespace().next());
        kib.unwrap().parse().unwrap()
    }

    /// Kilobytes that aligning the texts of a folder takes beyond the texts, and the number of lines or words of both.
    fn align(folder: &Path) -> (u64, u64) {
        let read = |name: &str| std::fs::read_to_string(folder.join(name)).unwrap();
        let (a, b, case) = (read("a"), read("b"), read("case"));
        let before = high_water();
        let count = if case.ends_with("lines") {
            let found = Difference::between(lines(&a), lines(&b), &mut || Ok::<_, ()>(()));
            assert!(found.is_ok_and(|found| found.extent().hunks > 0));
            line_count(&a) + line_count(&b)
        } else {
            drop(WordDifference::between(&a, &b));
            word_count(&a) + word_count(&b)
        };
        (high_water() - before, count)
    }

    #[test]
    fn aligning_holds_what_was_asked_for_at_most() {
        if let Some(folder) = std::env::var_os(FOLDER) {
            let (held, count) = align(Path::new(&folder));
            println!("held {} bytes each", (held << 10) / count);
            return;
        }
        let name =
            "read_side::difference::permit::tests::aligning_holds_what_was_asked_for_at_most";
        for (case, max_bytes) in CASES {
            let folder = tempfile::tempdir().unwrap();
            let [a, b] = texts(case);
            for (name, text) in [("a", &*a), ("b", &*b), ("case", case)] {
                std::fs::write(folder.path().join(name), text).unwrap();
            }
            // In a separate process: the high-water mark of this one covers all tests.
            let mut own = Command::new(std::env::current_exe().unwrap());
            own.args(["--exact", name, "--nocapture"]);
            let out = own.env(FOLDER, folder.path()).output().unwrap();
            let said = String::from_utf8_lossy(&out.stdout).into_owned();
            let held = said
                .split("held ")
                .nth(1)
                .and_then(|said| said.split(' ').next());
            let held: u64 = held.expect(&said).parse().unwrap();
            eprintln!("{case}: {held} bytes each of {max_bytes}");
            assert!(
                held <= max_bytes,
                "{case}: {held} bytes each of {max_bytes}"
            );
            // Nor much less: otherwise texts are left out for which there is memory.
            assert!(
                case != "unlike, a table just grown" || 2 * held > max_bytes,
                "{case}: {held}"
            );
        }
    }
}
