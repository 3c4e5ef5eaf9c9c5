//! A store in memory that fails on demand, delays reads, and calls a hook before it is read or written.

use std::cell::{Cell, RefCell};
use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

use simdex_schema::RunId;

use crate::Cancel;
use crate::store::{
    Block, MemoryStore, NewRun, PostingRun, PostingStore, RecordStore, RunWriter, Store,
    StoreError, VisitEntry, Write,
};

thread_local! {
    /// Whether this thread waits after it read a document's record.
    pub(super) static DAWDLES: Cell<bool> = const { Cell::new(false) };
    /// Whether a run that this thread begins finds no room on the disk.
    pub(super) static HAS_NO_ROOM: Cell<bool> = const { Cell::new(false) };
    /// Number of writes in the longest batch that this thread applied.
    pub(super) static LONGEST: Cell<usize> = const { Cell::new(0) };
}

/// An access to the store in memory.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Access {
    Read,
    Write,
    Commit,
}

type Hook = Box<dyn FnMut(Access, &[u8])>;

thread_local! {
    /// Called before this thread reads or writes; not from within the hook.
    static HOOK: RefCell<Option<Hook>> = const { RefCell::new(None) };
}

/// Makes this thread call `hook` before every access to a store in memory, with the first key, and at every record of a
/// scan, until the result is dropped.
pub(super) fn hook(hook: impl FnMut(Access, &[u8]) + 'static) -> impl Drop {
    struct Unhook;
    impl Drop for Unhook {
        fn drop(&mut self) {
            HOOK.take();
        }
    }
    HOOK.set(Some(Box::new(hook)));
    Unhook
}

fn call_hook(access: Access, key: &[u8]) {
    if let Some(mut hook) = HOOK.take() {
        hook(access, key);
        HOOK.set(Some(hook));
    }
}

/// A store that outlives the index and fails after this many writes.
pub(super) struct Frail(pub(super) Arc<MemoryStore>, pub(super) Arc<AtomicI64>);

impl Frail {
    fn spend(&self, key: &[u8]) -> Result<(), StoreError> {
        call_hook(Access::Write, key);
        if self.1.fetch_sub(1, Ordering::SeqCst) <= 0 {
            self.1.store(-1, Ordering::SeqCst);
            return Err(StoreError::Sled("no more writes".to_owned()));
        }
        Ok(())
    }
}

impl Store for Frail {
    fn records(&self) -> &dyn RecordStore {
        self
    }
    fn postings(&self) -> &dyn PostingStore {
        self
    }
    fn commit(&self) -> Result<(), StoreError> {
        call_hook(Access::Commit, b"");
        Ok(())
    }
    fn compact_records(&self, _least: u64, _cancel: &Cancel) -> Result<bool, StoreError> {
        Ok(false)
    }
    fn kept_blocks(&self) -> (u64, u64) {
        (0, 0)
    }
    fn bytes_on_disk(&self) -> u64 {
        0
    }
    fn close(self: Box<Self>) -> Result<(), StoreError> {
        Ok(())
    }
}

impl RecordStore for Frail {
    fn get(&self, key: &[u8]) -> Result<Option<Vec<u8>>, StoreError> {
        call_hook(Access::Read, key);
        let value = self.0.records().get(key);
        if DAWDLES.get() && key[0] == simdex_schema::key::prefix::DOCUMENT {
            std::thread::sleep(std::time::Duration::from_millis(20));
        }
        value
    }
    fn apply(&self, batch: Vec<Write>) -> Result<(), StoreError> {
        let first = match batch.first() {
            Some(Write::Put { key, .. } | Write::Delete { key }) => key.clone(),
            None => Vec::new(),
        };
        self.spend(&first)?;
        LONGEST.set(LONGEST.get().max(batch.len()));
        self.0.records().apply(batch)
    }
    fn scan(
        &self,
        prefix: &[u8],
        from: Option<&[u8]>,
        visit: &mut VisitEntry<'_>,
    ) -> Result<(), StoreError> {
        self.0.records().scan(prefix, from, &mut |key, value| {
            call_hook(Access::Read, key);
            visit(key, value)
        })
    }
}

impl PostingStore for Frail {
    fn runs(&self) -> Result<Vec<u32>, StoreError> {
        self.0.postings().runs()
    }
    fn run(&self, number: u32) -> Result<Option<Arc<dyn PostingRun>>, StoreError> {
        let run = self.0.postings().run(number)?;
        Ok(run.map(|run| Arc::new(FrailRun(run)) as Arc<dyn PostingRun>))
    }
    fn begin_run(&self, run: NewRun) -> Result<Box<dyn RunWriter + '_>, StoreError> {
        self.spend(&run.number.to_be_bytes())?;
        if HAS_NO_ROOM.get() {
            return Err(StoreError::NoRoom {
                dir: "/d".into(),
                needed: run.bytes,
                free: 0,
            });
        }
        let writer = self.0.postings().begin_run(run)?;
        Ok(Box::new(FrailWriter(self, writer)))
    }
    fn drop_run(&self, number: u32) -> Result<(), StoreError> {
        self.spend(&number.to_be_bytes())?;
        self.0.postings().drop_run(number)
    }
}

struct FrailRun(Arc<dyn PostingRun>);

impl PostingRun for FrailRun {
    fn id(&self) -> Option<RunId> {
        self.0.id()
    }
    fn get(&self, key: &[u8]) -> Result<Option<Vec<u8>>, StoreError> {
        call_hook(Access::Read, key);
        self.0.get(key)
    }
    fn look_up(&self, key: &[u8]) -> Result<Option<Block>, StoreError> {
        Ok(self.get(key)?.map(Block::from))
    }
    fn kept_block(&self, key: &[u8]) -> Option<Block> {
        self.0.kept_block(key)
    }
    fn kept_list(&self, key: &[u8]) -> Option<Block> {
        self.0.kept_list(key)
    }
    fn keep_list(&self, key: &[u8], list: &[u8]) {
        self.0.keep_list(key, list);
    }
    fn keys(&self, visit: &mut dyn FnMut(&[u8]) -> ControlFlow<()>) -> Result<(), StoreError> {
        self.0.keys(visit)
    }
}

struct FrailWriter<'a>(&'a Frail, Box<dyn RunWriter + 'a>);

impl RunWriter for FrailWriter<'_> {
    fn put(&mut self, key: &[u8], block: &[u8]) -> Result<(), StoreError> {
        self.0.spend(key)?;
        self.1.put(key, block)
    }
    fn finish(self: Box<Self>) -> Result<(), StoreError> {
        self.0.spend(b"finish")?;
        self.1.finish()
    }
}
