//! Anything changed, added or removed after a report was written is detected.

use super::*;

#[test]
fn a_change_after_writing_is_found() {
    written(vec![contract_group()], |report, _| {
        let diffs = report.join("diffs.jsonl");
        let whole = read(report, "diffs.jsonl");
        fs::write(&diffs, format!("{whole} ")).unwrap();
        assert!(matches!(verify(report), Err(VerifyError::Changed { path }) if path == diffs));
        fs::write(&diffs, whole.replacen('7', "8", 1)).unwrap();
        assert!(matches!(verify(report), Err(VerifyError::Changed { path }) if path == diffs));
        fs::write(&diffs, whole).unwrap();
        assert!(verify(report).is_ok());
        forge_manifest(report, |text| text.replace("diffs.jsonl", "../manifest"));
        assert!(matches!(verify(report), Err(VerifyError::Name { .. })));
    });
}

#[test]
fn the_key_knows_its_own_manifest_whole_and_no_other() {
    written(vec![contract_group()], |report, done| {
        let text = read(report, "manifest.json");
        let listed = KEY.listed(&text).unwrap();
        assert_eq!(listed.len() as u64 + 1, done.files);
        assert_eq!(
            listed["unread.jsonl"],
            document(&read(report, "unread.jsonl")).0
        );
        forge_manifest(report, |text| text.replace("unread.jsonl", "other.txt"));
        assert!(KEY.listed(&read(report, "manifest.json")).is_none());
        let elsewhere = tempfile::tempdir().unwrap();
        let other = ReportKey::open(elsewhere.path()).unwrap();
        assert!(other.listed(&text).is_none() && KEY.listed(&text).is_some());
        for noise in ["", "{}", "  \"daemon_mark\": \"", &text[..text.len() / 2]] {
            assert!(KEY.listed(noise).is_none());
        }
    });
}

#[test]
fn the_manifest_is_bound_as_a_whole() {
    written(vec![contract_group()], |report, _| {
        let whole = read(report, "manifest.json");
        let lines: Vec<&str> = whole.split_inclusive('\n').collect();
        for dropped in 0..lines.len() {
            let kept = lines.iter().enumerate().filter(|(at, _)| *at != dropped);
            let text: String = kept.map(|(_, line)| *line).collect();
            fs::write(report.join("manifest.json"), text).unwrap();
            let found = verify(report);
            assert!(
                matches!(found, Err(VerifyError::Unbound { .. })),
                "line {dropped}"
            );
        }
        fs::write(report.join("manifest.json"), &whole).unwrap();
        assert!(verify(report).is_ok());
    });
}

#[test]
fn what_is_added_or_missing_is_found_whatever_it_is() {
    use std::os::unix::fs::symlink;
    let extra: [fn(&Path); 8] = [
        |report| fs::write(report.join("text/more.txt"), "more").unwrap(),
        |report| fs::write(report.join(".hidden"), "more").unwrap(),
        |report| fs::create_dir(report.join("more")).unwrap(),
        |report| fs::create_dir(report.join("diffs/999")).unwrap(),
        |report| fs::create_dir(report.join("text/1")).unwrap(),
        |report| symlink("/etc/hostname", report.join("link")).unwrap(),
        |report| symlink("/etc", report.join("text/etc")).unwrap(),
        |report| fifo(&report.join("text/fifo")),
    ];
    for add in extra {
        written(vec![contract_group()], |report, _| {
            add(report);
            assert!(matches!(verify(report), Err(VerifyError::Extra { .. })));
        });
    }
    written(vec![contract_group()], |report, _| {
        fs::remove_file(report.join("report.html")).unwrap();
        assert!(matches!(verify(report), Err(VerifyError::Read { .. })));
        forge_manifest(report, |text| {
            let kept = text.lines().filter(|line| !line.contains("report.html"));
            kept.map(|line| format!("{line}\n")).collect()
        });
        // An entry dropped with its file, and the hash recomputed: that is another report.
        assert!(verify(report).is_ok());
    });
}

#[test]
fn a_report_has_no_folder_without_a_file() {
    written(Vec::new(), |report, _| {
        assert!(!report.join("diffs").exists() && !report.join("text").exists());
        assert!(verify(report).is_ok());
        for name in ["diffs", "text"] {
            fs::create_dir(report.join(name)).unwrap();
            assert!(matches!(verify(report), Err(VerifyError::Extra { .. })));
            fs::remove_dir(report.join(name)).unwrap();
        }
    });
}

#[test]
fn a_fifo_in_place_of_a_file_is_refused_and_not_waited_for() {
    for name in ["report.html", "manifest.json", "diffs.jsonl"] {
        written(vec![contract_group()], |report, _| {
            fs::remove_file(report.join(name)).unwrap();
            fifo(&report.join(name));
            let found = verify(report);
            assert!(
                matches!(found, Err(VerifyError::NotRegular { .. })),
                "{found:?}"
            );
        });
    }
}

fn fifo(path: &Path) {
    use rustix::fs::{CWD, FileType, Mode, mknodat};
    mknodat(CWD, path, FileType::Fifo, Mode::RWXU, 0).unwrap();
}

/// Changes the manifest and recomputes its hash, as a forger would.
fn forge_manifest(report: &Path, change: impl FnOnce(&str) -> String) {
    let text = read(report, "manifest.json");
    let at = text.find("  \"manifest_blake3\"").unwrap();
    let lines = change(&text[..at]);
    let digest = blake3::hash(lines.as_bytes());
    let sealed = format!("{lines}  \"manifest_blake3\": \"{digest}\"\n}}\n");
    fs::write(report.join("manifest.json"), sealed).unwrap();
}

/// Replaces a file and its line of the manifest, as a forger would.
fn forge(report: &Path, name: &str, content: &str) {
    let hash = |text: &str| blake3::hash(text.as_bytes()).to_string();
    let old = read(report, name);
    forge_manifest(report, |manifest| {
        let lengths = [old.len(), content.len()].map(|length| format!("\"bytes\":{length},"));
        let line = |line: &str| match line.contains(&hash(&old)) {
            true => line
                .replace(&hash(&old), &hash(content))
                .replace(&lengths[0], &lengths[1]),
            false => line.to_owned(),
        };
        manifest.lines().map(|text| line(text) + "\n").collect()
    });
    fs::write(report.join(name), content).unwrap();
}

#[test]
fn a_diff_that_gives_another_text_or_is_not_counted_is_found() {
    written(vec![contract_group()], |report, _| {
        let line = read(report, "diffs.jsonl");
        let value: serde_json::Value = serde_json::from_str(&line).unwrap();
        let [from, to] = ["from_text", "to_text"].map(|key| value[key].as_str().unwrap());
        forge(report, "diffs.jsonl", &line.replace(to, from));
        assert!(matches!(verify(report), Err(VerifyError::Result { .. })));
        forge(report, "diffs.jsonl", &line.replace(from, to));
        assert!(matches!(verify(report), Err(VerifyError::Diff { .. })));
        forge(report, "diffs.jsonl", &line.replace("text/", "/etc/"));
        assert!(matches!(verify(report), Err(VerifyError::Name { .. })));
        forge(report, "diffs.jsonl", "");
        assert!(matches!(verify(report), Err(VerifyError::Count { .. })));
    });
}
