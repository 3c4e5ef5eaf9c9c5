//! Chains of operations as people write them: a chain a line, its operations parted by semicolons.
//!
//! `reorder 30`, `delete 10`, `add 10`, `replace 0.5` take a percentage, `repeat 2 3` paragraphs and how often each,
//! `characters qk zs` pairs of a character and what it becomes, `insert 50 random` and `remove 50 uniform` how many
//! words and where these stand. Empty lines and those that begin with `#` say nothing.

use std::str::FromStr;

use anyhow::{Context, Result, bail, ensure};

use super::{Operation, Spread};

/// The default chains: every operation alone, some light and heavy, and three in a row.
pub const USUAL: &str = "\
reorder 30
reorder 100
delete 10
delete 30
add 10
add 30
replace 0.5
replace 3
repeat 2 2
characters qk zs
delete 10; replace 0.5; repeat 2 2
insert 50 random
insert 50 uniform
remove 50 random
remove 50 uniform
";

/// How many times its size a document may become.
const MOST_GROWTH: f64 = 100.0;

/// The chains of a file.
///
/// # Errors
/// The first line that is no chain or makes documents too large, and a file without any.
pub fn parse(list: &str) -> Result<Vec<Vec<Operation>>> {
    let lines = (1..).zip(list.lines().map(str::trim));
    let lines = lines.filter(|(_, line)| !line.is_empty() && !line.starts_with('#'));
    let chains: Result<Vec<_>> = lines
        .map(|(number, line)| chain(line).with_context(|| format!("line {number}")))
        .collect();
    let chains = chains?;
    ensure!(
        !chains.is_empty(),
        "no chain of operations; write one a line, such as: delete 10; replace 0.5"
    );
    Ok(chains)
}

fn chain(line: &str) -> Result<Vec<Operation>> {
    let chain: Vec<Operation> = line.split(';').map(operation).collect::<Result<_>>()?;
    let growth: f64 = chain.iter().map(growth).product();
    ensure!(
        growth <= MOST_GROWTH,
        "this makes documents {growth:.0} times as large, and {MOST_GROWTH} times is the most; repeat less often"
    );
    Ok(chain)
}

/// How many times its size a document becomes at most, of paragraphs that are alike.
fn growth(operation: &Operation) -> f64 {
    match operation {
        Operation::Repeat { times, .. } => 1.0 + *times as f64,
        Operation::Add { percent } => 1.0 + percent / 100.0,
        // "a " before words of one letter.
        Operation::Insert { .. } => 2.0,
        Operation::Reorder { .. }
        | Operation::Delete { .. }
        | Operation::Replace { .. }
        | Operation::Characters { .. }
        | Operation::Remove { .. } => 1.0,
    }
}

fn operation(written: &str) -> Result<Operation> {
    let words: Vec<&str> = written.split_whitespace().collect();
    Ok(match words[..] {
        ["reorder", percent] => Operation::Reorder {
            percent: of_all(percent)?,
        },
        ["delete", percent] => Operation::Delete {
            percent: of_all(percent)?,
        },
        ["add", percent] => Operation::Add {
            percent: of_all(percent)?,
        },
        ["replace", percent] => Operation::Replace {
            percent: of_all(percent)?,
        },
        ["repeat", paragraphs, times] => Operation::Repeat {
            paragraphs: number(paragraphs)?,
            times: number(times)?,
        },
        ["characters", ref pairs @ ..] if !pairs.is_empty() => Operation::Characters {
            pairs: pairs
                .iter()
                .map(|pair| characters(pair))
                .collect::<Result<_>>()?,
        },
        ["insert", times, spread] => Operation::Insert {
            times: number(times)?,
            spread: places(spread)?,
        },
        ["remove", times, spread] => Operation::Remove {
            times: number(times)?,
            spread: places(spread)?,
        },
        _ => bail!(
            "\"{}\" is no operation; there are reorder, delete, add and replace PERCENT, repeat PARAGRAPHS TIMES, \
             characters FROM-TO ..., insert and remove TIMES random|uniform",
            written.trim()
        ),
    })
}

fn of_all(percent: &str) -> Result<f64> {
    let value: f64 = number(percent)?;
    ensure!(
        (0.0..=100.0).contains(&value),
        "{percent} is no percentage; give 0 to 100"
    );
    Ok(value)
}

fn number<T: FromStr>(written: &str) -> Result<T> {
    written
        .parse()
        .ok()
        .with_context(|| format!("{written} is no number that this takes"))
}

fn characters(pair: &str) -> Result<(char, char)> {
    let mut characters = pair.chars();
    match (characters.next(), characters.next(), characters.next()) {
        (Some(from), Some(to), None) => Ok((from, to)),
        _ => {
            bail!("{pair} is no pair of characters; write the one and what it becomes, such as qk")
        }
    }
}

fn places(spread: &str) -> Result<Spread> {
    let all = [Spread::Random, Spread::Uniform];
    let found = all.into_iter().find(|known| known.name() == spread);
    found.with_context(|| format!("{spread} is no way to spread edits; random and uniform are"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chains_are_read() {
        let chains = parse("# two\n\ndelete 10; characters qk zs\n remove 5 uniform\n").unwrap();
        let pairs = vec![('q', 'k'), ('z', 's')];
        let first = vec![
            Operation::Delete { percent: 10.0 },
            Operation::Characters { pairs },
        ];
        let second = vec![Operation::Remove {
            times: 5,
            spread: Spread::Uniform,
        }];
        assert_eq!(chains, [first, second]);
        assert_eq!(parse(USUAL).unwrap().len(), USUAL.lines().count());
    }

    #[test]
    fn what_is_no_chain_is_told_with_its_line() {
        for (list, said) in [
            (
                "delete 10\nshuffle 3",
                "line 2: \"shuffle 3\" is no operation",
            ),
            ("delete 101", "line 1: 101 is no percentage"),
            ("delete NaN", "line 1: NaN is no percentage"),
            ("repeat 1 x", "line 1: x is no number"),
            ("characters qkz", "line 1: qkz is no pair"),
            ("insert 3 often", "line 1: often is no way"),
            (
                "repeat 2 1000000000000",
                "line 1: this makes documents 1000000000001 times as large, and 100 times is the most",
            ),
            (
                "repeat 1 50; delete 10; repeat 1 50",
                "line 1: this makes documents 2601 times as large",
            ),
            ("# nothing", "no chain of operations"),
        ] {
            let error = format!("{:#}", parse(list).unwrap_err());
            assert!(error.starts_with(said), "{error}");
        }
    }
}
