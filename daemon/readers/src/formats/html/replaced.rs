//! Elements that show something other than their content: pictures, controls of forms.
//!
//! A picture reads as its alternative text, which the standard defines as what the page says without the picture (WHATWG
//! HTML §4.8.4.4): a tick or a minus may be one. An empty one marks decoration. Left out is what repeats the page
//! (`aria-hidden`) and what is no text: names of files. A box or button for a choice reads as ticked or not, a chosen
//! item of a list as ticked; other controls read as their value, which is what somebody entered, or the label of a
//! button. Values that a page does not show, `hidden` and `password`, are not read.

use super::tag::Tag;
use crate::formats::check_box::check_box;

/// Ends of names of pictures.
const PICTURES: &[&str] = &[
    ".png", ".jpg", ".jpeg", ".gif", ".bmp", ".svg", ".webp", ".tif", ".tiff", ".emz", ".wmz",
];

/// What an element shows.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Replacement {
    /// The alternative text of a picture: part of the words around it.
    Picture(String),
    /// Words of their own.
    Words(String),
}

/// What the element of a start tag shows besides its content.
pub(super) fn shown(tag: &Tag) -> Option<Replacement> {
    match tag.name.as_slice() {
        b"img" | b"area" => alternative(tag),
        b"input" => input(tag),
        b"option" if tag.has("selected") => Some(Replacement::Words(check_box(true).to_owned())),
        _ => None,
    }
}

fn alternative(tag: &Tag) -> Option<Replacement> {
    let alternative = tag.get("alt");
    let is_hidden = tag.lower("aria-hidden") == "true";
    let is_text = !alternative.trim().is_empty() && !is_hidden && !is_file_name(alternative);
    is_text.then(|| Replacement::Picture(alternative.to_owned()))
}

/// Mail programs give a picture the name of its file, which differs from copy to copy.
fn is_file_name(alternative: &str) -> bool {
    let name = alternative.trim().to_lowercase();
    let is_word = !name.contains(char::is_whitespace);
    is_word && (name.starts_with("cid:") || PICTURES.iter().any(|end| name.ends_with(end)))
}

fn input(tag: &Tag) -> Option<Replacement> {
    let words = match tag.lower("type").trim() {
        "image" => return alternative(tag),
        "hidden" | "password" | "file" => return None,
        // A menu that opens without a script is such a box, and says that it is a button.
        "checkbox" | "radio" if tag.lower("role") == "button" => return None,
        "checkbox" | "radio" => check_box(tag.has("checked")),
        _ => tag.get("value"),
    };
    Some(Replacement::Words(words.to_owned()))
}
