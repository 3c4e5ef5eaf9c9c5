//! Documents identified by an older canonical text, and what happens to them as their contents are read again.

use simdex_schema::{ContentHash, DocId, DocumentHash, DocumentKind, State};
use simdex_signature::{CANONICAL_VERSION, CanonicalText};

use super::bed::{Bed, account, content, document, put_content, sign};
use crate::NewDocument;

/// Two texts that were the same in canonical text 3: it dropped a hyphen at the beginning of a line.
fn texts() -> [String; 2] {
    let line = |sign: &str| {
        format!("the balance of the year\n{sign}$100,000 and the words of the notes to it")
    };
    [line("- "), line("")]
}

/// Records a content whose document has this hash and text.
fn put_named(bed: &Bed, path: &str, hash: ContentHash, name: DocumentHash, text: &str) {
    let canonical = CanonicalText::from_extracted(text);
    let document = NewDocument {
        permit: None,
        hash: name,
        kind: DocumentKind::Text,
        length: canonical.as_bytes().len() as u64,
        chars: canonical.chars(),
        text: Some(text.to_owned()),
        signatures: sign(bed.reader(), &canonical),
    };
    let change = put_content(path, hash, State::Indexed, Some(document));
    bed.index().writer.apply(&[change]).unwrap();
}

/// One document of both texts, with the hash of the second and the text of the first; opened by canonical text 4.
fn named_before() -> (Bed, DocId) {
    let [dashed, plain] = texts();
    let mut bed = Bed::memory();
    bed.parameters.canonical = CANONICAL_VERSION - 1;
    bed.close_and_open();
    let name = document(&plain);
    put_named(&bed, "a/dashed", content(&dashed, 0), name, &dashed);
    put_named(&bed, "a/plain", content(&plain, 0), name, &plain);
    // Not settled: today's canonical text would find that the hash does not match.
    bed.close();
    bed.parameters.canonical = CANONICAL_VERSION;
    bed.open();
    bed.verify();
    let id = bed.id(&plain).unwrap();
    (bed, id)
}

fn assert_two(bed: &Bed) {
    bed.settle();
    bed.verify();
    let reader = bed.reader();
    for text in &texts() {
        let id = bed.id(text).unwrap();
        assert_eq!(
            reader.texts().read_unaccounted(id).unwrap().as_ref(),
            Some(text)
        );
        assert!(
            reader
                .shingles()
                .of_document(id, &account(bed.index()))
                .unwrap()
                .is_some()
        );
    }
}

#[test]
fn two_texts_that_were_one_become_two_documents_each_with_its_text() {
    for order in [[0, 1], [1, 0]] {
        let (mut bed, old) = named_before();
        let texts = texts();
        for at in order {
            let (text, path) = (&texts[at], ["a/dashed", "a/plain"][at]);
            put_named(&bed, path, content(text, 0), document(text), text);
            bed.verify();
        }
        assert_two(&bed);
        // What no file carries is removed when the index is closed.
        bed.close_and_open();
        assert_two(&bed);
        let gone = bed.reader().documents().record(old).unwrap();
        assert!(gone.is_none(), "the old one is there");
    }
}

#[test]
fn a_document_that_is_read_again_as_it_was_stays_the_one_it_is() {
    let text = texts()[1].clone();
    let mut bed = Bed::memory();
    bed.parameters.canonical = CANONICAL_VERSION - 1;
    bed.close_and_open();
    bed.put("a/plain", &text);
    bed.settle();
    let before = bed.id(&text);
    bed.close();
    bed.parameters.canonical = CANONICAL_VERSION;
    bed.open();
    bed.put("a/plain", &text);
    bed.settle();
    assert_eq!(bed.id(&text), before);
    bed.verify();
}
