//! Which documents have files in which root.

use roaring::RoaringTreemap;
use simdex_schema::{DocId, RootId};

use super::{Table, VisibleRoots};

impl Table {
    /// Whether a root has a file that carries a document.
    pub(crate) fn is_in(&self, (root, id): (RootId, DocId)) -> bool {
        let of_root = self.roots.get(&root);
        of_root.is_some_and(|of_root| of_root.live.contains(id.0))
    }

    /// The roots that have files which carry a document.
    pub(crate) fn roots_of(&self, id: DocId) -> impl Iterator<Item = RootId> {
        let roots = self.roots.iter();
        let with = roots.filter(move |(_, of_root)| of_root.live.contains(id.0));
        with.map(|(root, _)| *root)
    }

    /// Files of the view that carry a document.
    pub(crate) fn count_files_of(&self, id: DocId, view: &VisibleRoots) -> u64 {
        let VisibleRoots::Roots(roots) = view else {
            return self.files(id);
        };
        let of_root = |root: &RootId| self.roots.get(root)?.files.get(id).copied();
        roots.iter().filter_map(of_root).sum()
    }

    /// Documents that a view may see: applied when candidates are made.
    pub(crate) fn visible(&self, view: &VisibleRoots) -> RoaringTreemap {
        match view {
            VisibleRoots::All => self.live.clone(),
            VisibleRoots::Roots(roots) => {
                let sets = roots.iter().filter_map(|root| self.roots.get(root));
                sets.fold(RoaringTreemap::new(), |all, root| all | &root.live)
            }
        }
    }

    /// The documents with text that a view may see.
    pub(crate) fn visible_texts(&self, view: &VisibleRoots) -> RoaringTreemap {
        self.visible(view) & &self.texts
    }
}
