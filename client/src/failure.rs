//! Error messages on stderr: one sentence naming the thing, the cause and the remedy.

use std::fmt;
use std::io::{self, ErrorKind};
use std::os::unix::ffi::OsStrExt as _;
use std::path::PathBuf;

use simdex_client::lines::InvalidLabel;
use simdex_client::text::escaped;
use simdex_client::{Error, cause};
use tonic::Code;

/// A verb that failed.
#[derive(Debug)]
pub(crate) enum Failure {
    /// The request was not answered.
    Request(Error),
    /// The answer could not be written to stdout.
    Output(io::Error),
    /// The queried document holds nothing to compare.
    NotComparable {
        name: String,
        state: String,
        reason: String,
    },
    /// Both sides of a comparison are standard input.
    InputTwice,
    /// The connection broke during a stream of changes, after the event with this number, if any.
    WatchBroken { error: Error, after: Option<u64> },
    /// A list broke off; `after` are the words that resume it behind the last record that was whole.
    ListBroken { error: Error, after: String },
    /// The daemon ended a stream that has no end.
    StreamEnded,
    /// A list of template lines was asked for as JSON.
    LinesAsJson,
    /// The rater has no name.
    NoRater,
    /// Standard input was named as the file that labels are appended to.
    NoLabelsFile,
    /// The person who was to check a held loss did not confirm it.
    Unconfirmed { loss: String, advice: String },
    /// Standard input could not be read.
    Input(io::Error),
    /// The event loop could not start.
    Runtime(io::Error),
}

impl Failure {
    /// Whether the reader of stdout closed it.
    pub(crate) fn is_broken_pipe(&self) -> bool {
        matches!(self, Self::Output(error) if error.kind() == io::ErrorKind::BrokenPipe)
    }
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        Self::Request(error)
    }
}

impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Self {
        Self::Output(error)
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Request(error) => request_sentence(error, out),
            Self::Output(error) => write!(
                out,
                "cannot write the answer to stdout ({}); free some space there or name another place",
                cause(error)
            ),
            Self::NotComparable {
                name,
                state,
                reason,
            } => not_comparable(name, state, reason, out),
            Self::InputTwice => {
                out.write_str("both sides are standard input; name a file for one of them")
            }
            Self::LinesAsJson => out.write_str(
                "--lines prints a list to edit, which has no form as JSON; leave out --lines or --json",
            ),
            Self::StreamEnded => out.write_str(
                "the daemon stopped; once it runs again, watch first and then list files and groups again",
            ),
            Self::WatchBroken {
                error,
                after: Some(number),
            } => write!(
                out,
                "{error}; once the daemon runs again, `--after {number}` continues from there"
            ),
            Self::WatchBroken { error, after: None } => request_sentence(error, out),
            Self::ListBroken { error, after } => {
                write!(out, "{error}; `--after {after}` continues from there")
            }
            Self::Unconfirmed { loss, advice } => write!(out, "{loss}; {advice}"),
            Self::NoRater => out.write_str(
                "the name of a rater is one line of 1 to 200 bytes and not blank; set it with --rater",
            ),
            Self::NoLabelsFile => out.write_str(
                "labels are appended to a file and read back from it, which `-` is not; name a file with --labels",
            ),
            Self::Input(error) => write!(
                out,
                "cannot read standard input ({}); type there, or pipe one verdict a line into it",
                cause(error)
            ),
            Self::Runtime(error) => write!(
                out,
                "cannot start ({}); raise the limits on open files and processes",
                cause(error)
            ),
        }
    }
}

fn not_comparable(
    name: &str,
    state: &str,
    reason: &str,
    out: &mut fmt::Formatter<'_>,
) -> fmt::Result {
    write!(out, "{name} cannot be compared: it is {state}")?;
    if !reason.is_empty() {
        write!(out, " ({reason})")?;
    }
    write!(out, "; {}", comparable_instead(state))
}

fn comparable_instead(state: &str) -> &'static str {
    match state {
        "container" => "ask about one of its members, as CONTAINER!/MEMBER",
        "unreadable" => "let the daemon read it, or send it with `-` from standard input",
        "encrypted" => "ask about a copy without its password",
        "skipped" => "name the file itself: links and special files are not read",
        _ => "ask about a copy that holds readable text",
    }
}

