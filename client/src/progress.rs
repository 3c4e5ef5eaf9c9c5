//! What is shown on stderr while the daemon works; nothing if stderr is not a terminal.

use std::future::Future;
use std::time::Duration;

use indicatif::{ProgressBar, ProgressStyle};
use simdex_client::wire::ListProgress;
use simdex_proto::text::counted;

/// How often a spinner turns.
const TICK: Duration = Duration::from_millis(100);
/// A list of which the number of files is known.
const OF_ALL: &str = "{spinner} {msg}, {elapsed} elapsed, {eta} left";
/// A list of which it is not.
const OF_SOME: &str = "{spinner} {msg}, {elapsed} elapsed";

/// Awaits `work` beside a spinner that names what is awaited.
pub(crate) async fn waiting<T>(what: &'static str, work: impl Future<Output = T>) -> T {
    let spinner = ProgressBar::new_spinner().with_message(what);
    spinner.enable_steady_tick(TICK);
    let done = work.await;
    spinner.finish_and_clear();
    done
}

/// A line that says how far a list is.
#[derive(Clone, Debug)]
pub(crate) struct ListBar(ProgressBar);

impl ListBar {
    /// A line for a list that was not asked for yet.
    pub(crate) fn new() -> Self {
        Self(ProgressBar::new_spinner())
    }

    /// Whether nobody would see it.
    pub(crate) fn is_hidden(&self) -> bool {
        self.0.is_hidden()
    }

    /// Shows how far the list is.
    pub(crate) fn show(&self, progress: &ListProgress) {
        let template = match progress.of {
            // No file is done: how long the others take is not known.
            Some(of) if progress.files > 0 => {
                self.0.set_length(of);
                OF_ALL
            }
            _ => OF_SOME,
        };
        if let Ok(style) = ProgressStyle::with_template(template) {
            self.0.set_style(style);
        }
        self.0.set_position(progress.files);
        self.0.set_message(sentence(progress));
        self.0.enable_steady_tick(TICK);
    }

    /// Removes the line while something else is written.
    pub(crate) fn beside<T>(&self, write: impl FnOnce() -> T) -> T {
        self.0.suspend(write)
    }

    /// Removes the line.
    pub(crate) fn end(&self) {
        self.0.finish_and_clear();
    }
}

/// How many files are done, of all where that is known, and what was found in them.
fn sentence(progress: &ListProgress) -> String {
    if let Some(searched) = progress.documents_searched {
        return format!(
            "searched for what contains {}",
            counted(searched, "document")
        );
    }
    let pairs = counted(progress.pairs, "pair");
    match progress.of {
        Some(of) => format!(
            "{} of {}, {pairs} found",
            progress.files,
            counted(of, "file")
        ),
        None => format!("{}, {pairs} found", counted(progress.files, "file")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_says_how_many_files_are_done_of_all_and_a_resumed_one_how_many_are_done() {
        let progress = |of| ListProgress {
            files: 12,
            of,
            pairs: 1,
            documents_searched: None,
        };
        let searched = ListProgress {
            documents_searched: Some(7),
            ..progress(Some(40))
        };
        assert_eq!(
            sentence(&searched),
            "searched for what contains 7 documents"
        );
        assert_eq!(
            sentence(&progress(Some(40))),
            "12 of 40 files, 1 pair found"
        );
        assert_eq!(sentence(&progress(None)), "12 files, 1 pair found");
    }
}
