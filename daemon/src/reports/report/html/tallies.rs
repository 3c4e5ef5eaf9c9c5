//! The sums of a compliance question on its page: files and bytes by owner and by root.
use std::io::{self, Write};

use crate::reports::report::format::Count;
use crate::reports::report::tallies::{FilesAndBytes, NamedSums, Tallies};

/// Owners, or roots, shown with the most files; all others are one row.
const SHOWN: usize = 50;

/// Writes both tables.
pub(super) fn tallies(out: &mut dyn Write, tallies: &Tallies) -> io::Result<()> {
    table(out, "Owner", &tallies.by_owner)?;
    table(out, "Root", &tallies.by_root)?;
    match tallies.is_repeated {
        true => out.write_all(REPEATED),
        false => Ok(()),
    }
}

const REPEATED: &[u8] = b"<p class=\"soft\">So many files were found that some may be counted more than once: as often \
    as they are listed.</p>\n";

fn table(out: &mut dyn Write, of: &str, sums: &NamedSums) -> io::Result<()> {
    let (shown, others) = sums.largest(SHOWN);
    let id = of.to_lowercase();
    writeln!(
        out,
        "<h2>By {id}</h2>\n<table class=\"states\" id=\"by-{id}\">\n<thead><tr><th scope=\"col\">{of}</th>\
         <th scope=\"col\" class=\"r\">Files</th><th scope=\"col\" class=\"r\">Bytes</th></tr></thead>"
    )?;
    let mut all = others;
    for (name, sum) in shown {
        all.add(sum);
        row(out, "", name, sum)?;
    }
    if others != FilesAndBytes::default() {
        row(out, "", "all others", others)?;
    }
    row(out, " class=\"sum\"", "all", all)?;
    out.write_all(b"</table>\n")
}

fn row(out: &mut dyn Write, class: &str, name: &str, sum: FilesAndBytes) -> io::Result<()> {
    let (files, bytes) = (Count(sum.files), Count(sum.bytes));
    writeln!(
        out,
        "<tr{class}><td class=\"o\">{name}</td><td class=\"r\">{files}</td><td class=\"r\">{bytes}</td></tr>"
    )
}