fn request_sentence(error: &Error, out: &mut fmt::Formatter<'_>) -> fmt::Result {
    write!(out, "{error}; ")?;
    match error {
        Error::NoDaemon {
            is_denied: true, ..
        } => out.write_str("ask as a user it lets in, or name another socket with --socket"),
        Error::NoDaemon { .. } => {
            out.write_str("start one with `simdexd serve` or name its socket with --socket")
        }
        Error::Unreadable { source, .. } => out.write_str(match source.kind() {
            io::ErrorKind::NotFound => "check the name",
            io::ErrorKind::PermissionDenied => "ask with rights to read it",
            _ => "see that it can be read here, or name a copy",
        }),
        Error::NotRegular { .. } => {
            out.write_str("name a file; commands that read standard input take it as `-`")
        }
        Error::Unwritable { source, .. } => out.write_str(writable_instead(source)),
        Error::NoLabel { .. }
        | Error::NoPair { .. }
        | Error::LabelsInUse { .. }
        | Error::TooManyLabels { .. }
        | Error::LabelsTooLarge { .. } => out.write_str(instead_of_labels(error)),
        Error::BadReport(_) => out.write_str("ask for it again, with the daemon's own simctl"),
        Error::NoEarlierReport { .. } => {
            out.write_str("name a report of the same kind that is as it was written")
        }
        Error::NoSuchFile { .. } => {
            out.write_str("check the name, or run `simctl sync` if it has just been made")
        }
        Error::TooLarge { .. } => out.write_str("put it under a watched root and name it there"),
        Error::NoSuchRoot { known, .. } => write!(out, "watched are: {}", listed(known)),
        Error::Disconnected { .. } => {
            out.write_str("see whether the daemon still runs, then ask again")
        }
        Error::Late(_) => out.write_str("see `simctl status`, then ask again"),
        Error::Incomplete => out.write_str("see whether the daemon still runs, then ask again"),
        Error::Status {
            advice: Some(advice),
            ..
        } => out.write_str(advice),
        Error::Status { code, .. } => out.write_str(way_out(*code)),
        _ => out.write_str("see `simctl status`"),
    }
}

/// Advice for a place that cannot be written.
fn writable_instead(error: &io::Error) -> &'static str {
    match error.kind() {
        _ if is_full(error) => "free some space there, or name a place on another disk",
        ErrorKind::NotFound => "make its folder first, or name another place",
        _ => "name a place that does not exist yet, in a directory you may write to",
    }
}

/// Advice for labels that cannot be read, written or sent.
fn instead_of_labels(error: &Error) -> &'static str {
    match error {
        Error::NoLabel {
            reason: InvalidLabel::Version(_),
            ..
        } => "use the version of simctl that wrote it",
        Error::NoLabel { .. } => {
            "correct or remove that line; `simctl judge label` writes such files"
        }
        Error::NoPair { .. } => {
            "correct or remove that line; `simctl pairs --json` prints such lines"
        }
        Error::LabelsInUse { .. } => "wait for it, or label into a file of your own",
        Error::LabelsTooLarge { .. } => {
            "name fewer files, or raise `max_message_mib` under `[grpc]` in the daemon's config"
        }
        _ => "name fewer files, or leave out labels that later ones replace",
    }
}

/// Whether a disk or the user's quota is full.
fn is_full(source: &io::Error) -> bool {
    matches!(
        source.kind(),
        ErrorKind::StorageFull | ErrorKind::QuotaExceeded
    )
}

fn listed(roots: &[PathBuf]) -> String {
    let names: Vec<_> = roots
        .iter()
        .map(|root| escaped(root.as_os_str().as_bytes()))
        .collect();
    if names.is_empty() {
        "none".to_owned()
    } else {
        names.join(", ")
    }
}

