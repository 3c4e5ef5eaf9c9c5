//! Files inside files, from a daemon with real workers: found, named, changed and gone with what
//! holds them.

use crate::daemon::{Daemon, prose, tar};
use simdex_client::{FindKind, Subject, wire};

/// Every file and member: path below the share, state, role.
fn files(daemon: &Daemon) -> (Vec<(String, String, String)>, wire::Summary) {
    let share = simdex_client::path_bytes(&daemon.path(""));
    daemon.wait(async {
        let mut listing = daemon.client.files(Vec::new(), Vec::new()).await.unwrap();
        let mut files = Vec::new();
        while let Some(file) = listing.next().await.unwrap() {
            let path = String::from_utf8(file.path[share.len()..].to_vec()).unwrap();
            let role = file.place.map_or_else(String::new, |place| place.role);
            files.push((path, file.state, role));
        }
        (files, listing.summary().await.unwrap())
    })
}

fn paths(daemon: &Daemon) -> Vec<String> {
    let (files, _) = files(daemon);
    files.into_iter().map(|(path, ..)| path).collect()
}

fn rewrite(daemon: &Daemon, name: &str, content: &str) {
    std::fs::write(daemon.path(name), content).unwrap();
    daemon.sync();
}

#[test]
fn a_copy_in_an_archive_in_an_archive_is_found_from_both_sides() {
    let text = prose(1, 400);
    let inner = tar(&[("b/offer.txt", &text), ("b/other.txt", &prose(2, 400))]);
    let outer = tar(&[("inner.tar", &inner), ("note.txt", &prose(3, 400))]);
    let daemon = Daemon::start(&[("outer.tar", outer), ("zz.txt", text)]);
    let (listed, summary) = files(&daemon);
    let expected = [
        ("outer.tar", "container", ""),
        ("outer.tar!/inner.tar", "container", "entry"),
        ("outer.tar!/inner.tar!/b/offer.txt", "indexed", "entry"),
        ("outer.tar!/inner.tar!/b/other.txt", "indexed", "entry"),
        ("outer.tar!/note.txt", "indexed", "entry"),
        ("zz.txt", "identical-bytes", ""),
    ];
    let owned = |(a, b, c): (&str, &str, &str)| (a.to_owned(), b.to_owned(), c.to_owned());
    assert_eq!(listed, expected.map(owned));
    assert_eq!((summary.files_on_disk, summary.members), (2, 4));
    assert_eq!(summary.states.values().sum::<u64>(), 2);
    let inside = [("container".to_owned(), 1), ("indexed".to_owned(), 3)];
    assert_eq!(summary.member_states, inside.into());
    let offer = daemon.path("outer.tar!/inner.tar!/b/offer.txt");
    for (asked, found) in [("zz.txt", offer.clone()), ("", daemon.path("zz.txt"))] {
        let subject = match asked {
            "" => offer.clone(),
            name => daemon.path(name),
        };
        let (matches, _) = daemon
            .find(FindKind::Similar, Subject::Path(subject))
            .unwrap();
        assert_eq!(matches[0].path, simdex_client::path_bytes(&found));
        assert_eq!(matches[0].relation(), wire::Relation::IdenticalBytes);
    }
}

#[test]
fn members_change_and_go_with_their_container() {
    let first = tar(&[("a.txt", &prose(1, 300)), ("b.txt", &prose(2, 300))]);
    let daemon = Daemon::start(&[("box.tar", first)]);
    rewrite(
        &daemon,
        "box.tar",
        &tar(&[("b.txt", &prose(2, 300)), ("c.txt", &prose(3, 300))]),
    );
    assert_eq!(
        paths(&daemon),
        ["box.tar", "box.tar!/b.txt", "box.tar!/c.txt"]
    );
    rewrite(&daemon, "box.tar", &prose(4, 300));
    assert_eq!(paths(&daemon), ["box.tar"]);
    rewrite(&daemon, "box.tar", &tar(&[("d.txt", &prose(5, 300))]));
    std::fs::remove_file(daemon.path("box.tar")).unwrap();
    daemon.sync();
    assert!(paths(&daemon).is_empty());
}

