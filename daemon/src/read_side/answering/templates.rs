//! Templates, root by root, each with a file that contains it.

use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use simdex_index::{IndexError, MemoryAccount, VisibleRoots};

use super::{AnswerContext, Requester};
use crate::engine::{CompletenessCheck, Engine};
use crate::read_side::lists::ListError;
use crate::read_side::templates::{self, Template, TemplateSearch, Templates};
use crate::write_side::roots::Root;

/// A request for a list of templates.
#[derive(Clone, Debug)]
pub struct TemplatesRequest {
    /// The roots that are searched, each by itself.
    pub view: VisibleRoots,
    /// What counts as a template, and how much of it is read.
    pub search: TemplateSearch,
    /// Whether to refuse the request while the index is not complete.
    pub strict: bool,
}

/// A template as it is listed.
pub struct FoundTemplate<'a> {
    /// Path of the root whose documents contain it.
    pub root: &'a Path,
    /// Its text and counts.
    pub template: &'a Template,
    /// Documents of the root that were examined.
    pub of_documents: u64,
    /// A file that contains it; `None` if that has disappeared since.
    pub example: Option<PathBuf>,
}

/// What is reported beside the templates.
#[derive(Clone, Debug, Default)]
pub struct TemplatesSummary {
    /// Templates of all roots, including those not listed.
    pub templates: u64,
    /// Documents that were examined, each once, whatever the roots that hold it.
    pub documents: u64,
    /// Whether templates are missing from the list.
    pub truncated: bool,
    /// What the answer rests on.
    pub context: AnswerContext,
}

/// Calls `visit` for each template of each root of a view. If `visit` returns `Break`, ignore the summary.
pub fn templates(
    engine: &Engine,
    request: &TemplatesRequest,
    requester: &Requester<'_>,
    visit: &mut dyn FnMut(FoundTemplate<'_>) -> ControlFlow<()>,
) -> Result<TemplatesSummary, ListError> {
    let TemplatesRequest {
        view,
        search,
        strict,
    } = request;
    let check = CompletenessCheck::begin(engine, view, *strict)?;
    let mut summary = TemplatesSummary::default();
    for root in engine.roots.iter().filter(|root| view.shows(root.id)) {
        let own = VisibleRoots::Roots([root.id].into());
        let index = engine.index.reader();
        let found = templates::templates(index, &own, *search, requester.account)?;
        summary.templates += found.found;
        summary.truncated |= found.truncated || found.found > found.templates.len() as u64;
        if visit_of_root(engine, root, &own, &found, requester.account, visit)?.is_break() {
            break;
        }
    }
    let reader = engine.index.reader();
    let counts = reader
        .file_totals()
        .count(view, requester.account.cancel())?;
    summary.documents = counts.documents;
    summary.context = AnswerContext::of(&check, requester.started)?;
    Ok(summary)
}

fn visit_of_root(
    engine: &Engine,
    root: &Root,
    own: &VisibleRoots,
    found: &Templates,
    account: &MemoryAccount,
    visit: &mut dyn FnMut(FoundTemplate<'_>) -> ControlFlow<()>,
) -> Result<ControlFlow<()>, IndexError> {
    for template in &found.templates {
        account.cancel().check()?;
        let example = engine
            .index
            .reader()
            .files()
            .first_of_document(template.example, own)?;
        let flow = visit(FoundTemplate {
            root: &root.path,
            template,
            of_documents: found.documents,
            example: example.map(|file| file.path),
        });
        if flow.is_break() {
            return Ok(flow);
        }
    }
    Ok(ControlFlow::Continue(()))
}
