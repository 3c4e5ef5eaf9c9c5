//! Tape archives (POSIX.1-2024, pax), written as told.

/// A header and its data, padded to blocks; the header claims `size`.
pub fn entry(name: &str, kind: u8, size: u64, data: &[u8]) -> Vec<u8> {
    let mut header = [0_u8; 512];
    let put = |header: &mut [u8; 512], at: usize, text: &str| {
        let text = &text.as_bytes()[..text.len().min(100)];
        header[at..at + text.len()].copy_from_slice(text);
    };
    put(&mut header, 0, name);
    put(&mut header, 100, "0000644");
    put(&mut header, 108, "0000000");
    put(&mut header, 116, "0000000");
    put(&mut header, 124, &format!("{size:011o}"));
    put(&mut header, 136, "00000000001");
    put(&mut header, 148, "        ");
    header[156] = kind;
    put(&mut header, 257, "ustar");
    put(&mut header, 263, "00");
    let sum: u32 = header.iter().map(|&byte| u32::from(byte)).sum();
    put(&mut header, 148, &format!("{sum:06o}\0 "));
    let mut bytes = header.to_vec();
    bytes.extend(data);
    bytes.resize(bytes.len().next_multiple_of(512), 0);
    bytes
}

/// A record of PAX: its own length, a key, a value.
pub fn pax(key: &str, value: &str) -> Vec<u8> {
    let rest = format!(" {key}={value}\n");
    let mut length = rest.len();
    while length != rest.len() + length.to_string().len() {
        length = rest.len() + length.to_string().len();
    }
    format!("{length}{rest}").into_bytes()
}

/// Entries, and the two blocks of zeroes that end an archive.
pub fn tar(entries: &[Vec<u8>]) -> Vec<u8> {
    let mut bytes = entries.concat();
    bytes.resize(bytes.len() + 1024, 0);
    bytes
}
