//! ZIP archives (APPNOTE 6.3.10). The central directory lists the content; if it is lost, the local headers are
//! followed from the front.

mod hidden;
mod salvage;

use std::io::{BufReader, Read};

use simdex_extract::{Outcome, Reason};
use zip::{ExtraField, SUPPORTED_COMPRESSION_METHODS, ZipArchive};

use self::hidden::Hidden;
use super::{Entries, Reading};
use crate::input::{Input, InputReader};
use crate::sink::Sink;
use crate::zip_header::LOCAL_HEADER;

type Archive<'a> = ZipArchive<BufReader<InputReader<'a>>>;

pub(crate) fn read(input: &Input, sink: &mut Sink) -> Reading {
    let Ok(mut archive) = ZipArchive::new(BufReader::new(input.reader())) else {
        return salvage::read(input, sink);
    };
    let hidden = hidden::find(&archive, input);
    if overlaps(&archive, &hidden) {
        return Err(Outcome::Failed(Reason::OverlappingEntries));
    }
    let mut entries = Entries::new(sink);
    for index in 0..archive.len() {
        if !entries.has_room() {
            break;
        }
        entry(&mut archive, index, input.len(), &mut entries);
    }
    hidden::read(&hidden, &mut archive, input, &mut entries)?;
    if archive.has_duplicate_names() {
        let missing = hidden.is_empty().then_some(Reason::PartsFailed);
        entries.note(missing);
    }
    entries.finish()
}

fn entry(archive: &mut Archive<'_>, index: usize, length: u64, entries: &mut Entries<'_>) {
    let Ok(raw) = archive.by_index_raw(index) else {
        let name = archive.name_for_index(index).and_then(Result::ok);
        let name = name.unwrap_or_default().into_owned();
        return entries.unread(&name, None, Reason::Damaged);
    };
    let (name, modified) = (label(&raw), modified(&raw));
    if raw.is_dir() {
        entries.seen += 1;
        return;
    }
    if raw.is_symlink() {
        return entries.link();
    }
    if raw.encrypted() {
        return entries.unread(&name, modified, Reason::PasswordNeeded);
    }
    if !SUPPORTED_COMPRESSION_METHODS.contains(&raw.compression()) {
        return entries.unread(&name, modified, Reason::KindNotRead);
    }
    let packed = raw.compressed_size().min(length);
    drop(raw);
    match archive.by_index(index) {
        Ok(mut file) => {
            entries.file(&name, modified, packed, &mut file);
        }
        Err(_) => entries.unread(&name, modified, Reason::Damaged),
    }
}

/// Whether bytes belong to two entries, as in bombs. Only the central directory is used, so the lengths of local names
/// are left out: a little less is found, but no false overlap.
fn overlaps(archive: &Archive<'_>, hidden: &[Hidden]) -> bool {
    let entries = (0..archive.len()).filter_map(|index| archive.by_index_data(index).ok());
    let entries = entries.map(|entry| (entry.header_start(), entry.compressed_size()));
    let hidden = hidden.iter().map(|entry| (entry.start, entry.packed()));
    let mut spans: Vec<_> = entries
        .chain(hidden)
        .map(|(start, packed)| {
            let length = LOCAL_HEADER.saturating_add(packed);
            (start, start.saturating_add(length))
        })
        .collect();
    spans.sort_unstable();
    spans.windows(2).any(|pair| pair[0].1 > pair[1].0)
}

/// The name as a label: Windows' separators become `/` if the archive uses no others.
fn label<R: Read>(entry: &zip::read::ZipFile<'_, R>) -> String {
    let name = entry.name().unwrap_or_default().into_owned();
    if name.contains('/') {
        name
    } else {
        name.replace('\\', "/")
    }
}

/// Seconds since 1970: by the extended timestamp, otherwise by the DOS time, which has no zone.
fn modified<R: Read>(entry: &zip::read::ZipFile<'_, R>) -> Option<i64> {
    let extended = entry.extra_data_fields().find_map(|field| match field {
        ExtraField::ExtendedTimestamp(times) => times.mod_time(),
        _ => None,
    });
    extended.map(i64::from).or_else(|| {
        let time = entry.last_modified().filter(|time| time.year() > 1980)?;
        let days = days_since_1970(time.year().into(), time.month().into(), time.day().into());
        let (hour, minute) = (i64::from(time.hour()), i64::from(time.minute()));
        Some(((days * 24 + hour) * 60 + minute) * 60 + i64::from(time.second()))
    })
}

/// Days of the proleptic Gregorian calendar; years begin in March, so that the leap day is last.
fn days_since_1970(year: i64, month: i64, day: i64) -> i64 {
    let (year, month) = if month > 2 {
        (year, month - 3)
    } else {
        (year - 1, month + 9)
    };
    let leaps = year.div_euclid(4) - year.div_euclid(100) + year.div_euclid(400);
    year * 365 + leaps + (153 * month + 2) / 5 + day - 1 - 719_468
}

#[cfg(test)]
mod tests;