#[test]
fn a_file_is_whole_whatever_member_was_cut_to_the_same_bytes() {
    let text = prose(1, 300);
    let whole = tar(&[("m.txt", &format!("{text} {}", prose(2, 300)))]);
    let cut = whole[..512 + text.len()].to_owned();
    let states = |daemon: &Daemon| {
        let (files, _) = files(daemon);
        let stated = files.into_iter().map(|(path, state, _)| (path, state));
        stated.collect::<Vec<_>>()
    };
    let owned = |(path, state): (&str, &str)| (path.to_owned(), state.to_owned());
    let cut_first = Daemon::start(&[("box.tar", cut.clone())]);
    rewrite(&cut_first, "z.txt", &text);
    let whole_first = Daemon::start(&[("z.txt", text.clone())]);
    rewrite(&whole_first, "box.tar", &cut);
    for daemon in [&cut_first, &whole_first] {
        let expected = [
            ("box.tar", "container"),
            ("box.tar!/m.txt", "partial"),
            ("z.txt", "identical-text"),
        ];
        assert_eq!(states(daemon), expected.map(owned));
    }
    std::fs::remove_file(cut_first.path("box.tar")).unwrap();
    cut_first.sync();
    assert_eq!(states(&cut_first), [owned(("z.txt", "indexed"))]);
}

#[test]
fn a_copied_or_renamed_container_brings_its_members_along() {
    let daemon = Daemon::start(&[("a.tar", tar(&[("x/y.txt", &prose(1, 300))]))]);
    std::fs::copy(daemon.path("a.tar"), daemon.path("b.tar")).unwrap();
    std::fs::rename(daemon.path("a.tar"), daemon.path("c.tar")).unwrap();
    daemon.sync();
    let expected = ["b.tar", "b.tar!/x/y.txt", "c.tar", "c.tar!/x/y.txt"];
    assert_eq!(paths(&daemon), expected);
}

#[test]
fn the_same_archive_twice_in_one_and_names_that_say_nothing_are_told_apart() {
    let twin = tar(&[("t.txt", &prose(1, 300))]);
    let names = [
        ("one.tar", &*twin),
        ("one.tar", &twin),
        ("../up.txt", &prose(2, 300)),
    ];
    let daemon = Daemon::start(&[("box.tar", tar(&names))]);
    assert_eq!(
        paths(&daemon),
        [
            "box.tar",
            "box.tar!/../up.txt",
            "box.tar!/one.tar",
            "box.tar!/one.tar!/t.txt",
            "box.tar!/one.tar (2)",
            "box.tar!/one.tar (2)!/t.txt",
        ]
    );
}

#[test]
fn what_is_nested_too_deep_or_holds_too_much_is_named_and_not_unpacked() {
    let mut nested = prose(1, 300);
    for _ in 0..4 {
        nested = tar(&[("in", &nested)]);
    }
    let many: Vec<String> = (0..6).map(|number| format!("{number}.txt")).collect();
    let texts: Vec<String> = (0..6).map(|seed| prose(seed + 10, 60)).collect();
    let entries: Vec<_> = many.iter().zip(&texts).map(|(n, t)| (&**n, &**t)).collect();
    let wide = tar(&[("wide.tar", &tar(&entries)), ("last.txt", &prose(2, 300))]);
    let daemon = Daemon::with(&[("deep.tar", nested), ("wide.tar", wide)], |config| {
        config.extract.container_nesting = 3;
        config.extract.container_entries = 6;
    });
    let (listed, _) = files(&daemon);
    let state = |path: &str| {
        let found = listed.iter().find(|(known, ..)| known == path);
        found.map(|(_, state, _)| state.as_str())
    };
    assert_eq!(state("deep.tar!/in!/in!/in"), Some("container"));
    assert_eq!(state("deep.tar!/in!/in!/in!/in"), Some("too-large"));
    assert_eq!(state("wide.tar!/wide.tar"), Some("container"));
    assert_eq!(state("wide.tar!/wide.tar!/0.txt"), Some("too-large"));
    assert_eq!(
        state("wide.tar!/last.txt"),
        Some("indexed"),
        "its neighbour"
    );
}

/// The text of a message was in hand when the limit was met: it is kept, and what it holds is named.
#[test]
fn a_limit_of_the_tree_takes_no_text_from_a_container_that_was_read() {
    let head = "From: a@example.org\nTo: b@example.org\nSubject: an offer\nMIME-Version: 1.0";
    let part = |more: &str, text| format!("--b\nContent-Type: text/plain\n{more}\n{text}\n");
    let attached = "Content-Disposition: attachment; filename=\"offer.txt\"\n";
    let (body, offer) = (part("", prose(1, 300)), part(attached, prose(2, 300)));
    let kind = "Content-Type: multipart/mixed; boundary=b";
    let mail = format!("{head}\n{kind}\n\n{body}{offer}--b--\n");
    let box_tar = tar(&[("mail.eml", &mail), ("other.txt", &prose(3, 300))]);
    let daemon = Daemon::with(&[("box.tar", box_tar)], |config| {
        config.extract.container_entries = 2;
    });
    let (listed, _) = files(&daemon);
    let state = |path: &str| {
        let found = listed.iter().find(|(known, ..)| known == path);
        found.map(|(_, state, _)| state.as_str())
    };
    assert_eq!(state("box.tar!/mail.eml"), Some("indexed"));
    let offer = state("box.tar!/mail.eml!/offer.txt");
    assert_eq!(offer, Some("too-large"), "{listed:?}");
}