/// Advice for a status of the daemon, whose message names the thing and the cause.
fn way_out(code: Code) -> &'static str {
    match code {
        Code::NotFound => "check the name, or see `simctl files` and `simctl roots`",
        Code::InvalidArgument | Code::OutOfRange => {
            "change the request; `--help` of the command lists its options"
        }
        Code::AlreadyExists => "name a place that does not exist yet",
        Code::FailedPrecondition => "see `simctl status` and `simctl roots`",
        Code::PermissionDenied | Code::Unauthenticated => "ask as a user the daemon lets in",
        Code::ResourceExhausted => "ask for less, or again later",
        Code::DeadlineExceeded | Code::Cancelled => "see `simctl status`, then ask again",
        Code::Unavailable | Code::Aborted => "see whether the daemon still runs, then ask again",
        Code::Unimplemented => "use a simctl and a simdexd of the same version",
        _ => "the daemon's log has the details",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(error: Error) -> String {
        Failure::from(error).to_string()
    }

    #[test]
    fn a_missing_daemon_is_named_with_cause_and_way_out() {
        let error = Error::NoDaemon {
            socket: "/run/simdex/simdexd.sock".into(),
            cause: "connection refused".to_owned(),
            is_denied: false,
        };
        assert_eq!(
            said(error),
            "cannot reach a daemon at /run/simdex/simdexd.sock: connection refused; \
             start one with `simdexd serve` or name its socket with --socket"
        );
        let closed = Error::NoDaemon {
            socket: "/s".into(),
            cause: "permission denied".to_owned(),
            is_denied: true,
        };
        assert_eq!(
            said(closed),
            "cannot reach a daemon at /s: permission denied; \
             ask as a user it lets in, or name another socket with --socket"
        );
    }

    #[test]
    fn an_unknown_root_lists_the_known_ones() {
        let known = vec!["/a".into(), "/b".into()];
        assert_eq!(
            said(Error::NoSuchRoot {
                path: "/c".into(),
                known
            }),
            "/c is not a watched root; watched are: /a, /b"
        );
    }

    #[test]
    fn a_report_that_cannot_be_compared_with_asks_for_another() {
        let said = said(Error::NoEarlierReport {
            path: "/r/groups.jsonl".into(),
            why: "it is of another kind",
        });
        assert_eq!(
            said,
            "/r/groups.jsonl is no report to compare with: it is of another kind; \
             name a report of the same kind that is as it was written"
        );
    }

    #[test]
    fn a_full_disk_is_told_apart_from_a_wrong_place() {
        let said = |kind: ErrorKind| {
            said(Error::Unwritable {
                path: "/r".into(),
                source: kind.into(),
            })
        };
        for full in [ErrorKind::StorageFull, ErrorKind::QuotaExceeded] {
            let way_out = "; free some space there, or name a place on another disk";
            assert!(said(full).ends_with(way_out), "{}", said(full));
        }
        let elsewhere = "; name a place that does not exist yet, in a directory you may write to";
        assert!(said(ErrorKind::AlreadyExists).ends_with(elsewhere));
    }

    #[test]
    fn a_status_keeps_the_daemons_words_and_gains_a_way_out() {
        let status = tonic::Status::failed_precondition("root /srv is stale");
        assert_eq!(
            said(status.into()),
            "root /srv is stale; see `simctl status` and `simctl roots`"
        );
    }

    #[test]
    fn the_daemons_own_advice_comes_before_what_a_code_suggests() {
        let error = Error::Status {
            code: Code::FailedPrecondition,
            message: "/s/x; y.bin has no text".to_owned(),
            advice: Some("compare a copy".to_owned()),
        };
        assert_eq!(said(error), "/s/x; y.bin has no text; compare a copy");
    }

    #[test]
    fn a_document_without_text_is_not_called_unlike_everything() {
        let failure = Failure::NotComparable {
            name: "/s/scan.pdf".to_owned(),
            state: "no-text".to_owned(),
            reason: "image-only".to_owned(),
        };
        assert_eq!(
            failure.to_string(),
            "/s/scan.pdf cannot be compared: it is no-text (image-only); \
             ask about a copy that holds readable text"
        );
    }

    #[test]
    fn only_a_closed_pipe_is_quiet() {
        assert!(Failure::from(io::Error::from(io::ErrorKind::BrokenPipe)).is_broken_pipe());
        assert!(!Failure::from(io::Error::from(io::ErrorKind::StorageFull)).is_broken_pipe());
    }
}
