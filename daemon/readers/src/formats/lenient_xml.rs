//! An XML reader that accepts malformed XML: much of it is not well-formed, and its text is wanted all the same.

use quick_xml::Reader;

pub(super) fn reader(xml: &str) -> Reader<&[u8]> {
    let mut reader = Reader::from_str(xml);
    let config = reader.config_mut();
    config.check_end_names = false;
    config.allow_unmatched_ends = true;
    config.allow_dangling_amp = true;
    reader
}
