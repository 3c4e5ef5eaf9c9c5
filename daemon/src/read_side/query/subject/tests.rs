//! States of extracted and canonicalised texts.

use super::upload::outcome;
use super::*;

#[test]
fn of_extraction_and_canonical_text_the_one_that_says_more_is_told() {
    use State::{Indexed, NoText, Partial, Quarantined, TooShort};
    let (failed, cut) = (Some(Reason::PagesFailed), Some(Reason::TooLong));
    let wordless = Some(Reason::NoWords);
    for (extracted, canonical, expected) in [
        ((Indexed, None), (Indexed, None), (Indexed, None)),
        ((Indexed, None), (Partial, cut), (Partial, cut)),
        ((Partial, failed), (Indexed, None), (Partial, failed)),
        ((Partial, failed), (Partial, cut), (Partial, failed)),
        ((Partial, failed), (TooShort, None), (TooShort, failed)),
        ((NoText, wordless), (NoText, None), (NoText, wordless)),
        (
            (Quarantined, None),
            (Quarantined, None),
            (Quarantined, None),
        ),
    ] {
        let said = |(state, reason)| (state, StoredReason::from(reason));
        assert_eq!(outcome(said(extracted), said(canonical)), said(expected));
    }
}
