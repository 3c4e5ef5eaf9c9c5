//! The service `simdex.v1.Judging`.

use std::collections::BTreeSet;
use std::sync::Arc;

use simdex_index::Cancel;
use simdex_judge::Class;
use simdex_proto::v1::judging_server::Judging;
use simdex_proto::{MAX_LABELS, defaults, v1};
use tonic::{Request, Response, Status};

use super::request_params::{parse_document_hash, parse_path, parse_roots, parse_threshold};
use super::runner::{RequestClass, RequestRunner};
use super::status::too_many;
use crate::base::echo::echo;
use crate::encode;
use crate::engine::Engine;
use crate::read_side::labels::{self, Label, LabelError, LabelledFile, Labels};
use crate::read_side::labels::{MAX_RATERS, SampleRequest};

/// Most pairs of a sample.
const MAX_PAIRS: u32 = 10_000;
/// Most bytes of the name of a rater or model.
const LONGEST_RATER: usize = 200;
const LONGEST_NAME: usize = 64;

/// The service that samples pairs, evaluates labels and trains models.
pub struct JudgingService {
    runner: Arc<RequestRunner>,
}

impl JudgingService {
    /// A service on this runner.
    pub fn new(runner: Arc<RequestRunner>) -> Self {
        Self { runner }
    }
}

#[tonic::async_trait]
impl Judging for JudgingService {
    async fn sample_pairs(
        &self,
        request: Request<v1::SamplePairsRequest>,
    ) -> Result<Response<v1::SamplePairsReply>, Status> {
        let caller = self.runner.long_caller(&request);
        let request = sample_request(&*self.runner.engine()?, request.get_ref())?;
        let work = move |engine: &Engine, cancel: &Cancel| {
            let account = caller.account(engine.index.reader(), cancel);
            let (pairs, completeness) = labels::sample(engine, &request, &account)?;
            Ok(encode::sampled_pairs(pairs, completeness))
        };
        self.runner.unary(RequestClass::Work, caller, work).await
    }

    async fn evaluate_labels(
        &self,
        request: Request<v1::EvaluateLabelsRequest>,
    ) -> Result<Response<v1::EvaluateLabelsReply>, Status> {
        let caller = self.runner.long_caller(&request);
        let v1::EvaluateLabelsRequest {
            labels,
            skip_unknown,
        } = request.into_inner();
        let labels = parse_labels(labels, skip_unknown)?;
        let work = move |engine: &Engine, cancel: &Cancel| {
            let account = caller.account(engine.index.reader(), cancel);
            Ok(encode::evaluation(labels::evaluate(
                engine, &labels, &account,
            )?))
        };
        self.runner.unary(RequestClass::Work, caller, work).await
    }

    async fn train_model(
        &self,
        request: Request<v1::TrainModelRequest>,
    ) -> Result<Response<v1::TrainModelReply>, Status> {
        let caller = self.runner.long_caller(&request);
        let request = request.into_inner();
        let name = parse_name(request.name)?;
        let labels = parse_labels(request.labels, request.skip_unknown)?;
        let is_trial = request.dry_run;
        let work = move |engine: &Engine, cancel: &Cancel| {
            let account = caller.account(engine.index.reader(), cancel);
            let trained = labels::train(engine, &labels, &name, is_trial, &account)?;
            Ok(encode::trained(trained))
        };
        self.runner.unary(RequestClass::Work, caller, work).await
    }

    async fn reset_model(
        &self,
        request: Request<v1::ResetModelRequest>,
    ) -> Result<Response<v1::ResetModelReply>, Status> {
        let caller = self.runner.caller(&request);
        let work = |engine: &Engine, _: &Cancel| {
            let before = engine.models.reset().map_err(LabelError::Write)?;
            Ok(v1::ResetModelReply {
                before: Some(encode::model(&before)),
                model: Some(encode::model(&engine.models.in_force())),
            })
        };
        self.runner.unary(RequestClass::Work, caller, work).await
    }
}

fn sample_request(
    engine: &Engine,
    request: &v1::SamplePairsRequest,
) -> Result<SampleRequest, Status> {
    let limit = request.limit.unwrap_or(defaults::SAMPLED_PAIRS);
    if !(1..=MAX_PAIRS).contains(&limit) {
        return Err(Status::invalid_argument(format!(
            "limit is {limit}, not 1 to {MAX_PAIRS}"
        )));
    }
    Ok(SampleRequest {
        view: parse_roots(engine, &request.roots)?,
        threshold: parse_threshold(engine, request.threshold)?,
        limit: limit as usize,
        seed: request.seed,
    })
}

