//! What external tools are denied, with a shell; pdftotext if it is installed. Recognition is tested in
//! `tests/outside.rs`: a test binary prints text before its pictures, which damages them.

use std::fs::File;
use std::io::Read;
use std::os::fd::{AsFd, BorrowedFd};
use std::time::Instant;

use super::attempt::spooled;
use super::confine::confine;
use super::run::{Output, RunLimit, run};
use super::*;
use crate::pool::tests::{document, test_worker};
use crate::spool_budget::SpoolBudget;
use crate::{ExtractedText, Facts, Outcome, Reader};

fn limits() -> ExternalToolLimits {
    ExternalToolLimits {
        address_space: 2 << 30,
        time: Duration::from_secs(60),
        output_bytes: 1 << 20,
        pages: 3,
    }
}

fn shim() -> WorkerCommand {
    let mut shim = test_worker("external_tools::tests::shim_process");
    shim.args.push("--".into());
    shim
}

/// The programs that were tried, as the extraction states them.
fn tried(extraction: &Extraction) -> &str {
    extraction
        .facts
        .get(Fact::ProgramsTried)
        .unwrap_or_default()
}

/// The shim as the daemon's binary has it; the arguments after `--` are for it.
#[test]
#[ignore = "the shim: started by the other tests"]
fn shim_process() {
    let own = std::env::args_os().skip_while(|argument| argument != "--");
    // Returns only if it could not start the program.
    let _ = external_tool_main(own.skip(1));
}

fn space() -> SpoolBudget {
    SpoolBudget::new(std::env::temp_dir(), 1 << 30)
}

fn until(limits: &ExternalToolLimits) -> RunLimit<'static> {
    RunLimit {
        deadline: Instant::now() + limits.time,
        keep_going: &|| true,
    }
}

fn shell(script: &str, limits: &ExternalToolLimits) -> io::Result<Option<Output>> {
    let arguments = ["-c", script].map(str::to_owned);
    let until = until(limits);
    let input = spooled(b"the input", &space()).unwrap();
    let program = installed("sh").unwrap();
    run(&shim(), limits, &program, &arguments, input.into(), until)
}

fn said(script: &str) -> String {
    let output = shell(script, &limits()).unwrap().expect("the shell ran");
    String::from_utf8(output.bytes).unwrap()
}

#[test]
fn a_program_reads_its_input_and_nothing_of_ours() {
    assert!(said("exec cat").ends_with("the input"));
    let secret = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(secret.path(), "secret").unwrap();
    let path = secret.path().display();
    // With built-ins of the shell: it may start no other program.
    let reading = |path: &str| said(&format!("read -r line < {path} || echo denied"));
    assert!(reading(&path.to_string()).ends_with("denied\n"));
    assert!(reading("/etc/passwd").ends_with("denied\n"));
    let write = format!("echo more > {path} || echo denied");
    assert!(said(&write).ends_with("denied\n"));
    assert_eq!(std::fs::read_to_string(secret.path()).unwrap(), "secret");
    assert!(said("kill -0 1 || echo denied").ends_with("denied\n"));
}

/// A child might leave the process group and live on.
#[test]
fn a_program_is_one_process() {
    assert!(said("echo alone").ends_with("alone\n"));
    assert!(shell("(echo forked)", &limits()).unwrap().is_none());
}

#[test]
#[ignore = "it confines itself: started by another test"]
fn confined_process() {
    confine(4 << 30, 60).unwrap();
    let parent = rustix::process::getppid().unwrap();
    let opened = rustix::process::pidfd_open(parent, rustix::process::PidfdFlags::empty());
    assert_eq!(opened.unwrap_err(), rustix::io::Errno::PERM);
    assert!(
        std::thread::spawn(|| ()).join().is_ok(),
        "threads are its own"
    );
    assert!(std::process::Command::new("/bin/true").status().is_err());
}

