//! The evidence of a calibration as a page: the parameters, the setting, whether it holds on other documents, and plots
//! of the result for every n. The page is self-contained: no script, no font, nothing is fetched. It is light or dark
//! as the reader prefers.

mod plot;

use std::io::{self, Write};

use simdex_client::text::{counted, escaped, grouped, is_xml};
use simdex_client::wire::{CalibrateReply, SampleQuality, SizeGroup};

use crate::output::text::{UNKNOWN, measured};
use plot::{Line, Plot};

/// Greatest accepted distance between the precision on other documents and the prediction.
const NEAR: f64 = 0.03;

const STYLE: &str = "\
body{font:15px/1.5 system-ui,sans-serif;color:#1b1f24;background:#fff;max-width:60rem;margin:2rem auto;padding:0 1rem}\
h1{font-size:1.5rem}h2{font-size:1.15rem;margin-top:2rem}\
table{border-collapse:collapse}th,td{padding:.2rem .7rem;border-bottom:1px solid #d1d9e0;text-align:right}\
th:first-child,td:first-child{text-align:left}p.soft{color:#59636e}\
svg{max-width:100%;height:auto}svg text{font:12px system-ui,sans-serif;fill:#59636e}\
svg .axis{stroke:#d1d9e0}svg .asked{stroke:#59636e;stroke-dasharray:4 4}\
svg .line{fill:none;stroke-width:2}\
@media(prefers-color-scheme:dark){body{color:#e6edf3;background:#0d1117}th,td{border-color:#3d444d}\
p.soft,svg text{color:#9198a1;fill:#9198a1}svg .axis{stroke:#3d444d}svg .asked{stroke:#9198a1}}";

/// A calibration, and its parameters.
pub(crate) struct CalibrationPage<'a> {
    /// The daemon's measurements.
    pub(crate) reply: &'a CalibrateReply,
    /// Roots whose documents were measured, as bytes; empty for all.
    pub(crate) roots: &'a [Vec<u8>],
    /// Time of the calibration, RFC 3339.
    pub(crate) at: &'a str,
}

