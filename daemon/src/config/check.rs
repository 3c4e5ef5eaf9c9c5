//! Reads a config file and reports what is wrong with it: a value outside the range of its key,
//! keys that contradict each other, roots that overlap.
//!
//! Ranges are checked on the parsed TOML, before numbers are narrowed to the types of the keys, so
//! that a refusal always states key, value and range; and again on the finished config, for values
//! that did not come from a file. What only the file system can tell (two names of one directory, a
//! data directory inside a root) is checked where the roots are opened.

use std::fs::File;
use std::io::Read;
use std::os::unix::ffi::OsStrExt;
use std::path::{Component, Path, PathBuf};

use thiserror::Error;

use super::schemes::check_renamed;
use super::template_list::TemplateListError;
use super::{Config, Value};

/// Greatest length of a config file, bytes.
const LONGEST: u64 = 1 << 20;

/// A config that cannot be used.
#[derive(Debug, Error)]
pub enum ConfigError {
    /// The file cannot be read.
    #[error("the config {} cannot be read ({source}); name a readable file with --config", path.display())]
    Unreadable {
        /// Path of the config.
        path: PathBuf,
        /// What the operating system said.
        source: std::io::Error,
    },
    /// The list of template lines cannot be used.
    #[error(transparent)]
    TemplateLines(#[from] TemplateListError),
    /// The content of the file is invalid.
    #[error("the config {} is not valid: {reason}; `simdexd sample-config` explains every key", path.display())]
    Invalid {
        /// Path of the config.
        path: PathBuf,
        /// What is wrong, and where.
        reason: String,
    },
}

impl Config {
    /// Reads and checks a config file, and the list of template lines that it names; opens nothing else.
    pub fn load(path: &Path) -> Result<Self, ConfigError> {
        let unreadable = |source| ConfigError::Unreadable {
            path: path.to_owned(),
            source,
        };
        let mut text = String::new();
        let file = File::open(path).map_err(unreadable)?;
        let read = file.take(LONGEST + 1).read_to_string(&mut text);
        let invalid = |reason: String| ConfigError::Invalid {
            path: path.to_owned(),
            reason,
        };
        if read.map_err(unreadable)? as u64 > LONGEST {
            return Err(invalid(format!("it is longer than {LONGEST} bytes")));
        }
        let mut config = Self::parse(&text).map_err(invalid)?;
        // Otherwise it would name another list in each working directory.
        if let Some(relative) = config
            .template_lines
            .as_ref()
            .filter(|path| path.is_relative())
        {
            let relative = relative.display();
            return Err(invalid(format!(
                "template_lines is {relative}; it must be an absolute path"
            )));
        }
        config.read_template_list()?;
        Ok(config)
    }

    /// Parses and checks the text of a config.
    pub(super) fn parse(text: &str) -> Result<Self, String> {
        let error = |error: toml::de::Error| refusal(text, &error);
        let table: toml::Table = toml::from_str(text).map_err(error)?;
        check_renamed(&table)?;
        check_numbers(&table)?;
        let mut config: Self = toml::from_str(text).map_err(error)?;
        for root in &mut config.roots {
            // `/a/`, `//a` and `/a/.` are `/a`: a root is recorded under one spelling.
            root.path = root.path.components().collect();
        }
        config.check()?;
        Ok(config)
    }

    /// Reports what is wrong with a config, if anything.
    pub fn check(&self) -> Result<(), String> {
        let settings = self.settings();
        let refusal = settings
            .iter()
            .find_map(|setting| setting.refusal(&setting.value));
        refusal.map_or(Ok(()), Err)?;
        self.check_together()?;
        self.store.check_memory()?;
        self.check_languages()?;
        self.check_roots()?;
        self.check_schedules()
    }

