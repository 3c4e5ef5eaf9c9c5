//! The sampling of documents, in words for people.

use std::time::Duration;

use indicatif::HumanDuration;
use simdex_client::text::{counted, grouped};
use simdex_client::wire;

/// The groups of sizes with their n.
pub(super) fn sampling_sentence(sampling: &wire::Sampling) -> String {
    let group =
        |group: &wire::SamplingGroup| format!("{} from {} bytes on", group.n, group.from_bytes);
    let groups: Vec<String> = sampling.groups.iter().map(group).collect();
    match groups.is_empty() {
        true => "by length, some 512 fingerprints a document".to_owned(),
        false => format!("as chosen: n = {}", groups.join(", ")),
    }
}

/// The progress of signing documents again.
pub(super) fn signed_anew(sampling: &wire::Sampling) -> String {
    let mut said = match (sampling.waiting, sampling.done) {
        (0, 0) => "nothing waits".to_owned(),
        (0, done) => format!("{}; nothing waits", counted(done, "document")),
        (waiting, done) => format!("{}, {waiting} wait", counted(done, "document")),
    };
    if let (Some(rate), Some(left)) = (sampling.per_second, sampling.seconds_left)
        && sampling.waiting > 0
    {
        let left = Duration::try_from_secs_f64(left).unwrap_or_default();
        said += &format!(" ({rate:.1} a second, about {} left)", HumanDuration(left));
    }
    if sampling.unreadable > 0 {
        let lost = counted(sampling.unreadable, "document");
        said += &format!("; {lost} as before, not read");
    }
    said
}

/// How wide the interval of an estimated resemblance is, by the size of documents.
pub(super) fn widths(sampling: &wire::Sampling) -> String {
    let shown = |width: &wire::EstimateWidth| format!("{:.3}", width.interval_width);
    let alike = sampling.widths.chunk_by(|a, b| shown(a) == shown(b));
    let widths = alike.filter_map(|alike| {
        let (first, last) = (alike.first()?, alike.last()?);
        let n = match first.n == last.n {
            true => first.n.to_string(),
            false => format!("{} to {}", first.n, last.n),
        };
        let (width, from) = (shown(first), first.from_bytes);
        Some(format!("{width} from {from} bytes on (n = {n})"))
    });
    let widths: Vec<String> = widths.collect();
    format!(
        "at 0.8, of the shortest documents of a size: {}; results are counted on whole texts",
        widths.join(", ")
    )
}

/// How often a fingerprint that no document holds is found nevertheless.
pub(super) fn false_matches(rate: f64) -> String {
    match rate > 0.0 {
        true => format!(
            "at most 1 of {} fingerprints that no document holds is found before texts are compared",
            grouped((1.0 / rate) as u64)
        ),
        false => "none".to_owned(),
    }
}
