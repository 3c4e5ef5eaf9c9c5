//! The model in force: the trained one in the data directory, or otherwise the one that ships with the program.
//!
//! The file is the model as [`Model`] writes it, and a last line `blake3` with the hash of all lines before it.
//! A file without that line, written by hand, is read too.

use std::fs::File;
use std::io::{self, ErrorKind, Read as _};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError, RwLock};

use simdex_index::safe_fs;
use simdex_judge::{Model, ModelError};

use crate::base::hashed_file;

/// The file of a trained model, in the data directory.
const FILE: &str = "judge-model";
/// The name of the new model's file while it is written.
const NEW: &str = "judge-model.new";
/// Most bytes of the file.
const LONGEST: u64 = 2 << 20;

/// The model that pairs are judged by.
pub struct Models {
    data_dir: PathBuf,
    current: RwLock<InForce>,
    /// Held while the file is changed.
    changing: Mutex<()>,
}

/// The model that pairs are judged by.
struct InForce {
    model: Arc<Model>,
    /// Why the shipped model judges in place of the trained one; `None` if none was trained, or it is in force.
    fallback: Option<String>,
}

impl Models {
    /// The model of a data directory. One that cannot be read, such as that of another version of the
    /// signals, is left in place and logged; the shipped one is then in force ([`Models::fallback`]).
    ///
    /// # Errors
    /// The shipped model cannot be read.
    pub fn open(data_dir: &Path) -> Result<Self, ModelError> {
        let path = data_dir.join(FILE);
        let (model, fallback) = match trained(&path) {
            Ok(Some(model)) => (model, None),
            Ok(None) => (Model::shipped()?, None),
            Err(reason) => {
                let file = path.display();
                tracing::warn!(%file, reason, "the trained model cannot be used: falling back to the shipped model");
                (
                    Model::shipped()?,
                    Some(format!("{file} cannot be used: {reason}")),
                )
            }
        };
        let model = Arc::new(model);
        Ok(Self {
            data_dir: data_dir.to_owned(),
            current: RwLock::new(InForce { model, fallback }),
            changing: Mutex::default(),
        })
    }

    /// The model that pairs are judged by now.
    pub fn in_force(&self) -> Arc<Model> {
        let current = self.current.read();
        Arc::clone(&current.unwrap_or_else(PoisonError::into_inner).model)
    }

    /// Why the shipped model judges in place of a trained one whose file cannot be used; `None` if that is not so.
    pub fn fallback(&self) -> Option<String> {
        let current = self.current.read();
        let current = current.unwrap_or_else(PoisonError::into_inner);
        current.fallback.clone()
    }

    /// Judges by this model from now on, once its file is power-safe. After a failure the previous model
    /// stays in force.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn replace(&self, model: Model) -> io::Result<()> {
        let _changing = self.changing.lock();
        hashed_file::replace(&self.data_dir, [FILE, NEW], &model.to_string())?;
        self.set(model);
        Ok(())
    }

    /// Judges by the shipped model from now on; returns the model that was in force.
    ///
    /// # Errors
    /// The file of the trained one cannot be removed.
    pub fn reset(&self) -> io::Result<Arc<Model>> {
        let _changing = self.changing.lock();
        let shipped = Model::shipped().map_err(io::Error::other)?;
        match std::fs::remove_file(self.data_dir.join(FILE)) {
            Err(error) if error.kind() != ErrorKind::NotFound => return Err(error),
            _ => File::open(&self.data_dir)?.sync_all()?,
        }
        let before = self.in_force();
        self.set(shipped);
        Ok(before)
    }

    fn set(&self, model: Model) {
        let (id, note) = (model.id(), model.note());
        let hash = blake3::Hash::from_bytes(id.hash);
        tracing::info!(name = %id.name, %hash, note, "the model that pairs are judged by");
        let mut current = self.current.write().unwrap_or_else(PoisonError::into_inner);
        *current = InForce {
            model: Arc::new(model),
            fallback: None,
        };
    }
}

