//! What requests read from an index.

pub(crate) mod candidates;
mod file_totals;
pub(crate) mod files;
mod groups;
mod pairs;

use std::sync::Arc;

use simdex_schema::meta::Parameters;
use simdex_signature::{Ladder, Window};

use crate::postings::Postings;
use crate::shared::IndexShared;
use crate::{Documents, Memory, Registry, SecondThread, ShingleSets, TextSigner, Texts};

pub use candidates::{
    Candidate, CandidateKind, Candidates, CountBasis, Coverage, FingerprintSink, Fingerprints,
    FoundCandidates, QueryFingerprints, SignAtRung, SoughtRatio,
};
pub use file_totals::FileTotals;
pub use files::{FileInfo, Files};
pub use groups::{
    DocumentGroup, FoundGroups, GroupDocument, GroupList, GroupLookup, Groups, TextsByGroup,
};
pub use pairs::{NextDocuments, PairSearch, Pairs, PartnerFilter};

/// Reads an index to answer requests; every query is passed one.
///
/// It has no method that writes, and all that identifies files takes a [`VisibleRoots`](crate::VisibleRoots): an answer
/// made through it changes nothing and shows no files outside the view. Copies are cheap, and read the same index.
///
/// **Consistency.** A call sees everything that was applied before it, committed or not. It is no snapshot: what is
/// applied during a call may or may not be part of what it returns, and two calls may see two states. A document, a
/// text or a file may be removed between them, and is missing in the second.
///
/// **Locks.** One lock, that of the state in memory, is held for moments, and for as long as it takes to copy all
/// maintained groups. It is not held while the store or a text is read, nor while `visit` and other closures of the
/// caller run. So no read waits for a write or a merge, and a closure may read the index again. Counts of files have a
/// lock of their own, which the first count of a view holds while it adds up what is in memory.
///
/// **Memory.** Whatever grows with a text takes a permit of the [`MemoryAccount`](crate::MemoryAccount) passed, and
/// waits for it.
///
/// **Parts.** Settings, budgets and the permit for a second thread are here. Everything else is asked of a part of the
/// reader: a type of its own that borrows it, is cheap to copy, and says what its calls cost. Code that needs only one
/// part takes that part.
///
/// | part | answers | file |
/// |---|---|---|
/// | [`documents`](Self::documents) | what is known of documents: figures, records, damage | `documents` |
/// | [`texts`](Self::texts) | the texts of documents, checked as they are read | `document_text` |
/// | [`shingles`](Self::shingles) | the shingles of texts, for exact counts | `shingles` |
/// | [`signer`](Self::signer) | the signatures of a text, which need not be in the index | `signing` |
/// | [`files`](Self::files) | the files of a view, of a document, of a content; roots and containers | `reader/files` |
/// | [`file_totals`](Self::file_totals) | how many files a view has, by state | `reader/file_totals` |
/// | [`candidates`](Self::candidates) | which documents share fingerprints with a query | `reader/candidates` |
/// | [`groups`](Self::groups) | groups of near-duplicates | `reader/groups` |
/// | [`pairs`](Self::pairs) | pairs of near-duplicates | `reader/pairs` |
#[derive(Clone)]
pub struct IndexReader {
    pub(crate) shared: Arc<IndexShared>,
    pub(crate) registry: Registry,
}

impl IndexReader {
    pub(crate) fn new(shared: &Arc<IndexShared>) -> Self {
        Self {
            shared: Arc::clone(shared),
            registry: Registry::new(shared),
        }
    }

    /// The budgets of what is held at once for documents being worked on.
    pub fn memory(&self) -> &Memory {
        &self.shared.memory
    }

    /// Windows of every text signature.
    pub fn window(&self) -> Window {
        self.shared.window()
    }

    /// How many fingerprints a document keeps: the one ladder that all signatures follow.
    pub fn ladder(&self) -> Ladder {
        self.shared.ladder()
    }

    /// What the signatures and edges were made with.
    pub fn parameters(&self) -> &Parameters {
        &self.shared.parameters
    }

    /// What is known of documents, without their texts.
    pub fn documents(&self) -> Documents<'_> {
        Documents::of(&self.shared, &self.registry)
    }

    /// The texts of documents.
    pub fn texts(&self) -> Texts<'_> {
        Texts::of(&self.shared, &self.registry)
    }

    /// The documents that share fingerprints with a query.
    pub fn candidates(&self) -> Candidates<'_> {
        Candidates::of(self.postings())
    }

    /// The files that a view shows.
    pub fn files(&self) -> Files<'_> {
        Files::of(&self.shared, &self.registry)
    }

    /// How many files a view has.
    pub fn file_totals(&self) -> FileTotals<'_> {
        FileTotals::of(&self.shared, &self.registry)
    }

    /// Groups of near-duplicates.
    pub fn groups(&self) -> Groups<'_> {
        Groups::of(self.shingles())
    }

    /// Pairs of near-duplicates.
    pub fn pairs(&self) -> Pairs<'_> {
        Pairs::of(self.shingles())
    }

    /// The shingles of documents and of other texts.
    pub fn shingles(&self) -> ShingleSets<'_> {
        ShingleSets::of(&self.shared, &self.registry)
    }

    /// The postings of all documents.
    pub(crate) fn postings(&self) -> Postings<'_> {
        Postings::of(&self.shared)
    }

    /// A signer that signs texts as this index does.
    pub fn signer(&self) -> TextSigner<'_> {
        TextSigner::of(&self.shared)
    }

    /// The permit for a second thread, if no other request holds it and the options allow one.
    pub fn second_thread(&self) -> Option<SecondThread> {
        self.shared.second_thread()
    }
}
