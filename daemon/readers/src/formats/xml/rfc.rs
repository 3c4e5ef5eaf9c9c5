//! RFCXML (RFC 7991), of which readers see both less and more than the text of its elements.
//!
//! A cited document stands there with its whole abstract, which no rendering shows: by it two
//! documents that cite the same would resemble each other more than their own renderings. A
//! cross-reference is an empty element, of which renderings show what it refers to.

use quick_xml::XmlVersion;
use quick_xml::events::BytesStart;

/// Which text of an XML document is shown: all of it, but in RFCXML.
#[derive(Default)]
pub(super) struct RfcText {
    is_rfc: bool,
    /// Depth of the innermost reference that is open.
    reference: Option<usize>,
    /// Depth of the element whose text is not shown.
    hidden: Option<usize>,
}

impl RfcText {
    /// An element begins at this depth; that of the root is 1.
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

    /// The element at this depth ends.
    pub(super) fn leave(&mut self, depth: usize) {
        for open in [&mut self.reference, &mut self.hidden] {
            open.take_if(|at| *at >= depth);
        }
    }

    /// Whether text at this place is not shown.
    pub(super) fn hides(&self) -> bool {
        self.hidden.is_some()
    }

    /// What is shown in place of an empty element; none for most.
    pub(super) fn in_place_of(&self, tag: &BytesStart<'_>) -> Option<String> {
        if !self.is_rfc || tag.name().as_ref() != "xref" {
            return None;
        }
        let content = tag.try_get_attribute("derivedContent").ok()??;
        let content = content.normalized_value(XmlVersion::Implicit1_0).ok()?;
        (!content.is_empty()).then(|| format!("[{content}]"))
    }
}
