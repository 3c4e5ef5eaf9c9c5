//! How much memory of this process is resident.

/// Bytes of this process that are resident; none where the system does not tell (Linux does).
pub fn resident_bytes() -> Option<u64> {
    let statm = std::fs::read_to_string("/proc/self/statm").ok()?;
    let pages: u64 = statm.split(' ').nth(1)?.parse().ok()?;
    pages.checked_mul(rustix::param::page_size() as u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_touched_is_resident() {
        const BYTES: usize = 64 << 20;
        let before = resident_bytes().unwrap();
        let touched = std::hint::black_box(vec![1u8; BYTES]);
        let after = resident_bytes().unwrap();
        // Other tests may give memory back meanwhile.
        assert!(
            after as i64 - before as i64 > BYTES as i64 / 2,
            "{before} and {after}"
        );
        drop(touched);
    }
}
