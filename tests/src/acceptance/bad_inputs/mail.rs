//! Messages made to break readers (inputs 60 to 62).

use std::fmt::Write as _;
use std::fs::File;
use std::io::{BufWriter, Write as _};

use anyhow::Result;

use super::bed::{Bed, WEAKER, text};

/// MIME parts within one another.
const DEEP: usize = 1000;
const HEADERS: usize = 1_000_000;
const MESSAGES: u64 = 5_000;
const ATTACHED: u64 = (2 << 30) / WEAKER;
const BOX: u64 = 10 << 30;

pub(super) fn make(bed: &mut Bed) -> Result<()> {
    bed.write(60, "mail with parts 1,000 deep", "60-deep.eml", deep())?;
    bed.write(60, "mail of 1,000,000 headers", "60-headers.eml", headers())?;
    let open = format!(
        "{}Content-Type: multipart/mixed; boundary=b\n\n--b\nContent-Type: text/plain\n\n{}",
        head("open"),
        text(60)
    );
    bed.write(60, "mail whose boundary does not end", "60-open.eml", open)?;
    let date = "(".repeat(100_000);
    let dated = format!(
        "{}Date: Mon, 1 Jan 2024 00:00:00 {date}\n\n{}",
        head("date"),
        text(61)
    );
    bed.write(61, "mail whose date nests comments", "61-date.eml", dated)?;
    let charset = format!(
        "{}Content-Type: text/plain; charset=x-none-such\n\n{}",
        head("set"),
        text(161)
    );
    bed.write(
        61,
        "mail with an unknown character set",
        "61-charset.eml",
        charset,
    )?;
    let folded = format!("{}Received: \n ", head("folded"));
    bed.write(
        61,
        "mail whose head ends in a folded field",
        "61-folded.eml",
        folded,
    )?;
    attachment(bed)?;
    mailbox(bed)?;
    loops(bed)
}

fn head(subject: &str) -> String {
    format!("From: a@example.org\nTo: b@example.org\nSubject: {subject}\nMIME-Version: 1.0\n")
}

fn deep() -> String {
    let mut mail = head("deep");
    for level in 0..DEEP {
        let _ = write!(
            mail,
            "Content-Type: multipart/mixed; boundary=b{level}\n\n--b{level}\n"
        );
    }
    let _ = write!(mail, "Content-Type: text/plain\n\n{}\n", text(60));
    for level in (0..DEEP).rev() {
        let _ = writeln!(mail, "--b{level}--");
    }
    mail
}

fn headers() -> String {
    let mut mail = head("headers");
    for at in 0..HEADERS {
        let _ = writeln!(mail, "X-{at}: y");
    }
    mail + "\n" + &text(160)
}

/// Base64 without end, written piece by piece.
fn attachment(bed: &mut Bed) -> Result<()> {
    let path = bed.place(61, "mail with 2 GiB of base64", "61-base64.eml")?;
    let mut file = BufWriter::new(File::create(path)?);
    write!(
        file,
        "{}Content-Type: multipart/mixed; boundary=b\n\n--b\n\n{}\n--b\nContent-Type: \
         application/octet-stream\nContent-Disposition: attachment; filename=a.bin\n\
         Content-Transfer-Encoding: base64\n\n",
        head("base64"),
        text(261)
    )?;
    let line = "QUJDREVGR0hJSktMTU5PUFFSU1RVVldYWVphYmNkZWZnaGlqa2xtbm9wcXJzdHV2d3h5ejAxMjM0\n";
    for _ in 0..ATTACHED / line.len() as u64 {
        file.write_all(line.as_bytes())?;
    }
    Ok(file.write_all(b"--b--\n").and_then(|()| file.flush())?)
}

fn mailbox(bed: &mut Bed) -> Result<()> {
    let path = bed.place(
        62,
        "mailbox of 5,000 messages, From in their bodies",
        "62-box.mbox",
    )?;
    let mut file = BufWriter::new(File::create(path)?);
    for at in 0..MESSAGES {
        write!(
            file,
            "From a@example.org Mon Jan  1 00:00:00 2024\n{}\nmessage {at}\nFrom here on it goes on\n\
             {}\n\n",
            head("box"),
            &text(10_000 + at)[..200]
        )?;
    }
    file.flush()?;
    let path = bed.place(62, "mailbox of 10 GiB", "62-large.mbox")?;
    let mut file = File::create(path)?;
    write!(
        file,
        "From a@example.org Mon Jan  1 00:00:00 2024\n{}\n",
        head("large")
    )?;
    Ok(file.set_len(BOX)?)
}

/// A message in a message in a message.
fn loops(bed: &mut Bed) -> Result<()> {
    let mut mail = format!("{}\n{}\n", head("inmost"), text(162));
    for level in 0..40 {
        mail = format!(
            "{}Content-Type: message/rfc822\n\n{mail}",
            head(&format!("level {level}"))
        );
    }
    bed.write(62, "message in message, 40 deep", "62-loop.eml", mail)
}
