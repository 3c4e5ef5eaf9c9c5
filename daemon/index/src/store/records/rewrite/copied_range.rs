//! Consecutive records, packed for the new database.

use std::ops::ControlFlow;

use crate::store::StoreError;
use crate::store::records::layers::Layers;
use crate::store::records::pack::{PACK_BYTES, Packer};
use crate::store::records::parts::{Entry, MAX_ENTRY, cut};
use crate::store::records::records_db::RecordsDb;

/// Consecutive records of a database.
#[derive(Default)]
pub(super) struct CopiedRange {
    /// Key of the last record, sealed pack.
    pub(super) packs: Vec<Entry>,
    /// The parts of long values.
    pub(super) of_long: Vec<Entry>,
    bytes: usize,
    /// The key after them; `None` if they are the last.
    pub(super) next: Option<Vec<u8>>,
}

impl CopiedRange {
    /// Reads records from a key on, until their packs have as many bytes as are asked for.
    pub(super) fn read(
        records_db: &RecordsDb,
        start: &[u8],
        part_bytes: usize,
    ) -> Result<Self, StoreError> {
        let (mut part, mut packer) = (Self::default(), Packer::default());
        let pack_bytes = PACK_BYTES.min(part_bytes);
        records_db.records.walk(start, &mut |key, value| {
            if part.bytes >= part_bytes {
                part.next = Some(key.to_vec());
                return Ok(ControlFlow::Break(()));
            }
            part.push(&mut packer, (key, value), pack_bytes)?;
            Ok(ControlFlow::Continue(()))
        })?;
        part.take(&mut packer);
        part.of_long.sort_unstable();
        Ok(part)
    }

    /// Adds a record to the present pack, which is completed once it has enough bytes, and before it is too long.
    fn push(
        &mut self,
        packer: &mut Packer,
        (key, value): (&[u8], &[u8]),
        pack_bytes: usize,
    ) -> Result<(), StoreError> {
        let cut = cut(key, value)?;
        let stored = cut.as_ref().map_or(value, |cut| &cut.stand_in);
        if packer.bytes() + key.len() + stored.len() > MAX_ENTRY {
            self.take(packer);
        }
        packer.push(key, stored);
        if let Some(cut) = cut {
            self.bytes += value.len();
            self.of_long.extend(cut.parts);
        }
        if packer.bytes() >= pack_bytes {
            self.take(packer);
        }
        Ok(())
    }

    fn take(&mut self, packer: &mut Packer) {
        self.bytes += packer.bytes();
        let sealed = |(last, pack): (Vec<u8>, Vec<u8>)| Layers::sealed(last, &pack);
        self.packs.extend(packer.take().map(sealed));
    }
}
