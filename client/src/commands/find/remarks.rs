//! Remarks beside the summary of a query: what the list alone would hide.

use simdex_client::FindKind;
use simdex_client::lines::{LastRead, LeftOutLines};
use simdex_client::text::counted;
use simdex_client::wire::{ComparedBy, QuerySummary};

use super::{QueryContext, QueryVerb};

/// What of the query was compared, unless it is the whole of its text.
fn compared_by_remark(name: &str, query: &QuerySummary) -> Option<String> {
    let state = &query.state;
    match (query.compared_by(), &query.left_out) {
        (ComparedBy::RawBytes, _) => Some(format!(
            "{name} has no text ({state}): its raw bytes were compared"
        )),
        (ComparedBy::WholeBytes, _) => Some(format!(
            "{name} is {state}: only files of the same bytes are found"
        )),
        (ComparedBy::WholeText, _) => Some(format!(
            "nothing of {name} is left to compare: all of its text is template lines; only copies of it are found"
        )),
        (_, Some(left_out)) => {
            let verb = if left_out.lines == 1 { "is" } else { "are" };
            let left_out = LeftOutLines::from(left_out);
            Some(format!("{left_out} of {name} {verb} left out"))
        }
        (_, None) => None,
    }
}

/// Remarks on what the list alone would hide.
pub(super) fn remarks(context: &QueryContext<'_>, count: u64, query: &QuerySummary) -> Vec<String> {
    let name = context.name();
    let mut remarks = Vec::new();
    if count == 0 {
        remarks.push(nothing_found(context, query));
    }
    remarks.extend(about_subject(&name, query));
    if query.truncated {
        let more = match context.verb {
            QueryVerb::Versions => "the family may have more versions; --limit finds more",
            QueryVerb::Find(_) if query.unverified > 0 => "more files may reach the threshold",
            QueryVerb::Find(_) => "more files reach the threshold; --limit lists more",
        };
        remarks.push(more.to_owned());
    }
    if query.unverified > 0 {
        let candidates = counted(query.unverified, "candidate");
        remarks.push(format!(
            "{candidates} not verified: files may be missing; a higher --threshold leaves fewer"
        ));
    }
    if query.common_lists > 0 {
        let lists = counted(query.common_lists, "posting list");
        remarks.push(format!(
            "passages found in very many files ({lists}) were not used to find further files"
        ));
    }
    remarks
}

/// Remarks on what of the subject was compared.
fn about_subject(name: &str, query: &QuerySummary) -> Vec<String> {
    let mut remarks = Vec::new();
    remarks.extend(compared_by_remark(name, query));
    if let Some(last_read) = &query.last_read {
        remarks.push(format!(
            "{name} is {}",
            LastRead::from(last_read).sentence()
        ));
    }
    if query.state == "partial" {
        remarks.push(format!("{name} could be read only in part"));
    }
    remarks
}

/// Explains an empty list.
fn nothing_found(context: &QueryContext<'_>, query: &QuerySummary) -> String {
    let (name, threshold) = (context.name(), context.threshold());
    let relation = match context.verb {
        QueryVerb::Find(FindKind::Similar) => "resembles",
        QueryVerb::Find(FindKind::Containing) => "contains",
        QueryVerb::Find(FindKind::Contained) => "is contained in",
        QueryVerb::Find(FindKind::Related) => "is related to",
        QueryVerb::Versions => "is a version of",
    };
    match query
        .completeness
        .as_ref()
        .map(|completeness| completeness.complete)
    {
        Some(false) => {
            format!("no other file found yet that {relation} {name} by {threshold} or more")
        }
        _ => {
            let hint = match may_find_more_below(threshold, query) {
                true => "; a lower --threshold may find more",
                false => "",
            };
            format!("no other file {relation} {name} by {threshold} or more{hint}")
        }
    }
}

