//! Events as a subscriber gets them: of one root, and of containers.

use std::collections::{BTreeMap, BTreeSet};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use simdex_client::wire::Event;
use simdex_index::store::Operation;
use simdexd::config::{Config, RootConfig, RootMode};

use crate::daemon::{Daemon, prose, tar};

/// Adds a second root, `other`, which is empty.
fn add_other(config: &mut Config) {
    let path = config.roots[0].path.with_file_name("other");
    std::fs::create_dir(&path).unwrap();
    let mode = RootMode::Poll;
    config.roots.push(RootConfig { path, mode });
}

/// The events of what `change` does, in the view of some roots.
fn events(daemon: &Daemon, roots: Vec<u32>, change: impl FnOnce()) -> Vec<Event> {
    let mut stream = daemon.wait(daemon.client.events(roots, None)).unwrap();
    change();
    daemon.sync();
    let last = daemon.path("../other/last.txt");
    std::fs::write(&last, "x").unwrap();
    daemon.sync();
    let (last, mut events) = (b"/other/last.txt", Vec::new());
    loop {
        let event = daemon.wait(stream.message()).unwrap().unwrap();
        if event.path.ends_with(last) {
            break;
        }
        events.push(event);
    }
    drop(stream);
    std::fs::remove_file(daemon.path("../other/last.txt")).unwrap();
    daemon.sync();
    events
}

/// Kind, file name and group of the events of groups.
fn of_groups(events: &[Event]) -> Vec<(&str, &str, u64)> {
    let named = events.iter().filter_map(|event| {
        let name = event.path.rsplit(|byte| *byte == b'/').next()?;
        Some((&*event.kind, std::str::from_utf8(name).ok()?, event.group?))
    });
    let mut named: Vec<_> = named.collect();
    named.sort_unstable();
    named
}

#[test]
fn who_watches_a_root_hears_which_documents_of_groups_come_to_it_and_leave_it() {
    let text = prose(1, 400);
    let longer = format!("{text} {}", prose(2, 20));
    let daemon = Daemon::with(
        &[("a.txt", text.clone()), ("b.txt", longer.clone())],
        add_other,
    );
    let status = daemon.wait(daemon.client.status()).unwrap();
    let [share, other] = [status.roots[0].id, status.roots[1].id];
    let path = |name: &str| daemon.path("../other").join(name);
    let copy = || {
        std::fs::write(path("a.txt"), &text).unwrap();
        std::fs::write(path("b.txt"), &longer).unwrap();
    };
    let joined = events(&daemon, vec![other], copy);
    let joined = of_groups(&joined);
    let group = joined[0].2;
    let expected = ["a.txt", "b.txt"].map(|name| ("group-joined", name, group));
    assert_eq!(joined, expected);

    let another = || std::fs::write(path("c.txt"), &text).unwrap();
    let none = events(&daemon, vec![other], another);
    assert_eq!(of_groups(&none), [], "the root had one of its files");
    let remove = |name: &str| std::fs::remove_file(path(name)).unwrap();
    let none = events(&daemon, vec![other], || remove("a.txt"));
    assert_eq!(of_groups(&none), [], "it still has another");
    let left = events(&daemon, vec![other], || remove("c.txt"));
    assert_eq!(of_groups(&left), [("group-left", "c.txt", group)]);

    for roots in [vec![share, other], Vec::new()] {
        let none = events(&daemon, roots.clone(), || remove("b.txt"));
        assert_eq!(of_groups(&none), [], "to {roots:?} they are no news");
        let none = events(&daemon, roots, || {
            std::fs::write(path("b.txt"), &longer).unwrap();
        });
        assert_eq!(of_groups(&none), []);
    }
}

