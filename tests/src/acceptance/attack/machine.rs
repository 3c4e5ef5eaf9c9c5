//! Trials of a machine that has too little: memory, descriptors, room, places for clients.

use std::fs;
use std::os::unix::net::UnixStream;

use anyhow::{Result, ensure};
use simdex_client::Client;

use super::eventually;
use crate::acceptance::Verdict;
use crate::fault::answers::Listed;
use crate::fault::disk::{Disk, fill};
use crate::handmade::zip;
use crate::sandbox::{Daemon, Sandbox, high_water_kib};

/// U+FDFA, three bytes, is eighteen characters once it is made compatible.
const GROWS: &str = "\u{fdfa}";
/// What the daemon itself may take for such a text; sixty megabytes would become a gigabyte.
const MEMORY_MIB: u64 = 1_536;
/// Files written while something is short.
const FILES: usize = 60;

/// Small archives with long texts that grow: read as far as they go, and the daemon lives.
pub(super) fn grows() -> Result<Verdict> {
    let sandbox = Sandbox::new()?;
    let text = GROWS.repeat(20 << 20);
    for at in 0..2 {
        let text = format!("{at} {text}");
        let entry = zip::Entry::deflated("grows.txt", text.as_bytes());
        sandbox.write(format!("{at}.zip"), zip::zip(&[entry]))?;
    }
    sandbox.write("beside.txt", "a text beside them, as long as it must be")?;
    let daemon = sandbox.serve().start()?;
    daemon.sync()?;
    let listed = Listed::by_daemon(&daemon)?;
    let state = |name: &str| {
        let path = sandbox.share().join(name);
        let found = listed.iter().find(|file| file.path == path);
        found.map(|file| file.state.clone()).unwrap_or_default()
    };
    ensure!(state("beside.txt") == "indexed", "{listed:?}");
    for name in ["0.zip!/grows.txt", "1.zip!/grows.txt"] {
        ensure!(state(name) == "partial", "{name} is {:?}", state(name));
    }
    let member = sandbox.share().join("0.zip!/grows.txt");
    let asked = daemon.simctl(["find-similar".as_ref(), member.as_os_str()])?;
    asked.ended_with(&[0, 1, 2])?;
    let peak = high_water_kib(daemon.id()).unwrap_or(u64::MAX) >> 10;
    ensure!(peak <= MEMORY_MIB, "the daemon took {peak} MiB");
    ensure!(daemon.stop()?.success(), "the daemon ended badly");
    Ok(Verdict::Holds)
}

fn write_files(sandbox: &Sandbox, round: usize) -> Result<()> {
    for at in 0..FILES {
        let text = format!("file {at} of round {round}, which is long enough; ").repeat(40);
        sandbox.write(format!("{round}/{at}.txt"), text)?;
    }
    Ok(())
}

/// Without a restart everything is indexed once what was short is there again.
fn recovers(daemon: &Daemon, files: usize) -> Result<()> {
    eventually("indexing does not go on", || {
        let synced = daemon.simctl(["sync"])?;
        let listed = daemon.simctl(["files"])?;
        let indexed = match listed.ended_with(&[0, 1]) {
            Ok(answer) => Listed::all(&answer.lines_of("file")?)?,
            Err(error) => return Ok(Some(format!("{error:#}"))),
        };
        let indexed = indexed
            .iter()
            .filter(|file| file.state == "indexed")
            .count();
        let well = indexed == files && synced.code()? == 0;
        Ok((!well).then(|| format!("{indexed} of {files}; {}", synced.stderr.trim())))
    })
}

/// Connections take the descriptors while files are to be read.
pub(super) fn descriptors() -> Result<Verdict> {
    let sandbox = Sandbox::new()?;
    write_files(&sandbox, 0)?;
    let daemon = sandbox.serve().limited("-n 200").start()?;
    daemon.sync()?;
    let held: Vec<UnixStream> = (0..400)
        .map_while(|_| {
            let stream = UnixStream::connect(daemon.socket()).ok()?;
            stream.set_nonblocking(true).ok()?;
            Some(stream)
        })
        .take(250)
        .collect();
    write_files(&sandbox, 1)?;
    std::thread::sleep(std::time::Duration::from_secs(3));
    drop(held);
    recovers(&daemon, 2 * FILES)?;
    Ok(Verdict::Holds)
}

/// The disk of the data directory is full while files are to be read.
pub(super) fn room() -> Result<Verdict> {
    let disk = match Disk::of_memory(96) {
        Ok(disk) => disk,
        Err(reason) => return Ok(Verdict::Skipped(format!("skipped: {reason:#}"))),
    };
    let sandbox = Sandbox::new()?;
    write_files(&sandbox, 0)?;
    let serve = sandbox.serve().data_dir(disk.path().join("data"));
    let daemon = serve.start()?;
    daemon.sync()?;
    let filler = disk.path().join("filler");
    fill(&filler);
    write_files(&sandbox, 1)?;
    std::thread::sleep(std::time::Duration::from_secs(3));
    fill(&filler);
    write_files(&sandbox, 2)?;
    std::thread::sleep(std::time::Duration::from_secs(1));
    fs::remove_file(&filler)?;
    recovers(&daemon, 3 * FILES)?;
    let daemon = daemon.restart()?;
    recovers(&daemon, 3 * FILES)?;
    daemon.kill()?;
    Ok(Verdict::Holds)
}

/// A client that connects and sends nothing keeps nobody out for long.
pub(super) fn connections() -> Result<Verdict> {
    let sandbox = Sandbox::new()?;
    sandbox.write("a.txt", "a text that is long enough to be found")?;
    let daemon = sandbox.serve().start()?;
    daemon.sync()?;
    // Clients of our own library, which answer when they are asked whether they live.
    let runtime = tokio::runtime::Runtime::new()?;
    let connect = async |socket: &std::path::Path| {
        let limit = std::time::Duration::from_secs(20);
        let client = tokio::time::timeout(limit, Client::connect(socket)).await;
        client.ok().and_then(std::result::Result::ok)
    };
    let idle: Vec<Client> = runtime.block_on(async {
        let mut idle = Vec::new();
        for _ in 0..300 {
            let Some(client) = connect(daemon.socket()).await else {
                break;
            };
            idle.push(client);
        }
        idle
    });
    ensure!(idle.len() >= 64, "{} clients were let in", idle.len());
    eventually("nobody is let in", || {
        let asked = daemon.simctl(["status"])?;
        Ok((asked.code()? != 0).then_some(asked.stderr))
    })?;
    drop(idle);
    Ok(Verdict::Holds)
}
