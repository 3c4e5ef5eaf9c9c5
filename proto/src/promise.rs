//! How rarely an answer lacks something that was asked for, as JSON and in words.

use serde::{Deserialize, Serialize};

use crate::v1;

/// The promise of an answer about what it does not list. It covers sampling only;
/// [`Completeness`](crate::completeness::Completeness) covers what the index lacks.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Promise {
    /// The scheme that found the results; empty if nothing was compared, since equal bytes or text are found by a hash.
    pub scheme: String,
    /// The least ratio listed, for which the promise is made.
    pub threshold: f64,
    /// A match at exactly the threshold is missed with at most this probability, a better one less often; `None` if
    /// nothing is promised.
    pub missed_at_most: Option<f64>,
    /// Why nothing is promised.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub none: Option<NoPromise>,
}

/// Why an answer makes no promise.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum NoPromise {
    /// The results were judged by estimates.
    Estimates,
    /// Candidates were not verified.
    Unverified,
    /// A match may share none of the fingerprints that were looked up.
    NoneShared,
    /// Versions were followed from one to the next, so that one miss may hide others.
    Steps,
    /// No ratio was estimated or counted: only files with equal bytes or equal text are found, by a hash.
    NothingCompared,
}

impl Promise {
    /// A promise that a match at the threshold is missed with at most this probability; no promise if missing it is
    /// certain or nearly certain.
    pub fn new(scheme: &str, threshold: f64, missed_at_most: f64) -> Self {
        match tenths_of_percent(missed_at_most) < 1_000.0 {
            true => Self {
                scheme: scheme.to_owned(),
                threshold,
                missed_at_most: Some(missed_at_most),
                none: None,
            },
            false => Self::nothing(scheme, threshold, NoPromise::NoneShared),
        }
    }

    /// No promise, for the given reason.
    pub fn nothing(scheme: &str, threshold: f64, why: NoPromise) -> Self {
        Self {
            scheme: scheme.to_owned(),
            threshold,
            missed_at_most: None,
            none: Some(why),
        }
    }
}

/// A probability in tenths of a percent, rounded up.
fn tenths_of_percent(probability: f64) -> f64 {
    (probability * 1_000.0).ceil()
}

impl Promise {
    /// The promise in words: `found by mod_n: a match at exactly 0.8 is missed with a probability of at most 0.1 %, a
    /// better one less often`, of what is indexed unless the index is complete.
    pub fn sentence(&self, is_complete: bool) -> String {
        let Self {
            scheme, threshold, ..
        } = self;
        if self.none == Some(NoPromise::NothingCompared) {
            return "found by equal bytes or equal text alone: files that only resemble it are not listed".to_owned();
        }
        let Some(missed) = self.missed_at_most else {
            let why = self.why_none();
            return format!("found by {scheme}: there is no bound on what is missed{why}");
        };
        let percent = tenths_of_percent(missed) / 10.0;
        let basis = if is_complete {
            ""
        } else {
            "of what is indexed, "
        };
        format!(
            "found by {scheme}: {basis}a match at exactly {threshold} is missed with a probability of at most \
             {percent} %, a better one less often"
        )
    }

    fn why_none(&self) -> &'static str {
        match self.none {
            Some(NoPromise::Estimates) => ", since these are estimates",
            Some(NoPromise::Unverified) => ", since candidates were not verified",
            Some(NoPromise::NoneShared) => {
                ", since a match may share none of the fingerprints that were looked up"
            }
            Some(NoPromise::Steps) => {
                ", since missing one version may hide those reached through it"
            }
            // The first has a sentence of its own; no reason at all is sent by a newer daemon.
            Some(NoPromise::NothingCompared) | None => "",
        }
    }
}

impl From<&v1::Promise> for Promise {
    fn from(wire: &v1::Promise) -> Self {
        Self {
            scheme: wire.scheme.clone(),
            threshold: wire.threshold,
            missed_at_most: wire.missed_at_most,
            none: match wire.none() {
                v1::NoPromise::Unspecified => None,
                v1::NoPromise::Estimates => Some(NoPromise::Estimates),
                v1::NoPromise::Unverified => Some(NoPromise::Unverified),
                v1::NoPromise::NoneShared => Some(NoPromise::NoneShared),
                v1::NoPromise::Steps => Some(NoPromise::Steps),
                v1::NoPromise::NothingCompared => Some(NoPromise::NothingCompared),
            },
        }
    }
}

impl From<Promise> for v1::Promise {
    fn from(promise: Promise) -> Self {
        let none = promise.none.map(|why| match why {
            NoPromise::Estimates => v1::NoPromise::Estimates,
            NoPromise::Unverified => v1::NoPromise::Unverified,
            NoPromise::NoneShared => v1::NoPromise::NoneShared,
            NoPromise::Steps => v1::NoPromise::Steps,
            NoPromise::NothingCompared => v1::NoPromise::NothingCompared,
        });
        Self {
            scheme: promise.scheme,
            threshold: promise.threshold,
            missed_at_most: promise.missed_at_most,
            none: none.unwrap_or_default().into(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_promise_is_said_in_one_sentence_and_never_rounded_down() {
        let said = |missed| Promise::new("mod_n", 0.8, missed).sentence(true);
        let percent = |percent| {
            format!(
                "found by mod_n: a match at exactly 0.8 is missed with a probability of at most {percent} %, a better one less often"
            )
        };
        assert_eq!(said(0.001), percent("0.1"));
        assert_eq!(said(0.001 + 6e-9), percent("0.2"));
        assert_eq!(said(0.0304), percent("3.1"));
        assert_eq!(said(0.9989), percent("99.9"));
        assert_eq!(said(0.999_6), said(1.0), "100 % bounds nothing");
        let none = "found by mod_n: there is no bound on what is missed, \
                    since a match may share none of the fingerprints that were looked up";
        assert_eq!(said(1.0), none);
        let by_hash = Promise::nothing("", 0.8, NoPromise::NothingCompared).sentence(true);
        let only_equal =
            "found by equal bytes or equal text alone: files that only resemble it are not listed";
        assert_eq!(by_hash, only_equal);
        let partly = Promise::new("mod_n", 0.8, 0.001).sentence(false);
        assert!(partly.contains(": of what is indexed, a match at exactly 0.8 is missed"));
    }

    #[test]
    fn a_promise_survives_the_wire_and_its_json_says_why_there_is_none() {
        let whys = [
            (NoPromise::Estimates, "estimates"),
            (NoPromise::Unverified, "unverified"),
            (NoPromise::NoneShared, "none-shared"),
            (NoPromise::Steps, "steps"),
            (NoPromise::NothingCompared, "nothing-compared"),
        ];
        for (why, name) in whys {
            let promise = Promise::nothing("min_n", 0.5, why);
            let json = format!(
                r#"{{"scheme":"min_n","threshold":0.5,"missed_at_most":null,"none":"{name}"}}"#
            );
            assert_eq!(serde_json::to_string(&promise).unwrap(), json);
            assert_eq!(Promise::from(&v1::Promise::from(promise.clone())), promise);
        }
        let promise = Promise::new("bsw_n", 0.5, 0.001);
        let json = r#"{"scheme":"bsw_n","threshold":0.5,"missed_at_most":0.001}"#;
        assert_eq!(serde_json::to_string(&promise).unwrap(), json);
        assert_eq!(Promise::from(&v1::Promise::from(promise.clone())), promise);
    }
}
