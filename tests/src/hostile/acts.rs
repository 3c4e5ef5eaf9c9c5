//! The acts that a daemon is subjected to in a hostile hour, one at a time.
//!
//! Acts that take something away (a root, room, descriptors) put it back themselves or leave that to
//! [`put_back`]. A failing query is no finding in itself: what counts is what the daemon answers once
//! all is quiet.

use std::ffi::OsString;
use std::fs;
use std::os::unix::ffi::OsStringExt;
use std::os::unix::fs::{FileExt, PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::thread;
use std::time::Duration;

use anyhow::Result;
use rustix::fs::{CWD, FileType, Mode, RenameFlags, mknodat, renameat_with};
use rustix::process::{Pid, Signal, kill_process};

use super::world::World;
use crate::corpus::Random;
use crate::handmade::{tar, zip};
use crate::sandbox::children;

/// Folders that acts play with, below each root.
const PLAYGROUND: &str = "play";
/// Where a root waits while it is away, beside it.
const AWAY: &str = "away";
const FOLDERS: u64 = 6;
const FILES: u64 = 8;

/// An act, drawn as often as its weight says.
pub(super) struct Act {
    pub(super) name: &'static str,
    pub(super) weight: u64,
    pub(super) run: fn(&mut World, &mut Random) -> Result<()>,
}

const fn act(
    name: &'static str,
    weight: u64,
    run: fn(&mut World, &mut Random) -> Result<()>,
) -> Act {
    Act { name, weight, run }
}

/// All acts of the hostile hour.
pub(super) const ACTS: &[Act] = &[
    act("churn", 30, churn),
    act("folders change places", 12, swap_folders),
    act("files change places", 10, swap_files),
    act("a link for a file", 6, link_for_file),
    act("a link for a folder", 6, link_for_folder),
    act("rewritten in place", 12, rewrite),
    act("stores through mapped pages", 8, mapped),
    act("containers and odd names", 6, containers),
    act("a pipe", 2, pipe),
    act("a folder that refuses", 3, refuse),
    act("a root away", 3, root_away),
    act("a link for a root", 2, link_for_root),
    act("a full disk", 3, full_disk),
    act("workers killed", 4, kill_workers),
    act("daemon killed", 2, kill_daemon),
    act("idle clients", 4, idle_clients),
    act("unread lists", 3, unread_lists),
    act("a flood of questions", 4, flood),
    act("sync", 5, sync),
    act("rescan", 3, rescan),
];

fn sentence(random: &mut Random) -> String {
    let number = random.below(40);
    let end = random.below(1_000);
    let line = format!("clause {number} of the agreement that both have signed; ");
    line.repeat(6) + &format!("and the end {end}")
}

/// The folders that acts play with.
pub(super) fn furnish(root: &Path) -> Result<()> {
    let mut random = Random::new(5, 5);
    for folder in 0..FOLDERS {
        let folder = root.join(PLAYGROUND).join(format!("d{folder}"));
        fs::create_dir_all(&folder)?;
        for file in 0..FILES {
            fs::write(folder.join(format!("{file}.txt")), sentence(&mut random))?;
        }
    }
    Ok(())
}

/// A root that is away comes back; what refuses opens.
pub(super) fn put_back(root: &Path) -> Result<()> {
    let away = root.with_file_name(away_name(root));
    if away.symlink_metadata().is_ok() {
        let _ = fs::remove_file(root);
        let _ = fs::remove_dir_all(root);
        fs::rename(&away, root)?;
    }
    for folder in 0..FOLDERS {
        let folder = root.join(PLAYGROUND).join(format!("d{folder}"));
        if folder.is_dir() {
            fs::set_permissions(&folder, fs::Permissions::from_mode(0o755))?;
        }
    }
    Ok(())
}

fn away_name(root: &Path) -> OsString {
    let name = root.file_name().unwrap_or_default().to_string_lossy();
    format!("{name}-{AWAY}").into()
}

/// The files directly in a folder, copied into a new one.
pub(super) fn copy_flat(from: &Path, to: &Path) -> Result<()> {
    use std::os::unix::fs::DirBuilderExt;
    fs::DirBuilder::new().mode(0o700).create(to)?;
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        fs::copy(entry.path(), to.join(entry.file_name()))?;
    }
    Ok(())
}

