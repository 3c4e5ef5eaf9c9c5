//! Cores: planted ones in one component, and pairs that share a little less than enough.

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

pub(super) fn run(settings: Settings, figures: &mut Figures<'_>) -> anyhow::Result<()> {
    let documents = settings.documents.unwrap_or(DOCUMENTS);
    let images: Vec<Vec<u64>> = (0..documents).map(image).collect();
    let started = Instant::now();
    let table = InvertedTable::from_images(images.iter().map(Vec::as_slice));
    figures.put("inverted", started.elapsed().as_secs_f64(), "s")?;
    let started = Instant::now();
    let parts = components(&table, 10, &|| true).sets;
    figures.put("components at 10", parts.len() as f64, "")?;
    figures.put("found in", started.elapsed().as_secs_f64(), "s")?;
    let started = Instant::now();
    let (mut cores, mut planted) = (0u64, 0u64);
    let mined = mine(&table, COMMON, &|| true, &mut |core| {
        cores += 1;
        planted += u64::from(core.documents.len() as u64 == CORE);
        ControlFlow::Continue(())
    })?;
    figures.put("documents", documents as f64, "")?;
    figures.put("cores", cores as f64, "")?;
    let right = format!("planted: {}", documents / CORE);
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