#[test]
fn a_file_is_announced_before_its_group() {
    // Between applying a file and announcing it, the writer's thread reads its record: the settler has all the time it
    // needs to announce the group first.
    let slow = |operation| {
        let is_writer = std::thread::current().name() == Some("writer");
        if is_writer && operation == Operation::Read {
            std::thread::sleep(Duration::from_millis(30));
        }
        Ok(())
    };
    let daemon = Daemon::hooked_with(Arc::new(slow), add_other);
    let text = prose(1, 400);
    std::fs::write(daemon.path("a.txt"), &text).unwrap();
    daemon.sync();
    let write = || std::fs::write(daemon.path("b.txt"), text + " more").unwrap();
    let events = events(&daemon, Vec::new(), write);
    let mut of_file = events.iter().filter(|event| event.path.ends_with(b"b.txt"));
    assert_eq!(of_file.next().unwrap().kind, "file-indexed");
    assert!(of_file.any(|event| event.kind == "group-joined"));
}

#[test]
fn a_container_read_in_part_is_announced_as_indexed_with_the_reason() {
    let daemon = Daemon::with(&[], add_other);
    let whole = tar(&[("a.txt", &prose(1, 300)), ("b.txt", &prose(2, 300))]);
    let write = || std::fs::write(daemon.path("box.tar"), &whole[..whole.len() - 2_048]).unwrap();
    let events = events(&daemon, Vec::new(), write);
    let tape = events.iter().find(|event| event.path.ends_with(b"box.tar"));
    let tape = tape.unwrap();
    assert_eq!(
        (&*tape.kind, &*tape.detail),
        ("file-indexed", "container (damaged)")
    );
}

/// Groups as a subscriber puts them together from events: documents by group.
#[derive(Default)]
struct Replayed {
    members: BTreeMap<Vec<u8>, u64>,
    /// The document of each file that was announced.
    files: BTreeMap<Vec<u8>, Vec<u8>>,
}

impl Replayed {
    /// Takes an event; returns the document that joined or left, with whether it joined.
    fn hear(&mut self, event: &Event) -> Option<(Vec<u8>, bool)> {
        let document = event.document.clone();
        match &*event.kind {
            "file-indexed" => {
                assert_eq!(document.len(), 32, "{event:?}");
                self.files.insert(event.path.clone(), document);
                None
            }
            "file-removed" => {
                self.files.remove(&event.path);
                None
            }
            "group-joined" => {
                let joined = self.members.insert(document.clone(), event.group.unwrap());
                assert_eq!(joined, None, "it was in a group: {event:?}");
                Some((document, true))
            }
            "group-left" => {
                let left = self.members.remove(&document);
                assert_eq!(left, event.group, "it was not in this group: {event:?}");
                assert!(!event.path.is_empty(), "{event:?}");
                Some((document, false))
            }
            _ => None,
        }
    }

    /// The paths of each group.
    fn groups(&self) -> BTreeMap<u64, BTreeSet<Vec<u8>>> {
        let mut groups: BTreeMap<u64, BTreeSet<Vec<u8>>> = BTreeMap::new();
        for (path, document) in &self.files {
            if let Some(group) = self.members.get(document) {
                groups.entry(*group).or_default().insert(path.clone());
            }
        }
        groups
    }
}

/// The paths of each group, as they are listed.
fn listed_groups(daemon: &Daemon) -> BTreeMap<u64, BTreeSet<Vec<u8>>> {
    daemon.wait(async {
        let mut listed = daemon.client.groups(None, Vec::new()).await.unwrap();
        let mut groups: BTreeMap<u64, BTreeSet<Vec<u8>>> = BTreeMap::new();
        while let Some(group) = listed.next().await.unwrap() {
            let paths = group.members.into_iter().map(|member| member.path);
            groups.entry(group.id).or_default().extend(paths);
        }
        groups
    })
}

/// Hears what comes until this file is announced.
fn hear_until(
    daemon: &Daemon,
    stream: &mut tonic::Streaming<Event>,
    last: &Path,
    replayed: &mut Replayed,
) -> Vec<(Vec<u8>, bool)> {
    let mut told = Vec::new();
    loop {
        let event = daemon.wait(stream.message()).unwrap().unwrap();
        told.extend(replayed.hear(&event));
        if event.path == last.as_os_str().as_bytes() {
            return told;
        }
    }
}

