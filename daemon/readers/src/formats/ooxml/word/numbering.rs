//! Which paragraphs have numbers, and how they are written (ECMA-376 Part 1 §17.9): definitions of lists, their
//! instances, and paragraph styles with numbers.

mod definitions;

use std::collections::{BTreeMap, BTreeSet};

use super::super::super::list_label::{Counters, LEVELS, Level};
use super::super::parts::{Parts, Relation};

/// Maximum depth to which styles based on each other are followed.
const MAX_STYLES_DEEP: usize = 20;

/// The numbering properties of a paragraph, or of a paragraph style.
#[derive(Debug, Clone, Default)]
pub(super) struct Paragraph {
    pub(super) style: Option<String>,
    /// The list's instance; 0 means none.
    pub(super) instance: Option<String>,
    pub(super) level: Option<usize>,
    /// Whether it continues in the next one, because its paragraph mark is deleted.
    pub(super) is_deleted: bool,
}

/// A list as it is defined (`abstractNum`).
#[derive(Debug, Default)]
struct Definition {
    levels: Vec<Level>,
    /// Levels by the paragraph style they are for.
    of_styles: BTreeMap<String, usize>,
    /// The style that refers to the list used in place of this one.
    link: Option<String>,
}

/// A list as it is used (`num`).
#[derive(Debug, Default)]
struct Instance {
    definition: String,
    /// Levels that are overridden here.
    overrides: BTreeMap<usize, Level>,
    /// Numbers with which levels begin, here for the first time and whenever they restart.
    starts: BTreeMap<usize, u32>,
    /// The levels of the definition with these changes.
    levels: Vec<Level>,
}

/// All numbering information of a document.
#[derive(Debug, Default)]
pub(super) struct Numbering {
    definitions: BTreeMap<String, Definition>,
    instances: BTreeMap<String, Instance>,
    /// A style is based on the one in its `style` field.
    styles: BTreeMap<String, Paragraph>,
}

/// The counters of the lists in one part.
#[derive(Debug, Default)]
pub(super) struct ListCounters {
    /// Instances of one definition continue each other's counts.
    lists: BTreeMap<String, Counters>,
    /// Levels that have restarted, by their instance.
    begun: BTreeSet<(String, usize)>,
}

impl Numbering {
    /// Reads the parts with numbering information.
    pub(super) fn of(parts: &mut Parts<'_>, relations: &[Relation]) -> Self {
        let mut numbering = Self::default();
        let inside = || relations.iter().filter(|to| !to.external);
        let Some(lists) = inside().find(|to| to.kind == "numbering") else {
            return numbering;
        };
        parts.optional_xml(&lists.target, definitions::of_lists(&mut numbering));
        if let Some(styles) = inside().find(|to| to.kind == "styles") {
            parts.optional_xml(&styles.target, definitions::of_styles(&mut numbering));
        }
        numbering.settle();
        numbering
    }

    /// Gives instances their levels, once the definitions and the styles that refer to them are known.
    fn settle(&mut self) {
        let levels: Vec<_> = self.instances.values().map(|of| self.levels(of)).collect();
        for (instance, levels) in self.instances.values_mut().zip(levels) {
            instance.levels = levels;
        }
    }

    fn levels(&self, instance: &Instance) -> Vec<Level> {
        let definition = self.definition(&instance.definition);
        let mut levels = definition.map_or_else(Vec::new, |(_, own)| own.levels.clone());
        for (at, level) in levels.iter_mut().enumerate() {
            if let Some(other) = instance.overrides.get(&at) {
                level.clone_from(other);
            }
            if let Some(start) = instance.starts.get(&at) {
                level.start = *start;
            }
        }
        levels
    }

    /// The label of the next paragraph, with the separator from the text; `None` if it has none.
    pub(super) fn label(
        &self,
        paragraph: &Paragraph,
        counted: &mut ListCounters,
    ) -> Option<String> {
        if paragraph.is_deleted {
            return None;
        }
        let named = paragraph.instance.as_ref();
        let name =
            named.or_else(|| self.of_style(paragraph.style.as_ref(), |s| s.instance.as_ref()))?;
        let instance = self.instances.get(name)?;
        let (id, definition) = self.definition(&instance.definition)?;
        let at = self.level(paragraph, definition);
        let counters = counted.lists.entry(id.to_owned()).or_default();
        for (&anew, _) in instance.starts.range(..=at.min(LEVELS)) {
            // A skipped level begins there: its first item has the number after that.
            let begins = anew == at || !counters.has(anew);
            if begins && counted.begun.insert((name.clone(), anew)) {
                counters.forget(anew);
            }
        }
        counters.next(&instance.levels, at, None)
    }

    /// The definition with that id, or the one that its style refers to.
    fn definition<'a>(&'a self, id: &'a str) -> Option<(&'a str, &'a Definition)> {
        let own = self.definitions.get(id)?;
        let Some(link) = &own.link else {
            return Some((id, own));
        };
        let style = self.styles.get(link)?;
        let instance = self.instances.get(style.instance.as_ref()?)?;
        let definition = self.definitions.get(&instance.definition)?;
        Some((&instance.definition, definition))
    }

    /// The paragraph's own level; otherwise the one for its style; otherwise its style's.
    fn level(&self, paragraph: &Paragraph, definition: &Definition) -> usize {
        if let Some(level) = paragraph.level {
            return level;
        }
        let mut styles = self.chain(paragraph.style.as_ref());
        let for_style = styles.find_map(|(name, _)| definition.of_styles.get(name).copied());
        for_style
            .filter(|_| paragraph.instance.is_none())
            .or_else(|| self.of_style(paragraph.style.as_ref(), |style| style.level))
            .unwrap_or(0)
    }

    /// A property of a style, or of the nearest style it is based on.
    fn of_style<'a, T: 'a>(
        &'a self,
        style: Option<&'a String>,
        said: impl Fn(&'a Paragraph) -> Option<T>,
    ) -> Option<T> {
        self.chain(style).find_map(|(_, style)| said(style))
    }

    /// A style and those it is based on.
    fn chain<'a>(
        &'a self,
        style: Option<&'a String>,
    ) -> impl Iterator<Item = (&'a String, &'a Paragraph)> {
        let named = |name| Some((name, self.styles.get(name)?));
        let first = style.and_then(named);
        std::iter::successors(first, move |(_, style)| named(style.style.as_ref()?))
            .take(MAX_STYLES_DEEP)
    }
}

#[cfg(test)]
mod tests;
