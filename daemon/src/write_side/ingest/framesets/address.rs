//! Resolves an address in a page to a path among the files of its share. Addresses are hostile:
//! whatever they contain, they resolve to a path below the root or to nothing.

/// The target of an address.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct ResolvedPath {
    /// Below the root.
    pub(super) path: Vec<u8>,
    /// The smallest number of folders below the root that the path passes through while it is resolved.
    pub(super) top: usize,
}

/// Number of folders that a file is in, below the root.
pub(super) fn depth_of(path: &[u8]) -> usize {
    path.iter().filter(|byte| **byte == b'/').count()
}

/// The path that a relative address means in a page in `folder` (RFC 3986 §5.2, without query and
/// fragment, percent-decoded). `None` if it has a scheme, begins at the top of a site, leads out of
/// the root even temporarily, or leads to no file.
pub(super) fn resolve(folder: &[u8], address: &str) -> Option<ResolvedPath> {
    let end = address.find(['?', '#']).unwrap_or(address.len());
    let named = &address[..end];
    let is_schemed = named
        .split('/')
        .next()
        .is_some_and(|first| first.contains(':'));
    if is_schemed || named.starts_with('/') {
        return None;
    }
    let named = decoded(named.as_bytes());
    if named.contains(&0) {
        return None;
    }
    let mut kept: Vec<&[u8]> = parts(folder).collect();
    let mut top = kept.len();
    for part in parts(&named) {
        if part == b".." {
            kept.pop()?;
            top = top.min(kept.len());
        } else {
            kept.push(part);
        }
    }
    let is_folder = named.is_empty() || named.ends_with(b"/") || kept.len() <= top;
    (!is_folder).then(|| ResolvedPath {
        path: kept.join(&b'/'),
        top,
    })
}

/// The address by which a page refers to the file at `path` if the ancestor of its folder at depth
/// `top` is the top: percent-encoded, without `..`.
pub(super) fn location(path: &[u8], top: usize) -> String {
    let below: Vec<&[u8]> = parts(path).skip(top).collect();
    let mut location = String::new();
    for byte in below.join(&b'/') {
        match byte {
            b'/' | b'-' | b'.' | b'_' | b'~' => location.push(char::from(byte)),
            byte if byte.is_ascii_alphanumeric() => location.push(char::from(byte)),
            byte => location.push_str(&format!("%{byte:02X}")),
        }
    }
    location
}

/// The components of a path.
pub(super) fn parts(path: &[u8]) -> impl Iterator<Item = &[u8]> {
    let parts = path.split(|byte| *byte == b'/');
    parts.filter(|part| !part.is_empty() && *part != b".")
}

fn decoded(encoded: &[u8]) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(encoded.len());
    let mut at = 0;
    while let Some(byte) = encoded.get(at) {
        let digit = |at: usize| {
            encoded
                .get(at)
                .and_then(|byte| char::from(*byte).to_digit(16))
        };
        match (byte, digit(at + 1), digit(at + 2)) {
            (b'%', Some(high), Some(low)) => {
                bytes.extend(u8::try_from(high << 4 | low));
                at += 3;
            }
            _ => {
                bytes.push(*byte);
                at += 1;
            }
        }
    }
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn path(folder: &str, address: &str) -> Option<(String, usize)> {
        let place = resolve(folder.as_bytes(), address)?;
        Some((String::from_utf8(place.path).unwrap(), place.top))
    }

    #[test]
    fn addresses_lead_to_files_beside_the_page() {
        for (folder, address, led, top) in [
            ("", "menu.html", "menu.html", 0),
            ("a/b", "./menu.html?x=/../y#z", "a/b/menu.html", 2),
            ("a/b", "../c/d%20e.html", "a/c/d e.html", 1),
            ("a/b", "../../a/b/c", "a/b/c", 0),
            ("a", "x%3Fy.html", "a/x?y.html", 1),
            ("a", "100%.html", "a/100%.html", 1),
            ("a", "b/c:d", "a/b/c:d", 1),
        ] {
            assert_eq!(
                path(folder, address),
                Some((led.to_owned(), top)),
                "{address}"
            );
        }
    }

    #[test]
    fn hostile_addresses_lead_nowhere() {
        for address in [
            "",
            "#a",
            "?a",
            ".",
            "b/..",
            "b/",
            "../..",
            "../../etc/passwd",
            "../../a/x.html",
            "%2e%2e/%2e%2e/etc/passwd",
            "..%2f..%2fetc%2fpasswd",
            "/etc/passwd",
            "//host/x",
            "file:///etc/passwd",
            "file:x",
            "C:/x",
            "a%00.html",
            "a\0.html",
        ] {
            assert_eq!(path("a", address), None, "{address:?}");
        }
    }

    proptest! {
        #[test]
        fn no_address_leads_out_of_the_root(address in "([.]{1,2}/|%2e|%2E|%2f|[a-c%/\\\\:?#\0]){0,12}") {
            if let Some(place) = resolve(b"a/b", &address) {
                prop_assert!(!place.path.starts_with(b"/") && !place.path.contains(&0));
                prop_assert!(place.path.split(|b| *b == b'/').all(|p| !matches!(p, b"" | b"." | b"..")));
                prop_assert!(place.top <= depth_of(&place.path));
                let location = location(&place.path, place.top);
                let back = super::resolve(b"", &location).unwrap().path;
                prop_assert!(place.path.ends_with(&back));
            }
        }
    }
}
