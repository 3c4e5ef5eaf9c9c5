//! Changes over packed records.

use super::*;
use crate::store::records::pack::Packer;

const EXPECTED: [(&str, &str); 7] = [
    ("a", "new"),
    ("b", "packed"),
    ("d", "changed"),
    ("h", "back"),
    ("i", ""),
    ("j", "packed"),
    ("m", "new"),
];

/// Packed records, and changes over them, which make [`EXPECTED`].
fn layers(dir: &Path) -> Layers {
    let db = ::sled::open(dir).unwrap();
    let layers = Layers::open(&db, dir, &Writes::default()).unwrap();
    let mut packer = Packer::default();
    let packs = [["b", "d", "f"], ["h", "j", "l"]].map(|keys| {
        let keys = keys.map(str::as_bytes);
        keys.iter().for_each(|key| packer.push(key, b"packed"));
        let (last, pack) = packer.take().unwrap();
        Layers::sealed(last, &pack)
    });
    layers.append(&packs, &[]).unwrap();
    let put = |key: &str, value: &str| Write::Put {
        key: key.into(),
        value: value.into(),
    };
    let delete = |key: &str| Write::Delete { key: key.into() };
    let batch = [
        put("a", "new"),
        put("d", "changed"),
        delete("f"),
        delete("g"),
        delete("h"),
        put("i", ""),
        delete("l"),
        put("m", "new"),
    ];
    layers.apply(batch.to_vec()).unwrap();
    layers.apply(vec![put("h", "back")]).unwrap();
    layers
}

#[test]
fn what_is_changed_lies_over_what_was_packed() {
    let temp = tempfile::tempdir().unwrap();
    let layers = layers(temp.path());
    let bytes = |(key, value): (&str, &str)| (key.as_bytes().to_vec(), value.as_bytes().to_vec());
    for from in "abcdefghijklmno".split("").filter(|key| !key.is_empty()) {
        let mut found = Vec::new();
        let mut visit = |key: &[u8], value: &[u8]| {
            found.push((key.to_vec(), value.to_vec()));
            ControlFlow::Continue(())
        };
        layers.scan(b"", Some(from.as_bytes()), &mut visit).unwrap();
        let behind = EXPECTED.into_iter().filter(|(key, _)| *key >= from);
        assert_eq!(found, behind.map(bytes).collect::<Vec<_>>(), "from {from}");
        let record = EXPECTED.into_iter().find(|(key, _)| *key == from);
        let value = record.map(|record| bytes(record).1);
        assert_eq!(layers.get(from.as_bytes()).unwrap(), value, "{from}");
    }
    assert_eq!(layers.verify().unwrap(), EXPECTED.len() as u64);
    // Nothing marks the removal of what never existed.
    assert_eq!(layers.changed.read_sealed(b"g").unwrap(), None);
}

#[test]
fn removed_records_behind_a_prefix_are_not_read() {
    let temp = tempfile::tempdir().unwrap();
    let db = ::sled::open(temp.path()).unwrap();
    let layers = Layers::open(&db, temp.path(), &Writes::default()).unwrap();
    let keys: Vec<Vec<u8>> = (0..200_u8).map(|n| vec![b'u', n]).collect();
    let mut packer = Packer::default();
    packer.push(b"r", b"packed");
    let mut packs = Vec::new();
    for some in keys.chunks(20) {
        some.iter().for_each(|key| packer.push(key, b"packed"));
        let (last, pack) = packer.take().unwrap();
        packs.push(Layers::sealed(last, &pack));
    }
    layers.append(&packs, &[]).unwrap();
    let delete = |key: &Vec<u8>| Write::Delete { key: key.clone() };
    layers.apply(keys.iter().map(delete).collect()).unwrap();
    for (prefix, found) in [("r", 1), ("s", 0), ("", 1)] {
        let (seen, mut visited) = (Cell::new(0), 0);
        let see = |_: &IVec| seen.set(seen.get() + 1);
        let range = (prefix.as_bytes(), prefix.as_bytes());
        let mut visit = |_: &[u8], _: &[u8]| {
            visited += 1;
            Ok(ControlFlow::Continue(()))
        };
        layers.walk_seeing(range, &see, &mut visit).unwrap();
        assert_eq!(visited, found, "{prefix}");
        assert_eq!(seen.get() <= 2, !prefix.is_empty(), "{}", seen.get());
    }
}
