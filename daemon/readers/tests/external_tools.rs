//! Recognition of pictures and of pages that are pictures, by the pool, with the true processes.
//!
//! Where tesseract or pdftoppm is not installed this says so and tests nothing.

#![expect(
    clippy::unwrap_used,
    clippy::panic,
    clippy::print_stdout,
    reason = "a test that is its own runner"
)]

use std::fs::File;
use std::io::Write;
use std::process::{Command, ExitCode};
use std::time::Duration;

use simdex_extract::{
    ExternalToolLimits, ExternalTools, Fact, Limits, Outcome, Pool, ReadOptions, WorkerCommand,
    external_tool_main,
};
use simdex_readers::worker_main;

fn main() -> ExitCode {
    let mut arguments = std::env::args_os().skip(1);
    match arguments.next() {
        Some(role) if role == "extract-worker" => return worker_main(),
        Some(role) if role == "outside-worker" => return external_tool_main(arguments),
        _ => {}
    }
    let mut tools = ExternalTools::none(this("outside-worker"), limits());
    let pixels = Command::new("pdftoppm").arg("-v").output();
    if !tools.use_tesseract("eng") || pixels.is_err() {
        println!("skipped: tesseract or pdftoppm is not installed");
        println!("0 passed, 0 failed, 2 skipped");
        return ExitCode::SUCCESS;
    }
    let pool = Pool::new(this("extract-worker"), 1, Limits::default()).with_external_tools(tools);
    a_picture_is_read(&pool);
    a_page_that_is_a_picture_is_read(&pool);
    println!("2 passed, 0 failed");
    ExitCode::SUCCESS
}

fn this(role: &str) -> WorkerCommand {
    WorkerCommand {
        program: std::env::current_exe().unwrap(),
        args: vec![role.into()],
    }
}

fn limits() -> ExternalToolLimits {
    ExternalToolLimits {
        address_space: 2 << 30,
        time: Duration::from_secs(120),
        output_bytes: 64 << 20,
        pages: 3,
    }
}

fn a_picture_is_read(pool: &Pool) {
    let png = rendered("-png");
    assert_read(pool, &png, "image/png");
}

fn a_page_that_is_a_picture_is_read(pool: &Pool) {
    let pgm = rendered("-gray");
    let scan = scan_of(&pgm);
    assert_read(pool, &scan, "application/pdf");
}

fn assert_read(pool: &Pool, bytes: &[u8], media_type: &str) {
    let mut file = tempfile::NamedTempFile::new().unwrap();
    file.write_all(bytes).unwrap();
    let read = pool.extract(File::open(file.path()).unwrap(), &ReadOptions::default());
    let Outcome::Text { text, .. } = &read.outcome else {
        panic!("{media_type}: {:?} by {}", read.outcome, read.parser)
    };
    assert!(
        text.contains("Certified copy"),
        "{media_type}: {}",
        text.as_str()
    );
    assert_eq!(
        (&*read.media_type, &*read.parser),
        (media_type, "tesseract")
    );
    assert_eq!(read.facts.number(Fact::PagesRecognised), 1);
}

/// A page with words on it, as a picture.
fn rendered(format: &str) -> Vec<u8> {
    let words = "BT /F 36 Tf 20 60 Td (Certified copy) Tj ET";
    let page = document(&[
        "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 400 140] /Contents 4 0 R \
         /Resources << /Font << /F << /Type /Font /Subtype /Type1 /BaseFont /Helvetica >> >> >> >>"
            .into(),
        format!("<< /Length {} >>\nstream\n{words}\nendstream", words.len()).into_bytes(),
    ]);
    let mut file = tempfile::NamedTempFile::new().unwrap();
    file.write_all(&page).unwrap();
    let mut render = Command::new("pdftoppm");
    render.args(["-r", "200", format]).arg(file.path());
    let output = render.output().unwrap();
    assert!(output.status.success());
    output.stdout
}

/// A page that shows a gray picture (PGM) and nothing else.
fn scan_of(pgm: &[u8]) -> Vec<u8> {
    let head = String::from_utf8_lossy(&pgm[..20]).into_owned();
    let mut numbers = head.split_ascii_whitespace().skip(1);
    let mut number = || numbers.next().unwrap().parse::<usize>().unwrap();
    let (width, height) = (number(), number());
    let pixels = &pgm[pgm.len() - width * height..];
    let draw = format!("{width} 0 0 {height} 0 0 cm /I Do");
    let mut image = format!(
        "<< /Type /XObject /Subtype /Image /Width {width} /Height {height} /BitsPerComponent 8 \
         /ColorSpace /DeviceGray /Length {} >>\nstream\n",
        pixels.len()
    )
    .into_bytes();
    image.extend_from_slice(pixels);
    image.extend_from_slice(b"\nendstream");
    document(&[
        format!(
            "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 {width} {height}] /Contents 4 0 R \
             /Resources << /XObject << /I 5 0 R >> >> >>"
        )
        .into_bytes(),
        format!("<< /Length {} >>\nstream\n{draw}\nendstream", draw.len()).into_bytes(),
        image,
    ])
}

/// A PDF of a catalog, one page (object 3) and what it needs.
fn document(objects: &[Vec<u8>]) -> Vec<u8> {
    let head: [Vec<u8>; 2] = [
        b"<< /Type /Catalog /Pages 2 0 R >>".to_vec(),
        b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>".to_vec(),
    ];
    let (mut pdf, mut table) = (b"%PDF-1.4\n".to_vec(), String::new());
    let all: Vec<&Vec<u8>> = head.iter().chain(objects).collect();
    for (number, object) in all.iter().enumerate() {
        table += &format!("{:010} 00000 n \n", pdf.len());
        pdf.extend_from_slice(format!("{} 0 obj\n", number + 1).as_bytes());
        pdf.extend_from_slice(object);
        pdf.extend_from_slice(b"\nendobj\n");
    }
    let (start, count) = (pdf.len(), all.len() + 1);
    let end = format!(
        "xref\n0 {count}\n0000000000 65535 f \n{table}trailer\n<< /Root 1 0 R /Size {count} >>\n\
         startxref\n{start}\n%%EOF\n"
    );
    pdf.extend_from_slice(end.as_bytes());
    pdf
}
