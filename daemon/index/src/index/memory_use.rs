//! What holds memory in the index, as far as it is counted: for people who want to know where memory went.

use crate::shared::IndexShared;

/// A part of the index that holds memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MemoryHolder {
    /// Postings that are in no run yet.
    UnmergedPostings,
    /// Recently looked-up blocks of postings: the part of the store's cache that is counted.
    Blocks,
    /// The figures of every document, and how many files carry it.
    Documents,
    /// Principals, members and ids of groups, and documents that wait for their places.
    Groups,
    /// Principals in long posting lists.
    PrincipalLists,
    /// Contents and containers that walks need not look at again.
    KnownUnchanged,
    /// Shingles of recently compared documents.
    Shingles,
    /// Recently read blocks of extracted text.
    TextBlocks,
    /// Texts and shingles of files being read and of searches for edges.
    Backlog,
    /// Texts and shingles of requests.
    Questions,
}

impl MemoryHolder {
    /// The name as it is shown.
    pub fn name(self) -> &'static str {
        match self {
            Self::UnmergedPostings => "unmerged postings",
            Self::Blocks => "cached postings",
            Self::Documents => "documents",
            Self::Groups => "groups",
            Self::PrincipalLists => "cached principals",
            Self::KnownUnchanged => "unchanged files",
            Self::Shingles => "cached shingles",
            Self::TextBlocks => "cached text",
            Self::Backlog => "files being read",
            Self::Questions => "running queries",
        }
    }
}

/// The memory that one part holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MemoryUse {
    /// The part of the index that holds it.
    pub holder: MemoryHolder,
    /// Bytes held; approximate for maps.
    pub bytes: u64,
    /// Maximum number of bytes; `None` if it grows with the documents.
    pub limit: Option<u64>,
}

/// The memory held by each part of the index.
pub(super) fn measure(shared: &IndexShared) -> Vec<MemoryUse> {
    let (postings, documents, groups) = {
        let state = shared.state();
        let buffers = state.buffers.iter();
        let merging = state.merging.iter().map(|buffer| buffer.bytes());
        (
            buffers.map(|buffer| buffer.bytes()).chain(merging).sum(),
            state.table.bytes(),
            state.stars.bytes()
                + state.group_ids.bytes()
                + state.shown.bytes()
                + state.unsettled.bytes(),
        )
    };
    let grows = |holder, bytes: usize| MemoryUse {
        holder,
        bytes: bytes as u64,
        limit: None,
    };
    let kept = |holder, (bytes, limit)| MemoryUse {
        holder,
        bytes,
        limit: Some(limit),
    };
    let shingles = [
        shared.shingle_sets.weight(),
        shared.levels.weight(),
        shared.level_samples.weight(),
    ];
    let shingles = shingles
        .into_iter()
        .fold((0, 0), |sum, kept| (sum.0 + kept.0, sum.1 + kept.1));
    let (backlog, questions) = (&shared.memory.backlog, &shared.memory.requests);
    vec![
        grows(MemoryHolder::UnmergedPostings, postings),
        kept(MemoryHolder::Blocks, shared.store.kept_blocks()),
        grows(MemoryHolder::Documents, documents),
        grows(MemoryHolder::Groups, groups),
        kept(MemoryHolder::PrincipalLists, shared.principal_lists.kept()),
        kept(
            MemoryHolder::KnownUnchanged,
            shared.known_unchanged.weight(),
        ),
        kept(MemoryHolder::Shingles, shingles),
        kept(MemoryHolder::TextBlocks, shared.texts.kept()),
        kept(MemoryHolder::Backlog, (backlog.used(), backlog.total())),
        kept(
            MemoryHolder::Questions,
            (questions.used(), questions.total()),
        ),
    ]
}
