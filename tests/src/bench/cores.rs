//! Cores: planted ones that share a little with the next, in one component at 10; and planted ones that overlap in
//! documents, so that all are one component at the very number that each shares.

use std::ops::ControlFlow;
use std::time::Instant;

use simdex_cores::{InvertedTable, Mined, components, mine};

use super::Settings;
use crate::corpus::Random;
use crate::figure::Figures;

const DOCUMENTS: u64 = 5_000;
/// Documents of a planted core.
const CORE: u64 = 50;
const COMMON: u32 = 85;

/// Documents of the last of a core that are of the next one too.
const OF_BOTH: u64 = 10;
/// Fingerprints by which a core that overlaps the next moves on: a document of both holds 100.
const STEP: u64 = 100 - COMMON as u64;

pub(super) fn run(settings: Settings, figures: &mut Figures<'_>) -> anyhow::Result<()> {
    let documents = settings.documents.unwrap_or(DOCUMENTS);
    figures.put("documents", documents as f64, "")?;
    let apart: Vec<Vec<u64>> = (0..documents).map(image).collect();
    measure("apart", &apart, (10, CORE), figures)?;
    let overlapping: Vec<Vec<u64>> = (0..documents).map(image_of_both).collect();
    measure(
        "overlapping",
        &overlapping,
        (COMMON, CORE + OF_BOTH),
        figures,
    )
}

/// Mines images whose planted cores have a size, the first apart, which overlaps none before it; components are those
/// at a number of fingerprints.
fn measure(
    name: &str,
    images: &[Vec<u64>],
    (at, size): (u32, u64),
    figures: &mut Figures<'_>,
) -> anyhow::Result<()> {
    let started = Instant::now();
    let table = InvertedTable::from_images(images.iter().map(Vec::as_slice));
    figures.put(
        &format!("{name}: inverted"),
        started.elapsed().as_secs_f64(),
        "s",
    )?;
    let started = Instant::now();
    let parts = components(&table, at, &|| true).sets;
    figures.put(&format!("components at {at}"), parts.len() as f64, "")?;
    figures.put("found in", started.elapsed().as_secs_f64(), "s")?;
    let started = Instant::now();
    let (mut cores, mut planted) = (0u64, 0u64);
    let mined = mine(&table, COMMON, &|| true, &mut |core| {
        cores += 1;
        let documents = core.documents.len() as u64;
        planted += u64::from(documents == size || documents == CORE && core.documents[0] == 0);
        ControlFlow::Continue(())
    })?;
    figures.put("cores", cores as f64, "")?;
    let right = format!("planted: {}", images.len() as u64 / CORE);
    figures.against("of the planted size", planted as f64, "", &right)?;
    figures.put("all", f64::from(u8::from(mined == Mined::All)), "")?;
    figures.against(
        "mined in",
        started.elapsed().as_secs_f64(),
        "s",
        "target: at most 60",
    )?;
    Ok(())
}

/// 85 fingerprints of the core, of which 70 are of the next one too. The last of its documents hold those of both, 100;
/// the others 15 of their own, half of which they share with a random half of the others.
fn image_of_both(document: u64) -> Vec<u64> {
    let (core, place) = (document / CORE, document % CORE);
    let first = core * STEP;
    if place >= CORE - OF_BOTH {
        return (first..first + 100).collect();
    }
    let mut random = Random::new(43, document);
    let mut image: Vec<u64> = (first..first + u64::from(COMMON)).collect();
    for at in 0..STEP {
        let variant = random.below(2) * (1 + document);
        image.push((1 << 30) + (core << 40) + at + (variant << 4));
    }
    image
}

/// 86 fingerprints of the core, and 14 of which each is its own in half of all documents, so that members of a
/// core share a random half of these with one another; ten of the 86 are shared with the next core.
fn image(document: u64) -> Vec<u64> {
    let core = document / CORE;
    let mut random = Random::new(41, document);
    let shared = (0..10).map(|at| (core << 20) + at);
    let next = (0..10).map(|at| ((core + 1) << 20) + at);
    let own = (0..66).map(|at| (core << 20) + 100 + at);
    let mut image: Vec<u64> = shared.chain(next).chain(own).collect();
    for at in 0..14 {
        let variant = random.below(2) * (1 + document);
        image.push((core << 20) + 1_000 + at + variant * (1 << 40));
    }
    image
}
