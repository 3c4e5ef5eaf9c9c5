//! Facts of a content that ingestion depends on, read by their codes.

use simdex_extract::Fact;
use simdex_schema::ContentRecord;

/// The kind of content whose frames are filled in.
const PAGE: &str = "text/html";

/// Whether a content holds files.
pub(super) fn holds_members(content: &ContentRecord) -> bool {
    content.count(Fact::Members.code()) > 0
}

/// The external tools that have tried to read a content, by name.
pub(super) fn tried_programs(content: &ContentRecord) -> &str {
    stated(&content.facts, Fact::ProgramsTried).unwrap_or_default()
}

/// The addresses of the frames that a content asks for; empty unless it is a page without files inside.
pub(super) fn frame_addresses(content: &ContentRecord) -> Vec<String> {
    frame_addresses_if_page(content).unwrap_or_default()
}

/// The addresses of the frames that a page asks for; `None` if the content is not a page.
pub(super) fn frames_of_page(media_type: &str, facts: &[(String, String)]) -> Option<Vec<String>> {
    let frame_addresses = match stated(facts, Fact::FramesAsked) {
        // Addresses are percent-encoded, so that a space only separates them.
        Some(list) if stated(facts, Fact::Members).is_none() => {
            list.split(' ').map(str::to_owned).collect()
        }
        _ => Vec::new(),
    };
    (media_type == PAGE).then_some(frame_addresses)
}

/// The frames that a content on record asks for, if it is a page.
pub(super) fn frame_addresses_if_page(content: &ContentRecord) -> Option<Vec<String>> {
    frames_of_page(&content.media_type, &content.facts)
}

/// Whether a page asks for frames, according to its facts.
pub(super) fn asks_for_frames(facts: &[(String, String)]) -> bool {
    stated(facts, Fact::FramesAsked).is_some()
}

fn stated(facts: &[(String, String)], fact: Fact) -> Option<&str> {
    let found = facts.iter().find(|(code, _)| code == fact.code());
    found.map(|(_, value)| value.as_str())
}
