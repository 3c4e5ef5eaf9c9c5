//! Every reference finds its text, and every text is that of its document.

use std::collections::BTreeMap;

use simdex_schema::{DocId, DocumentHash, MetaRecord};
use simdex_signature::CanonicalText;

use super::{Faults, Verified, VerifyDepth};
use crate::IndexError;
use crate::text::{BlockHead, TextError, TextRef, TextStore};

/// A reference to a text: a document with this hash.
pub(super) struct Reference {
    pub(super) at: TextRef,
    pub(super) id: DocId,
    pub(super) hash: DocumentHash,
}

/// Reads all segments, in order.
pub(super) fn verify(
    texts: &TextStore,
    references: Vec<Reference>,
    meta: &MetaRecord,
    depth: VerifyDepth,
    verified: &mut Verified,
) -> Result<(), IndexError> {
    let mut by_segment: BTreeMap<u32, Vec<Reference>> = BTreeMap::new();
    for segment in texts.lengths()?.into_keys() {
        by_segment.entry(segment).or_default();
    }
    for reference in references {
        let segment = reference.at.segment;
        by_segment.entry(segment).or_default().push(reference);
    }
    let segment = Segment { texts, meta, depth };
    for (number, mut references) in by_segment {
        references.sort_unstable_by_key(|reference| reference.at);
        segment.verify(number, &references, verified)?;
    }
    Ok(())
}

struct Segment<'a> {
    texts: &'a TextStore,
    meta: &'a MetaRecord,
    depth: VerifyDepth,
}

impl Segment<'_> {
    fn verify(
        &self,
        number: u32,
        references: &[Reference],
        verified: &mut Verified,
    ) -> Result<(), IndexError> {
        let heads = match self.texts.heads(number) {
            Err(error @ (TextError::NoSegment { .. } | TextError::Corrupt { .. })) => {
                let how = match error {
                    TextError::NoSegment { .. } => "is missing",
                    _ => "cannot be opened",
                };
                let lost = references.len();
                let fault = format!("text segment {number} {how}, and {lost} texts with it");
                verified.faults.count += (lost as u64).saturating_sub(1);
                verified.faults.tell(fault);
                return Ok(());
            }
            heads => heads?,
        };
        verified.blocks += heads.len() as u64;
        let mut live = vec![false; heads.len()];
        for reference in references {
            verified.texts += 1;
            verified.text_bytes += u64::from(reference.at.len);
            let found = heads.binary_search_by_key(&reference.at.offset, |head| head.offset);
            match found {
                Ok(at) if heads[at].holds(&reference.at) => {
                    live[at] = true;
                    self.text(reference, &mut verified.faults)?;
                }
                _ => tell(reference, "no block holds it", &mut verified.faults),
            }
        }
        if self.depth == VerifyDepth::Everything {
            let dead = heads.iter().zip(live).filter(|(_, live)| !live);
            for (head, _) in dead {
                verified.dead_blocks += u64::from(!self.is_whole(number, head)?);
            }
        }
        Ok(())
    }

    fn text(&self, reference: &Reference, faults: &mut Faults) -> Result<(), IndexError> {
        if self.depth == VerifyDepth::Heads {
            return Ok(());
        }
        let text = match self.texts.read(&reference.at) {
            Ok(text) => text,
            Err(TextError::Corrupt { reason, .. }) => {
                tell(reference, reason, faults);
                return Ok(());
            }
            Err(error) => return Err(error.into()),
        };
        let judged = reference.id.serial() >= self.meta.named_from;
        if judged && CanonicalText::from_extracted(&text).hash() != reference.hash.0 {
            tell(reference, "the text is not its document's", faults);
        }
        Ok(())
    }

    fn is_whole(&self, segment: u32, head: &BlockHead) -> Result<bool, IndexError> {
        match self.texts.check_block(segment, head) {
            Ok(()) => Ok(true),
            Err(TextError::Corrupt { .. }) => Ok(false),
            Err(error) => Err(error.into()),
        }
    }
}

fn tell(reference: &Reference, fault: &str, faults: &mut Faults) {
    let TextRef {
        segment, offset, ..
    } = reference.at;
    let id = reference.id.0;
    faults.tell(format!(
        "text of document {id} (segment {segment} at {offset}): {fault}"
    ));
}
