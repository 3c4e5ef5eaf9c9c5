//! What was written, so that repetitions of it are left out.

use std::collections::HashSet;

/// Texts that were written, and their words.
#[derive(Debug, Default)]
pub(super) struct WrittenTexts {
    texts: HashSet<String>,
    words: HashSet<String>,
}

impl WrittenTexts {
    pub(super) fn add(&mut self, text: &str) {
        self.texts.insert(squeezed(text));
        self.words
            .extend(text.split_whitespace().map(str::to_owned));
    }

    /// Whether all of `text` was written: in the same words, or as one text with different spacing, as in a field with
    /// a box for each letter. Punctuation alone means nothing.
    pub(super) fn has(&self, text: &str) -> bool {
        let mut words = text.split_whitespace();
        !text.contains(char::is_alphanumeric)
            || self.texts.contains(&squeezed(text))
            || words.all(|word| self.words.contains(word))
    }
}

fn squeezed(text: &str) -> String {
    text.split_whitespace().collect()
}