fn any_root(world: &World, random: &mut Random) -> PathBuf {
    world.roots[random.below(world.roots.len() as u64) as usize].clone()
}

fn any_folder(world: &World, random: &mut Random) -> PathBuf {
    let folder = format!("d{}", random.below(FOLDERS));
    any_root(world, random).join(PLAYGROUND).join(folder)
}

fn any_file(world: &World, random: &mut Random) -> PathBuf {
    any_folder(world, random).join(format!("{}.txt", random.below(FILES)))
}

/// Another act may have moved what this one wants: then it does nothing.
fn attempt<T, E>(done: Result<T, E>) {
    drop(done);
}

fn churn(world: &mut World, random: &mut Random) -> Result<()> {
    let at = random.below(world.trees.len() as u64) as usize;
    for _ in 0..=random.below(15) {
        world.trees[at].step()?;
    }
    Ok(())
}

fn swap_folders(world: &mut World, random: &mut Random) -> Result<()> {
    let (a, b) = (any_folder(world, random), any_folder(world, random));
    if random.chance(0.5) {
        attempt(renameat_with(CWD, &a, CWD, &b, RenameFlags::EXCHANGE));
        return Ok(());
    }
    let aside = a.with_extension("aside");
    if a != b && fs::rename(&a, &aside).is_ok() {
        attempt(fs::rename(&b, &a));
        thread::sleep(Duration::from_millis(random.below(60)));
        attempt(fs::rename(&aside, if b.exists() { &a } else { &b }));
    }
    Ok(())
}

fn swap_files(world: &mut World, random: &mut Random) -> Result<()> {
    let (a, b) = (any_file(world, random), any_file(world, random));
    attempt(renameat_with(CWD, &a, CWD, &b, RenameFlags::EXCHANGE));
    Ok(())
}

fn link_for_file(world: &mut World, random: &mut Random) -> Result<()> {
    let file = any_file(world, random);
    let target = world.sandbox.beside("foreign/play/d0/0.txt");
    attempt(fs::remove_file(&file));
    attempt(symlink(target, &file));
    thread::sleep(Duration::from_millis(random.below(80)));
    if random.chance(0.7) {
        attempt(fs::remove_file(&file));
        attempt(fs::write(&file, sentence(random)));
    }
    Ok(())
}

fn link_for_folder(world: &mut World, random: &mut Random) -> Result<()> {
    let folder = any_folder(world, random);
    let aside = folder.with_extension("kept");
    if fs::rename(&folder, &aside).is_err() {
        return Ok(());
    }
    attempt(symlink(world.sandbox.beside("foreign/play/d1"), &folder));
    thread::sleep(Duration::from_millis(random.below(150)));
    attempt(fs::remove_file(&folder));
    attempt(fs::rename(&aside, &folder));
    Ok(())
}

fn rewrite(world: &mut World, random: &mut Random) -> Result<()> {
    let file = any_file(world, random);
    for _ in 0..=random.below(4) {
        if let Ok(open) = fs::File::options().write(true).open(&file) {
            attempt(open.write_all_at(sentence(random).as_bytes(), 0));
        }
        thread::sleep(Duration::from_millis(random.below(20)));
    }
    Ok(())
}

fn mapped(world: &mut World, random: &mut Random) -> Result<()> {
    if random.chance(0.3) {
        let file = any_file(world, random);
        world.mapped.open(&file);
    }
    world.mapped.store(random);
    Ok(())
}

fn containers(world: &mut World, random: &mut Random) -> Result<()> {
    let folder = any_folder(world, random);
    let text = sentence(random).into_bytes();
    let member = tar::entry("in/a!/b.txt", b'0', text.len() as u64, &text);
    let inner = tar::tar(&[member]);
    let entries = [
        zip::Entry::stored("letter.txt", &text),
        zip::Entry::deflated("inner.tar", &inner),
    ];
    let name = match random.below(3) {
        0 => OsString::from("x.zip"),
        1 => OsString::from_vec(b"b\xff\n.zip".to_vec()),
        _ => OsString::from(format!("box {}.zip", random.below(4))),
    };
    attempt(fs::write(folder.join(name), zip::zip(&entries)));
    // A folder that is called as the members of a file are shown.
    let alike = folder.join("x.zip!");
    attempt(fs::create_dir(&alike));
    attempt(fs::write(alike.join("letter.txt"), sentence(random)));
    Ok(())
}

