//! Streams with a wrong checksum: the library drops the end of what they unpack to.

use std::io::Read;

use flate2::read::{DeflateDecoder, ZlibDecoder};
use pdf_extract::Stream;

/// Bytes before what is packed.
const ZLIB_HEADER: usize = 2;

/// Unpacks a stream if its checksum is wrong. One that is damaged earlier ends there.
pub(super) fn unpack(stream: &mut Stream) {
    let is_deflated = matches!(stream.filters().as_deref(), Ok([name]) if *name == b"FlateDecode");
    if !is_deflated || stream.dict.has(b"DecodeParms") {
        return;
    }
    let mut checked = ZlibDecoder::new(stream.content.as_slice());
    if std::io::copy(&mut checked, &mut std::io::sink()).is_ok() {
        return;
    }
    let packed = stream.content.get(ZLIB_HEADER..).unwrap_or_default();
    let mut content = Vec::new();
    let _ = DeflateDecoder::new(packed).read_to_end(&mut content);
    if !content.is_empty() {
        stream.set_plain_content(content);
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use flate2::Compression;
    use flate2::write::ZlibEncoder;
    use pdf_extract::{Dictionary, Object};

    use super::*;

    #[test]
    fn a_stream_with_a_wrong_checksum_is_whole() {
        let text = "(the same words again) Tj\n".repeat(400);
        let mut encoder = ZlibEncoder::new(Vec::new(), Compression::default());
        encoder.write_all(text.as_bytes()).unwrap();
        let mut packed = encoder.finish().unwrap();
        *packed.last_mut().unwrap() ^= 1;
        let mut dictionary = Dictionary::new();
        dictionary.set("Filter", Object::Name(b"FlateDecode".to_vec()));
        let mut stream = Stream::new(dictionary, packed);
        let length = |stream: &Stream| stream.get_plain_content().unwrap().len();
        assert!(
            length(&stream) < text.len(),
            "the library reads it now: remove this"
        );
        unpack(&mut stream);
        assert_eq!(length(&stream), text.len());
        unpack(&mut stream);
        assert_eq!(length(&stream), text.len());
    }
}
