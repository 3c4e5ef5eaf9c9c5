//! A spinner on stderr while the daemon works; nothing if stderr is not a terminal.

use std::future::Future;
use std::time::Duration;

use indicatif::ProgressBar;

/// Awaits `work` beside a spinner that names what is awaited.
pub(crate) async fn waiting<T>(what: &'static str, work: impl Future<Output = T>) -> T {
    let spinner = ProgressBar::new_spinner().with_message(what);
    spinner.enable_steady_tick(Duration::from_millis(100));
    let done = work.await;
    spinner.finish_and_clear();
    done
}
