//! Bad by their place in the file system: names, kinds, sizes, times (inputs 1 to 33).

use std::ffi::OsStr;
use std::fs::{self, File, FileTimes};
use std::io::{BufWriter, Write};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::symlink;
use std::os::unix::net::UnixListener;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use anyhow::Result;
use rustix::fs::{CWD, FileType, Mode, makedev, mknodat};

use super::bed::{Bed, WEAKER, rows, text};
use crate::handmade::{pdf, zip};

/// What has a second name elsewhere.
pub(super) const LINKED: &str = "12-link.txt";
/// Files in one directory.
const MANY: u64 = 100_000 / WEAKER;
/// Directories within one another, and how many of them a walk enters below the folder of bad inputs.
const DEEP: usize = 3_000;
const ENTERED: usize = 254;
const LONG_LINE: u64 = 500 << 20;

pub(super) fn make(bed: &mut Bed) -> Result<()> {
    sizes(bed)?;
    nodes(bed)?;
    links(bed)?;
    names(bed)?;
    times(bed)?;
    litter(bed)?;
    disguised(bed)?;
    char_sets(bed)?;
    long_line(bed)
}

fn sizes(bed: &mut Bed) -> Result<()> {
    bed.write(1, "empty file", "01-empty.txt", "")?;
    bed.write(2, "one byte", "02-one.txt", "x")?;
    bed.write(2, "1 MiB of NULs", "02-nuls.txt", vec![0; 1 << 20])?;
    let large = bed.place(3, "4 GiB and a byte", "03-large.txt")?;
    let sparse = bed.place(4, "1 TiB, sparse", "04-sparse.txt")?;
    for (path, length) in [(large, (4 << 30) + 1), (sparse, 1 << 40)] {
        File::create(path)?.set_len(length)?;
    }
    Ok(())
}

fn nodes(bed: &mut Bed) -> Result<()> {
    let mode = Mode::RUSR | Mode::WUSR;
    let fifo = bed.place(5, "FIFO without a writer", "05-fifo.txt")?;
    mknodat(CWD, &fifo, FileType::Fifo, mode, 0)?;
    let socket = bed.place(6, "Unix socket", "06-socket.txt")?;
    drop(UnixListener::bind(socket)?);
    let devices = [
        ("character device", FileType::CharacterDevice, makedev(1, 3)),
        ("source of zeroes", FileType::CharacterDevice, makedev(1, 5)),
        ("block device", FileType::BlockDevice, makedev(7, 0)),
    ];
    for (input, kind, device) in devices {
        let name = format!("07-{}.txt", input.replace(' ', "-"));
        // Only root may make devices.
        match mknodat(CWD, bed.folder.join(&name), kind, mode, device) {
            Ok(()) => drop(bed.place(7, input, name)?),
            Err(_) => bed.not_made.push((7, input)),
        }
    }
    Ok(())
}

fn links(bed: &mut Bed) -> Result<()> {
    symlink(
        "08-self.txt",
        bed.place(8, "symlink to itself", "08-self.txt")?,
    )?;
    symlink("08-b", bed.place(8, "symlinks to each other", "08-a")?)?;
    symlink("08-a", bed.place(8, "symlinks to each other", "08-b")?)?;
    symlink(
        "/etc/shadow",
        bed.place(9, "symlink to /etc/shadow", "09-shadow.txt")?,
    )?;
    let outside = bed.place(9, "symlink out of the root", "09-outside.txt")?;
    symlink(&bed.secret, outside)?;
    bed.write(12, "hard link", LINKED, text(12))?;
    let other = bed.place(12, "hard link", "12-other/link.txt")?;
    Ok(fs::hard_link(bed.folder.join(LINKED), other)?)
}

/// 3,000 directories within one another: too deep for one path, and for a plain removal.
pub(super) struct Deep(PathBuf);

impl Deep {
    /// Made from the inmost outwards, so that no path is long.
    pub(super) fn within(folder: &Path) -> Result<Self> {
        let deep = Self(folder.join("16"));
        let (outer, inner) = (deep.0.join("e"), deep.0.join("d"));
        fs::create_dir_all(&inner)?;
        for _ in 1..DEEP {
            fs::create_dir(&outer)?;
            fs::rename(&inner, outer.join("d"))?;
            fs::rename(&outer, &inner)?;
        }
        Ok(deep)
    }
}

impl Drop for Deep {
    fn drop(&mut self) {
        let (outer, inner) = (self.0.join("e"), self.0.join("d"));
        while fs::rename(inner.join("d"), &outer).is_ok() {
            // Should it fail, the sandbox stays behind.
            let _ = fs::remove_dir(&inner).and_then(|()| fs::rename(&outer, &inner));
        }
    }
}