#[test]
fn who_is_confined_has_threads_and_reaches_no_other_process() {
    let confined = test_worker("external_tools::tests::confined_process");
    let mut confined = std::process::Command::new(confined.program)
        .args(confined.args)
        .stdout(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    let mut said = String::new();
    let mut stdout = confined.stdout.take().unwrap();
    stdout.read_to_string(&mut said).unwrap();
    assert!(confined.wait().unwrap().success(), "{said}");
    assert!(said.contains("1 passed"), "{said}");
}

#[test]
fn output_and_time_have_an_end() {
    let short = ExternalToolLimits {
        time: Duration::from_secs(1),
        output_bytes: 1000,
        ..limits()
    };
    let long = ExternalToolLimits {
        time: Duration::from_secs(60),
        ..short.clone()
    };
    let flood = shell("while :; do echo flood; done", &long).unwrap();
    let flood = flood.expect("what fits is kept");
    assert!(flood.cut && flood.bytes.len() == 1000);
    assert!(shell("exec sleep 600", &short).unwrap().is_none());
    let silent = shell("exec sleep 600 >&-", &short).unwrap();
    assert!(silent.is_none(), "it closed its output and slept");
    assert!(shell("exit 3", &limits()).unwrap().is_none(), "it failed");
    let ended = run_for_a_second("while :; do :; done", &long);
    assert!(ended.unwrap().is_none(), "it used up its processor time");
}

/// With one second of processor time and no limit of wall clock time.
fn run_for_a_second(script: &str, limits: &ExternalToolLimits) -> io::Result<Option<Output>> {
    let until = until(limits);
    let arguments = ["-c", script].map(str::to_owned);
    let (input, program) = (spooled(b"", &space())?, installed("sh").unwrap());
    let limits = ExternalToolLimits {
        time: Duration::from_secs(1),
        ..limits.clone()
    };
    run(&shim(), &limits, &program, &arguments, input.into(), until)
}

#[test]
fn a_program_that_the_machine_did_not_let_run_has_not_tried() {
    let killed = WorkerCommand {
        program: installed("sh").unwrap(),
        args: ["-c", "kill -9 $$"].map(Into::into).to_vec(),
    };
    let (input, until) = (spooled(b"", &space()).unwrap(), until(&limits()));
    let ended = run(&killed, &limits(), "sh".as_ref(), &[], input.into(), until);
    assert!(ended.is_err(), "killed, and not by us");
    let mut tools = ExternalTools::none(
        WorkerCommand {
            program: "/nonexistent".into(),
            args: vec![],
        },
        limits(),
    );
    tools.pdftotext = Some("/nowhere".into());
    let failed = poor(PDF, Outcome::Failed(Reason::ParserPanic));
    let still = improved(&tools, failed, b"%PDF-1.4");
    assert!(tools.could_improve(PDF, "parser-panic", tried(&still)));
}

/// The result of our own reader for a document that it could not read.
fn poor(media_type: &str, outcome: Outcome) -> Extraction {
    Extraction {
        outcome,
        media_type: media_type.into(),
        reader: Some(Reader::Pdf),
        parser: "own 1".into(),
        warnings: Vec::new(),
        facts: Facts::default(),
        members: Vec::new(),
    }
}

/// With a worker that joins nothing and returns what it was given.
fn improved(tools: &ExternalTools, own: Extraction, bytes: &[u8]) -> Extraction {
    let join = |pages: BorrowedFd<'_>| {
        let mut text = String::new();
        let mut pages = File::from(pages.try_clone_to_owned().unwrap());
        pages.read_to_string(&mut text).unwrap();
        let text = ExtractedText::new(text);
        let partial = None;
        poor("text/plain", Outcome::Text { text, partial })
    };
    let (document, space) = (document(bytes), space());
    let source = Source {
        document: document.as_fd(),
        space: &space,
        join: &join,
        keep_going: &|| true,
    };
    tools.improve(own, &source)
}

/// One page; there is no table of objects, which poppler rebuilds itself.
const PAGE: &[u8] = b"%PDF-1.4\n1 0 obj\n<< /Type /Catalog /Pages 2 0 R >>\nendobj\n\
    2 0 obj\n<< /Type /Pages /Kids [3 0 R] /Count 1 >>\nendobj\n\
    3 0 obj\n<< /Type /Page /Parent 2 0 R /MediaBox [0 0 200 200] /Contents 4 0 R\n\
    /Resources << /Font << /F << /Type /Font /Subtype /Type1 /BaseFont /Helvetica >> >> >> >>\n\
    endobj\n4 0 obj\n<< /Length 40 >>\nstream\nBT /F 9 Tf 9 99 Td (Some words) Tj ET     \n\
    endstream\nendobj\ntrailer\n<< /Root 1 0 R /Size 5 >>\n%%EOF\n";

fn text(extraction: &Extraction) -> &str {
    match &extraction.outcome {
        Outcome::Text { text, .. } => text,
        other => panic!("no text but {other:?}"),
    }
}

