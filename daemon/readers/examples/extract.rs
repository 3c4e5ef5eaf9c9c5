//! Reads files with a pool of two workers and prints what became of each, one line per file:
//! outcome, reason, media type, characters, seconds, path, remarks, facts; then
//! the same for its members. The last lines are sums.
//!
//! `cargo run -p simdex-readers --example extract -- [--text] FILE…`; a single `-` takes the names
//! from stdin, one per line. `--text` prints the text itself.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, BufRead, Write};
use std::process::ExitCode;
use std::sync::Mutex;
use std::time::Instant;

use simdex_extract::{Limits, Outcome, Pool, ReadOptions, WorkerCommand};
use simdex_readers::worker_main;

fn main() -> ExitCode {
    let mut paths: Vec<String> = std::env::args().skip(1).collect();
    if paths.first().is_some_and(|first| first == "extract-worker") {
        return worker_main();
    }
    match run(&mut paths) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("extract: {error}");
            ExitCode::FAILURE
        }
    }
}

fn run(paths: &mut Vec<String>) -> io::Result<()> {
    let with_text = paths.first().is_some_and(|first| first == "--text");
    if with_text {
        paths.remove(0);
    }
    if paths == &["-"] {
        *paths = io::stdin().lock().lines().collect::<Result<_, _>>()?;
    }
    let command = WorkerCommand {
        program: std::env::current_exe()?,
        args: vec!["extract-worker".into()],
    };
    let pool = Pool::new(command, 2, Limits::default());
    eprintln!("{}", pool.sandbox());
    let (todo, sums) = (Mutex::new(paths.drain(..)), Mutex::new(BTreeMap::new()));
    std::thread::scope(|scope| {
        let worker = || -> io::Result<()> {
            loop {
                let next = todo.lock().ok().and_then(|mut todo| todo.next());
                let Some(path) = next else { return Ok(()) };
                let mut lines = Vec::new();
                describe(&pool, &File::open(&path)?, &path, 0, &mut lines)?;
                for (line, text) in lines {
                    if let Ok(mut sums) = sums.lock() {
                        let words: Vec<_> = line.split('\t').take(2).collect();
                        *sums.entry(words.join(" ")).or_insert(0) += 1;
                    }
                    let mut out = io::stdout().lock();
                    if with_text {
                        writeln!(out, "{text}")?
                    } else {
                        writeln!(out, "{line}")?
                    }
                }
            }
        };
        let second = scope.spawn(worker);
        worker()?;
        second.join().unwrap_or(Ok(()))
    })?;
    for (outcome, count) in sums.into_inner().unwrap_or_default() {
        eprintln!("{count:6} {outcome}");
    }
    Ok(())
}

/// Members within members that are followed.
const NESTING: usize = 8;

/// Adds a line and a text for a file and for each of its members.
fn describe(
    pool: &Pool,
    file: &File,
    path: &str,
    depth: usize,
    lines: &mut Vec<(String, String)>,
) -> io::Result<()> {
    let options = ReadOptions {
        name: path.rsplit('/').next().map(str::to_owned),
        ..ReadOptions::default()
    };
    let start = Instant::now();
    let extraction = pool.extract(file, &options);
    let seconds = start.elapsed().as_secs_f64();
    let (name, text) = match &extraction.outcome {
        Outcome::Text {
            text,
            partial: None,
        } => ("text", text.as_str()),
        Outcome::Text { text, .. } => ("partial", text.as_str()),
        Outcome::Container(_) => ("container", ""),
        Outcome::NoText(_) => ("no-text", ""),
        Outcome::Encrypted(_) => ("encrypted", ""),
        Outcome::Unsupported(_) => ("unsupported", ""),
        Outcome::TooLarge(_) => ("too-large", ""),
        Outcome::Failed(_) => ("failed", ""),
        Outcome::TimedOut(_) => ("timed-out", ""),
        Outcome::Crashed(_) => ("crashed", ""),
    };
    let reason = extraction
        .outcome
        .reason()
        .map_or("-", |reason| reason.code());
    let chars = text.chars().count();
    let media = &extraction.media_type;
    let facts = extraction.facts.iter();
    let facts: Vec<_> = facts
        .map(|(fact, value)| format!("{fact}={value:?}"))
        .collect();
    let line = format!(
        "{name}\t{reason}\t{media}\t{chars}\t{seconds:.2}\t{path}\t{}\t{}",
        extraction.warnings.join("; "),
        facts.join(" ")
    );
    lines.push((line, text.to_owned()));
    for member in extraction.members.iter().filter(|_| depth < NESTING) {
        let path = format!("{path}!/{}", member.name);
        match &member.body {
            Ok(bytes) => describe(pool, bytes.to_file()?.file(), &path, depth + 1, lines)?,
            Err(reason) => {
                lines.push((format!("unread\t{reason}\t-\t0\t0\t{path}"), String::new()))
            }
        }
    }
    Ok(())
}
