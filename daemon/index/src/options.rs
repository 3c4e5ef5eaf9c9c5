//! How an index is run.

use simdex_signature::ShingleSet;

/// How an index is run; none of it changes what is stored.
#[derive(Clone, Copy, Debug)]
pub struct Options {
    /// Postings gathered in memory before they are merged into a run (8 to 10 bytes each). While merges fail, memory holds
    /// as many and those of one call; an opening may put back twice as many.
    pub buffer_postings: usize,
    /// Shingles of documents cached in memory (8 bytes each), half of them for requests and half for groups.
    pub cached_shingles: usize,
    /// Shingles of one text that are held as one list; larger sets are counted in parts. It changes no answer.
    pub listed_shingles: usize,
    /// Bytes for the cached principals of long posting lists.
    pub principal_list_bytes: u64,
    /// Bytes for the contents and containers that walks need not look at again.
    pub resting_bytes: u64,
    /// Bytes of recently read blocks of text.
    pub text_block_bytes: u64,
    /// Memory for documents being worked on, in bytes: see [`Memory`](crate::Memory).
    pub working_bytes: u64,
    /// Records are not rewritten to reclaim space below this many bytes on disk.
    pub records_bytes: u64,
    /// Whether documents are placed in groups, and pairs counted, on two threads. It changes no answer, only which
    /// thread reads a principal or a posting list first. With one thread the work is the same each time it is repeated.
    pub second_settler: bool,
    /// Drop signatures, postings and edges when opening, and rebuild them from the texts.
    pub rebuild: bool,
    /// How documents whose text cannot be read are handled when opening.
    pub unread: UnreadTexts,
}

/// How documents whose stored text is missing or damaged are handled when an index opens. A caller that abandons an
/// index must not have postings merged past such documents: they would not be signed once their texts are back.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum UnreadTexts {
    /// They are noted as damaged, and released before later postings are merged.
    #[default]
    Release,
    /// Damaged ones are released; if texts are missing, nothing is changed.
    RefuseMissing,
    /// The index does not open.
    Refuse,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            buffer_postings: 32_000_000,
            cached_shingles: 24_000_000,
            listed_shingles: ShingleSet::LISTED,
            principal_list_bytes: 32 << 20,
            resting_bytes: 64 << 20,
            text_block_bytes: 16 << 20,
            working_bytes: 1 << 30,
            records_bytes: 64 << 20,
            second_settler: true,
            rebuild: false,
            unread: UnreadTexts::default(),
        }
    }
}
