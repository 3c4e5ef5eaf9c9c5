//! Rate limit of the background reading: every byte is charged before it is read.

use std::time::Duration;

/// Bytes read of a file before it is closed and the debt is paid.
const PART: u64 = 1 << 20;
/// A file counts as at least this many bytes, since opening it has a cost too.
const MIN_BYTES: u64 = 16 << 10;

/// Bytes that were charged and not yet waited for.
#[derive(Debug, Default)]
pub(super) struct UnwaitedBytes(u64);

impl UnwaitedBytes {
    /// The length of the next part of a file, charged before it is read, since bytes are also read if that
    /// fails half way. A file costs at least [`MIN_BYTES`] bytes.
    pub(super) fn charge_part(&mut self, at: u64, length: u64) -> u64 {
        let part = (length - at).min(PART);
        let opening = if at == 0 {
            MIN_BYTES.saturating_sub(length)
        } else {
            0
        };
        self.0 += part + opening;
        part
    }

    /// How long to wait for what was charged, at a rate in bytes per second; zero while that is short.
    pub(super) fn pay_off(&mut self, rate: u64) -> Duration {
        let rate = rate.max(1);
        if self.0 < (rate / 4).max(1) {
            return Duration::ZERO;
        }
        Duration::from_secs_f64(std::mem::take(&mut self.0) as f64 / rate as f64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_byte_of_every_file_is_waited_for() {
        for length in [0, 1, MIN_BYTES, MIN_BYTES + 1, PART, PART + 1, 3 * PART + 7] {
            let (mut debt, mut at, mut waited) = (UnwaitedBytes::default(), 0, Duration::ZERO);
            loop {
                at += debt.charge_part(at, length);
                waited += debt.pay_off(1);
                if at == length {
                    break;
                }
            }
            assert_eq!(waited.as_secs(), length.max(MIN_BYTES), "{length}");
        }
        let mut debt = UnwaitedBytes::default();
        debt.charge_part(0, MIN_BYTES);
        assert_eq!(debt.pay_off(u64::MAX), Duration::ZERO);
        assert_eq!(
            debt.pay_off(1).as_secs(),
            MIN_BYTES,
            "little is not forgotten"
        );
    }
}
