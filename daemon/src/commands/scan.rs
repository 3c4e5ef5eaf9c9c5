//! `simdexd scan`: indexes folders, prints their groups and the state of every file, and exits.

use std::io::{self, BufWriter, IsTerminal, Write};
use std::ops::ControlFlow;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use clap::Args;
use indicatif::{ProgressBar, ProgressState, ProgressStyle};
use simdex_index::{Cancel, MemoryAccount, VisibleRoots};
use simdex_signature::Ratio;

use crate::base::unread::is_unread;
use crate::base::visit::FirstError;
use crate::config::{Config, RootConfig, RootMode};
use crate::edge::output;
use crate::engine::{CompletenessCheck, Engine};
use crate::error::EngineError;
use crate::read_side::catalogue::{self, ListCounts, Listing, PairCounts, PairSelection};
use crate::read_side::lists::{ListSummary, promise_of_pairs};
use crate::write_side::progress::ProgressCounts;

/// What `scan` was asked for.
#[derive(Args)]
pub struct ScanArgs {
    /// The folders to index.
    #[arg(required = true, value_name = "DIR")]
    pub dirs: Vec<PathBuf>,
    /// Keep the index in this directory; without it, the index is temporary.
    #[arg(long, value_name = "DIR")]
    pub data_dir: Option<PathBuf>,
    /// Least resemblance of two near-duplicates, from 0.05 to 1 [default: the config's, 0.8].
    #[arg(long, value_name = "RATIO", value_parser = ratio)]
    pub threshold: Option<f64>,
    /// Also print every pair of near-duplicates.
    #[arg(long)]
    pub pairs: bool,
    /// Print one JSON object per line: files, pairs, groups, and a summary at the end.
    #[arg(long)]
    pub json: bool,
    /// Read this config file for limits, thresholds and template lines; its roots are ignored.
    #[arg(long, value_name = "FILE")]
    pub config: Option<PathBuf>,
}

fn ratio(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(value) if (0.05..=1.0).contains(&value) => Ok(value),
        _ => Err("expected a number from 0.05 to 1, such as 0.8".to_owned()),
    }
}

/// Runs a scan.
pub fn run(args: &ScanArgs, config: Config, program: PathBuf) -> anyhow::Result<ExitCode> {
    let config = config_of(args, config)?;
    let started = Instant::now();
    let engine = Engine::start(config, &program)?;
    index(&engine)?;
    // Merged, so that the bytes printed are those on disk.
    engine.writer().merge()?;
    let printed = print(&engine, args, engine.threshold(), started);
    let costs = costs(&engine)?;
    engine.close()?;
    match printed {
        // A reader that closes the pipe has all it wanted.
        Err(error) if is_broken_pipe(&error) => return Ok(ExitCode::SUCCESS),
        other => other?,
    }
    eprint!("{costs}");
    Ok(ExitCode::SUCCESS)
}

fn is_broken_pipe(error: &anyhow::Error) -> bool {
    let io = error
        .chain()
        .find_map(|cause| cause.downcast_ref::<io::Error>());
    io.is_some_and(|io| io.kind() == io::ErrorKind::BrokenPipe)
}

/// The config with the folders of the command line as its roots.
fn config_of(args: &ScanArgs, mut config: Config) -> anyhow::Result<Config> {
    config.data_dir = args.data_dir.clone();
    config.signature.threshold = args.threshold.unwrap_or(config.signature.threshold);
    config.roots = Vec::new();
    for dir in &args.dirs {
        let missing = |reason: String| EngineError::MissingRoot {
            path: dir.clone(),
            reason,
        };
        let path = std::fs::canonicalize(dir).map_err(|error| missing(error.to_string()))?;
        std::fs::read_dir(&path).map_err(|error| missing(error.to_string()))?;
        config.roots.push(RootConfig {
            path,
            mode: RootMode::Poll,
        });
    }
    config.check().map_err(anyhow::Error::msg)?;
    Ok(config)
}

/// Walks and indexes all roots, showing progress.
fn index(engine: &Engine) -> anyhow::Result<()> {
    let done = AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| show_progress(engine, &done));
        // Fails if a known root lost so many files that a person must look first.
        let indexed = engine.sync(&Cancel::never());
        done.store(true, Ordering::Relaxed);
        Ok(indexed?)
    })
}

