//! Archives made to break readers (inputs 45 to 54).

use anyhow::Result;

use super::bed::{Bed, text};
use crate::handmade::bomb::{Zeroes, xz_head, xz_of};
use crate::handmade::quine::quine;
use crate::handmade::tar::{self, pax};
use crate::handmade::zip::{Entry, closed, overlapping, quoting, zip};
use crate::handmade::{deflated, gzip, zstd_of};

/// Archives within archives, two in each.
const NESTED: u32 = 10;
/// In a chain, one in each.
const CHAIN: u32 = 14;
const ENTRIES: usize = 1_000_000;
/// The most mebibytes of one entry of a ZIP without 64-bit lengths, with room for headers.
const LARGEST: u32 = 4093;

pub(super) fn make(bed: &mut Bed) -> Result<()> {
    let name = "ZIPs in ZIPs, two in each, ten deep";
    bed.write(45, name, "45-tree.zip", tree(NESTED, 0))?;
    bed.member(
        45,
        "the last of them that is named",
        "45-tree.zip!/0.zip!/0.zip!/0.zip!/0.zip!/0.zip!/0.zip!/0.zip!/0.zip!/0.zip",
    );
    forty_two(bed)?;
    quoted(bed)?;
    let bomb = Entry::deflated("bomb.txt", &vec![b'a'; 64 << 20]);
    bed.write(
        46,
        "ZIP of overlapping entries",
        "46-overlap.zip",
        overlapping(&bomb, 2000),
    )?;
    bed.write(
        46,
        "ZIP entry that inflates 1,000-fold",
        "46-ratio.zip",
        zip(&[bomb]),
    )?;
    bed.write(47, "ZIP in ZIP, 14 deep", "47-chain.zip", chain(CHAIN))?;
    bed.write(47, "ZIP that holds itself", "47-quine.zip", quine())?;
    let within = "47-quine.zip!/itself-and-itself-again-01.zip";
    bed.member(47, "itself within it", within);
    bed.write(48, "ZIP of a million empty entries", "48-many.zip", many())?;
    names(bed)?;
    claims(bed)?;
    tapes(bed)?;
    packed(bed)
}

/// No two archives are alike, so that none is read once for all.
fn tree(depth: u32, branch: u32) -> Vec<u8> {
    if depth == 0 {
        return zip(&[Entry::deflated("zeroes.txt", &vec![b'0'; 100_000])]);
    }
    let marked =
        |side: u32| Entry::stored(format!("{side}.zip"), &tree(depth - 1, branch * 2 + side));
    let label = Entry::stored("label.txt", format!("{depth} {branch}").as_bytes());
    zip(&[marked(0), marked(1), label])
}

/// 42.zip: five levels of sixteen archives, in each of the last 4 GiB: 4.5 PB in all.
fn forty_two(bed: &mut Bed) -> Result<()> {
    let inmost = zip(&[Entry::zeroes("0.dll", &Zeroes::of(LARGEST))]);
    let level = |inner: Vec<u8>, _| {
        let packed = Entry::deflated("", &inner);
        let twin = |at| Entry {
            name: format!("{at:x}.zip").into_bytes(),
            ..packed.clone()
        };
        zip(&(0..16).map(twin).collect::<Vec<_>>())
    };
    let whole = (0..5).fold(inmost, level);
    bed.write(45, "42.zip: 16 in each, 5 deep, 4.5 PB", "45-42.zip", whole)?;
    let name = "an archive of its fourth level";
    bed.member(45, name, "45-42.zip!/0.zip!/0.zip!/0.zip!/0.zip");
    Ok(())
}

fn quoted(bed: &mut Bed) -> Result<()> {
    let small = quoting(&Zeroes::of(21), 250);
    let name = "ZIP whose entries quote one another, 42 KB for 5.5 GB";
    bed.write(46, name, "46-small.zip", small)?;
    let large = quoting(&Zeroes::of(LARGEST), 65_534);
    let name = "ZIP whose entries quote one another, 10 MB for 281 TB";
    bed.write(46, name, "46-large.zip", large)
}

fn chain(depth: u32) -> Vec<u8> {
    let inmost = zip(&[Entry::stored("inmost.txt", text(47).as_bytes())]);
    (0..depth).fold(inmost, |inner, _| zip(&[Entry::stored("in.zip", &inner)]))
}

fn many() -> Vec<u8> {
    let (mut bytes, mut directory) = (Vec::new(), Vec::new());
    for at in 0..ENTRIES {
        let entry = Entry::stored(format!("{at:x}"), b"");
        directory.extend(entry.central(bytes.len() as u32));
        bytes.extend(entry.local());
    }
    closed(bytes, &directory, ENTRIES)
}

