//! Reads the list of lines that are left out of what is signed and compared.

use std::fs::File;
use std::io::{self, Read};
use std::path::PathBuf;

use simdex_signature::{ShortTemplateLine, TemplateLines};
use thiserror::Error;

use super::Config;

/// Greatest length of a list, bytes.
const LONGEST: u64 = 4 << 20;

/// A list of template lines that cannot be used.
#[derive(Debug, Error)]
pub enum TemplateListError {
    /// The file cannot be read.
    #[error("the list of template lines {} cannot be read ({source}); name a file that the daemon may read, or leave template_lines out", path.display())]
    Unreadable {
        /// Path of the list.
        path: PathBuf,
        /// What the operating system said.
        source: io::Error,
    },
    /// The file is too long.
    #[error("the list of template lines {} is longer than {LONGEST} bytes; leave out fewer lines", .0.display())]
    TooLong(PathBuf),
    /// The file is not text.
    #[error("the list of template lines {} is not UTF-8 text: byte {at} is where that ends; write it in UTF-8", path.display())]
    NotText {
        /// Path of the list.
        path: PathBuf,
        /// Number of valid UTF-8 bytes before the first invalid one.
        at: usize,
    },
    /// A line is so short that it would be removed from texts where it has another meaning.
    #[error("the list of template lines {} cannot be used: {source}", path.display())]
    Short {
        /// Path of the list.
        path: PathBuf,
        /// The line, and why it is refused.
        source: ShortTemplateLine,
    },
    /// The list leaves nothing out.
    #[error("the list of template lines {} names no line; `simctl templates --lines` prints such a list, and without one leave template_lines out", .0.display())]
    Empty(PathBuf),
}

impl Config {
    /// Reads the list that the config names, once: the index uses it until the daemon restarts.
    pub(super) fn read_template_list(&mut self) -> Result<(), TemplateListError> {
        let Some(path) = self.template_lines.clone() else {
            return Ok(());
        };
        let unreadable = |source| TemplateListError::Unreadable {
            path: path.clone(),
            source,
        };
        let mut text = Vec::new();
        let file = File::open(&path).map_err(unreadable)?;
        let read = file.take(LONGEST + 1).read_to_end(&mut text);
        if read.map_err(unreadable)? as u64 > LONGEST {
            return Err(TemplateListError::TooLong(path));
        }
        let text = String::from_utf8(text).map_err(|error| TemplateListError::NotText {
            path: path.clone(),
            at: error.utf8_error().valid_up_to(),
        })?;
        let lines = TemplateLines::parse(&text);
        self.template_list = lines.map_err(|source| TemplateListError::Short {
            path: path.clone(),
            source,
        })?;
        match self.template_list.is_empty() {
            true => Err(TemplateListError::Empty(path)),
            false => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use simdex_signature::{CanonicalText, LineKey};

    use super::*;

    /// Loads a config that names a list of these bytes; returns the config or the error message.
    fn loaded(list: impl AsRef<[u8]>) -> Result<Config, String> {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("list");
        std::fs::write(&path, list).unwrap();
        loaded_from(dir.path(), &path)
    }

    fn loaded_from(dir: &std::path::Path, list: &std::path::Path) -> Result<Config, String> {
        let config = dir.join("config.toml");
        std::fs::write(&config, format!("template_lines = {list:?}\n")).unwrap();
        let named = dir.display().to_string();
        Config::load(&config).map_err(|error| error.to_string().replace(&named, "DIR"))
    }

    #[test]
    fn the_lines_of_a_list_are_among_the_parameters() {
        let list = "# of all letters\nAcme Ltd, 12 High Street\n";
        let with = loaded(list).unwrap();
        assert_eq!(with.template_list.len(), 1);
        assert!(with.parameters().template_lines.is_some());
        let with_mark = loaded(format!("\u{feff}{list}")).unwrap();
        assert_eq!(with_mark.parameters(), with.parameters());
        assert_eq!(Config::default().parameters().template_lines, None);
    }

    #[test]
    fn a_line_is_read_as_it_was_listed() {
        for start in [
            "plain",
            "# a heading",
            "\\# so",
            "\\\\# and so",
            "\\plain",
            "a\u{ad}\t\u{200e}b",
            "3\u{2062}5",
            "\u{feff}# a mark before it",
            "\u{200b}\\# hidden before it",
            "a\u{fff9}b\u{fffa}c\u{fffb}d",
            "\u{fffb}# kept before it",
        ] {
            let line = format!("{start}, and more that makes it long enough");
            let listed = simdex_proto::text::template_line(&line);
            assert!(!listed.contains(['\u{ad}', '\u{200e}', '\u{200b}', '\u{feff}']));
            let key = LineKey::of(CanonicalText::from_extracted(&line).as_str());
            let list = TemplateLines::parse(&listed).unwrap();
            assert!(list.len() == 1 && list.contains(key), "{listed:?}");
        }
    }

    #[test]
    fn a_list_that_cannot_be_used_is_refused() {
        let refused = [
            (
                "# only this\n".to_owned().into_bytes(),
                "the list of template lines DIR/list names no line; `simctl templates --lines` prints such a list, and \
                 without one leave template_lines out",
            ),
            (
                "a".repeat(LONGEST as usize + 1).into_bytes(),
                "the list of template lines DIR/list is longer than 4194304 bytes; leave out fewer lines",
            ),
            (
                b"a line in Latin-1 is n\xf8t read".to_vec(),
                "the list of template lines DIR/list is not UTF-8 text: byte 22 is where that ends; write it in UTF-8",
            ),
            (
                b"# short\nPage 1\n".to_vec(),
                "the list of template lines DIR/list cannot be used: line 2 is shorter than 20 bytes of canonical \
                 text; lengthen it, or take it out of the list",
            ),
        ];
        for (list, said) in refused {
            assert_eq!(loaded(list).unwrap_err(), said);
        }
        let dir = tempfile::tempdir().unwrap();
        let said = loaded_from(dir.path(), "lines".as_ref()).unwrap_err();
        assert_eq!(
            said,
            "the config DIR/config.toml is not valid: template_lines is lines; it must be an absolute path; `simdexd \
             sample-config` explains every key"
        );
        let said = loaded_from(dir.path(), "/nowhere/lines".as_ref()).unwrap_err();
        let cause = "the list of template lines /nowhere/lines cannot be read (No such";
        assert!(said.starts_with(cause), "{said}");
    }
}