fn pipe(world: &mut World, random: &mut Random) -> Result<()> {
    let path = any_folder(world, random).join("pipe.txt");
    attempt(fs::remove_file(&path));
    attempt(mknodat(CWD, &path, FileType::Fifo, Mode::RWXU, 0));
    Ok(())
}

/// Means something only where the daemon is not root.
fn refuse(world: &mut World, random: &mut Random) -> Result<()> {
    let folder = any_folder(world, random);
    let mode = |mode| fs::set_permissions(&folder, fs::Permissions::from_mode(mode));
    attempt(mode(0));
    thread::sleep(Duration::from_millis(random.below(200)));
    attempt(mode(0o755));
    Ok(())
}

fn root_away(world: &mut World, random: &mut Random) -> Result<()> {
    let root = any_root(world, random);
    fs::rename(&root, root.with_file_name(away_name(&root)))?;
    thread::sleep(Duration::from_millis(random.below(1_500)));
    if random.chance(0.4) {
        fs::create_dir(&root)?;
        thread::sleep(Duration::from_millis(random.below(1_500)));
    }
    put_back(&root)
}

fn link_for_root(world: &mut World, random: &mut Random) -> Result<()> {
    let root = any_root(world, random);
    fs::rename(&root, root.with_file_name(away_name(&root)))?;
    symlink(world.sandbox.beside("foreign"), &root)?;
    thread::sleep(Duration::from_millis(random.below(3_000)));
    put_back(&root)
}

fn full_disk(world: &mut World, random: &mut Random) -> Result<()> {
    let Some(disk) = &world.disk else {
        return Ok(());
    };
    let filler = disk.path().join("filler");
    crate::fault::disk::fill(&filler);
    for _ in 0..5 {
        world.trees[0].step()?;
    }
    thread::sleep(Duration::from_millis(200 + random.below(2_500)));
    fs::remove_file(filler)?;
    Ok(())
}

fn kill_workers(world: &mut World, _: &mut Random) -> Result<()> {
    let Some(daemon) = &world.daemon else {
        return Ok(());
    };
    for worker in children(daemon.id()) {
        if let Some(id) = Pid::from_raw(worker as i32) {
            attempt(kill_process(id, Signal::KILL));
        }
    }
    Ok(())
}

/// The next act finds it started again.
fn kill_daemon(world: &mut World, _: &mut Random) -> Result<()> {
    world.daemon.take().map_or(Ok(()), |daemon| daemon.kill())
}

fn idle_clients(world: &mut World, random: &mut Random) -> Result<()> {
    if let Some(daemon) = &world.daemon {
        world.greedy.connect(daemon, random.below(120));
        world.greedy.upload(daemon, random.below(12))?;
    }
    Ok(())
}

fn unread_lists(world: &mut World, random: &mut Random) -> Result<()> {
    if let Some(daemon) = &world.daemon {
        world.greedy.list(daemon, random.below(12))?;
    }
    Ok(())
}

fn flood(world: &mut World, random: &mut Random) -> Result<()> {
    let file = any_file(world, random);
    if let Some(daemon) = &world.daemon {
        world.greedy.flood(daemon, &file, 4 + random.below(16))?;
    }
    if random.chance(0.5) {
        world.greedy.leave();
    }
    Ok(())
}

fn sync(world: &mut World, _: &mut Random) -> Result<()> {
    if let Some(daemon) = &world.daemon {
        world.greedy.ask(daemon, &["sync"])?;
    }
    Ok(())
}

fn rescan(world: &mut World, _: &mut Random) -> Result<()> {
    if let Some(daemon) = &world.daemon {
        world.greedy.ask(daemon, &["rescan"])?;
    }
    Ok(())
}
