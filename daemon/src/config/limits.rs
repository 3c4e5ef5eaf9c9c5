//! Converts the configuration to settings of workers, programs and the index.

use std::time::Duration;

use simdex_extract::{Budgets, ExternalToolLimits, Limits};
use simdex_index::IndexSettings;
use simdex_schema::meta::Parameters;
use simdex_signature::{CANONICAL_VERSION, Ladder, Window};

use super::Config;

impl Config {
    /// Limits of the extraction workers.
    pub fn limits(&self) -> Limits {
        Limits {
            address_space: self.extract.memory_mib.bytes(),
            cpu: Duration::from_secs(self.extract.cpu_seconds),
            wall: Duration::from_secs(self.extract.wall_seconds),
            output_bytes: self.extract.text_mib.bytes(),
            input_bytes: self.extract.input_mib.bytes(),
            documents_per_worker: self.extract.documents_per_worker,
            budgets: self.budgets(),
        }
    }

    /// Limits of a program of the machine.
    pub fn external_tool_limits(&self) -> ExternalToolLimits {
        ExternalToolLimits {
            address_space: self.outside.memory_mib.bytes(),
            time: Duration::from_secs(self.outside.seconds),
            output_bytes: self.extract.text_mib.bytes(),
            pages: self.outside.ocr_pages,
        }
    }

    /// Limits on the structure of one document.
    fn budgets(&self) -> Budgets {
        let extract = &self.extract;
        Budgets {
            entries: extract.container_entries,
            entry_bytes: extract.container_entry_mib.bytes(),
            total_bytes: extract.container_mib.bytes(),
            ratio: extract.inflate_ratio,
            markup_depth: extract.markup_depth,
            mime_parts: extract.mime_parts,
            mime_depth: extract.mime_depth,
            cells: extract.sheet_cells,
        }
    }

    /// Worker processes, and threads that read files for them.
    pub fn workers(&self) -> usize {
        let processors = std::thread::available_parallelism().map_or(2, usize::from);
        if self.extract.workers == 0 {
            processors
        } else {
            self.extract.workers
        }
    }

    /// Settings that the index is opened with.
    pub fn index_settings(&self) -> IndexSettings {
        IndexSettings::new(self.parameters(), self.template_list.clone())
    }

    /// Parameters of signatures and edges.
    pub fn parameters(&self) -> Parameters {
        Parameters {
            canonical: CANONICAL_VERSION,
            window: Window::DEFAULT.width(),
            target: Ladder::default().target,
            schemes: self.signature.schemes.schemes(),
            threshold: self.signature.threshold,
            template_lines: self.template_list.id(),
        }
    }
}
