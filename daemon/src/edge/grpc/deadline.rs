//! The deadline of a request: the client's `grpc-timeout`, or the config's own.

use std::time::{Duration, Instant};

use tonic::metadata::MetadataMap;

/// The time a request has: its client's, or `otherwise` if it sets none; at most `longest`.
pub(super) fn from_metadata(
    metadata: &MetadataMap,
    otherwise: Duration,
    longest: Duration,
) -> Instant {
    let timeout = metadata
        .get("grpc-timeout")
        .and_then(|value| value.to_str().ok());
    let timeout = timeout.and_then(parse).unwrap_or(otherwise);
    Instant::now() + timeout.min(longest)
}

/// `TimeoutValue TimeoutUnit` of the gRPC protocol: at most 8 digits and one of `HMSmun`.
fn parse(text: &str) -> Option<Duration> {
    let unit = text.chars().next_back().filter(char::is_ascii)?;
    let digits = &text[..text.len() - 1];
    if digits.is_empty() || digits.len() > 8 || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let value: u64 = digits.parse().ok()?;
    Some(match unit {
        'H' => Duration::from_secs(value * 3600),
        'M' => Duration::from_secs(value * 60),
        'S' => Duration::from_secs(value),
        'm' => Duration::from_millis(value),
        'u' => Duration::from_micros(value),
        'n' => Duration::from_nanos(value),
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_unit_of_the_protocol_is_read() {
        assert_eq!(parse("2H"), Some(Duration::from_secs(7200)));
        assert_eq!(parse("3M"), Some(Duration::from_secs(180)));
        assert_eq!(parse("4S"), Some(Duration::from_secs(4)));
        assert_eq!(parse("5m"), Some(Duration::from_millis(5)));
        assert_eq!(parse("6u"), Some(Duration::from_micros(6)));
        assert_eq!(parse("7n"), Some(Duration::from_nanos(7)));
    }

    #[test]
    fn what_the_protocol_does_not_know_is_no_deadline() {
        for text in ["", "S", "5", "+5S", "-5S", "123456789S", "5x", "5 S", "5é"] {
            assert_eq!(parse(text), None, "{text}");
        }
    }

    #[test]
    fn the_clients_deadline_comes_before_the_configs_and_neither_is_endless() {
        let left = |text: &str| {
            let mut metadata = MetadataMap::new();
            metadata.insert("grpc-timeout", text.parse().unwrap());
            let longest = Duration::from_secs(3600);
            from_metadata(&metadata, Duration::from_secs(300), longest) - Instant::now()
        };
        assert!(left("1S") <= Duration::from_secs(1));
        assert!(left("nonsense") > Duration::from_secs(200));
        assert!(left("24H") <= Duration::from_secs(3600));
        assert!(left("99999999H") <= Duration::from_secs(3600));
    }
}
