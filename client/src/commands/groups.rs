//! `groups`: every group of near-duplicates, its members around their principal, or every component or core;
//! `--of` and `--id`: one group.

use simdex_client::lines::GroupSummary;
use simdex_client::wire::{
    GetGroupReply, Group, ListGroupsReply, Summary, get_group_request::Source,
};

use crate::cli::{GroupsArgs, GroupsKind};
use crate::commands::first_judged::FirstJudged;
use crate::commands::{Session, UNJUDGED_ADVICE};
use crate::exit_code::Outcome;
use crate::failure::Failure;
use crate::output::{Cluster, eprint_line};
use crate::progress::waiting;
use simdex_client::text::{counted, escaped};
use simdex_client::{GroupOptions, ItemStream, shown};

pub(super) async fn run(session: &mut Session, args: GroupsArgs) -> Result<Outcome, Failure> {
    session
        .apply_completeness_flags(&args.list.completeness)
        .await?;
    session.client = session.client.clone().judged(args.judged());
    if let Some(file) = args.of {
        let reply = session.client.group_of_file(&file).await?;
        if reply.group.is_none() {
            let name = escaped(&simdex_client::path_bytes(&file));
            let yet = if reply.unsettled { " yet" } else { "" };
            eprint_line(format!("{name} is in no group{yet}"));
        }
        return one(session, &reply);
    }
    if let Some(id) = args.id {
        let reply = session.client.group(Source::Id(id)).await?;
        return one(session, &reply);
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
    let mut judged = Judged::default();
    let shown = (args.kind, args.list.limit);
    let (count, summary) = print(session, groups, shown, &mut judged).await?;
    session.print_summary(&summary)?;
    session.remark_first_judged(&judged.first, "file");
    session.remark_unjudged(summary.unjudged, "file", UNJUDGED_ADVICE);
    if let (1.., false) = (judged.apart, session.printer.is_json()) {
        let groups = counted(judged.apart, "group");
        eprint_line(format!(
            "{groups} marked apart: files there are judged no versions of the principal"
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

/// What is said of the judgements of groups, once they are listed.
#[derive(Default)]
struct Judged {
    /// Groups with a file that is judged no version of its principal.
    apart: u64,
    /// Files beside their principals.
    first: FirstJudged,
}

impl Judged {
    fn note(&mut self, group: &Group) {
        self.apart += u64::from(group.judged_apart == Some(true));
        let members = group.members.iter().skip(1);
        members.for_each(|member| self.first.note(member.not_judged()));
    }
}

/// Prints groups; components and cores, which have no ids, are numbered.
async fn print(
    session: &mut Session,
    groups: ItemStream<ListGroupsReply>,
    (kind, limit): (GroupsKind, Option<u64>),
    judged: &mut Judged,
) -> Result<(u64, Summary), Failure> {
    let mut number = 0;
    let numbered = |group| {
        number += 1;
        Cluster { number, group }
    };
    match kind {
        GroupsKind::Stars => {
            let noting = |group: Group| {
                judged.note(&group);
                group
            };
            session.print(groups, limit, noting).await
        }
        GroupsKind::Components | GroupsKind::Cores => session.print(groups, limit, numbered).await,
    }
}

fn one(session: &mut Session, reply: &GetGroupReply) -> Result<Outcome, Failure> {
    let mut judged = Judged::default();
    let mut list = session.printer.list::<Group>();
    if let Some(group) = &reply.group {
        judged.note(group);
        list.record(group)?;
    }
    list.end()?;
    if session.printer.is_json() {
        session.printer.line(&GroupSummary::from(reply))?;
    }
    session.remark_first_judged(&judged.first, "file");
    session.tell_promise(reply.promise.as_ref(), reply.completeness.as_ref());
    session.warn_if_incomplete(reply.completeness.as_ref());
    Ok(Outcome::of_search(reply.group.is_some().into()))
}
