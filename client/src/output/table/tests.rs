//! Tables as they are printed, in full and with a greatest width of lines.

use simdex_client::text::escaped;
use simdex_client::wire;

use super::layout::GAP;
use super::*;
use crate::output::judging::{PrecisionAtBaseRate, Row};
use crate::output::{Cluster, FoldedMatch, Tabular};

const COLUMNS: &[Column] = &[right("BYTES"), left("NAME"), left("PATH")];

fn row(cells: [&str; 3]) -> Vec<String> {
    cells.map(str::to_owned).to_vec()
}

#[test]
fn columns_align_by_the_width_shown_and_the_last_ends_its_line() {
    let mut out = Vec::new();
    let mut table = Table::new(COLUMNS, false, None);
    table
        .push(row(["7", "日本", "/a"]), &mut out)
        .expect("written");
    table
        .push(row(["123456", "x", "/b"]), &mut out)
        .expect("written");
    table.flush(&mut out).expect("written");
    let text = String::from_utf8(out).expect("UTF-8");
    assert_eq!(
        text,
        " BYTES  NAME  PATH\n     7  日本  /a\n123456  x     /b\n"
    );
}

#[test]
fn no_cell_commands_the_terminal_or_breaks_its_line() {
    let mut out = Vec::new();
    let mut table = Table::new(COLUMNS, false, None);
    table
        .push(row(["\u{9b}2J", "a\x1b[31m\nb", "\u{202e}c\\n"]), &mut out)
        .expect("written");
    table.flush(&mut out).expect("written");
    let text = String::from_utf8(out).expect("UTF-8");
    assert!(
        text.ends_with("\\u{9b}2J  a\\u{1b}[31m\\nb  \\u{202e}c\\n\n"),
        "{text:?}"
    );
}

#[test]
fn a_hidden_column_has_neither_header_nor_cells() {
    let mut out = Vec::new();
    let mut table = Table::new(COLUMNS, false, None);
    table.hide("NAME");
    table
        .push(row(["7", "a long name", "/a"]), &mut out)
        .expect("written");
    table.flush(&mut out).expect("written");
    let text = String::from_utf8(out).expect("UTF-8");
    assert_eq!(text, "BYTES  PATH\n    7  /a\n");
}

#[test]
fn an_empty_table_prints_nothing() {
    let mut out = Vec::new();
    Table::new(COLUMNS, true, None)
        .flush(&mut out)
        .expect("written");
    assert!(out.is_empty());
}

#[test]
fn a_long_table_goes_out_in_batches_under_one_header() {
    let mut out = Vec::new();
    let mut table = Table::new(COLUMNS, false, None);
    for _ in 0..=BATCH {
        table
            .push(row(["1", "n", "/p"]), &mut out)
            .expect("written");
    }
    assert_eq!(table.rows.len(), 1);
    table.flush(&mut out).expect("written");
    let text = String::from_utf8(out).expect("UTF-8");
    assert_eq!(text.lines().count(), BATCH + 2);
    assert_eq!(text.matches("PATH").count(), 1);
}

/// Numbers that look random.
struct Noise(u64);

impl Noise {
    fn below(&mut self, max_width: u64) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005);
        self.0 = self.0.wrapping_add(1_442_695_040_888_963_407);
        ((self.0 >> 33) % max_width) as usize
    }

    /// A path with wide, invisible, combining, hostile and escaped parts.
    fn path(&mut self) -> String {
        const PARTS: [&[u8]; 12] = [
            b"a",
            b"long-folder-name",
            "\u{65e5}\u{672c}\u{8a9e}".as_bytes(),
            "e\u{301}\u{302}".as_bytes(),
            "\u{1f468}\u{200d}\u{1f469}\u{200d}\u{1f466}".as_bytes(),
            b"\x1b[31m",
            b"\n",
            b"\xff",
            "\u{202e}".as_bytes(),
            b"/",
            b"/",
            b"!/",
        ];
        let count = self.below(40);
        let parts: Vec<u8> = (0..count)
            .flat_map(|_| PARTS[self.below(12)])
            .copied()
            .collect();
        escaped(&parts)
    }

    fn cell(&mut self, column: &Column) -> String {
        match column.cells {
            Cells::Path | Cells::Text => self.path(),
            Cells::Right => "9".repeat(1 + self.below(9)),
            Cells::Left => ["-", "0.875", "verified", "identical-text"][self.below(4)].to_owned(),
        }
    }
}