/// A file that is cut off deep in one tree is read whole in another, whichever came first.
#[test]
fn what_a_tree_cuts_off_hides_nothing_of_another_file_of_the_same_bytes() {
    let inner = tar(&[("letter.txt", &prose(1, 300))]);
    let outer = tar(&[("z.tar", &inner)]);
    let planted = (0..2).fold(inner.clone(), |within, _| tar(&[("in", &within)]));
    let daemon = Daemon::with(&[("a-planted.tar", planted)], |config| {
        config.extract.container_nesting = 2;
    });
    let cut = "a-planted.tar!/in!/in!/letter.txt";
    let state = |path: &str| {
        let (listed, _) = files(&daemon);
        let found = listed.into_iter().find(|(known, ..)| known == path);
        found.map(|(_, state, _)| state)
    };
    assert_eq!(state(cut).as_deref(), Some("too-large"));
    std::fs::write(daemon.path("z.tar"), &inner).unwrap();
    std::fs::write(daemon.path("z-in-another.tar"), &outer).unwrap();
    daemon.sync();
    let letters = ["z.tar!/letter.txt", "z-in-another.tar!/z.tar!/letter.txt"];
    for letter in letters {
        let state = state(letter).unwrap_or_default();
        assert!(
            ["indexed", "identical-bytes"].contains(&&*state),
            "{letter}: {state}"
        );
    }
    assert_eq!(state(cut).as_deref(), Some("too-large"), "there it stays");
}

/// What is listed is what is asked: every file and member, at any depth and whatever `!` and `/` its
/// name has, is found by the path it is listed with, and by no other.
#[test]
fn every_listed_path_leads_to_its_file_and_to_no_other() {
    let text = |seed| prose(seed, 60);
    let nest = |inner: String, at: u64| tar(&[("in.tar", &inner), ("t.txt", &text(at))]);
    let deep = (10..17).fold(text(9), nest);
    let names = [
        ("a.txt", text(1)),
        ("d!/a.txt", text(2)),
        ("d", tar(&[("a.txt", &text(3))])),
        ("!", tar(&[("!", &text(4)), ("/a", &text(5))])),
    ];
    let names: Vec<(&str, &str)> = names.iter().map(|(name, text)| (*name, &**text)).collect();
    let daemon = Daemon::start(&[("x.zip", tar(&names)), ("deep.tar", deep)]);
    for folder in ["x.zip!", "x.zip!!", "deep.tar!/in.tar!", "x.zip!/d!"] {
        let folder = daemon.path(folder);
        std::fs::create_dir_all(&folder).unwrap();
        std::fs::write(folder.join("a.txt"), text(20)).unwrap();
        std::fs::write(folder.join("t.txt"), text(21)).unwrap();
    }
    daemon.sync();
    let mut listed = Vec::new();
    daemon.wait(async {
        let mut files = daemon.client.files(Vec::new(), Vec::new()).await.unwrap();
        while let Some(file) = files.next().await.unwrap() {
            listed.push(file);
        }
    });
    let different: std::collections::BTreeSet<_> = listed.iter().map(|file| &file.path).collect();
    assert_eq!(different.len(), listed.len(), "two files share a path");
    let deepest = listed.iter().filter(|file| file.place.is_some());
    let separators = |file: &wire::File| file.path.windows(2).filter(|two| two == b"!/").count();
    assert!(
        deepest.map(separators).max() >= Some(7),
        "members are not deep"
    );
    for file in &listed {
        let path = simdex_client::path_from_bytes(&file.path);
        let asked = daemon.wait(daemon.client.describe(path));
        let asked = asked.unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        assert_eq!(asked.file.as_ref(), Some(file));
        if let Some(place) = &file.place {
            let holds = listed.iter().any(|other| other.path == place.container);
            assert!(holds, "{} is in nothing", path.display());
        }
    }
    // The path on disk: accepted if nothing is listed under that path, otherwise it is the member.
    let on_disk = |name: &str| {
        let asked = daemon.wait(daemon.client.describe_file(&daemon.path(name)));
        asked.unwrap().file.unwrap()
    };
    let shown = |name: &str| simdex_client::path_bytes(&daemon.path(name));
    assert_eq!(on_disk("x.zip!/t.txt").path, shown("x.zip!!/t.txt"));
    assert_eq!(on_disk("x.zip!/a.txt").path, shown("x.zip!/a.txt"));
}
