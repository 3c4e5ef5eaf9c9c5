//! How the one amount of memory, `store.memory_mib`, is divided.
//!
//! Each part is a number of 64ths of it. Three parts can be set individually, for users who know what their questions
//! need: such a part then has the value set, and if that is more than its share, the others divide what remains, so
//! that the sum stays below the total.

use simdex_index::Options;

use super::StoreConfig;

/// Parts that the total is divided into.
const PARTS: u64 = 64;
const CACHE: u64 = 16;
const BUFFER: u64 = 10;
const WORKING: u64 = 24;
/// Three eighths for questions, the rest for groups and pairs: half for all shingles, an eighth for samples.
const SHINGLES: u64 = 6;
const PRINCIPAL_LISTS: u64 = 1;
const TEXT_BLOCKS: u64 = 1;
const RESTING: u64 = 2;

/// Bytes that a posting takes in the buffer, including the spare capacity of vectors.
const POSTING_BYTES: u64 = 10;
/// Bytes of memory per cached shingle: four in each of two caches.
const SHINGLE_BYTES: u64 = 8;
/// With less than this for either, the daemon would stall more than it saves.
const MIN_CACHE_MIB: u64 = 8;
const MIN_WORKING_MIB: u64 = 64;
const MIN_POSTINGS: u64 = 1_000;
/// A 64th of the least total.
const MIN_UNIT: u64 = 3 << 20;

/// Bytes of each part of the memory that the store and the index may take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StoreMemory {
    /// Blocks of postings, and what the storage engine caches of records and runs.
    pub cache_bytes: u64,
    /// Postings gathered before they are merged; a count, not bytes.
    pub buffer_postings: usize,
    /// Shingles kept of documents that were compared; a count, not bytes.
    pub cached_shingles: usize,
    /// Principals of long posting lists.
    pub principal_list_bytes: u64,
    /// Contents that walks need not look at again.
    pub resting_bytes: u64,
    /// Blocks of text that were read lately.
    pub text_block_bytes: u64,
    /// Texts and shingles of documents under way.
    pub working_bytes: u64,
}

impl StoreMemory {
    /// Bytes of all parts together.
    pub fn total(&self) -> u64 {
        let postings = (self.buffer_postings as u64).saturating_mul(POSTING_BYTES);
        let shingles = (self.cached_shingles as u64).saturating_mul(SHINGLE_BYTES);
        let caches = [self.principal_list_bytes, self.text_block_bytes, shingles];
        let parts = [
            self.cache_bytes,
            self.working_bytes,
            self.resting_bytes,
            postings,
        ];
        parts.into_iter().chain(caches).fold(0, u64::saturating_add)
    }

    /// Options to open an index with; those that are not about memory have their defaults.
    pub fn options(&self) -> Options {
        Options {
            buffer_postings: self.buffer_postings,
            cached_shingles: self.cached_shingles,
            principal_list_bytes: self.principal_list_bytes,
            text_block_bytes: self.text_block_bytes,
            resting_bytes: self.resting_bytes,
            working_bytes: self.working_bytes,
            ..Options::default()
        }
    }
}

impl StoreConfig {
    /// How `memory_mib` is divided. A part that is set individually is taken first: if it is more than its share, the
    /// others divide what remains; if it is less, they do not grow.
    pub fn memory(&self) -> StoreMemory {
        let unit = (self.memory_mib.bytes() / PARTS).min(self.unit_of_rest());
        let or = |set: u64, derived: u64| if set == 0 { derived } else { set };
        let postings = or(self.buffer_postings as u64, unit * BUFFER / POSTING_BYTES);
        let length = |number: u64| usize::try_from(number).unwrap_or(usize::MAX);
        StoreMemory {
            cache_bytes: or(self.cache_mib.bytes(), unit * CACHE),
            buffer_postings: length(postings),
            cached_shingles: length(unit * SHINGLES / SHINGLE_BYTES),
            principal_list_bytes: unit * PRINCIPAL_LISTS,
            resting_bytes: unit * RESTING,
            text_block_bytes: unit * TEXT_BLOCKS,
            working_bytes: or(self.working_mib.bytes(), unit * WORKING),
        }
    }

