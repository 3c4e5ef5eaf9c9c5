//! `groups`: every group of near-duplicates, its members around their principal; `--of` and `--id`: one
//! group.

use std::convert::identity;

use simdex_client::completeness::Completeness;
use simdex_client::wire::{GetGroupReply, Group, get_group_request::Source};

use crate::cli::{GroupsArgs, ListArgs};
use crate::commands::Session;
use crate::exit_code::Outcome;
use crate::failure::Failure;
use crate::output::eprint_line;
use simdex_client::text::escaped;

pub(super) async fn run(session: &mut Session, args: GroupsArgs) -> Result<Outcome, Failure> {
    session.apply_completeness_flags(&args.list.wanted).await?;
    if let Some(file) = args.of {
        let reply = session.client.group_of_file(&file).await?;
        if reply.group.is_none() {
            let name = escaped(&simdex_client::path_bytes(&file));
            eprint_line(format!("{name} is in no group"));
        }
        return one(session, &reply);
    }
    if let Some(id) = args.id {
        let reply = session.client.group(Source::Id(id)).await?;
        return one(session, &reply);
    }
    all(session, args.list).await
}

async fn all(session: &mut Session, args: ListArgs) -> Result<Outcome, Failure> {
    let roots = session.root_ids(&args.roots.paths).await?;
    let groups = session.client.groups(args.threshold.value, roots).await?;
    let (count, summary) = session.print(groups, args.limit, identity).await?;
    session.print_summary(&summary)?;
    Ok(Outcome::of_search(count))
}

fn one(session: &mut Session, reply: &GetGroupReply) -> Result<Outcome, Failure> {
    let mut list = session.printer.list::<Group>();
    if let Some(group) = &reply.group {
        list.record(group)?;
    }
    list.end()?;
    if let (true, Some(told)) = (session.printer.is_json(), &reply.completeness) {
        session.printer.line(&Completeness::from(told))?;
    }
    session.warn_if_incomplete(reply.completeness.as_ref());
    Ok(Outcome::of_search(reply.group.is_some().into()))
}
