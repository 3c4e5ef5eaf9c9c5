//! Moving the buffer into buckets.
//!
//! The meta record is marked before the first bucket is written and unmarked after the last stale
//! one is gone. Postings that a merge leaves half way stay in memory, or are signed again after a
//! restart: either way the next merge adds them once more, which changes nothing, and counts anew.

use std::sync::Arc;

use simdex_schema::posting::scheme_number;
use simdex_schema::{DocId, MetaRecord, key};
use simdex_signature::SchemeKind;

use crate::IndexError;
use crate::batch::Batch;
use crate::buckets::{Buckets, bits_for, drop_stale};
use crate::index::{Index, SCHEMES, Writer};

impl Index {
    /// Merges the buffer into buckets. Writers wait, readers do not.
    pub fn merge(&self) -> Result<(), IndexError> {
        let mut writer = self.writer();
        self.purge(&mut writer)?;
        let watermark = writer.meta.next_document;
        self.merge_up_to(&mut writer, watermark)
    }

    /// Merges while a store opens: documents after `last` are still to be signed again.
    pub(crate) fn merge_through(&self, last: DocId) -> Result<(), IndexError> {
        self.merge_up_to(&mut self.writer(), last.serial() + 1)
    }

    fn merge_up_to(&self, writer: &mut Writer, watermark: u64) -> Result<(), IndexError> {
        let recount = writer.meta.merging;
        if watermark == writer.meta.watermark && !recount {
            return self.commit();
        }
        if recount {
            drop_stale(self.store.postings(), &writer.meta.bucket_bits)?;
        }
        // Texts below the watermark are not looked at when the store opens.
        self.texts.sync()?;
        writer.meta.merging = true;
        self.put_meta(&writer.meta)?;
        self.freeze();
        // Where this fails `writer.meta` tells of the buckets as they were.
        let mut merged = MetaRecord {
            watermark,
            ..writer.meta.clone()
        };
        for scheme in SCHEMES {
            self.merge_scheme(&mut merged, scheme, recount)?;
        }
        let split = merged.bucket_bits != writer.meta.bucket_bits;
        merged.merging = split;
        // sled's log is linear: whoever sees this record sees the buckets written before it.
        self.put_meta(&merged)?;
        self.show_merged(&merged);
        writer.meta = merged;
        if split {
            drop_stale(self.store.postings(), &writer.meta.bucket_bits)?;
            writer.meta.merging = false;
            self.put_meta(&writer.meta)?;
        }
        self.commit()
    }

    fn put_meta(&self, meta: &MetaRecord) -> Result<(), IndexError> {
        let mut batch = Batch::new(self.store.records());
        batch.put(key::meta(), meta.encode());
        Ok(batch.apply()?)
    }

    /// Sets the buffers aside, still readable, so that new postings go to fresh ones.
    fn freeze(&self) {
        let mut shared = self.write();
        for at in 0..SCHEMES.len() {
            let mut frozen = std::mem::take(&mut shared.buffers[at]);
            // What a failed merge set aside.
            frozen.absorb(&shared.merging[at]);
            shared.merging[at] = Arc::new(frozen);
        }
        self.layout.merge_begins();
    }

    /// From here on queries read the merged postings in buckets alone.
    fn show_merged(&self, meta: &MetaRecord) {
        let mut shared = self.write();
        shared.merged = (meta.postings, meta.bytes);
        let merged = std::mem::take(&mut shared.merging);
        self.layout.merge_ended(meta.bucket_bits);
        drop(shared);
        // Some hundred megabytes: nobody waits for them to be given back.
        drop(merged);
    }

    /// Merges what is set aside of one scheme into its buckets, more of them where it needs more.
    fn merge_scheme(
        &self,
        meta: &mut MetaRecord,
        scheme: SchemeKind,
        recount: bool,
    ) -> Result<(), IndexError> {
        let at = usize::from(scheme_number(scheme));
        let (frozen, known) = {
            let shared = self.read();
            (
                Arc::clone(&shared.merging[at]),
                shared.table.known().clone(),
            )
        };
        if frozen.is_empty() && !recount {
            return Ok(());
        }
        let added = frozen.merged();
        let keep = |id: DocId| known.contains(id.0);
        let (postings, bits) = (meta.postings[at], meta.bucket_bits[at]);
        let buckets = Buckets {
            store: self.store.postings(),
            scheme,
            bits,
        };
        let wanted = bits_for(postings + added.len() as u64);
        if wanted <= bits && !recount {
            let change = buckets.merge(&added, &keep)?;
            meta.postings[at] = postings.saturating_add_signed(change.postings);
            meta.bytes[at] = meta.bytes[at].saturating_add_signed(change.bytes);
            return Ok(());
        }
        let total = if wanted > bits {
            meta.bucket_bits[at] = wanted;
            buckets.split(wanted, &added, &keep)?
        } else {
            buckets.recount(&added, &keep)?
        };
        meta.postings[at] = total.postings.unsigned_abs();
        meta.bytes[at] = total.bytes.unsigned_abs();
        Ok(())
    }
}
