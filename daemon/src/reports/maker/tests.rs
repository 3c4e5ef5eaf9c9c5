//! The memory that a report holds while it is gathered.

use super::*;
use crate::read_side::query::tests::index_of;
use simdex_index::Cancel;
use simdex_schema::DocumentHash;
use simdex_signature::CanonicalText;

#[test]
fn a_text_of_a_report_is_held_with_a_permit_of_the_questions() {
    let long = "a line of a long text that many others follow\n".repeat(40_000);
    let (index, _dir) = index_of(std::slice::from_ref(&long));
    let hash = DocumentHash(CanonicalText::from_extracted(&long).hash());
    let account = index.memory().requests.account(&Cancel::never());
    let text = text_of(&index, hash, &account).unwrap().unwrap();
    assert_eq!(
        (text.len(), account.held()),
        (long.len(), long.len() as u64)
    );
    drop(text);
    assert_eq!(account.held(), 0);
}
