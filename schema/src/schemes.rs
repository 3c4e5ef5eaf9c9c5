//! The signature schemes of an index's texts.

use simdex_signature::SchemeKind;

use crate::codec::DecodeError;

/// The text schemes that have postings. Mod_n is always among them, since groups are found by it. Chunks, of raw bytes,
/// are not a text scheme and are always present.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Schemes(u8);

impl Schemes {
    /// Every text scheme, in its canonical order.
    pub const ALL: [SchemeKind; 5] = [
        SchemeKind::ModN,
        SchemeKind::BswN,
        SchemeKind::MinN,
        SchemeKind::SketchN,
        SchemeKind::SuperShingles,
    ];

    /// The given schemes and Mod_n.
    pub const fn of(schemes: &[SchemeKind]) -> Self {
        let (mut all, mut at) = (0, 0);
        while at < schemes.len() {
            all |= bit(schemes[at]);
            at += 1;
        }
        Self(all)
    }

    /// Whether this scheme has postings.
    pub fn hold(self, scheme: SchemeKind) -> bool {
        bit(scheme) == 0 || self.0 & bit(scheme) != 0
    }

    /// The text schemes, Mod_n first.
    pub fn of_texts(self) -> impl Iterator<Item = SchemeKind> {
        Self::ALL
            .into_iter()
            .filter(move |scheme| self.hold(*scheme))
    }

    /// Stored byte (FORMAT.md, "meta").
    pub(crate) fn byte(self) -> u8 {
        self.0
    }

    /// Reads what [`Schemes::byte`] returned. Until format 7 it covered BSW_n alone.
    pub(crate) fn of_byte(byte: u8) -> Result<Self, DecodeError> {
        let known = Self::of(&Self::ALL);
        match byte & !known.0 {
            0 => Ok(Self(byte)),
            _ => Err(DecodeError::OutOfRange("schemes")),
        }
    }
}

/// The bit of a scheme; 0 for those that are always present.
const fn bit(scheme: SchemeKind) -> u8 {
    match scheme {
        SchemeKind::ModN | SchemeKind::Chunks => 0,
        SchemeKind::BswN => 1,
        SchemeKind::MinN => 2,
        SchemeKind::SketchN => 4,
        SchemeKind::SuperShingles => 8,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_set_of_schemes_round_trips_and_always_holds_mod_n() {
        for byte in 0..16 {
            let schemes = Schemes::of_byte(byte).unwrap();
            let named: Vec<_> = schemes.of_texts().collect();
            assert_eq!(Schemes::of(&named).byte(), byte);
            assert!(schemes.hold(SchemeKind::Chunks) && named[0] == SchemeKind::ModN);
            assert_eq!(named.len() as u32, 1 + byte.count_ones());
        }
        let unknown = Schemes::of_byte(16);
        assert_eq!(unknown, Err(DecodeError::OutOfRange("schemes")));
    }
}
