//! What a rater types: verdicts and commands, one a line.

use std::io::{self, BufRead as _};

use simdex_client::lines::Verdict;

use super::view::View;
use crate::failure::Failure;
use crate::output::eprint_line;

/// A rater's command.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Typed {
    Verdict(Verdict),
    /// Leaves the verdict on the pair as it is.
    Keep,
    /// Shows the pair in another view.
    Show(View),
    /// Goes back to the pair before.
    Back,
    Quit,
}

/// Asks about a pair, of which the rater gave this verdict before.
pub(super) async fn ask_about(heading: &str, before: Option<Verdict>) -> Result<Typed, Failure> {
    let (said, keep) = match before {
        Some(verdict) => (format!(", {} before", name(verdict)), "[k]eep that, "),
        None => (String::new(), ""),
    };
    let prompt = format!(
        "{heading}{said}: [s]ame, [v]ersion, [t]emplate only, [u]nrelated, [n]ext without a label, {keep}[d]ifference \
         in full, [w]ords, [b]ack, [q]uit?"
    );
    let is_allowed = |typed: &Typed| *typed != Typed::Keep || before.is_some();
    ask(&prompt, |line| understood(line).filter(is_allowed)).await
}

/// Asks what to do when no pair is open any more.
pub(super) async fn ask_at_the_end() -> Result<Typed, Failure> {
    let is_allowed = |typed: &Typed| matches!(typed, Typed::Back | Typed::Quit);
    ask("no pair is left: [b]ack, [q]uit?", |line| {
        understood(line).filter(is_allowed)
    })
    .await
}

/// Repeats a prompt until the input is understood; end of input quits. The connection is served meanwhile.
async fn ask(prompt: &str, parse: impl Fn(&str) -> Option<Typed>) -> Result<Typed, Failure> {
    loop {
        eprint_line(prompt);
        let line = tokio::task::spawn_blocking(|| {
            let mut line = String::new();
            io::stdin().lock().read_line(&mut line).map(|_| line)
        });
        let line = line.await.map_err(io::Error::other)?;
        let line = line.map_err(Failure::Input)?;
        if line.is_empty() {
            return Ok(Typed::Quit);
        }
        if let Some(typed) = parse(line.trim()) {
            return Ok(typed);
        }
    }
}

fn understood(line: &str) -> Option<Typed> {
    Some(match line {
        "s" | "same" => Typed::Verdict(Verdict::Same),
        "v" | "version" => Typed::Verdict(Verdict::Version),
        "t" | "template" | "template-only" => Typed::Verdict(Verdict::TemplateOnly),
        "u" | "unrelated" => Typed::Verdict(Verdict::Unrelated),
        "n" | "next" | "skip" => Typed::Verdict(Verdict::Skip),
        "k" | "keep" => Typed::Keep,
        "d" | "difference" => Typed::Show(View::Whole),
        "w" | "words" => Typed::Show(View::Words),
        "b" | "back" => Typed::Back,
        "q" | "quit" => Typed::Quit,
        _ => return None,
    })
}

/// What a verdict says of a pair.
fn name(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Same => "same",
        Verdict::Version => "version",
        Verdict::TemplateOnly => "template only",
        Verdict::Unrelated => "unrelated",
        Verdict::Skip => "skipped",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn verdicts_are_typed_by_letter_or_word_and_nothing_else_is_understood() {
        assert_eq!(understood("s"), Some(Typed::Verdict(Verdict::Same)));
        assert_eq!(understood("skip"), Some(Typed::Verdict(Verdict::Skip)));
        assert_eq!(understood("w"), Some(Typed::Show(View::Words)));
        assert_eq!(understood("q"), Some(Typed::Quit));
        for other in ["", "S", "sv", "1"] {
            assert_eq!(understood(other), None, "{other}");
        }
    }
}