/// Removes, moves, copies or writes a file at random, as `next` says; `names` are those that exist.
fn change(
    daemon: &Daemon,
    texts: &[String],
    names: &mut BTreeSet<String>,
    mut next: impl FnMut(usize) -> usize,
) {
    let [name, to] = [(); 2].map(|()| format!("{}.txt", next(10)));
    let (path, at_to) = (daemon.path(&name), daemon.path(&to));
    match (next(4), names.contains(&name) && to != name) {
        (0, true) => {
            std::fs::remove_file(&path).unwrap();
            names.remove(&name);
        }
        (1, true) => {
            std::fs::rename(&path, at_to).unwrap();
            names.remove(&name);
            names.insert(to);
        }
        (2, true) => {
            std::fs::copy(&path, at_to).unwrap();
            names.insert(to);
        }
        _ => {
            std::fs::write(&path, &texts[next(texts.len())]).unwrap();
            names.insert(name);
        }
    }
}

#[test]
fn events_replayed_by_document_give_the_groups() {
    let daemon = Daemon::with(&[], |_| {});
    let watching = daemon.client.events(Vec::new(), None);
    let mut stream = daemon.wait(watching).unwrap();
    let version = |at: u64| {
        let base = prose(at / 4, 300);
        match at % 4 {
            0 => base,
            more => format!("{base} {}", prose(40 + at, 3 * more)),
        }
    };
    let texts: Vec<String> = (0..12).map(version).collect();
    let (mut replayed, mut random, mut names) = (Replayed::default(), 9_u64, BTreeSet::new());
    for step in 0..60_u64 {
        change(&daemon, &texts, &mut names, |below| {
            random = random
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1);
            (random >> 33) as usize % below
        });
        daemon.sync();
        // What became of groups by the first sync is told before the second document is placed.
        let marks = ["first.txt", "second.txt"].map(|name| daemon.path(name));
        for (seed, mark) in (1_000 + 2 * step..).zip(&marks) {
            std::fs::write(mark, prose(seed, 30)).unwrap();
            daemon.sync();
        }
        let told = hear_until(&daemon, &mut stream, &marks[1], &mut replayed);
        let listed = listed_groups(&daemon);
        assert_eq!(replayed.groups(), listed, "step {step}: {told:?}");
    }
}

#[test]
fn a_document_leaves_its_group_once_and_with_its_path() {
    let text = prose(1, 400);
    let longer = format!("{text} {}", prose(2, 20));
    let daemon = Daemon::with(&[("a.txt", longer), ("b.txt", text.clone())], add_other);
    let left = |events: &[Event]| {
        let of_groups = of_groups(events);
        let left = of_groups.iter().filter(|(kind, ..)| *kind == "group-left");
        left.map(|(_, name, _)| (*name).to_owned())
            .collect::<Vec<_>>()
    };
    let edited = events(&daemon, Vec::new(), || {
        std::fs::write(daemon.path("b.txt"), format!("{text} x")).unwrap();
    });
    assert_eq!(left(&edited), ["b.txt"]);
    let joined = |event: &&Event| event.kind == "group-joined";
    let [out, into] = [
        edited.iter().find(|event| event.kind == "group-left"),
        edited.iter().find(joined),
    ];
    assert_ne!(out.unwrap().document, into.unwrap().document);
    let moved = events(&daemon, Vec::new(), || {
        std::fs::rename(daemon.path("b.txt"), daemon.path("c.txt")).unwrap();
    });
    let indexed = moved.iter().find(|event| event.path.ends_with(b"c.txt"));
    assert_eq!(indexed.unwrap().document, into.unwrap().document);
    let removed = events(&daemon, Vec::new(), || {
        std::fs::remove_file(daemon.path("a.txt")).unwrap();
    });
    assert_eq!(left(&removed), ["a.txt", "c.txt"]);
}