fn names(bed: &mut Bed) -> Result<()> {
    let names: [&[u8]; 6] = [
        b"../../49-escaped.txt",
        b"/49-absolute.txt",
        b"C:\\49-drive.txt",
        b"nul\0byte.txt",
        b"\xff\xfe.txt",
        b"",
    ];
    let entry =
        |(at, name): (usize, &&[u8])| Entry::deflated(name, text(490 + at as u64).as_bytes());
    let entries: Vec<Entry> = names.iter().enumerate().map(entry).collect();
    bed.write(
        49,
        "ZIP of names that lead out",
        "49-names.zip",
        zip(&entries),
    )?;
    let mut link = Entry::stored("link", b"/etc");
    link.mode = 0o120_777;
    let through = Entry::stored("link/shadow", text(50).as_bytes());
    bed.write(
        50,
        "ZIP of a symlink and a file through it",
        "50-link.zip",
        zip(&[link, through]),
    )
}

fn claims(bed: &mut Bed) -> Result<()> {
    let mut lying = Entry::deflated("central.txt", text(51).as_bytes());
    lying.local_name = Some(b"local.txt".to_vec());
    let magic = Entry::deflated(
        b"zip64 PK\x06\x06 PK\x06\x07 PK\x05\x06.txt",
        text(151).as_bytes(),
    );
    bed.write(
        51,
        "ZIP whose two headers differ",
        "51-headers.zip",
        zip(&[lying]),
    )?;
    bed.write(
        51,
        "ZIP with end records in a name",
        "51-magic.zip",
        zip(&[magic]),
    )?;
    let mut locked = Entry::deflated("locked.txt", text(52).as_bytes());
    locked.flags = 1;
    let mut unknown = Entry::stored("unknown.txt", text(152).as_bytes());
    unknown.method = 77;
    let plain = Entry::deflated("plain.txt", text(252).as_bytes());
    bed.write(
        52,
        "ZIP that is encrypted",
        "52-locked.zip",
        zip(&[locked.clone()]),
    )?;
    let mixed = zip(&[locked, unknown, plain]);
    bed.write(
        52,
        "ZIP with an encrypted entry and an unknown method",
        "52-mixed.zip",
        mixed,
    )?;
    bed.member(52, "its encrypted entry", "52-mixed.zip!/locked.txt");
    bed.member(
        52,
        "its entry of an unknown method",
        "52-mixed.zip!/unknown.txt",
    );
    bed.member(52, "its other entry", "52-mixed.zip!/plain.txt");
    Ok(())
}

fn tapes(bed: &mut Bed) -> Result<()> {
    let text = text(53);
    let length = text.len() as u64;
    let honest = pax("size", &length.to_string());
    let entries = [
        tar::entry("pax", b'x', honest.len() as u64, &honest),
        tar::entry("a.txt", b'0', 8, text.as_bytes()),
    ];
    bed.write(
        53,
        "TAR whose PAX size differs from the header's",
        "53-pax.tar",
        tar::tar(&entries),
    )?;
    let huge = pax("size", "9223372036854775807");
    let entries = [
        tar::entry("pax", b'x', huge.len() as u64, &huge),
        tar::entry("a.txt", b'0', length, text.as_bytes()),
    ];
    bed.write(
        53,
        "TAR whose PAX size is huge",
        "53-huge.tar",
        tar::tar(&entries),
    )
}

fn packed(bed: &mut Bed) -> Result<()> {
    let zeroes = Zeroes::of(10 << 10);
    bed.write(54, "gzip of 10 GiB", "54-bomb.txt.gz", zeroes.gzip())?;
    bed.write(54, "xz of 8 GiB", "54-bomb.txt.xz", xz_of(b'a', 4 << 10))?;
    bed.write(
        54,
        "zstd of 8 GiB",
        "54-bomb.txt.zst",
        zstd_of(b'a', 1 << 16, 17),
    )?;
    bed.write(
        54,
        "zstd window of 2 GiB",
        "54-window.txt.zst",
        zstd_of(b'a', 4, 31),
    )?;
    bed.write(
        54,
        "xz window of 2 GiB",
        "54-window.txt.xz",
        xz_with_window(38),
    )?;
    let members = [gzip(text(54).as_bytes()), gzip(text(154).as_bytes())].concat();
    bed.write(54, "gzip of two members", "54-members.txt.gz", members)
}

/// The start of an xz file with this dictionary.
fn xz_with_window(size: u8) -> Vec<u8> {
    let mut bytes = xz_head(size);
    // An uncompressed chunk that resets the dictionary.
    bytes.extend([1, 0, 3]);
    bytes.extend(b"text");
    bytes.extend(deflated(b"not lzma"));
    bytes
}
