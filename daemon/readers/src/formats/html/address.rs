//! Addresses of pages: resolved against the page that contains them (RFC 3986 §5.2), and compared.

/// Whether it has no scheme, no host, and does not start at the top of one.
pub(in super::super) fn is_relative(address: &str) -> bool {
    !address.is_empty() && !address.starts_with(['/', '\\', '#', '?']) && !has_scheme(address)
}

/// `address` as seen from the page at `base`. If the base is itself relative, `..` at the start of the result leads out
/// of its folder.
pub(in super::super) fn resolved(base: &str, address: &str) -> String {
    if has_scheme(address) {
        return address.to_owned();
    }
    let (origin, base) = split_origin(base);
    if let Some(scheme) = origin
        .split("//")
        .next()
        .filter(|scheme| !scheme.is_empty())
        && address.starts_with("//")
    {
        return format!("{scheme}{address}");
    }
    let path = &base[..base.find(['?', '#']).unwrap_or(base.len())];
    // Pages written on Windows use only this separator (WHATWG URL §4.4).
    let (named, rest) = address.split_at(address.find(['?', '#']).unwrap_or(address.len()));
    let named = named.replace('\\', "/");
    let folder = &path[..path.rfind('/').map_or(0, |at| at + 1)];
    let whole = match () {
        () if named.is_empty() => path.to_owned(),
        () if named.starts_with('/') => named,
        () if folder.is_empty() && !origin.is_empty() => format!("/{named}"),
        () => format!("{folder}{named}"),
    };
    format!("{origin}{}{rest}", without_dots(&whole))
}

/// Whether two addresses mean the same page: character by character, and for files regardless of query and
/// percent-encoding.
pub(in super::super) fn is_same(one: &str, other: &str) -> bool {
    let is_file = |address: &str| !address.contains("://");
    one == other || (is_file(one) && is_file(other) && file_name(one) == file_name(other))
}

fn has_scheme(address: &str) -> bool {
    let is_name = |name: &str| {
        name.starts_with(|c: char| c.is_ascii_alphabetic())
            && name
                .bytes()
                .all(|b| b.is_ascii_alphanumeric() || b"+-.".contains(&b))
    };
    address
        .split_once(':')
        .is_some_and(|(name, _)| is_name(name))
}

/// Scheme and host, and the rest.
fn split_origin(base: &str) -> (&str, &str) {
    let Some(host) = base.find("://").map(|at| at + 3) else {
        return ("", base);
    };
    base.split_at(base[host..].find('/').map_or(base.len(), |at| host + at))
}

/// RFC 3986 §5.2.4; for a path without a leading `/`, what leads out of it stays. The folder that such paths start in
/// is `./`, never empty.
fn without_dots(path: &str) -> String {
    if path.is_empty() {
        return String::new();
    }
    let rooted = path.starts_with('/');
    let is_folder = matches!(path.rsplit('/').next(), Some("" | "." | ".."));
    let mut kept: Vec<&str> = Vec::new();
    for part in path.split('/').filter(|part| !matches!(*part, "" | ".")) {
        match (part, kept.last()) {
            ("..", Some(last)) if *last != ".." => drop(kept.pop()),
            ("..", _) if rooted => {}
            _ => kept.push(part),
        }
    }
    let start = if rooted { "/" } else { "" };
    let end = match (kept.is_empty(), rooted) {
        (true, true) => "",
        (true, false) => "./",
        (false, _) if is_folder => "/",
        (false, _) => "",
    };
    format!("{start}{}{end}", kept.join("/"))
}

/// Without query and fragment, percent-encoding undone.
fn file_name(address: &str) -> Vec<u8> {
    let path = &address.as_bytes()[..address.find(['?', '#']).unwrap_or(address.len())];
    let mut name = Vec::with_capacity(path.len());
    let mut at = 0;
    while let Some(byte) = path.get(at) {
        let digits = path.get(at + 1..at + 3).filter(|_| *byte == b'%');
        let decoded = digits
            .and_then(|digits| std::str::from_utf8(digits).ok())
            .filter(|digits| digits.bytes().all(|b| b.is_ascii_hexdigit()))
            .and_then(|digits| u8::from_str_radix(digits, 16).ok());
        name.push(decoded.unwrap_or(*byte));
        at += if decoded.is_some() { 3 } else { 1 };
    }
    name
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    #[expect(clippy::too_many_lines, reason = "a table of addresses")]
    fn addresses_are_resolved() {
        for (base, address, whole) in [
            (
                "https://x.example/a/b.html",
                "c.html",
                "https://x.example/a/c.html",
            ),
            (
                "https://x.example/a/b.html",
                "./c.html",
                "https://x.example/a/c.html",
            ),
            (
                "https://x.example/a/b.html",
                "../c.html?d=/../e",
                "https://x.example/c.html?d=/../e",
            ),
            (
                "https://x.example/a/b.html",
                "/c.html",
                "https://x.example/c.html",
            ),
            (
                "https://x.example/a/b.html?q=/r/",
                "c.html",
                "https://x.example/a/c.html",
            ),
            (
                "https://x.example/a/b.html",
                "//y.example/c",
                "https://y.example/c",
            ),
            ("https://x.example", "/c.html", "https://x.example/c.html"),
            ("https://x.example", "c.html", "https://x.example/c.html"),
            ("https://x.example/", "../../c", "https://x.example/c"),
            (
                "https://x.example/",
                "https://y.example/",
                "https://y.example/",
            ),
            ("file:///a/b.html", "c.html", "file:///a/c.html"),
            ("a/b.html", "cid:x", "cid:x"),
            ("a/b.html", "javascript:x('..')", "javascript:x('..')"),
            ("", "c.html", "c.html"),
            ("", "../c/./d.html", "../c/d.html"),
            ("a/b.html", "..\\c.html", "c.html"),
            ("a/b.html", "../../../c.html", "../../c.html"),
            ("a/b.html", "#top", "a/b.html#top"),
            ("a/b.html", "", "a/b.html"),
            ("", ".", "./"),
            ("", "a/..", "./"),
            ("", "..", "../"),
            ("a.html", ".", "./"),
            ("a/b.html", ".", "a/"),
            ("a/b.html", "..", "./"),
            ("./", "c.html", "c.html"),
            ("https://x.example/a/b.html", ".", "https://x.example/a/"),
        ] {
            assert_eq!(resolved(base, address), whole, "{address} at {base}");
        }
    }

    #[test]
    fn relative_ones_name_no_scheme_no_host_and_no_top() {
        for address in ["a.html", "../a", "a b.html?x:y", "./c:d", "%2e%2e/a"] {
            assert!(is_relative(address), "{address}");
        }
        for address in [
            "",
            "/a",
            "//a/b",
            "\\a",
            "#a",
            "?a",
            "file:///a",
            "C:\\a",
            "about:blank",
        ] {
            assert!(!is_relative(address), "{address}");
        }
    }

    #[test]
    fn files_are_the_same_however_they_are_written() {
        assert!(is_same("a%20b.html?x#y", "a b.html"));
        assert!(!is_same("https://x/a?1", "https://x/a?2"));
        assert!(!is_same("a%2", "a\u{2}"));
    }

    proptest! {
        #[test]
        fn any_address_is_taken_without_panic(base in "\\PC{0,20}", address in "[%a0-9./\\\\:?#é]{0,30}") {
            let whole = resolved(&base, &address);
            is_same(&whole, &address);
            prop_assert!(!whole.is_empty() || address.is_empty());
        }
    }
}
