//! What the style of a run of text says that changes its reading: above or below the line, struck through, in a symbol
//! font.

use std::borrow::Cow;

use super::script::Script;
#[cfg(feature = "office")]
use super::symbol_font::SymbolFont;
use crate::struck;

/// The style of a run; by default it says nothing.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct TextStyle {
    /// Where the text stands, if not on the line.
    pub(super) script: Option<Script>,
    pub(super) is_struck: bool,
    /// The symbol font of the text, in which private use characters are signs.
    #[cfg(feature = "office")]
    pub(super) symbols: Option<SymbolFont>,
}

impl TextStyle {
    /// Text of this style, with signs for what it says.
    pub(super) fn apply(self, text: &str) -> Cow<'_, str> {
        #[cfg(feature = "office")]
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
    #[cfg(feature = "office")]
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

    #[cfg(feature = "office")]
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
