//! The form of a text before it is cut into shingles (Ignatov et al. 2009, §1 and §3: markup and punctuation are removed;
//! Ye, Wen and Ma 2008, §4.2: markup is removed, white space collapsed): what each step tells of the pairs of a list.
//!
//! Every second document is a page of HTML, so that the two of a pair mostly differ in markup; shingles are of words and
//! of bytes. The last form is that of the product.

use anyhow::Result;
use simdex_signature::CanonicalText;
use simdex_signature::laboratory::ShingleUnit;

use super::derived::{Derived, shingles};
use crate::evaluation::Agreement;
use crate::figure::Figures;
use crate::study::Settings;
use crate::study::plain_to_html::html_of_plain;

/// Resemblance from which a pair is found, the lowest first.
const THRESHOLDS: [f64; 2] = [0.5, 0.8];
/// Shingles of ten words, and of as many bytes as these take on average in English, whose letters are mostly one each.
const SHINGLES: [(&str, ShingleUnit, u16); 2] = [
    ("10 words", ShingleUnit::Words, 10),
    ("60 bytes", ShingleUnit::Bytes, 60),
];

/// What is done to a text.
type Form = fn(&str) -> String;

const FORMS: [(&str, Form); 5] = [
    ("as it is", spaced),
    ("no markup", |text| spaced(&without_markup(text))),
    ("no markup, no punctuation", |text| {
        without_punctuation(&without_markup(text))
    }),
    ("no markup, no punctuation, lower case", |text| {
        without_punctuation(&without_markup(text)).to_lowercase()
    }),
    ("no markup, canonical text", |text| {
        CanonicalText::from_extracted(&without_markup(text)).into_string()
    }),
];

/// A row for each form and kind of shingle.
pub(crate) fn run(settings: &Settings, figures: &mut Figures<'_>) -> Result<()> {
    let derived = Derived::of(settings)?;
    let documents: Vec<String> = derived
        .documents
        .iter()
        .enumerate()
        .map(|(at, document)| match at % 2 {
            0 => document.text.clone(),
            _ => html_of_plain(&document.text),
        })
        .collect();
    figures.put("documents", documents.len() as f64, "")?;
    for (form_name, form) in FORMS {
        let formed: Vec<String> = documents.iter().map(|text| form(text)).collect();
        for (shingle_name, unit, length) in SHINGLES {
            let sets = formed.iter().map(|text| shingles(text, unit, length));
            let sets = sets.collect::<Result<Vec<_>>>()?;
            let found = derived.found(&sets, THRESHOLDS);
            let [low, high] = found.map(|found| Agreement::of(&derived.list, &found));
            let share = |share: Option<f64>| share.unwrap_or(0.0);
            let columns = [
                ("precision at 0.5", share(low.precision()), ""),
                ("recall", share(low.recall()), ""),
                ("precision at 0.8", share(high.precision()), ""),
                ("recall", share(high.recall()), ""),
            ];
            figures.row(&format!("{form_name}, {shingle_name}"), &columns)?;
        }
    }
    Ok(())
}

/// With one space for each run of white space.
fn spaced(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// A page's text between its tags, with the characters that its escapes stand for; a text without tags as it is.
fn without_markup(text: &str) -> String {
    if !text.starts_with("<!DOCTYPE html>") {
        return text.to_owned();
    }
    let parts = text.split('<');
    // What stands before the first `>` of a part is a tag.
    let between = parts.map(|part| part.split_once('>').map_or(part, |(_, text)| text));
    let between: Vec<&str> = between.collect();
    between
        .join(" ")
        .replace("&lt;", "<")
        .replace("&gt;", ">")
        .replace("&amp;", "&")
}

/// The words without the signs around and within them.
fn without_punctuation(text: &str) -> String {
    let words = text.split(|c: char| c.is_whitespace() || c.is_ascii_punctuation());
    let words = words.map(|word| word.replace(|c: char| !c.is_alphanumeric(), ""));
    let words = words.filter(|word| !word.is_empty());
    words.collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_form_removes_what_it_says() {
        let plain = "One, two:\n(three) a < b & c.\n\nNext “line”";
        let page = html_of_plain(plain);
        assert!(spaced(&page).contains("<p>One"));
        assert_eq!(spaced(&without_markup(&page)), spaced(plain));
        assert_eq!(without_markup(plain), plain);
        assert_eq!(without_punctuation(plain), "One two three a b c Next line");
    }
}
