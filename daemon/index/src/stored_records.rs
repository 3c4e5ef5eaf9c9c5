//! The meta record, and all records of one kind: for whoever opens, reads or changes an index.

use std::ops::ControlFlow;

use simdex_schema::{MetaRecord, key};

use crate::IndexError;
use crate::batch::Batch;
use crate::store::Store;

/// Replaces the meta record.
pub(crate) fn put_meta(store: &dyn Store, meta: &MetaRecord) -> Result<(), IndexError> {
    let mut batch = Batch::new(store.records());
    batch.put(key::meta(), meta.encode());
    Ok(batch.write()?)
}

/// Visits all records of a kind; the first error ends the scan.
pub(crate) fn visit(
    store: &dyn Store,
    prefix: u8,
    mut each: impl FnMut(&[u8], &[u8]) -> Result<(), IndexError>,
) -> Result<(), IndexError> {
    let mut failed = None;
    store
        .records()
        .scan(&[prefix], None, &mut |key, value| match each(key, value) {
            Ok(()) => ControlFlow::Continue(()),
            Err(error) => {
                failed = Some(error);
                ControlFlow::Break(())
            }
        })?;
    failed.map_or(Ok(()), Err)
}
