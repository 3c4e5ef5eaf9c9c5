//! The kernel on processors with AVX-512, its byte permutations and the Galois field instructions: eight chains in one
//! register.
//!
//! A look-up in a table of byte multiples is linear over GF(2), so it is a product with a bit matrix, and
//! `vgf2p8affineqb` multiplies eight bytes by such a matrix at once. The residues of eight lanes therefore lie in a
//! register byte by byte: its quadword j holds byte j of all of them. Sliding the eight windows moves the quadwords up
//! by one, with the entering bytes in the lowest, and adds two products: that of the bytes pushed out at the top, and
//! that of the bytes that leave the windows. Nothing is looked up in memory.
//!
//! All `unsafe` code of the crate is in this file: whether these intrinsics are used is decided at run time, and the
//! compiler cannot see that the processor was checked. All other processors run the chains of
//! [`super::RabinTables::chains`], and tests compare the two.

use std::arch::x86_64::{
    __m512i, __mmask8, _mm512_alignr_epi64, _mm512_cmple_epu64_mask, _mm512_cmplt_epu64_mask,
    _mm512_gf2p8affine_epi64_epi8, _mm512_mask_mov_epi64, _mm512_min_epu64, _mm512_mullo_epi64,
    _mm512_permutexvar_epi8, _mm512_permutexvar_epi64, _mm512_rol_epi64, _mm512_rorv_epi64,
    _mm512_set_epi64, _mm512_set1_epi64, _mm512_sub_epi64, _mm512_ternarylogic_epi64,
    _mm512_testn_epi64_mask,
};

use super::{Choice, LONGEST_RUN, Position, Stretch, Task};
use crate::fingerprint::{Fingerprint, PUSH, SCATTER, Table, residue};

mod gathered;

use gathered::Gathered;

/// Chains in a register.
const LANES: usize = 8;
/// Windows of a lane that are processed before the next bytes are loaded.
const STEP: usize = 8;
/// Minimum number of windows per lane; shorter lanes are left to the other kernel.
const SHORTEST: usize = 16;

/// The matrix for each byte that a look-up in a table of byte multiples yields.
type Matrices = [u64; 8];

/// The kernel for windows of one width, on a processor that has the instructions.
#[derive(Clone, Debug)]
pub(super) struct Wide {
    pop: Matrices,
}

impl Wide {
    /// The kernel with the table that removes an outgoing byte; `None` if the processor lacks an instruction.
    pub(super) fn detected(pop: &Table) -> Option<Self> {
        let has = is_x86_feature_detected!("avx512f")
            && is_x86_feature_detected!("avx512bw")
            && is_x86_feature_detected!("avx512dq")
            && is_x86_feature_detected!("avx512vbmi")
            && is_x86_feature_detected!("gfni");
        has.then(|| Self { pop: matrices(pop) })
    }

    /// Processes most of the windows from a position on; returns the position after them.
    #[expect(
        unsafe_code,
        reason = "which instructions there are is known at run time"
    )]
    pub(super) fn run<'b>(&self, width: usize, at: Position<'b>, task: Task<'_>) -> Position<'b> {
        let windows = Windows {
            width,
            pop: &self.pop,
        };
        // SAFETY: a `Wide` exists only if the processor has all features that `run` enables.
        unsafe { run(windows, at, task) }
    }
}

/// Windows of one width.
#[derive(Clone, Copy)]
struct Windows<'m> {
    width: usize,
    pop: &'m Matrices,
}

/// The matrices of a table, which its multiples of single bits determine.
const fn matrices(table: &Table) -> Matrices {
    let mut all = [0; 8];
    let mut bit = 0;
    while bit < 64 {
        let mut row = 0;
        let mut k = 0;
        while k < 8 {
            row |= ((table[1 << k] >> bit) & 1) << k;
            k += 1;
        }
        // The row of the lowest bit comes last.
        all[bit / 8] |= row << (8 * (7 - bit % 8));
        bit += 1;
    }
    all
}

static PUSH_MATRICES: Matrices = matrices(&PUSH);

#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vbmi,gfni")]
fn run<'b>(windows: Windows<'_>, at: Position<'b>, task: Task<'_>) -> Position<'b> {
    match task {
        Task::Runs(visit) => runs(windows, at, visit),
        Task::Choose(choice, chosen) => choose(windows, at, choice, chosen),
        Task::Minima(ends, join, kept) => minima(windows, at, ends, join, kept),
    }
}

