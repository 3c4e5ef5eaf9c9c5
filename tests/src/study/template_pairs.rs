//! Short documents of one template: near-duplicate pairs with the template and without it.
//!
//! Cherkasova et al. 2009, §5: of 61 pairs of short notes that Mod_100 called similar 13 were false, all short,
//! by what their template shared. Here pairs are counted on all shingles, so that no sampling has a part in it.
//! Of generated forms the truth is known by how they were made: two are near-duplicates where what was filled
//! in is. Of real notes the pairs are counted alone. A template is what ten documents of the collection hold.

use std::collections::{BTreeSet, HashSet};

use anyhow::Result;
use simdex_proto::text::template_line;
use simdex_signature::{CanonicalText, LineKey, ShingleSet, SignedText, TemplateLines, Window};
use simdexd::read_side::templates::finder::{Sketching, Unit, UnitKind};
use simdexd::read_side::templates::key_of;

use super::Settings;
use super::papers::originals;
use crate::corpus::Random;
use crate::figure::Figures;
use crate::labelled::Prose;

const THRESHOLD: f64 = 0.8;
/// Documents that hold a template.
const LEAST: u32 = 10;
/// Generated forms; every fifth is revised.
const FORMS: u64 = 200;

/// Two texts by their places.
pub(crate) type Pair = (usize, usize);

pub(super) fn run(settings: &Settings, figures: &mut Figures<'_>) -> Result<()> {
    let (forms, truth) = forms();
    let (before, after) = measured("generated forms", &forms, figures)?;
    for (name, pairs) in [("with the template", &before), ("without", &after)] {
        let false_pairs = pairs.difference(&truth).count() as f64;
        let missed = truth.difference(pairs).count() as f64;
        let columns = [
            ("pairs", pairs.len() as f64, ""),
            ("true", truth.len() as f64, ""),
            ("false", false_pairs, ""),
            ("missed", missed, ""),
        ];
        figures.row(&format!("generated forms, {name}"), &columns)?;
    }
    for folder in ["short/cpp-docs", "short/rustsec"] {
        let Ok(texts) = originals(settings, folder, "md") else {
            figures.note(&format!("{folder} is not here: left out"))?;
            continue;
        };
        let texts: Vec<String> = texts.into_iter().map(|text| text.text).collect();
        measured(folder, &texts, figures)?;
    }
    Ok(figures.note("the paper: 13 of 61 pairs false; goal without the template: at most 1")?)
}

/// The near-duplicate pairs of texts as they are, and with their templates left out.
fn measured(
    name: &str,
    texts: &[String],
    figures: &mut Figures<'_>,
) -> Result<(BTreeSet<Pair>, BTreeSet<Pair>)> {
    let templates = templates(texts)?;
    let cut: Vec<String> = texts.iter().map(|text| without(text, &templates)).collect();
    let (before, after) = (pairs(texts), pairs(&cut));
    let canonical = |text: &String| CanonicalText::from_extracted(text).into_string();
    let whole: Vec<String> = texts.iter().map(canonical).collect();
    let bytes = |texts: &[String]| texts.iter().map(String::len).sum::<usize>() as f64;
    let columns = [
        ("documents", texts.len() as f64, ""),
        ("template lines", templates.len() as f64, ""),
        ("share of bytes", 1.0 - bytes(&cut) / bytes(&whole), ""),
        ("pairs before", before.len() as f64, ""),
        ("after", after.len() as f64, ""),
    ];
    figures.row(name, &columns)?;
    Ok((before, after))
}

