//! Tables of schemes: what they hold, what they estimate, what they would find.

use simdex_client::wire::{self, NotGiven};

use super::records::Tabular;
use crate::output::table::{Column, left, right, text};
use crate::output::text::{UNKNOWN, estimated, measured, ratio};

impl Tabular for wire::SchemeUsage {
    const COLUMNS: &'static [Column] = &[
        text("SCHEME"),
        right("POSTINGS"),
        right("IN MEMORY"),
        right("BYTES IN STORE"),
        right("SIGNING SECONDS"),
    ];

    fn rows(&self) -> Vec<Vec<String>> {
        vec![vec![
            scheme_up_to(self.scheme.as_ref(), self.n_most),
            self.postings.to_string(),
            self.unmerged.to_string(),
            self.bytes.to_string(),
            format!("{:.1}", self.sign_seconds),
        ]]
    }
}

/// A scheme with its parameters, as tables show it.
fn scheme(scheme: Option<&wire::Scheme>) -> String {
    scheme_up_to(scheme, 0)
}

/// A scheme in words for documents that were sampled at different n, of which `max_n` is the greatest.
fn scheme_up_to(scheme: Option<&wire::Scheme>, max_n: u64) -> String {
    let Some(wire::Scheme {
        name,
        n,
        window,
        unit,
        ..
    }) = scheme
    else {
        return UNKNOWN.to_owned();
    };
    let up_to = match max_n > *n {
        true => format!(" to {max_n}"),
        false => String::new(),
    };
    format!("{name}, n = {n}{up_to}, windows of {window} {unit}")
}

impl Tabular for wire::SchemeEstimate {
    const COLUMNS: &'static [Column] = &[
        text("ESTIMATED BY"),
        left("RESEMBLANCE"),
        left("CONTAINMENT OF A"),
        left("CONTAINMENT OF B"),
    ];

    fn rows(&self) -> Vec<Vec<String>> {
        let gives_containment = !self.not_given().any(|what| what == NotGiven::Containment);
        let containment = |ratio: &Option<wire::Ratio>| match gives_containment {
            true => estimated(ratio.as_ref(), false),
            false => "not given".to_owned(),
        };
        vec![vec![
            scheme(self.scheme.as_ref()),
            estimated(self.resemblance.as_ref(), false),
            containment(&self.containment_of_a),
            containment(&self.containment_of_b),
        ]]
    }
}

impl Tabular for wire::SizeGroup {
    const COLUMNS: &'static [Column] = &[
        right("FROM BYTES"),
        right("DOCUMENTS"),
        right("BYTES"),
        right("PAIRS"),
        text("PRECISION AT n = 1, 2, 4, 8, 16, 32, 64"),
        text("RECALL"),
        right("n"),
        right("FOUND FROM BYTES"),
        right("INTERVAL"),
    ];

    fn rows(&self) -> Vec<Vec<String>> {
        let steps = |of: fn(&wire::SampleQuality) -> Option<f64>| {
            let shown: Vec<_> = self.steps.iter().map(|step| measured(of(step))).collect();
            shown.join(" ")
        };
        vec![vec![
            self.from_bytes.to_string(),
            self.documents.to_string(),
            self.bytes.to_string(),
            self.pairs.to_string(),
            steps(|step| step.precision),
            steps(|step| step.recall),
            self.n.to_string(),
            self.shortest_excerpt_bytes.to_string(),
            ratio(self.interval_width),
        ]]
    }
}
