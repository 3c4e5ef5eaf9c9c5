//! Pages with frames, from a daemon with real workers: shown with what lies beside them, and kept so.

use std::collections::BTreeMap;

use crate::daemon::{Daemon, prose, tar};
use simdex_client::{FindKind, Subject, path_bytes};

const FRAMESET: &str = "<html><head><title>Home</title></head><frameset cols='20%,*'>\
                        <frame src='menu.html'><frame src='text.html#top'>\
                        <noframes>No frames?</noframes></frameset></html>";
const SHOWN: &str = "/index.html!/as-shown.mhtml";

fn page(text: &str) -> String {
    format!("<html><body><p>{text}</p></body></html>")
}

fn put(daemon: &Daemon, name: &str, content: &str) {
    let path = daemon.path(name);
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(path, content).unwrap();
}

fn remove(daemon: &Daemon, name: &str) {
    std::fs::remove_file(daemon.path(name)).unwrap();
}

fn sync(daemon: &Daemon) {
    daemon.sync();
}

/// A share with these files.
fn share(files: &[(&str, &str)]) -> Daemon {
    let daemon = Daemon::start(&[]);
    files
        .iter()
        .for_each(|(name, content)| put(&daemon, name, content));
    sync(&daemon);
    daemon
}

/// What resembles a file, by path below the share.
fn like(daemon: &Daemon, name: &str) -> BTreeMap<String, f64> {
    let share = path_bytes(&daemon.path("")).len();
    let subject = Subject::Path(daemon.path(name));
    let (matches, _) = daemon.find(FindKind::Similar, subject).unwrap();
    let named = |path: &[u8]| String::from_utf8(path[share..].to_vec()).unwrap();
    let found = matches.iter();
    found
        .map(|found| {
            (
                named(&found.path),
                found.resemblance.unwrap().value.unwrap(),
            )
        })
        .collect()
}

/// State, role and facts of a file; none where there is no such file.
fn shown(daemon: &Daemon, name: &str) -> Option<(String, String, BTreeMap<String, String>)> {
    let file = daemon
        .wait(daemon.client.describe(&daemon.path(name)))
        .ok()?
        .file?;
    let facts = file.facts.into_iter().map(|fact| (fact.name, fact.value));
    let role = file.place.map(|place| place.role).unwrap_or_default();
    Some((file.state, role, facts.collect()))
}

fn fact(daemon: &Daemon, name: &str, code: &str) -> Option<String> {
    shown(daemon, name).unwrap().2.remove(code)
}

#[test]
fn a_framed_page_matches_with_its_frames_and_differs_without() {
    let (menu, text) = (prose(1, 60), prose(2, 400));
    let daemon = share(&[
        ("plain.html", &page(&format!("{menu}</p><p>{text}"))),
        ("framed/index.html", FRAMESET),
        ("framed/menu.html", &page(&menu)),
        ("framed/text.html", &page(&text)),
    ]);
    let like = like(&daemon, "plain.html");
    assert_eq!(like.get(&format!("framed{SHOWN}")), Some(&1.0), "{like:?}");
    assert_eq!(like.get("framed/index.html"), None);
    let (state, _, facts) = shown(&daemon, "framed/index.html").unwrap();
    assert_eq!(state, "container", "it has too little text of its own");
    assert_eq!(facts["frames-asked"], "menu.html text.html#top");
    let (state, role, facts) = shown(&daemon, &format!("framed{SHOWN}")).unwrap();
    assert_eq!((&*state, &*role), ("indexed", "rendered"));
    assert_eq!(facts["frames-filled"], "menu.html text.html#top");
    assert_eq!(
        (&*facts["title"], facts.get("frames-missing")),
        ("Home", None)
    );
}

