//! Whether XML ends before its root element does: then its end is lost, though each tag is whole.

use quick_xml::events::Event;

/// The root element of a document that is being read: its first one. Only elements of its name are counted, up to its
/// end: others that are never closed, inside or after it, as in much of what is called XML, lose no text.
#[derive(Default)]
pub(super) struct RootElement {
    /// Its name, once it began.
    name: Option<Vec<u8>>,
    /// How many elements of this name are open.
    open: usize,
}

impl RootElement {
    pub(super) fn take(&mut self, event: &Event<'_>) {
        let is_ended = self.name.is_some() && self.open == 0;
        if is_ended {
            return;
        }
        match event {
            Event::Start(tag) => {
                let name = tag.name();
                let name = name.as_ref().as_bytes();
                let root = self.name.get_or_insert_with(|| name.to_vec());
                self.open += usize::from(root == name);
            }
            Event::End(tag) if self.name.as_deref() == Some(tag.name().as_ref().as_bytes()) => {
                self.open -= 1;
            }
            _ => {}
        }
    }

    /// Whether its end tag is still missing.
    pub(super) fn is_open(&self) -> bool {
        self.open > 0
    }
}