#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vbmi,gfni")]
fn runs<'b>(
    windows: Windows<'_>,
    mut at: Position<'b>,
    visit: &mut dyn FnMut(&[Fingerprint]),
) -> Position<'b> {
    let mut run = [Fingerprint(0); LONGEST_RUN];
    while let Some(mut chains) = Chains::of(windows, &at, LONGEST_RUN / LANES) {
        let run = &mut run[..LANES * chains.stride];
        while let Some((start, fingerprints)) = chains.next() {
            for (step, eight) in fingerprints.into_iter().enumerate() {
                let lanes = run.chunks_exact_mut(chains.stride).zip(in_lanes(eight));
                for (lane, fingerprint) in lanes {
                    lane[start + step] = Fingerprint(fingerprint);
                }
            }
        }
        visit(run);
        at = chains.after();
    }
    at
}

#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vbmi,gfni")]
fn choose<'b>(
    windows: Windows<'_>,
    mut at: Position<'b>,
    choice: Choice,
    chosen: &mut Vec<Fingerprint>,
) -> Position<'b> {
    let test = Test::of(choice);
    let mut gathered = Gathered::new(chosen);
    while let Some(mut chains) = Chains::of(windows, &at, usize::MAX) {
        while let Some((_, fingerprints)) = chains.next() {
            for eight in fingerprints {
                gathered.add(test.passes(eight), eight);
            }
            gathered.make_room();
        }
        at = chains.after();
    }
    gathered.hand_on();
    at
}

#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vbmi,gfni")]
fn minima<'b>(
    windows: Windows<'_>,
    mut at: Position<'b>,
    ends: Choice,
    join: &mut dyn FnMut(Stretch, &mut Vec<Fingerprint>),
    kept: &mut Vec<Fingerprint>,
) -> Position<'b> {
    let test = Test::of(ends);
    let greatest = _mm512_set1_epi64(-1);
    while let Some(mut chains) = Chains::of(windows, &at, usize::MAX) {
        let mut gathered = Gathered::new(kept);
        // Per lane the least of its first chunk, which began in an earlier one, and whether that chunk ended.
        let (mut first, mut begun) = (greatest, 0);
        let (mut least, mut last) = (greatest, 0);
        while let Some((_, fingerprints)) = chains.next() {
            for eight in fingerprints {
                least = _mm512_min_epu64(least, eight);
                last = test.passes(eight);
                first = _mm512_mask_mov_epi64(first, last & !begun, least);
                gathered.add(last & begun, least);
                begun |= last;
                least = _mm512_mask_mov_epi64(least, last, greatest);
            }
            gathered.make_room();
        }
        gathered.hand_on();
        let (first, open) = (in_lanes(first), in_lanes(least));
        for lane in 0..LANES {
            let is_in = |lanes: __mmask8| (lanes >> lane) & 1 == 1;
            let stretch = Stretch {
                first: is_in(begun).then_some(Fingerprint(first[lane])),
                open: Fingerprint(open[lane]),
                is_open: !is_in(last),
            };
            join(stretch, kept);
        }
        at = chains.after();
    }
    at
}

/// A choice, held in registers.
#[derive(Clone, Copy)]
enum Test {
    /// These bits of a fingerprint are zero.
    Zero(__m512i),
    /// The product with the inverse, less the offset and rotated right, is at most `most`.
    Quotient {
        inverse: __m512i,
        offset: __m512i,
        twos: __m512i,
        most: __m512i,
    },
    Below(__m512i),
}

impl Test {
    #[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vbmi,gfni")]
    #[inline]
    fn of(choice: Choice) -> Self {
        let all = |value: u64| _mm512_set1_epi64(value.cast_signed());
        match choice {
            Choice::Divisible(rung) => Self::Zero(all(rung.mask())),
            Choice::Congruent(class) => {
                let (inverse, offset, twos, most) = class.parts();
                Self::Quotient {
                    inverse: all(inverse),
                    offset: all(offset),
                    twos: all(twos.into()),
                    most: all(most),
                }
            }
            Choice::Below(below) => Self::Below(all(below.0)),
        }
    }

    #[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vbmi,gfni")]
    #[inline]
    fn passes(&self, fingerprints: __m512i) -> __mmask8 {
        match *self {
            Self::Zero(mask) => _mm512_testn_epi64_mask(fingerprints, mask),
            Self::Quotient {
                inverse,
                offset,
                twos,
                most,
            } => {
                let product = _mm512_mullo_epi64(fingerprints, inverse);
                let quotient = _mm512_rorv_epi64(_mm512_sub_epi64(product, offset), twos);
                _mm512_cmple_epu64_mask(quotient, most)
            }
            Self::Below(below) => _mm512_cmplt_epu64_mask(fingerprints, below),
        }
    }
}

/// The chains of eight neighbouring stretches of a text.
struct Chains<'b> {
    bytes: &'b [u8],
    width: usize,
    /// Windows per lane; a multiple of [`STEP`].
    stride: usize,
    /// Windows of each lane that were processed.
    done: usize,
    /// Byte j of the residue of lane i is byte 8·j + i.
    residues: __m512i,
    push: __m512i,
    pop: __m512i,
}

