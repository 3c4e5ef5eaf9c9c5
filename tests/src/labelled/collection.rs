//! A small collection whose pairs are labelled by hand: versions of contracts, and letters of forms.

use anyhow::Result;

use super::{Prose, Tongue};
use crate::sandbox::Sandbox;

/// Contracts, and forms: each makes one pair.
pub const FAMILIES: u64 = 14;

/// Writes two versions of each contract, and two letters of each form.
///
/// # Errors
/// A file cannot be written.
pub fn write(sandbox: &Sandbox) -> Result<()> {
    for family in 0..FAMILIES {
        let mut prose = Prose::new(11, family);
        let mut parts = prose.paragraphs(14);
        sandbox.write(format!("contract-{family}-1.txt"), parts.join("\n\n"))?;
        parts[3] = prose.paragraph(3);
        sandbox.write(format!("contract-{family}-2.txt"), parts.join("\n\n"))?;
        for copy in [1, 2] {
            sandbox.write(format!("form-{family}-{copy}.txt"), form(family, copy))?;
        }
    }
    Ok(())
}

/// Foreign contracts.
const FOREIGN: u64 = 6;

/// Writes two versions of some contracts in a language of which no word is listed.
///
/// # Errors
/// A file cannot be written.
pub fn write_foreign(sandbox: &Sandbox) -> Result<()> {
    for family in 0..FOREIGN {
        let mut prose = Prose::new(14, family);
        let mut parts = prose.paragraphs(14);
        for version in [1, 2] {
            let text = Tongue::Unlisted.written(&parts.join("\n\n"));
            sandbox.write(format!("contract-foreign-{family}-{version}.txt"), text)?;
            parts[3] = prose.paragraph(3);
        }
    }
    Ok(())
}

/// A short letter of which only names and numbers differ.
fn form(family: u64, copy: u64) -> String {
    let mut letter = Prose::new(12, family);
    let [first, last] = [letter.paragraph(3), letter.paragraph(3)];
    let mut entry = Prose::new(13, 2 * family + copy);
    let (name, town, number) = (entry.name(), entry.name(), entry.number(8));
    format!("Dear {name} of {town},\n\n{first}\n\nAccount: {number}\n\n{last}\n")
}
