//! What the style of a run of text says that changes its reading: above or below the line, struck through, in a symbol
//! font.

use std::borrow::Cow;

use super::script::Script;
use super::symbol_font::SymbolFont;
use crate::struck;

/// The style of a run; by default it says nothing.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct TextStyle {
    /// Where the text stands, if not on the line.
    pub(super) script: Option<Script>,
    pub(super) is_struck: bool,
    /// The symbol font of the text, in which private use characters are signs.
    pub(super) symbols: Option<SymbolFont>,
}

impl TextStyle {
    /// Text of this style, with signs for what it says.
    pub(super) fn apply(self, text: &str) -> Cow<'_, str> {
        if let Some(font) = self.symbols {
            let style = self.without_symbols();
            return Cow::Owned(style.apply(&font.signs(text)).into_owned());
        }
        let text = Script::apply(self.script, text);
        match self.is_struck {
            true => Cow::Owned(struck::mark(&text).into_owned()),
            false => text,
        }
    }

    /// This style in another font: for a sign whose font was stated beside it.
    pub(super) fn without_symbols(self) -> Self {
        Self {
            symbols: None,
            ..self
        }
    }

    /// Whether text of this style is written as it is.
    #[cfg(feature = "office")]
    pub(super) fn is_plain(self) -> bool {
        self == Self::default()
    }
}

/// What one of several styles of a text says of it; `None` is nothing.
#[cfg(feature = "office")]
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct StatedStyle {
    pub(super) script: Option<Option<Script>>,
    pub(super) is_struck: Option<bool>,
    pub(super) symbols: Option<Option<SymbolFont>>,
}

#[cfg(feature = "office")]
impl StatedStyle {
    /// What this style says, and what another says of the rest.
    pub(super) fn or(self, other: Self) -> Self {
        Self {
            script: self.script.or(other.script),
            is_struck: self.is_struck.or(other.is_struck),
            symbols: self.symbols.or(other.symbols),
        }
    }

    /// Text of this style within text of another.
    pub(super) fn within(self, outer: TextStyle) -> TextStyle {
        TextStyle {
            script: self.script.unwrap_or(outer.script),
            is_struck: self.is_struck.unwrap_or(outer.is_struck),
            symbols: self.symbols.unwrap_or(outer.symbols),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_style_is_written_as_signs() {
        let raised = TextStyle {
            script: Some(Script::Raised),
            is_struck: true,
            ..TextStyle::default()
        };
        assert_eq!(struck::settle(raised.apply("3").into_owned()), "~~³~~");
        assert_eq!(TextStyle::default().apply("3"), "3");
    }

    #[test]
    fn private_use_characters_are_signs_of_their_font() {
        let struck = TextStyle {
            is_struck: true,
            symbols: Some(SymbolFont::Symbol),
            ..TextStyle::default()
        };
        let text = struck.apply("\u{f0d8}p").into_owned();
        assert_eq!(struck::settle(text), "~~¬p~~");
    }
}
