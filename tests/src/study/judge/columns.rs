//! Tables whose columns are signals of either body: all rows on one set of pairs, those that a question would bring up by
//! what is shown, so that groups differ by what they measure and not by what they are measured on.

use anyhow::Result;
use simdex_judge::evaluation::{SourcedPair, Validated, nine_seeds};
use simdex_judge::measure::Values;
use simdex_judge::training::{Growth, LabelledSignals};
use simdex_judge::{Caveats, Signal};

use crate::labelled::{Body, LabelledPair, measured};

/// A signal of one body.
pub(super) type Column = (Body, Signal);

/// A pair with the signals of both bodies.
pub(super) struct Measured<'a> {
    pub(super) pair: &'a LabelledPair,
    shown: Values,
    fetched: Values,
}

impl Measured<'_> {
    fn get(&self, (body, signal): Column) -> Option<f64> {
        match body {
            Body::Shown => self.shown.get(signal),
            Body::Fetched => self.fetched.get(signal),
        }
    }
}

/// The pairs that a question would bring up by what is shown, with the signals of both bodies.
pub(super) fn both(pairs: &[LabelledPair]) -> Vec<Measured<'_>> {
    let with_fetched = |(pair, shown): (_, SourcedPair)| {
        let pair: &LabelledPair = pair;
        Measured {
            pair,
            shown: shown.pair.values,
            fetched: pair.values_of([Body::Fetched; 2]),
        }
    };
    let shown = measured(pairs, Body::Shown).into_iter();
    shown.map(with_fetched).collect()
}

/// A cross-validation with these columns, at most as many as there are signals, all of them at once.
pub(super) fn validated(pairs: &[Measured<'_>], columns: &[Column]) -> Result<Vec<Validated>> {
    let packed = |of: &Measured<'_>| {
        let mut values = Values::unknown();
        // A tree knows a value by its place alone.
        let places = values.0.iter_mut().zip(columns);
        places.for_each(|(value, column)| *value = of.get(*column));
        SourcedPair {
            pair: LabelledSignals {
                values,
                class: of.pair.class,
            },
            source: of.pair.source,
            caveats: Caveats::default(),
        }
    };
    let packed: Vec<SourcedPair> = pairs.iter().map(packed).collect();
    let growth = Growth {
        staged: false,
        ..Growth::of(Signal::ALL[..columns.len()].to_vec())
    };
    Ok(nine_seeds(&packed, &growth, &|| true)?)
}

/// These signals of one body.
pub(super) fn of_body(body: Body, signals: &[Signal]) -> Vec<Column> {
    signals.iter().map(|signal| (body, *signal)).collect()
}

/// How a body is named in tables.
pub(super) fn name_of(body: Body) -> &'static str {
    match body {
        Body::Fetched => "fetched",
        Body::Shown => "shown",
    }
}
