//! The readers in real workers: this test binary, started again for the ignored test below.

use std::ffi::OsString;
use std::fs::File;
use std::io::{Read, Write};

use flate2::read::ZlibDecoder;
use flate2::{Compress, Compression, FlushCompress};
use simdex_extract::{Limits, Outcome, Pool, ReadOptions, Reason, WorkerCommand};

use crate::formats::samples::{pdf, pdf_of, stream};

#[test]
#[ignore = "a worker: started by the other tests"]
fn worker() {
    let _ = crate::worker_main();
}

/// The command for an ignored test of this binary.
fn test_worker(test: &str) -> WorkerCommand {
    let args = [
        "--ignored",
        "--exact",
        test,
        "--nocapture",
        "--test-threads=1",
    ];
    WorkerCommand {
        program: std::env::current_exe().unwrap(),
        args: args.map(OsString::from).to_vec(),
    }
}

/// A read-only file with this content.
fn document(content: &[u8]) -> File {
    let mut file = tempfile::NamedTempFile::new().unwrap();
    file.write_all(content).unwrap();
    File::open(file.path()).unwrap()
}

fn read(pool: &Pool, content: &[u8]) -> Outcome {
    pool.extract(document(content), &ReadOptions::default())
        .outcome
}

fn text_of(outcome: Outcome) -> String {
    match outcome {
        Outcome::Text { text, .. } => text.into_string(),
        other => panic!("no text but {other:?}"),
    }
}

#[test]
fn a_worker_reads_and_reports_its_sandbox() {
    let pool = Pool::new(test_worker("tests::worker"), 2, Limits::default());
    let report = pool.sandbox();
    assert!(
        report.enforced.iter().any(|piece| piece == "memory limit"),
        "{report}"
    );
    let options = ReadOptions {
        name: Some("list.md".into()),
        ..ReadOptions::default()
    };
    let extraction = pool.extract(document("- Grüße\n".as_bytes()), &options);
    assert_eq!(text_of(extraction.outcome), "- Grüße\n");
    assert_eq!(
        (&*extraction.media_type, &*extraction.parser),
        ("text/markdown", "plain 1")
    );
}

/// This many mebibytes of spaces, packed in the format of zlib (RFC 1950) without ever being held unpacked: blocks that
/// end in a full flush are identical, and are concatenated.
fn spaces(mebibytes: usize) -> Vec<u8> {
    const MIB: usize = 1 << 20;
    let mut block = Vec::with_capacity(MIB);
    Compress::new(Compression::best(), false)
        .compress_vec(&[b' '; MIB], &mut block, FlushCompress::Full)
        .unwrap();
    let mut packed = vec![0x78, 0x01];
    packed.extend(block.repeat(mebibytes));
    // The last block: fixed codes, and empty.
    packed.extend([3, 0]);
    // Adler-32: the sum of all bytes, and the sum of its intermediate values.
    let (length, modulus) = ((mebibytes * MIB) as u128, 65_521);
    let sum = (1 + length * 32) % modulus;
    let of_sums = (length + 16 * length * (length + 1)) % modulus;
    packed.extend(((of_sums << 16 | sum) as u32).to_be_bytes());
    packed
}

#[test]
fn what_is_packed_block_by_block_unpacks() {
    let mut unpacked = Vec::new();
    let packed = spaces(3);
    let mut decoder = ZlibDecoder::new(&packed[..]);
    decoder.read_to_end(&mut unpacked).unwrap();
    assert_eq!(unpacked, [b' '; 3 << 20]);
    assert!(packed.len() < 3 * 1100, "{}", packed.len());
}

#[test]
fn a_pdf_whose_objects_unpack_to_too_much_costs_one_worker() {
    // Only the library unpacks an object stream, before anything can be measured.
    let packed = spaces(768);
    let mut bomb =
        b"%PDF-1.5\n1 0 obj\n<< /Type /ObjStm /N 1 /First 4 /Filter /FlateDecode".to_vec();
    write!(bomb, " /Length {} >>\nstream\n", packed.len()).unwrap();
    bomb.extend(packed);
    bomb.extend(b"\nendstream\nendobj\n2 0 obj\n<< /Type /Catalog >>\nendobj\n");
    let table = bomb.len();
    write!(
        bomb,
        "xref\n0 3\n0000000000 65535 f \n0000000009 00000 n \n0000000000 00000 n \n\
         trailer\n<< /Size 3 /Root 2 0 R >>\nstartxref\n{table}\n%%EOF\n"
    )
    .unwrap();
    // A quarter of a worker's memory: unpacking up to there takes most of the time.
    assert_eq!(Limits::default().address_space, 4 * (512 << 20));
    let limits = Limits {
        address_space: 512 << 20,
        ..Limits::default()
    };
    let pool = Pool::new(test_worker("tests::worker"), 1, limits);
    assert_eq!(read(&pool, &bomb), Outcome::Failed(Reason::MemoryLimit));
    assert!(text_of(read(&pool, &pdf(&["after"]))).contains("after"));
}

#[test]
fn a_pdf_form_that_draws_itself_costs_nothing() {
    let form = "<< /Type /XObject /Subtype /Form /BBox [0 0 9 9] /Length 5 \
                /Resources << /XObject << /X 4 0 R >> >> >>\nstream\n/X Do\nendstream";
    let endless = pdf_of(&[
        "<< /Type /Catalog /Pages 2 0 R >>".into(),
        "<< /Type /Pages /Kids [3 0 R] /Count 1 >>".into(),
        "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 9 9] /Contents 5 0 R \
         /Resources << /XObject << /X 4 0 R >> >> >>"
            .into(),
        form.into(),
        stream("/X Do"),
    ]);
    let pool = Pool::new(test_worker("tests::worker"), 1, Limits::default());
    assert_eq!(read(&pool, &endless), Outcome::NoText(Reason::NeedsOcr));
    assert!(text_of(read(&pool, &pdf(&["after"]))).contains("after"));
}
