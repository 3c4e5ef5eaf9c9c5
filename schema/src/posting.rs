//! Postings: the bucket of a fingerprint, and the encoding of a bucket.
//!
//! A posting is (fingerprint, document). A fingerprint is mixed so that its bits are uniform, and its top 40 bits are
//! kept ([`PostingKey`]); the top `bits` bits of these select the bucket. A bucket holds its postings sorted and cut
//! into shards of at most [`SHARD_BYTES`], so that no value grows without bound, however common a fingerprint is. Shard
//! 0 starts with a directory of the others.
//!
//! Two fingerprints that agree in 40 bits are not distinguished here (probability about 2^-40 per pair); verification
//! on all shingles does that.

use std::ops::Range;

use crate::codec::{DecodeError, Reader, put_uint};
use crate::ids::DocId;
use simdex_signature::{Fingerprint, SchemeKind};

mod size;

pub use size::PostingSizes;

/// Bits of the mixed fingerprint that are kept.
pub const KEY_BITS: u32 = 40;
/// Most buckets: 2^24, room for about 6.9 billion postings at 2 KB a bucket.
pub const MAX_BUCKET_BITS: u8 = 24;
/// A shard is closed once it holds this many bytes (sled reads leaves of up to 16 values whole).
pub const SHARD_BYTES: usize = 2560;
/// Most shards of a bucket (room for 160 million documents of one fingerprint).
pub const MAX_SHARDS: usize = u16::MAX as usize;

/// The kept bits of a fingerprint.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PostingKey(u64);

impl PostingKey {
    /// Keeps the top 40 bits of the mixed fingerprint.
    pub fn of(fingerprint: Fingerprint) -> Self {
        Self(fingerprint.mixed() >> (64 - KEY_BITS))
    }

    /// From 40 bits; higher bits are dropped.
    pub fn from_bits(bits: u64) -> Self {
        Self(bits & ((1 << KEY_BITS) - 1))
    }

    /// The 40 bits.
    pub fn bits(self) -> u64 {
        self.0
    }

    /// The bucket of this key for a bucket number of `bits` bits.
    pub fn bucket(self, bits: u8) -> u32 {
        (self.0 >> (KEY_BITS - u32::from(bits))) as u32
    }
}

/// (key, document), in the order of buckets.
pub type Posting = (PostingKey, DocId);

/// Key of a shard in a run of postings: scheme, bucket bits, bucket, shard (8 bytes, big-endian).
pub fn shard_key(scheme: SchemeKind, bits: u8, bucket: u32, shard: u16) -> [u8; 8] {
    let mut key = [scheme_number(scheme), bits, 0, 0, 0, 0, 0, 0];
    key[2..6].copy_from_slice(&bucket.to_be_bytes());
    key[6..].copy_from_slice(&shard.to_be_bytes());
    key
}

/// Position of a scheme in stored arrays and keys.
pub fn scheme_number(scheme: SchemeKind) -> u8 {
    match scheme {
        SchemeKind::ModN => 0,
        SchemeKind::BswN => 1,
        SchemeKind::Chunks => 2,
        SchemeKind::MinN => 3,
        SchemeKind::SketchN => 4,
        SchemeKind::SuperShingles => 5,
    }
}

/// Cuts sorted, distinct postings of one bucket into shards, numbered from 0; shard 0 carries the directory. Empty
/// input yields no shard.
pub fn encode_bucket(postings: &[Posting]) -> Vec<Vec<u8>> {
    let mut encoder = Encoder::default();
    for run in postings.chunk_by(|a, b| a.0 == b.0) {
        encoder.put_run(run);
    }
    encoder.finish()
}

/// Shards being written.
#[derive(Default)]
struct Encoder {
    /// First key and bytes of each shard.
    shards: Vec<(u64, Vec<u8>)>,
    /// Last key written to the open shard.
    last_key: u64,
}

impl Encoder {
    /// Most documents per piece. Bounds how far a piece overshoots its shard: 1.3 KB whatever the ids, so that a shard
    /// with its directory stays below 4 KB.
    const PIECE: usize = 128;

