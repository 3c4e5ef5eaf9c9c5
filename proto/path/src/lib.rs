//! How paths of files are stored and shown: the single definition for daemon and client.
//!
//! In its stored form, a member of a container has the path of its container, a NUL and its own name, at any depth. No
//! name on disk holds a NUL, so this is unambiguous. In its shown form, which queries use too, the separator is `!/`.
//! Names may also hold `!/` (a folder called `x.zip!`, an entry `a!/b`), so every `!` at the end of a name or folder is
//! doubled if a `/` or a separator follows. Before a `/`, an even number of exclamation marks stands for half as many
//! in the folder's name, and an odd number ends in a separator. `mail.eml!/offer.docx` is the member `offer.docx` of
//! `mail.eml`; `x.zip!!/a` is the file `a` in the folder `x.zip!`.
//!
//! Every stored path has one shown form and every byte string without NUL is the shown form of one
//! stored path; both directions take one pass. The shown form is part of the wire contract: examples are
//! in `proto/simdex/v1/shown-paths.tsv`.

use std::iter::repeat_n;

/// Separates a container from its member in the stored form.
pub const MEMBER: u8 = 0;

/// The shown form of a stored path.
pub fn to_shown(stored: &[u8]) -> Vec<u8> {
    let mut shown = Vec::with_capacity(stored.len() + 8);
    let mut marks = 0;
    for &byte in stored {
        match byte {
            b'/' => shown.extend(repeat_n(b'!', marks)),
            MEMBER => shown.extend(repeat_n(b'!', marks + 1)),
            _ => {}
        }
        shown.push(if byte == MEMBER { b'/' } else { byte });
        marks = if byte == b'!' { marks + 1 } else { 0 };
    }
    shown
}

/// The stored form of a shown path.
pub fn from_shown(shown: &[u8]) -> Vec<u8> {
    let mut stored = Vec::with_capacity(shown.len());
    let mut marks = 0;
    for &byte in shown {
        match byte {
            b'!' => marks += 1,
            b'/' => {
                stored.extend(repeat_n(b'!', marks / 2));
                stored.push(if marks % 2 == 1 { MEMBER } else { b'/' });
                marks = 0;
            }
            _ => {
                stored.extend(repeat_n(b'!', marks));
                stored.push(byte);
                marks = 0;
            }
        }
    }
    stored.extend(repeat_n(b'!', marks));
    stored
}

/// The shown form of a member's container, one level up; `None` for a file on disk.
pub fn container(shown: &[u8]) -> Option<Vec<u8>> {
    let stored = from_shown(shown);
    let end = stored.iter().rposition(|byte| *byte == MEMBER)?;
    Some(to_shown(&stored[..end]))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Random bytes, many of them the three with a special meaning.
    fn path() -> impl Strategy<Value = Vec<u8>> {
        let byte = prop_oneof![
            4 => Just(b'!'),
            2 => Just(b'/'),
            2 => Just(MEMBER),
            2 => any::<u8>(),
        ];
        prop::collection::vec(byte, 0..64)
    }

    proptest! {
        #[test]
        fn every_stored_path_is_read_back_from_its_shown_form(stored in path()) {
            let shown = to_shown(&stored);
            prop_assert!(!shown.contains(&MEMBER));
            prop_assert_eq!(from_shown(&shown), stored);
        }

        #[test]
        fn every_text_without_nul_is_the_shown_form_of_one_path(mut shown in path()) {
            shown.retain(|byte| *byte != MEMBER);
            prop_assert_eq!(to_shown(&from_shown(&shown)), shown);
        }

        #[test]
        fn a_shown_path_is_at_most_twice_as_long(stored in path()) {
            prop_assert!(to_shown(&stored).len() <= 2 * stored.len());
        }
    }

    #[test]
    fn the_shown_form_is_that_of_the_contract() {
        let table = include_str!("../../simdex/v1/shown-paths.tsv");
        let rows = table.lines().filter(|line| !line.starts_with('#'));
        let mut count = 0;
        for row in rows {
            let (stored, shown) = row.split_once('\t').unwrap();
            let stored = stored.replace("\\0", "\0");
            assert_eq!(to_shown(stored.as_bytes()), shown.as_bytes(), "{row}");
            assert_eq!(from_shown(shown.as_bytes()), stored.as_bytes(), "{row}");
            count += 1;
        }
        assert!(count > 10);
    }

    #[test]
    fn a_member_leads_to_its_container() {
        let up = |shown: &str| container(shown.as_bytes());
        assert_eq!(up("/r/m.eml!/a.zip!/b").unwrap(), b"/r/m.eml!/a.zip");
        assert_eq!(up("/r/x!!!/a").unwrap(), b"/r/x!");
        assert_eq!(up("/r/x!!/a"), None);
    }
}
