//! Whether XML ends before its root element does: then its end is lost, though each tag is whole.

use quick_xml::events::Event;

/// The root element of a document that is being read. Only elements of its name are counted: inner ones that are never
/// closed, as in much of what is called XML, lose no text.
#[derive(Default)]
pub(super) struct RootElement {
    name: Vec<u8>,
    open: usize,
}

impl RootElement {
    pub(super) fn take(&mut self, event: &Event<'_>) {
        match event {
            Event::Start(tag) if self.open == 0 => {
                self.name.clear();
                self.name.extend_from_slice(tag.name().as_ref().as_bytes());
                self.open = 1;
            }
            Event::Start(tag) if tag.name().as_ref().as_bytes() == self.name => self.open += 1,
            Event::End(tag) if tag.name().as_ref().as_bytes() == self.name => {
                self.open = self.open.saturating_sub(1);
            }
            _ => {}
        }
    }

    /// Whether its end tag is still missing.
    pub(super) fn is_open(&self) -> bool {
        self.open > 0
    }
}
