//! `judge`: labels pairs, evaluates judgements against labels, trains a model on labels.

mod label;

use std::collections::HashSet;
use std::io;
use std::path::{Path, PathBuf};

use simdex_client::lines::{Evaluation, Label, ResetModel, TrainedModel, Verdict};
use simdex_client::{read_labels, read_labels_from, wire};

use crate::cli::{EvaluateArgs, JudgeVerb, TrainArgs};
use crate::commands::Session;
use crate::exit_code::Outcome;
use crate::failure::Failure;
use crate::output::eprint_line;
use crate::progress::waiting;

pub(super) async fn run(session: &mut Session, verb: JudgeVerb) -> Result<Outcome, Failure> {
    match verb {
        JudgeVerb::Label(args) => label::run(session, args).await,
        JudgeVerb::Evaluate(args) => evaluate(session, args).await,
        JudgeVerb::Train(args) if args.reset => reset(session).await,
        JudgeVerb::Train(args) => train(session, args).await,
    }
}

async fn evaluate(session: &mut Session, args: EvaluateArgs) -> Result<Outcome, Failure> {
    let request = wire::EvaluateLabelsRequest {
        labels: labels(&args.labels)?,
        skip_unknown: args.skip_unknown,
    };
    let call = session.client.evaluate_labels(request);
    let reply = waiting("evaluating", call).await?;
    if session.printer.is_json() {
        session.printer.line(&Evaluation::from(&reply))?;
    } else {
        session.printer.evaluation(&reply)?;
    }
    if !reply.not_trained.is_empty() {
        let why = &reply.not_trained;
        eprint_line(format!("signals are not compared: {why}"));
    }
    session.warn_if_incomplete(reply.completeness.as_ref());
    Ok(Outcome::Answered)
}

async fn train(session: &mut Session, args: TrainArgs) -> Result<Outcome, Failure> {
    let request = wire::TrainModelRequest {
        labels: labels(&args.labels)?,
        skip_unknown: args.skip_unknown,
        dry_run: args.dry_run,
        name: args.name.unwrap_or_default(),
    };
    let call = session.client.train_model(request);
    let reply = waiting("training", call).await?;
    if session.printer.is_json() {
        session.printer.line(&TrainedModel::from(&reply))?;
    } else {
        session.printer.trained_model(&reply)?;
    }
    if let Some(remark) = remark(&reply) {
        eprint_line(remark);
    }
    session.warn_if_incomplete(reply.completeness.as_ref());
    Ok(Outcome::Answered)
}

/// Advice for the case that the shipped model is better, or that the learned one finds no duplicate.
fn remark(reply: &wire::TrainModelReply) -> Option<String> {
    let f1 = |figures: Option<wire::JudgedFigures>| figures?.f1.map(|f1| f1.median);
    let learned = f1(reply.learned)?;
    let way_out = match reply.in_force {
        true => "`simctl judge train --reset` returns to the shipped one",
        false => "the model in force is kept",
    };
    if let Some(shipped) = f1(reply.shipped).filter(|shipped| *shipped > learned) {
        return Some(format!(
            "the shipped model has the higher F1 on these labels ({shipped:.3} against {learned:.3}); {way_out}"
        ));
    }
    (learned == 0.0).then(|| {
        format!("models trained on these labels find no duplicate among pairs that they have not seen; {way_out}")
    })
}

async fn reset(session: &mut Session) -> Result<Outcome, Failure> {
    let reply = session.client.reset_model().await?;
    if session.printer.is_json() {
        session.printer.line(&ResetModel::from(&reply))?;
    } else {
        session.printer.reset_model(&reply)?;
    }
    Ok(Outcome::Answered)
}

/// The labels of all files, each read once, whatever names it is given by; `-` is standard input.
fn labels(files: &[PathBuf]) -> Result<Vec<wire::Label>, Failure> {
    let (mut labels, mut known) = (Vec::new(), HashSet::new());
    for file in files {
        if file.as_os_str() == "-" {
            let name = Path::new("standard input");
            labels.extend(read_labels_from(io::stdin().lock(), name)?);
        } else if known.insert(file.canonicalize().unwrap_or_else(|_| file.clone())) {
            labels.extend(read_labels(file)?);
        }
    }
    Ok(given(labels))
}

/// The labels that count: a later skip of a pair withdraws the labels that its rater gave to the same pair before.
fn given(mut labels: Vec<Label>) -> Vec<wire::Label> {
    let mut withdrawn = HashSet::new();
    labels.reverse();
    labels.retain(|label| {
        let documents = label.pair.documents().map(str::to_owned);
        let of = (label.rater.clone(), documents);
        match label.verdict {
            Verdict::Skip => {
                withdrawn.insert(of);
                false
            }
            _ => !withdrawn.contains(&of),
        }
    });
    labels.reverse();
    labels.iter().filter_map(Label::message).collect()
}

#[cfg(test)]
mod tests {
    use simdex_client::lines::LabelledPair;

    use super::*;

    fn label(rater: &str, documents: [u8; 2], verdict: Verdict) -> Label {
        let [a, b] = documents.map(|document| wire::LabelledFile {
            path: b"/s/a".to_vec(),
            document: vec![document; 32],
        });
        Label {
            pair: LabelledPair::new(&a, &b),
            verdict,
            rater: rater.to_owned(),
            at: String::new(),
        }
    }

    #[test]
    fn a_later_skip_withdraws_the_labels_of_its_rater() {
        let counted = |labels: Vec<Label>| given(labels).len();
        let first = || label("ada", [1, 2], Verdict::Same);
        let skipped = || label("ada", [2, 1], Verdict::Skip);
        assert_eq!(counted(vec![first(), skipped()]), 0);
        assert_eq!(counted(vec![skipped(), first()]), 1);
        let other = label("bo", [1, 2], Verdict::Version);
        let elsewhere = label("ada", [1, 3], Verdict::Version);
        assert_eq!(counted(vec![first(), other, elsewhere, skipped()]), 2);
        let again = label("ada", [1, 2], Verdict::Version);
        assert_eq!(counted(vec![first(), skipped(), again]), 1);
    }

    #[test]
    fn a_model_that_is_worse_than_the_shipped_one_is_said_to_be() {
        let figures = |median: f64| {
            Some(wire::JudgedFigures {
                f1: Some(wire::Spread {
                    median,
                    ..wire::Spread::default()
                }),
                ..wire::JudgedFigures::default()
            })
        };
        let reply = |learned: f64, in_force: bool| wire::TrainModelReply {
            learned: figures(learned),
            shipped: figures(0.8),
            in_force,
            ..wire::TrainModelReply::default()
        };
        assert_eq!(remark(&reply(0.9, true)), None);
        let said = remark(&reply(0.7, true)).expect("said");
        assert!(
            said.contains("(0.800 against 0.700)") && said.contains("--reset"),
            "{said}"
        );
        let said = remark(&reply(0.7, false)).expect("said");
        assert!(said.ends_with("the model in force is kept"), "{said}");
        let mut none = reply(0.0, true);
        none.shipped = none.learned;
        assert!(remark(&none).is_some_and(|said| said.contains("find no duplicate")));
    }
}
