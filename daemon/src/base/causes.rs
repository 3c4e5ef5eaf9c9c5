//! An error with all that caused it, in one line: what every log, status and message of ours says. What
//! to do about it is a field of its own, which `advice` of each error type tells.

use std::error::Error;

/// The whole chain of causes, each said once.
pub fn causes(error: &(dyn Error + 'static)) -> String {
    let mut said = error.to_string();
    let mut next = error.source();
    while let Some(cause) = next {
        let text = cause.to_string();
        if !said.contains(&text) {
            said = format!("{said}: {text}");
        }
        next = cause.source();
    }
    said
}

#[cfg(test)]
mod tests {
    use super::*;
    use simdex_index::IndexError;
    use simdex_index::store::StoreError;

    #[test]
    fn every_cause_is_named_once() {
        let full = std::io::Error::from(std::io::ErrorKind::StorageFull);
        let error = StoreError::Io {
            action: "write",
            path: "/d".into(),
            source: full,
        };
        let said = causes(&IndexError::from(error));
        assert_eq!(said, "cannot write /d: no storage space");
    }
}
