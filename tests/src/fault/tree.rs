//! A directory tree that changes at random, the same for the same seed: files are created, edited,
//! copied, renamed and removed, directories renamed and removed, names used again.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::ffi::OsString;
use std::fs;
use std::os::unix::ffi::OsStringExt;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

use super::texts::Texts;
use crate::corpus::Random;

/// Directories are at most so deep.
const DEEPEST: usize = 3;
/// A directory of more files is not removed: the guard against mass losses is tested elsewhere.
const MOST_REMOVED: usize = 25;

/// A tree, and what must be in it.
pub struct Tree {
    root: PathBuf,
    random: Random,
    texts: Texts,
    /// Content by path below the root.
    files: BTreeMap<PathBuf, Vec<u8>>,
    directories: Vec<PathBuf>,
    changed: BTreeSet<PathBuf>,
    /// Contents by BLAKE3, in hexadecimal: every one that stood in the tree for however short.
    written: HashSet<String>,
    created: usize,
}

impl Tree {
    /// An empty tree in `root`, which is made.
    pub fn new(root: &Path, seed: u64) -> Result<Self> {
        fs::create_dir_all(root).with_context(|| format!("cannot make {}", root.display()))?;
        let mut random = Random::new(seed, 0);
        Ok(Self {
            root: root.to_owned(),
            texts: Texts::new(&mut random),
            random,
            files: BTreeMap::new(),
            directories: vec![PathBuf::new()],
            changed: BTreeSet::new(),
            // A file is empty for a moment while it is overwritten.
            written: HashSet::from([name_of(b"")]),
            created: 0,
        })
    }

    /// The folder of the tree.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// Content of every file, by path below the root.
    pub fn files(&self) -> &BTreeMap<PathBuf, Vec<u8>> {
        &self.files
    }

    /// Files created so far, copies with them.
    pub fn created(&self) -> usize {
        self.created
    }

    /// Random numbers for the test around the tree.
    pub fn random(&mut self) -> &mut Random {
        &mut self.random
    }

    /// Paths touched since the last call.
    pub fn take_changed(&mut self) -> BTreeSet<PathBuf> {
        std::mem::take(&mut self.changed)
    }

    /// Contents written since the last call, by BLAKE3 in hexadecimal: who watches may meet one that
    /// was overwritten since.
    pub fn take_written(&mut self) -> HashSet<String> {
        std::mem::take(&mut self.written)
    }

    /// Makes changes until this many files have been created in total.
    pub fn grow(&mut self, created: usize) -> Result<()> {
        while self.created < created {
            self.step()?;
        }
        Ok(())
    }

    /// One random change.
    pub fn step(&mut self) -> Result<()> {
        let done = match self.random.below(1_000) {
            0..480 => self.create(),
            480..690 => self.edit(),
            690..790 => self.copy(),
            790..870 => self.rename(),
            870..885 => self.rename_directory(),
            885..992 => self.remove(),
            _ => self.remove_directory(),
        };
        done.with_context(|| format!("cannot change {}", self.root.display()))
    }

    fn create(&mut self) -> Result<()> {
        let content = self.texts.content(&mut self.random);
        let path = self.new_path();
        self.write(&path, content)
    }

    /// In place, or by a new file renamed over the old one.
    fn edit(&mut self) -> Result<()> {
        let Some(path) = self.any_file() else {
            return self.create();
        };
        let content = self.texts.edited(&self.files[&path], &mut self.random);
        if self.random.chance(0.5) {
            return self.write(&path, content);
        }
        let aside = self.root.join(&path).with_extension("new");
        fs::write(&aside, &content)?;
        fs::rename(&aside, self.root.join(&path))?;
        self.changed.insert(path.clone());
        self.changed.insert(path.with_extension("new"));
        self.written.insert(name_of(&content));
        self.files.insert(path, content);
        Ok(())
    }

    fn copy(&mut self) -> Result<()> {
        let Some(from) = self.any_file() else {
            return self.create();
        };
        let content = self.files[&from].clone();
        let to = self.new_path();
        self.write(&to, content)
    }

    /// To a new name, which may be another file's.
    fn rename(&mut self) -> Result<()> {
        let Some(from) = self.any_file() else {
            return Ok(());
        };
        let to = self.new_path();
        self.make_parent(&to)?;
        fs::rename(self.root.join(&from), self.root.join(&to))?;
        if let Some(content) = self.files.remove(&from) {
            self.files.insert(to.clone(), content);
        }
        self.changed.extend([from, to]);
        Ok(())
    }

