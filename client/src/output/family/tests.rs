//! One family in each form, compared with golden files; and families that a daemon should not send.

use super::*;
use simdex_client::lines::{Line, Match};
use simdex_client::wire;

fn file(version: u32, path: &str, date: Option<i64>, is_query: bool) -> VersionFile {
    VersionFile {
        r#match: Some(wire::Match {
            path: path.as_bytes().to_vec(),
            date,
            date_source: "file".to_owned(),
            is_query,
            verified: true,
            ..wire::Match::default()
        }),
        version,
        written: None,
        container: Vec::new(),
    }
}

fn edge(version: u32, parent: u32, kind: VersionKind, direction: Direction) -> VersionEdge {
    VersionEdge {
        version,
        parent,
        kind: kind.into(),
        resemblance: 0.9 + f64::from(version) / 100.0,
        containment_of_version: 0.95,
        containment_of_parent: 0.96,
        direction: direction.into(),
        ..VersionEdge::default()
    }
}

/// A history with a branch of two, a copy, an excerpt, and names that must be escaped.
fn parts() -> Vec<FamilyPart> {
    let day = |days: i64| Some(1_526_256_000 + days * 86_400);
    let files = [
        file(1, "/share/contracts/msa-v1.docx", day(0), false),
        file(1, "/share/contracts/old/msa-v1 (copy).docx", day(3), false),
        file(2, "/share/contracts/msa-v2.docx", day(10), false),
        file(
            3,
            "/share/contracts/legal/msa-v2 \"A&B\" <draft>.docx",
            day(12),
            false,
        ),
        file(4, "/share/contracts/msa-v3.docx", day(20), true),
        file(
            5,
            "/share/contracts/legal/a/long/way/down/to/where/it/lies/msa-v2b.docx",
            day(25),
            false,
        ),
        file(
            6,
            "/share/contracts/mail.eml!/\u{202e}clause.txt",
            None,
            false,
        ),
        file(7, "/share/contracts/msa-v4.docx", day(40), false),
        file(8, "/share/contracts/msa-v5.docx", day(50), false),
    ];
    use {Direction as By, VersionKind as Kind};
    let edges = [
        edge(2, 1, Kind::RevisedFrom, By::InnerDate),
        edge(3, 2, Kind::RevisedFrom, By::ModificationTime),
        edge(4, 2, Kind::RevisedFrom, By::ModificationTime),
        edge(5, 3, Kind::RevisedFrom, By::Text),
        edge(6, 4, Kind::ContainedIn, By::Unknown),
        edge(7, 4, Kind::Contains, By::ModificationTime),
        edge(8, 7, Kind::RevisedFrom, By::InnerDate),
    ];
    let files = files.into_iter().map(FamilyPart::File);
    files
        .chain(with_evidence(edges).map(FamilyPart::Edge))
        .collect()
}

/// One version under another name, and one made from two.
fn with_evidence(mut edges: [VersionEdge; 7]) -> impl Iterator<Item = VersionEdge> {
    edges[3].resemblance_renamed = Some(0.97);
    edges[3].renamings = vec![wire::Renaming {
        from: "meridian".to_owned(),
        to: "north\u{202e}wind \"pro\"".to_owned(),
    }];
    edges[5].shingles_of_parent_alone = Some(310);
    let second = VersionEdge {
        shingles_of_parent_alone: Some(420),
        is_second_parent: true,
        ..edge(7, 5, VersionKind::RevisedFrom, Direction::ModificationTime)
    };
    edges.into_iter().chain([second])
}

fn family(parts: Vec<FamilyPart>, wide: bool) -> Family {
    let mut family = Family::new(wide);
    parts.into_iter().for_each(|part| family.add(part));
    family
}

/// The family of [`parts`] as the daemon sums it up.
fn summed_up(wide: bool) -> Family {
    let mut family = family(parts(), wide);
    family.set_latest(Some(8));
    family
}

fn drawn(draw: impl FnOnce(&mut Vec<u8>) -> std::io::Result<()>) -> String {
    let mut out = Vec::new();
    draw(&mut out).expect("written");
    String::from_utf8(out).expect("UTF-8")
}

/// Compares with a golden file, or writes it where `SIMDEX_BLESS` is set.
fn held(name: &str, found: &str) {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("src/output/family/golden");
    let path = folder.join(name);
    if std::env::var_os("SIMDEX_BLESS").is_some() {
        std::fs::write(&path, found).expect("written");
    }
    let golden = std::fs::read_to_string(&path).expect("a golden file");
    assert_eq!(found, golden, "{name}");
}

