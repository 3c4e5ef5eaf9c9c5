//! RFCXML (RFC 7991), whose renderings show both less and more than the text of its elements.
//!
//! A cited document is included with its whole abstract, which no rendering shows: because of it two documents that
//! cite the same would resemble each other more than their own renderings. A cross-reference is an empty element;
//! renderings show what it refers to.

use quick_xml::XmlVersion;
use quick_xml::events::BytesStart;

/// Which text of an XML document is shown: all of it, except in RFCXML.
#[derive(Default)]
pub(super) struct RfcText {
    is_rfc: bool,
    /// Depth of the innermost reference that is open.
    reference: Option<usize>,
    /// Depth of the element whose text is not shown.
    hidden: Option<usize>,
}

impl RfcText {
    /// Begins an element at this depth; that of the root is 1.
    pub(super) fn enter(&mut self, name: &str, depth: usize) {
        match name {
            "rfc" if depth == 1 => self.is_rfc = true,
            "reference" if self.is_rfc => self.reference = Some(depth),
            "abstract" if self.reference.is_some() => {
                self.hidden = self.hidden.or(Some(depth));
            }
            _ => {}
        }
    }

    /// Ends the element at this depth.
    pub(super) fn leave(&mut self, depth: usize) {
        for open in [&mut self.reference, &mut self.hidden] {
            open.take_if(|at| *at >= depth);
        }
    }

    /// Whether text at this position is hidden.
    pub(super) fn hides(&self) -> bool {
        self.hidden.is_some()
    }

    /// The text shown for an empty element; `None` for most.
    pub(super) fn in_place_of(&self, tag: &BytesStart<'_>) -> Option<String> {
        if !self.is_rfc || tag.name().as_ref() != "xref" {
            return None;
        }
        let content = tag.try_get_attribute("derivedContent").ok()??;
        let content = content.normalized_value(XmlVersion::Implicit1_0).ok()?;
        (!content.is_empty()).then(|| format!("[{content}]"))
    }
}
