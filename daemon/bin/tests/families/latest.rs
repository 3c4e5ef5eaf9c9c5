//! Which version of a family is said to be the latest.

use super::{Family, dated, set_modified, share, start};
use crate::daemon::prose;
use simdex_client::wire;

fn latest(family: &Family) -> Option<&[String]> {
    let number = family.summary.latest?;
    Some(&family.versions[number as usize - 1])
}

#[test]
fn the_latest_is_the_last_by_date_and_neither_an_excerpt_nor_what_merely_contains_a_version() {
    let mut files = share();
    let dossier = format!("{}{}", files[6].1, prose(6_000, 9_000));
    files.push(("dossier.txt".into(), dossier));
    let daemon = start(&files);
    dated(&daemon, &files, |at| at as u64);
    let family = Family::of_file(&daemon, "v06.txt");
    let holds = |name: &str| family.versions.iter().flatten().any(|file| file == name);
    assert!(holds("dossier.txt") && holds("x.txt"));
    assert_eq!(latest(&family), Some(&["w05.txt".to_owned()][..]));
    // An excerpt leads to what holds it, of which none resembles it.
    assert_eq!(latest(&Family::of_file(&daemon, "x.txt")), None);
}

#[test]
fn no_version_of_a_copied_share_is_the_latest_and_no_time_of_a_file_tells() {
    let files = share();
    let daemon = start(&files);
    for (at, (name, _)) in files.iter().enumerate() {
        // Half a minute apart, in another order than the texts were made.
        set_modified(&daemon, name, 1_600_000_000 + (at as u64 * 7 % 21) * 30);
    }
    daemon.sync();
    let family = Family::of_file(&daemon, "v06.txt");
    assert!(family.versions.len() > 15);
    assert_eq!(latest(&family), None);
    let mut told = family.edges.iter().map(wire::VersionEdge::direction);
    assert!(told.all(|direction| direction != wire::Direction::ModificationTime));
}
