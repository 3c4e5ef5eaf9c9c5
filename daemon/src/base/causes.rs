//! An error with all that caused it, in one line: what every log, status and message of ours says. What
//! to do about it is a field of its own, which `advice` of each error type tells.

use std::error::Error;

use simdex_index::IndexError;

use crate::error::EngineError;
use crate::reports::report::ReportError;

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

/// The same with what to do about it, where that is known: what is said to who typed a command.
pub fn sentence(error: &anyhow::Error) -> String {
    let said = causes(error.as_ref());
    match error.chain().find_map(advice) {
        Some(advice) => format!("{said}; {advice}"),
        None => said,
    }
}

fn advice(error: &(dyn Error + 'static)) -> Option<String> {
    if let Some(error) = error.downcast_ref::<EngineError>() {
        return error.advice();
    }
    let report = error
        .downcast_ref::<ReportError>()
        .and_then(ReportError::advice);
    let index = || {
        error
            .downcast_ref::<IndexError>()
            .and_then(IndexError::advice)
    };
    report.or_else(index).map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;
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

    #[test]
    fn a_command_line_gets_the_advice_behind_the_cause() {
        let locked = EngineError::Locked("/d; e".into());
        assert_eq!(
            locked.to_string(),
            "another daemon uses the data directory /d; e"
        );
        assert_eq!(
            sentence(&anyhow::Error::from(locked).context("it does not start")),
            "it does not start: another daemon uses the data directory /d; e; stop it, or name another directory \
             with --data-dir"
        );
        assert_eq!(sentence(&anyhow::anyhow!("no; more")), "no; more");
    }
}