fn names(bed: &mut Bed) -> Result<()> {
    let not_utf8 = OsStr::from_bytes(b"13-\xff\xfe.txt");
    bed.write(13, "name that is not UTF-8", not_utf8, text(13))?;
    let hostile = "14-a\nb\u{1b}[2J\u{202e}%s\"'.txt";
    bed.write(14, "name with newline, ESC, quotes", hostile, text(14))?;
    let long = format!("15-{}.txt", "n".repeat(255 - 7));
    bed.write(15, "name of 255 bytes", long, text(15))?;
    bed.write(15, "name in NFC", "15-caf\u{e9}.txt", text(115))?;
    bed.write(15, "name in NFD", "15-cafe\u{301}.txt", text(116))?;
    let deep = format!("16{}", "/d".repeat(ENTERED + 1));
    bed.member(16, "directory more than 256 levels deep, of 3,000", &deep);
    bed.write(
        16,
        "sibling of a deep directory",
        "16-sibling.txt",
        text(16),
    )?;
    for at in 0..MANY {
        bed.write(
            17,
            "100,000 files in one directory",
            format!("17/{at:06}.txt"),
            "",
        )?;
    }
    Ok(())
}

fn times(bed: &mut Bed) -> Result<()> {
    let day = Duration::from_secs(86_400);
    let times = [
        ("before-1970", SystemTime::UNIX_EPOCH - day * 400),
        ("year-2486", SystemTime::UNIX_EPOCH + day * 188_500),
    ];
    for (at, (name, time)) in times.into_iter().enumerate() {
        let path = bed.place(25, "time before 1970 or in 2486", format!("25-{name}.txt"))?;
        fs::write(&path, text(250 + at as u64))?;
        let file = File::options().write(true).open(path)?;
        file.set_times(FileTimes::new().set_modified(time))?;
    }
    Ok(())
}

fn litter(bed: &mut Bed) -> Result<()> {
    for name in ["~$29.docx", ".nfs000000000000002a", "29.tmp"] {
        bed.write(29, "lock, NFS or temporary file", name, text(29))?;
    }
    Ok(())
}

fn disguised(bed: &mut Bed) -> Result<()> {
    let program = [b"\x7fELF\x02\x01\x01".to_vec(), vec![0; 4000]].concat();
    bed.write(30, "program named .pdf", "30-program.pdf", program)?;
    let entry = zip::Entry::deflated("inside.txt", text(30).as_bytes());
    let archive = zip::zip(&[entry]);
    bed.write(30, "ZIP named .txt", "30-archive.txt", &archive)?;
    bed.member(
        30,
        "member of a ZIP named .txt",
        "30-archive.txt!/inside.txt",
    );
    let both = [pdf::pdf(&rows(31)), archive].concat();
    bed.write(31, "PDF and ZIP in one", "31-both.pdf", both)
}

fn char_sets(bed: &mut Bed) -> Result<()> {
    let utf16: Vec<u8> = text(32).encode_utf16().flat_map(u16::to_le_bytes).collect();
    bed.write(32, "UTF-16 without a mark", "32-utf16.txt", utf16)?;
    // "Nihongo no bunsho o yomu": Japanese in Shift-JIS.
    let sentence =
        b"\x93\xfa\x96\x7b\x8c\xea\x82\xcc\x95\xb6\x8f\xcd\x82\xf0\x93\xc7\x82\xde\x81\x42\r\n";
    bed.write(32, "Shift-JIS", "32-sjis.txt", sentence.repeat(40))?;
    let mixed = [
        text(320).as_bytes(),
        b" caf\xe9 ",
        text(321).as_bytes(),
        "é".as_bytes(),
    ]
    .concat();
    bed.write(32, "mixed character sets", "32-mixed.txt", mixed)
}

fn long_line(bed: &mut Bed) -> Result<()> {
    let path = bed.place(33, "one line of 500 MiB", "33-line.txt")?;
    filled(&path, text(33).as_bytes(), LONG_LINE)
}

/// Writes a pattern up to this many bytes.
pub(super) fn filled(path: &Path, pattern: &[u8], length: u64) -> Result<()> {
    let pattern = pattern.repeat((1 << 20) / pattern.len() + 1);
    let mut file = BufWriter::new(File::create(path)?);
    let mut left = length;
    while left > 0 {
        let piece = pattern.len().min(usize::try_from(left)?);
        file.write_all(&pattern[..piece])?;
        left -= piece as u64;
    }
    Ok(file.flush()?)
}