const READING: &str =
    "{spinner} {pos} of {len} files, {rate} a second, {elapsed} elapsed, {eta} left";
const SETTLING: &str = "{spinner} {len} files read, finding near-duplicates, {elapsed} elapsed";

fn style(template: &str) -> ProgressStyle {
    let style = ProgressStyle::with_template(template);
    let style = style.unwrap_or_else(|_| ProgressStyle::default_bar());
    style.with_key(
        "rate",
        |state: &ProgressState, out: &mut dyn std::fmt::Write| {
            // A terminal that cannot be written to shows no progress.
            let _ = write!(out, "{:.0}", state.per_sec());
        },
    )
}

fn show_progress(engine: &Engine, done: &AtomicBool) {
    if !io::stderr().is_terminal() {
        return;
    }
    let bar = ProgressBar::new(0).with_style(style(READING));
    let mut walked = false;
    while !done.load(Ordering::Relaxed) {
        let ProgressCounts { pending, finished } = engine.counts();
        bar.set_length(pending + finished);
        bar.set_position(finished);
        if pending == 0 && finished > 0 && !walked {
            walked = true;
            bar.set_style(style(SETTLING));
        }
        std::thread::sleep(Duration::from_millis(100));
    }
    bar.finish_and_clear();
}

fn print(
    engine: &Engine,
    args: &ScanArgs,
    threshold: Ratio,
    started: Instant,
) -> anyhow::Result<()> {
    let view = engine.roots.view();
    let mut out = BufWriter::new(io::stdout().lock());
    let check = CompletenessCheck::begin(engine, &view, false)?;
    // With JSON, the line of a file says whether it was read; in text, files that were not read come last.
    let listed = match args.json {
        true => Some(files(engine, &view, &mut out)?),
        false => None,
    };
    let pairs = match args.pairs {
        true => Some(pairs(engine, args.json, threshold, &mut out)?),
        false => None,
    };
    let groups = groups(engine, args.json, threshold, &mut out)?;
    let counts = match listed {
        Some(counts) => counts,
        None => unread(engine, &view, &mut out)?,
    };
    let summary = ListSummary {
        pairs: pairs.map(|pairs| pairs.pairs),
        common_lists_skipped: pairs.map_or(0, |pairs| pairs.common_lists_skipped)
            + groups.common_lists_skipped,
        groups: Some(groups.items),
        completeness: check.completeness(),
        seconds: started.elapsed().as_secs_f64(),
        unfinished: None,
        unjudged: None,
        uncertain: None,
        truncated: false,
        promise: Some(promise_of_pairs(engine.index.reader().pairs(), threshold)),
        counts,
    };
    print_summary(&summary, args.json, &mut out)?;
    Ok(out.flush()?)
}

/// Prints the summary, and what a reader of it must know to stderr.
fn print_summary(summary: &ListSummary, json: bool, out: &mut impl Write) -> io::Result<()> {
    let text = match json {
        true => line(output::summary_line(summary)),
        false => output::summary_text(summary),
    };
    out.write_all(text.as_bytes())?;
    if !json {
        let left_out = summary.completeness.left_out();
        let promise = summary.promise.as_ref();
        let promise = promise.map(|it| it.sentence(summary.completeness.complete));
        for said in left_out.into_iter().chain(promise) {
            eprintln!("simdexd: {said}");
        }
    }
    if let Some(pending) = &summary.completeness.pending {
        eprintln!("simdexd: the index is not complete: {pending}");
    }
    Ok(())
}

/// The account for what a list may hold at once.
fn account(engine: &Engine) -> MemoryAccount {
    let questions = &engine.index.reader().memory().requests;
    questions.account(&Cancel::never())
}

