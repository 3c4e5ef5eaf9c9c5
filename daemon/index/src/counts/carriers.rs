//! The files that carry documents which several files carry: which of them a view shows as identical.

use std::collections::BTreeMap;
use std::ops::RangeInclusive;

use simdex_schema::{ContentHash, DocId, RootId, State};

use super::CountedFile;
use crate::table::CountStep;

/// Files by document, root and content, and which one comes first.
#[derive(Default)]
pub(super) struct Carriers {
    files: BTreeMap<CarrierKey, Files>,
    /// First carriers of the documents that are not plain; see [`Carriers::is_plain`].
    firsts: BTreeMap<(DocId, RootId), FirstCarrier>,
}

type CarrierKey = (DocId, RootId, ContentHash);

/// How many files of a root have a content.
struct Files {
    on_disk: u64,
    members: u64,
    /// The state of the content.
    state: State,
}

/// The first of the files in a root that carry a document.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) struct FirstCarrier {
    pub(crate) content: ContentHash,
    pub(crate) is_member: bool,
}

/// By how much a view differs from the sum of its roots, in which no file is identical to another.
#[derive(Clone, Default)]
pub(super) struct Shift {
    /// Of files on disk.
    pub(super) states: BTreeMap<State, i64>,
    pub(super) member_states: BTreeMap<State, i64>,
    pub(super) documents: i64,
}

impl CountedFile {
    /// The file as the first of its root that carries its document, if it carries one.
    fn as_first(&self) -> Option<((DocId, RootId), FirstCarrier)> {
        let is_member = self.is_member;
        let first = |(id, content)| ((id, self.root), FirstCarrier { content, is_member });
        self.carried.map(first)
    }
}

impl Carriers {
    /// Counts one file more, or less, that carries a document.
    pub(super) fn count(&mut self, file: &CountedFile, step: CountStep) {
        let Some((id, content)) = file.carried else {
            return;
        };
        let place = (id, file.root, content);
        let files = self.files.entry(place).or_insert(Files {
            on_disk: 0,
            members: 0,
            state: file.state,
        });
        let count = match file.is_member {
            true => &mut files.members,
            false => &mut files.on_disk,
        };
        step.apply(count);
        if step == CountStep::More {
            files.state = file.state;
        }
        if files.on_disk + files.members == 0 {
            self.files.remove(&place);
        }
    }

    /// Forgets a document.
    pub(super) fn forget(&mut self, id: DocId) {
        self.forget_firsts(id);
        let places: Vec<CarrierKey> = self.files.range(all(id)).map(|(place, _)| *place).collect();
        for place in places {
            self.files.remove(&place);
        }
    }

    /// Whether in each root all files of a document count the same, whichever comes first: they have one content, and
    /// are all on disk or all members.
    pub(super) fn is_plain(&self, id: DocId) -> bool {
        let mut last = None;
        self.files.range(all(id)).all(|((_, root, _), files)| {
            let is_mixed = files.on_disk > 0 && files.members > 0;
            !is_mixed && last.replace(*root) != Some(*root)
        })
    }

    /// The roots and contents of a document's files.
    pub(super) fn places(&self, id: DocId) -> Vec<(RootId, ContentHash)> {
        let places = self.files.range(all(id));
        places.map(|((_, root, hash), _)| (*root, *hash)).collect()
    }

    /// Documents whose files are counted here.
    pub(super) fn documents(&self) -> Vec<DocId> {
        let mut documents: Vec<DocId> = self.files.keys().map(|(id, ..)| *id).collect();
        documents.dedup();
        documents
    }

    /// Notes a file as the first of its root that carries its document, unless one is noted already.
    pub(super) fn note_first(&mut self, file: &CountedFile) {
        if let Some((place, first)) = file.as_first() {
            self.firsts.entry(place).or_insert(first);
        }
    }

    /// Notes a file as the first of its root that carries its document, in place of another.
    pub(super) fn set_first(&mut self, file: &CountedFile) {
        self.firsts.extend(file.as_first());
    }

    /// Notes which files of a document come first.
    pub(super) fn put_firsts(&mut self, id: DocId, firsts: Vec<(RootId, FirstCarrier)>) {
        self.forget_firsts(id);
        let firsts = firsts.into_iter().map(|(root, first)| ((id, root), first));
        self.firsts.extend(firsts);
    }

    pub(super) fn forget_firsts(&mut self, id: DocId) {
        let roots = self.firsts.range((id, RootId(0))..=(id, RootId(u32::MAX)));
        let roots: Vec<(DocId, RootId)> = roots.map(|(root, _)| *root).collect();
        for root in roots {
            self.firsts.remove(&root);
        }
    }

    /// Adds `sign` times the shift of one document, in a view of these roots in the order of their paths.
    pub(super) fn shift(&self, id: DocId, roots: &[RootId], sign: i64, into: &mut Shift) {
        let mut first_of_view = None;
        for root in roots {
            let Some(first_of_root) = self.first(id, *root) else {
                continue;
            };
            let is_first_root = first_of_view.is_none();
            let first = *first_of_view.get_or_insert(first_of_root);
            // It is already counted in the first root.
            into.documents -= sign * i64::from(!is_first_root);
            for ((_, _, content), files) in self.files.range(in_root(id, *root)) {
                let is_same = *content == first.content;
                let shown = match is_same {
                    true => State::IdenticalBytes,
                    false => State::IdenticalText,
                };
                for (count, is_member, states) in [
                    (files.on_disk, false, &mut into.states),
                    (files.members, true, &mut into.member_states),
                ] {
                    // The first file keeps its own state.
                    let kept = is_first_root && is_same && first.is_member == is_member;
                    let moved = sign * count.saturating_sub(u64::from(kept)) as i64;
                    *states.entry(files.state).or_insert(0) -= moved;
                    *states.entry(shown).or_insert(0) += moved;
                }
            }
        }
    }

    /// The first file of a root that carries the document, as far as that is known.
    fn first(&self, id: DocId, root: RootId) -> Option<FirstCarrier> {
        let ((_, _, content), files) = self.files.range(in_root(id, root)).next()?;
        let any = FirstCarrier {
            content: *content,
            is_member: files.on_disk == 0,
        };
        Some(self.firsts.get(&(id, root)).copied().unwrap_or(any))
    }
}

const LOWEST: ContentHash = ContentHash([0; 32]);
const HIGHEST: ContentHash = ContentHash([u8::MAX; 32]);

fn in_root(id: DocId, root: RootId) -> RangeInclusive<CarrierKey> {
    (id, root, LOWEST)..=(id, root, HIGHEST)
}

fn all(id: DocId) -> RangeInclusive<CarrierKey> {
    (id, RootId(0), LOWEST)..=(id, RootId(u32::MAX), HIGHEST)
}
