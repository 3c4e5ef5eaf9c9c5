//! What an index is opened with, and what is rebuilt if it was made with other settings.

use simdex_schema::meta::Parameters;
use simdex_schema::{MetaRecord, key};
use simdex_signature::TemplateLines;

use crate::IndexError;
use crate::batch::{Batch, LONG_BATCH};
use crate::runs::{self, Runs};
use crate::store::Store;
use crate::stored_records::put_meta;

/// Everything that decides what is signed and compared: the stored parameters, and the list that they refer to.
pub struct IndexSettings {
    pub(super) parameters: Parameters,
    pub(super) template_lines: TemplateLines,
    keeps_list: bool,
}

impl IndexSettings {
    /// Settings with lines that are left out; the parameters identify their list.
    pub fn new(parameters: Parameters, template_lines: TemplateLines) -> Self {
        let parameters = Parameters {
            template_lines: template_lines.id(),
            ..parameters
        };
        Self {
            parameters,
            template_lines,
            keeps_list: false,
        }
    }

    /// Refuses to open an index that was made with a list of template lines, if none is given here.
    #[must_use]
    pub fn keeping_list(self) -> Self {
        Self {
            keeps_list: true,
            ..self
        }
    }
}

/// No lines are left out.
impl From<Parameters> for IndexSettings {
    fn from(parameters: Parameters) -> Self {
        Self::new(parameters, TemplateLines::default())
    }
}

/// Opens the runs of postings and adopts the settings. Returns the runs, `None` if one is missing or damaged, and what
/// is to be rebuilt.
pub(super) fn open_runs(
    store: &dyn Store,
    meta: &mut MetaRecord,
    settings: &IndexSettings,
    rebuild: bool,
) -> Result<(Option<Runs>, StaleParts), IndexError> {
    let parameters = &settings.parameters;
    let is_list_missing =
        meta.parameters.template_lines.is_some() && parameters.template_lines.is_none();
    if settings.keeps_list && is_list_missing {
        return Err(IndexError::NoTemplateLines);
    }
    let named = runs::open(store.postings(), meta)?;
    if named.is_none() {
        tracing::error!(
            "a run of postings is missing, damaged or not the recorded one: all are built again"
        );
    }
    let stale = StaleParts::of(
        &meta.parameters,
        parameters,
        rebuild,
        rebuild || named.is_none(),
    );
    if stale.signatures || stale.edges {
        adopt(store, meta, parameters.clone(), stale)?;
    }
    runs::drop_others(store, meta)?;
    Ok((named, stale))
}

/// What no longer matches the settings, or is to be rebuilt.
#[derive(Clone, Copy)]
pub(super) struct StaleParts {
    pub(super) signatures: bool,
    pub(super) edges: bool,
}

impl StaleParts {
    fn of(old: &Parameters, new: &Parameters, everything: bool, signatures: bool) -> Self {
        let same_threshold = Parameters {
            threshold: new.threshold,
            ..old.clone()
        };
        let same_schemes = Parameters {
            schemes: new.schemes,
            ..old.clone()
        };
        Self {
            signatures: signatures || same_threshold != *new,
            edges: everything || same_schemes != *new,
        }
    }
}

/// Adopts other settings: drops the postings or edges that depend on the old ones. Records and texts stay; signatures
/// and edges are rebuilt from them.
fn adopt(
    store: &dyn Store,
    meta: &mut MetaRecord,
    parameters: Parameters,
    stale: StaleParts,
) -> Result<(), IndexError> {
    if stale.edges {
        // If interrupted anywhere, this is repeated: the settings are stored last.
        drop_edges(store)?;
    }
    if stale.signatures {
        meta.watermark = 0;
        meta.runs = Vec::new();
        meta.dead_postings = 0;
    }
    if meta.parameters.canonical != parameters.canonical {
        // Their contents are read again, which gives them new hashes.
        meta.named_from = meta.next_document;
    }
    meta.parameters = parameters;
    put_meta(store, meta)
}

/// Lets `each` write for every key of a kind, some thousands in a batch.
fn in_batches(
    store: &dyn Store,
    prefix: u8,
    each: impl Fn(&mut Batch<'_>, &[u8]),
) -> Result<(), IndexError> {
    let keys = Batch::new(store.records()).keys(&[prefix])?;
    for some in keys.chunks(LONG_BATCH) {
        let mut batch = Batch::new(store.records());
        some.iter().for_each(|key| each(&mut batch, key));
        batch.write()?;
    }
    Ok(())
}

/// Drops all edges and queues every document for placement.
pub(super) fn drop_edges(store: &dyn Store) -> Result<(), IndexError> {
    in_batches(store, key::prefix::DOCUMENT, |batch, document| {
        let id = key::parse_document(document, 1);
        id.into_iter()
            .for_each(|id| batch.put(key::unsettled(id), Vec::new()));
    })?;
    in_batches(store, key::prefix::EDGE, |batch, edge| {
        batch.delete(edge.to_vec())
    })
}