impl CalibrationPage<'_> {
    /// Writes the page.
    pub(crate) fn write(&self, out: &mut impl Write) -> io::Result<()> {
        writeln!(
            out,
            "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
             <meta name=\"viewport\" content=\"width=device-width\">\n\
             <title>How coarsely these documents may be sampled</title>\n<style>{STYLE}</style>\n</head>\n<body>\n\
             <h1>How coarsely these documents may be sampled</h1>\n<p class=\"soft\">{}</p>",
            plain(self.at)
        )?;
        self.parameters(out)?;
        self.setting(out)?;
        self.check(out)?;
        self.plots(out)?;
        writeln!(out, "</body>\n</html>")
    }

    fn parameters(&self, out: &mut impl Write) -> io::Result<()> {
        let roots = match self.roots {
            [] => "all roots".to_owned(),
            roots => roots
                .iter()
                .map(|root| escaped(root))
                .collect::<Vec<_>>()
                .join(", "),
        };
        let CalibrateReply {
            required_precision,
            threshold,
            sampled,
            ..
        } = self.reply;
        let sampled = counted(*sampled, "document");
        writeln!(
            out,
            "<h2>What was asked</h2>\n<p>Of the pairs that a sample shows to resemble each other by {threshold} or more, \
             {required_precision} are to do so, without looking at their texts. Measured on pairs of {sampled} of {}.</p>",
            plain(&roots)
        )
    }

    fn setting(&self, out: &mut impl Write) -> io::Result<()> {
        writeln!(
            out,
            "<h2>Recommended setting</h2>\n<table>\n<tr><th>from bytes</th><th>documents</th><th>bytes</th>\
             <th>pairs</th><th>one fingerprint in</th><th>precision</th><th>recall</th>\
             <th>excerpts found from bytes</th><th>width of an interval</th></tr>"
        )?;
        for group in &self.reply.groups {
            let chosen = chosen(group);
            writeln!(
                out,
                "<tr><td>{}</td><td>{}</td><td>{}</td><td>{}</td><td>{}</td><td>{}</td><td>{}</td>\
                 <td>{}</td><td>{:.3}</td></tr>",
                grouped(group.from_bytes),
                grouped(group.documents),
                grouped(group.bytes),
                grouped(group.pairs),
                group.n,
                measured(chosen.precision),
                measured(chosen.recall),
                grouped(group.shortest_excerpt_bytes),
                group.interval_width
            )?;
        }
        let (then, now) = (self.reply.fingerprints, self.reply.fingerprints_now);
        writeln!(
            out,
            "</table>\n<p>The index would keep about {} fingerprints; it keeps {} now. Their postings would take about {} \
             bytes once merged; {} are stored now. An excerpt of so many bytes, copied whole, is found with a probability of 99.9 %; the \
             width is that of the 99 % interval of an estimate at the threshold. Of {} fingerprints that no document \
             holds one is taken for one that is, before texts are compared.</p>",
            grouped(then),
            grouped(now),
            grouped(self.reply.posting_bytes),
            grouped(self.reply.posting_bytes_now),
            one_in(self.reply.false_match_rate)
        )
    }

    fn check(&self, out: &mut impl Write) -> io::Result<()> {
        let rows = [
            ("predicted", self.reply.predicted, self.reply.pairs),
            (
                "on other documents",
                self.reply.checked,
                self.reply.checked_pairs,
            ),
        ];
        writeln!(
            out,
            "<h2>Does it hold on documents that it was not chosen on?</h2>\n<p>The pairs within one half of the \
             documents chose the setting; here it is checked on the pairs within the other half.</p>\n<table>\n\
             <tr><th></th><th>similar pairs</th><th>precision</th><th>between, with 95 %</th><th>recall</th></tr>"
        )?;
        for (name, quality, pairs) in rows {
            let quality = quality.unwrap_or_default();
            let (precision, recall) = (measured(quality.precision), measured(quality.recall));
            let between = between(&quality);
            writeln!(
                out,
                "<tr><td>{name}</td><td>{}</td><td>{precision}</td><td>{between}</td><td>{recall}</td></tr>",
                grouped(pairs)
            )?;
        }
        writeln!(out, "</table>\n<p>{}</p>", verdict(self.reply))
    }

    fn plots(&self, out: &mut impl Write) -> io::Result<()> {
        let lines = |of: fn(&SampleQuality) -> Option<f64>| {
            let groups = self.reply.groups.iter();
            let lines = groups.map(|group| Line {
                name: format!("from {} bytes", grouped(group.from_bytes)),
                values: group.steps.iter().map(of).collect(),
                chosen: step(group),
            });
            lines.collect()
        };
        let precision = Plot {
            title: "Precision of what is found by sampling",
            lines: lines(|quality| quality.precision),
            required: Some(self.reply.required_precision),
        };
        let recall = Plot {
            title: "Recall of what is found by sampling",
            lines: lines(|quality| quality.recall),
            required: None,
        };
        writeln!(
            out,
            "<h2>What every step comes to</h2>\n<p>By size of the longer text of a pair; a ring marks the recommended step. \
             What the index shows it has counted on whole texts: these are the figures of samples alone.</p>"
        )?;
        precision.write(out)?;
        recall.write(out)
    }
}

/// Whether the prediction held on the other documents, in sentences, and whether there were enough of them to tell.
pub(super) fn verdict(reply: &CalibrateReply) -> String {
    let [predicted, checked] = [reply.predicted, reply.checked].map(Option::unwrap_or_default);
    let Some((one, other)) = predicted.precision.zip(checked.precision) else {
        return "No pair was found in one of the halves: nothing is known of the other.".to_owned();
    };
    let apart = (one - other).abs();
    let [of_one, of_other] = [&predicted, &checked].map(ends);
    let known = (one - of_one.0).max(of_one.1 - one);
    let meet = of_one.0 <= of_other.1 && of_other.0 <= of_one.1;
    let few = format!(
        "so few pairs tell no more than a precision between {}",
        between(&predicted)
    );
    let said = match (apart <= NEAR, meet) {
        (true, _) if known <= NEAR => {
            format!("It does: the precisions lie {apart:.3} apart, within {NEAR}.")
        }
        (true, _) => {
            format!(
                "As far as is known: the precisions lie {apart:.3} apart, within {NEAR}, but {few}."
            )
        }
        (false, true) => {
            format!("Not known: the precisions lie {apart:.3} apart, more than {NEAR}, and {few}.")
        }
        (false, false) => format!(
            "It does not: the precisions lie {apart:.3} apart, more than {NEAR} and than chance explains."
        ),
    };
    if of_one.0 >= reply.required_precision {
        return said;
    }
    format!(
        "{said} But it is not shown to reach {}: an index samples long texts more coarsely than recommended.",
        reply.required_precision
    )
}

/// The interval of a precision, as text.
pub(super) fn between(quality: &SampleQuality) -> String {
    let (low, high) = ends(quality);
    match quality.precision {
        Some(_) => format!("{low:.3} and {high:.3}"),
        None => UNKNOWN.to_owned(),
    }
}

