//! Events as a subscriber gets them: of one root, and of containers.

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
