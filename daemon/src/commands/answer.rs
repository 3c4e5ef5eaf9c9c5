//! The answers of commands on stdout.

use std::fmt::Display;
use std::io::{self, Write};

/// Writes a line of an answer. Whoever reads it may have read enough: a closed pipe is no error.
///
/// # Errors
/// Any other failure of stdout, such as a full disk.
pub(super) fn answer(line: impl Display) -> io::Result<()> {
    write_line(&mut io::stdout().lock(), line)
}

fn write_line(out: &mut impl Write, line: impl Display) -> io::Result<()> {
    let written = writeln!(out, "{line}").and_then(|()| out.flush());
    match written {
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        written => written,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Fails with this error.
    struct Failing(io::ErrorKind);

    impl Write for Failing {
        fn write(&mut self, _: &[u8]) -> io::Result<usize> {
            Err(self.0.into())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn a_closed_pipe_ends_an_answer_quietly_and_a_full_disk_does_not() {
        assert!(write_line(&mut Failing(io::ErrorKind::BrokenPipe), "x").is_ok());
        assert!(write_line(&mut Failing(io::ErrorKind::StorageFull), "x").is_err());
        let mut out = Vec::new();
        write_line(&mut out, "two words").unwrap();
        assert_eq!(out, b"two words\n");
    }
}
