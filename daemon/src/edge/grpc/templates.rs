//! Answers ListTemplates, root by root.

use std::time::Instant;

use simdex_proto::{defaults, v1};
use tonic::Status;

use super::caller::Caller;
use super::reply_channel::ReplySender;
use super::request_params;
use super::status::Refused;
use crate::base::visit::FirstError;
use crate::encode;
use crate::engine::Engine;
use crate::read_side::answering::{self, TemplatesRequest};
use crate::read_side::templates::TemplateSearch;

/// Most templates listed per root.
const MAX_TEMPLATES: u32 = 10_000;

/// Longest text of a template that may be asked for, in bytes.
const LONGEST: u32 = 1_000_000;

/// A decoded request for a list of templates.
pub(super) struct DecodedTemplates(TemplatesRequest);

impl DecodedTemplates {
    pub(super) fn parse(
        engine: &Engine,
        request: &v1::ListTemplatesRequest,
    ) -> Result<Self, Status> {
        let min_documents = request
            .min_documents
            .unwrap_or(defaults::TEMPLATE_DOCUMENTS);
        if min_documents < 2 {
            let refused = "a template occurs in at least 2 documents; ask for 2 documents or more";
            return Err(Status::invalid_argument(refused));
        }
        let limit = request.limit.unwrap_or(defaults::TEMPLATES);
        if !(1..=MAX_TEMPLATES).contains(&limit) {
            return Err(Status::invalid_argument(format!(
                "{limit} templates of a root cannot be listed; ask for 1 to {MAX_TEMPLATES}"
            )));
        }
        let text_bytes = request.text_bytes.unwrap_or(defaults::TEMPLATE_BYTES);
        if !(1..=LONGEST).contains(&text_bytes) {
            return Err(Status::invalid_argument(format!(
                "{text_bytes} bytes of a template cannot be shown; ask for 1 to {LONGEST}"
            )));
        }
        Ok(Self(TemplatesRequest {
            view: request_params::parse_roots(engine, &request.roots)?,
            search: TemplateSearch {
                min_documents,
                limit: limit as usize,
                text_bytes: text_bytes as usize,
            },
            strict: request.strict,
        }))
    }

    /// Finds the templates of each root and sends them.
    pub(super) fn answer(
        &self,
        engine: &Engine,
        caller: Caller,
        sender: &ReplySender<v1::ListTemplatesReply>,
    ) -> Result<(), Refused> {
        use v1::list_templates_reply::Part;
        let send = |part| sender.send(v1::ListTemplatesReply { part: Some(part) });
        let mut refused = FirstError::default();
        let account = sender.account(&caller, engine.index.reader());
        let requester = caller.requester(&account, Instant::now());
        let summary = answering::templates(engine, &self.0, &requester, &mut |template| {
            refused.flow(send(Part::Template(encode::template(&template))))
        });
        refused.into_result()?;
        let summary = summary?;
        send(Part::Summary(v1::TemplatesSummary {
            templates: summary.templates,
            documents: summary.documents,
            truncated: summary.truncated,
            completeness: Some(summary.context.completeness.into()),
            seconds: summary.context.seconds,
        }))
    }
}
