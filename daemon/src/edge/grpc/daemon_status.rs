//! Makes the daemon's status.

use std::sync::Arc;

use simdex_index::{MemoryAccount, store};
use simdex_proto::completeness::{Completeness, Pending};
use simdex_proto::v1;

use super::status::Refused;
use crate::encode;
use crate::engine::Engine;
use crate::host::alarms::Alarm;
use crate::read_side::lists;
use crate::write_side::roots::Root;

/// The completeness while there is no index: not complete because of the alarm; counts are unknown.
pub(super) fn without_index(alarm: &Alarm) -> Completeness {
    Completeness::from(Pending {
        alarm: Some(alarm.reason.clone()),
        ..Pending::default()
    })
}

pub(super) fn roots(engine: &Engine) -> Vec<v1::Root> {
    let root = |root: &Arc<Root>| {
        let files = engine.index.registry().files_on_disk(root.id);
        let alarm = engine.host().alarms.gravest_of(root.id);
        encode::root(root, files, alarm.as_ref())
    };
    engine.roots.iter().map(root).collect()
}

pub(super) fn status(engine: &Engine, account: &MemoryAccount) -> Result<v1::StatusReply, Refused> {
    let index = &engine.index;
    let summary = lists::counts(engine, &engine.roots.view(), account)?;
    let completeness = summary.completeness.clone();
    let alarm = engine.host().alarms.gravest();
    let (store_bytes, text_bytes) = match index.bytes_on_disk() {
        // What keeps changes from being applied may keep files from being listed too.
        Err(_) if alarm.is_some() => Default::default(),
        bytes => bytes?,
    };
    let index_of_config = engine.host().index_of_config.as_deref();
    let damage = engine.damage_to_mend();
    let set_aside = match &damage {
        Some(damage) => Some(damage.set_aside.clone()),
        // Nobody has looked after it yet. A directory that cannot be read has an alarm of its own.
        None => store::last_set_aside(&engine.data_dir.join("store")).unwrap_or_default(),
    };
    let usage = |usage| encode::usage(index, usage);
    let merging = index.merges().under_way;
    let resident = simdex_extract::ResidentMemory::open();
    Ok(v1::StatusReply {
        version: env!("CARGO_PKG_VERSION").to_owned(),
        format: simdex_schema::FORMAT_VERSION,
        data_dir: encode::path(&engine.data_dir),
        summary: Some(encode::summary(&summary)),
        uptime_seconds: engine.started.elapsed().as_secs_f64(),
        queued: completeness.pending.as_ref().map_or(0, |p| p.queued),
        schemes: index.usage().into_iter().map(usage).collect(),
        roots: roots(engine),
        max_message_bytes: engine.config.grpc.max_message_mib.bytes(),
        threshold: engine.threshold().get(),
        store_bytes,
        text_bytes,
        sandbox: engine.pool.sandbox().to_string(),
        new_index: engine.host().is_new || damage.is_some(),
        set_aside: set_aside.as_deref().map(encode::path).unwrap_or_default(),
        damage: damage.map(|damage| damage.reason).unwrap_or_default(),
        index_of_config: index_of_config.map(encode::path).unwrap_or_default(),
        resident_bytes: resident.bytes(),
        memory: encode::memory(index, engine.config.store.memory().cache_bytes, &resident),
        memory_limit_bytes: Some(engine.config.store.memory_mib.bytes()),
        reading: engine.reading_pace().map(encode::pace),
        settling: engine.settling_pace().map(encode::pace),
        merging_seconds: merging.map(|taken| taken.as_secs_f64()),
        alarm: alarm.as_ref().map(encode::alarm),
        completeness: Some(completeness.into()),
        schedules: Vec::new(),
        judge_model: Some(encode::model(&engine.models.in_force())),
        judge_model_fallback: engine.models.fallback().unwrap_or_default(),
        sampling: Some(encode::sampling(index)),
    })
}
