//! What the fake says of its status.

use simdex_client::wire::{Alarm, MemoryUse, Pace, SchemeUsage, StatusReply};

use super::{half_built, judge_model, root, scheme, summary};

pub(crate) fn status() -> StatusReply {
    StatusReply {
        version: "0.1.0".to_owned(),
        format: 1,
        data_dir: b"/var/lib/simdex".to_vec(),
        summary: Some(summary()),
        uptime_seconds: 7200.0,
        queued: 2,
        schemes: vec![SchemeUsage {
            scheme: Some(scheme(1)),
            postings: 4000,
            bytes: 9000,
            sign_seconds: 1.5,
            n_most: 64,
            unmerged: 4000,
        }],
        roots: vec![root()],
        max_message_bytes: 1 << 20,
        threshold: 0.8,
        store_bytes: 4096,
        text_bytes: 2048,
        sandbox: "landlock, seccomp".to_owned(),
        new_index: true,
        resident_bytes: Some(3 << 20),
        memory: memory(),
        memory_limit_bytes: Some(256 << 20),
        reading: Some(Pace {
            per_second: 12.5,
            seconds_left: Some(90.0),
            takes_longer: false,
        }),
        settling: Some(Pace {
            per_second: 2.5,
            seconds_left: Some(30.0),
            takes_longer: true,
        }),
        merging_seconds: Some(4.25),
        alarm: Some(Alarm {
            reason: "cannot write /var/lib/simdex/text/000001.seg: no storage space".to_owned(),
            since: 0,
            next_attempt: Some(60),
            answering: true,
        }),
        completeness: Some(half_built()),
        judge_model: Some(judge_model()),
        judge_model_fallback: "/var/lib/simdex/judge-model cannot be used: the file is damaged"
            .to_owned(),
        ..StatusReply::default()
    }
}

fn memory() -> Vec<MemoryUse> {
    vec![
        MemoryUse {
            holder: "unmerged postings".to_owned(),
            bytes: Some(32_000),
            limit: None,
        },
        MemoryUse {
            holder: "cache of the store".to_owned(),
            bytes: None,
            limit: Some(512 << 20),
        },
    ]
}
