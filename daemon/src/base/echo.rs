//! How a message repeats text that somebody sent.

use simdex_proto::text::escaped;

/// Longest part of it that is repeated, bytes.
const LONGEST: usize = 200;

/// The text, escaped and cut to a bounded length.
pub(crate) fn echo(sent: &[u8]) -> String {
    let mut out = escaped(&sent[..sent.len().min(LONGEST)]);
    let is_cut = sent.len() > LONGEST || out.len() > LONGEST;
    out.truncate(out.floor_char_boundary(LONGEST));
    if is_cut {
        out.push_str(&format!("… ({} bytes)", sent.len()));
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_caller_sent_is_repeated_in_short_and_escaped() {
        assert_eq!(echo(b"/a/\xff\n"), "/a/\\xff\\n");
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