impl<'b> Chains<'b> {
    /// Chains for most of the windows from a position on, with at most `longest` windows per lane; `None` if there are
    /// too few windows.
    #[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vbmi,gfni")]
    #[inline]
    fn of(windows: Windows<'_>, at: &Position<'b>, longest: usize) -> Option<Self> {
        let width = windows.width;
        // One window is left over: the residues end up at the window after the last one.
        let stride = ((at.windows(width) - 1) / (LANES * STEP) * STEP).min(longest);
        if stride < SHORTEST || 2 * stride < width {
            return None;
        }
        let first: [u64; LANES] = std::array::from_fn(|lane| match lane {
            0 => at.residue,
            _ => residue(&at.bytes[lane * stride..][..width]),
        });
        Some(Self {
            bytes: at.bytes,
            width,
            stride,
            done: 0,
            residues: transposed(of_lanes(first)),
            push: of_lanes(PUSH_MATRICES),
            pop: of_lanes(*windows.pop),
        })
    }

    /// Returns how many windows of each lane were processed before, and the fingerprints of the next [`STEP`]: one
    /// register per step, with one window of each lane.
    #[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vbmi,gfni")]
    #[inline]
    fn next(&mut self) -> Option<(usize, [__m512i; STEP])> {
        if self.done == self.stride {
            return None;
        }
        let start = self.done;
        let leaving = transposed(self.bytes_from(start));
        let entering = transposed(self.bytes_from(start + self.width));
        let fingerprints = std::array::from_fn(|step| {
            let fingerprints = fingerprints(self.residues);
            let step = _mm512_set1_epi64(step as i64);
            let top = _mm512_permutexvar_epi64(_mm512_set1_epi64(7), self.residues);
            let out = _mm512_permutexvar_epi64(step, leaving);
            let shifted =
                _mm512_alignr_epi64::<7>(self.residues, _mm512_permutexvar_epi64(step, entering));
            let pushed = _mm512_gf2p8affine_epi64_epi8::<0>(top, self.push);
            let popped = _mm512_gf2p8affine_epi64_epi8::<0>(out, self.pop);
            // The sum of all three over GF(2), which is XOR.
            self.residues = _mm512_ternarylogic_epi64::<0x96>(shifted, pushed, popped);
            fingerprints
        });
        self.done += STEP;
        Some((start, fingerprints))
    }

    /// Loads eight bytes of each lane.
    #[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vbmi,gfni")]
    #[inline]
    fn bytes_from(&self, start: usize) -> __m512i {
        of_lanes(std::array::from_fn(|lane| {
            let bytes = self.bytes.get(lane * self.stride + start..);
            let eight = bytes.and_then(|bytes| bytes.first_chunk());
            eight.map_or(0, |eight| u64::from_le_bytes(*eight))
        }))
    }

    /// The position after the windows of all lanes.
    #[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vbmi,gfni")]
    #[inline]
    fn after(self) -> Position<'b> {
        Position {
            bytes: &self.bytes[LANES * self.stride..],
            residue: in_lanes(transposed(self.residues))[LANES - 1],
        }
    }
}

/// The fingerprints of eight residues.
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vbmi,gfni")]
#[inline]
fn fingerprints(residues: __m512i) -> __m512i {
    let scatter = _mm512_set1_epi64(SCATTER.cast_signed());
    _mm512_rol_epi64::<16>(_mm512_mullo_epi64(transposed(residues), scatter))
}

/// Moves byte j of quadword i to byte i of quadword j.
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vbmi,gfni")]
#[inline]
fn transposed(bytes: __m512i) -> __m512i {
    const PLACES: [u64; LANES] = {
        let mut places = [0; LANES];
        let mut byte = 0;
        while byte < 64 {
            places[byte / 8] |= (8 * (byte as u64 % 8) + byte as u64 / 8) << (8 * (byte % 8));
            byte += 1;
        }
        places
    };
    _mm512_permutexvar_epi8(of_lanes(PLACES), bytes)
}

#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vbmi,gfni")]
#[inline]
fn of_lanes(lanes: [u64; LANES]) -> __m512i {
    let [a, b, c, d, e, f, g, h] = lanes.map(u64::cast_signed);
    _mm512_set_epi64(h, g, f, e, d, c, b, a)
}

/// The eight quadwords of a register.
#[inline(always)]
#[expect(unsafe_code, reason = "there is no safe conversion on this toolchain")]
fn in_lanes(register: __m512i) -> [u64; LANES] {
    // SAFETY: both types are 64 bytes, and any bytes are eight valid numbers.
    unsafe { std::mem::transmute(register) }
}
