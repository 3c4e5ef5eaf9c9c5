//! Formulas: objects of a package whose content is MathML, each in one line.

use std::collections::{BTreeMap, BTreeSet};

use quick_xml::events::Event;

use super::super::formula::{Formula, is_formula};
use super::super::package::Package;

/// The formulas of a package by the names of their objects.
#[derive(Debug, Default)]
pub(super) struct Formulas {
    lines: BTreeMap<String, String>,
    /// Parts with a formula that the text shows.
    shown: BTreeSet<String>,
}

impl Formulas {
    /// Reads the formulas among the parts of these names; all of them together have `room`.
    pub(super) fn of(package: &mut Package<'_>, names: &[String], mut room: usize) -> Self {
        let mut lines = BTreeMap::new();
        for part in names {
            if let Some(object) = part.strip_suffix("/content.xml")
                && let Some(line) = line(package, part, room)
            {
                room = room.saturating_sub(line.len());
                lines.insert(object.to_owned(), line);
            }
        }
        Self {
            lines,
            shown: BTreeSet::new(),
        }
    }

    /// The formula of the object at an address, which is now shown.
    pub(super) fn show(&mut self, address: &str) -> Option<String> {
        let object = address.strip_prefix("./").unwrap_or(address);
        let line = self.lines.get(object)?;
        self.shown.insert(format!("{object}/content.xml"));
        Some(line.clone())
    }

    /// The parts whose formulas were shown.
    pub(super) fn shown(self) -> BTreeSet<String> {
        self.shown
    }
}

/// The formula that a part holds, if its root says that it is one.
fn line(package: &mut Package<'_>, part: &str, room: usize) -> Option<String> {
    let mut formula: Option<Formula> = None;
    // What is damaged is read as far as it goes.
    let _ = package.xml(part, |event| {
        match (&mut formula, event) {
            (Some(formula), event) => formula.take(event),
            (None, Event::Start(tag)) if is_formula(tag) => formula = Some(Formula::new(room)),
            (None, Event::Start(_) | Event::Empty(_)) => return false,
            _ => {}
        }
        true
    });
    let line = formula?.finish();
    (!line.trim().is_empty()).then_some(line)
}
