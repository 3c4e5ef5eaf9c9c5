//! Reads files in the sandboxed pool, with this program as its worker.

use std::fs::{File, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use anyhow::{Context, Result};
use simdex_extract::{
    ExternalTools, Extraction, Limits, Outcome, Pool, ReadOptions, Role, WorkerCommand,
    external_tool_main,
};
use simdex_readers::worker_main;
use simdexd::config::Config;

/// First argument of a worker; the second may name a file that gets a byte for each start.
const WORKER: &str = "extract-worker";
/// First argument of what becomes an outside program; the others are its own.
const OUTSIDE: &str = "outside-worker";
/// Workers, and files read at once.
pub(super) const WORKERS: usize = 2;
/// Members within members that are followed.
const NESTING: usize = 8;

/// Where this process was started as a worker: reads documents until its end.
pub fn worker() -> Option<ExitCode> {
    let mut arguments = std::env::args_os().skip(1);
    match arguments.next()? {
        first if first == OUTSIDE => return Some(external_tool_main(arguments)),
        first if first == WORKER => {}
        _ => return None,
    }
    if let Some(tally) = arguments.next() {
        let file = OpenOptions::new().append(true).open(tally);
        // A start that is not counted fails the study's arithmetic, not the worker.
        let _ = file.and_then(|mut file| file.write_all(b"."));
    }
    Some(worker_main())
}

/// How a file or member ended.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct End {
    /// As users see it.
    pub(super) state: &'static str,
    /// Why there is no text, or not all of it.
    pub(super) reason: Option<&'static str>,
    /// Kind found in the bytes.
    pub(super) media_type: String,
}

impl End {
    fn of(extraction: &Extraction) -> Self {
        let state = match &extraction.outcome {
            Outcome::Text { partial: None, .. } => "indexed",
            Outcome::Text { .. } => "partial",
            Outcome::Container(_) => "container",
            Outcome::NoText(_) => "no-text",
            Outcome::Encrypted(_) => "encrypted",
            Outcome::Unsupported(_) => "unsupported",
            Outcome::TooLarge(_) => "too-large",
            Outcome::Failed(_) => "failed",
            Outcome::TimedOut(_) => "timed-out",
            Outcome::Crashed(_) => "crashed",
        };
        Self {
            state,
            reason: extraction.outcome.reason().map(|reason| reason.code()),
            media_type: extraction.media_type.clone(),
        }
    }

    /// State and reason in one.
    pub(super) fn label(&self) -> String {
        [self.state, self.reason.unwrap_or_default()]
            .join(" ")
            .trim_end()
            .to_owned()
    }
}

/// One file, read.
pub(super) struct Extracted {
    /// How it ended itself.
    pub(super) end: End,
    /// Its own text; empty where there is none.
    pub(super) text: String,
    /// What stands in it, for readers that give bodies alone: of mail without the lines of its head,
    /// and with the text that was kept apart as quoted.
    pub(super) body: String,
    /// How its members ended, theirs included.
    pub(super) members: Vec<End>,
}

/// Kinds that begin with lines of a head.
const MAIL: &[&str] = &["message/rfc822", "application/vnd.ms-outlook"];

/// The text after the lines that name subject, people and date.
fn without_head(text: &str) -> &str {
    let mut rest = text;
    while let Some((line, after)) = rest.split_once('\n') {
        let names = ["Subject: ", "From: ", "To: ", "Cc: ", "Date: "];
        if !names.iter().any(|name| line.starts_with(name)) {
            break;
        }
        rest = after;
    }
    rest
}

/// A pool whose workers are this program.
pub(super) struct Extractor(Pool);

impl Extractor {
    /// A pool of [`WORKERS`]; `tally` counts the workers started.
    pub(super) fn new(limits: Limits, tally: Option<&Path>) -> Result<Self> {
        let mut args = vec![WORKER.into()];
        args.extend(tally.map(|path| path.as_os_str().to_owned()));
        let program = std::env::current_exe().context("the path of the study is not known")?;
        Ok(Self(Pool::new(
            WorkerCommand { program, args },
            WORKERS,
            limits,
        )))
    }

