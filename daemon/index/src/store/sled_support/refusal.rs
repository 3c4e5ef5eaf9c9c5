//! Errors of the operating system that sled repeats as text.

use std::io;

/// The error of the operating system (no thread, no descriptor, no memory, a full or failing disk) that a message of
/// sled quotes as Rust prints it for debugging. A missing file is damage.
pub(in crate::store) fn refusal(message: &str) -> Option<io::Error> {
    const MISSING: i32 = 2;
    let quoted = message.split("Os { code: ").skip(1);
    let mut codes = quoted.filter_map(|rest| rest.split_once(',')?.0.parse().ok());
    let refused = codes.find(|code| *code != MISSING);
    refused.map(io::Error::from_raw_os_error)
}

/// Whether a panic reports such an error, or one of the clock.
pub(in crate::store) fn is_of_the_machine(message: &str) -> bool {
    refusal(message).is_some() || message.contains("SystemTimeError")
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use ::sled::Error;

    use super::*;
    use crate::store::StoreError;
    use crate::store::sled_support::recovery::from_sled;

    #[test]
    fn what_sled_repeats_is_told_as_the_operating_system_told_it() {
        let mut error = Error::Io(io::Error::from_raw_os_error(28));
        for _ in 0..3 {
            let told = from_sled(Path::new("/d"), error.clone());
            let StoreError::Io { source, .. } = &told else {
                panic!("{told}")
            };
            assert_eq!(source.to_string(), "No space left on device (os error 28)");
            assert!(told.is_disk_full());
            error = error.clone();
        }
        assert!(refusal("Os { code: 2, kind: NotFound }").is_none());
    }
}
