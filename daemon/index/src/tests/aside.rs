//! The texts of a store that was set aside, or moved away, are kept unchanged.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use super::bed::Bed;
use super::texts::Random;
use crate::Cancel;

fn files(dir: &Path) -> BTreeMap<std::ffi::OsString, Vec<u8>> {
    let entries = fs::read_dir(dir).unwrap().map(Result::unwrap);
    entries
        .map(|entry| (entry.file_name(), fs::read(entry.path()).unwrap()))
        .collect()
}

#[test]
fn the_texts_of_a_store_that_went_are_set_aside_and_survive_every_close() {
    // As when a damaged store is set aside, and as when somebody moves it away.
    for (moved_to, number) in [("store.damaged-4", 4), ("elsewhere", 1)] {
        let mut random = Random::new(31);
        let mut bed = Bed::disk();
        (0..9).for_each(|at| bed.put(&format!("a/{at}"), &random.words(60)));
        bed.settle();
        bed.close_and_open();
        let before = files(&bed.texts());
        bed.close();
        let store = bed.texts().with_file_name("store");
        fs::rename(&store, store.with_file_name(moved_to)).unwrap();
        let text = random.words(50);
        bed.open();
        bed.index().writer.add_root(Path::new("/data/a")).unwrap();
        bed.put("a/9", &text);
        bed.settle();
        bed.index().writer.merge().unwrap();
        bed.index().writer.compact_texts(&Cancel::never()).unwrap();
        assert_eq!(bed.close_and_open().damaged_texts, 0);
        let set_aside = bed.texts().with_extension(format!("damaged-{number}"));
        assert_eq!(files(&set_aside), before, "{moved_to}");
        let id = bed.id(&text).unwrap();
        assert_eq!(
            bed.reader().texts().read_unaccounted(id).unwrap(),
            Some(text)
        );
    }
}
