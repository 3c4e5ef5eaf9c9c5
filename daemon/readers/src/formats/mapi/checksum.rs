//! The checksum of PST pages and blocks [MS-PST §5.3] and of compressed RTF [MS-OXRTFCP §2.1.3.2]: CRC-32 with an
//! initial value of zero and no final inversion.

/// Reversed polynomial of CRC-32.
const POLYNOMIAL: u32 = 0xedb8_8320;

const TABLE: [u32; 256] = table();

const fn table() -> [u32; 256] {
    let mut table = [0; 256];
    let mut byte = 0;
    while byte < 256 {
        let mut rest = byte as u32;
        let mut bit = 0;
        while bit < 8 {
            rest = (rest >> 1) ^ if rest & 1 == 1 { POLYNOMIAL } else { 0 };
            bit += 1;
        }
        table[byte] = rest;
        byte += 1;
    }
    table
}

/// The checksum of `bytes`.
pub(super) fn of(bytes: &[u8]) -> u32 {
    bytes.iter().fold(0, |crc, byte| {
        (crc >> 8) ^ TABLE[usize::from(crc.to_le_bytes()[0] ^ byte)]
    })
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_checksum_begins_with_zero_and_is_not_inverted() {
        assert_eq!(super::of(b""), 0);
        assert_eq!(super::of(b"\0\0"), 0);
        assert_eq!(super::of(b"\x01"), 0x7707_3096);
    }
}