#[test]
fn pdftotext_reads_what_we_could_not_and_says_so() {
    let mut tools = ExternalTools::none(shim(), limits());
    if !tools.use_pdftotext() {
        eprintln!("skipped: pdftotext is not installed");
        return;
    }
    let failed = poor(PDF, Outcome::Failed(Reason::ParserPanic));
    assert!(tools.could_improve(PDF, "parser-panic", tried(&failed)));
    assert!(!tools.could_improve("text/plain", "parser-panic", tried(&failed)));
    let read = improved(&tools, failed.clone(), PAGE);
    assert!(text(&read).contains("Some words"));
    assert_eq!(read.parser, "pdftotext");
    let still = improved(&tools, failed, b"%PDF-1.4 and no more");
    assert_eq!(still.outcome, Outcome::Failed(Reason::ParserPanic));
    assert!(!tools.could_improve(PDF, "parser-panic", tried(&still)));
}

/// A program that prints this for any arguments.
fn printing(words: &str) -> ExternalTools {
    scripted(&format!("echo {words}"))
}

fn scripted(script: &str) -> ExternalTools {
    let shim = WorkerCommand {
        program: installed("sh").unwrap(),
        args: ["-c", script].map(Into::into).to_vec(),
    };
    let mut tools = ExternalTools::none(shim, limits());
    tools.pdftotext = Some("/nowhere".into());
    tools
}

#[test]
fn a_program_that_did_no_better_is_not_asked_again_when_another_did() {
    let tools = printing("some words");
    let scanned = Extraction {
        parser: format!("own 1{TRIED}{TESSERACT}"),
        ..poor(PDF, Outcome::NoText(Reason::NeedsOcr))
    };
    let read = improved(&tools, scanned, b"%PDF-1.4");
    assert_eq!(text(&read), "some words\n");
    assert_eq!(read.parser, format!("{PDFTOTEXT}, after {TESSERACT}"));
    assert!(tools.could_improve(PDF, "pages-failed", ""));
    assert!(!tools.could_improve(PDF, "pages-failed", tried(&read)));
}

#[test]
fn a_worker_joins_the_pages_that_a_program_printed() {
    let worker = test_worker("pool::tests::worker_joins");
    let pool = crate::Pool::new(worker, 1, crate::Limits::default());
    let pool = pool.with_external_tools(printing("pages"));
    let read = pool.extract(document(b"%PDF-1.4"), &crate::ReadOptions::default());
    assert_eq!(text(&read), "the worker joined: pages\n");
    assert_eq!(read.facts.number(crate::Fact::RunningLines), 3);
    assert_eq!(read.parser, PDFTOTEXT);
}

#[test]
fn pages_that_no_worker_could_join_for_the_machines_fault_are_tried_again() {
    let tools = printing("pages");
    let killed = |_: BorrowedFd<'_>| poor("text/plain", Outcome::Failed(Reason::Killed));
    let (document, space) = (document(b"%PDF-1.4"), space());
    let source = Source {
        document: document.as_fd(),
        space: &space,
        join: &killed,
        keep_going: &|| true,
    };
    let failed = poor(PDF, Outcome::Failed(Reason::ParserPanic));
    let still = tools.improve(failed, &source);
    assert!(tools.could_improve(PDF, "parser-panic", tried(&still)));
}

/// The result of the pool for a document whose program never ends, after `ended` was called while it ran.
fn read_until(ended: impl FnOnce(&crate::Pool), keep_going: crate::KeepGoing) -> Extraction {
    let beside = tempfile::tempdir().unwrap();
    let begun = beside.path().join("begun");
    let tools = scripted(&format!("echo > '{}'; exec sleep 600", begun.display()));
    let worker = test_worker("pool::tests::worker_joins");
    let pool = crate::Pool::new(worker, 1, crate::Limits::default()).with_external_tools(tools);
    let options = crate::ReadOptions {
        keep_going,
        ..crate::ReadOptions::default()
    };
    std::thread::scope(|scope| {
        let reading = scope.spawn(|| pool.extract(document(b"%PDF-1.4"), &options));
        while !begun.exists() && !reading.is_finished() {
            std::thread::sleep(Duration::from_millis(1));
        }
        ended(&pool);
        reading.join().unwrap()
    })
}

#[test]
fn a_program_ends_with_the_pool_and_with_who_waits_for_it_and_has_not_tried() {
    let stopped = read_until(crate::Pool::shutdown, crate::KeepGoing::default());
    assert_eq!(tried(&stopped), "", "the pool ends");
    let waits = std::sync::Arc::new(std::sync::atomic::AtomicBool::new(true));
    let still_waits = std::sync::Arc::clone(&waits);
    let keep_going =
        crate::KeepGoing::asking(move || still_waits.load(std::sync::atomic::Ordering::SeqCst));
    let left = |_: &crate::Pool| waits.store(false, std::sync::atomic::Ordering::SeqCst);
    assert_eq!(tried(&read_until(left, keep_going)), "", "nobody waits");
}
