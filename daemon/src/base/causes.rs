//! An error with its whole chain of causes, in one line: what all our logs, statuses and messages
//! print. What to do about it is a separate field, which `advice` of each error type returns.

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