/// Every table that is printed.
const ALL: [&[Column]; 18] = [
    wire::Match::COLUMNS,
    FoldedMatch::COLUMNS,
    wire::Pair::COLUMNS,
    wire::FolderCopies::COLUMNS,
    wire::Template::COLUMNS,
    wire::File::COLUMNS,
    wire::Root::COLUMNS,
    wire::SchemeUsage::COLUMNS,
    wire::MemoryUse::COLUMNS,
    wire::SchemeEstimate::COLUMNS,
    wire::SizeGroup::COLUMNS,
    wire::Group::COLUMNS,
    Cluster::COLUMNS,
    PrecisionAtBaseRate::COLUMNS,
    Row::COLUMNS,
    wire::RaterAgreement::COLUMNS,
    wire::CurvePoint::COLUMNS,
    wire::JudgeRule::COLUMNS,
];

fn printed(
    columns: &'static [Column],
    rows: &[Vec<String>],
    max_width: Option<usize>,
) -> Vec<String> {
    let mut out = Vec::new();
    let mut table = Table::new(columns, false, max_width);
    for row in rows {
        table.push(row.clone(), &mut out).expect("written");
    }
    table.flush(&mut out).expect("written");
    let text = String::from_utf8(out).expect("UTF-8");
    text.lines().map(str::to_owned).collect()
}

#[test]
fn no_line_is_wider_than_a_terminal_unless_its_numbers_alone_are() {
    let mut noise = Noise(7);
    for columns in ALL {
        for _ in 0..40 {
            let count = 1 + noise.below(6);
            let row = |noise: &mut Noise| columns.iter().map(|column| noise.cell(column)).collect();
            let rows: Vec<Vec<String>> = (0..count).map(|_| row(&mut noise)).collect();
            let width = |(at, column): (usize, &Column)| {
                let cells = rows.iter().map(|row| row[at].width());
                cells.max().unwrap_or(0).max(narrowest(column.header)) + GAP.len()
            };
            let numbers = columns
                .iter()
                .enumerate()
                .filter(|(_, column)| !column.is_cut());
            let alone: usize = numbers.map(width).sum();
            let lines = printed(columns, &rows, Some(80));
            for line in &lines {
                assert!(
                    line.width() <= 80.max(alone),
                    "{} of {alone}: {line}",
                    line.width()
                );
            }
            assert!(
                lines
                    .iter()
                    .all(|line| !line.contains(['\u{1b}', '\u{202e}']))
            );
            // Lines that fit stay unchanged.
            let whole = printed(columns, &rows, None);
            if whole.iter().all(|line| line.width() <= 80) && whole.len() == rows.len() + 1 {
                assert_eq!(lines, whole);
            }
        }
    }
}

fn found(path: &str) -> wire::Match {
    let ratio = |value| {
        Some(wire::Ratio {
            value: Some(value),
            ..wire::Ratio::default()
        })
    };
    wire::Match {
        path: path.as_bytes().to_vec(),
        resemblance: ratio(0.875),
        containment_of_query: ratio(0.9),
        containment_in_query: ratio(1.0),
        verified: true,
        ..wire::Match::default()
    }
}

#[test]
fn a_path_is_cut_in_front_and_its_name_stays() {
    let rows = |path: &str| found(path).rows();
    let path = "/share/legal/2026/agreements/contract.txt";
    assert_eq!(
        printed(wire::Match::COLUMNS, &rows(path), Some(80)),
        [
            "        CONTAIN-  CONTAIN-",
            "RESEM-  MENT OF   MENT IN",
            "BLANCE  QUERY     QUERY     RELATION  BASIS     PATH",
            "0.875   0.900     1.000     -         verified  \u{2026}al/2026/agreements/contract.txt",
        ]
    );
}

#[test]
fn a_column_that_may_be_missing_is_shown_where_a_row_of_the_first_has_something_in_it() {
    let judged = wire::Match {
        not_judged: wire::NotJudged::Divided.into(),
        ..found("/b")
    };
    let header = |found: &[wire::Match]| {
        let rows: Vec<_> = found.iter().flat_map(Tabular::rows).collect();
        printed(wire::Match::COLUMNS, &rows, None)[0].contains("JUDGED")
    };
    assert!(!header(&[found("/a"), found("/b")]));
    assert!(header(&[found("/a"), judged.clone()]));
    let rest = [vec![found("/a"); BATCH], vec![judged]].concat();
    assert!(!header(&rest), "the header was printed by then");
}

