//! Cryptographic Message Syntax (RFC 5652), as far as needed to read signed content.
//!
//! BER with definite and indefinite lengths. No signature is verified: only the content matters.

/// The content of an S/MIME part.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Content {
    /// Signed and not encrypted.
    Signed(Vec<u8>),
    /// Encrypted for the holders of a key.
    Locked,
    Other,
}

const SIGNED: &[u8] = b"\x2a\x86\x48\x86\xf7\x0d\x01\x07\x02";
const LOCKED: &[&[u8]] = &[
    b"\x2a\x86\x48\x86\xf7\x0d\x01\x07\x03",
    b"\x2a\x86\x48\x86\xf7\x0d\x01\x07\x06",
    b"\x2a\x86\x48\x86\xf7\x0d\x01\x09\x10\x01\x17",
];

/// Maximum nesting of constructed values.
const MAX_DEPTH: usize = 16;

const OBJECT_IDENTIFIER: u8 = 0x06;
const OCTET_STRING: u8 = 0x04;
const CONSTRUCTED: u8 = 0x20;

/// Reads `ContentInfo { contentType, [0] content }`.
pub(super) fn read(bytes: &[u8]) -> Content {
    content(bytes).unwrap_or(Content::Other)
}

fn content(bytes: &[u8]) -> Option<Content> {
    let mut info = Ber(value(bytes)?.body);
    let kind = info.next().filter(|kind| kind.tag == OBJECT_IDENTIFIER)?;
    if LOCKED.contains(&kind.body) {
        return Some(Content::Locked);
    }
    if kind.body != SIGNED {
        return None;
    }
    // SignedData { version, digestAlgorithms, encapContentInfo { type, [0] octets } }
    let mut signed = Ber(value(info.next()?.body)?.body);
    let mut inner = Ber(signed.nth(2)?.body);
    let mut content = Vec::new();
    octets(&value(inner.nth(1)?.body)?, MAX_DEPTH, &mut content);
    Some(Content::Signed(content))
}

/// An octet string, in one piece or in several.
fn octets(value: &Value<'_>, depth: usize, content: &mut Vec<u8>) {
    if value.tag == OCTET_STRING {
        content.extend_from_slice(value.body);
    } else if value.tag == OCTET_STRING | CONSTRUCTED && depth > 0 {
        Ber(value.body).for_each(|piece| octets(&piece, depth - 1, content));
    }
}

struct Value<'a> {
    tag: u8,
    body: &'a [u8],
}

fn value(bytes: &[u8]) -> Option<Value<'_>> {
    Ber(bytes).next()
}

/// Values one after the other.
struct Ber<'a>(&'a [u8]);

impl<'a> Iterator for Ber<'a> {
    type Item = Value<'a>;

    fn next(&mut self) -> Option<Value<'a>> {
        let (value, rest) = split(self.0, MAX_DEPTH)?;
        self.0 = rest;
        Some(value)
    }
}

/// The first value and what follows it; the end of contents is no value. A truncated value is taken as far as it goes.
fn split(bytes: &[u8], depth: usize) -> Option<(Value<'_>, &[u8])> {
    let (&tag, rest) = bytes.split_first()?;
    let (&first, rest) = rest.split_first()?;
    match first {
        0 if tag == 0 => None,
        0x80 => {
            let length = indefinite(rest, depth)?;
            let end = rest.len().min(length + 2);
            Some((
                Value {
                    tag,
                    body: &rest[..length],
                },
                &rest[end..],
            ))
        }
        _ => {
            let long = if first > 0x80 {
                usize::from(first & 0x7f)
            } else {
                0
            };
            let digits = rest.get(..long).filter(|digits| digits.len() <= 8)?;
            let length = match long {
                0 => usize::from(first),
                _ => digits
                    .iter()
                    .fold(0_u64, |sum, digit| sum << 8 | u64::from(*digit))
                    .try_into()
                    .ok()?,
            };
            let rest = &rest[long..];
            let (body, rest) = rest.split_at(length.min(rest.len()));
            Some((Value { tag, body }, rest))
        }
    }
}

/// Bytes up to the end of contents that closes a value of indefinite length.
fn indefinite(bytes: &[u8], depth: usize) -> Option<usize> {
    let mut rest = bytes;
    while depth > 0 && !rest.is_empty() && !rest.starts_with(&[0, 0]) {
        rest = split(rest, depth - 1)?.1;
    }
    (depth > 0).then_some(bytes.len() - rest.len())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn der(tag: u8, parts: &[&[u8]]) -> Vec<u8> {
        let body = parts.concat();
        let mut all = vec![tag, 0x82];
        all.extend_from_slice(&(body.len() as u16).to_be_bytes());
        all.extend_from_slice(&body);
        all
    }

    fn open(tag: u8, parts: &[&[u8]]) -> Vec<u8> {
        [&[tag, 0x80], parts.concat().as_slice(), &[0, 0]].concat()
    }

    fn info(make: fn(u8, &[&[u8]]) -> Vec<u8>, oid: &[u8], octets: &[u8]) -> Vec<u8> {
        let data = der(6, &[b"\x2a\x86\x48\x86\xf7\x0d\x01\x07\x01"]);
        let inner = make(0x30, &[&data, &make(0xa0, &[octets])]);
        let signed = make(0x30, &[&[2, 1, 1], &[0x31, 0], &inner, &[0x31, 0]]);
        make(0x30, &[&der(6, &[oid]), &make(0xa0, &[&signed])])
    }

    #[test]
    fn signed_content_is_found_in_every_encoding() {
        let content = format!("Content-Type: text/plain\n\n{}", "text ".repeat(100)).into_bytes();
        let (first, second) = content.split_at(300);
        let pieces = open(
            0x24,
            &[&der(4, &[first]), &open(0x24, &[&der(4, &[second])])],
        );
        for octets in [der(4, &[&content]), pieces] {
            for make in [der, open] {
                let info = [info(make, SIGNED, &octets), b"behind it".to_vec()].concat();
                assert_eq!(read(&info), Content::Signed(content.clone()));
            }
        }
    }

    #[test]
    fn locked_content_is_told_apart() {
        assert_eq!(read(&info(der, LOCKED[0], b"")), Content::Locked);
        assert_eq!(read(&info(der, LOCKED[2], b"")), Content::Locked);
        assert_eq!(read(b"not at all"), Content::Other);
    }

    #[test]
    fn values_within_one_another_without_end_are_given_up() {
        assert_eq!(read(&[0x30, 0x80].repeat(1 << 16)), Content::Other);
    }

    proptest! {
        #[test]
        fn any_bytes_are_read_without_panic(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
            read(&bytes);
        }
    }
}
