//! Who holds copies, where two texts each contain most of the other.

use super::*;

#[test]
fn a_holder_that_contains_less_of_itself_than_of_the_other_is_found() {
    let shares = Shares::new();
    // They share 360 words: 0.82 of the file asked about, 0.9 of the other, and they resemble each other by 0.75.
    let common: Vec<String> = (0..30).map(|part| prose(400 + part, 12)).collect();
    let text = |added: u64, words: u64| format!("{} {}", common.join(" "), prose(added, words));
    fs::write(shares.daemon.path("asked.txt"), text(501, 80)).unwrap();
    fs::write(shares.daemon.path("holder.txt"), text(502, 40)).unwrap();
    shares.daemon.sync();
    let options = wire::ReportOptions {
        files: vec![bytes(&shares.daemon.path("asked.txt"))],
        ..of_kind("copies-of")
    };
    let (found, _) = shares.found(options);
    let names: Vec<_> = found.iter().map(|it| shares.short(&it["path"])).collect();
    assert_eq!(names, ["holder.txt"]);
}
