//! The memory of Simdex, stage by stage: what was resident, and what the index says it held.

use anyhow::Context as _;
use simdex_index::Index;

use super::super::process::{memory_mb, peak_memory_mb, reset_peak_memory};
use crate::figure::{Cell, Figures};

/// Stages of one run, each with megabytes resident.
pub(super) struct Stages {
    /// Before the first document.
    before: f64,
    names: Vec<&'static str>,
    rows: Vec<(String, Vec<Cell>)>,
    most: f64,
}

impl Stages {
    /// Call it before the first document.
    pub(super) fn begin() -> anyhow::Result<Self> {
        reset_peak_memory()?;
        Ok(Self {
            before: memory_mb()?,
            names: Vec::new(),
            rows: Vec::new(),
            most: 0.0,
        })
    }

    /// Notes a stage that has just ended.
    pub(super) fn end(&mut self, name: &'static str, index: &Index) -> anyhow::Result<()> {
        let (most, now) = (peak_memory_mb()? - self.before, memory_mb()? - self.before);
        self.most = self.most.max(most);
        self.names.push(name);
        self.put("at most", most);
        self.put("at its end", now);
        for held in index.memory_use() {
            self.put(
                &format!("  {}", held.holder.name()),
                held.bytes as f64 / 1e6,
            );
        }
        reset_peak_memory().context("forgetting the most memory of a stage")
    }

    fn put(&mut self, name: &str, megabytes: f64) {
        let cell = Cell::Figure(megabytes);
        match self.rows.iter_mut().find(|(row, _)| row == name) {
            Some((_, cells)) => cells.push(cell),
            None => self.rows.push((name.to_owned(), vec![cell])),
        }
    }

    /// Megabytes resident at most, beyond those before the first document.
    pub(super) fn most(&self) -> f64 {
        self.most
    }

    /// Prints what was resident in each stage.
    pub(super) fn show(&self, figures: &mut Figures<'_>) -> anyhow::Result<()> {
        figures.note("memory of Simdex by stage, MB:")?;
        Ok(figures.table(&self.names, &self.rows)?)
    }
}
