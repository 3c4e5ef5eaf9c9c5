//! `templates`: text that recurs in many documents of a root, as a table or as a list of its lines.

use std::convert::identity;
use std::io::Write;

use simdex_client::ItemStream;
use simdex_client::lines::TemplatesSummary;
use simdex_client::text::{counted, escaped, template_line};
use simdex_client::wire::{self, ListTemplatesReply, Template};

use crate::cli::TemplatesArgs;
use crate::commands::Session;
use crate::exit_code::Outcome;
use crate::failure::Failure;
use crate::output::ROOT;
use crate::progress::waiting;

/// Longest text of a template in a list, in bytes.
const LISTED_BYTES: u32 = 1_000_000;

pub(super) async fn run(session: &mut Session, args: TemplatesArgs) -> Result<Outcome, Failure> {
    // `--json` may stand before or after the verb.
    if args.lines && session.printer.is_json() {
        return Err(Failure::LinesAsJson);
    }
    session.apply_completeness_flags(&args.completeness).await?;
    let roots = session.root_ids(&args.roots).await?;
    let of_one = !session.printer.is_json() && is_of_one_root(session, &roots).await?;
    let hidden: &[&str] = if of_one { &[ROOT] } else { &[] };
    let text_bytes = args.lines.then_some(LISTED_BYTES);
    let call = session
        .client
        .templates(args.min_documents, args.limit, text_bytes, roots);
    let listing = waiting("finding templates", call).await?;
    let (count, summary) = match args.lines {
        true => print_lines(session, listing).await?,
        false => {
            session
                .print_without(hidden, listing, None, identity)
                .await?
        }
    };
    let templates = counted(summary.templates, "template");
    let documents = counted(summary.documents, "document");
    session.print_summary_line(
        &TemplatesSummary::from(&summary),
        &format!("{templates} in {documents}"),
        summary.truncated.then_some(
            "not all are listed: --limit or the room for counting was reached; a higher --min-documents finds fewer",
        ),
        summary.completeness.as_ref(),
    )?;
    Ok(Outcome::of_search(count))
}

/// Whether all templates are of one root, those named or all that there are.
async fn is_of_one_root(session: &Session, named: &[u32]) -> Result<bool, Failure> {
    Ok(match named.len() {
        0 => session.client.roots().await?.len() <= 1,
        roots => roots == 1,
    })
}

/// Prints each template's lines below a comment with its places; returns what [`Session::print`] does.
async fn print_lines(
    session: &mut Session,
    mut listing: ItemStream<ListTemplatesReply>,
) -> Result<(u64, wire::TemplatesSummary), Failure> {
    let mut printed = 0;
    while let Some(template) = listing.next().await? {
        session.printer.write_all(listed(&template).as_bytes())?;
        printed += 1;
    }
    Ok((printed, listing.summary().await?))
}

/// A template as an entry of a list of template lines. Documents of a single group may be revisions of one document or
/// forms that share a template, so its lines are commented out for a person to decide.
fn listed(template: &Template) -> String {
    let (root, example) = (escaped(&template.root), escaped(&template.example));
    let groups = counted(template.groups, "group");
    let mut text = format!(
        "# in {} of {} documents of {root}, of {groups}, such as {example}\n",
        template.documents, template.of_documents
    );
    // A truncated line has no line feed.
    let lines = template.text.split_inclusive('\n');
    let lines: Vec<&str> = lines.filter_map(|line| line.strip_suffix('\n')).collect();
    let whole = lines.len();
    if template.cut {
        text.push_str(&format!("# cut: {whole} of {} lines\n", template.lines));
    }
    let mark = if template.groups > 1 { "" } else { "# " };
    for line in lines {
        text.push_str(mark);
        text.push_str(&template_line(line));
        text.push('\n');
    }
    text.push('\n');
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn template(groups: u64) -> Template {
        Template {
            root: b"/share".to_vec(),
            text: "# Release notes\nExample Ltd, Sample Street 1\n".to_owned(),
            lines: 4,
            documents: 12,
            groups,
            of_documents: 40,
            example: b"/share/a.txt".to_vec(),
            cut: true,
            left_out: false,
            partly_left_out: false,
        }
    }

    #[test]
    fn a_template_of_which_no_line_is_told_is_said_to_be_cut() {
        for text in ["", "the beginning of a long line"] {
            let nothing = Template {
                text: text.to_owned(),
                ..template(3)
            };
            assert_eq!(
                listed(&nothing),
                "# in 12 of 40 documents of /share, of 3 groups, such as /share/a.txt\n# cut: 0 of 4 lines\n\n"
            );
        }
    }

    #[test]
    fn lines_are_listed_whole_and_those_of_one_group_as_comments() {
        assert_eq!(
            listed(&template(3)),
            "# in 12 of 40 documents of /share, of 3 groups, such as /share/a.txt\n# cut: 2 of 4 lines\n\
             \\# Release notes\nExample Ltd, Sample Street 1\n\n"
        );
        assert_eq!(
            listed(&template(1)),
            "# in 12 of 40 documents of /share, of 1 group, such as /share/a.txt\n# cut: 2 of 4 lines\n\
             # \\# Release notes\n# Example Ltd, Sample Street 1\n\n"
        );
    }
}
