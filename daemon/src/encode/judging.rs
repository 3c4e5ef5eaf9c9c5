//! Encodes models, samples of pairs, and evaluations of judgements against labels.

use simdex_judge::evaluation::{Agreement, Evaluation, Figures, Quality, Spread};
use simdex_judge::training::TrainingError;
use simdex_judge::{Class, CountedRule, Model, ModelId, Signal};
use simdex_proto::completeness::Completeness;
use simdex_proto::v1;

use super::path;
use crate::read_side::labels::{
    Evaluated, LabelCounts, RaterPair, SampledPair, SignalTimes, Trained, TrainedFigures,
    advice_on_training,
};

/// Most points of a curve that are sent.
const POINTS: usize = 100;

pub(super) fn class(class: Class) -> v1::JudgedClass {
    match class {
        Class::Same => v1::JudgedClass::Same,
        Class::Version => v1::JudgedClass::Version,
        Class::TemplateOnly => v1::JudgedClass::TemplateOnly,
        Class::Unrelated => v1::JudgedClass::Unrelated,
    }
}

/// Encodes what identifies a model.
pub(super) fn model_id(id: &ModelId) -> v1::JudgeModel {
    v1::JudgeModel {
        name: id.name.clone(),
        hash: id.hash.to_vec(),
        note: String::new(),
    }
}

/// Encodes a model, with what it was trained on.
pub fn model(model: &Model) -> v1::JudgeModel {
    v1::JudgeModel {
        note: model.note().to_owned(),
        ..model_id(model.id())
    }
}

/// Encodes a sample of pairs.
pub fn sampled_pairs(pairs: Vec<SampledPair>, completeness: Completeness) -> v1::SamplePairsReply {
    let pairs = pairs.into_iter().map(|pair| {
        let [a, b] = pair.sides.map(|(file, hash)| {
            Some(v1::LabelledFile {
                path: path(&file),
                document: hash.0.to_vec(),
            })
        });
        let resemblance = pair.resemblance;
        v1::SampledPair { a, b, resemblance }
    });
    v1::SamplePairsReply {
        pairs: pairs.collect(),
        completeness: Some(completeness.into()),
    }
}

/// Encodes the evaluation of judgements against labels.
pub fn evaluation(evaluated: Evaluated) -> v1::EvaluateLabelsReply {
    let reply = v1::EvaluateLabelsReply {
        counts: Some(counts(&evaluated.counts)),
        in_force: Some(figures(&evaluated.in_force)),
        confusion: confusion(&evaluated.in_force.quality),
        model: Some(model(&evaluated.model)),
        agreements: evaluated.agreements.iter().map(agreement).collect(),
        completeness: Some(evaluated.completeness.into()),
        ..v1::EvaluateLabelsReply::default()
    };
    match evaluated.trained {
        Ok(trained) => with_trained(reply, &trained),
        Err(error) => v1::EvaluateLabelsReply {
            not_trained: why_not_trained(&error),
            ..reply
        },
    }
}

/// Why labels do not suffice to train a model, and what to do.
fn why_not_trained(error: &TrainingError) -> String {
    match advice_on_training(error) {
        Some(advice) => format!("{error}; {advice}"),
        None => error.to_string(),
    }
}

/// Adds what models trained on the labels would be like.
fn with_trained(
    reply: v1::EvaluateLabelsReply,
    trained: &TrainedFigures,
) -> v1::EvaluateLabelsReply {
    let Evaluation {
        alone,
        cumulative,
        curve: points,
        ..
    } = &trained.evaluation;
    let times = trained.microseconds;
    let own = |of: &(Signal, Figures)| signal(of, times.map(|times| times[of.0.index()]));
    let with_cheaper = |of: &(Signal, Figures)| {
        let so_far = |times: SignalTimes| times[..=of.0.index()].iter().sum();
        signal(of, times.map(so_far))
    };
    let [known_language, other_languages] = trained.languages;
    v1::EvaluateLabelsReply {
        alone: alone.iter().map(own).collect(),
        cumulative: cumulative.iter().map(with_cheaper).collect(),
        curve: curve(points),
        rules: rules(&trained.learned),
        known_language: known_language.map(part),
        other_languages: other_languages.map(part),
        ..reply
    }
}

/// Encodes a training.
pub fn trained(trained: Trained) -> v1::TrainModelReply {
    v1::TrainModelReply {
        counts: Some(counts(&trained.counts)),
        model: Some(model(&trained.model)),
        in_force: trained.is_in_force,
        learned: Some(figures(&trained.learned)),
        shipped: Some(figures(&trained.shipped)),
        before: Some(model(&trained.before)),
        of_before: Some(figures(&trained.of_before)),
        rules: rules(&trained.model),
        file: trained.model.to_string(),
        completeness: Some(trained.completeness.into()),
    }
}

