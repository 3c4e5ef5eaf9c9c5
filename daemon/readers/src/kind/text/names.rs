//! Media types by name for plain texts, whose bytes do not tell.

/// Extensions and media types; the IANA name if there is one.
const NAMES: &[(&[&str], &str)] = &[
    (&["md", "markdown", "mkd"], "text/markdown"),
    (&["csv"], "text/csv"),
    (&["tsv", "tab"], "text/tab-separated-values"),
    (&["json", "jsonl", "ndjson"], "application/json"),
    (&["yaml", "yml"], "application/yaml"),
    (&["toml"], "application/toml"),
    (&["rst"], "text/x-rst"),
    (&["tex", "latex", "ltx", "sty", "cls"], "text/x-tex"),
    (&["css"], "text/css"),
    (&["js", "mjs", "cjs"], "text/javascript"),
    (&["ts", "tsx"], "text/x-typescript"),
    (&["c", "h"], "text/x-c"),
    (&["cc", "cpp", "cxx", "hh", "hpp", "hxx"], "text/x-c++"),
    (&["cs"], "text/x-csharp"),
    (&["go"], "text/x-go"),
    (&["java"], "text/x-java-source"),
    (&["kt", "kts"], "text/x-kotlin"),
    (&["php"], "application/x-php"),
    (&["pl", "pm"], "text/x-perl"),
    (&["py", "pyw"], "text/x-python"),
    (&["rb"], "text/x-ruby"),
    (&["rs"], "text/rust"),
    (&["scala"], "text/x-scala"),
    (&["sh", "bash", "zsh"], "application/x-sh"),
    (&["sql"], "application/sql"),
    (&["swift"], "text/x-swift"),
    (&["diff", "patch"], "text/x-diff"),
    (&["log"], "text/x-log"),
];

/// The media type of a plain text with this extension.
pub(super) fn media_type(extension: &str) -> &'static str {
    let found = NAMES
        .iter()
        .find(|(endings, _)| endings.contains(&extension));
    found.map_or("text/plain", |(_, media)| media)
}
