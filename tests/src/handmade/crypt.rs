//! What the standard security handler of PDF, revision 2, needs (ISO 32000-1, 7.6): MD5 (RFC 1321)
//! and RC4.

/// Fills passwords up to 32 bytes.
const PADDING: [u8; 32] = [
    0x28, 0xBF, 0x4E, 0x5E, 0x4E, 0x75, 0x8A, 0x41, 0x64, 0x00, 0x4E, 0x56, 0xFF, 0xFA, 0x01, 0x08,
    0x2E, 0x2E, 0x00, 0xB6, 0xD0, 0x68, 0x3E, 0x80, 0x2F, 0x0C, 0xA9, 0xFE, 0x64, 0x53, 0x69, 0x7A,
];
const SHIFTS: [[u32; 4]; 4] = [
    [7, 12, 17, 22],
    [5, 9, 14, 20],
    [4, 11, 16, 23],
    [6, 10, 15, 21],
];
const PERMISSIONS: i32 = -4;

/// The digest of RFC 1321.
pub fn md5(message: &[u8]) -> [u8; 16] {
    let mut bytes = message.to_vec();
    bytes.push(0x80);
    while bytes.len() % 64 != 56 {
        bytes.push(0);
    }
    bytes.extend((message.len() as u64 * 8).to_le_bytes());
    let start = [0x6745_2301, 0xefcd_ab89, 0x98ba_dcfe, 0x1032_5476_u32];
    let state = bytes.chunks(64).fold(start, block);
    let mut digest = [0; 16];
    for (place, word) in digest.chunks_mut(4).zip(state) {
        place.copy_from_slice(&word.to_le_bytes());
    }
    digest
}

fn block(state: [u32; 4], block: &[u8]) -> [u32; 4] {
    let word = |at: usize| {
        let bytes = &block[4 * at..4 * at + 4];
        u32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]])
    };
    let [mut a, mut b, mut c, mut d] = state;
    for step in 0..64 {
        let (mixed, at) = match step / 16 {
            0 => ((b & c) | (!b & d), step),
            1 => ((d & b) | (!d & c), (5 * step + 1) % 16),
            2 => (b ^ c ^ d, (3 * step + 5) % 16),
            _ => (c ^ (b | !d), (7 * step) % 16),
        };
        let sine = (((step + 1) as f64).sin().abs() * 4_294_967_296.0) as u32;
        let sum = a
            .wrapping_add(mixed)
            .wrapping_add(sine)
            .wrapping_add(word(at));
        (a, d, c) = (d, c, b);
        b = b.wrapping_add(sum.rotate_left(SHIFTS[step / 16][step % 4]));
    }
    let sum = |at: usize, word: u32| state[at].wrapping_add(word);
    [sum(0, a), sum(1, b), sum(2, c), sum(3, d)]
}

/// The stream cipher; the same both ways.
pub fn rc4(key: &[u8], bytes: &[u8]) -> Vec<u8> {
    let mut state: Vec<u8> = (0..=255).collect();
    let mut j = 0_u8;
    for i in 0..256 {
        j = j.wrapping_add(state[i]).wrapping_add(key[i % key.len()]);
        state.swap(i, usize::from(j));
    }
    let (mut i, mut j) = (0_u8, 0_u8);
    let next = bytes.iter().map(|byte| {
        i = i.wrapping_add(1);
        j = j.wrapping_add(state[usize::from(i)]);
        state.swap(usize::from(i), usize::from(j));
        byte ^ state[usize::from(state[usize::from(i)].wrapping_add(state[usize::from(j)]))]
    });
    next.collect()
}

fn padded(password: &str) -> Vec<u8> {
    password.bytes().chain(PADDING).take(32).collect()
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// A PDF of one page that can be opened with this password.
pub fn locked_pdf(text: &str, password: &str) -> Vec<u8> {
    let owner = rc4(&md5(&padded("owner"))[..5], &padded(password));
    let id = [7_u8; 16];
    let mut seed = padded(password);
    seed.extend(&owner);
    seed.extend(PERMISSIONS.to_le_bytes());
    seed.extend(id);
    let key = md5(&seed)[..5].to_vec();
    let user = rc4(&key, &PADDING);
    // Object 5, generation 0.
    let of_object = md5(&[&key[..], &[5, 0, 0, 0, 0]].concat());
    let contents = rc4(&of_object[..10], super::pdf::lines(&[text]).as_bytes());
    let objects = super::pdf::page("", super::pdf::stream("", &contents));
    let trailer = format!(
        "/ID [<{id}> <{id}>] /Encrypt << /Filter /Standard /V 1 /R 2 /O <{}> /U <{}> /P {PERMISSIONS} >>",
        hex(&owner),
        hex(&user),
        id = hex(&id),
    );
    super::pdf::pdf_with(&objects, &trailer)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_digest_is_that_of_the_rfc() {
        assert_eq!(hex(&md5(b"abc")), "900150983cd24fb0d6963f7d28e17f72");
    }

    #[test]
    fn the_cipher_is_its_own_inverse() {
        // The vector of RFC 6229's predecessor: key "Key", text "Plaintext".
        assert_eq!(hex(&rc4(b"Key", b"Plaintext")), "bbf316e8d940af0ad3");
        assert_eq!(rc4(b"Key", &rc4(b"Key", b"Plaintext")), b"Plaintext");
    }
}
