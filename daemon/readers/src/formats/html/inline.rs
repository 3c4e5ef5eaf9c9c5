//! Elements within a line whose position is a sign: formulas (MathML), superscripts and subscripts.

use super::super::formula::Formula;
use super::super::script::Script;
use super::PageReader;
use super::text::is_block;

/// Superscripts and subscripts within each other that are told apart.
const MAX_SCRIPTS: usize = 100;
/// Elements of HTML without an end tag that may stand in the text of a formula.
const VOID: &[&str] = &["img", "input", "wbr", "embed"];

impl PageReader<'_> {
    /// Processes a start tag within a formula, or of one; returns whether it is no more than that. A block ends a
    /// formula that was left open.
    pub(super) fn start_in_formula(&mut self, is_closed: bool) -> bool {
        let name = local(&self.tag.name).into_owned();
        let tag = &self.tag;
        match &mut self.formula {
            Some(_) if is_block(&tag.name) => self.end_formula(),
            Some(formula) if !tag.is_silent() => {
                formula.start(&name, |name| {
                    tag.has(name).then(|| tag.get(name).to_owned())
                });
                if is_closed || VOID.contains(&name.as_str()) {
                    formula.end();
                }
                return true;
            }
            None if name == "math" && !is_closed => {
                self.is_display = tag.lower("display") == "block";
                self.formula = Some(Formula::new(usize::MAX - 1));
                return true;
            }
            _ => {}
        }
        false
    }

    /// Processes an end tag within a formula, or of one; returns whether it is no more than that.
    pub(super) fn end_in_formula(&mut self, name: &[u8]) -> bool {
        let local = local(name);
        match &mut self.formula {
            None => return false,
            Some(_) if local == "math" => self.end_formula(),
            Some(_) if is_block(name) => {
                self.end_formula();
                return false;
            }
            Some(formula) => formula.end_named(&local),
        }
        true
    }

    /// Writes the formula that is being read, if one is.
    pub(super) fn end_formula(&mut self) {
        let Some(formula) = self.formula.take() else {
            return;
        };
        if self.is_display {
            self.text.newline();
        }
        let formula = formula.finish();
        self.text.push(&self.style().apply(&formula), false);
        if self.is_display {
            self.text.newline();
        }
    }

    /// Processes the start tag of a superscript or subscript. A block ends those that were left open.
    pub(super) fn start_script(&mut self, name: &[u8]) {
        match script(name) {
            Some(script) if self.scripts.len() < MAX_SCRIPTS => self.scripts.push(script),
            _ if is_block(name) => self.scripts.clear(),
            _ => {}
        }
    }

    /// Processes the end tag of a superscript or subscript.
    pub(super) fn end_script(&mut self, name: &[u8]) {
        if is_block(name) {
            self.scripts.clear();
        } else if script(name).is_some() && self.scripts.last().copied() == script(name) {
            self.scripts.pop();
        }
    }

    /// Adds text between tags.
    pub(super) fn words(&mut self, text: &str) {
        if let Some(formula) = &mut self.formula {
            return formula.push(text);
        }
        let text = self.style().apply(text);
        self.text.push(&text, self.preformatted > 0);
    }
}

fn script(name: &[u8]) -> Option<Script> {
    match name {
        b"sup" => Some(Script::Raised),
        b"sub" => Some(Script::Lowered),
        _ => None,
    }
}

/// The name of an element without a prefix, which XHTML may have.
fn local(name: &[u8]) -> std::borrow::Cow<'_, str> {
    let local = name.rsplit(|byte| *byte == b':').next();
    String::from_utf8_lossy(local.unwrap_or_default())
}
