//! RTF as messages store it: compressed with a sliding dictionary [MS-OXRTFCP].

use simdex_extract::Reason;

use super::checksum;

/// The initial content of the dictionary.
const START: &[u8; 207] = b"{\\rtf1\\ansi\\mac\\deff0\\deftab720{\\fonttbl;}{\\f0\\fnil \\froman \\fswiss \
\\fmodern \\fscript \\fdecor MS Sans SerifSymbolArialTimes New RomanCourier{\\colortbl\\red0\\green0\
\\blue0\r\n\\par \\pard\\plain\\f0\\fs20\\b\\i\\u\\tab\\tx";
/// Bytes of the dictionary, a power of two.
const WINDOW: usize = 4096;
const HEADER_BYTES: usize = 16;
const COMPRESSED: &[u8] = b"LZFu";
const UNCOMPRESSED: &[u8] = b"MELA";

/// The document, up to `limit` bytes, and why it is incomplete. `None` if there is none.
pub(super) fn unpack(bytes: &[u8], limit: usize) -> Option<(Vec<u8>, Option<Reason>)> {
    let (header, packed) = bytes.split_at_checked(HEADER_BYTES)?;
    // The first field counts from its own end to the end of the packed bytes.
    let length = u32::from_le_bytes(*header.first_chunk()?) as usize;
    let claimed = length.saturating_sub(HEADER_BYTES - 4);
    let cut = (claimed > packed.len()).then_some(Reason::Damaged);
    let packed = &packed[..claimed.min(packed.len())];
    match &header[8..12] {
        UNCOMPRESSED => {
            let cut = cut.or((packed.len() > limit).then_some(Reason::InflateLimit));
            Some((packed[..packed.len().min(limit)].to_vec(), cut))
        }
        COMPRESSED => {
            let is_whole = header[12..16] == checksum::of(packed).to_le_bytes();
            let (document, cut) = inflate(packed, limit);
            Some((document, cut.or((!is_whole).then_some(Reason::Damaged))))
        }
        _ => None,
    }
}

/// Runs of eight tokens after a byte that distinguishes literals from references [MS-OXRTFCP §3.1.3].
fn inflate(packed: &[u8], limit: usize) -> (Vec<u8>, Option<Reason>) {
    let mut output = Output::new(limit);
    let mut rest = packed.iter().copied();
    let mut control = 0_u16;
    loop {
        // The marker bit reaches the bottom after eight tokens.
        if control <= 1 {
            let Some(byte) = rest.next() else { break };
            control = 0x100 | u16::from(byte);
        }
        let is_reference = control & 1 == 1;
        control >>= 1;
        let Some(byte) = rest.next() else { break };
        let is_taken = if is_reference {
            let Some(low) = rest.next() else {
                return (output.document, Some(Reason::Damaged));
            };
            let reference = usize::from(u16::from_be_bytes([byte, low]));
            // A reference to the position of the next byte is the end.
            if reference >> 4 == output.at {
                break;
            }
            output.repeat(reference >> 4, (reference & 15) + 2)
        } else {
            output.put(byte)
        };
        if !is_taken {
            return (output.document, Some(Reason::InflateLimit));
        }
    }
    (output.document, None)
}

/// The document so far, and the dictionary: its last bytes.
struct Output {
    window: [u8; WINDOW],
    /// The position of the next byte.
    at: usize,
    document: Vec<u8>,
    limit: usize,
}

impl Output {
    fn new(limit: usize) -> Self {
        let mut window = [b' '; WINDOW];
        window[..START.len()].copy_from_slice(START);
        Self {
            window,
            at: START.len(),
            document: Vec::new(),
            limit,
        }
    }

    /// Appends a byte; returns false if there is no room.
    fn put(&mut self, byte: u8) -> bool {
        if self.document.len() >= self.limit {
            return false;
        }
        self.window[self.at] = byte;
        self.at = (self.at + 1) % WINDOW;
        self.document.push(byte);
        true
    }

    /// Appends bytes of the dictionary, which may grow meanwhile.
    fn repeat(&mut self, from: usize, length: usize) -> bool {
        (from..from + length).all(|at| self.put(self.window[at % WINDOW]))
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    /// A document, packed without references.
    pub(crate) fn pack(document: &[u8]) -> Vec<u8> {
        let mut packed: Vec<u8> = Vec::new();
        for run in document.chunks(8) {
            packed.push(0);
            packed.extend(run);
        }
        let mut bytes = ((packed.len() + 12) as u32).to_le_bytes().to_vec();
        bytes.extend((document.len() as u32).to_le_bytes());
        bytes.extend(COMPRESSED);
        bytes.extend(checksum::of(&packed).to_le_bytes());
        bytes.extend(packed);
        bytes
    }

    /// The example of [MS-OXRTFCP §4.1.1].
    const EXAMPLE: &[u8] = &[
        0x2d, 0x00, 0x00, 0x00, 0x2b, 0x00, 0x00, 0x00, 0x4c, 0x5a, 0x46, 0x75, 0xf1, 0xc5, 0xc7,
        0xa7, 0x03, 0x00, 0x0a, 0x00, 0x72, 0x63, 0x70, 0x67, 0x31, 0x32, 0x35, 0x42, 0x32, 0x0a,
        0xf3, 0x20, 0x68, 0x65, 0x6c, 0x09, 0x00, 0x20, 0x62, 0x77, 0x05, 0xb0, 0x6c, 0x64, 0x7d,
        0x0a, 0x80, 0x0f, 0xa0,
    ];

    #[test]
    fn the_example_of_the_specification_is_read() {
        let (document, cut) = unpack(EXAMPLE, 1000).unwrap();
        assert_eq!(
            document,
            b"{\\rtf1\\ansi\\ansicpg1252\\pard hello world}\r\n"
        );
        assert_eq!(cut, None);
    }

    #[test]
    fn bounds_and_damage_are_told() {
        let (document, cut) = unpack(EXAMPLE, 10).unwrap();
        assert_eq!((document.len(), cut), (10, Some(Reason::InflateLimit)));
        let mut wrong = EXAMPLE.to_vec();
        wrong[12] ^= 1;
        assert_eq!(unpack(&wrong, 1000).unwrap().1, Some(Reason::Damaged));
        assert_eq!(
            unpack(&EXAMPLE[..30], 1000).unwrap().1,
            Some(Reason::Damaged)
        );
        assert_eq!(unpack(&EXAMPLE[..10], 1000), None);
        assert_eq!(unpack(&[0; 20], 1000), None);
    }

    #[test]
    fn what_is_packed_without_references_is_itself() {
        let document = b"{\\rtf1 nothing repeats}".repeat(300);
        assert_eq!(unpack(&pack(&document), 1 << 20), Some((document, None)));
    }
}
