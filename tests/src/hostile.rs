//! The hostile hour: a real daemon on real folders, under a random mix of everything that an attack
//! tried, the same for the same seed.
//!
//! Time is cut into rounds. In each the daemon is started under some shortage (descriptors, memory, or
//! none), and is subjected to [`acts`]: files, folders and links that change places, roots that are moved
//! away, stores through mapped pages, full disks, greedy clients ([`greedy`]), kills. Then all is put
//! back, and what the live daemon says must equal what a fresh scan of the same folders says: files,
//! states, pairs, groups. Between rounds it is stopped or killed, and at times an older `text/` is
//! put in the place of its own.

mod acts;
mod greedy;
mod mapped;
mod world;

use std::time::{Duration, Instant};

use anyhow::Result;

use self::world::World;
use crate::corpus::Random;
use crate::figure::Figures;

/// How long a round is hostile.
const ROUND: Duration = Duration::from_secs(20);
/// The run ends after this many findings.
const FINDINGS: usize = 20;

/// What is to be done.
#[derive(Clone, Debug)]
pub struct Order {
    /// For how long.
    pub time: Duration,
    /// Of all random numbers. What threads and the kernel do in between is not repeated.
    pub seed: u64,
    /// Acts and shortages that are left out, by the names in the figures.
    pub without: Vec<String>,
}

impl Order {
    /// Runs it and prints its figures; what was found, a text each.
    ///
    /// # Errors
    /// Where the trial itself cannot go on.
    pub fn run(self, figures: &mut Figures<'_>) -> Result<Vec<String>> {
        let started = Instant::now();
        let mut random = Random::new(self.seed, 9);
        let mut world = World::new(self.seed, &self.without, figures)?;
        let (mut findings, mut round) = (Vec::new(), 0);
        while started.elapsed() < self.time && findings.len() < FINDINGS {
            round += 1;
            let left = self.time.saturating_sub(started.elapsed());
            let played = world.play(&mut random, left.min(ROUND));
            let last = world.take_acts();
            match played {
                Ok(counts) => figures.row(&format!("round {round}"), &counts.columns())?,
                Err(error) => {
                    let seed = self.seed;
                    let found = format!("seed {seed}, round {round}, after {last}: {error:#}");
                    figures.note(&format!("FOUND: {found}"))?;
                    findings.push(found);
                    world = world.anew(self.seed + round, figures)?;
                }
            }
        }
        for (act, count) in world.counted() {
            figures.put(act, f64::from(*count), "times")?;
        }
        figures.put("rounds", round as f64, "")?;
        figures.put("findings", findings.len() as f64, "")?;
        Ok(findings)
    }
}
