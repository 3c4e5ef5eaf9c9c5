//! The family in DOT, the language of Graphviz: each version is a box below its parent. Edges of unknown direction are
//! dashed.

use std::io::{self, Write};

use simdex_client::text::escaped;
use simdex_client::wire::Direction;

use super::{Family, Version};

/// Writes a family as a graph.
pub(crate) fn dot(family: &Family, out: &mut impl Write) -> io::Result<()> {
    writeln!(out, "digraph versions {{")?;
    writeln!(out, "  node [shape=box, fontname=\"sans-serif\"];")?;
    writeln!(out, "  edge [fontname=\"sans-serif\", fontsize=10];")?;
    for (at, version) in family.versions.iter().enumerate() {
        let number = at + 1;
        let bold = if version.is_query { ", style=bold" } else { "" };
        let label = label(number, version);
        writeln!(out, "  v{number} [label=\"{label}\"{bold}];")?;
    }
    for edge in family.edges() {
        let version = &family.versions[edge.version as usize - 1];
        let (kind, evidence) = (version.kind(), version.evidence());
        let dashed = match edge.direction() {
            Direction::Unknown => ", style=dashed",
            _ => "",
        };
        let within = match edge.container.is_empty() {
            true => String::new(),
            false => format!("\\nin {}", quoted(&escaped(&edge.container))),
        };
        let renamed = version.renamings();
        let renamed: String = renamed
            .map(|names| format!("\\n{}", quoted(&names)))
            .collect();
        writeln!(
            out,
            "  v{} -> v{} [label=\"{kind}\\n{evidence}{within}{renamed}\"{dashed}];",
            edge.parent, edge.version
        )?;
    }
    for (at, version) in family.versions.iter().enumerate() {
        if let Some(second) = &version.second {
            let apart = second.shingles_of_parent_alone.unwrap_or(0);
            writeln!(
                out,
                "  v{} -> v{} [label=\"{apart} shingles\", style=dotted];",
                second.parent,
                at + 1
            )?;
        }
    }
    writeln!(out, "}}")
}

fn label(number: usize, version: &Version) -> String {
    let mut lines = vec![format!("{number}  {}", version.day())];
    lines.extend(version.files.iter().map(|file| quoted(file)));
    if version.unnamed() > 0 {
        lines.push(format!("and {} more", version.unnamed()));
    }
    lines.join("\\n")
}

/// Escapes a name for a quoted label, where `\` and `"` are special.
fn quoted(name: &str) -> String {
    name.replace('\\', "\\\\").replace('"', "\\\"")
}
