//! How texts share blocks.

use super::{BLOCK_BYTES, TextRef, checksum};

/// Compaction holds about this many bytes of text at a time.
const COMPACT_BATCH_BYTES: usize = 8 << 20;

/// Cuts a batch into runs that share a block: as many texts as fit into [`BLOCK_BYTES`], at least
/// one.
pub(super) fn blocks<'a, 'b>(texts: &'a [&'b str]) -> impl Iterator<Item = &'a [&'b str]> {
    runs(texts, |text| text.len(), BLOCK_BYTES)
}

/// Cuts references into runs of bounded text, at least one each.
pub(super) fn batches(refs: &[TextRef]) -> impl Iterator<Item = &[TextRef]> {
    runs(refs, |text| text.len as usize, COMPACT_BATCH_BYTES)
}

fn runs<T>(items: &[T], len: impl Fn(&T) -> usize, max: usize) -> impl Iterator<Item = &[T]> {
    let mut rest = items;
    std::iter::from_fn(move || {
        let mut total = 0;
        let fits = rest.iter().take_while(|item| {
            total += len(item);
            total <= max
        });
        let count = fits.count().max(1).min(rest.len());
        let (run, after) = rest.split_at(count);
        rest = after;
        (!run.is_empty()).then_some(run)
    })
}

/// The references to the texts of one block.
pub(super) fn split<'a>(whole: TextRef, texts: &'a [&str]) -> impl Iterator<Item = TextRef> + 'a {
    let mut start = 0;
    texts.iter().map(move |text| {
        // Fits: a block is at most MAX_TEXT long.
        let len = text.len() as u32;
        let this = TextRef {
            start,
            len,
            checksum: Some(checksum(text.as_bytes())),
            ..whole
        };
        start += len;
        this
    })
}