#[test]
fn the_basis_makes_room_for_names_where_all_numbers_are_verified() {
    let judged = |path| wire::Match {
        judgement: Some(wire::Judgement {
            class: wire::JudgedClass::TemplateOnly.into(),
            probability: 0.875,
            ..wire::Judgement::default()
        }),
        ..found(path)
    };
    let lines = |found: &[wire::Match]| {
        let rows: Vec<_> = found.iter().flat_map(Tabular::rows).collect();
        printed(wire::Match::COLUMNS, &rows, Some(80))
    };
    let path = "/share/legal/2026/agreements/contract.txt";
    assert_eq!(
        lines(&[judged(path)])[2..],
        [
            "BLANCE  QUERY     QUERY     RELATION  JUDGED               PATH",
            "0.875   0.900     1.000     -         template-only 0.875  \u{2026}eements/contract.txt",
        ]
    );
    let estimated = wire::Match {
        verified: false,
        ..judged(path)
    };
    let below = judged("/share/a-name-that-is-too-long-even-then.txt");
    for found in [[judged(path), estimated], [judged(path), below]] {
        let lines = lines(&found);
        assert!(
            lines[2].ends_with("  BASIS") && lines[3] == "    PATH",
            "{lines:#?}"
        );
    }
}

#[test]
fn judgements_stand_below_their_row_where_estimates_leave_no_room() {
    let interval = Some(wire::Ratio {
        value: Some(0.25),
        low: Some(0.2),
        high: Some(0.3125),
    });
    let estimated = wire::Match {
        resemblance: interval,
        containment_of_query: interval,
        containment_in_query: interval,
        verified: false,
        ..found("/share/b.txt")
    };
    let judged = wire::Match {
        not_judged: wire::NotJudged::NumbersDiffer.into(),
        ..found("/share/a.txt")
    };
    let rows = [judged, estimated].map(|found| found.rows()).concat();
    let lines = printed(wire::Match::COLUMNS, &rows, Some(84));
    let below: Vec<_> = lines
        .iter()
        .filter(|line| line.starts_with("    "))
        .collect();
    assert_eq!(
        below[below.len() - 5..],
        [
            "    JUDGED",
            "    PATH",
            "    numbers-differ",
            "    /share/a.txt",
            "    /share/b.txt"
        ]
    );
}

#[test]
fn names_that_find_no_room_stand_below_their_row() {
    let path = "/share/legal/of/agreements/a-rather-long-name-of-a-contract-that-was-signed.txt";
    let lines = printed(wire::Match::COLUMNS, &found(path).rows(), Some(80));
    let row = "0.875   0.900     1.000     -         verified";
    assert_eq!(lines[3..5], ["    PATH", row]);
    assert_eq!(lines[5].width(), 80);
    assert!(lines[5].starts_with("    \u{2026}") && lines[5].ends_with("was-signed.txt"));
    // Each of the two paths has its own line.
    let pair = wire::Pair {
        a: path.as_bytes().to_vec(),
        b: b"/b".to_vec(),
        ..wire::Pair::default()
    };
    let lines = printed(wire::Pair::COLUMNS, &pair.rows(), Some(80));
    assert_eq!(lines[3..5], ["    A", "    B"]);
    assert_eq!((lines.len(), &*lines[7]), (8, "    /b"));
}

#[test]
fn a_further_copy_of_a_folder_below_its_row_takes_one_line() {
    let long = "a folder with such a long name that two are not beside each other";
    let folder = |at: u32| format!("/share/{long} {at}").into_bytes();
    let copies = wire::FolderCopies {
        a: folder(1),
        b: folder(2),
        copies: Some(4),
        further: vec![folder(3), folder(4)],
        files_a: 5,
        shared_a: 4,
        alone_a: vec![b"/share/new.txt".to_vec()],
        ..wire::FolderCopies::default()
    };
    let lines = printed(wire::FolderCopies::COLUMNS, &copies.rows(), Some(80));
    assert!(
        lines.iter().all(|line| !line.trim().is_empty()),
        "{lines:#?}"
    );
    // The head, the row and its two names, two further ones with their mark, and a file.
    assert_eq!(lines.len(), 4 + 3 + 4 + 2, "{lines:#?}");
}

#[test]
fn a_template_names_its_root_and_says_whether_it_is_left_out_in_part() {
    for (left_out, partly_left_out, said) in [
        (false, false, "no"),
        (false, true, "partly"),
        (true, false, "yes"),
    ] {
        let template = wire::Template {
            root: b"/share".to_vec(),
            left_out,
            partly_left_out,
            ..wire::Template::default()
        };
        let lines = printed(wire::Template::COLUMNS, &template.rows(), None);
        let words: Vec<_> = lines[1].split_whitespace().collect();
        assert!(
            words.contains(&said) && words.contains(&"/share"),
            "{lines:?}"
        );
    }
}
