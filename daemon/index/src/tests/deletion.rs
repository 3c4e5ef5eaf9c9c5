//! What deleting many documents at once costs, in accesses to the store: batches, not one for each document.

use std::cell::Cell;
use std::collections::BTreeMap;
use std::rc::Rc;

use simdex_schema::{FileKey, GroupId};

use super::bed::{Bed, file, put};
use super::frail::{Access, hook};
use super::model::Model;
use super::texts::Random;
use crate::{FileChange, VisibleRoots};

const FAMILIES: usize = 240;
/// So few that their principal leaves with all of them in one batch.
const VERSIONS: usize = 5;
/// Files changed at once.
const AT_ONCE: usize = 40;

/// Reads and writes of this thread while it works; each batch of records is one write.
fn accesses(work: impl FnOnce()) -> [usize; 2] {
    let counts = Rc::new([Cell::new(0), Cell::new(0)]);
    let counted = Rc::clone(&counts);
    let hooked = hook(move |access, _| {
        let count = &counted[usize::from(access == Access::Write)];
        count.set(count.get() + usize::from(access != Access::Commit));
    });
    work();
    drop(hooked);
    [counts[0].get(), counts[1].get()]
}

/// Families of versions, merged and settled by one thread: the bed, and all files with their texts.
fn filled() -> (Bed, Vec<(FileKey, String)>) {
    let mut bed = Bed::memory();
    bed.options.buffer_postings = 1 << 20;
    bed.options.second_settler = false;
    bed.open();
    let mut random = Random::new(411);
    let mut files = Vec::new();
    for family in 0..FAMILIES {
        let base = random.words(60);
        for version in 0..VERSIONS {
            let path = format!("a/{family:03}/{version}");
            let text = random.version(&base, 1);
            bed.index()
                .writer
                .apply(&[put(bed.index(), &path, &text, 0)])
                .unwrap();
            files.push((file(&path), text));
        }
    }
    bed.settle();
    bed.index().writer.merge().unwrap();
    (bed, files)
}

/// The id of the group of each file that is in one.
fn group_ids(bed: &Bed, files: &[(FileKey, String)]) -> BTreeMap<FileKey, GroupId> {
    let groups = bed.reader().groups();
    let group = |text: &str| groups.of_document(bed.id(text)?).group?.id;
    let grouped = files
        .iter()
        .filter_map(|(file, text)| Some((file.clone(), group(text)?)));
    grouped.collect()
}

#[test]
fn many_documents_are_deleted_in_few_batches_and_nothing_of_them_is_read_again() {
    let (bed, files) = filled();
    let before = group_ids(&bed, &files);
    // Of every fourth family two, so that principals and their likeliest successors are among them. If many more were
    // gone, the merge would write the run of all postings anew.
    let is_gone = |(at, _): &(usize, _)| (at / VERSIONS).is_multiple_of(4) && at % VERSIONS < 2;
    let (gone, kept): (Vec<_>, Vec<_>) = files.into_iter().enumerate().partition(is_gone);
    let [gone, kept] =
        [gone, kept].map(|some| some.into_iter().map(|(_, file)| file).collect::<Vec<_>>());
    let (index, work) = (bed.index(), bed.index().index.work());
    let runs = index.index.merges();
    let [mut reads, mut batches] = [0, 0];
    for some in gone.chunks(AT_ONCE) {
        let some = some
            .iter()
            .map(|(file, _)| FileChange::removal(file.clone()));
        let some: Vec<_> = some.collect();
        let of_files = accesses(|| drop(index.writer.apply(&some).unwrap()));
        (reads, batches) = (reads + of_files[0], batches + of_files[1]);
    }
    assert_eq!(batches, gone.len() / AT_ONCE, "a batch of files is one");
    let of_groups = accesses(|| index.writer.check_changed_files().unwrap());
    assert_eq!(of_groups, [0, 1], "they leave their groups in one batch");
    let of_documents = accesses(|| index.writer.merge().unwrap());
    // Contents, documents, and how far is merged.
    assert!(of_documents[1] <= 3, "{} batches", of_documents[1]);
    reads += of_documents[0];
    assert!(reads <= 10 * gone.len(), "{reads} reads");
    assert_eq!(index.index.work(), work, "no text and no list is read");
    assert_eq!(index.index.merges().postings, runs.postings);
    bed.settle();
    let after = group_ids(&bed, &kept);
    assert_eq!(after.len(), kept.len());
    for (file, group) in &after {
        assert_eq!(before[file], *group, "the group has its id still");
    }
    let mut model = Model::default();
    let kept = kept.into_iter().map(|(file, text)| (file, (text, 0)));
    model.files.extend(kept);
    model.check(index, &VisibleRoots::All, bed.parameters.threshold);
}
