//! Packages: ZIP archives of parts that make one document (OOXML, ODF, EPUB).
//!
//! Parts are streamed from the archive; nothing is unpacked to disk. Bytes of an entry are counted while they are read,
//! since the sizes in the archive are only claims.

use std::io::{BufRead, BufReader, Read};

use quick_xml::events::{BytesStart, Event};
use quick_xml::{Reader, XmlVersion};
use simdex_extract::{Budgets, Outcome, Reason};
use zip::ZipArchive;
use zip::result::ZipError;

use super::Reading;
use super::root_element::RootElement;
use crate::input::{Input, InputReader};

/// An open package.
pub(super) struct Package<'a> {
    archive: ZipArchive<BufReader<InputReader<'a>>>,
    /// Length of the file: no entry can be packed in more.
    length: u64,
    budgets: Budgets,
    /// Bytes that may still be inflated.
    left: u64,
}

impl<'a> Package<'a> {
    pub(super) fn open(input: &'a Input, budgets: &Budgets) -> Result<Self, Outcome> {
        let archive = ZipArchive::new(BufReader::new(input.reader())).map_err(outcome_of)?;
        if archive.len() > budgets.entries as usize {
            return Err(Outcome::TooLarge(Reason::PartsLimit));
        }
        Ok(Self {
            archive,
            length: input.len(),
            left: budgets.total_bytes,
            budgets: budgets.clone(),
        })
    }

    /// Names of all parts, in the archive's order.
    pub(super) fn names(&self) -> Vec<String> {
        let names = self.archive.file_names().filter_map(Result::ok);
        names.map(Into::into).collect()
    }

    /// Opens a part for `read` and charges its inflated bytes.
    pub(super) fn stream(
        &mut self,
        name: &str,
        read: impl FnOnce(&mut dyn BufRead) -> Option<Reason>,
    ) -> Reading {
        let entry = self.archive.by_name(name).map_err(outcome_of)?;
        let packed = entry.compressed_size().min(self.length);
        let limit = self.left.min(self.budgets.unpacked(packed));
        let mut reader = BufReader::new(entry.take(limit));
        let reason = read(&mut reader);
        let left = reader.into_inner().limit();
        self.left -= limit - left;
        Ok(if left == 0 {
            Some(Reason::InflateLimit)
        } else {
            reason
        })
    }

    /// Feeds the XML events of a part to `take` until it returns false.
    pub(super) fn xml(&mut self, name: &str, take: impl FnMut(&Event<'_>) -> bool) -> Reading {
        let depth = self.budgets.markup_depth as usize;
        self.stream(name, |reader| each_event(reader, depth, take))
    }
}

fn outcome_of(error: ZipError) -> Outcome {
    match error {
        ZipError::UnsupportedArchive(ZipError::PASSWORD_REQUIRED) => {
            Outcome::Encrypted(Reason::PasswordNeeded)
        }
        _ => Outcome::Failed(Reason::Malformed),
    }
}

/// Feeds events to `take` until it has enough, the part ends, or a limit is reached. A part that ends before its root
/// element does is damaged.
pub(super) fn each_event(
    reader: &mut dyn BufRead,
    max_depth: usize,
    mut take: impl FnMut(&Event<'_>) -> bool,
) -> Option<Reason> {
    let mut reader = Reader::from_reader(reader);
    reader.config_mut().check_end_names = false;
    reader.config_mut().allow_unmatched_ends = true;
    let (mut buffer, mut depth, mut root) = (Vec::new(), 0_usize, RootElement::default());
    loop {
        buffer.clear();
        let event = match reader.read_event_into(&mut buffer) {
            Ok(Event::Eof) => return root.is_open().then_some(Reason::Damaged),
            Ok(event) => event,
            Err(_) => return Some(Reason::Damaged),
        };
        root.take(&event);
        match event {
            Event::Start(_) => depth += 1,
            Event::End(_) => depth = depth.saturating_sub(1),
            _ => {}
        }
        if depth > max_depth {
            return Some(Reason::DepthLimit);
        }
        if !take(&event) {
            return None;
        }
    }
}

/// The remark on a part that breaks off.
pub(super) fn part_is_damaged(name: &str) -> String {
    format!("the part {name} is damaged: what follows the damage was not read")
}

/// The value of an attribute.
pub(super) fn attribute(tag: &BytesStart<'_>, name: &str) -> Option<String> {
    let attribute = tag.try_get_attribute(name).ok()??;
    let value = attribute.normalized_value(XmlVersion::Implicit1_0).ok()?;
    Some(value.into_owned())
}

#[cfg(test)]
pub(super) mod tests {
    //! Archives made here.

    use std::io::{Cursor, Write};

    use zip::write::{SimpleFileOptions, ZipWriter};

    pub(crate) fn zip_of(entries: &[(&str, &[u8])]) -> Vec<u8> {
        let mut writer = ZipWriter::new(Cursor::new(Vec::new()));
        for (name, content) in entries {
            writer
                .start_file(*name, SimpleFileOptions::default())
                .unwrap();
            writer.write_all(content).unwrap();
        }
        writer.finish().unwrap().into_inner()
    }
}
