//! Counts pairs that were found ahead. Documents that may be neighbours have nearly the same partners: each of these is
//! read once and compared with all of them together.

use std::sync::atomic::Ordering;

use rustc_hash::FxHashMap;
use simdex_schema::{DocId, EdgeRecord};

use super::PairSearch;
use crate::edges::{AskedTogether, LoadedDocument, LoadedTogether, TOGETHER};
use crate::two_threads::each_on_two_threads;
use crate::{IndexError, MemoryAccount};

/// Maximum bytes of text of documents that are compared together.
const MAX_TEXT: u64 = 1 << 19;
/// They have at most this part of the bytes that an account may hold: joined on two threads they take a sixth.
const MAX_TEXT_PART: u64 = 512;
/// A document that takes more than this part of those bytes is counted alone.
const LONGEST_PART: u64 = 8;

/// The pairs of one document, to be counted.
pub(super) struct Turn<'a> {
    pub(super) id: DocId,
    pub(super) partners: &'a [DocId],
    pub(super) edges: Vec<(DocId, EdgeRecord)>,
}

/// Turns that are counted together.
type Family<'t, 'a> = Vec<&'t mut Turn<'a>>;

/// A pair of a turn of a family: the partner, the turn by its position, and the partner's position in the turn.
struct AskedPair {
    other: DocId,
    turn: usize,
    place: usize,
}

impl PairSearch<'_> {
    /// Counts the pairs of turns, family by family, on two threads if a second one is available.
    pub(super) fn count_turns(
        &self,
        turns: &mut [Turn<'_>],
        account: &MemoryAccount,
    ) -> Result<(), IndexError> {
        let max_text = MAX_TEXT.min(account.total() / MAX_TEXT_PART);
        let families = self.families(turns, max_text);
        let asked = |family: &Family<'_, '_>| match family.len() {
            0 | 1 => 0,
            _ => family.iter().map(|turn| turn.partners.len()).sum::<usize>(),
        };
        // For both threads, taken before they start: neither waits for memory that the other holds.
        let of_pairs = families.iter().map(asked).sum::<usize>() * size_of::<AskedPair>();
        let _held = match of_pairs {
            0 => None,
            _ => account.take_large(of_pairs as u64 + 2 * LoadedTogether::peak_bytes(max_text))?,
        };
        let second = self.shared.second_thread();
        each_on_two_threads("pairs-2", second.as_ref(), families, &|mut family| {
            self.count_family(&mut family, account)
        })
    }

    /// Parts turns into families: a document and those of its partners that are not in an earlier family, as many as
    /// are compared together and have about this much text.
    fn families<'t, 'a>(&self, turns: &'t mut [Turn<'a>], max_text: u64) -> Vec<Family<'t, 'a>> {
        let places = turns.iter().enumerate();
        let places: FxHashMap<DocId, usize> = places.map(|(at, turn)| (turn.id, at)).collect();
        let mut left: Vec<Option<&mut Turn<'_>>> = turns.iter_mut().map(Some).collect();
        let mut families = Vec::new();
        for at in 0..left.len() {
            let Some(first) = left[at].take() else {
                continue;
            };
            let mates = first.partners.iter().filter_map(|id| places.get(id));
            let mut mates: Vec<usize> = mates.copied().collect();
            mates.sort_unstable();
            let longest = max_text / LONGEST_PART;
            let mut text = self.finder.length(first.id);
            let mut family = vec![first];
            if text > longest {
                mates.clear();
            }
            for mate in mates {
                if family.len() == TOGETHER {
                    break;
                }
                let length = left[mate].as_ref().map(|turn| self.finder.length(turn.id));
                let fits = |length: &u64| *length <= longest && text + *length <= max_text;
                if let Some(length) = length.filter(fits) {
                    text += length;
                    family.extend(left[mate].take());
                }
            }
            families.push(family);
        }
        families
    }

    /// Counts the pairs of a family.
    fn count_family(
        &self,
        family: &mut Family<'_, '_>,
        account: &MemoryAccount,
    ) -> Result<(), IndexError> {
        family.retain(|turn| !turn.partners.is_empty());
        if family.len() > 1 && self.count_together(family, account)? {
            return Ok(());
        }
        family
            .iter_mut()
            .try_for_each(|turn| self.count_turn(turn, account))
    }

    /// Counts the pairs of a family partner by partner; returns whether that was possible.
    fn count_together(
        &self,
        family: &mut Family<'_, '_>,
        account: &MemoryAccount,
    ) -> Result<bool, IndexError> {
        let loaded = family
            .iter()
            .map(|turn| self.finder.load(turn.id, account))
            .collect::<Result<Option<Vec<LoadedDocument>>, _>>()?;
        let Some(loaded) = loaded else {
            return Ok(false);
        };
        // Each is a partner of others that come before it.
        loaded
            .iter()
            .for_each(|document| self.finder.keep_loaded(document));
        let Some(together) = self.finder.together(loaded.iter().collect()) else {
            return Ok(false);
        };
        let mut asked = Vec::new();
        for (turn, of_turn) in family.iter().enumerate() {
            let partners = of_turn.partners.iter().enumerate();
            asked.extend(partners.map(|(place, other)| AskedPair {
                other: *other,
                turn,
                place,
            }));
        }
        asked.sort_unstable_by_key(|pair| (pair.other, pair.turn));
        let mut found: Vec<Vec<(usize, EdgeRecord)>> = vec![Vec::new(); family.len()];
        for pairs in asked.chunk_by(|a, b| a.other == b.other) {
            self.count_partner(&loaded, &together, pairs, &mut found, account)?;
        }
        for (turn, mut edges) in family.iter_mut().zip(found) {
            edges.sort_unstable_by_key(|(place, _)| *place);
            let edges = edges.into_iter();
            turn.edges = edges
                .map(|(place, edge)| (turn.partners[place], edge))
                .collect();
        }
        Ok(true)
    }

    /// Counts the pairs of a family with one partner.
    fn count_partner(
        &self,
        loaded: &[LoadedDocument],
        together: &LoadedTogether<'_>,
        pairs: &[AskedPair],
        found: &mut [Vec<(usize, EdgeRecord)>],
        account: &MemoryAccount,
    ) -> Result<(), IndexError> {
        let Some(AskedPair { other, .. }) = pairs.first() else {
            return Ok(());
        };
        let mut places = [0; TOGETHER];
        let mut asked: Vec<AskedTogether> = Vec::with_capacity(pairs.len());
        for pair in pairs {
            places[pair.turn] = pair.place;
            let document = &loaded[pair.turn];
            if let Some(edge) = self.known_edge(document.id, *other) {
                found[pair.turn].push((pair.place, edge));
            } else if let Some(partner) = self.finder.partner(document, *other) {
                asked.push((pair.turn, partner.threshold));
            }
        }
        self.counted
            .fetch_add(asked.len() as u64, Ordering::Relaxed);
        self.finder
            .edges_together(together, *other, &asked, account, |turn, edge| {
                found[turn].push((places[turn], edge));
            })
    }

    fn count_turn(&self, turn: &mut Turn<'_>, account: &MemoryAccount) -> Result<(), IndexError> {
        account.cancel().check()?;
        let Some(document) = self.finder.load(turn.id, account)? else {
            return Ok(());
        };
        for other in turn.partners {
            let edge = match self.finder.partner(&document, *other) {
                Some(partner) => self.edge(&document, &partner, account)?,
                None => None,
            };
            turn.edges.extend(edge.map(|edge| (*other, edge)));
        }
        Ok(())
    }
}