fn parse_labels(labels: Vec<v1::Label>, skip_unknown: bool) -> Result<Labels, Status> {
    if labels.len() > MAX_LABELS {
        return Err(too_many(labels.len(), "labels", MAX_LABELS));
    }
    let labels = labels.into_iter().map(parse_label);
    let labels = labels.collect::<Result<Vec<_>, _>>()?;
    let raters: BTreeSet<&str> = labels.iter().map(|label| &*label.rater).collect();
    if raters.len() > MAX_RATERS {
        return Err(too_many(raters.len(), "raters", MAX_RATERS));
    }
    Ok(Labels {
        labels,
        skip_unknown,
    })
}

fn parse_label(label: v1::Label) -> Result<Label, Status> {
    let verdict = match label.verdict() {
        v1::JudgedClass::Same => Class::Same,
        v1::JudgedClass::Version => Class::Version,
        v1::JudgedClass::TemplateOnly => Class::TemplateOnly,
        v1::JudgedClass::Unrelated => Class::Unrelated,
        v1::JudgedClass::Unspecified => {
            return Err(Status::invalid_argument("a label has no verdict"));
        }
    };
    let is_line = !label.rater.chars().any(char::is_control);
    if !is_line || label.rater.trim().is_empty() || label.rater.len() > LONGEST_RATER {
        let sent = echo(label.rater.as_bytes());
        return Err(Status::invalid_argument(format!(
            "the name of a rater is one line of 1 to {LONGEST_RATER} bytes and not blank; this one is \"{sent}\""
        )));
    }
    let side = |side: Option<v1::LabelledFile>| {
        let side =
            side.ok_or_else(|| Status::invalid_argument("a label does not name two files"))?;
        Ok::<_, Status>(LabelledFile {
            document: parse_document_hash(&side.document)?,
            path: parse_path(side.path)?,
        })
    };
    Ok(Label {
        sides: [side(label.a)?, side(label.b)?],
        verdict,
        rater: label.rater,
    })
}

/// Decodes the name of a model to be trained; the name of the shipped model is refused as taken.
fn parse_name(name: String) -> Result<String, Status> {
    let is_word = !name.chars().any(char::is_control) && name.trim() == name;
    match &*name {
        "" => Ok(defaults::MODEL_NAME.to_owned()),
        simdex_judge::Model::SHIPPED => Err(Status::invalid_argument(
            "\"shipped\" is the name of the model that ships with the program",
        )),
        _ if is_word && name.len() <= LONGEST_NAME => Ok(name),
        _ => Err(Status::invalid_argument(format!(
            "the name of a model is one line of at most {LONGEST_NAME} bytes, without spaces around it; this one is \"{}\"",
            echo(name.as_bytes())
        ))),
    }
}

#[cfg(test)]
mod tests {
    use tonic::Code;

    use super::*;

    #[test]
    fn a_rater_has_a_name_of_one_line() {
        let refused = |rater: &str| {
            let label = v1::Label {
                verdict: v1::JudgedClass::Same.into(),
                rater: rater.to_owned(),
                ..v1::Label::default()
            };
            parse_label(label).unwrap_err().message().to_owned()
        };
        for rater in ["", "  ", "a\nb", &"x".repeat(LONGEST_RATER + 1)] {
            assert!(refused(rater).starts_with("the name of a rater"), "{rater}");
        }
        assert_eq!(refused("ada"), "a label does not name two files");
    }

    #[test]
    fn labels_of_more_raters_than_are_compared_two_by_two_are_refused() {
        let of = |count: usize| {
            let side = |byte: u8| {
                Some(v1::LabelledFile {
                    path: format!("/share/{byte}").into_bytes(),
                    document: vec![byte; 32],
                })
            };
            let label = |rater: usize| v1::Label {
                a: side(1),
                b: side(2),
                verdict: v1::JudgedClass::Same.into(),
                rater: format!("rater {}", rater % count),
            };
            parse_labels((0..MAX_LABELS).map(label).collect(), false)
        };
        assert_eq!(of(MAX_RATERS).unwrap().labels.len(), MAX_LABELS);
        let refused = of(MAX_RATERS + 1).unwrap_err();
        assert_eq!(refused.code(), Code::InvalidArgument);
        let said = "the request lists 51 raters; at most 50 may be named at once";
        assert_eq!(refused.message(), said);
    }
}
