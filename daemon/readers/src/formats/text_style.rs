//! What the style of a run of text says that changes its reading: above or below the line, struck through.

use std::borrow::Cow;

use super::script::Script;
use crate::struck;

/// The style of a run; by default it says nothing.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct TextStyle {
    /// Where the text stands, if not on the line.
    pub(super) script: Option<Script>,
    pub(super) is_struck: bool,
}

impl TextStyle {
    /// Text of this style, with signs for what it says.
    pub(super) fn apply(self, text: &str) -> Cow<'_, str> {
        let text = Script::apply(self.script, text);
        match self.is_struck {
            true => Cow::Owned(struck::mark(&text).into_owned()),
            false => text,
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
        };
        assert_eq!(struck::settle(raised.apply("3").into_owned()), "~~³~~");
        assert_eq!(TextStyle::default().apply("3"), "3");
    }
}