/// The interval of a precision; any, of an older daemon, which does not say.
fn ends(quality: &SampleQuality) -> (f64, f64) {
    let low = quality.precision_low.unwrap_or(0.0);
    (low, quality.precision_high.unwrap_or(1.0))
}

/// The reciprocal of a probability: N of "one in N".
fn one_in(rate: f64) -> String {
    match rate > 0.0 {
        true => grouped((1.0 / rate) as u64),
        false => "any number of".to_owned(),
    }
}

/// The index of the recommended n among the steps.
fn step(group: &SizeGroup) -> usize {
    group.n.max(1).ilog2() as usize
}

fn chosen(group: &SizeGroup) -> SampleQuality {
    group.steps.get(step(group)).copied().unwrap_or_default()
}

/// Escapes text for the page.
fn plain(text: &str) -> String {
    let allowed = text.replace(|letter| !is_xml(letter), "\u{fffd}");
    let quoted = allowed.replace('&', "&amp;").replace('<', "&lt;");
    quoted.replace('>', "&gt;").replace('"', "&quot;")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reply(checked: Option<f64>) -> CalibrateReply {
        let quality = |precision: Option<f64>, recall| SampleQuality {
            precision,
            recall,
            precision_low: precision.map(|precision| precision - 0.02),
            precision_high: precision.map(|precision| precision + 0.02),
        };
        let group = |from_bytes, n| SizeGroup {
            from_bytes,
            documents: 1_200,
            bytes: 80_000,
            pairs: 60,
            steps: vec![
                quality(Some(1.0), Some(1.0)),
                quality(Some(0.96), Some(0.75)),
                quality(None, None),
            ],
            n,
            shortest_excerpt_bytes: 458,
            interval_width: 0.09,
        };
        CalibrateReply {
            groups: vec![group(0, 1), group(2_048, 2)],
            predicted: Some(quality(Some(0.96), Some(0.98))),
            checked: Some(quality(checked, Some(0.9))),
            required_precision: 0.95,
            threshold: 0.8,
            false_match_rate: 1.0 / 2_748.5,
            ..CalibrateReply::default()
        }
    }

    fn page(reply: &CalibrateReply) -> String {
        let mut out = Vec::new();
        let page = CalibrationPage {
            reply,
            roots: &[b"/a<b".to_vec()],
            at: "2026-01-02T03:04:05Z",
        };
        page.write(&mut out).unwrap();
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn a_page_has_the_setting_the_check_and_a_plot_of_each_measure() {
        let page = page(&reply(Some(0.94)));
        assert_eq!(page.matches("<svg").count(), 2);
        assert!(page.contains("<td>2,048</td><td>1,200</td><td>80,000</td><td>60</td><td>2</td><td>0.960</td><td>0.750</td><td>458</td><td>0.090</td>"));
        assert!(
            page.contains("one is taken for one that is") && page.contains("Of 2,748 fingerprints")
        );
        assert!(page.contains("It does: the precisions lie 0.020 apart"));
        assert!(page.contains("it is not shown to reach 0.95"));
        assert!(page.contains("/a&lt;b") && !page.contains("<script") && !page.contains("http"));
        assert!(page.contains("resemble each other by 0.8 or more, 0.95 are to do so"));
    }

    #[test]
    fn a_setting_that_is_shown_to_reach_what_is_required_has_no_but() {
        let mut reply = reply(Some(0.94));
        reply.required_precision = 0.93;
        let page = page(&reply);
        assert!(page.contains("within 0.03.") && !page.contains("it is not shown"));
    }

    #[test]
    fn a_prediction_that_does_not_hold_is_called_so_and_one_that_is_not_known() {
        assert!(page(&reply(Some(0.9))).contains("It does not: the precisions lie 0.060 apart"));
        assert!(page(&reply(None)).contains("No pair was found in one of the halves"));
        let mut few = reply(Some(0.9));
        few.predicted = few.predicted.map(|predicted| SampleQuality {
            precision_low: Some(0.85),
            precision_high: Some(0.99),
            ..predicted
        });
        let not_known = "Not known: the precisions lie 0.060 apart, more than 0.03, and so few pairs tell no more than \
                         a precision between 0.850 and 0.990.";
        assert!(page(&few).contains(not_known));
        few.checked = reply(Some(0.95)).checked;
        assert!(page(&few).contains("As far as is known: the precisions lie 0.010 apart"));
    }
}
