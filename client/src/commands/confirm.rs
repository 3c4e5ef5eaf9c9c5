//! Asks the person at the terminal before something is changed.

use std::io::{self, BufRead as _, IsTerminal as _};

use crate::failure::Failure;
use crate::output::eprint_line;

/// Whether stdin and stderr allow asking a person.
pub(super) fn can_ask() -> bool {
    io::stdin().is_terminal() && io::stderr().is_terminal()
}

/// Asks a question; any answer but yes means no.
pub(super) async fn says_yes(question: &str) -> Result<bool, Failure> {
    eprint_line(format!("{question} [y]es, [n]o"));
    let line = tokio::task::spawn_blocking(|| {
        let mut line = String::new();
        io::stdin().lock().read_line(&mut line).map(|_| line)
    });
    let line = line.await.map_err(io::Error::other)?;
    Ok(is_yes(&line.map_err(Failure::Input)?))
}

fn is_yes(line: &str) -> bool {
    matches!(line.trim().to_lowercase().as_str(), "y" | "yes")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_but_a_yes_is_one() {
        for (line, yes) in [
            ("y\n", true),
            (" Yes\n", true),
            ("\n", false),
            ("", false),
            ("no", false),
        ] {
            assert_eq!(is_yes(line), yes, "{line:?}");
        }
    }
}
