//! Ignatov, Jánosi-Rancz and Kuznetsov 2009, Table 4: the time that miners take, by how much of the collection
//! there is and by how many units must be in common. The time of the stages before is printed beside it.
//!
//! The collection is of versions of real policies: all of them, half, a quarter, a fifth, a tenth and a twentieth, taken
//! throughout. Images
//! are the paper's `b_1_20_s_100`: 100 smallest units of 20-word shingles. Every table is written in FIMI
//! format, read back and mined from that.

use std::io::BufReader;
use std::ops::ControlFlow;
use std::time::{Duration, Instant};

use anyhow::{Result, ensure};
use simdex_cores::fp_max::fp_max;
use simdex_cores::{Core, InvertedTable, Mined, fimi, mine};
use simdex_signature::laboratory::{Method, Order, Recipe, ShingleUnit, Shingling, Signer};

use super::{SEED, Text, draw, series, texts};
use crate::figure::Figures;
use crate::study::Settings;

/// A miner that is not done by then is cut off.
const MAX_WAIT: Duration = Duration::from_secs(120);

const LENGTH: u32 = 100;

pub(crate) fn run(settings: &Settings, figures: &mut Figures<'_>) -> Result<()> {
    let all = texts(settings, "versions", "md")?;
    let mut lines = Vec::new();
    for step in [20, 10, 5, 4, 2, 1] {
        let some: Vec<&Text> = all.iter().step_by(step).collect();
        let table = table(&some, figures)?;
        let (mut own, mut theirs) = (Vec::new(), Vec::new());
        for common in [100, 95, 90, 85] {
            let (time, rival) = mined(&table, some.len(), common, figures)?;
            own.push((f64::from(common), time));
            theirs.push((f64::from(common), rival));
        }
        lines.push(series(format!("{} documents", some.len()), own));
        lines.push(series(format!("{} documents, FPmax", some.len()), theirs));
    }
    figures.note("the paper, n1-6 / n1-12 / n1-24: FPmax* 2 to 5 s, 3 to 26 s, 16 to 1,711 s; Apriori and Eclat failed")?;
    draw(
        settings,
        "ignatov-table4",
        "Seconds by units in common, of 100",
        ("units in common", "seconds"),
        lines,
    )
}

/// Signs, inverts, writes and reads back; each stage timed.
fn table(some: &[&Text], figures: &mut Figures<'_>) -> Result<InvertedTable> {
    let signer = Signer::new(Recipe {
        method: Method::MinN {
            n: LENGTH,
            order: Order::Matrix { seed: SEED },
        },
        shingling: Shingling::new(ShingleUnit::Words, 20, 1)?,
    })?;
    let started = Instant::now();
    let sign = |text: &&Text| signer.sign(&text.text).units();
    let units = some.iter().map(sign);
    let images: Vec<Vec<u64>> = units
        .map(|units| units.into_iter().map(|unit| unit.0).collect())
        .collect();
    let signed = started.elapsed();
    let table = InvertedTable::from_images(images.iter().map(Vec::as_slice));
    let inverted = started.elapsed();
    let mut written = Vec::new();
    fimi::write_table(&table, &mut written)?;
    let read = fimi::read_table(&mut BufReader::new(written.as_slice()))?;
    ensure!(
        read.rows().eq(table.rows()),
        "the table was not read back as it was written"
    );
    let exchanged = started.elapsed();
    let columns = [
        ("units", table.rows().len() as f64, ""),
        ("signed in", signed.as_secs_f64(), "s"),
        ("inverted in", (inverted - signed).as_secs_f64(), "s"),
        (
            "written and read in",
            (exchanged - inverted).as_secs_f64(),
            "s",
        ),
        ("file", written.len() as f64 / 1e6, "MB"),
    ];
    figures.row(&format!("{} documents", some.len()), &columns)?;
    Ok(read)
}

/// Seconds that each miner took; those that end agree.
fn mined(
    table: &InvertedTable,
    documents: usize,
    common: u32,
    figures: &mut Figures<'_>,
) -> Result<(f64, f64)> {
    let started = Instant::now();
    let go_on = || started.elapsed() < MAX_WAIT;
    let mut own: Vec<Core> = Vec::new();
    let ended = mine(table, common, &go_on, &mut |core| {
        own.push(core);
        ControlFlow::Continue(())
    })?;
    let time = started.elapsed().as_secs_f64();
    let started = Instant::now();
    let go_on = || started.elapsed() < MAX_WAIT;
    let (mut theirs, rival_ended) = fp_max(table, common, &go_on);
    let rival = started.elapsed().as_secs_f64();
    own.sort();
    theirs.sort();
    let all = |mined| if mined == Mined::All { 1.0 } else { 0.0 };
    if (ended, rival_ended) == (Mined::All, Mined::All) {
        ensure!(own == theirs, "the miners differ at {common}");
    }
    let most = own.iter().map(|core| core.documents.len()).max();
    let columns = [
        ("cores", own.len() as f64, ""),
        ("largest", most.unwrap_or(0) as f64, ""),
        ("seconds", time, ""),
        ("all", all(ended), ""),
        ("FPmax seconds", rival, ""),
        ("all", all(rival_ended), ""),
    ];
    figures.row(&format!("{documents} documents, {common} common"), &columns)?;
    Ok((time, rival))
}
