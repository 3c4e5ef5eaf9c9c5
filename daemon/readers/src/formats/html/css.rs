//! What style sheets of a page strike through: rules for elements, for classes, or for both; and fonts of elements.
//!
//! Other selectors are not read, nor sheets beside the page.

use super::tag::Tag;

/// Maximum number of rules that are kept, and bytes of a sheet that are read.
const MAX_RULES: usize = 1000;
pub(super) const MAX_SHEET: usize = 1 << 20;

/// Elements and classes whose text is struck through; an empty name is any.
#[derive(Debug, Default)]
pub(super) struct Rules(Vec<(String, String)>);

impl Rules {
    /// Adds the rules of a sheet.
    pub(super) fn add(&mut self, sheet: &str) {
        let sheet = without_comments(sheet);
        for rule in sheet.split('}') {
            let Some((selectors, declarations)) = rule.rsplit_once('{') else {
                continue;
            };
            if is_struck(declarations) != Some(true) {
                continue;
            }
            // Within a block of rules its condition comes first.
            let selectors = selectors.rsplit(['{', ';']).next().unwrap_or_default();
            let room = MAX_RULES.saturating_sub(self.0.len());
            self.0
                .extend(selectors.split(',').filter_map(selector).take(room));
        }
    }

    /// Whether a rule strikes an element through.
    pub(super) fn strike(&self, tag: &Tag) -> bool {
        let classes = tag.get("class");
        self.0.iter().any(|(element, class)| {
            let is_class = |name: &str| name == class;
            (element.is_empty() || element.as_bytes() == tag.name)
                && (class.is_empty() || classes.split_ascii_whitespace().any(is_class))
        })
    }
}

/// Whether declarations strike text through; `None` if they do not speak of lines at text.
pub(super) fn is_struck(declarations: &str) -> Option<bool> {
    let (_, last) = last(declarations, &["text-decoration", "text-decoration-line"])?;
    Some(last.to_ascii_lowercase().contains("line-through"))
}

/// The families of fonts that declarations name; `None` if they name none, or those of the element around.
pub(super) fn font(declarations: &str) -> Option<&str> {
    let (property, value) = last(declarations, &["font-family", "font"])?;
    let families = match property {
        "font" => behind_size(value)?,
        _ => value,
    };
    (!families.trim().eq_ignore_ascii_case("inherit")).then_some(families)
}

/// The families in the value of `font`, where they follow the size. A number alone is the weight; what is quoted is the
/// name of a family, which may have a number, too.
fn behind_size(value: &str) -> Option<&str> {
    let is_number = |word: &str| word.bytes().all(|byte| byte.is_ascii_digit());
    let quote = value.find(['"', '\'']).unwrap_or(value.len());
    let (mut rest, mut families) = (value[..quote].trim_start(), None);
    while let Some((word, behind)) = rest.split_once(char::is_whitespace) {
        if word.starts_with(|c: char| c.is_ascii_digit() || c == '.') && !is_number(word) {
            families = value.get(quote - behind.len()..);
        }
        rest = behind.trim_start();
    }
    families
}

/// The last declaration of one of several properties, which counts.
fn last<'a>(declarations: &'a str, properties: &[&'static str]) -> Option<(&'static str, &'a str)> {
    let mut found = declarations.split(';').filter_map(|declaration| {
        let (property, value) = declaration.split_once(':')?;
        let is = |known: &&&str| property.trim().eq_ignore_ascii_case(known);
        properties
            .iter()
            .find(is)
            .map(|property| (*property, value))
    });
    found.next_back()
}

/// The element and the class of a selector that names no more.
fn selector(text: &str) -> Option<(String, String)> {
    let (element, class) = text.trim().split_once('.').unwrap_or((text.trim(), ""));
    let is_name = |name: &str| {
        let mut chars = name.chars();
        chars.all(|c| c.is_alphanumeric() || matches!(c, '-' | '_'))
    };
    let is_simple = is_name(element) && is_name(class) && element.len() + class.len() > 0;
    is_simple.then(|| (element.to_ascii_lowercase(), class.to_owned()))
}

fn without_comments(sheet: &str) -> String {
    let mut parts = sheet.split("/*");
    let first = parts.next().unwrap_or_default();
    let rest = parts.filter_map(|part| part.split_once("*/"));
    std::iter::once(first)
        .chain(rest.map(|(_, behind)| behind))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_declaration_of_lines_counts() {
        assert_eq!(is_struck("color: red"), None);
        assert_eq!(
            is_struck("Text-Decoration: underline Line-Through"),
            Some(true)
        );
        assert_eq!(
            is_struck("text-decoration:line-through; text-decoration: none"),
            Some(false)
        );
    }

    #[test]
    fn families_follow_the_size_and_may_have_numbers() {
        let font = |value: &str| font(&format!("font: {value}")).map(|font| font.trim().to_owned());
        let families = |value: &str| Some(value.to_owned());
        for quoted in [
            "\"Wingdings 2\", serif",
            "'Wingdings 2'",
            "Arial, \"Wingdings 2\"",
        ] {
            assert_eq!(font(&format!("bold 12pt {quoted}")), families(quoted));
        }
        assert_eq!(font("700 12pt/1.5  Symbol"), families("Symbol"));
        assert_eq!(font("700 Symbol"), None);
    }

    #[test]
    fn rules_of_elements_and_classes_are_read_and_others_are_not() {
        let mut rules = Rules::default();
        rules.add(
            "@import 'x'; .c3, SPAN.gone { text-decoration: line-through } /* } .no { */ h1 {color:red}\n\
             @media screen { em{text-decoration-line:line-through} } p > b, a:hover {text-decoration:line-through",
        );
        let named = |element: &str, class: &str| (element.to_owned(), class.to_owned());
        assert_eq!(
            rules.0,
            [named("", "c3"), named("span", "gone"), named("em", "")]
        );
    }
}
