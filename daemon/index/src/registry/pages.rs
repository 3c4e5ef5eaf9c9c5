//! The keys of all files that carry a document, by absolute path: at once if they are few, otherwise page by page.
//!
//! A document is carried by contents, each of which lists its files by root and path. A page is filled with the least
//! keys of one root after the last page, from all contents, each read no further than the page reaches. So memory is
//! one page; for a document with f files in c contents, p pages cost reading about f + c·p entries.

use std::collections::BTreeSet;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use simdex_schema::{ContentHash, DocId, FileKey, RootId, key};

use crate::{IndexError, Registry};

/// Bytes of the keys that are held at once.
pub(crate) const PAGE: usize = 4 << 20;

/// Bytes that a key takes besides its path.
const KEY: usize = 64;

/// What the visited files have in common.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Carried {
    /// A document, in whatever content.
    Document(DocId),
    /// A content, whatever document it carries.
    Content(ContentHash),
}

/// Takes a key with the path of its root, and says whether to continue.
pub(crate) type VisitKey<'a> =
    dyn FnMut(&Path, FileKey) -> Result<ControlFlow<()>, IndexError> + 'a;

impl Registry {
    /// Visits the keys of the files of these roots that carry it, root by root in their order, then by
    /// path; holds about `max_bytes` bytes of them.
    pub(crate) fn visit_keys_of(
        &self,
        carried: Carried,
        roots: &[(RootId, PathBuf)],
        max_bytes: usize,
        visit: &mut VisitKey<'_>,
    ) -> Result<(), IndexError> {
        let place = |key: &FileKey| roots.iter().position(|(root, _)| *root == key.root);
        if let Some(mut keys) = self.keys_within(carried, max_bytes)? {
            keys.retain(|key| place(key).is_some());
            keys.sort_by(|a, b| (place(a), &a.path).cmp(&(place(b), &b.path)));
            for key in keys {
                let base = place(&key).map(|at| roots[at].1.as_path());
                if visit(base.unwrap_or(Path::new("")), key)?.is_break() {
                    break;
                }
            }
            return Ok(());
        }
        for (root, base) in roots {
            let mut last = None;
            loop {
                let page = self.page(carried, *root, last.as_deref(), max_bytes)?;
                last = page.paths.last().cloned();
                for path in page.paths {
                    let key = FileKey { root: *root, path };
                    if visit(base, key)?.is_break() {
                        return Ok(());
                    }
                }
                if !page.is_cut {
                    break;
                }
            }
        }
        Ok(())
    }

    /// All keys; `None` if they take more than `max_bytes` bytes.
    fn keys_within(
        &self,
        carried: Carried,
        max_bytes: usize,
    ) -> Result<Option<Vec<FileKey>>, IndexError> {
        let (mut keys, mut bytes) = (Vec::new(), 0);
        self.visit_contents_of(carried, &mut |content| {
            let prefix = key::files_of_content(content);
            self.shared
                .store
                .records()
                .scan(&prefix, None, &mut |link, _| {
                    bytes += link.len() + KEY;
                    keys.extend(key::file_in_link(link));
                    go_on_if(bytes <= max_bytes)
                })?;
            Ok(go_on_if(bytes <= max_bytes))
        })?;
        Ok((bytes <= max_bytes).then_some(keys))
    }

    /// The next keys of one root after a path.
    fn page(
        &self,
        carried: Carried,
        root: RootId,
        after: Option<&[u8]>,
        max_bytes: usize,
    ) -> Result<Page, IndexError> {
        let mut page = Page::default();
        self.visit_contents_of(carried, &mut |content| {
            let key = |path: &[u8]| {
                let path = path.to_vec();
                key::file_of_content(content, &FileKey { root, path })
            };
            let prefix = key(b"");
            let from = after.map(|path| [&key(path)[..], b"\0"].concat());
            let records = self.shared.store.records();
            records.scan(&prefix, from.as_deref(), &mut |link, _| {
                go_on_if(page.add(&link[prefix.len()..], max_bytes))
            })?;
            Ok(ControlFlow::Continue(()))
        })?;
        Ok(page)
    }

    fn visit_contents_of(
        &self,
        carried: Carried,
        visit: &mut dyn FnMut(ContentHash) -> Result<ControlFlow<()>, IndexError>,
    ) -> Result<(), IndexError> {
        let id = match carried {
            Carried::Document(id) => id,
            Carried::Content(content) => return visit(content).map(|_| ()),
        };
        let (prefix, mut failed) = (key::contents_of_document(id), None);
        self.shared
            .store
            .records()
            .scan(&prefix, None, &mut |link, _| {
                let content = link.get(prefix.len()..).and_then(ContentHash::from_slice);
                match content.map_or(Ok(ControlFlow::Continue(())), &mut *visit) {
                    Ok(flow) => flow,
                    Err(error) => {
                        failed = Some(error);
                        ControlFlow::Break(())
                    }
                }
            })?;
        failed.map_or(Ok(()), Err)
    }

    /// The key of some file that carries a document.
    pub(crate) fn carrier(&self, id: DocId) -> Result<Option<FileKey>, IndexError> {
        let mut found = None;
        self.visit_contents_of(Carried::Document(id), &mut |content| {
            found = self.file_of_content(content)?;
            Ok(go_on_if(found.is_none()))
        })?;
        Ok(found)
    }
}

fn go_on_if(go_on: bool) -> ControlFlow<()> {
    match go_on {
        true => ControlFlow::Continue(()),
        false => ControlFlow::Break(()),
    }
}

/// The least paths found.
#[derive(Default)]
struct Page {
    paths: BTreeSet<Vec<u8>>,
    bytes: usize,
    /// There are more.
    is_cut: bool,
}

impl Page {
    /// Adds a path while there is room for it among the least; returns whether a greater one may fit too. There is
    /// always room for one path.
    fn add(&mut self, path: &[u8], max_bytes: usize) -> bool {
        let is_beyond = || self.paths.last().is_some_and(|last| path > &last[..]);
        if self.is_cut && is_beyond() {
            return false;
        }
        if self.paths.insert(path.to_vec()) {
            self.bytes += path.len() + KEY;
        }
        while self.bytes > max_bytes && self.paths.len() > 1 {
            let last = self.paths.pop_last();
            self.bytes -= last.map_or(0, |path| path.len() + KEY);
            self.is_cut = true;
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_by_page_are_all_keys_in_order_and_few_are_held() {
        let mut page = Page::default();
        for at in (0..100_u8).rev() {
            page.add(&[at], 10 * (KEY + 1));
            assert!(page.paths.len() <= 10 && page.bytes <= 10 * (KEY + 1));
        }
        let expected: Vec<Vec<u8>> = (0..10).map(|at| vec![at]).collect();
        assert!(page.is_cut && page.paths.into_iter().eq(expected));
    }
}
