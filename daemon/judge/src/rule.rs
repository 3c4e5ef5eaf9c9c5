//! The rule that fired: the conjunction of the tests on the way to a leaf.

use std::fmt;

use crate::signal::Signal;

/// The bounds of the signals on the way to a leaf, and the number of that leaf.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Rule {
    /// The number of the leaf in its model, from 1.
    pub number: u32,
    /// Bounds in the order in which signals were first asked for.
    bounds: Vec<Bounds>,
}

/// A signal is above `above` and at most `most`.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Bounds {
    signal: Signal,
    above: Option<f64>,
    most: Option<f64>,
}

impl Rule {
    /// Adds the outcome of one test: the signal is at most the threshold, or above it. A later test of the same signal
    /// can only narrow the bounds.
    pub(crate) fn add(&mut self, signal: Signal, threshold: f64, is_at_most: bool) {
        let known = self
            .bounds
            .iter()
            .position(|bounds| bounds.signal == signal);
        let at = known.unwrap_or_else(|| {
            self.bounds.push(Bounds {
                signal,
                above: None,
                most: None,
            });
            self.bounds.len() - 1
        });
        match is_at_most {
            true => self.bounds[at].most = Some(threshold),
            false => self.bounds[at].above = Some(threshold),
        }
    }
}

impl fmt::Display for Rule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.bounds.is_empty() {
            return f.write_str("always");
        }
        for (
            at,
            Bounds {
                signal,
                above,
                most,
            },
        ) in self.bounds.iter().enumerate()
        {
            if at > 0 {
                f.write_str(" and ")?;
            }
            let name = signal.name();
            match (above, most) {
                (Some(above), Some(most)) => write!(f, "{above} < {name} <= {most}")?,
                (Some(above), None) => write!(f, "{name} > {above}")?,
                (_, most) => write!(f, "{name} <= {}", most.unwrap_or(f64::INFINITY))?,
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tests_of_one_signal_become_one_interval() {
        let mut rule = Rule::default();
        assert_eq!(rule.to_string(), "always");
        rule.add(Signal::Resemblance, 0.4, false);
        rule.add(Signal::Mcd, 0.125, true);
        rule.add(Signal::Resemblance, 0.9, true);
        rule.add(Signal::Resemblance, 0.5, false);
        assert_eq!(
            rule.to_string(),
            "0.5 < resemblance <= 0.9 and mcd <= 0.125"
        );
    }
}
