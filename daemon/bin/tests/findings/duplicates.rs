//! Duplicates of other bytes: which file is kept.

use std::fs;

use serde_json::Value;

use super::{Shares, of_kind};
use crate::daemon::prose;

impl Shares {
    /// The findings about files whose name begins so, and how many files were not compared.
    fn freed(&self, start: &str) -> (Vec<[String; 3]>, u64) {
        let (found, manifest) = self.found(of_kind("duplicates"));
        let triples = self.triples(&found).into_iter();
        let freed = triples.filter(|(name, ..)| name.starts_with(start));
        let freed = freed.map(|(a, b, c)| [a, b, c].map(str::to_owned));
        let not_compared = manifest["findings"]["not_compared"].as_u64();
        (freed.collect(), not_compared.unwrap())
    }

    /// State of a file in the index.
    fn state(&self, name: &str) -> Value {
        let daemon = &self.daemon;
        let files = daemon.wait(async {
            let mut listing = daemon.client.files(Vec::new(), Vec::new()).await?;
            let mut files = Vec::new();
            while let Some(file) = listing.next().await? {
                files.push(file);
            }
            Ok::<_, simdex_client::Error>(files)
        });
        let path = super::bytes(&daemon.path(name));
        let files = files.unwrap();
        let file = files.iter().find(|file| file.path == path).unwrap();
        format!("{} {}", file.state, file.reason).into()
    }
}

#[test]
fn the_kept_file_is_whole_though_a_damaged_one_comes_first() {
    let shares = Shares::new();
    let text = prose(50, 300);
    let head = "<?xml version=\"1.0\"?><doc>";
    let cut = format!("{head}<p>{text}</p><p");
    let warned = format!("{head}<p>{text}</p>&nothing;</doc>");
    for (name, text) in [
        ("w-1.xml", &cut),
        ("w-2.xml", &warned),
        ("w-3.txt", &text),
        ("w-4.xml", &warned),
        ("w-5.xml", &cut),
        ("w-6.txt", &text),
    ] {
        fs::write(shares.daemon.path(name), text).unwrap();
    }
    shares.daemon.sync();
    assert_eq!(shares.state("w-1.xml"), "partial damaged");
    let (freed, not_compared) = shares.freed("w-");
    assert_eq!(
        freed,
        [
            ["w-2.xml", "identical-text", "w-3.txt"],
            ["w-4.xml", "identical-bytes", "w-2.xml"],
            ["w-5.xml", "identical-bytes", "w-1.xml"],
            ["w-6.txt", "identical-bytes", "w-3.txt"],
        ]
    );
    assert_eq!(not_compared, 1);
    // If none is without a warning, the first whole one is kept.
    for name in ["w-3.txt", "w-6.txt"] {
        fs::remove_file(shares.daemon.path(name)).unwrap();
    }
    shares.daemon.sync();
    assert_eq!(
        shares.freed("w-").0,
        [
            ["w-4.xml", "identical-bytes", "w-2.xml"],
            ["w-5.xml", "identical-bytes", "w-1.xml"],
        ]
    );
}

#[test]
fn a_mail_is_not_freed_for_its_text_if_it_has_attachments() {
    let shares = Shares::new();
    let mail = |attached: &str| {
        let text = prose(51, 300);
        format!(
            "From: a@example.org\r\nSubject: the plan\r\nContent-Type: multipart/mixed; boundary=b\r\n\r\n\
             --b\r\nContent-Type: text/plain\r\n\r\n{text}\r\n{attached}--b--\r\n"
        )
    };
    let attached = |text: &str| {
        format!(
            "--b\r\nContent-Type: text/plain\r\n\
             Content-Disposition: attachment; filename=\"a.txt\"\r\n\r\n{text}\r\n"
        )
    };
    for (name, content) in [
        ("m-1.eml", mail(&attached(&prose(52, 100)))),
        ("m-2.eml", mail(&attached(&prose(53, 100)))),
        ("m-3.eml", mail("")),
        ("m-4.eml", mail(&attached(&prose(53, 100)))),
    ] {
        fs::write(shares.daemon.path(name), content).unwrap();
    }
    shares.daemon.sync();
    let (freed, not_compared) = shares.freed("m-");
    assert_eq!(
        freed,
        [
            ["m-3.eml", "identical-text", "m-1.eml"],
            ["m-4.eml", "identical-bytes", "m-2.eml"],
        ]
    );
    assert_eq!(not_compared, 1);
}

#[test]
fn nothing_is_freed_for_a_file_of_a_root_that_is_gone() {
    let shares = Shares::new();
    let vault = shares.vault.path().canonicalize().unwrap();
    let text = prose(54, 300);
    // The first of them would be kept, since its reader had no warning.
    let warned = format!("<?xml version=\"1.0\"?><doc><p>{text}</p>&nothing;</doc>");
    fs::write(shares.daemon.path("u-2.xml"), warned).unwrap();
    fs::write(vault.join("u-1.txt"), &text).unwrap();
    // Of these there is no copy elsewhere: the first is none.
    for name in ["u-3.txt", "u-4.txt", "u-5.txt"] {
        fs::write(vault.join(name), prose(55, 300)).unwrap();
    }
    shares.daemon.sync();
    let asked = || {
        let (found, manifest) = shares.found(of_kind("duplicates"));
        let name = |path: &Value| {
            path.as_str()
                .unwrap()
                .rsplit('/')
                .next()
                .unwrap()
                .to_owned()
        };
        let pairs = found
            .iter()
            .map(|line| [name(&line["path"]), name(&line["of"])]);
        let pairs = pairs.filter(|[path, _]| path.starts_with("u-"));
        let unreached = manifest["findings"]["unreached"].as_u64();
        (pairs.collect::<Vec<_>>(), unreached)
    };
    let named = |pairs: &[[&str; 2]]| {
        let pairs = pairs.iter().map(|pair| pair.map(str::to_owned));
        pairs.collect::<Vec<_>>()
    };
    let (mut found, unreached) = asked();
    found.sort();
    let all = [
        ["u-2.xml", "u-1.txt"],
        ["u-4.txt", "u-3.txt"],
        ["u-5.txt", "u-3.txt"],
    ];
    assert_eq!((found, unreached), (named(&all), Some(0)));
    let away = shares.out("away");
    fs::rename(&vault, &away).unwrap();
    assert!(shares.daemon.wait(shares.daemon.client.sync()).is_err());
    assert_eq!(asked(), (named(&[]), Some(3)));
    fs::rename(&away, &vault).unwrap();
}
