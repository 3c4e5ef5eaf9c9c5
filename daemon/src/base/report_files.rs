//! Names of the files of a report: writers use them, and a report found below a root is recognised by them.

/// The file of a report that names all others with their checksums.
pub const MANIFEST: &str = "manifest.json";

/// The names that load files have in a report, in `load/`.
pub(crate) const LOAD_FILES: [&str; 3] = ["documents.dat", "documents.csv", "documents.xml"];

/// Pages that a report has at most.
pub(crate) const MAX_PAGES: usize = 20_000;

/// The file of a page, counted from 0.
pub(crate) fn page_name(page: usize) -> String {
    match page {
        0 => "report.html".to_owned(),
        page => format!("report-{:04}.html", page + 1),
    }
}

/// Whether some report has a page of this name.
pub(crate) fn is_page_name(name: &str) -> bool {
    let number = name
        .strip_prefix("report-")
        .and_then(|rest| rest.strip_suffix(".html"));
    let page = number.and_then(|number| number.parse::<usize>().ok());
    name == page_name(0)
        || page.is_some_and(|page| page > 1 && page <= MAX_PAGES && name == page_name(page - 1))
}
