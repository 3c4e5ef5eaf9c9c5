//! What this process, which plays the daemon, holds: memory, descriptors, children.

use std::fs;

use anyhow::{Context, Result};

/// Memory that a campaign may add once it is warm; the corpus it learns is part of it.
const GROWTH_KIB: u64 = 96 << 10;

/// What the process holds at one moment.
#[derive(Clone, Copy, Debug)]
pub(super) struct Resources {
    resident_kib: u64,
    descriptors: usize,
    children: usize,
}

impl Resources {
    pub(super) fn now() -> Result<Self> {
        let status = fs::read_to_string("/proc/self/status")?;
        let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
        let resident = line.and_then(|line| line.trim().strip_suffix("kB"));
        let mut children = 0;
        for task in fs::read_dir("/proc/self/task")? {
            // A thread may end meanwhile.
            let listed = fs::read_to_string(task?.path().join("children")).unwrap_or_default();
            children += listed.split_whitespace().count();
        }
        Ok(Self {
            resident_kib: resident.context("no VmRSS")?.trim().parse()?,
            descriptors: fs::read_dir("/proc/self/fd")?.count(),
            children,
        })
    }

    /// What is left over since `before`, when everything was given back.
    pub(super) fn leaks_since(&self, before: &Self) -> Vec<String> {
        let mut leaks = Vec::new();
        if self.children > before.children {
            leaks.push(format!(
                "{} workers are left",
                self.children - before.children
            ));
        }
        if self.descriptors > before.descriptors {
            leaks.push(format!(
                "{} descriptors are left",
                self.descriptors - before.descriptors
            ));
        }
        leaks
    }

    /// What was added to memory since `warm`.
    pub(super) fn growth_since(&self, warm: &Self) -> Option<String> {
        let grown = self.resident_kib.saturating_sub(warm.resident_kib);
        (grown > GROWTH_KIB).then(|| format!("memory grew by {} MiB", grown >> 10))
    }
}
