//! The records of one generation: a layer of those that were packed when it was made, which never change
//! ([`super::pack`]), and above it a layer of later changes, one entry for each record. Long values are stored in parts
//! ([`super::parts`]); callers see them whole.

use std::borrow::Cow;
use std::cell::Cell;
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

use ::sled::{Db, IVec};
use simdex_schema::codec::DecodeError;

use super::pack::Unpacker;
use super::parts::{Entry, Parts, StandIn, cut};
use super::summed::{SealedWrite, Sum, Summed};
use crate::store::sled_support::fill;
use crate::store::sled_support::seal::{TreeId, seal, unseal};
use crate::store::sled_support::tree::SledTree;
use crate::store::sled_support::writes::Writes;
use crate::store::{RecordStore, StoreError, VisitEntry, Write};

/// Visits a record, key and value.
pub(in crate::store) type VisitRecord<'a> =
    dyn FnMut(&[u8], &[u8]) -> Result<ControlFlow<()>, StoreError> + 'a;

/// Packed records, and those that were changed since.
#[derive(Debug)]
pub(in crate::store) struct Layers {
    pub(in crate::store) changed: SledTree,
    packed: SledTree,
    pub(in crate::store) parts: Parts,
    pub(in crate::store) summed: Summed,
    is_packed: AtomicBool,
}

impl Layers {
    pub(in crate::store) fn open(db: &Db, dir: &Path, writes: &Writes) -> Result<Self, StoreError> {
        let summed = Summed::open(db, dir, writes)?;
        let parts = Parts::open(db, dir, writes)?;
        let packed = SledTree::open(db, dir, TreeId::Packed, writes)?;
        let is_packed = packed.from(&[])?.next().is_some();
        let changed = SledTree::open(db, dir, TreeId::Records, writes)?;
        if !is_packed && changed.from(&[])?.next().is_none() {
            summed.begin()?;
        }
        Ok(Self {
            changed,
            packed,
            parts,
            summed,
            is_packed: AtomicBool::new(is_packed),
        })
    }

    /// Adds packs (key of the last record, sealed), which follow all existing ones, and the parts of their values, in
    /// the order of their keys.
    pub(in crate::store) fn append(
        &self,
        packs: &[Entry],
        parts: &[Entry],
    ) -> Result<(), StoreError> {
        let is_packed = !packs.is_empty() || self.is_packed();
        self.is_packed.store(is_packed, Ordering::Relaxed);
        fill::append(&self.parts.tree, parts)?;
        fill::append(&self.packed, packs)?;
        self.summed.added(packs)
    }

    fn is_packed(&self) -> bool {
        self.is_packed.load(Ordering::Relaxed)
    }

    /// The entry of a pack, sealed under the key of its last record.
    pub(in crate::store) fn sealed(last: Vec<u8>, pack: &[u8]) -> Entry {
        let sealed = seal(TreeId::Packed, &last, pack);
        (last.into(), sealed.into())
    }

    /// Visits the records from `start` on, in the order of their keys.
    pub(in crate::store) fn walk(
        &self,
        start: &[u8],
        visit: &mut VisitRecord<'_>,
    ) -> Result<(), StoreError> {
        self.walk_seeing((&[], start), &|_| {}, visit)
    }

    /// Walks over the records with a prefix, from a key on; passes each sealed value that it reads, of packs and of
    /// changes, to `see`.
    fn walk_seeing(
        &self,
        (prefix, start): (&[u8], &[u8]),
        see: &dyn Fn(&IVec),
        visit: &mut VisitRecord<'_>,
    ) -> Result<(), StoreError> {
        self.walk_stored(
            (prefix, start),
            see,
            &mut |key, stored| match self.whole(key, stored)? {
                Some(value) => visit(key, &value),
                None => Ok(ControlFlow::Continue(())),
            },
        )
    }

    /// Walks over the values as they are stored, with the stand-ins of long ones. It ends at the first key behind the
    /// prefix, even if that is removed: very many may be, one after another.
    fn walk_stored(
        &self,
        (prefix, start): (&[u8], &[u8]),
        see: &dyn Fn(&IVec),
        visit: &mut VisitRecord<'_>,
    ) -> Result<(), StoreError> {
        let changes = self.changed.from(start)?;
        let mut changes = changes.inspect(|entry| entry.iter().for_each(|(_, sealed)| see(sealed)));
        let mut next_change = || {
            let change = changes.next().transpose()?;
            Ok::<_, StoreError>(change.filter(|(key, _)| key.starts_with(prefix)))
        };
        let mut change = next_change()?;
        let done = self.walk_packed(start, see, &mut |key, value| {
            while let Some((changed, sealed)) = &change
                && **changed <= *key
            {
                let is_same = **changed == *key;
                let flow = self.visit_changed(changed, sealed, visit)?;
                change = next_change()?;
                if is_same || flow.is_break() {
                    return Ok(flow);
                }
            }
            match key.starts_with(prefix) {
                true => visit(key, value),
                false => Ok(ControlFlow::Break(())),
            }
        })?;
        if done.is_break() {
            return Ok(());
        }
        while let Some((changed, sealed)) = &change {
            if self.visit_changed(changed, sealed, visit)?.is_break() {
                break;
            }
            change = next_change()?;
        }
        Ok(())
    }

    /// Visits a changed record, unless it was removed.
    fn visit_changed(
        &self,
        key: &[u8],
        sealed: &IVec,
        visit: &mut VisitRecord<'_>,
    ) -> Result<ControlFlow<()>, StoreError> {
        match is_removal(key, sealed) {
            true => Ok(ControlFlow::Continue(())),
            false => visit(key, self.changed.unseal(key, sealed)?),
        }
    }

