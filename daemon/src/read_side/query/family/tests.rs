//! What the search for a family costs, in counts.

use super::*;
use crate::read_side::query::tests::{index_of, words};

/// Versions of one text, each with another word of it replaced.
fn crowd(versions: usize) -> Vec<String> {
    let base = words(&mut 3, 400);
    let version = |at: usize| {
        let mut text = base.clone();
        text[at * 7 % 400] = format!("version{at}");
        text.join(" ")
    };
    (0..versions).map(version).collect()
}

fn family_of(texts: &[String]) -> Family {
    let (index, _dir) = index_of(texts);
    let never = Cancel::never();
    let account = index.memory().requests.account(&never);
    let subject = Subject::from_text(&index, texts[0].clone(), &account).unwrap();
    let params = FamilyParams {
        rule: LinkRule {
            resemblance: 0.5,
            containment: 0.8,
        },
        relation_threshold: 0.8,
        containment_threshold: 0.8,
        scheme: SchemeKind::ModN,
        joins_pieces: true,
        limit: 4_096,
        view: VisibleRoots::All,
    };
    let text = subject.text().unwrap();
    find_family(&index, &subject, text, &params, &never).unwrap()
}

#[test]
fn a_crowd_of_versions_is_looked_up_once_and_each_text_of_it_is_read_once() {
    for versions in [200, 2_000] {
        let family = family_of(&crowd(versions));
        assert_eq!(family.len(), versions);
        assert_eq!(family.edges.len(), versions - 1);
        assert_eq!(family.verified, versions as u64 - 1);
        // One look-up found them all, and the subject itself.
        assert_eq!(family.candidates, versions as u64);
    }
}
