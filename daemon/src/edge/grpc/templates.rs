//! Answers ListTemplates, root by root.

use std::time::Instant;

use simdex_index::{IndexError, MemoryAccount, VisibleRoots};
use simdex_proto::{defaults, v1};
use tonic::Status;

use super::caller::Caller;
use super::reply_channel::ReplySender;
use super::request_params;
use super::status::Refused;
use crate::encode;
use crate::engine::{CompletenessCheck, Engine};
use crate::read_side::templates::{Template, TemplateSearch, templates};
use crate::write_side::roots::Root;

/// Most templates listed per root.
const MAX_TEMPLATES: u32 = 10_000;

/// Longest text of a template that may be asked for, in bytes.
const LONGEST: u32 = 1_000_000;

/// A decoded request for a list of templates.
pub(super) struct TemplatesRequest {
    view: VisibleRoots,
    search: TemplateSearch,
    strict: bool,
}

impl TemplatesRequest {
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
        Ok(Self {
            view: request_params::parse_roots(engine, &request.roots)?,
            search: TemplateSearch {
                min_documents,
                limit: limit as usize,
                text_bytes: text_bytes as usize,
            },
            strict: request.strict,
        })
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
        let started = Instant::now();
        let check = CompletenessCheck::begin(engine, &self.view, self.strict)?;
        let account = sender.account(&caller, engine.index.reader());
        let mut summary = v1::TemplatesSummary::default();
        for root in engine.roots.iter().filter(|root| self.view.shows(root.id)) {
            let view = VisibleRoots::Roots([root.id].into());
            let found = templates(engine.index.reader(), &view, self.search, &account)?;
            summary.templates += found.found;
            summary.documents += found.documents;
            summary.truncated |= found.truncated || found.found > found.templates.len() as u64;
            for template in &found.templates {
                let encoded = encoded(engine, root, &view, template, found.documents, &account)?;
                send(Part::Template(encoded))?;
            }
        }
        summary.completeness = Some(check.verdict()?.into());
        summary.seconds = started.elapsed().as_secs_f64();
        send(Part::Summary(summary))
    }
}

fn encoded(
    engine: &Engine,
    root: &Root,
    view: &VisibleRoots,
    template: &Template,
    of_documents: u64,
    account: &MemoryAccount,
) -> Result<v1::Template, IndexError> {
    account.cancel().check()?;
    let example = engine.index.reader().first_file(template.example, view)?;
    Ok(v1::Template {
        root: encode::path(&root.path),
        text: template.text.clone(),
        lines: template.lines,
        documents: template.documents,
        of_documents,
        example: example.map_or_else(Vec::new, |file| encode::path(&file.path)),
        cut: template.is_cut,
        left_out: template.is_left_out,
        groups: template.groups,
    })
}
