//! Text for people: groups, pairs, counts.

use std::collections::BTreeMap;

use simdex_index::FileInfo;
use simdex_proto::text::{counted, state_with_reason};

use crate::base::printable::Printable;
use crate::read_side::catalogue::{Group, GroupMember, Pair};
use crate::read_side::lists::ListSummary;
use crate::read_side::query::Relation;

fn percent(ratio: f64) -> String {
    // 99.96 % must not be printed as 100 %.
    let shown = (ratio * 1000.0).floor() / 10.0;
    format!("{shown:.1} %")
}

/// The legend for the columns of [`group_text`]; printed once, before the first group.
pub const GROUP_LEGEND: &str = "groups of near-duplicates and copies; after near-duplicate come \
its resemblance to the principal,\nthe share of it found in the principal, and the share of the \
principal found in it\n\n";

/// A group: its principal, then one line per member.
pub fn group_text(number: usize, group: &Group) -> String {
    let Some((principal, members)) = group.members.split_first() else {
        return String::new();
    };
    let path = Printable(&principal.file.path);
    let files = counted(group.members.len() as u64, "file");
    let mut text = format!("group {number}: {files}\n");
    text.push_str(&format!("  {:<41}{path}\n", "principal"));
    for member in members {
        text.push_str(&member_text(member));
    }
    text.push('\n');
    text
}

fn member_text(member: &GroupMember) -> String {
    let path = Printable(&member.file.path);
    let relation = member.relation.name();
    if member.relation != Relation::NearDuplicate {
        return format!("  {relation:<41}{path}\n");
    }
    let [resemblance, of_member, of_principal] = [
        member.resemblance,
        member.containment_of_member,
        member.containment_of_principal,
    ]
    .map(percent);
    format!("  {relation:<14}{resemblance:>8} {of_member:>8} {of_principal:>8}  {path}\n")
}

/// A pair in one line.
pub fn pair_text(pair: &Pair) -> String {
    format!(
        "{:<15} {:>8}  {}  {}\n",
        pair.relation.name(),
        percent(pair.resemblance),
        Printable(&pair.a.path),
        Printable(&pair.b.path)
    )
}

/// The heading above the first line of [`unread_text`].
pub const UNREAD_LEGEND: &str = "files that were not read, or only in part\n";

/// A file that was not read, or only in part, with the reason.
pub fn unread_text(file: &FileInfo) -> String {
    let why = state_with_reason(file.state.name(), file.reason.as_str());
    format!("  {why:<41}{}\n", Printable(&file.path))
}

/// A line for each state with its number of files, most files first.
fn states_text(states: &BTreeMap<String, u64>) -> String {
    let mut states: Vec<_> = states.iter().collect();
    states.sort_by(|a, b| b.1.cmp(a.1).then(a.0.cmp(b.0)));
    let lines = states.into_iter();
    lines
        .map(|(state, count)| format!("  {count:>8}  {state}\n"))
        .collect()
}

/// The state that every file ended in.
pub fn summary_text(summary: &ListSummary) -> String {
    let mut text = format!(
        "{} on disk\n",
        counted(summary.counts.files_on_disk, "file")
    );
    text.push_str(&states_text(&summary.counts.states));
    if summary.counts.container_members > 0 {
        let members = counted(summary.counts.container_members, "file");
        text.push_str(&format!("{members} inside containers\n"));
        text.push_str(&states_text(&summary.counts.member_states));
    }
    let counted_or_not =
        |count: Option<u64>, noun| count.map_or(String::new(), |count| counted(count, noun) + ", ");
    text.push_str(&format!(
        "{}, {}{}{:.1} s\n",
        counted(summary.counts.documents, "document"),
        counted_or_not(summary.groups, "group"),
        counted_or_not(summary.pairs, "pair"),
        summary.seconds
    ));
    text
}
