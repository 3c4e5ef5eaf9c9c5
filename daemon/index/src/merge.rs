//! Moving the buffer into buckets, and closing.

use std::sync::Arc;

use simdex_schema::posting::scheme_number;
use simdex_schema::{DocId, key};
use simdex_signature::SchemeKind;

use crate::IndexError;
use crate::buckets::{Buckets, bits_for};
use crate::buffer::Buffer;
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
        self.freeze();
        let split = self.merge_frozen(writer)?;
        writer.meta.watermark = watermark;
        // sled's log is linear: whoever sees this record sees the buckets written before it.
        let mut batch = crate::batch::Batch::new(self.store.records());
        batch.put(key::meta(), writer.meta.encode());
        batch.apply()?;
        {
            let mut shared = self.write();
            shared.bucket_bits = writer.meta.bucket_bits;
            shared.merging = Default::default();
        }
        for scheme in split {
            self.buckets(&self.read(), scheme).drop_others()?;
        }
        self.commit()
    }

    /// Sets the buffers aside, still readable, so that new postings go to fresh ones.
    fn freeze(&self) {
        let mut shared = self.write();
        for at in 0..SCHEMES.len() {
            let frozen = std::mem::take(&mut shared.buffers[at]);
            shared.merging[at] = Arc::new(frozen);
        }
    }

    /// Merges what is set aside; names the schemes whose buckets were split.
    fn merge_frozen(&self, writer: &mut Writer) -> Result<Vec<SchemeKind>, IndexError> {
        let mut split = Vec::new();
        for scheme in SCHEMES {
            let at = usize::from(scheme_number(scheme));
            let frozen = Arc::clone(&self.read().merging[at]);
            if self.merge_scheme(writer, scheme, &frozen)? {
                split.push(scheme);
            }
        }
        Ok(split)
    }

    /// True where the number of buckets grew.
    fn merge_scheme(
        &self,
        writer: &mut Writer,
        scheme: SchemeKind,
        frozen: &Buffer,
    ) -> Result<bool, IndexError> {
        let at = usize::from(scheme_number(scheme));
        let added = frozen.merged();
        if added.is_empty() {
            return Ok(false);
        }
        let meta = &mut writer.meta;
        let buckets =
            Buckets { store: self.store.postings(), scheme, bits: meta.bucket_bits[at] };
        let wanted = bits_for(meta.postings[at] + added.len() as u64);
        let known = self.read().table.known_ids();
        let keep = |id: DocId| known.contains(id.0);
        let grew = wanted > buckets.bits;
        if grew {
            let all = buckets.split(wanted, &added, &keep)?;
            meta.bucket_bits[at] = wanted;
            meta.postings[at] = all.postings.unsigned_abs();
            meta.bytes[at] = all.bytes.unsigned_abs();
        } else {
            let change = buckets.merge(&added, &keep)?;
            meta.postings[at] = meta.postings[at].saturating_add_signed(change.postings);
            meta.bytes[at] = meta.bytes[at].saturating_add_signed(change.bytes);
        }
        Ok(grew)
    }
}