    /// Keys that bound each other.
    fn check_together(&self) -> Result<(), String> {
        let (extract, watch) = (&self.extract, &self.watch);
        let input = ("extract.input_mib", extract.input_mib.bytes());
        let spool = ("extract.spool_mib", extract.spool_mib.bytes());
        let unpacked = extract.container_mib.bytes().saturating_mul(2);
        let two_messages = self.grpc.max_message_mib.bytes().saturating_mul(2);
        let two_uploads = self.grpc.max_upload_mib.bytes().saturating_mul(2);
        let unread = self.grpc.max_unread_mib.bytes();
        let within = [
            (input, spool),
            (("extract.container_mib, twice,", unpacked), spool),
            (("extract.raw_mib", extract.raw_mib.bytes()), input),
            (
                (
                    "extract.container_entry_mib",
                    extract.container_entry_mib.bytes(),
                ),
                ("extract.container_mib", extract.container_mib.bytes()),
            ),
            (
                ("grpc.max_upload_mib", self.grpc.max_upload_mib.bytes()),
                input,
            ),
            (
                ("grpc.max_upload_mib, twice,", two_uploads),
                ("grpc.max_uploads_mib", self.grpc.max_uploads_mib.bytes()),
            ),
            (
                ("grpc.max_message_mib, twice,", two_messages),
                ("grpc.max_unread_mib", unread),
            ),
            (
                ("watch.debounce_ms", watch.debounce_ms),
                (
                    "watch.max_delay_seconds",
                    watch.max_delay_seconds.saturating_mul(1_000),
                ),
            ),
        ];
        let wrong = within.iter().find(|((_, less), (_, more))| less > more);
        wrong.map_or(Ok(()), |((less, _), (more, _))| {
            Err(format!(
                "{less} is more than {more}; lower the one or raise the other"
            ))
        })
    }

    /// Checks the languages, which become an argument of a program.
    fn check_languages(&self) -> Result<(), String> {
        let languages = &self.outside.ocr_languages;
        let plain = |c: char| c.is_ascii_alphanumeric() || "_/+".contains(c);
        if languages.is_empty() || languages.len() > 256 || !languages.chars().all(plain) {
            return Err(format!(
                "outside.ocr_languages is {languages:?}; it must be names of languages joined by +, \
                 such as \"eng+deu\""
            ));
        }
        Ok(())
    }

    /// Checks what can be seen from the spelling of the roots.
    fn check_roots(&self) -> Result<(), String> {
        for (at, root) in self.roots.iter().enumerate() {
            let (path, shown) = (&root.path, root.path.display());
            if !path.is_absolute() {
                return Err(format!("the root {shown} is not an absolute path"));
            }
            if path.components().any(|part| part == Component::ParentDir) {
                return Err(format!(
                    "the root {shown} has a `..` in its path; write the path out"
                ));
            }
            if path.as_os_str().as_bytes().contains(&0) {
                return Err("the path of a root has a NUL in it".to_owned());
            }
            let others = self.roots[..at].iter().map(|other| &other.path);
            let overlaps = |other: &&PathBuf| path.starts_with(other) || other.starts_with(path);
            if let Some(other) = others.into_iter().find(overlaps) {
                let other = other.display();
                return Err(format!(
                    "the roots {shown} and {other} overlap; keep one of them"
                ));
            }
        }
        Ok(())
    }
}

/// What the parser says of a text, on one line, with the line of the text that it means.
fn refusal(text: &str, error: &toml::de::Error) -> String {
    let words = error.message().trim_end().replace('\n', ", ");
    let before = error.span().and_then(|span| text.get(..span.start));
    let Some(before) = before else {
        return words;
    };
    let number = before.matches('\n').count();
    let line = text.lines().nth(number).unwrap_or_default().trim();
    let shown: String = line.chars().take(MAX_SHOWN).collect();
    format!("line {}, `{shown}`: {words}", number + 1)
}

/// Most characters of a line that a refusal shows.
const MAX_SHOWN: usize = 60;

/// Checks every number of a config file against the range of its key.
fn check_numbers(table: &toml::Table) -> Result<(), String> {
    for setting in Config::default().settings() {
        let section = table.get(setting.section).and_then(toml::Value::as_table);
        let value = match section.and_then(|section| section.get(setting.key)) {
            Some(toml::Value::Integer(number)) => Value::Whole(*number),
            Some(toml::Value::Float(number)) => Value::Ratio(*number),
            _ => continue,
        };
        if let Some(refusal) = setting.refusal(&value) {
            return Err(refusal);
        }
    }
    Ok(())
}
