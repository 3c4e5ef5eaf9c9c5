//! The operators that begin a line and show text, `'` and `"` (ISO 32000-2, 9.4.3), in terms of others: the main parser
//! passes over them, so that their text would be missing.

use pdf_extract::content::{Content, Operation};
use pdf_extract::{Object, Stream};

/// Rewrites the contents of a page if they have such operators.
pub(super) fn spell_out(stream: &mut Stream) {
    if let Ok(content) = stream.get_plain_content()
        && has_any(&content)
        && let Some(spelled) = spelled(&content)
    {
        stream.set_plain_content(spelled);
    }
}

/// Whether such an operator seems to follow a string somewhere.
fn has_any(content: &[u8]) -> bool {
    let mut before = b' ';
    content.iter().any(|&byte| {
        let found = matches!(byte, b'\'' | b'"') && matches!(before, b')' | b'>');
        if !byte.is_ascii_whitespace() {
            before = byte;
        }
        found
    })
}

/// Contents without such operators; `None` if they cannot be parsed.
fn spelled(content: &[u8]) -> Option<Vec<u8>> {
    let mut content = Content::decode(content).ok()?;
    let operations = content.operations.into_iter();
    content.operations = operations.flat_map(operations_for).collect();
    content.encode().ok()
}

fn operations_for(mut operation: Operation) -> Vec<Operation> {
    let is_spaced = operation.operator == "\"";
    let operands = if is_spaced { 3 } else { 1 };
    let is_text = matches!(operation.operands.last(), Some(Object::String(..)));
    let is_one = is_spaced || operation.operator == "'";
    if !is_one || !is_text || operation.operands.len() != operands {
        return vec![operation];
    }
    let text = operation.operands.split_off(operands - 1);
    // The spaces of words and of characters.
    let spaces = ["Tw", "Tc"].into_iter().zip(operation.operands);
    let spaces = spaces.map(|(operator, space)| Operation::new(operator, vec![space]));
    let line = [Operation::new("T*", Vec::new()), Operation::new("Tj", text)];
    spaces.chain(line).collect()
}