/// The lines of all templates.
fn templates(texts: &[String]) -> Result<TemplateLines> {
    let of_lines = |text: &String| text.lines().filter_map(key_of).map(Unit::from).collect();
    let lines: Vec<Vec<Unit>> = texts.iter().map(of_lines).collect();
    let mut sketching = Sketching::new(texts.len(), LEAST);
    lines.iter().for_each(|lines| sketching.add(lines));
    let mut counting = sketching.finish();
    (0..)
        .zip(&lines)
        .for_each(|(at, lines)| counting.add((at, at), UnitKind::Line, lines));
    let blocks = counting.finish(usize::MAX).0;
    let keys: HashSet<LineKey> = blocks.into_iter().flat_map(|block| block.lines).collect();
    let recurs = |line: &&str| key_of(line).is_some_and(|key| keys.contains(&key));
    let lines = texts.iter().flat_map(|text| text.lines().filter(recurs));
    let list: String = lines.map(|line| template_line(line) + "\n").collect();
    Ok(TemplateLines::parse(&list)?)
}

/// A text without its templates, as the index leaves them out.
fn without(text: &str, templates: &TemplateLines) -> String {
    let canonical = CanonicalText::from_extracted(text);
    SignedText::of(&canonical, templates).as_str().to_owned()
}

/// Pairs whose resemblance reaches the threshold, counted on all shingles.
pub(super) fn pairs(texts: &[String]) -> BTreeSet<Pair> {
    let set =
        |text: &String| ShingleSet::new(&CanonicalText::from_extracted(text), Window::DEFAULT);
    let sets: Vec<ShingleSet> = texts.iter().map(set).collect();
    let mut found = BTreeSet::new();
    for (b, of_b) in sets.iter().enumerate() {
        for (a, of_a) in sets[..b].iter().enumerate() {
            let (smaller, larger) = (of_a.len().min(of_b.len()), of_a.len().max(of_b.len()));
            if (smaller as f64) < THRESHOLD * larger as f64 || smaller == 0 {
                continue;
            }
            let shared = of_a.count_shared(of_b, || Ok::<(), std::convert::Infallible>(()));
            let Ok(shared) = shared;
            let either = (smaller + larger) as f64 - shared as f64;
            if shared as f64 >= THRESHOLD * either {
                found.insert((a, b));
            }
        }
    }
    found
}

/// Support notes of 600 bytes of template and 40 to 160 of their own, and the pairs of which one revises the other.
pub(crate) fn forms() -> (Vec<String>, BTreeSet<Pair>) {
    filled_in(|number| {
        let mut random = Random::new(2009, number);
        let words = 8 + random.below(24);
        let word = |_| format!("{:04x}", random.below(1 << 16));
        (0..words).map(word).collect()
    })
}

/// Support notes of the same template with a sentence or two of their own, without a digit, in place of numbers.
pub(super) fn forms_of_prose() -> (Vec<String>, BTreeSet<Pair>) {
    filled_in(|number| {
        let mut prose = Prose::new(2009, number);
        let sentences = 1 + prose.random().below(2);
        let own = prose.paragraph(sentences);
        let words = own.split_whitespace().map(str::to_owned);
        words
            .filter(|word| !word.contains(|letter: char| letter.is_ascii_digit()))
            .collect()
    })
}

fn filled_in(own: impl Fn(u64) -> Vec<String>) -> (Vec<String>, BTreeSet<Pair>) {
    let (mut forms, mut truth) = (Vec::new(), BTreeSet::new());
    for number in 0..FORMS {
        let mut own = own(number);
        forms.push(form(&own));
        if number % 5 == 0 {
            own.push("again".to_owned());
            truth.insert((forms.len() - 1, forms.len()));
            forms.push(form(&own));
        }
    }
    (forms, truth)
}

fn form(own: &[String]) -> String {
    let own = own.join(" ");
    format!(
        "SUPPORT NOTE FOR PARTNERS OF EXAMPLE LIMITED\n\
         This note is provided as is, without warranty of any kind, express or implied.\n\
         Products concerned: see the list of products at the end of this note.\n\
         Problem reported by the customer:\n\
         {own}\n\
         Please contact your local representative before you apply what this note describes.\n\
         Example Limited may change or withdraw this note at any time and without notice.\n\
         Before you apply a fix make a full backup of the system, its database and its logs.\n\
         Copyright Example Limited. All rights reserved. Do not distribute beyond your company.\n"
    )
}
