//! The fuzzing targets: one per format, each with the words of its format.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};

use super::words::*;
use crate::handmade::office;

/// Longer files of a corpus are passed over: what breaks a reader is seldom long.
const LONGEST_SEED: u64 = 256 << 10;

/// A family of readers to fuzz, with what mutations are made of.
#[derive(Clone, Copy)]
pub struct Target {
    /// As given on the command line, and the folder of its seeds.
    pub name: &'static str,
    /// How names of such files end; the first names the mutated ones.
    pub endings: &'static [&'static str],
    /// Words of the format that a mutation puts anywhere.
    pub words: &'static [&'static [u8]],
    /// Whether it is a ZIP archive of parts that are worth mutating one by one.
    pub is_package: bool,
}

const fn target(
    name: &'static str,
    endings: &'static [&'static str],
    words: &'static [&'static [u8]],
) -> Target {
    Target {
        name,
        endings,
        words,
        is_package: false,
    }
}

const fn package(
    name: &'static str,
    endings: &'static [&'static str],
    words: &'static [&'static [u8]],
) -> Target {
    Target {
        is_package: true,
        ..target(name, endings, words)
    }
}

/// All targets, in the order of their list.
pub const TARGETS: &[Target] = &[
    target("plain", &["txt", "md", "csv", "json", "log"], TEXT),
    target("html", &["html", "htm", "xhtml", "mht", "mhtml"], HTML),
    target("xml", &["xml", "svg"], XML),
    target("rtf", &["rtf"], RTF),
    target("pdf", &["pdf"], PDF),
    package("docx", &["docx", "docm", "dotx"], WORD),
    package("pptx", &["pptx", "pptm", "ppsx", "potx"], SLIDES),
    package("xlsx", &["xlsx", "xlsm", "xltx"], SHEETS),
    package("xlsb", &["xlsb"], BIFF12),
    package("odf", &["odt", "ods", "odp", "ott"], ODF),
    package("epub", &["epub"], EPUB),
    target("doc", &["doc", "dot"], DOC),
    target("xls", &["xls", "xlt"], XLS),
    target("ppt", &["ppt", "pps"], PPT),
    target("msg", &["msg"], MSG),
    target("mail", &["eml", "mht"], MAIL),
    target("mbox", &["mbox", "mbx"], MAIL),
    target("pst", &["pst", "ost"], PST),
    target("tnef", &["dat", "tnef"], TNEF),
    target("card", &["vcf", "ics"], CARD),
    target("subtitles", &["srt", "vtt"], SUBTITLES),
    package("zip", &["zip", "jar"], ZIP),
    target("tar", &["tar"], TAR),
    target("packed", &["gz", "bz2", "xz", "zst", "tgz"], PACKED),
    target("7z", &["7z"], SEVEN_ZIP),
    target(super::lying::TARGET, &["txt"], PROTOCOL),
];

/// The target of this name.
pub fn find(name: &str) -> Option<&'static Target> {
    TARGETS.iter().find(|target| target.name == name)
}

impl Target {
    /// Words of this format and of those it is built on.
    pub fn all_words(&self) -> Vec<&'static [u8]> {
        let below = match self.name {
            "doc" | "xls" | "ppt" | "msg" => COMPOUND,
            "docx" | "pptx" | "xlsx" | "odf" | "epub" => XML,
            "xlsb" => ZIP,
            "mbox" => TEXT,
            _ => &[],
        };
        [self.words, below].concat()
    }

    /// The seeds of the tree, and files of this kind below `corpus`, which stay where they are.
    pub fn seeds(&self, corpus: Option<&Path>) -> Result<Vec<Vec<u8>>> {
        let own = Path::new(env!("CARGO_MANIFEST_DIR"))
            .join("fuzz")
            .join(self.name);
        let mut paths = if own.is_dir() {
            files_below(&own)?
        } else {
            Vec::new()
        };
        for path in corpus.map(files_below).transpose()?.unwrap_or_default() {
            let ending = path
                .extension()
                .unwrap_or_default()
                .to_string_lossy()
                .to_lowercase();
            let is_short = path.metadata().is_ok_and(|file| file.len() <= LONGEST_SEED);
            if is_short && self.endings.contains(&ending.as_str()) {
                paths.push(path);
            }
        }
        let read = |path: &PathBuf| fs::read(path).with_context(|| path.display().to_string());
        let mut seeds = made(self.name);
        seeds.extend(paths.iter().map(read).collect::<Result<Vec<_>>>()?);
        ensure!(!seeds.is_empty(), "{} holds no seeds", own.display());
        Ok(seeds)
    }
}

/// Seeds that are simpler made than kept.
fn made(target: &str) -> Vec<Vec<u8>> {
    const TEXT: &str = "a short text of a few words, of which each stands once";
    const CELL: &str = "<table:table-row><table:table-cell table:number-columns-repeated=\"3\" \
         office:value-type=\"string\"><text:p>cell</text:p></table:table-cell></table:table-row>";
    const ROW: &str = "<row r=\"1\"><c r=\"A1\" t=\"s\"><v>0</v></c><c r=\"B1\"><v>5</v></c></row>";
    const STRINGS: &str = "<sst xmlns=\"http://schemas.openxmlformats.org/spreadsheetml/2006/main\" \
         uniqueCount=\"1\"><si><t>shared</t></si></sst>";
    match target {
        "docx" => vec![office::docx_of("", TEXT, &[])],
        "pptx" => vec![office::pptx_of(TEXT)],
        "xlsx" => vec![office::xlsx_of(STRINGS, ROW)],
        "xlsb" => vec![office::xlsb_of(TEXT)],
        "odf" => {
            let text = "<text:h>head</text:h><text:p>one<text:s text:c=\"2\"/>two</text:p>";
            vec![office::odt_of(text), office::ods_of(CELL)]
        }
        "epub" => vec![office::epub_of(TEXT)],
        super::lying::TARGET => vec![TEXT.into()],
        _ => Vec::new(),
    }
}

/// Regular files below a folder, by path.
fn files_below(folder: &Path) -> Result<Vec<PathBuf>> {
    let (mut open, mut files) = (vec![folder.to_owned()], Vec::new());
    while let Some(folder) = open.pop() {
        for entry in fs::read_dir(&folder).with_context(|| folder.display().to_string())? {
            let entry = entry?;
            let kind = entry.file_type()?;
            if kind.is_dir() {
                open.push(entry.path());
            } else if kind.is_file() {
                files.push(entry.path());
            }
        }
    }
    files.sort();
    Ok(files)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Bytes a committed seed may have.
    const LARGEST_SEED: u64 = 20 << 10;

    #[test]
    fn every_target_has_small_seeds_in_the_tree() {
        for target in TARGETS {
            let seeds = target.seeds(None).unwrap();
            let largest = seeds.iter().map(Vec::len).max().unwrap();
            assert!(largest as u64 <= LARGEST_SEED, "{}: {largest}", target.name);
        }
    }
}