    fn rename_directory(&mut self) -> Result<()> {
        let from = self.any_directory();
        let to = self
            .any_directory()
            .join(format!("d{}", self.random.below(40)));
        let deepest = from.components().count().max(to.components().count()) + 1;
        let taken = self.directories.contains(&to) || self.files.contains_key(&to);
        if from == Path::new("") || to.starts_with(&from) || taken || deepest > DEEPEST {
            return Ok(());
        }
        fs::rename(self.root.join(&from), self.root.join(&to))?;
        let moved = |path: &Path| Some(to.join(path.strip_prefix(&from).ok()?));
        for directory in &mut self.directories {
            if let Some(new) = moved(directory) {
                *directory = new;
            }
        }
        for path in self.below(&from) {
            if let (Some(new), Some(content)) = (moved(&path), self.files.remove(&path)) {
                self.files.insert(new.clone(), content);
                self.changed.extend([path, new]);
            }
        }
        Ok(())
    }

    fn remove(&mut self) -> Result<()> {
        let Some(path) = self.any_file() else {
            return Ok(());
        };
        fs::remove_file(self.root.join(&path))?;
        self.files.remove(&path);
        self.changed.insert(path);
        Ok(())
    }

    fn remove_directory(&mut self) -> Result<()> {
        let directory = self.any_directory();
        let below = self.below(&directory);
        if directory == Path::new("") || below.len() > MOST_REMOVED {
            return Ok(());
        }
        fs::remove_dir_all(self.root.join(&directory))?;
        self.directories
            .retain(|other| !other.starts_with(&directory));
        for path in below {
            self.files.remove(&path);
            self.changed.insert(path);
        }
        Ok(())
    }

    /// Writes a file; what stands there is overwritten in place.
    pub fn write(&mut self, path: &Path, content: Vec<u8>) -> Result<()> {
        self.make_parent(path)?;
        fs::write(self.root.join(path), &content)?;
        self.created += usize::from(!self.files.contains_key(path));
        self.changed.insert(path.to_owned());
        self.written.insert(name_of(&content));
        self.files.insert(path.to_owned(), content);
        Ok(())
    }

    fn make_parent(&mut self, path: &Path) -> Result<()> {
        let parent = path.parent().unwrap_or(Path::new(""));
        fs::create_dir_all(self.root.join(parent))?;
        if !self.directories.iter().any(|known| known == parent) {
            self.directories.push(parent.to_owned());
        }
        Ok(())
    }

    fn below(&self, directory: &Path) -> Vec<PathBuf> {
        self.files
            .keys()
            .filter(|path| path.starts_with(directory))
            .cloned()
            .collect()
    }

    fn any_file(&mut self) -> Option<PathBuf> {
        let count = self.files.len() as u64;
        let at = (count > 0).then(|| self.random.below(count) as usize)?;
        self.files.keys().nth(at).cloned()
    }

    fn any_directory(&mut self) -> PathBuf {
        let at = self.random.below(self.directories.len() as u64) as usize;
        self.directories[at].clone()
    }

    /// A name from a small store of them, so that names come back; in a directory that may be new.
    fn new_path(&mut self) -> PathBuf {
        let mut directory = self.any_directory();
        if self.random.chance(0.08) && directory.components().count() < DEEPEST {
            directory.push(format!("d{}", self.random.below(40)));
        }
        let number = self.random.below(400);
        let name: OsString = match self.random.below(50) {
            0 => OsString::from_vec([b"n\xff\xfe", number.to_string().as_bytes()].concat()),
            1 => format!("two words\n{number}.txt").into(),
            2 => format!("Ärger-{number}.txt").into(),
            3..8 => format!("f{number}.md").into(),
            _ => format!("f{number}.txt").into(),
        };
        directory.join(name)
    }
}

fn name_of(content: &[u8]) -> String {
    blake3::hash(content).to_hex().to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn on_disk(directory: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
        let mut found = BTreeMap::new();
        for entry in fs::read_dir(directory).unwrap() {
            let path = entry.unwrap().path();
            match path.is_dir() {
                true => found.extend(on_disk(&path)),
                false => drop(found.insert(path.clone(), fs::read(path).unwrap())),
            }
        }
        found
    }

    #[test]
    fn the_model_is_what_stands_on_disk() {
        let scratch = tempfile::tempdir().unwrap();
        let mut tree = Tree::new(scratch.path(), 3).unwrap();
        tree.grow(400).unwrap();
        let root = tree.root().to_owned();
        let model = tree
            .files()
            .iter()
            .map(|(path, content)| (root.join(path), content.clone()));
        assert_eq!(on_disk(&root), model.collect());
        assert!(tree.files().len() < 350, "some were removed");
        assert!(tree.take_changed().len() > 350);
    }
}
