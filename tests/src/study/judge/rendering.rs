//! When is rendering worth its cost? Huffman et al. 2007, §3.1, leave it open: rendering dominates all other costs, and
//! most pages are shown as they are fetched.
//!
//! A page is rendered here where its fetched body is short or speaks of frames, and is taken as it was fetched elsewhere:
//! F1 and the share of pages rendered, beside none and all.

use anyhow::Result;
use simdex_judge::Caveats;
use simdex_judge::evaluation::{SourcedPair, nine_seeds};
use simdex_judge::training::{Growth, LabelledSignals};

use super::columns::both;
use super::{of_texts, tenth};
use crate::figure::Figures;
use crate::labelled::{Body, Document, LabelledPair};

/// Bytes of a fetched canonical text below which it is short.
const SHORT: [usize; 4] = [0, 500, 1_000, 2_000];

/// F1 and pages rendered by each rule.
pub(super) fn worth(pairs: &[LabelledPair], figures: &mut Figures<'_>) -> Result<()> {
    let candidates: Vec<&LabelledPair> = both(pairs).iter().map(|of| of.pair).collect();
    row("rendered: no page", &candidates, &|_| false, figures)?;
    for short in SHORT {
        let name = match short {
            0 => "rendered: pages that speak of frames".to_owned(),
            short => format!("rendered: those, and pages below {short} bytes"),
        };
        let is_rendered = |document: &Document| is_worth_it(document, short);
        row(&name, &candidates, &is_rendered, figures)?;
    }
    row("rendered: every page", &candidates, &|_| true, figures)
}

fn is_worth_it(document: &Document, short: usize) -> bool {
    let fetched = document.text(Body::Fetched).canonical();
    fetched.as_bytes().len() < short || fetched.as_str().contains("frames")
}

fn row(
    name: &str,
    pairs: &[&LabelledPair],
    is_rendered: &dyn Fn(&Document) -> bool,
    figures: &mut Figures<'_>,
) -> Result<()> {
    let mut rendered = 0_u32;
    let mut measured = |pair: &&LabelledPair| {
        let bodies = pair.documents.each_ref().map(|document| {
            let is_rendered = is_rendered(document);
            rendered += u32::from(is_rendered);
            if is_rendered {
                Body::Shown
            } else {
                Body::Fetched
            }
        });
        SourcedPair {
            pair: LabelledSignals {
                values: pair.values_of(bodies),
                class: pair.class,
            },
            source: pair.source,
            caveats: Caveats::default(),
        }
    };
    let sourced: Vec<SourcedPair> = pairs.iter().map(&mut measured).collect();
    let runs = nine_seeds(&sourced, &Growth::of(of_texts()), &|| true)?;
    let quality = runs.first().map(|run| run.quality).unwrap_or_default();
    let share = f64::from(rendered) / (2 * pairs.len().max(1)) as f64;
    let columns = [
        ("P", tenth(100.0 * quality.precision()), ""),
        ("R", tenth(100.0 * quality.recall()), ""),
        ("F", tenth(100.0 * quality.f1()), ""),
        ("pages rendered", tenth(100.0 * share), "%"),
    ];
    Ok(figures.row(name, &columns)?)
}
