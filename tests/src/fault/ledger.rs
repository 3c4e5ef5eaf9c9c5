//! What was acknowledged: once `sync` succeeded, every file must be known with its content and its
//! document, whatever happens next. Files touched since then may be in any state they ever had.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::path::{Path, PathBuf};

use simdex_signature::CanonicalText;

use super::answers::Listed;
use super::tree::Tree;

/// Window of a shingle, bytes: a shorter canonical text makes no document.
const WINDOW: usize = 20;

/// What must be known of one file.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Known {
    content: String,
    /// None where this ledger cannot tell (raw bytes).
    document: Option<String>,
}

/// What was acknowledged, and what is under way.
#[derive(Default)]
pub struct Ledger {
    acknowledged: BTreeMap<PathBuf, Known>,
    touched: BTreeSet<PathBuf>,
    contents: HashSet<String>,
}

impl Ledger {
    /// Takes note of changes whose acknowledgement is asked for next.
    pub fn ask(&mut self, tree: &mut Tree) {
        self.contents.extend(tree.take_written());
        self.touched.extend(tree.take_changed());
    }

    /// `sync` succeeded: all that stood in the tree is acknowledged.
    pub fn acknowledge(&mut self, tree: &Tree) {
        for path in std::mem::take(&mut self.touched) {
            match tree.files().get(&path) {
                Some(bytes) => drop(self.acknowledged.insert(path, Known::of(bytes))),
                None => drop(self.acknowledged.remove(&path)),
            }
        }
    }

    /// Files that must be known now.
    pub fn len(&self) -> usize {
        self.acknowledged
            .keys()
            .filter(|path| !self.touched.contains(*path))
            .count()
    }

    /// Whether nothing must be known.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// What a listing lacks, invents or has wrong, one sentence each.
    pub fn faults(&self, root: &Path, listed: &[Listed]) -> Vec<String> {
        let found: BTreeMap<&Path, &Listed> = listed
            .iter()
            .filter_map(|file| Some((file.path.strip_prefix(root).ok()?, file)))
            .collect();
        let wrong = |(path, known): (&PathBuf, &Known)| match found.get(path.as_path()) {
            _ if self.touched.contains(path) => None,
            None => Some(format!("{} is lost", path.display())),
            Some(file) if known.agrees(file) => None,
            Some(file) => Some(format!("{} is {file:?}, not {known:?}", path.display())),
        };
        let mut faults: Vec<String> = self.acknowledged.iter().filter_map(wrong).collect();
        for (path, file) in found {
            let acknowledged = self.acknowledged.contains_key(path);
            let written = file
                .content
                .as_ref()
                .is_none_or(|content| self.contents.contains(content));
            if !(acknowledged || self.touched.contains(path)) {
                faults.push(format!("{} was removed and is back", path.display()));
            } else if !written {
                faults.push(format!("{} has a content nobody wrote", path.display()));
            }
        }
        faults
    }
}

/// Hash of the document that these bytes carry where they are plain text; none where this cannot
/// tell (raw bytes) or they are too short for one.
pub fn document_of(bytes: &[u8]) -> Option<String> {
    Known::of(bytes).document
}

impl Known {
    fn of(bytes: &[u8]) -> Self {
        let content = blake3::hash(bytes).to_hex().to_string();
        let text = std::str::from_utf8(bytes).map(CanonicalText::from_extracted);
        let text = text.ok().filter(|text| text.as_bytes().len() >= WINDOW);
        let document = text.map(|text| blake3::Hash::from(text.hash()).to_hex().to_string());
        Self { content, document }
    }

    fn agrees(&self, file: &Listed) -> bool {
        let document = self.document.is_none() || self.document == file.document;
        document && file.content.as_ref() == Some(&self.content)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn listed(path: &str, bytes: &[u8]) -> Listed {
        let known = Known::of(bytes);
        let path = Path::new("/r").join(path);
        Listed {
            path,
            state: "indexed".into(),
            content: Some(known.content),
            document: known.document,
        }
    }

    #[test]
    fn lost_changed_and_revived_files_are_faults() {
        let scratch = tempfile::tempdir().unwrap();
        let mut tree = Tree::new(scratch.path(), 1).unwrap();
        let mut ledger = Ledger::default();
        let (old, new) = (
            b"a text that is long enough".as_slice(),
            b"another text of that kind".as_slice(),
        );
        tree.write(Path::new("a"), old.to_vec()).unwrap();
        tree.write(Path::new("b"), old.to_vec()).unwrap();
        ledger.ask(&mut tree);
        ledger.acknowledge(&tree);
        let faults = |ledger: &Ledger, files: &[Listed]| ledger.faults(Path::new("/r"), files);
        assert!(faults(&ledger, &[listed("a", old), listed("b", old)]).is_empty());
        assert_eq!(faults(&ledger, &[listed("a", old)]), ["b is lost"]);
        assert_eq!(
            faults(&ledger, &[listed("a", new), listed("b", old)]).len(),
            2
        );
        let revived = [listed("a", old), listed("b", old), listed("c", old)];
        assert_eq!(faults(&ledger, &revived), ["c was removed and is back"]);
    }

    #[test]
    fn a_file_touched_since_may_be_old_new_or_gone() {
        let scratch = tempfile::tempdir().unwrap();
        let mut tree = Tree::new(scratch.path(), 1).unwrap();
        let mut ledger = Ledger::default();
        let old = b"a text that is long enough";
        tree.write(Path::new("a"), old.to_vec()).unwrap();
        ledger.ask(&mut tree);
        ledger.acknowledge(&tree);
        tree.write(Path::new("a"), b"another text of that kind".to_vec())
            .unwrap();
        ledger.ask(&mut tree);
        for files in [vec![], vec![listed("a", old)]] {
            assert!(ledger.faults(Path::new("/r"), &files).is_empty());
        }
        assert_eq!(
            ledger
                .faults(Path::new("/r"), &[listed("a", b"invented")])
                .len(),
            1
        );
    }
}