#[test]
fn changed_and_vanished_frames_change_what_is_shown() {
    let (first, second) = (page(&prose(1, 300)), page(&prose(2, 300)));
    let daemon = share(&[
        ("first.html", &first),
        ("second.html", &second),
        ("a/index.html", FRAMESET),
        ("a/text.html", &first),
    ]);
    let at = format!("a{SHOWN}");
    assert_eq!(
        fact(&daemon, &at, "frames-missing").as_deref(),
        Some("menu.html")
    );
    // From here on an equal stat proves that the page itself did not change.
    std::thread::sleep(std::time::Duration::from_millis(2100));
    sync(&daemon);
    assert!(like(&daemon, "first.html").contains_key(&at));
    put(&daemon, "a/text.html", &second);
    sync(&daemon);
    assert!(!like(&daemon, "first.html").contains_key(&at));
    assert!(like(&daemon, "second.html")[&at] > 0.99);
    put(&daemon, "a/menu.html", &first);
    sync(&daemon);
    let both = [
        like(&daemon, "first.html")[&at],
        like(&daemon, "second.html")[&at],
    ];
    assert!(both.iter().all(|r| (0.4..0.6).contains(r)), "{both:?}");
    remove(&daemon, "a/text.html");
    sync(&daemon);
    assert_eq!(
        fact(&daemon, &at, "frames-filled").as_deref(),
        Some("menu.html")
    );
    assert!(like(&daemon, "first.html")[&at] > 0.99);
    remove(&daemon, "a/menu.html");
    sync(&daemon);
    assert!(shown(&daemon, &at).is_none(), "nothing is left to show");
    put(&daemon, "a/text.html", &second);
    sync(&daemon);
    assert!(like(&daemon, "second.html")[&at] > 0.99);
    put(&daemon, "a/index.html", &first);
    sync(&daemon);
    assert!(
        shown(&daemon, &at).is_none(),
        "no frames are asked for any more"
    );
}

#[test]
fn equal_framesets_are_shown_each_with_the_frames_beside_it() {
    let (first, second) = (page(&prose(1, 300)), page(&prose(2, 300)));
    let daemon = share(&[("a/index.html", FRAMESET), ("a/text.html", &first)]);
    put(&daemon, "b/index.html", FRAMESET);
    put(&daemon, "b/text.html", &second);
    put(&daemon, "c/index.html", FRAMESET);
    std::fs::create_dir(daemon.path("d")).unwrap();
    for name in ["index.html", "text.html"] {
        std::fs::copy(
            daemon.path(&format!("a/{name}")),
            daemon.path(&format!("d/{name}")),
        )
        .unwrap();
    }
    sync(&daemon);
    let at = |folder: &str| format!("{folder}{SHOWN}");
    let like_first = like(&daemon, "a/text.html");
    assert!(like_first.contains_key(&at("a")) && !like_first.contains_key(&at("b")));
    assert!(like(&daemon, "b/text.html").contains_key(&at("b")));
    assert!(shown(&daemon, &at("c")).is_none(), "nothing lies beside it");
    assert_eq!(shown(&daemon, &at("d")).unwrap().0, "identical-bytes");
}

#[test]
fn redirections_saved_pages_and_frames_of_frames_are_filled_in() {
    let text = prose(1, 300);
    let saved =
        "<html><body><p>Saved.</p><iframe src='./My%20Page_files/saved_resource.html'></iframe>";
    let daemon = share(&[
        ("plain.txt", &text),
        (
            "r/index.html",
            "<html><meta http-equiv=refresh content='0;url=../to/here.html'>",
        ),
        ("to/here.html", &page(&text)),
        ("s/My Page.html", saved),
        ("s/My Page_files/saved_resource.html", &page(&text)),
        (
            "n/index.html",
            "<html><frameset><frame src='m/one.html'></frameset>",
        ),
        (
            "n/m/one.html",
            "<html><frameset><frame src='../../to/up.html'></frameset>",
        ),
        (
            "to/up.html",
            "<html><frameset><frame src=here.html><frame src='../n/index.html'></frameset>",
        ),
    ]);
    let like = like(&daemon, "plain.txt");
    for name in [
        "r/index.html",
        "s/My Page.html",
        "n/index.html",
        "n/m/one.html",
    ] {
        let resemblance = like.get(&format!("{name}!/as-shown.mhtml"));
        assert!(resemblance.is_some_and(|r| *r > 0.95), "{name} in {like:?}");
    }
    let filled = fact(&daemon, &format!("n{SHOWN}"), "frames-filled");
    assert_eq!(
        filled.as_deref(),
        Some("n/m/one.html to/up.html to/here.html")
    );
}

#[test]
fn a_redirecting_page_is_shown_as_its_target_alone_and_keeps_its_own_text() {
    let (stuffed, text) = (prose(7, 300), prose(1, 300));
    let stub = format!(
        "<html><meta http-equiv=refresh content='0;url=../to/here.html'><body><p>{stuffed}</p>\
         <iframe src='frame.html'></iframe></body></html>"
    );
    let daemon = share(&[
        ("r/index.html", &stub),
        ("r/frame.html", &page(&prose(8, 300))),
        ("to/here.html", &page(&text)),
        ("stuffed.txt", &stuffed),
        ("text.txt", &text),
    ]);
    let at = format!("r{SHOWN}");
    assert_eq!(like(&daemon, "text.txt")[&at], 1.0);
    let own = like(&daemon, "stuffed.txt");
    assert!(
        own["r/index.html"] > 0.99 && !own.contains_key(&at),
        "{own:?}"
    );
    assert_eq!(shown(&daemon, &at).unwrap().1, "rendered");
}

