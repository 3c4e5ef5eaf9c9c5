//! Records of the current and of earlier formats.

use super::*;
use simdex_signature::SchemeKind;

fn record() -> MetaRecord {
    let parameters = Parameters {
        canonical: 1,
        window: 20,
        target: 512,
        schemes: Schemes::of(&[SchemeKind::BswN]),
        threshold: 0.8,
        template_lines: Some(TemplateLinesId([3; 32])),
    };
    MetaRecord {
        watermark: 77,
        next_run: 9,
        dead_postings: 5,
        runs: vec![run(3, 12), run(8, 0)],
        store: Some(StoreId([7; 16])),
        next_segment: 40,
        named_from: 12,
        sampling: Some(setting()),
        ..MetaRecord::new(parameters)
    }
}

/// n = 2 from 2,000 bytes on, 8 from 9,000.
fn setting() -> Sampling {
    let groups = [(0, 0), (2_000, 1), (9_000, 3)].map(|(from, rung)| SizeStep {
        from,
        rung: Rung::new(rung).unwrap(),
    });
    Sampling::new(&groups).unwrap()
}

/// A record without runs, which tell of fewer schemes in older formats.
fn without_runs() -> MetaRecord {
    MetaRecord {
        runs: Vec::new(),
        ..record()
    }
}

/// Without the fields added after format 8.
fn plain(mut record: MetaRecord) -> MetaRecord {
    record.sampling = None;
    record.parameters.template_lines = None;
    record
}

/// The record of a store of format 8 or before, which has neither a setting nor a list of template lines: their two
/// bytes are missing.
fn before_9(record: &MetaRecord) -> Vec<u8> {
    let mut bytes = plain(record.clone()).encode();
    bytes.truncate(bytes.len() - 2);
    bytes
}

fn run(number: u32, bits: u8) -> RunRecord {
    let scheme = RunOfScheme {
        bits,
        postings: 100 * u64::from(bits),
        bytes: 500,
    };
    let none = RunOfScheme::default();
    RunRecord {
        number,
        id: number.is_multiple_of(2).then_some(RunId([9; 16])),
        schemes: [scheme, none, scheme, none, scheme, scheme],
    }
}

/// A run as formats 5 to 7 could describe it.
fn run_before_8(number: u32, bits: u8) -> RunRecord {
    let mut run = run(number, bits);
    run.schemes[SCHEMES_BEFORE_8..].fill(RunOfScheme::default());
    run
}

#[test]
fn meta_round_trips() {
    assert_eq!(MetaRecord::decode(&record().encode()), Ok(record()));
}

/// A record of an older format, with its fields as they were written then.
fn of_format(version: u8, record: &MetaRecord) -> Vec<u8> {
    let mut out = Writer::new();
    out.uint(u64::from(version)).uint(record.next_document);
    out.uint(record.next_group)
        .uint(u64::from(record.next_root))
        .uint(record.watermark);
    out.byte(1).raw(&[3, 24, 0]);
    for number in 0..6 {
        out.uint(1_000 * number);
    }
    let bytes = before_9(record);
    // The parameters take 13 bytes, and the fields of format 3 after them three.
    let (parameters, mut rest) = bytes[bytes.len() - 16..].split_at(13);
    if version < 3 {
        rest = &[];
    }
    out.raw(parameters).raw(rest);
    out.finish()
}

#[test]
fn the_versions_before_are_read_and_their_documents_signed_again() {
    let old = MetaRecord {
        store: None,
        next_segment: 1,
        named_from: 0,
        ..plain(record())
    };
    let read = MetaRecord {
        watermark: 0,
        next_run: 1,
        dead_postings: 0,
        runs: Vec::new(),
        ..old.clone()
    };
    for version in OLDEST_FORMAT..=4 {
        let bytes = of_format(version as u8, &old);
        assert_eq!(MetaRecord::decode(&bytes), Ok(read.clone()));
        assert_eq!(u32::from(read.encode()[0]), FORMAT_VERSION);
    }
}

#[test]
fn runs_of_formats_5_to_7_tell_of_three_schemes_and_the_first_have_no_id() {
    // Next document, group and root 0, 1, 1, watermark 77, next run 9, 5 dead; run 3 with 12 bits, 1,200
    // postings in 500 bytes of the first scheme and of the third.
    let bytes = [
        0, 0, 1, 1, 77, 9, 5, 1, 3, 12, 0xb0, 9, 0xf4, 3, 0, 0, 0, 12, 0xb0, 9, 0xf4, 3,
    ];
    let present = MetaRecord {
        runs: vec![run_before_8(3, 12)],
        ..plain(record())
    };
    let encoded = before_9(&present);
    // A missing run id takes one byte, and the schemes of formats 8 and 11 take nine.
    let rest = &encoded[bytes.len() + 1 + 9..];
    for version in [5, 6] {
        let mut old = [&bytes, rest].concat();
        old[0] = version;
        assert_eq!(MetaRecord::decode(&old), Ok(present.clone()), "{version}");
    }
    let without_id = [&[7][..], &bytes[1..9], &[0], &bytes[9..], rest].concat();
    assert_eq!(MetaRecord::decode(&without_id), Ok(present));
}

#[test]
fn a_store_of_format_8_has_no_setting() {
    let record = without_runs();
    let mut bytes = before_9(&record);
    bytes[0] = 8;
    let read = plain(record);
    assert_eq!(MetaRecord::decode(&bytes), Ok(read.clone()));
    assert_eq!(read.encode().len(), bytes.len() + 2);
}

