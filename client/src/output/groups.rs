//! Groups as tables: a star by its id, components and cores numbered.

use simdex_client::lines;
use simdex_client::text::escaped;
use simdex_client::wire;

use crate::output::records::{
    JUDGED, Record, Tabular, count_or_dash, judged, relation_name, text_or_dash,
};
use crate::output::table::{Column, left, path, right};
use crate::output::text::measured;

impl Tabular for wire::Group {
    const COLUMNS: &'static [Column] = &[
        right("GROUP"),
        left("RESEMBLANCE"),
        left("CONTAINMENT OF MEMBER"),
        left("CONTAINMENT OF PRINCIPAL"),
        left("RELATION"),
        JUDGED,
        path("PATH"),
    ];

    fn place(&self) -> Vec<&[u8]> {
        let principal = self.members.first();
        principal
            .map(|member| &member.path[..])
            .into_iter()
            .collect()
    }

    fn rows(&self) -> Vec<Vec<String>> {
        let row = |(at, member): (usize, &wire::Member)| {
            vec![
                self.id.to_string(),
                measured(member.resemblance),
                measured(member.containment_of_member),
                measured(member.containment_of_principal),
                role(at, member, "principal"),
                match at == 0 && self.judged_apart == Some(true) {
                    true => "apart".to_owned(),
                    false => judged(member.judgement.as_ref(), member.not_judged),
                },
                escaped(&member.path),
            ]
        };
        self.members.iter().enumerate().map(row).collect()
    }
}

/// A member's relation to the first member of its group, which itself is labelled `first`.
fn role(at: usize, member: &wire::Member, first: &str) -> String {
    match at {
        0 => first.to_owned(),
        _ => relation_name(member.relation),
    }
}

/// A component or core. It has no id: tables number the clusters of one answer.
pub(crate) struct Cluster {
    /// Its number in the answer, from 1.
    pub(crate) number: u64,
    /// The component or core.
    pub(crate) group: wire::Group,
}

impl Record for Cluster {
    type Json = lines::Group;

    fn json(&self) -> Self::Json {
        (&self.group).into()
    }
}

impl Tabular for Cluster {
    const COLUMNS: &'static [Column] = &[
        left("GROUP"),
        // Of a core; a component has none.
        right("SHARED OF 100").unless_empty(),
        left("RELATION"),
        path("PATH"),
    ];

    fn rows(&self) -> Vec<Vec<String>> {
        let name = format!("{} {}", text_or_dash(&self.group.kind), self.number);
        let common = count_or_dash(self.group.common.map(u64::from));
        let row = |(at, member): (usize, &wire::Member)| {
            vec![
                name.clone(),
                common.clone(),
                role(at, member, "longest"),
                escaped(&member.path),
            ]
        };
        self.group.members.iter().enumerate().map(row).collect()
    }
}
