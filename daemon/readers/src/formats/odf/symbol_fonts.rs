//! Which of the declared fonts are symbol fonts (OpenDocument 1.3 Part 3 §16.23, §20.276).

use std::collections::BTreeMap;

use quick_xml::events::BytesStart;

use super::super::package::attribute;
use crate::formats::symbol_font::SymbolFont;

/// Maximum number of names that are remembered.
const MAX_KEPT: usize = 1000;

/// Symbol fonts by the name of their declaration, which need not be that of the font.
#[derive(Debug, Default)]
pub(super) struct SymbolFonts(BTreeMap<String, SymbolFont>);

impl SymbolFonts {
    /// Processes the declaration of a font.
    pub(super) fn add(&mut self, tag: &BytesStart<'_>) {
        let family = attribute(tag, "svg:font-family").and_then(|family| named(&family));
        let declared = attribute(tag, "style:name").zip(family);
        if self.0.len() < MAX_KEPT {
            self.0.extend(declared);
        }
    }

    /// The symbol font, if it is one, that properties of text name; `None` if they name no font.
    pub(super) fn stated(&self, tag: &BytesStart<'_>) -> Option<Option<SymbolFont>> {
        match attribute(tag, "style:font-name") {
            Some(name) => Some(self.0.get(&name).copied().or_else(|| named(&name))),
            None => attribute(tag, "fo:font-family").map(|family| named(&family)),
        }
    }
}

/// The symbol font of a family's name, which may be quoted.
fn named(family: &str) -> Option<SymbolFont> {
    SymbolFont::named(family.trim_matches(['\'', '"']))
}
