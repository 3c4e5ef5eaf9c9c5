//! A sign of life on stderr while the daemon works; nothing where stderr is no terminal.

use std::future::Future;
use std::time::Duration;

use indicatif::ProgressBar;

/// Awaits `work` beside a spinner that says what is waited for.
pub(crate) async fn waiting<T>(what: &'static str, work: impl Future<Output = T>) -> T {
    let spinner = ProgressBar::new_spinner().with_message(what);
    spinner.enable_steady_tick(Duration::from_millis(100));
    let done = work.await;
    spinner.finish_and_clear();
    done
}
