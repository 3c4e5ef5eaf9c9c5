//! Encodes the daemon's status.

use std::time::SystemTime;

use simdex_extract::ResidentMemory;
use simdex_index::{Index, MemoryHolder, Usage};
use simdex_proto::v1;
use simdex_schema::ReportRecord;
use simdex_signature::{Rung, Scheme, SchemeKind};

use super::{path, scheme};
use crate::base::events::Event;
use crate::base::rate::Pace;
use crate::base::schedule_status::ScheduleStatus;
use crate::host::alarms::Alarm;
use crate::write_side::roots::{Root, RootState};
use crate::write_side::watch::ChosenMode;

/// Encodes a report that was written earlier.
pub fn report(finished: u64, record: ReportRecord) -> v1::Report {
    v1::Report {
        out: record.out,
        finished: finished.try_into().unwrap_or(i64::MAX),
        groups: record.groups,
    }
}

/// Encodes the status of a schedule.
pub fn schedule(status: &ScheduleStatus) -> v1::Schedule {
    v1::Schedule {
        name: status.name.clone(),
        next: status.next.map(|at| at.as_second()),
        last: status.last.map(|at| at.as_second()),
        report: status.report.as_deref().map(path).unwrap_or_default(),
        error: status.error.clone(),
    }
}

/// Encodes the alarm that keeps changes from being applied.
pub fn alarm(alarm: &Alarm) -> v1::Alarm {
    let seconds = |at: SystemTime| {
        let since = at
            .duration_since(SystemTime::UNIX_EPOCH)
            .unwrap_or_default();
        since.as_secs().try_into().unwrap_or(i64::MAX)
    };
    v1::Alarm {
        reason: alarm.reason.clone(),
        since: seconds(alarm.since),
        next_attempt: alarm.next_attempt.map(seconds),
        answering: alarm.is_answering(),
    }
}

/// Encodes a root that holds `files` files on disk. While changes are not applied no root is up to date,
/// whatever its watcher reports: one that seems so is shown as stalled by the alarm.
pub fn root(root: &Root, files: u64, alarm: Option<&Alarm>) -> v1::Root {
    let status = root.status();
    let chosen = root.chosen();
    let seems_well = matches!(status.state, RootState::Watching | RootState::Scanning);
    let (state, detail) = match alarm.filter(|_| seems_well) {
        Some(alarm) => ("stalled", alarm.reason.clone()),
        None => {
            let why = chosen.as_ref().map_or("", |chosen| &chosen.why);
            // What is wrong comes first: where there is little room, the end is cut.
            let details = [&status.detail, why].into_iter();
            let details: Vec<&str> = details.filter(|detail| !detail.is_empty()).collect();
            (status.state.name(), details.join("; "))
        }
    };
    v1::Root {
        id: root.id.0,
        path: path(&root.path),
        mode: mode(chosen.as_ref()).to_owned(),
        configured_mode: root.configured.mode.name().to_owned(),
        state: state.to_owned(),
        detail,
        files,
        pending_loss: status.pending_loss,
        loss_token: status
            .loss_token()
            .map(|token| token.to_string())
            .unwrap_or_default(),
    }
}

fn mode(chosen: Option<&ChosenMode>) -> &'static str {
    chosen.map_or("poll", |chosen| chosen.mode.name())
}

/// Encodes the holders of memory: the parts of the index, the cache of the store and, where resident memory is known,
/// the program and the rest that none of these accounts for. `cache_bytes` includes the limit of the blocks of text.
pub fn memory(index: &Index, cache_bytes: u64, resident: &ResidentMemory) -> Vec<v1::MemoryUse> {
    let parts = index.memory_use();
    let blocks = parts
        .iter()
        .find(|part| part.holder == MemoryHolder::Blocks);
    let of_blocks = blocks.and_then(|part| part.limit).unwrap_or(0);
    let of_index = parts.into_iter().map(|part| v1::MemoryUse {
        holder: part.holder.name().to_owned(),
        bytes: Some(part.bytes),
        limit: part.limit,
    });
    let cache = v1::MemoryUse {
        holder: "cache of the store".to_owned(),
        bytes: None,
        limit: Some(cache_bytes.saturating_sub(of_blocks)),
    };
    let mut held: Vec<v1::MemoryUse> = of_index.chain([cache]).collect();
    if let (Some(all), Some(of_files)) = (resident.bytes(), resident.file_bytes()) {
        add_rest(&mut held, all, of_files);
    }
    held
}

/// Adds the program with its libraries, and the rest, to the known holders of `all` resident bytes, of which `of_files`
/// are pages of files. The rest is what readers and requests hold now, what the allocator keeps, and the cache of the
/// store.
fn add_rest(held: &mut Vec<v1::MemoryUse>, all: u64, of_files: u64) {
    let mut add = |holder: &str, bytes| {
        held.push(v1::MemoryUse {
            holder: holder.to_owned(),
            bytes: Some(bytes),
            limit: None,
        });
        held.iter().filter_map(|part| part.bytes).sum::<u64>()
    };
    let known = add("program and libraries", of_files);
    add("not accounted for", all.saturating_sub(known));
}

/// Encodes how fast waiting work is done.
pub fn pace(pace: Pace) -> v1::Pace {
    v1::Pace {
        per_second: pace.per_second,
        seconds_left: pace.left.map(|left| left.as_secs_f64()),
        takes_longer: pace.takes_longer,
    }
}

/// Encodes the cost of a scheme. Its n is the least in use: each document is signed at the rung that its length
/// requires.
pub fn usage(index: &Index, usage: Usage) -> v1::SchemeUsage {
    let used = match usage.scheme {
        SchemeKind::Chunks => simdex_signature::Chunks::SCHEME,
        kind => Scheme::of_text(kind, index.reader().window()),
    };
    let (finest, coarsest) = usage.rungs.unwrap_or((Rung::ZERO, Rung::ZERO));
    v1::SchemeUsage {
        scheme: Some(scheme(used, finest)),
        postings: usage.postings,
        bytes: usage.bytes,
        sign_seconds: index.sign_seconds(usage.scheme),
        n_most: usage.scheme.n(coarsest),
        unmerged: usage.unmerged,
    }
}

/// Encodes an event.
pub fn event(event: &Event) -> v1::Event {
    let document = event.change.subject.document;
    v1::Event {
        number: event.number,
        kind: event.change.kind.name().to_owned(),
        path: path(&event.change.path),
        group: event.change.subject.group.map(|group| group.0),
        document: document.map_or(Vec::new(), |hash| hash.0.to_vec()),
        detail: event.change.detail.clone(),
        at: event.at,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_holds_memory_adds_up_to_what_is_resident() {
        let part = |holder: &str, bytes| v1::MemoryUse {
            holder: holder.to_owned(),
            bytes,
            limit: None,
        };
        let known = [part("postings", Some(100)), part("cache", None)];
        let mut held = known.to_vec();
        add_rest(&mut held, 1_000, 300);
        assert_eq!(held[2], part("program and libraries", Some(300)));
        assert_eq!(held[3], part("not accounted for", Some(600)));
        // Parts that are counted as reserved may exceed what is resident.
        let mut held = known.to_vec();
        add_rest(&mut held, 350, 300);
        assert_eq!(held[3].bytes, Some(0));
    }
}