    /// Visits the packed records from `start` on.
    fn walk_packed(
        &self,
        start: &[u8],
        see: &dyn Fn(&IVec),
        visit: &mut VisitRecord<'_>,
    ) -> Result<ControlFlow<()>, StoreError> {
        if !self.is_packed() {
            return Ok(ControlFlow::Continue(()));
        }
        for entry in self.packed.from(start)? {
            let (last, sealed) = entry?;
            see(&sealed);
            let mut records = Unpacker::new(self.packed.unseal(&last, &sealed)?);
            while let Some((key, value)) = records.next().map_err(|e| self.malformed(&last, &e))? {
                if key >= start && visit(key, value)?.is_break() {
                    return Ok(ControlFlow::Break(()));
                }
            }
        }
        Ok(ControlFlow::Continue(()))
    }

    /// The value under a key, if `stored` was read there; `None` if it was removed since.
    pub(in crate::store) fn whole<'a>(
        &self,
        key: &[u8],
        stored: &'a [u8],
    ) -> Result<Option<Cow<'a, [u8]>>, StoreError> {
        let mut stored = Cow::Borrowed(stored);
        while let Some(stand_in) = StandIn::decode(&stored) {
            if let Some(value) = self.parts.join(key, &stand_in)? {
                return Ok(Some(Cow::Owned(value)));
            }
            // Its parts are removed when another value takes its place.
            match self.stored(key)? {
                Some(now) if now == *stored => return Err(self.changed.corrupt(key)),
                Some(now) => stored = Cow::Owned(now),
                None => return Ok(None),
            }
        }
        Ok(Some(stored))
    }

    /// What is stored under a key: the value, or its stand-in.
    pub(in crate::store) fn stored(&self, key: &[u8]) -> Result<Option<Vec<u8>>, StoreError> {
        match self.changed.read_sealed(key)? {
            Some(sealed) if is_removal(key, &sealed) => Ok(None),
            Some(sealed) => Ok(Some(self.changed.unseal(key, &sealed)?.to_vec())),
            None => self.get_packed(key),
        }
    }

    /// What a write changes; adds the parts of its value to `parts`.
    fn change(&self, write: Write, parts: &mut Vec<Entry>) -> Result<SealedWrite, StoreError> {
        match write {
            Write::Put { key, mut value } => {
                TreeId::Records.check_len(&value, crate::store::MAX_RECORD)?;
                if let Some(cut) = cut(&key, &value)? {
                    value = cut.stand_in;
                    parts.extend(cut.parts);
                }
                let sealed = seal(TreeId::Records, &key, &value);
                Ok((key.into(), Some(sealed.into())))
            }
            Write::Delete { key } => {
                let removal = self.get_packed(&key)?.map(|_| removal(&key).into());
                Ok((key.into(), removal))
            }
        }
    }

    /// The stored form of a packed record.
    fn get_packed(&self, key: &[u8]) -> Result<Option<Vec<u8>>, StoreError> {
        let mut found = None;
        let _flow = self.walk_packed(key, &|_| {}, &mut |first, value| {
            found = (first == key).then(|| value.to_vec());
            Ok(ControlFlow::Break(()))
        })?;
        Ok(found)
    }

    fn malformed(&self, last: &[u8], error: &DecodeError) -> StoreError {
        tracing::error!(%error, "a pack of records has a right checksum and is malformed");
        self.packed.corrupt(last)
    }

    /// Verifies the checksum of everything, and that nothing is missing; returns the number of records. Nothing may
    /// change meanwhile.
    pub(in crate::store) fn verify(&self) -> Result<u64, StoreError> {
        let (mut count, sum) = (0, Cell::new(Sum::default()));
        let see = |sealed: &IVec| sum.set(sum.get().with(sealed));
        self.walk_seeing((&[], &[]), &see, &mut |_, _| {
            count += 1;
            Ok(ControlFlow::Continue(()))
        })?;
        self.summed.check(sum.get())?;
        Ok(count)
    }
}

impl RecordStore for Layers {
    fn get(&self, key: &[u8]) -> Result<Option<Vec<u8>>, StoreError> {
        let Some(stored) = self.stored(key)? else {
            return Ok(None);
        };
        Ok(self.whole(key, &stored)?.map(Cow::into_owned))
    }

    fn apply(&self, batch: Vec<Write>) -> Result<(), StoreError> {
        let mut parts = Vec::new();
        let changes = batch.into_iter().map(|one| self.change(one, &mut parts));
        let changes: Result<Vec<_>, _> = changes.collect();
        self.summed
            .apply(&self.changed, &self.parts, &changes?, &parts)
    }

    fn scan(
        &self,
        prefix: &[u8],
        from: Option<&[u8]>,
        visit: &mut VisitEntry<'_>,
    ) -> Result<(), StoreError> {
        let start = from.map_or(prefix, |from| from.max(prefix));
        let visit = &mut |key: &[u8], value: &[u8]| Ok(visit(key, value));
        self.walk_seeing((prefix, start), &|_| {}, visit)
    }
}

/// The entry that marks a packed record as removed.
fn removal(key: &[u8]) -> Vec<u8> {
    seal(TreeId::Removed, key, b"")
}

fn is_removal(key: &[u8], sealed: &[u8]) -> bool {
    unseal(TreeId::Removed, key, sealed).is_some_and(<[u8]>::is_empty)
}

#[cfg(test)]
mod tests;
