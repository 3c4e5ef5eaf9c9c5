//! What the states of files mean for a reader.

/// Whether a file's text took part in the comparison.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Participation {
    /// Its text was compared.
    Compared,
    /// It was opened and its members counted separately.
    Opened,
    /// It took no part.
    NotCompared,
}

impl Participation {
    /// What it is called in a chart.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Compared => "compared",
            Self::Opened => "opened",
            Self::NotCompared => "not compared",
        }
    }

    /// Its class in the style sheet.
    pub(super) fn css_class(self) -> &'static str {
        match self {
            Self::Compared => "yes",
            Self::Opened => "half",
            Self::NotCompared => "no",
        }
    }
}

/// States in the order to show them.
const STATES: &[(&str, Participation, &str)] = &[
    ("indexed", Participation::Compared, "read and compared"),
    (
        "identical-bytes",
        Participation::Compared,
        "byte for byte equal to an indexed file",
    ),
    (
        "identical-text",
        Participation::Compared,
        "same text as an indexed file, other bytes",
    ),
    (
        "partial",
        Participation::Compared,
        "read in part; only that part was compared",
    ),
    (
        "container",
        Participation::Opened,
        "opened; the files inside are counted apart",
    ),
    (
        "no-text",
        Participation::NotCompared,
        "holds no text, as a scan or an image does",
    ),
    (
        "too-short",
        Participation::NotCompared,
        "too little text to compare",
    ),
    ("encrypted", Participation::NotCompared, "needs a password"),
    (
        "unsupported",
        Participation::NotCompared,
        "of a kind that is not read",
    ),
    (
        "too-large",
        Participation::NotCompared,
        "above the size limit",
    ),
    (
        "failed",
        Participation::NotCompared,
        "damaged, or not as its format demands",
    ),
    (
        "timed-out",
        Participation::NotCompared,
        "reading took longer than the time limit",
    ),
    (
        "crashed",
        Participation::NotCompared,
        "reading it broke off; no other file was harmed",
    ),
    (
        "unreadable",
        Participation::NotCompared,
        "could not be opened: rights, or the disk",
    ),
    (
        "skipped",
        Participation::NotCompared,
        "left out by a rule, as temporary files, symlinks, and pipes, sockets and devices are",
    ),
    (
        "unstable",
        Participation::NotCompared,
        "changed while it was read; it is read again later",
    ),
    (
        "quarantined",
        Participation::NotCompared,
        "failed repeatedly; left alone until it changes",
    ),
];

/// How the page describes a state.
pub(super) struct State {
    /// Its row in the table of states; unknown ones come last.
    pub(super) place: usize,
    pub(super) participation: Participation,
    pub(super) meaning: &'static str,
}

/// Looks up a state by name. Unknown states count as not compared.
pub(super) fn state(name: &str) -> State {
    let mut states = STATES.iter().enumerate();
    let found = states.find(|(_, (known, ..))| *known == name);
    let (place, participation, meaning) = match found {
        Some((place, (_, participation, meaning))) => (place, *participation, *meaning),
        None => (STATES.len(), Participation::NotCompared, ""),
    };
    State {
        place,
        participation,
        meaning,
    }
}

#[cfg(test)]
mod tests {
    use super::STATES;

    #[test]
    fn page_and_contract_name_every_state_that_is_stored() {
        let stored = simdex_schema::State::ALL.iter();
        let stored: Vec<&str> = stored.map(|state| state.name()).collect();
        let shown: Vec<&str> = STATES.iter().map(|(name, ..)| *name).collect();
        assert_eq!(shown, stored);
        assert_eq!(simdex_proto::STATES[..], stored);
        let with_text = simdex_schema::State::ALL.iter();
        let with_text = with_text.filter(|state| state.has_text());
        let with_text: Vec<&str> = with_text.map(|state| state.name()).collect();
        assert_eq!(simdex_proto::STATES_WITH_TEXT[..], with_text);
    }
}
