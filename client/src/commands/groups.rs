//! `groups`: every group of near-duplicates, its members around their principal, or every component or core;
//! `--of` and `--id`: one group.

use simdex_client::lines::GroupSummary;
use simdex_client::wire::{
    GetGroupReply, Group, ListGroupsReply, Summary, get_group_request::Source,
};

use crate::cli::{GroupsArgs, GroupsKind};
use crate::commands::{Session, UNJUDGED_ADVICE};
use crate::exit_code::Outcome;
use crate::failure::Failure;
use crate::output::{Cluster, SHARED_OF_100, eprint_line};
use crate::progress::waiting;
use simdex_client::text::{counted, escaped};
use simdex_client::{GroupOptions, ItemStream, shown};

pub(super) async fn run(session: &mut Session, args: GroupsArgs) -> Result<Outcome, Failure> {
    session
        .apply_completeness_flags(&args.list.completeness)
        .await?;
    session.client = session.client.clone().judged(args.judge.is_on());
    let hidden = args.judge.hidden_columns();
    if let Some(file) = args.of {
        let reply = session.client.group_of_file(&file).await?;
        if reply.group.is_none() {
            let name = escaped(&simdex_client::path_bytes(&file));
            let yet = if reply.unsettled { " yet" } else { "" };
            eprint_line(format!("{name} is in no group{yet}"));
        }
        return one(session, &reply, hidden);
    }
    if let Some(id) = args.id {
        let reply = session.client.group(Source::Id(id)).await?;
        return one(session, &reply, hidden);
    }
    all(session, args).await
}

async fn all(session: &mut Session, args: GroupsArgs) -> Result<Outcome, Failure> {
    let options = GroupOptions {
        kind: args.kind.into(),
        threshold: args.threshold.value,
        common: args.common,
        mining_seconds: args.mining_seconds,
        after: args.after.as_deref().map(shown).transpose()?,
    };
    let roots = session.root_ids(&args.list.roots.paths).await?;
    let call = session.client.groups_of_kind(&options, roots);
    let groups = match args.kind {
        GroupsKind::Stars => call.await?,
        GroupsKind::Components | GroupsKind::Cores => waiting("finding groups", call).await?,
    };
    let hidden = args.judge.hidden_columns();
    let mut apart = 0;
    let shown = (args.kind, args.list.limit, hidden);
    let (count, summary) = print(session, groups, shown, &mut apart).await?;
    session.print_summary(&summary)?;
    session.remark_unjudged(summary.unjudged, "file", UNJUDGED_ADVICE);
    if let (1.., false) = (apart, session.printer.is_json()) {
        let groups = counted(apart, "group");
        eprint_line(format!(
            "{groups} with files that are judged no versions of the principal"
        ));
    }
    if let (Some(unfinished @ 1..), false) = (summary.unfinished, session.printer.is_json()) {
        let parts = counted(unfinished, "part");
        eprint_line(format!(
            "not all cores are listed: {parts} of the collection not mined to the end; \
             raise --deadline or --common"
        ));
    }
    Ok(Outcome::of_search(count))
}

/// Prints groups; components and cores, which have no ids, are numbered.
async fn print(
    session: &mut Session,
    groups: ItemStream<ListGroupsReply>,
    (kind, limit, hidden): (GroupsKind, Option<u64>, &[&str]),
    apart: &mut u64,
) -> Result<(u64, Summary), Failure> {
    let mut number = 0;
    let numbered = |group| {
        number += 1;
        Cluster { number, group }
    };
    match kind {
        GroupsKind::Stars => {
            let counting = |group: Group| {
                *apart += u64::from(group.judged_apart == Some(true));
                group
            };
            session.print_without(hidden, groups, limit, counting).await
        }
        GroupsKind::Components => {
            session
                .print_without(&[SHARED_OF_100], groups, limit, numbered)
                .await
        }
        GroupsKind::Cores => session.print(groups, limit, numbered).await,
    }
}

fn one(session: &mut Session, reply: &GetGroupReply, hidden: &[&str]) -> Result<Outcome, Failure> {
    let mut list = session.printer.list::<Group>().without(hidden);
    if let Some(group) = &reply.group {
        list.record(group)?;
    }
    list.end()?;
    if session.printer.is_json() {
        session.printer.line(&GroupSummary::from(reply))?;
    }
    session.tell_promise(reply.promise.as_ref(), reply.completeness.as_ref());
    session.warn_if_incomplete(reply.completeness.as_ref());
    Ok(Outcome::of_search(reply.group.is_some().into()))
}
