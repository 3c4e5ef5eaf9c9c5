//! What the states of files mean to a reader.

/// Whether a file's text took part in the comparison.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Reading {
    /// Its text was compared.
    Compared,
    /// It was opened and its members counted apart.
    Opened,
    /// It took no part.
    NotCompared,
}

impl Reading {
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
const STATES: &[(&str, Reading, &str)] = &[
    ("indexed", Reading::Compared, "read and compared"),
    (
        "identical-bytes",
        Reading::Compared,
        "byte for byte equal to an indexed file",
    ),
    (
        "identical-text",
        Reading::Compared,
        "same text as an indexed file, other bytes",
    ),
    (
        "partial",
        Reading::Compared,
        "read in part; only that part was compared",
    ),
    (
        "container",
        Reading::Opened,
        "opened; the files inside are counted apart",
    ),
    (
        "no-text",
        Reading::NotCompared,
        "holds no text, as a scan or an image does",
    ),
    (
        "too-short",
        Reading::NotCompared,
        "too little text to compare",
    ),
    ("encrypted", Reading::NotCompared, "needs a password"),
    (
        "unsupported",
        Reading::NotCompared,
        "of a kind that is not read",
    ),
    ("too-large", Reading::NotCompared, "above the size limit"),
    (
        "failed",
        Reading::NotCompared,
        "damaged, or not as its format demands",
    ),
    (
        "timed-out",
        Reading::NotCompared,
        "reading took longer than the time limit",
    ),
    (
        "crashed",
        Reading::NotCompared,
        "reading it broke off; no other file was harmed",
    ),
    (
        "unreadable",
        Reading::NotCompared,
        "could not be opened: rights, or the disk",
    ),
    (
        "skipped",
        Reading::NotCompared,
        "left out by a rule, as temporary files are",
    ),
    (
        "unstable",
        Reading::NotCompared,
        "changed while it was read; it is read again later",
    ),
    (
        "quarantined",
        Reading::NotCompared,
        "failed repeatedly; left alone until it changes",
    ),
];

/// What the page says of a state.
pub(super) struct State {
    /// Its row in the table of states; unknown ones come last.
    pub(super) place: usize,
    pub(super) reading: Reading,
    pub(super) meaning: &'static str,
}

/// Looks a state up by name. What is not known did not take part.
pub(super) fn state(name: &str) -> State {
    let mut states = STATES.iter().enumerate();
    let found = states.find(|(_, (known, ..))| *known == name);
    let (place, reading, meaning) = match found {
        Some((place, (_, reading, meaning))) => (place, *reading, *meaning),
        None => (STATES.len(), Reading::NotCompared, ""),
    };
    State {
        place,
        reading,
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
    }
}
