//! How a message repeats text that somebody sent.

/// Longest part of it that is repeated, bytes.
const LONGEST: usize = 200;

/// The text, escaped and cut to a bounded length.
pub(crate) fn echo(sent: &[u8]) -> String {
    let mut out = String::new();
    let start = String::from_utf8_lossy(&sent[..sent.len().min(LONGEST)]);
    for character in start.chars() {
        let escaped = character.escape_debug().to_string();
        if out.len() + escaped.len() > LONGEST {
            return format!("{out}… ({} bytes)", sent.len());
        }
        out.push_str(&escaped);
    }
    if sent.len() > LONGEST {
        out.push_str(&format!("… ({} bytes)", sent.len()));
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_caller_sent_is_repeated_in_short_and_escaped() {
        assert_eq!(echo(b"/a/\xff\n"), "/a/\u{fffd}\\n");
        for long in [vec![b'a'; 15 << 20], vec![0; 15 << 20], vec![0xff; 201]] {
            let said = echo(&long);
            assert!(said.len() < LONGEST + 40, "{said}");
            assert!(
                said.ends_with(&format!("… ({} bytes)", long.len())),
                "{said}"
            );
        }
    }
}