#[test]
fn nothing_but_files_of_the_share_is_shown() {
    let secret = page(&prose(9, 300));
    let daemon = share(&[("secret.html", &secret)]);
    std::fs::write(daemon.path("../outside.html"), &secret).unwrap();
    std::fs::create_dir(daemon.path("a")).unwrap();
    std::os::unix::fs::symlink(daemon.path("secret.html"), daemon.path("a/link.html")).unwrap();
    std::os::unix::fs::symlink(daemon.path("."), daemon.path("a/up")).unwrap();
    let outside = daemon.path("../outside.html").display().to_string();
    let frames = [
        "../../outside.html",
        "%2e%2e/%2e%2e/outside.html",
        "../../share/secret.html",
        &outside,
        &format!("file://{outside}"),
        "link.html",
        "up/secret.html",
        "a%00.html",
        "../a",
        "note.txt",
        "index.html",
        "loop.html",
    ];
    let frames: String = frames
        .iter()
        .map(|at| format!("<frame src='{at}'>"))
        .collect();
    put(
        &daemon,
        "a/index.html",
        &format!("<html><frameset>{frames}</frameset>"),
    );
    put(
        &daemon,
        "a/loop.html",
        "<html><p>loop</p><iframe src=index.html></iframe>",
    );
    put(&daemon, "a/note.txt", &prose(9, 300));
    sync(&daemon);
    let at = format!("a{SHOWN}");
    assert_eq!(
        fact(&daemon, &at, "frames-filled").as_deref(),
        Some("loop.html")
    );
    assert!(!like(&daemon, "secret.html").contains_key(&at));
    let missing = fact(&daemon, &at, "frames-missing").unwrap();
    assert!(
        missing.contains("link.html") && missing.contains("note.txt"),
        "{missing}"
    );
    assert!(!missing.contains("index.html"), "{missing}");
}

#[test]
fn pages_in_an_archive_are_shown_with_what_lies_beside_them_there() {
    let texts = [prose(1, 400), prose(2, 400), prose(3, 400)];
    let pages = texts.each_ref().map(|text| page(text));
    let leading_out = FRAMESET.replace("text.html#top", "../outside.html");
    let archive = tar(&[
        ("./a/index.html", FRAMESET),
        ("./a/text.html", &pages[0]),
        // The same page, beside another.
        ("./b/index.html", FRAMESET),
        ("./b/text.html", &pages[1]),
        ("./index.html", &leading_out),
        // At the top, and seen from below.
        ("top.html", &FRAMESET.replace("text.html", "b/text.html")),
        (
            "c/index.html",
            &FRAMESET.replace("text.html", "../a/text.html"),
        ),
    ]);
    let daemon = share(&[
        ("0.html", &pages[0]),
        ("1.html", &pages[1]),
        ("2.html", &pages[2]),
        ("outside.html", &pages[2]),
        ("site.tar", &archive),
    ]);
    let at = |tar: &str, folder: &str| format!("{tar}!/{folder}index.html!/as-shown.mhtml");
    assert!(like(&daemon, "0.html")[&at("site.tar", "a/")] > 0.99);
    assert!(like(&daemon, "1.html")[&at("site.tar", "b/")] > 0.99);
    assert!(like(&daemon, "0.html")[&at("site.tar", "c/")] > 0.99);
    assert!(like(&daemon, "1.html")["site.tar!/top.html!/as-shown.mhtml"] > 0.99);
    let (state, role, facts) = shown(&daemon, &at("site.tar", "b/")).unwrap();
    assert_eq!((&*state, &*role), ("identical-text", "rendered"));
    assert_eq!(facts["frames-filled"], "text.html#top");
    assert_eq!(facts["frames-missing"], "menu.html");
    assert!(
        shown(&daemon, &at("site.tar", "")).is_none(),
        "a page in an archive asks for nothing outside it"
    );
    // Another file of the same bytes holds the same, and each goes with its file.
    put(&daemon, "copy.tar", &archive);
    sync(&daemon);
    assert!(like(&daemon, "0.html").contains_key(&at("copy.tar", "a/")));
    remove(&daemon, "site.tar");
    sync(&daemon);
    let left = like(&daemon, "1.html");
    assert!(left.contains_key(&at("copy.tar", "b/")));
    assert!(!left.contains_key(&at("site.tar", "b/")));
}