#[test]
fn each_form_is_as_it_was() {
    let family = summed_up(false);
    held("tree.txt", &drawn(|out| tree(&family, Some(80), out)));
    held("family.dot", &drawn(|out| dot(&family, out)));
    held("family.svg", &drawn(|out| svg(&family, out)));
    let json = parts().into_iter().map(|part| match part {
        FamilyPart::File(file) => {
            serde_json::to_string(&Line::of(&Match::in_family(&file).expect("a match")))
        }
        FamilyPart::Edge(edge) => {
            serde_json::to_string(&Line::of(&simdex_client::lines::VersionEdge::from(&edge)))
        }
    });
    let lines: Vec<String> = json.collect::<Result<_, _>>().expect("JSON");
    held("family.jsonl", &(lines.join("\n") + "\n"));
    assert_eq!(
        family.summary(),
        "8 versions in 9 files, 2 branches, 1 merge; nothing tells which is the later in 1 pair; \
         the latest by date is 8, of 2018-07-03"
    );
}

#[test]
fn a_tree_fits_the_width_that_it_is_given() {
    use unicode_width::UnicodeWidthStr;
    let whole = "legal/a/long/way/down/to/where/it/lies/msa-v2b.docx";
    for width in [80, 100, 160] {
        let drawn = drawn(|out| tree(&summed_up(false), Some(width), out));
        assert!(drawn.lines().all(|line| line.width() <= width), "{drawn}");
        assert_eq!(drawn.contains(whole), width == 160, "{drawn}");
    }
    assert!(drawn(|out| tree(&summed_up(false), None, out)).contains(whole));
}

#[test]
fn a_note_of_how_a_version_was_made_keeps_its_beginning_and_is_broken_at_spaces() {
    let mut all = parts();
    let from = "a name of many words that no terminal of any width can show in one line".to_owned();
    for part in &mut all {
        if let FamilyPart::Edge(edge) = part
            && edge.version == 5
        {
            edge.renamings[0].from.clone_from(&from);
        }
    }
    let drawn = drawn(|out| tree(&family(all, false), Some(80), out));
    let squeezed = drawn.replace('│', " ");
    let words: Vec<_> = squeezed.split_whitespace().collect();
    let text = words.join(" ");
    assert!(text.contains(&format!("~ {from} → north")), "{drawn}");
    assert!(text.contains("+ 420 shingles from 5 too"), "{drawn}");
}

/// A family whose versions each have two children, down to this many lanes.
fn branching(lanes: u32, wide: bool) -> Family {
    let count = (1 << lanes) - 1;
    let folder = "folder/".repeat(12);
    let named = |at: u32| {
        let path = format!("/share/{at}/{folder}{at}.txt");
        let copies = if at.is_multiple_of(5) { 1_200 } else { 1 };
        let file = move |_| FamilyPart::File(file(at, &path, Some(0), at == count));
        (0..copies).map(file)
    };
    let derived = |at| {
        let kind = VersionKind::ContainedIn;
        FamilyPart::Edge(edge(at, at / 2, kind, Direction::InnerDate))
    };
    let files = (1..=count).flat_map(named);
    family(files.chain((2..=count).map(derived)).collect(), wide)
}

#[test]
fn lanes_that_do_not_fit_are_folded_and_counted_unless_all_is_wanted() {
    use unicode_width::UnicodeWidthStr;
    let narrow = |lanes| drawn(|out| tree(&branching(lanes, false), Some(80), out));
    let fits = narrow(6);
    assert!(!fits.contains('○') && !fits.contains("--wide"), "{fits}");
    for (lanes, said) in [
        (
            7,
            "○ in 1 further lane that does not fit; --wide draws all lanes",
        ),
        (
            9,
            "○ in 3 further lanes that do not fit; --wide draws all lanes",
        ),
    ] {
        let (family, narrow) = (branching(lanes, false), narrow(lanes));
        assert!(narrow.lines().all(|line| line.width() <= 80), "{narrow}");
        assert_eq!(narrow.lines().last(), Some(said));
        let rows = layout::rows(&family);
        let is_folded =
            |row: &&layout::Row| row.lane >= 6 && !family.versions[row.version].is_query;
        let folded = rows.iter().filter(is_folded).count();
        let lines_with =
            |signs: &[char]| narrow.lines().filter(|line| line.contains(signs)).count();
        assert_eq!(lines_with(&['○']), folded + 1, "{narrow}");
        assert_eq!(lines_with(&['●', '◉', '○']), rows.len() + 1, "{narrow}");
        let wide = drawn(|out| tree(&branching(lanes, true), None, out));
        assert!(!wide.contains('○') && wide.lines().any(|line| line.width() > 80));
    }
}