/// Whether a lower threshold may list files where this one lists none. Only documents that share fingerprints with the
/// query reach any threshold, and where whole texts or bytes were compared only equal ones are found.
fn may_find_more_below(threshold: f64, query: &QuerySummary) -> bool {
    let is_whole = matches!(
        query.compared_by(),
        ComparedBy::WholeText | ComparedBy::WholeBytes | ComparedBy::Nothing
    );
    threshold > 0.0 && query.candidates > 0 && !is_whole
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::super::refuse_incomparable;
    use super::*;
    use simdex_client::wire::{self, Completeness};

    fn context(kind: FindKind) -> QueryContext<'static> {
        QueryContext {
            verb: QueryVerb::Find(kind),
            path: Some(Path::new("/a")),
            threshold: None,
            latest: None,
        }
    }

    #[test]
    fn what_the_list_hides_is_said() {
        let query = QuerySummary {
            state: "partial".to_owned(),
            truncated: true,
            suppressed: 3,
            common_lists: 2,
            unverified: 1,
            ..QuerySummary::default()
        };
        let said = remarks(&context(FindKind::Similar), 2, &query);
        assert_eq!(
            said[1..],
            [
                "more files may reach the threshold",
                "1 candidate not verified: files may be missing; a higher --threshold leaves fewer",
                "passages found in very many files (2 posting lists) were not used to find further files"
            ]
        );
        assert!(remarks(&context(FindKind::Similar), 2, &QuerySummary::default()).is_empty());
        let candidates = QuerySummary {
            candidates: 1,
            ..QuerySummary::default()
        };
        let nothing = remarks(&context(FindKind::Contained), 0, &candidates);
        assert_eq!(
            nothing,
            ["no other file is contained in /a by 0.5 or more; a lower --threshold may find more"]
        );
        let half_built = QuerySummary {
            completeness: Some(Completeness::default()),
            ..QuerySummary::default()
        };
        let so_far = remarks(&context(FindKind::Similar), 0, &half_built);
        assert_eq!(
            so_far,
            ["no other file found yet that resembles /a by 0.1 or more"]
        );
    }

    #[test]
    fn a_file_that_changed_since_it_was_read_is_told() {
        let changed = wire::LastRead {
            at: Some(1_700_000_000),
            why: wire::NotReadAgain::Changed.into(),
        };
        let query = QuerySummary {
            last_read: Some(changed),
            ..QuerySummary::default()
        };
        assert_eq!(
            remarks(&context(FindKind::Similar), 2, &query),
            [
                "/a is compared as last read at 2023-11-14T22:13:20Z: the file changed since and is yet to be read again"
            ]
        );
    }

    #[test]
    fn a_document_without_text_is_compared_by_its_bytes_where_it_has_any() {
        let raw = QuerySummary {
            state: "unsupported".to_owned(),
            document: vec![7; 32],
            compared_by: ComparedBy::RawBytes.into(),
            ..QuerySummary::default()
        };
        assert!(refuse_incomparable("/a", &raw).is_ok());
        let said = remarks(&context(FindKind::Similar), 0, &raw);
        assert_eq!(
            said[1],
            "/a has no text (unsupported): its raw bytes were compared"
        );
        let empty = QuerySummary {
            document: Vec::new(),
            compared_by: ComparedBy::Nothing.into(),
            ..raw
        };
        assert!(refuse_incomparable("/a", &empty).is_err());
    }

    #[test]
    fn a_lower_threshold_is_suggested_only_where_it_may_find_more() {
        let hint = "a lower --threshold may find more";
        let said = |threshold: f64, compared_by: ComparedBy, candidates| {
            let context = QueryContext {
                threshold: Some(threshold),
                ..context(FindKind::Similar)
            };
            let query = QuerySummary {
                compared_by: compared_by.into(),
                candidates,
                ..QuerySummary::default()
            };
            nothing_found(&context, &query)
        };
        for compared_by in [
            ComparedBy::Text,
            ComparedBy::RawBytes,
            ComparedBy::Signature,
        ] {
            assert!(said(0.1, compared_by, 1).ends_with(hint));
            let without = "no other file resembles /a by 0 or more";
            assert_eq!(said(0.0, compared_by, 1), without);
            // No document shares a fingerprint: none has any resemblance.
            assert!(!said(0.1, compared_by, 0).contains(hint));
        }
        for compared_by in [ComparedBy::WholeText, ComparedBy::WholeBytes] {
            let without = "no other file resembles /a by 0.1 or more";
            assert_eq!(said(0.1, compared_by, 1), without);
        }
    }
}