    /// Appends all postings of one key.
    fn put_run(&mut self, run: &[Posting]) {
        for piece in run.chunks(Self::PIECE) {
            let key = piece[0].0.0;
            if self
                .shards
                .last()
                .is_none_or(|(_, body)| body.len() >= SHARD_BYTES)
            {
                self.shards
                    .push((key, Vec::with_capacity(SHARD_BYTES * 3 / 2)));
                self.last_key = 0;
            }
            if let Some((_, body)) = self.shards.last_mut() {
                put_piece(body, key - self.last_key, piece);
            }
            self.last_key = key;
        }
    }

    /// Puts the directory before shard 0: the number of further shards, then their distinct first keys as differences,
    /// each with the number of shards that start with it. So a hot key costs a few bytes, however many shards it fills.
    fn finish(self) -> Vec<Vec<u8>> {
        let mut shards = self.shards;
        let first_keys: Vec<u64> = shards.iter().skip(1).map(|(first, _)| *first).collect();
        let mut head = Vec::new();
        put_uint(&mut head, first_keys.len() as u64);
        let mut previous = 0;
        for run in first_keys.chunk_by(|a, b| a == b) {
            put_uint(&mut head, run[0] - previous);
            put_uint(&mut head, run.len() as u64);
            previous = run[0];
        }
        if let Some((_, body)) = shards.first_mut() {
            body.splice(0..0, head);
        }
        shards.into_iter().map(|(_, body)| body).collect()
    }
}

/// Encodes one piece: the difference of keys doubled, plus 1 if more than one document follows; their number in that
/// case; then document ids, the first as it is, the others as differences minus one.
fn put_piece(body: &mut Vec<u8>, key_delta: u64, piece: &[Posting]) {
    put_uint(body, (key_delta << 1) | u64::from(piece.len() > 1));
    if piece.len() > 1 {
        put_uint(body, piece.len() as u64);
    }
    let mut next = 0;
    for (_, DocId(id)) in piece {
        put_uint(body, id - next);
        next = id + 1;
    }
}

/// The first shard of a bucket, with its directory decoded.
pub struct Bucket<'a> {
    /// First keys of the further shards, ascending; shard `1 + i` starts with `first_keys[i]`.
    first_keys: Vec<u64>,
    body: &'a [u8],
}

impl<'a> Bucket<'a> {
    /// Reads the directory of shard 0.
    pub fn parse(shard_0: &'a [u8]) -> Result<Self, DecodeError> {
        let mut input = Reader::new(shard_0);
        let further: u16 = input.narrow("shards")?;
        if usize::from(further) >= MAX_SHARDS {
            return Err(DecodeError::OutOfRange("shards"));
        }
        let mut first_keys = Vec::new();
        let mut key = 0u64;
        while first_keys.len() < usize::from(further) {
            key = key
                .checked_add(input.uint()?)
                .ok_or(DecodeError::OutOfRange("key"))?;
            let count: usize = input.narrow("shards")?;
            if count == 0 || count > usize::from(further) - first_keys.len() {
                return Err(DecodeError::OutOfRange("shards"));
            }
            first_keys.extend(std::iter::repeat_n(key, count));
        }
        let body = input.raw(input.remaining())?;
        Ok(Self { first_keys, body })
    }

    /// Numbers of the shards after this one.
    pub fn further_shards(&self) -> Range<u16> {
        1..1 + self.first_keys.len() as u16
    }

    /// The further shards that may hold this key.
    pub fn shards_of(&self, key: PostingKey) -> Range<u16> {
        let before = self.first_keys.partition_point(|first| *first < key.0) as u16;
        let through = self.first_keys.partition_point(|first| *first <= key.0) as u16;
        // The shard before the first one that starts with `key` may end with `key`.
        1 + before.saturating_sub(1)..1 + through
    }

    /// Whether shard 0 may hold this key.
    pub fn is_first_of(&self, key: PostingKey) -> bool {
        self.first_keys.first().is_none_or(|first| key.0 <= *first)
    }

