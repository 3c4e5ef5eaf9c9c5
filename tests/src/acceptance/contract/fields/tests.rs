//! Tests of the check of fields.

use super::*;
use serde_json::{Value, json};

#[test]
fn a_field_too_many_too_few_or_of_another_type_is_seen() {
    let fields: Fields = &[("roots", Count)];
    assert!(check(&json!({"type": "rescan", "v": 1, "roots": 2}), fields).is_ok());
    for wrong in [
        json!({"type": "rescan", "v": 2, "roots": 2}),
        json!({"type": "rescan", "v": 1}),
        json!({"type": "rescan", "v": 1, "roots": null}),
        json!({"type": "rescan", "v": 1, "roots": 1.5}),
        json!({"type": "rescan", "v": 1, "roots": 2, "more": 1}),
    ] {
        assert!(check(&wrong, fields).is_err(), "{wrong}");
    }
}

#[test]
fn what_is_not_complete_says_why() {
    let fields: Fields = &[("complete", Bool)];
    let pending = json!({
        "queued": 1, "retrying": 0, "unsettled": 0, "crowded": 0, "stale_roots": 0, "held_losses": 0,
        "unreadable": 0, "damaged": 0, "moved": 0
    });
    let line =
        |complete: bool, pending: &Value| json!({"v": 1, "complete": complete, "pending": pending});
    assert!(check(&line(false, &pending), fields).is_ok());
    assert!(check(&line(true, &pending), fields).is_err());
    assert!(check(&line(false, &json!({"queued": 1})), fields).is_err());
    assert!(check(&json!({"v": 1, "complete": true}), fields).is_ok());
    assert!(check(&json!({"v": 1, "complete": false}), fields).is_err());
}

#[test]
fn where_lines_are_left_out_their_list_is_named() {
    let fields: Fields = &[("complete", Bool)];
    let line = |list: &Value| json!({"v": 1, "complete": true, "template_lines": 3, "template_list": list});
    assert!(check(&line(&json!("a7".repeat(32))), fields).is_ok());
    assert!(check(&line(&json!("a7")), fields).is_err());
    assert!(
        check(
            &json!({"v": 1, "complete": true, "template_lines": 3}),
            fields
        )
        .is_err()
    );
    assert!(
        check(
            &json!({"v": 1, "complete": true, "template_list": "a7".repeat(32)}),
            fields
        )
        .is_err()
    );
}

#[test]
fn a_path_that_is_no_utf8_needs_its_bytes() {
    let fields: Fields = &[("out", Path)];
    assert!(
        check(
            &json!({"v": 1, "out": "/a\u{FFFD}", "out_bytes": "L2H/"}),
            fields
        )
        .is_ok()
    );
    assert!(check(&json!({"v": 1, "out": "/a\u{FFFD}"}), fields).is_err());
    assert!(check(&json!({"v": 1, "out": "a"}), fields).is_err());
}

#[test]
fn an_optional_field_may_be_absent_and_is_of_its_type_where_it_is_there() {
    let fields: Fields = &[("common", Optional(&Count))];
    assert!(check(&json!({"v": 1}), fields).is_ok());
    assert!(check(&json!({"v": 1, "common": 2}), fields).is_ok());
    for wrong in [
        json!({"v": 1, "common": null}),
        json!({"v": 1, "common": "2"}),
    ] {
        assert!(check(&wrong, fields).is_err(), "{wrong}");
    }
}
