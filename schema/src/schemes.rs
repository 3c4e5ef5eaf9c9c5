//! The signature schemes that an index holds of its texts.

use simdex_signature::SchemeKind;

use crate::codec::DecodeError;

/// The schemes of texts that have postings. Mod_n is always one of them: groups are found by it. Chunks, of raw
/// bytes, are no scheme of texts, and always there.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Schemes(u8);

impl Schemes {
    /// Every scheme of texts, in the order in which they are named.
    pub const ALL: [SchemeKind; 4] = [
        SchemeKind::ModN,
        SchemeKind::BswN,
        SchemeKind::MinN,
        SchemeKind::SketchN,
    ];

    /// These and Mod_n.
    pub const fn of(schemes: &[SchemeKind]) -> Self {
        let (mut all, mut at) = (0, 0);
        while at < schemes.len() {
            all |= bit(schemes[at]);
            at += 1;
        }
        Self(all)
    }

    /// Whether there are postings of this scheme.
    pub fn hold(self, scheme: SchemeKind) -> bool {
        bit(scheme) == 0 || self.0 & bit(scheme) != 0
    }

    /// Those of texts, Mod_n first.
    pub fn of_texts(self) -> impl Iterator<Item = SchemeKind> {
        Self::ALL
            .into_iter()
            .filter(move |scheme| self.hold(*scheme))
    }

    /// Stored byte (FORMAT.md, "meta").
    pub(crate) fn byte(self) -> u8 {
        self.0
    }

    /// Reads what [`Schemes::byte`] gave. Up to format 7 it told of BSW_n alone.
    pub(crate) fn of_byte(byte: u8) -> Result<Self, DecodeError> {
        let known = Self::of(&Self::ALL);
        match byte & !known.0 {
            0 => Ok(Self(byte)),
            _ => Err(DecodeError::OutOfRange("schemes")),
        }
    }
}

/// None for what is always there.
const fn bit(scheme: SchemeKind) -> u8 {
    match scheme {
        SchemeKind::ModN | SchemeKind::Chunks => 0,
        SchemeKind::BswN => 1,
        SchemeKind::MinN => 2,
        SchemeKind::SketchN => 4,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_set_of_schemes_round_trips_and_always_holds_mod_n() {
        for byte in 0..8 {
            let schemes = Schemes::of_byte(byte).unwrap();
            let named: Vec<_> = schemes.of_texts().collect();
            assert_eq!(Schemes::of(&named).byte(), byte);
            assert!(schemes.hold(SchemeKind::Chunks) && named[0] == SchemeKind::ModN);
            assert_eq!(named.len() as u32, 1 + byte.count_ones());
        }
        assert_eq!(Schemes::of_byte(8), Err(DecodeError::OutOfRange("schemes")));
    }
}