    /// Bytes of the parts that are set individually, and the sum of their shares.
    fn set_by_themselves(&self) -> (u64, u64) {
        let postings = (self.buffer_postings as u64).saturating_mul(POSTING_BYTES);
        let parts = [
            (self.cache_mib.bytes(), CACHE),
            (postings, BUFFER),
            (self.working_mib.bytes(), WORKING),
        ];
        let set = parts.iter().filter(|(bytes, _)| *bytes > 0);
        set.fold((0, 0), |(bytes, shares), (more, share)| {
            (bytes.saturating_add(*more), shares + share)
        })
    }

    /// Bytes of each 64th that those parts leave.
    fn unit_of_rest(&self) -> u64 {
        let (set, shares) = self.set_by_themselves();
        self.memory_mib.bytes().saturating_sub(set) / (PARTS - shares)
    }

    /// Refuses parts that are too small to work with, and parts that leave too little for the others.
    pub(super) fn check_memory(&self) -> Result<(), String> {
        let set = [
            ("cache_mib", self.cache_mib.0.into(), MIN_CACHE_MIB),
            ("working_mib", self.working_mib.0.into(), MIN_WORKING_MIB),
            ("buffer_postings", self.buffer_postings as u64, MIN_POSTINGS),
        ];
        let small = set
            .iter()
            .find(|(_, value, least)| (1..*least).contains(value));
        if let Some((key, value, least)) = small {
            return Err(format!(
                "store.{key} is {value}; it must be 0, for its part of store.memory_mib, or at least {least}"
            ));
        }
        if self.unit_of_rest() < MIN_UNIT {
            let (set, shares) = self.set_by_themselves();
            let needed = set.saturating_add(MIN_UNIT * (PARTS - shares));
            return Err(format!(
                "store.memory_mib is {}, and store.cache_mib, store.buffer_postings and store.working_mib leave too \
                 little of it for its other parts; set them lower, or to 0 for their parts, or store.memory_mib to \
                 {} at least",
                self.memory_mib.0,
                needed.div_ceil(1 << 20)
            ));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use crate::config::Config;

    fn refused(text: &str) -> String {
        Config::parse(text).expect_err(text)
    }

    #[test]
    fn the_parts_stay_below_the_number_and_grow_with_it() {
        let mut before = 0;
        for mib in [192, 256, 500, 768, 2048, 65_536, 1_048_576] {
            let config = Config::parse(&format!("[store]\nmemory_mib = {mib}")).unwrap();
            let (parts, limit) = (config.store.memory(), config.store.memory_mib.bytes());
            // The rest is for what no part counts: the program, its threads, allocator overhead.
            assert!(parts.total() <= limit - limit / 16, "{parts:?}");
            assert!(parts.total() >= limit - limit / 8, "{parts:?}");
            assert!(parts.total() > before && parts.cached_shingles > 1_000_000);
            before = parts.total();
        }
    }

    #[test]
    fn a_number_that_is_too_small_is_refused_with_its_range() {
        let said = refused("[store]\nmemory_mib = 191");
        assert!(
            said.contains("store.memory_mib is 191; it must be 192 to"),
            "{said}"
        );
        for (key, value) in [
            ("cache_mib", 7),
            ("working_mib", 63),
            ("buffer_postings", 999),
        ] {
            let said = refused(&format!("[store]\n{key} = {value}"));
            assert!(
                said.contains(&format!("store.{key} is {value}; it must be 0")),
                "{said}"
            );
        }
    }

    #[test]
    fn a_part_that_is_set_by_itself_takes_the_place_of_the_derived_one() {
        let text = "[store]\ncache_mib = 64\nbuffer_postings = 3000\nworking_mib = 512";
        let parts = Config::parse(text).unwrap().store.memory();
        assert_eq!((parts.cache_bytes, parts.buffer_postings), (64 << 20, 3000));
        assert_eq!(parts.working_bytes, 512 << 20);
        // A part set lower leaves the others unchanged, a part set higher takes from them.
        assert_eq!(parts.cached_shingles, 24 << 20);
        let set = "[store]\nmemory_mib = 8192\nworking_mib = 4096";
        let parts = Config::parse(set).unwrap().store.memory();
        assert_eq!(parts.working_bytes, 4 << 30);
        assert!(
            parts.total() <= 8192 << 20 && parts.cache_bytes < 2 << 30,
            "{parts:?}"
        );
        // What an older config sets may leave nothing of the default; the error says what to set.
        let said = refused("[store]\nworking_mib = 4096");
        assert!(
            said.contains("store.memory_mib to 4216 at least")
                && said.contains("store.working_mib"),
            "{said}"
        );
        Config::parse("[store]\nworking_mib = 4096\nmemory_mib = 4216").unwrap();
    }
}
