//! Template text, block by block, and the summary after it.

use serde::Serialize;

use super::{JsonPath, completeness, exact, lossy};
use crate::completeness::Completeness;
use crate::v1;

/// Lines that recur in documents of a root.
#[derive(Clone, Debug, Serialize)]
pub struct Template {
    /// Path of the root.
    pub root: String,
    /// Its exact bytes, where they are not UTF-8.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub root_bytes: Option<String>,
    /// As the example has it, cut where it is long.
    pub text: String,
    /// How many lines it has.
    pub lines: u64,
    /// Documents of the root that hold it.
    pub documents: u64,
    /// Groups of them, a document in none counted as one.
    pub groups: u64,
    /// Documents with text in the root.
    pub of_documents: u64,
    /// Part of its text is cut off.
    pub cut: bool,
    /// All of its lines are left out of what is compared.
    pub left_out: bool,
    /// Path of a file that holds it.
    #[serde(flatten)]
    pub path: JsonPath,
}

impl From<&v1::Template> for Template {
    fn from(template: &v1::Template) -> Self {
        Self {
            root: lossy(&template.root),
            root_bytes: exact(&template.root),
            text: template.text.clone(),
            lines: template.lines,
            documents: template.documents,
            groups: template.groups,
            of_documents: template.of_documents,
            cut: template.cut,
            left_out: template.left_out,
            path: JsonPath::new(&template.example),
        }
    }
}

/// Closes a list of templates.
#[derive(Clone, Debug, Serialize)]
pub struct TemplatesSummary {
    /// How many there are.
    pub templates: u64,
    /// Documents that were looked at.
    pub documents: u64,
    /// Not all are listed.
    pub truncated: bool,
    /// Time the answer took.
    pub seconds: f64,
    /// What the index lacked when it was asked.
    #[serde(flatten)]
    pub completeness: Completeness,
}

impl From<&v1::TemplatesSummary> for TemplatesSummary {
    fn from(summary: &v1::TemplatesSummary) -> Self {
        Self {
            templates: summary.templates,
            documents: summary.documents,
            truncated: summary.truncated,
            seconds: summary.seconds,
            completeness: completeness(summary.completeness.as_ref()),
        }
    }
}
