//! Whether a content was extracted by the current version of its reader.

use simdex_extract::{EXTRACTOR_VERSION, Reader};
use simdex_schema::{ContentRecord, ReaderVersion, Reason};

/// Whether a content was extracted by the current version of its reader or, if no reader is
/// recorded, by the current version of all of them.
pub(super) fn is_current(content: &ContentRecord) -> bool {
    let answered = match &content.reader {
        Some(ReaderVersion { reader, version }) => Reader::of_code(reader).zip(Some(*version)),
        // Formats 1 to 3 record only the parser; all readers had one version.
        None => Reader::of_parser(&content.parser).zip(Some(content.extractor)),
    };
    match answered {
        Some((reader, version)) => version >= reader.version(),
        None => content.extractor >= EXTRACTOR_VERSION,
    }
}

/// The reader that this content needed and the program did not include.
pub(super) fn lacked_reader(content: &ContentRecord) -> Option<Reader> {
    let lacked = content.reason == Reason::ReaderNotBuiltIn.into();
    let named = content.reader.as_ref().filter(|_| lacked)?;
    Reader::of_code(&named.reader)
}

/// A reader, as it is recorded.
pub(super) fn version_of(reader: Reader) -> ReaderVersion {
    ReaderVersion {
        reader: reader.code().to_owned(),
        version: reader.version(),
    }
}

#[cfg(test)]
mod tests {
    use simdex_schema::{State, StoredReason};

    use super::*;

    fn content_by(parser: &str, extractor: u32, reader: Option<ReaderVersion>) -> ContentRecord {
        ContentRecord {
            state: State::Indexed,
            reason: StoredReason::None,
            document: None,
            media_type: "text/plain".into(),
            parser: parser.into(),
            extractor,
            strikes: 0,
            bytes: 1,
            warnings: Vec::new(),
            facts: Vec::new(),
            reader,
        }
    }

    #[test]
    fn only_a_newer_version_of_the_reader_itself_reads_again() {
        let today = version_of(Reader::Pdf);
        let older = ReaderVersion {
            version: today.version - 1,
            ..today.clone()
        };
        // When another reader changed, the version of all was raised; that of this one was not.
        let others_changed = EXTRACTOR_VERSION - 1;
        assert!(is_current(&content_by("x", others_changed, Some(today))));
        assert!(!is_current(&content_by(
            "x",
            EXTRACTOR_VERSION,
            Some(older)
        )));
        assert!(
            !is_current(&content_by("none", others_changed, None)),
            "a lost worker"
        );
    }

    #[test]
    fn what_was_read_lacks_no_reader_and_what_was_not_names_it() {
        let read = content_by("pdf-extract", 8, Some(version_of(Reader::Pdf)));
        let unread = ContentRecord {
            state: State::Unsupported,
            reason: Reason::ReaderNotBuiltIn.into(),
            ..read.clone()
        };
        assert_eq!(lacked_reader(&read), None);
        assert_eq!(lacked_reader(&unread), Some(Reader::Pdf));
        assert!(is_current(&unread), "not read again while it is lacked");
    }

    #[test]
    fn records_of_format_3_are_understood_by_their_engine() {
        assert!(is_current(&content_by(
            "card 1",
            Reader::Card.version(),
            None
        )));
        assert!(
            !is_current(&content_by("card 1", 4, None)),
            "by extractor 4"
        );
        assert!(is_current(&content_by("none", EXTRACTOR_VERSION, None)));
    }
}