#[test]
fn a_store_of_format_9_leaves_nothing_out() {
    let mut read = without_runs();
    read.parameters.template_lines = None;
    let present = read.encode();
    let mut stored = present[..present.len() - 1].to_vec();
    stored[0] = 9;
    assert_eq!(MetaRecord::decode(&stored), Ok(read));
}

/// A record written by a program of format 8: next document 300, group 1, root 1, watermark 256, next run 7, 9 postings
/// of documents that are gone; run 6 with its id, of Mod_n and BSW_n; the default parameters, an id, next segment 3.
const OF_FORMAT_8: &str = "08ac02010180020709010601eeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee\
    03e807882703de07d626000000000000000000\
    01148004013fe999999999999a01dddddddddddddddddddddddddddddddd0300";

#[test]
fn a_meta_record_of_format_8_is_read_as_it_was_written() {
    let stored = from_digits(OF_FORMAT_8);
    let read = MetaRecord::decode(&stored).unwrap();
    let counts = (read.next_document, read.watermark, read.dead_postings);
    assert_eq!(counts, (300, 256, 9));
    assert_eq!((read.runs.len(), read.runs[0].postings()), (1, 1_990));
    assert_eq!((read.next_segment, read.sampling), (3, None));
    assert_eq!(read.encode(), as_present(&stored, &[0, 0]));
}

/// A record written by a program of format 9: the same, with n = 2 from 2,000 bytes on and 8 from 9,000.
const OF_FORMAT_9: &str = "09ac02010180020709010601eeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee\
    03e807882703de07d626000000000000000000\
    01148004013fe999999999999a01dddddddddddddddddddddddddddddddd0300\
    0300 00d00f01a84603";

#[test]
fn a_meta_record_of_format_9_is_read_as_it_was_written() {
    let stored = from_digits(&OF_FORMAT_9.replace(' ', ""));
    let read = MetaRecord::decode(&stored).unwrap();
    let counts = (read.next_document, read.watermark, read.dead_postings);
    assert_eq!(counts, (300, 256, 9));
    let groups = record().sampling;
    assert!(groups.is_some() && read.sampling == groups);
    assert_eq!(read.parameters.template_lines, None);
    assert_eq!(read.encode(), as_present(&stored, &[0]));
}

/// A record written by a program of format 10: the same, with a list of template lines.
const OF_FORMAT_10: &str = "0aac02010180020709010601eeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee\
    03e807882703de07d626000000000000000000\
    01148004013fe999999999999a01dddddddddddddddddddddddddddddddd0300\
    0300 00d00f01a84603 01cccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccc";

#[test]
fn a_meta_record_of_format_10_is_read_as_it_was_written() {
    let stored = from_digits(&OF_FORMAT_10.replace(' ', ""));
    let read = MetaRecord::decode(&stored).unwrap();
    assert_eq!((read.next_document, read.next_segment), (300, 3));
    assert_eq!((read.runs.len(), read.runs[0].postings()), (1, 1_990));
    assert_eq!(read.sampling, record().sampling);
    let list = read.parameters.template_lines;
    assert_eq!(list, Some(TemplateLinesId([0xcc; 32])));
    assert_eq!(read.encode(), as_present(&stored, &[]));
}

/// Where the only run of the records above ends.
const RUN_END: usize = 47;

/// These bytes as they are written now: a run tells of super-shingles, too, and what no older format had ends them.
fn as_present(stored: &[u8], end: &[u8]) -> Vec<u8> {
    let (before, after) = stored.split_at(RUN_END);
    let mut present = [before, &[0, 0, 0], after, end].concat();
    present[0] = FORMAT_VERSION as u8;
    present
}

fn from_digits(digits: &str) -> Vec<u8> {
    let byte = |pair: &[u8]| u8::from_str_radix(str::from_utf8(pair).unwrap(), 16).unwrap();
    digits.as_bytes().chunks(2).map(byte).collect()
}

#[test]
fn impossible_settings_are_refused() {
    let with = |groups: &[u8]| {
        let bytes = [&before_9(&record())[..], groups, &[0]].concat();
        MetaRecord::decode(&bytes)
    };
    let refused = Err(DecodeError::OutOfRange("groups of sizes"));
    assert_eq!(with(&[1, 5, 0]), refused);
    assert_eq!(with(&[1, 0, 7]), refused);
    assert_eq!(with(&[2, 0, 3, 9, 2]), refused);
    assert_eq!(with(&[1, 0, 16]), Err(DecodeError::OutOfRange("rung")));
    assert_eq!(with(&[2, 0, 3]), Err(DecodeError::Truncated));
    assert!(with(&[1, 0, 6]).is_ok_and(|read| read.sampling.is_some()));
}

#[test]
fn impossible_runs_are_refused() {
    let with = |runs| MetaRecord { runs, ..record() };
    let refused = |runs| MetaRecord::decode(&with(runs).encode());
    let bits = Err(DecodeError::OutOfRange("bucket bits"));
    assert_eq!(refused(vec![run(1, 25)]), bits);
    let numbers = Err(DecodeError::OutOfRange("run"));
    assert_eq!(refused(vec![run(2, 1), run(2, 1)]), numbers);
    assert_eq!(refused(vec![run(9, 1)]), numbers);
}

#[test]
fn another_format_version_is_named_and_refused() {
    let mut bytes = record().encode();
    bytes[0] = 12;
    let refused = MetaRecord::decode(&bytes);
    assert_eq!(
        refused,
        Err(DecodeError::Version {
            found: 12,
            wanted: FORMAT_VERSION
        })
    );
}