/// The model kept in a file, if there is one.
fn trained(path: &Path) -> Result<Option<Model>, String> {
    let file = match safe_fs::open_read(path) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
        file => file.map_err(|error| error.to_string())?,
    };
    let mut text = String::new();
    let read = file.take(LONGEST).read_to_string(&mut text);
    read.map_err(|error| match error.kind() {
        ErrorKind::InvalidData => "the file is damaged: it is no text".to_owned(),
        _ => error.to_string(),
    })?;
    let (lines, _) = hashed_file::checked(&text)
        .ok_or("the file is damaged: its last line is not the hash of the others")?;
    let model = Model::parse(lines);
    model.map(Some).map_err(|error| error.to_string())
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt as _;

    use super::*;

    const OTHER: &str = "simdex-judge 3\nname ours\nnote 20 pairs\nsame 3 0 0 0\n";

    #[test]
    fn a_trained_model_stays_in_force_over_a_restart_until_it_is_reset() {
        let dir = tempfile::tempdir().unwrap();
        let models = Models::open(dir.path()).unwrap();
        let shipped = Arc::clone(models.in_force().id());
        let ours = Model::parse(OTHER).unwrap();
        models.replace(ours.clone()).unwrap();
        assert_eq!(*models.in_force(), ours);
        let path = dir.path().join(FILE);
        let mode = std::fs::metadata(&path).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
        assert!(!dir.path().join(NEW).exists());
        let reopened = Models::open(dir.path()).unwrap();
        assert_eq!(*reopened.in_force(), ours);
        assert_eq!(*reopened.reset().unwrap(), ours);
        assert_eq!(reopened.in_force().id(), &shipped);
        assert!(!path.exists());
        assert_eq!(reopened.reset().unwrap().id(), &shipped);
    }

    #[test]
    fn a_file_that_is_damaged_or_of_another_version_leaves_the_shipped_model_in_force() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join(FILE);
        let name = || {
            Models::open(dir.path())
                .unwrap()
                .in_force()
                .id()
                .name
                .clone()
        };
        Models::open(dir.path())
            .unwrap()
            .replace(Model::parse(OTHER).unwrap())
            .unwrap();
        let whole = std::fs::read_to_string(&path).unwrap();
        assert_eq!(name(), "ours");
        for damaged in [
            whole.replace("same 3", "same 4"),
            whole.replace("simdex-judge 3", "simdex-judge 1"),
            whole[..whole.len() - 8].to_owned(),
            OTHER.replace("judge 3", "judge 2"),
            String::new(),
        ] {
            std::fs::write(&path, &damaged).unwrap();
            let models = Models::open(dir.path()).unwrap();
            assert_eq!(models.in_force().id().name, Model::SHIPPED, "{damaged}");
            let said = models.fallback().unwrap();
            assert!(said.contains("judge-model cannot be used: "), "{said}");
            // A file that somebody may still want is left in place.
            assert_eq!(std::fs::read_to_string(&path).unwrap(), damaged);
        }
        // Written by hand, without the hash line.
        std::fs::write(&path, OTHER).unwrap();
        assert_eq!(name(), "ours");
        // Once another model is in force, nothing is said of the file that it replaces.
        std::fs::write(&path, "").unwrap();
        let models = Models::open(dir.path()).unwrap();
        assert!(models.fallback().is_some());
        models.reset().unwrap();
        assert_eq!(models.fallback(), None);
    }

    #[test]
    fn a_model_that_cannot_be_kept_does_not_come_into_force() {
        let dir = tempfile::tempdir().unwrap();
        let models = Models::open(dir.path()).unwrap();
        std::fs::create_dir(dir.path().join(NEW)).unwrap();
        let before = models.in_force();
        assert!(models.replace(Model::parse(OTHER).unwrap()).is_err());
        assert_eq!(models.in_force(), before);
    }
}
