//! Decodes which signature schemes a request asks for, and refuses what a scheme cannot provide.

use simdex_proto::v1;
use simdex_proto::v1::SchemeChoice;
use simdex_signature::SchemeKind;
use simdex_signature::laboratory::Method;
use tonic::Status;

use super::status::{Refused, too_many};
use crate::read_side::compare::{ComparedScheme, SchemeSelection};
use crate::read_side::query::{FindKind, QueryError};

/// Most schemes that one comparison may name.
const MAX_SCHEMES: usize = 4;

/// Decodes the scheme that finds candidates; refuses one that cannot find what is asked for.
pub(super) fn parse_scheme(kind: FindKind, query: &v1::Query) -> Result<SchemeKind, Status> {
    let scheme = match parse_choice(query.scheme)? {
        SchemeChoice::Unspecified | SchemeChoice::ModN => SchemeKind::ModN,
        SchemeChoice::BswN => SchemeKind::BswN,
        SchemeChoice::MinN => SchemeKind::MinN,
        SchemeChoice::SketchN => SchemeKind::SketchN,
        SchemeChoice::SuperShingles => SchemeKind::SuperShingles,
    };
    kind.check_scheme(scheme).map_err(Refused::from)?;
    let is_signature = matches!(query.source, Some(v1::query::Source::Signature(_)));
    if is_signature && scheme != SchemeKind::ModN {
        let name = scheme.name();
        return Err(Status::invalid_argument(format!(
            "a signature is always one of mod_n and cannot be looked up by {name}"
        )));
    }
    Ok(scheme)
}

/// Decodes the schemes of a comparison.
pub(super) fn parse_schemes(request: &v1::CompareRequest) -> Result<SchemeSelection, Status> {
    if request.schemes.len() > MAX_SCHEMES {
        return Err(too_many(request.schemes.len(), "schemes", MAX_SCHEMES));
    }
    let mut schemes = Vec::new();
    for choice in &request.schemes {
        let scheme = match parse_choice(*choice)? {
            SchemeChoice::Unspecified => {
                return Err(Status::invalid_argument("a scheme is missing"));
            }
            SchemeChoice::ModN => ComparedScheme::ModN,
            SchemeChoice::BswN => ComparedScheme::BswN,
            SchemeChoice::MinN => ComparedScheme::MinN,
            SchemeChoice::SketchN => ComparedScheme::SketchN,
            SchemeChoice::SuperShingles => {
                let refused = QueryError::NoEstimate(SchemeKind::SuperShingles);
                return Err(Refused::from(refused).into());
            }
        };
        if !schemes.contains(&scheme) {
            schemes.push(scheme);
        }
    }
    match request.n {
        Some(n) if !(1..=Method::MAX_N).contains(&n) => Err(Status::invalid_argument(format!(
            "n is {n}, not 1 to {}",
            Method::MAX_N
        ))),
        n => Ok(SchemeSelection { schemes, n }),
    }
}

fn parse_choice(value: i32) -> Result<SchemeChoice, Status> {
    SchemeChoice::try_from(value)
        .map_err(|_| Status::invalid_argument(format!("{value} is not a scheme")))
}

#[cfg(test)]
mod tests {
    use super::*;
    use tonic::Code;

    fn query(scheme: i32) -> v1::Query {
        v1::Query {
            scheme,
            ..v1::Query::default()
        }
    }

    #[test]
    fn a_scheme_this_version_does_not_know_is_refused() {
        let parse = |scheme| parse_scheme(FindKind::Similar, &query(scheme));
        assert_eq!(parse(0).unwrap(), SchemeKind::ModN);
        assert_eq!(parse(2).unwrap(), SchemeKind::BswN);
        assert!(parse(99).is_err());
    }

    #[test]
    fn containment_of_a_scheme_that_gives_none_is_refused_with_the_reason() {
        for (scheme, name) in [
            (SchemeChoice::MinN, "min_n"),
            (SchemeChoice::SketchN, "sketch_n"),
            (SchemeChoice::SuperShingles, "super_shingles"),
        ] {
            for kind in [FindKind::Containing, FindKind::Contained, FindKind::Related] {
                let refused = parse_scheme(kind, &query(scheme.into())).unwrap_err();
                assert_eq!(refused.code(), Code::InvalidArgument);
                let why = format!(
                    "{name} gives no containment, since its signatures have one size for all texts"
                );
                assert_eq!(refused.message(), why);
            }
            let similar = parse_scheme(FindKind::Similar, &query(scheme.into())).unwrap();
            assert_eq!(similar.name(), name);
        }
    }

    #[test]
    fn a_signature_is_not_looked_up_by_another_scheme() {
        let signature = v1::query::Source::Signature(v1::Signature::default());
        let parse = |choice: SchemeChoice| {
            let source = Some(signature.clone());
            let query = v1::Query {
                source,
                ..query(choice.into())
            };
            parse_scheme(FindKind::Similar, &query)
        };
        assert!(parse(SchemeChoice::ModN).is_ok());
        for other in [
            SchemeChoice::BswN,
            SchemeChoice::MinN,
            SchemeChoice::SketchN,
            SchemeChoice::SuperShingles,
        ] {
            let refused = parse(other).unwrap_err();
            assert_eq!(refused.code(), Code::InvalidArgument);
        }
    }

    #[test]
    fn schemes_of_a_comparison_are_named_once_and_their_n_lies_in_its_domain() {
        let asked = |schemes: &[i32], n| v1::CompareRequest {
            schemes: schemes.to_vec(),
            n,
            ..v1::CompareRequest::default()
        };
        let parsed = parse_schemes(&asked(&[4, 1, 4], Some(Method::MAX_N))).unwrap();
        assert_eq!(
            parsed.schemes,
            [ComparedScheme::SketchN, ComparedScheme::ModN]
        );
        assert!(parse_schemes(&asked(&[], None)).unwrap().schemes.is_empty());
        for wrong in [
            asked(&[0], None),
            asked(&[6], None),
            asked(&[1; 5], None),
            asked(&[1], Some(0)),
            asked(&[1], Some(Method::MAX_N + 1)),
        ] {
            let refused = parse_schemes(&wrong).unwrap_err();
            assert_eq!(refused.code(), Code::InvalidArgument, "{wrong:?}");
        }
        let candidates = parse_schemes(&asked(&[1, 5], None)).unwrap_err();
        assert_eq!(candidates.code(), Code::InvalidArgument);
        let said = "super_shingles tells which documents may resemble each other, and gives no estimate of two";
        assert_eq!(candidates.message(), said);
        let five = parse_schemes(&asked(&[1; 5], None)).unwrap_err();
        let said = "the request lists 5 schemes; at most 4 may be named at once";
        assert_eq!(five.message(), said);
    }
}