fn counts(counts: &LabelCounts) -> v1::LabelCounts {
    let [same, version, template_only, unrelated] = counts.classes.0.map(u64::from);
    v1::LabelCounts {
        labels: counts.labels,
        raters: counts.raters,
        same,
        version,
        template_only,
        unrelated,
        disputed: counts.disputed,
        unknown: counts.unknown,
        identical: counts.identical,
        sources: counts.sources,
    }
}

fn signal((signal, of): &(Signal, Figures), microseconds: Option<f64>) -> v1::SignalFigures {
    v1::SignalFigures {
        signal: signal.name().to_owned(),
        figures: Some(figures(of)),
        microseconds,
    }
}

/// A ratio without any evidence is left out.
fn part(quality: Quality) -> v1::PartFigures {
    let (found, duplicates) = (
        quality.hits + quality.false_hits,
        quality.hits + quality.missed,
    );
    v1::PartFigures {
        pairs: quality.pairs().into(),
        precision: (found > 0).then(|| quality.precision()),
        recall: (duplicates > 0).then(|| quality.recall()),
        f1: (found + duplicates > 0).then(|| quality.f1()),
    }
}

fn figures(figures: &Figures) -> v1::JudgedFigures {
    let precision = |quality: &Quality| {
        let found = quality.hits + quality.false_hits;
        (found > 0).then(|| quality.precision())
    };
    let is_judged = figures.quality.pairs() > figures.quality.all_withheld();
    v1::JudgedFigures {
        precision: figures.precision.map(spread),
        recall: figures.recall.map(spread),
        f1: figures.f1.map(spread),
        false_hits: figures.quality.false_hits.into(),
        missed: figures.quality.missed.into(),
        accuracy: is_judged.then(|| figures.quality.accuracy()),
        withheld: figures.quality.all_withheld().into(),
        precision_within_root: precision(&figures.within_root),
        precision_across_roots: precision(&figures.across_roots),
    }
}

/// The judged classes of the pairs of each class that was labelled.
fn confusion(quality: &Quality) -> Vec<v1::LabelledClass> {
    let row = |label: Class| {
        let judged = quality.confusion[label.index()].map(u64::from);
        let [same, version, template_only, unrelated] = judged;
        v1::LabelledClass {
            class: class(label).into(),
            same,
            version,
            template_only,
            unrelated,
            withheld: quality.withheld[label.index()].into(),
        }
    };
    let is_labelled = |row: &v1::LabelledClass| {
        let judged = [row.same, row.version, row.template_only, row.unrelated];
        judged.iter().sum::<u64>() + row.withheld > 0
    };
    Class::ALL
        .into_iter()
        .map(row)
        .filter(is_labelled)
        .collect()
}

fn spread(spread: Spread) -> v1::Spread {
    v1::Spread {
        lower: spread.lower,
        median: spread.median,
        upper: spread.upper,
    }
}

/// Evenly chosen points, including the first and the last.
fn curve(points: &[(f64, f64)]) -> Vec<v1::CurvePoint> {
    let sent = points.len().min(POINTS);
    let place = |at: usize| at * (points.len() - 1) / (sent - 1).max(1);
    let chosen = (0..sent).map(|at| points[place(at)]);
    let point = |(recall, precision)| v1::CurvePoint { recall, precision };
    chosen.map(point).collect()
}

fn agreement(pair: &RaterPair) -> v1::RaterAgreement {
    let Agreement {
        pairs,
        share,
        kappa,
        by_class,
    } = &pair.agreement;
    let given = Class::ALL.into_iter().zip(by_class);
    let classes = given.filter_map(|(given, found)| {
        found.map(|found| v1::ClassAgreement {
            class: class(given).into(),
            share: found.share,
            kappa: found.kappa,
        })
    });
    let [rater_a, rater_b] = pair.raters.clone();
    v1::RaterAgreement {
        rater_a,
        rater_b,
        pairs: (*pairs).into(),
        share: *share,
        kappa: *kappa,
        classes: classes.collect(),
        is_made: pair.is_made,
    }
}

fn rules(model: &Model) -> Vec<v1::JudgeRule> {
    let rule = |counted: CountedRule| v1::JudgeRule {
        number: counted.rule.number,
        rule: counted.rule.to_string(),
        class: class(counted.class).into(),
        probability: counted.counts.claimed(counted.class),
        pairs: counted.counts.total().into(),
        withheld: counted
            .doubt
            .map_or_else(String::new, |doubt| doubt.name().to_owned()),
    };
    model.rules().into_iter().map(rule).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_curve_is_thinned_to_its_ends_and_points_between() {
        for count in [0, 1, 2, 99, 100, 101, 5_000_usize] {
            let points: Vec<(f64, f64)> = (0..count).map(|at| (at as f64, 1.0)).collect();
            let sent = curve(&points);
            assert_eq!(sent.len(), count.min(POINTS));
            let recalls: Vec<f64> = sent.iter().map(|point| point.recall).collect();
            assert!(recalls.is_sorted());
            assert_eq!(recalls.first(), points.first().map(|(recall, _)| recall));
            if count > 1 {
                assert_eq!(recalls.last(), points.last().map(|(recall, _)| recall));
            }
        }
    }
}
