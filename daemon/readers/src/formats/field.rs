//! What fields of word processors show by themselves: signs of fonts, formulas, boxes that are ticked, chosen items of
//! lists.
//!
//! Writers may store them without a result. Shared by all formats that have these fields.

use encoding_rs::WINDOWS_1252;

use super::check_box::check_box;
use super::equation;
use super::symbol_font::SymbolFont;

/// Longest instruction that is kept, in bytes.
pub(in crate::formats) const MAX_INSTRUCTION: usize = 4096;
/// Longest item of a list that is kept, in bytes.
const MAX_ITEM: usize = 256;
/// Maximum number of items of a list; Word allows 25.
pub(in crate::formats) const MAX_ITEMS: usize = 100;
/// A result that says: as by default ([MS-DOC] §2.9.78).
const UNDEFINED: u16 = 25;

/// What a field shows by itself, whatever its stored result is.
pub(in crate::formats) fn shown(instruction: &str) -> Option<String> {
    sign(instruction)
        .map(String::from)
        .or_else(|| equation::shown(instruction))
}

/// The sign that a SYMBOL field shows (ECMA-376 Part 1 §17.16.5.67), whatever its stored result is.
fn sign(instruction: &str) -> Option<char> {
    let mut words = instruction.split_ascii_whitespace();
    let name = words.next()?;
    if !name.eq_ignore_ascii_case("SYMBOL") {
        return None;
    }
    let code = words.next()?.trim_matches('"');
    let hex = code.strip_prefix("0x").or_else(|| code.strip_prefix("0X"));
    let code = match hex {
        Some(hex) => u32::from_str_radix(hex, 16).ok()?,
        None => code.parse().ok()?,
    };
    let has = |switch: &str| {
        let mut words = instruction.split_ascii_whitespace();
        words.any(|word| word.eq_ignore_ascii_case(switch))
    };
    match font(instruction) {
        Some(font) => match u8::try_from(code) {
            Ok(code) => Some(font.character(code)),
            Err(_) => char::from_u32(code).map(|private| font.of_private(private)),
        },
        // Codes of Shift-JIS: the stored result has the character.
        None if has("\\j") => None,
        None => match u8::try_from(code) {
            Ok(code) if !has("\\u") => WINDOWS_1252.decode(&[code]).0.chars().next(),
            _ => char::from_u32(code),
        },
    }
    .filter(|sign| !sign.is_control())
}

/// The font of a SYMBOL field, if it is a symbol font.
fn font(instruction: &str) -> Option<SymbolFont> {
    let at = instruction.to_ascii_lowercase().find("\\f")?;
    let rest = instruction[at + 2..].trim_start();
    let name = match rest.strip_prefix('"') {
        Some(quoted) => quoted.split('"').next()?,
        None => rest.split('\\').next()?,
    };
    SymbolFont::named(name)
}

/// The kind of a form field.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::formats) enum FormKind {
    CheckBox,
    /// One of a list of items.
    Choice,
}

/// A form field that keeps its state apart from its result.
#[derive(Debug, Default, Clone)]
pub(in crate::formats) struct Form {
    pub(in crate::formats) kind: Option<FormKind>,
    pub(in crate::formats) default: u16,
    pub(in crate::formats) result: Option<u16>,
    items: Vec<String>,
}

impl Form {
    #[cfg(feature = "office")]
    pub(in crate::formats) fn of(kind: FormKind) -> Self {
        Self {
            kind: Some(kind),
            ..Self::default()
        }
    }

    pub(in crate::formats) fn add_item(&mut self, item: &str) {
        if self.items.len() < MAX_ITEMS {
            let end = item.floor_char_boundary(MAX_ITEM);
            self.items.push(item[..end].to_owned());
        }
    }

    /// What the field shows; `None` if that is its result.
    pub(in crate::formats) fn shown(&self) -> Option<&str> {
        let result = self.result.filter(|result| *result != UNDEFINED);
        let state = result.unwrap_or(self.default);
        match self.kind? {
            FormKind::CheckBox => Some(check_box(state != 0)),
            FormKind::Choice => self.items.get(usize::from(state)).map(|item| &**item),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_symbol_field_shows_the_sign_of_its_code_and_font() {
        let signs = [
            ("SYMBOL 254 \\f Wingdings", Some('☑')),
            (" symbol 0xF0A8 \\s 12 \\F \"Wingdings\" \\h", Some('☐')),
            ("SYMBOL 80 \\f \"Wingdings 2\" \\s 10", Some('✓')),
            ("SYMBOL 45 \\f Symbol\\s 10", Some('−')),
            ("SYMBOL 128 \\f Arial", Some('€')),
            ("SYMBOL 8364 \\u", Some('€')),
            ("SYMBOL 33440 \\j \\f \"MS Mincho\"", None),
            ("SYMBOL 7", None),
            ("SYMBOL", None),
            ("PAGE 254", None),
        ];
        for (instruction, shown) in signs {
            assert_eq!(sign(instruction), shown, "{instruction}");
        }
    }

    #[test]
    fn a_form_shows_its_state_or_else_its_default() {
        let mut form = Form {
            default: 1,
            ..Form::default()
        };
        assert_eq!(form.shown(), None);
        form.kind = Some(FormKind::CheckBox);
        assert_eq!(form.shown(), Some("☒"));
        form.result = Some(0);
        assert_eq!(form.shown(), Some("☐"));
        form.kind = Some(FormKind::Choice);
        ["no", "yes"].iter().for_each(|item| form.add_item(item));
        assert_eq!(form.shown(), Some("no"));
        form.result = Some(UNDEFINED);
        assert_eq!(form.shown(), Some("yes"));
        form.result = Some(7);
        assert_eq!(form.shown(), None);
    }
}