/// Prints every pair, and counts them.
fn pairs(
    engine: &Engine,
    json: bool,
    threshold: Ratio,
    out: &mut impl Write,
) -> anyhow::Result<PairCounts> {
    let mut failed = FirstError::default();
    let mut print = |pair| {
        let text = match json {
            true => line(output::pair_line(&pair)),
            false => output::pair_text(&pair),
        };
        failed.flow(out.write_all(text.as_bytes()))
    };
    let (view, account) = (engine.roots.view(), account(engine));
    let selection = PairSelection {
        view: &view,
        threshold,
        containment: None,
        after: None,
        limit: None,
    };
    let listed = catalogue::pairs(engine.index.reader(), selection, &account, &mut print)?;
    failed.into_result()?;
    Ok(listed)
}

/// Prints every group, and counts them.
fn groups(
    engine: &Engine,
    json: bool,
    threshold: Ratio,
    out: &mut impl Write,
) -> anyhow::Result<Listing<u64>> {
    let (mut failed, mut number) = (FirstError::default(), 0);
    let mut print = |group| {
        number += 1;
        let legend = match json || number > 1 {
            true => "",
            false => output::GROUP_LEGEND,
        };
        let text = match json {
            true => line(output::group_line(&group)),
            false => output::group_text(number, &group),
        };
        failed.flow(write!(out, "{legend}{text}"))
    };
    let (view, account) = (engine.roots.view(), account(engine));
    let listed = catalogue::visit_whole_groups(
        engine.index.reader(),
        &view,
        threshold,
        &account,
        &mut print,
    )?;
    failed.into_result()?;
    Ok(listed)
}

/// Counts the files, and prints those that were not read, or not whole.
fn unread(
    engine: &Engine,
    view: &VisibleRoots,
    out: &mut impl Write,
) -> anyhow::Result<ListCounts> {
    let (mut failed, mut printed) = (FirstError::default(), 0_u64);
    let account = account(engine);
    let counts = catalogue::files(engine.index.reader(), view, &account, &mut |file| {
        if !is_unread(file) {
            return ControlFlow::Continue(());
        }
        let legend = if printed == 0 {
            output::UNREAD_LEGEND
        } else {
            ""
        };
        printed += 1;
        failed.flow(write!(out, "{legend}{}", output::unread_text(file)))
    })?;
    failed.into_result()?;
    if printed > 0 {
        out.write_all(b"\n")?;
    }
    Ok(counts)
}

fn line(mut json: String) -> String {
    json.push('\n');
    json
}

/// Prints every file as a line of JSON, and counts them.
fn files(engine: &Engine, view: &VisibleRoots, out: &mut impl Write) -> anyhow::Result<ListCounts> {
    let mut failed = FirstError::default();
    let account = account(engine);
    let counts = catalogue::files(engine.index.reader(), view, &account, &mut |file| {
        failed.flow(writeln!(out, "{}", output::file_line(file)))
    })?;
    failed.into_result()?;
    Ok(counts)
}

/// Bytes and time of each scheme: what leaving it out of the list would save.
fn costs(engine: &Engine) -> anyhow::Result<String> {
    let (store, texts) = engine.index.bytes_on_disk()?;
    let mib = |bytes: u64| bytes as f64 / f64::from(1 << 20);
    let mut text = String::new();
    for usage in engine.index.usage() {
        let seconds = engine.index.sign_seconds(usage.scheme);
        text.push_str(&format!(
            "{:<7} {:>10} postings  {:>8.1} MiB in buckets  {seconds:.2} s signing\n",
            usage.scheme.name(),
            usage.postings,
            mib(usage.bytes),
        ));
    }
    text.push_str(&format!(
        "store {:.1} MiB, extracted text {:.1} MiB\n",
        mib(store),
        mib(texts)
    ));
    Ok(text)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::Config;

    #[test]
    fn the_range_that_help_names_is_the_range_that_is_taken() {
        let help = ScanArgs::augment_args(clap::Command::new("scan"))
            .render_long_help()
            .to_string();
        assert!(help.contains("from 0.05 to 1 "), "{help}");
        for least in ["0.05", "1"] {
            let mut config = Config::default();
            config.signature.threshold = ratio(least).unwrap();
            assert!(config.check().is_ok(), "{least}");
        }
        for wrong in ["0.04", "1.01", "NaN", ""] {
            assert!(ratio(wrong).is_err(), "{wrong}");
        }
    }
}
