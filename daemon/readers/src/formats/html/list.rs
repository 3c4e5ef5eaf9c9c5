//! Lists of a page and the labels of their items (WHATWG HTML §4.4.5, §4.4.8, §15.3.8).

use super::super::list_label::Numeral;
use super::tag::Tag;

/// Lists nested deeper than this have no labels.
const MAX_OPEN_LISTS: usize = 1_000;

/// Lists that are open, the innermost last.
#[derive(Debug, Default)]
pub(super) struct Lists {
    open: Vec<List>,
    /// Number of open lists beyond the limit, which have no labels.
    beyond: usize,
    /// Open elements of navigation: a table of contents is shown without numbers of its own.
    navigations: usize,
}

#[derive(Debug)]
struct List {
    is_ordered: bool,
    /// `None` if items are not labelled.
    numeral: Option<Numeral>,
    next: i32,
    step: i32,
}

impl Lists {
    /// Processes a start tag; returns the label of an item.
    pub(super) fn start(&mut self, tag: &Tag) -> Option<String> {
        match tag.name.as_slice() {
            b"nav" => self.navigations += 1,
            b"ol" | b"ul" | b"menu" | b"dir" if self.open.len() == MAX_OPEN_LISTS => {
                self.beyond += 1
            }
            b"ol" => self.open.push(ordered(tag, self.navigations > 0)),
            b"ul" | b"menu" | b"dir" => self.open.push(List {
                is_ordered: false,
                numeral: None,
                next: 1,
                step: 1,
            }),
            b"li" if self.beyond == 0 => return self.open.last_mut()?.label(tag),
            _ => {}
        }
        None
    }

    pub(super) fn end(&mut self, name: &[u8]) {
        let is_ordered = match name {
            b"nav" => {
                self.navigations = self.navigations.saturating_sub(1);
                return;
            }
            b"ol" => true,
            b"ul" | b"menu" | b"dir" => false,
            _ => return,
        };
        if self.beyond > 0 {
            self.beyond -= 1;
        } else if let Some(at) = self.open.iter().rposition(|l| l.is_ordered == is_ordered) {
            // Nested lists that were not ended end with it.
            self.open.truncate(at);
        }
    }
}

fn ordered(tag: &Tag, is_plain: bool) -> List {
    let start = integer(tag.get("start"));
    let is_reversed = tag.has("reversed");
    // A reversed list counts down from the number of its items, which is not known yet: its items have no numbers here.
    let is_unknown = is_reversed && start.is_none();
    let numeral = numeral(tag).unwrap_or(Some(Numeral::Decimal));
    List {
        is_ordered: true,
        numeral: numeral.filter(|_| !is_plain && !is_unknown),
        next: start.unwrap_or(1),
        step: if is_reversed { -1 } else { 1 },
    }
}

impl List {
    fn label(&mut self, tag: &Tag) -> Option<String> {
        if !self.is_ordered {
            return None;
        }
        let number = integer(tag.get("value")).unwrap_or(self.next);
        self.next = number.saturating_add(self.step);
        let numeral = match self.numeral {
            Some(of_list) => numeral(tag).unwrap_or(Some(of_list))?,
            None => return None,
        };
        // Letters and Roman numerals begin with 1.
        let written = match u32::try_from(number) {
            Ok(number) => numeral.write(number),
            Err(_) => number.to_string(),
        };
        Some(written + ". ")
    }
}

/// How an element wants its items numbered, if it says so; the inner `None` means not at all.
fn numeral(tag: &Tag) -> Option<Option<Numeral>> {
    let style = tag.lower("style");
    let of_list = style
        .split(';')
        .filter_map(|rule| rule.split_once(':'))
        .filter(|(name, _)| matches!(name.trim(), "list-style" | "list-style-type"));
    let words = of_list.flat_map(|(_, value)| value.split_ascii_whitespace());
    if let Some(known) = words.filter_map(of_style).next_back() {
        return Some(known);
    }
    Some(Some(match tag.get("type").trim() {
        "1" => Numeral::Decimal,
        "a" => Numeral::LowerLetter,
        "A" => Numeral::UpperLetter,
        "i" => Numeral::LowerRoman,
        "I" => Numeral::UpperRoman,
        _ => return None,
    }))
}

fn of_style(word: &str) -> Option<Option<Numeral>> {
    Some(match word {
        "none" | "disc" | "circle" | "square" => None,
        "decimal" => Some(Numeral::Decimal),
        "decimal-leading-zero" => Some(Numeral::DecimalZero),
        "lower-alpha" | "lower-latin" => Some(Numeral::LowerLetter),
        "upper-alpha" | "upper-latin" => Some(Numeral::UpperLetter),
        "lower-roman" => Some(Numeral::LowerRoman),
        "upper-roman" => Some(Numeral::UpperRoman),
        _ => return None,
    })
}

/// An integer in an attribute, ignoring what follows it.
fn integer(value: &str) -> Option<i32> {
    let value = value.trim_ascii_start();
    let digits = value.strip_prefix('-').unwrap_or(value);
    let length = digits.bytes().take_while(u8::is_ascii_digit).count();
    value[..value.len() - digits.len() + length].parse().ok()
}
