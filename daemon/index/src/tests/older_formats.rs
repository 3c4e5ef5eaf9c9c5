//! Stores as earlier formats wrote them: each becomes one of the present format when it is opened, and answers as an
//! index that was filled today. Formats 1 to 3, whose texts differ too, are in `foreign`; 8 and 9 in `resigned_hindered`.

use std::ops::ControlFlow;

use simdex_schema::codec::Writer;
use simdex_schema::key::prefix;
use simdex_schema::{FORMAT_VERSION, MetaRecord, key};
use simdex_signature::SchemeKind;

use super::bed::{Bed, file};
use super::resigned::{are_alike, bed, fill, fresh, have_the_same_postings, texts};
use super::texts::Random;
use crate::store::Write;

/// Schemes of a run before format 8.
const SCHEMES_OF_A_RUN: usize = 3;

/// A meta record as formats 1 to 7 wrote it: until format 4 with buckets of one tree, later with runs, which have an id
/// from format 7 on; formats 1 and 2 end before the id of the store and the number of a segment.
pub(super) fn meta_of_format(version: u32, meta: &MetaRecord) -> Vec<u8> {
    let mut out = Writer::new();
    out.uint(u64::from(version))
        .uint(meta.next_document)
        .uint(meta.next_group);
    out.uint(u64::from(meta.next_root)).uint(meta.watermark);
    if version > 4 {
        put_runs(&mut out, version, meta);
    } else {
        out.byte(0).raw(&[4, 0, 0]);
        for count in [1_000, 0, 0, 5_000, 0, 0] {
            out.uint(count);
        }
    }
    let made_with = &meta.parameters;
    out.uint(u64::from(made_with.canonical));
    out.uint(u64::from(made_with.window));
    out.uint(u64::from(made_with.target));
    out.byte(u8::from(made_with.schemes.hold(SchemeKind::BswN)));
    out.raw(&made_with.threshold.to_be_bytes());
    if version > 2 {
        out.option(meta.store, |out, store| {
            out.raw(&store.0);
        });
        out.uint(u64::from(meta.next_segment)).uint(meta.named_from);
    }
    out.finish()
}

fn put_runs(out: &mut Writer, version: u32, meta: &MetaRecord) {
    out.uint(u64::from(meta.next_run)).uint(meta.dead_postings);
    out.uint(meta.runs.len() as u64);
    for run in &meta.runs {
        out.uint(u64::from(run.number));
        if version > 6 {
            out.option(run.id, |out, id| {
                out.raw(&id.0);
            });
        }
        for scheme in &run.schemes[..SCHEMES_OF_A_RUN] {
            out.byte(scheme.bits);
            out.uint(scheme.postings).uint(scheme.bytes);
        }
    }
}

/// Rewrites the records of files and contents without the fields that came after this format: in those of a bed all of
/// these are absent, empty or 0, one byte each.
pub(super) fn shorten_records(bed: &Bed, version: u32) {
    // The owner, absent before format 6, is also absent in those of a bed.
    let of_files = match version {
        1 => 2,
        2 => 1,
        _ => 0,
    };
    let of_contents = match version {
        1 => 2,
        2 | 3 => 1,
        _ => 0,
    };
    let records = bed.index().index.shared.store.records();
    let mut writes = Vec::new();
    for (prefix, missing) in [(prefix::FILE, of_files), (prefix::CONTENT, of_contents)] {
        let mut shorten = |key: &[u8], value: &[u8]| {
            let (kept, cut) = value.split_at(value.len() - missing);
            assert!(cut.iter().all(|byte| *byte == 0), "{value:?}");
            writes.push(Write::Put {
                key: key.to_vec(),
                value: kept.to_vec(),
            });
            ControlFlow::Continue(())
        };
        records.scan(&[prefix], None, &mut shorten).unwrap();
    }
    assert!(!writes.is_empty());
    records.apply(writes).unwrap();
}

#[test]
fn a_store_of_formats_4_to_7_becomes_one_of_the_present() {
    for version in 4..=7 {
        becomes_one_of_the_present(version);
    }
}

fn becomes_one_of_the_present(version: u32) {
    let texts = texts(&mut Random::new(u64::from(version)));
    let mut bed = bed();
    fill(&bed, &texts, texts.len() / 2);
    bed.index().writer.merge().unwrap();
    let meta = bed.index().writer.lock().meta.clone();
    let put = Write::Put {
        key: key::meta(),
        value: meta_of_format(version, &meta),
    };
    let records = bed.index().index.shared.store.records();
    records.apply(vec![put]).unwrap();
    shorten_records(&bed, version);
    if version < 7 {
        bed.forget_run_ids();
    }

    let report = bed.open();
    let signed_again = if version < 5 { texts.len() as u64 } else { 0 };
    assert_eq!(report.signed_again, signed_again, "format {version}");
    assert_eq!(report.damaged_texts, 0);
    let records = bed.index().index.shared.store.records();
    let stored = records.get(&key::meta()).unwrap().unwrap();
    assert_eq!(u32::from(stored[0]), FORMAT_VERSION);
    assert_eq!(bed.index().writer.lock().meta.store, meta.store);
    for at in 0..texts.len() {
        let record = bed.index().registry().file(&file(&format!("a/{at}")));
        assert!(record.unwrap().unwrap().content().is_some());
    }
    bed.settle();
    bed.verify();
    let fresh = fresh(None, &texts);
    for bed in [&bed, &fresh] {
        bed.index().writer.merge().unwrap();
    }
    have_the_same_postings(&bed, &fresh);
    are_alike(&bed, &fresh, &texts);
}
