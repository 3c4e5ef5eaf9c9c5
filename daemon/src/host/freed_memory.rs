//! Returns freed memory to the system.
//!
//! The allocator of glibc keeps what was freed, in two ways. Freed memory at the end of an arena is returned only from
//! a size on that the allocator raises with each large block that is freed, to 64 MiB at most; [`FreedMemory::start`]
//! fixes that size. Freed pages below a block in use are returned only when the allocator is asked to: it walks its
//! lists of free blocks for that and locks one arena at a time, so it is asked only where the process has grown since
//! the last time. One comparison of two texts of 20 MB had left 150 MiB behind for good.

use std::time::{Duration, Instant};

use simdex_extract::ResidentMemory;

/// Memory that belongs to no file may grow by this many bytes before the allocator is asked.
const GROWTH: u64 = 64 << 20;
/// The growth is checked at most this often.
const PERIOD: Duration = Duration::from_secs(10);
/// Blocks of this many bytes are mapped by themselves, and unmapped when they are freed.
const MAPPED: i32 = 1 << 20;
/// Free memory at the end of an arena is returned from this many bytes on.
const RETURNED: i32 = 1 << 20;

/// Follows how much memory the process holds, and returns what is free once it has grown.
pub struct FreedMemory {
    memory: ResidentMemory,
    /// The least bytes held since the allocator was last asked.
    least: u64,
    next_check: Instant,
}

impl FreedMemory {
    /// Fixes the sizes from which the allocator returns memory. Starts as if nothing were held: the first check of a
    /// process of some size asks the allocator.
    pub fn start() -> Self {
        fix_sizes();
        Self {
            memory: ResidentMemory::open(),
            least: 0,
            next_check: Instant::now() + PERIOD,
        }
    }

    /// Returns freed memory if a check is due and finds growth; call it often.
    pub fn check(&mut self) {
        let now = Instant::now();
        if now < self.next_check {
            return;
        }
        let Some(held) = self.held() else { return };
        if self.has_grown(held) {
            return_free_pages();
            self.least = self.held().unwrap_or(held);
            let (took, returned) = (now.elapsed(), held.saturating_sub(self.least));
            tracing::debug!(returned, ?took, "freed memory was returned to the system");
        }
        self.next_check = Instant::now() + PERIOD;
    }

    /// Whether `held` bytes are that much more than the least since the last time.
    fn has_grown(&mut self, held: u64) -> bool {
        self.least = self.least.min(held);
        held - self.least >= GROWTH
    }

    /// Resident bytes that belong to no file.
    fn held(&self) -> Option<u64> {
        let of_files = self.memory.file_bytes()?;
        Some(self.memory.bytes()?.saturating_sub(of_files))
    }
}

/// Fixes the sizes from which the allocator returns what is freed. Allocators other than glibc's are left alone.
fn fix_sizes() {
    #[cfg(target_env = "gnu")]
    #[expect(
        unsafe_code,
        reason = "there is no safe call for it; mallopt takes two numbers and may be called at any time"
    )]
    // SAFETY: the calls have no precondition, and change when memory is returned but not what is in use.
    unsafe {
        libc::mallopt(libc::M_MMAP_THRESHOLD, MAPPED);
        libc::mallopt(libc::M_TRIM_THRESHOLD, RETURNED);
    }
}

/// Asks the allocator to return its free pages. Allocators other than glibc's do so by themselves.
fn return_free_pages() {
    #[cfg(target_env = "gnu")]
    #[expect(
        unsafe_code,
        reason = "there is no safe call for it; malloc_trim takes no pointer and is safe among threads"
    )]
    // SAFETY: the call has no precondition; the number is how many bytes may stay free at the end of the heap.
    unsafe {
        libc::malloc_trim(0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::process::Command;

    /// Runs a test of this module in a process of its own: others allocate meanwhile in this one. Returns whether this
    /// is that process.
    fn is_alone(test: &str) -> bool {
        const ALONE: &str = "SIMDEX_TEST_FREED_MEMORY";
        if std::env::var_os(ALONE).is_some() {
            return true;
        }
        let name = format!("host::freed_memory::tests::{test}");
        let mut own = Command::new(std::env::current_exe().unwrap());
        own.args(["--exact", &name]).env(ALONE, "1");
        let out = own.output().unwrap();
        let said = String::from_utf8_lossy(&out.stdout);
        assert!(
            out.status.success() && said.contains("1 passed"),
            "{said}{}",
            String::from_utf8_lossy(&out.stderr)
        );
        false
    }

    fn assert_returned(before: u64, after: u64, freed: usize) {
        assert!(before > after, "{before} and {after}");
        assert!(
            (before - after) as usize > freed / 2,
            "{before} and {after}"
        );
    }

    #[test]
    fn pages_freed_below_a_block_in_use_are_returned() {
        const BLOCK: usize = 4 << 10;
        const BLOCKS: usize = 32 << 10;
        if !is_alone("pages_freed_below_a_block_in_use_are_returned") {
            return;
        }
        let mut memory = FreedMemory::start();
        let mut blocks: Vec<Vec<u8>> = (0..BLOCKS).map(|_| vec![1; BLOCK]).collect();
        // The last block keeps the allocator from giving the others up by itself.
        let last = blocks.pop();
        drop(blocks);
        let before = memory.held().unwrap();
        memory.next_check = Instant::now();
        memory.check();
        assert!(last.is_some());
        assert_returned(before, memory.held().unwrap(), BLOCK * BLOCKS);
    }

    /// In a thread of its own: the first one has another kind of arena.
    #[test]
    fn what_a_thread_freed_at_the_end_of_its_arena_is_returned() {
        const LARGE: usize = 30 << 20;
        const BLOCK: usize = 512 << 10;
        const BLOCKS: usize = 80;
        if !is_alone("what_a_thread_freed_at_the_end_of_its_arena_is_returned") {
            return;
        }
        let memory = FreedMemory::start();
        let (before, after) = std::thread::scope(|scope| {
            let freeing = scope.spawn(|| {
                // Once one such block was freed, twice its size stays, unless the sizes are fixed.
                drop(std::hint::black_box(vec![1u8; LARGE]));
                let blocks: Vec<Vec<u8>> = (0..BLOCKS).map(|_| vec![1; BLOCK]).collect();
                let before = memory.held().unwrap();
                drop(std::hint::black_box(blocks));
                (before, memory.held().unwrap())
            });
            freeing.join().unwrap()
        });
        assert_returned(before, after, BLOCK * BLOCKS);
    }

    #[test]
    fn the_allocator_is_asked_after_growth_alone() {
        let mut memory = FreedMemory::start();
        memory.least = 10 * GROWTH;
        assert!(!memory.has_grown(11 * GROWTH - 1));
        assert!(memory.has_grown(11 * GROWTH));
        // What fell by itself counts from where it fell to.
        assert!(!memory.has_grown(3 * GROWTH));
        assert!(memory.has_grown(4 * GROWTH));
    }
}
