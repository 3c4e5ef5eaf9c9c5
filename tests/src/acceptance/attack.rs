//! The findings of an attack, in 18 lines: each weakness has its tests, and trials of its own against the
//! real programs.
//!
//! [`table`] is the list. A test elsewhere must be there; `--bin acceptance -- attack` also runs it.
//! Trials are run always. `SIMDEX_ATTACK_LINES=3,17` runs those lines alone.

mod doors;
mod machine;
mod roots;
mod table;
mod texts;

use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Result, ensure};

use self::table::{Proof, lines};
use super::named::{self, Programs};
use super::{NamedTests, Verdict};
use crate::figure::Figures;

pub(super) fn run(tests: NamedTests, figures: &mut Figures<'_>) -> Result<()> {
    let programs = match tests {
        NamedTests::Exist => None,
        NamedTests::Run => Some(Programs::build()?),
    };
    let mut wrong = Vec::new();
    let (mut proofs, mut skipped) = (0.0, 0.0);
    let asked = std::env::var("SIMDEX_ATTACK_LINES").ok();
    let is_requested = |number: u32| {
        let is_it = |word: &str| word.trim().parse() == Ok(number);
        asked
            .as_ref()
            .is_none_or(|asked| asked.split(',').any(is_it))
    };
    for line in lines().filter(|line| is_requested(line.number)) {
        for proof in line.proofs {
            let verdict = verdict(proof, programs.as_ref());
            let said = match &verdict {
                Ok(Verdict::Holds) => held(proof, tests).to_owned(),
                Ok(Verdict::Skipped(reason)) => reason.clone(),
                Err(error) => format!("DOES NOT HOLD: {error:#}"),
            };
            let at = format!("{:>2}  {:<44} {proof}", line.number, line.weakness);
            figures.note(&format!("{at}: {said}"))?;
            proofs += 1.0;
            skipped += f64::from(u8::from(matches!(verdict, Ok(Verdict::Skipped(_)))));
            wrong.extend(verdict.is_err().then(|| format!("{at}: {said}")));
        }
    }
    figures.put("proofs", proofs, "")?;
    figures.put("proofs skipped", skipped, "")?;
    let listed = wrong.join("\n");
    ensure!(wrong.is_empty(), "{} do not hold:\n{listed}", wrong.len());
    Ok(())
}

fn verdict(proof: &Proof, programs: Option<&Programs>) -> Result<Verdict> {
    match (proof, programs) {
        (Proof::Trial(_, run), _) => run(),
        (Proof::Test(file, name), None) => named::exists(file, name).map(|()| Verdict::Holds),
        (Proof::Test(file, name), Some(programs)) => {
            named::exists(file, name)?;
            programs.run(file, name)
        }
    }
}

fn held(proof: &Proof, tests: NamedTests) -> &'static str {
    match (proof, tests) {
        (Proof::Test(..), NamedTests::Exist) => "is there",
        _ => "holds",
    }
}

/// Longer than anything here takes to come about; what has not by then never does.
const MAX_WAIT: Duration = Duration::from_secs(90);
const PAUSE: Duration = Duration::from_millis(200);

/// Waits until `seen` says so; the last thing it said, where it never does.
fn eventually(what: &str, mut seen: impl FnMut() -> Result<Option<String>>) -> Result<()> {
    let until = Instant::now() + MAX_WAIT;
    while let Some(last) = seen()? {
        anyhow::ensure!(Instant::now() < until, "{what}: {last}");
        thread::sleep(PAUSE);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_line_of_the_attack_has_a_proof() {
        let numbers: Vec<u32> = lines().map(|line| line.number).collect();
        assert_eq!(numbers, (1..=18).collect::<Vec<_>>());
        for line in lines() {
            assert!(!line.proofs.is_empty(), "{}", line.number);
        }
    }
}
