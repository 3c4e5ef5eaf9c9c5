//! What a failed command prints: its error with all causes, and what to do about it.

use std::error::Error;

use simdex_index::IndexError;

use crate::base::causes::causes;
use crate::error::EngineError;
use crate::reports::report::ReportError;

/// An error with its whole chain of causes and what to do about it, if that is known.
pub(super) fn sentence(error: &anyhow::Error) -> String {
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
