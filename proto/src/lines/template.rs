//! Template text, block by block, and the closing summary.

use serde::Serialize;

use super::{JsonPath, completeness, exact, lossy};
use crate::completeness::Completeness;
use crate::v1;

/// Lines that recur in many documents of a root.
#[derive(Clone, Debug, Serialize)]
pub struct Template {
    /// Path of the root.
    pub root: String,
    /// Exact bytes of that path, if they are not UTF-8.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub root_bytes: Option<String>,
    /// The text as in the example, shortened if it is long.
    pub text: String,
    /// Number of its lines.
    pub lines: u64,
    /// Documents of the root that hold it.
    pub documents: u64,
    /// Groups of these documents; a document in no group counts as one.
    pub groups: u64,
    /// Documents with text in the root.
    pub of_documents: u64,
    /// Whether part of its text is cut off.
    pub cut: bool,
    /// Whether all of its lines are left out of comparisons already.
    pub left_out: bool,
    /// Whether some of them are, and not all.
    pub partly_left_out: bool,
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
            partly_left_out: template.partly_left_out,
            path: JsonPath::new(&template.example),
        }
    }
}

/// Closes a list of templates.
#[derive(Clone, Debug, Serialize)]
pub struct TemplatesSummary {
    /// Number of templates.
    pub templates: u64,
    /// Number of documents examined.
    pub documents: u64,
    /// Whether some templates are not listed.
    pub truncated: bool,
    /// Time the answer took.
    pub seconds: f64,
    /// What the index lacked at the time.
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
