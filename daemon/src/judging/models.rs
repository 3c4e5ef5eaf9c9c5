//! The model in force: the one that lies in the data directory, else the one that ships with the program.

use std::io::ErrorKind;
use std::path::Path;
use std::sync::Arc;

use simdex_judge::{Model, ModelError};

/// The file of a trained model, in the data directory.
const FILE: &str = "judge-model";

/// Which model pairs are judged by.
pub struct Models {
    current: Arc<Model>,
}

impl Models {
    /// The model of a data directory. One that does not read, such as that of another version of the signals,
    /// is left where it is and said in the log; the shipped one is in force then.
    ///
    /// # Errors
    /// The shipped one does not read.
    pub fn open(data_dir: &Path) -> Result<Self, ModelError> {
        let path = data_dir.join(FILE);
        let current = match trained(&path) {
            Ok(Some(model)) => model,
            Ok(None) => Model::shipped()?,
            Err(reason) => {
                let file = path.display();
                tracing::warn!(%file, reason, "the trained model is not used: the shipped one is");
                Model::shipped()?
            }
        };
        Ok(Self {
            current: Arc::new(current),
        })
    }

    /// The model that pairs are judged by now.
    pub fn in_force(&self) -> Arc<Model> {
        Arc::clone(&self.current)
    }
}

/// The model kept in a file, where there is one.
fn trained(path: &Path) -> Result<Option<Model>, String> {
    match std::fs::read_to_string(path) {
        Ok(file) => Model::parse(&file)
            .map(Some)
            .map_err(|error| error.to_string()),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error.to_string()),
    }
}