    /// Extraction where `pdftotext` reads what our engines read poorly; none where it is not installed.
    fn with_pdftotext() -> Result<Option<Self>> {
        let program = std::env::current_exe().context("the path of the study is not known")?;
        let shim = WorkerCommand {
            program,
            args: vec![OUTSIDE.into()],
        };
        let mut tools = ExternalTools::none(shim, Config::default().external_tool_limits());
        if !tools.use_pdftotext() {
            return Ok(None);
        }
        let Self(pool) = Self::new(Limits::default(), None)?;
        Ok(Some(Self(pool.with_external_tools(tools))))
    }

    /// Reads one file and what is inside it.
    pub(super) fn one(&self, path: &Path) -> Result<Extracted> {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let file = File::open(path).with_context(|| path.display().to_string())?;
        let mut members = Vec::new();
        let (end, text, quoted) = self.read(&file, &name, 0, &mut members)?;
        let body = match MAIL.contains(&end.media_type.as_str()) {
            true => format!("{}\n{quoted}", without_head(&text)),
            false => text.clone(),
        };
        Ok(Extracted {
            end,
            text,
            body,
            members,
        })
    }

    fn read(
        &self,
        file: &File,
        name: &str,
        depth: usize,
        members: &mut Vec<End>,
    ) -> Result<(End, String, String)> {
        let options = ReadOptions {
            name: name.rsplit('/').next().map(str::to_owned),
            ..ReadOptions::default()
        };
        let extraction = self.0.extract(file, &options);
        let end = End::of(&extraction);
        let mut quoted = String::new();
        for member in extraction.members.iter().filter(|_| depth < NESTING) {
            let of_member = match &member.body {
                Ok(bytes) => {
                    let file = bytes.to_file()?;
                    let (end, text, _) =
                        self.read(file.file(), &member.name, depth + 1, members)?;
                    if member.role == Role::Quoted {
                        quoted.push_str(&text);
                    }
                    end
                }
                Err(reason) => End {
                    state: "unread",
                    reason: Some(reason.code()),
                    media_type: String::new(),
                },
            };
            members.push(of_member);
        }
        let text = match extraction.outcome {
            Outcome::Text { text, .. } => text.into_string(),
            _ => String::new(),
        };
        Ok((end, text, quoted))
    }

    /// Reads all files, [`WORKERS`] at once; answers in their order.
    pub(super) fn all(&self, paths: &[PathBuf]) -> Result<Vec<Extracted>> {
        let next = AtomicUsize::new(0);
        let answers: Vec<Mutex<Option<Result<Extracted>>>> =
            paths.iter().map(|_| Mutex::new(None)).collect();
        thread::scope(|scope| {
            for _ in 0..WORKERS {
                scope.spawn(|| {
                    while let Some(at) =
                        Some(next.fetch_add(1, Ordering::Relaxed)).filter(|at| *at < paths.len())
                    {
                        let answer = self.one(&paths[at]);
                        if let Ok(mut slot) = answers[at].lock() {
                            *slot = Some(answer);
                        }
                    }
                });
            }
        });
        let answer = |slot: Mutex<Option<Result<Extracted>>>| slot.into_inner().ok().flatten();
        let taken = answers.into_iter().map(answer);
        taken
            .map(|answer| answer.context("a reading thread ended early")?)
            .collect()
    }
}

/// Reads all files with a pool that uses `pdftotext`; none where it is not installed.
pub(super) fn extract_with_pdftotext(paths: &[PathBuf]) -> Result<Option<Vec<Extracted>>> {
    let extractor = Extractor::with_pdftotext()?;
    extractor.map(|extractor| extractor.all(paths)).transpose()
}

/// Reads all files with a pool as the daemon has it by default.
pub(super) fn extract(paths: &[PathBuf]) -> Result<Vec<Extracted>> {
    Extractor::new(Limits::default(), None)?.all(paths)
}