#[test]
fn lanes_grow_with_the_logarithm_of_the_versions() {
    let many = 1..=4_000_u32;
    let files = many
        .clone()
        .map(|at| FamilyPart::File(file(at, "/a", None, false)));
    let chain =
        |at: u32| FamilyPart::Edge(edge(at, at - 1, VersionKind::RevisedFrom, Direction::Text));
    let halves =
        |at: u32| FamilyPart::Edge(edge(at, at / 2, VersionKind::RevisedFrom, Direction::Text));
    let lanes = |edges: Vec<FamilyPart>| {
        let all = family(files.clone().chain(edges).collect(), false);
        let rows = layout::rows(&all);
        assert_eq!(rows.len(), 4_000);
        rows.iter().map(|row| row.lane).max()
    };
    assert_eq!(lanes(many.clone().skip(1).map(chain).collect()), Some(0));
    assert!(lanes(many.clone().skip(1).map(halves).collect()) <= Some(11));
}

/// A form with what was made of it, one version for each day; and one without a date.
fn filled_in() -> Family {
    let files = (1..=5).map(|at: u32| {
        let day = (at < 5).then_some(i64::from(at) * 86_400);
        FamilyPart::File(file(at, &format!("/{at}"), day, false))
    });
    let of_form = |at| {
        let kind = VersionKind::RevisedFrom;
        FamilyPart::Edge(edge(at, 1, kind, Direction::ModificationTime))
    };
    family(files.chain((2..=5).map(of_form)).collect(), false)
}

#[test]
fn of_children_alike_the_one_that_leads_to_the_latest_goes_straight_on_and_the_daemon_names_it() {
    let mut family = filled_in();
    let rows = layout::rows(&family);
    let lanes: Vec<_> = rows.iter().map(|row| (row.version + 1, row.lane)).collect();
    assert_eq!(lanes, [(1, 0), (2, 1), (3, 1), (5, 1), (4, 0)]);
    // Which is the latest the daemon says, or nobody.
    for (latest, told) in [
        (Some(4), "; the latest by date is 4, of 1970-01-05"),
        (None, ""),
        (Some(0), ""),
        (Some(6), ""),
    ] {
        family.set_latest(latest);
        let told = format!("5 versions in 5 files, 3 branches{told}");
        assert_eq!(family.summary(), told);
        assert_eq!(family.latest(), latest.filter(|latest| *latest == 4));
    }
}

#[test]
fn what_a_daemon_should_not_send_draws_nothing_wrong() {
    let odd = vec![
        FamilyPart::File(VersionFile::default()),
        FamilyPart::File(file(0, "/zero", None, false)),
        FamilyPart::File(file(9, "/nine", None, false)),
        FamilyPart::File(file(1, "/one", None, true)),
        FamilyPart::Edge(edge(1, 1, VersionKind::RevisedFrom, Direction::Text)),
        FamilyPart::Edge(edge(1, 2, VersionKind::RevisedFrom, Direction::Text)),
        FamilyPart::Edge(edge(0, 0, VersionKind::RevisedFrom, Direction::Text)),
        FamilyPart::Edge(edge(7, 1, VersionKind::RevisedFrom, Direction::Text)),
    ];
    let family = family(odd, false);
    assert_eq!(layout::rows(&family).len(), 1);
    assert!(
        drawn(|out| svg(&family, out)).contains("/one")
            || !drawn(|out| tree(&family, None, out)).is_empty()
    );
    assert!(drawn(|out| tree(&Family::new(false), Some(80), out)).is_empty());
}

#[test]
fn a_name_that_is_cut_keeps_its_end() {
    assert_eq!(ending("/a/b/report.txt", 20), "/a/b/report.txt");
    assert_eq!(ending("/a/b/report.txt", 8), "…ort.txt");
    assert_eq!(ending("日本日本", 5), "…日本");
}

#[test]
fn a_stated_day_is_shown_before_an_earlier_modification_time() {
    let mut stated = file(1, "/b", Some(1_526_256_000), false);
    stated.r#match.as_mut().unwrap().date_source = "modified".to_owned();
    let copy = file(1, "/a", Some(86_400), false);
    for files in [[&stated, &copy], [&copy, &stated]] {
        let mut family = Family::new(true);
        files.into_iter().for_each(|file| family.add_file(file));
        assert_eq!(family.versions[0].day(), "2018-05-14");
        let drawn = drawn(|out| tree(&family, None, out));
        assert!(drawn.contains("2018-05-14  modified  -"), "{drawn}");
    }
}

#[test]
fn a_picture_holds_only_what_xml_allows() {
    let mut family = Family::new(true);
    family.add_file(&file(1, "/a\u{fffe}b\u{ffff}c", None, false));
    let mut out = Vec::new();
    svg(&family, &mut out).unwrap();
    let out = String::from_utf8(out).unwrap();
    assert!(out.contains("a\u{fffd}b\u{fffd}c") && !out.contains(['\u{fffe}', '\u{ffff}']));
}
