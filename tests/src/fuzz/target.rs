//! What is fuzzed: one target a format, each with the words of its format.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};

use crate::handmade::office;

/// Longer files of a corpus are passed over: what breaks a reader is seldom long.
const LONGEST_SEED: u64 = 256 << 10;

/// One target.
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

const TEXT: &[&[u8]] = &[
    b"\xef\xbb\xbf",
    b"\xff\xfe",
    b"\0",
    b"\x0c",
    b"\r",
    b"\xc3",
    b"\xed\xa0\x80",
];
const HTML: &[&[u8]] = &[
    b"<div>",
    b"</div>",
    b"<script>",
    b"<!--",
    b"-->",
    b"<table><tr><td>",
    b"&#x110000;",
    b"&amp",
    b"<iframe src=",
    b"<frameset>",
    b"<meta http-equiv=refresh content=0;url=",
    b"<title>",
    b"<style>",
    b"<template>",
    b"charset=utf-16",
    b"<![CDATA[",
    b"hidden",
    b"<a href=#",
    b"<pre>",
];
const XML: &[&[u8]] = &[
    b"<?xml version=\"1.0\"?>",
    b"<!DOCTYPE a [<!ENTITY b \"",
    b"&b;",
    b"]>",
    b"<![CDATA[",
    b"]]>",
    b"<!--",
    b"xmlns:a=\"u\"",
    b"<a>",
    b"</a>",
    b"/>",
    b"&#0;",
    b"&#x10ffff;",
    b"encoding=\"utf-16\"",
];
const RTF: &[&[u8]] = &[
    b"{",
    b"}",
    b"\\par ",
    b"\\bin2147483647 ",
    b"\\bin-1 ",
    b"\\u-10179?",
    b"\\uc99",
    b"\\'",
    b"\\*\\",
    b"{\\object\\objdata ",
    b"\\ansicpg932",
    b"{\\fonttbl",
    b"{\\pict",
    b"\\ud",
    b"\\upr",
];
const PDF: &[&[u8]] = &[
    b"/Type /Page",
    b"/Kids [2 0 R]",
    b"1 0 R",
    b"obj",
    b"endobj",
    b"stream\n",
    b"endstream",
    b"/Length 4294967295",
    b"/Filter [/FlateDecode /LZWDecode]",
    b"/W [1 2 1]",
    b"xref",
    b"trailer",
    b"startxref",
    b"<<",
    b">>",
    b"[",
    b"]",
    b"(",
    b")",
    b"/ToUnicode 4 0 R",
    b"BT",
    b"ET",
    b"Tj",
    b"Do",
    b"/Prev 0",
    b"/Encrypt <<",
    b"/ObjStm",
    b"/Parent 3 0 R",
    b"BI ",
    b"ID ",
    b" EI",
    b"/Predictor 15",
];
const WORD: &[&[u8]] = &[
    b"<w:p>",
    b"</w:p>",
    b"<w:ins>",
    b"<w:del>",
    b"<w:tbl><w:tr><w:tc>",
    b"<w:fldChar w:fldCharType=\"begin\"/>",
    b"<mc:AlternateContent>",
    b"<w:txbxContent>",
    b"<w:commentReference w:id=\"0\"/>",
    b"&#x0;",
    b"TargetMode=\"External\"",
    b"../../",
    b"<w:altChunk r:id=\"r1\"/>",
    b"<!DOCTYPE a>",
];
const SLIDES: &[&[u8]] = &[
    b"<a:p>",
    b"<a:t>",
    b"<a:tbl>",
    b"<p:sldId id=\"1\" r:id=\"r1\"/>",
    b"<p:sp>",
    b"<a:fld>",
    b"r:id=\"r9\"",
    b"../../",
];
const SHEETS: &[&[u8]] = &[
    b"r=\"XFD1048576\"",
    b"t=\"s\"",
    b"<v>4294967295</v>",
    b"t=\"inlineStr\"",
    b"uniqueCount=\"4000000000\"",
    b"<si><t>",
    b"<c r=\"A1\">",
    b"<f>",
    b"state=\"hidden\"",
    b"s=\"99999\"",
    b"<mergeCell ref=\"A1:XFD1048576\"/>",
];
const BIFF12: &[&[u8]] = &[
    b"\x00\x11",
    b"\x01\x08",
    b"\x06\xff\xff\xff\x7f",
    b"\x91\x01\x00",
    b"\x92\x01\x00",
    b"\xff\xff\xff\xff",
    b"\x9f\x01\x08",
];
const ODF: &[&[u8]] = &[
    b"table:number-rows-repeated=\"1048576\"",
    b"table:number-columns-repeated=\"16384\"",
    b"<text:p>",
    b"<text:s text:c=\"2147483647\"/>",
    b"<text:tracked-changes>",
    b"<office:annotation>",
    b"<draw:frame>",
    b"text:change-id=\"c\"",
    b"<text:section>",
    b"<table:table>",
    b"<text:note>",
];
const EPUB: &[&[u8]] = &[
    b"full-path=\"book.opf\"",
    b"idref=\"c\"",
    b"href=\"../../c\"",
    b"<spine>",
    b"<itemref",
    b"%2e%2e/",
    b"<dc:title>",
    b"linear=\"no\"",
];
const COMPOUND: &[&[u8]] = &[
    b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1",
    b"\xfe\xff\xff\xff",
    b"\xfd\xff\xff\xff",
    b"\xff\xff\xff\xff",
    b"\x00\x00\x00\x80",
    b"\xff\xff\xff\x7f",
    b"\xff\xff",
    b"\x00\x02\x00\x00",
];
const DOC: &[&[u8]] = &[
    b"\xec\xa5",
    b"\x01",
    b"\x02",
    b"\x13",
    b"\x14",
    b"\x15",
    b"\x07",
    b"\xff\xff\xff\xff",
    b"\x00\x00\x00\x40",
    b"\x01\x00\x00\x00\x02",
    b"\xfe\xff\xff\xff",
];
const XLS: &[&[u8]] = &[
    b"\x09\x08",
    b"\xfc\x00",
    b"\x3c\x00",
    b"\xfd\x00\x0a\x00",
    b"\x85\x00",
    b"\x04\x02",
    b"\x0a\x00\x00\x00",
    b"\xbd\x00",
    b"\xff\xff\xff\xff",
    b"\x2f\x00",
    b"\x06\x00",
];
const PPT: &[&[u8]] = &[
    b"\x0f\x00\xe8\x03",
    b"\x0f\x00\xf0\x0f",
    b"\x00\x00\xa0\x0f",
    b"\x00\x00\xa8\x0f",
    b"\x0f\x00\xee\x03",
    b"\x00\x00\xf5\x0f",
    b"\x00\x00\x72\x17",
    b"\xff\xff\xff\xff",
    b"\x0f\x00\x0d\xf0",
];
const MSG: &[&[u8]] = &[
    b"\x1f\x00\x37\x00",
    b"\x02\x01\x13\x10",
    b"\x1f\x00\x00\x10",
    b"\x02\x01\x09\x10",
    b"\x0d\x00\x01\x37",
    b"LZFu",
    b"MELA",
    b"\xff\xff\xff\xff",
    b"\x40\x00\x39\x00",
];
const MAIL: &[&[u8]] = &[
    b"\nContent-Type: multipart/mixed; boundary=b\n\n--b\n",
    b"\n--b\n",
    b"\n--b--\n",
    b"\nContent-Type: message/rfc822\n\n",
    b"\nContent-Transfer-Encoding: base64\n",
    b"=?utf-8?B?",
    b"?=",
    b"=?x?Q?=FF?=",
    b"\nContent-Transfer-Encoding: quoted-printable\n",
    b"charset=utf-16",
    b"((((",
    b"\nDate: ",
    b"filename*0*=",
    b"\n> ",
    b"\nOn Mon, a wrote:\n",
    b"begin 644 a\n",
    b"\nFrom a@b Mon Jan  1 00:00:00 2024\n",
    b"application/pkcs7-mime",
    b"\n-----Original Message-----\nFrom: a\n",
];
const PST: &[&[u8]] = &[
    b"!BDN",
    b"SM",
    b"\x17\x00",
    b"\x0e\x00",
    b"\xec",
    b"\xbc",
    b"\x7c",
    b"\xff\xff\xff\xff",
    b"\x00\x00\x00\x00\x00\x00\x00\x00",
    b"\x80\x80",
    b"\x81\x81",
    b"\x01\x01",
    b"\x02",
];
const TNEF: &[&[u8]] = &[
    b"\x78\x9f\x3e\x22",
    b"\x01\x03\x90\x06\x00",
    b"\x02\x0f\x80\x06\x00",
    b"\x02\x05\x90\x06\x00",
    b"\xff\xff\xff\xff",
    b"\x1f\x00",
    b"\x02\x01",
    b"\x1f\x10",
    b"LZFu",
];
const CARD: &[&[u8]] = &[
    b"\nBEGIN:VCARD\n",
    b"\nEND:VCARD\n",
    b"\nBEGIN:VEVENT\n",
    b"\nEND:VEVENT\n",
    b"\n ",
    b"ENCODING=QUOTED-PRINTABLE:",
    b";CHARSET=x:",
    b"\\n",
    b"=\n",
    b"\nBEGIN:VCALENDAR\n",
    b"\nATTACH;ENCODING=BASE64;VALUE=BINARY:",
    b"\nRRULE:",
];
const SUBTITLES: &[&[u8]] = &[
    b"\n\n1\n00:00:01,000 --> 00:00:02,000\n",
    b"WEBVTT\n\n",
    b"\nNOTE ",
    b"<c.a>",
    b"<i>",
    b"-->",
    b"\nSTYLE\n",
    b"99:99:99,999",
];
const ZIP: &[&[u8]] = &[
    b"PK\x01\x02",
    b"PK\x03\x04",
    b"PK\x05\x06",
    b"PK\x06\x06",
    b"PK\x06\x07",
    b"PK\x07\x08",
    b"\xff\xff\xff\xff",
    b"\xff\xff",
    b"../",
    b"\x63\x00",
    b"\x01\x99\x07\x00",
    b"\x01\x00\x1c\x00",
];
const TAR: &[&[u8]] = &[
    b"ustar\0",
    b"ustar  \0",
    b"777777777777",
    b"\x80\0\0\0\x7f",
    b"\x80\xff\xff\xff",
    b"9223372036854775807 size=",
    b"x",
    b"g",
    b"L",
    b"K",
    b"S",
    b"30 size=9223372036854775807\n",
    b"GNU.sparse.map=0,1",
    b"././@LongLink",
];
const PACKED: &[&[u8]] = &[
    b"\x1f\x8b\x08\x1c",
    b"BZh9",
    b"\xfd7zXZ\0",
    b"\x28\xb5\x2f\xfd",
    b"\x31\x41\x59\x26\x53\x59",
    b"\xff\xff\xff\xff",
    b"\x00\x00\xff\xff",
    b"\x50\x2a\x4d\x18",
    b"\x17\x72\x45\x38\x50\x90",
];
const SEVEN_ZIP: &[&[u8]] = &[
    b"7z\xbc\xaf\x27\x1c",
    b"\x01\x04\x06",
    b"\x07\x0b",
    b"\x05",
    b"\x17\x06",
    b"\x03\x01\x01",
    b"\x21\x21\x01",
    b"\x06\xf1\x07\x01",
    b"\xff\xff\xff\xff\xff\xff\xff\xff\xff",
    b"\x03\x04\x01",
    b"\x11",
    b"\x19",
];
const PROTOCOL: &[&[u8]] = &[
    b"{\"reply\":",
    b"{\"member\":",
    b"\"nonce\":",
    b"\"status\":\"text\"",
    b"\"status\":\"failed\"",
    b"\"reason\":null",
    b"\"reason\":\"damaged\"",
    b"\"text_bytes\":18446744073709551615",
    b"\"text_bytes\":-1",
    b"\"last\":true",
    b"\"facts\":{\"title\":\"",
    b"\"unread\":\"damaged\"",
    b"\0\0\0\0",
    b"\xff\xff\xff\xff",
    b"\0\0\x01\0",
    b"\x01\0\x01\0",
    b"{\"cut\":null}",
    b"[[[[",
    b"\"\\u0000\"",
    b"\xff\xfe",
];

/// All targets.
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