    /// Postings of shard 0.
    pub fn body(&self) -> &'a [u8] {
        self.body
    }
}

/// Appends the documents of `key` in a shard body to `out`.
pub fn documents_of(body: &[u8], key: PostingKey, out: &mut Vec<DocId>) -> Result<(), DecodeError> {
    Lookup::new(body).documents_of(key, out)
}

/// Looks up ascending keys in a shard body, in one pass for all of them.
pub struct Lookup<'a> {
    pieces: Pieces<'a>,
    /// A piece whose head was read, but not its documents.
    ahead: Option<(u64, u64)>,
}

impl<'a> Lookup<'a> {
    /// Starts at the beginning of a body.
    pub fn new(body: &'a [u8]) -> Self {
        Self {
            pieces: Pieces::new(body),
            ahead: None,
        }
    }

    /// Appends the documents of a key, which must be greater than all keys looked up before.
    ///
    /// # Errors
    /// Where the body does not decode.
    pub fn documents_of(
        &mut self,
        key: PostingKey,
        out: &mut Vec<DocId>,
    ) -> Result<(), DecodeError> {
        loop {
            let next = match self.ahead.take() {
                None => {
                    self.pieces.skip_usual(key.0)?;
                    self.pieces.next_key()?
                }
                ahead => ahead,
            };
            let Some((found, count)) = next else {
                return Ok(());
            };
            if found > key.0 {
                self.ahead = next;
                return Ok(());
            }
            if found == key.0 {
                self.pieces.documents(count, |id| out.push(id))?;
            } else {
                self.pieces.documents(count, |_| ())?;
            }
        }
    }
}

/// Appends all postings of a shard body to `out`.
pub fn postings_of(body: &[u8], out: &mut Vec<Posting>) -> Result<(), DecodeError> {
    let mut pieces = Pieces::new(body);
    while let Some((key, count)) = pieces.next_key()? {
        pieces.documents(count, |id| out.push((PostingKey(key), id)))?;
    }
    Ok(())
}

/// Walks a shard body piece by piece.
struct Pieces<'a> {
    input: Reader<'a>,
    key: u64,
}

impl<'a> Pieces<'a> {
    fn new(body: &'a [u8]) -> Self {
        Self {
            input: Reader::new(body),
            key: 0,
        }
    }

    /// Skips pieces below a key as long as they have the most common form: one document, and three bytes each for it
    /// and for the key. Lookups spend most of their time here, and this takes one comparison per piece.
    fn skip_usual(&mut self, below: u64) -> Result<(), DecodeError> {
        // The continuation bits, and the bit that says whether more documents follow.
        const SHAPE: u64 = 0x8080_8080_8081;
        const USUAL: u64 = 0x0080_8000_8080;
        while let Some(bytes) = self.input.ahead().filter(|bytes| bytes & SHAPE == USUAL) {
            let head = bytes & 0x7f | bytes >> 1 & 0x3f80 | bytes >> 2 & 0x1f_c000;
            let key = self.key + (head >> 1);
            if key >= below {
                break;
            }
            self.key = key;
            self.input.raw(6)?;
        }
        Ok(())
    }

    /// Key and number of documents of the next piece.
    fn next_key(&mut self) -> Result<Option<(u64, u64)>, DecodeError> {
        if self.input.remaining() == 0 {
            return Ok(None);
        }
        let head = self.input.uint()?;
        let key = self
            .key
            .checked_add(head >> 1)
            .filter(|key| *key >> KEY_BITS == 0);
        self.key = key.ok_or(DecodeError::OutOfRange("key"))?;
        let count = if head & 1 == 1 { self.input.uint()? } else { 1 };
        Ok(Some((self.key, count)))
    }

    fn documents(&mut self, count: u64, mut each: impl FnMut(DocId)) -> Result<(), DecodeError> {
        let mut next = 0u64;
        for _ in 0..count {
            let id = next.checked_add(self.input.uint()?);
            let id = id
                .filter(|id| *id < u64::MAX)
                .ok_or(DecodeError::OutOfRange("document"))?;
            each(DocId(id));
            next = id + 1;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests;
