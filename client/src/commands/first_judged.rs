//! How many results of a list are judged, if only the first were to be.

use simdex_client::text::grouped;
use simdex_client::wire::NotJudged;

/// Counts results up to the first that was not to be judged.
#[derive(Default)]
pub(super) struct FirstJudged {
    count: u64,
    /// Whether there is one that was not to be judged.
    is_past: bool,
}

impl FirstJudged {
    /// Notes the next result, which is judged unless there is a reason.
    pub(super) fn note(&mut self, why_not: NotJudged) {
        self.is_past |= why_not == NotJudged::BeyondFirst;
        self.count += u64::from(!self.is_past);
    }

    /// What is said of a list that is not judged to its end.
    pub(super) fn remark(&self, what: &str) -> Option<String> {
        let first = match self.count {
            1 => format!("{what} is"),
            count => format!("{} {what}s are", grouped(count)),
        };
        let remark = || format!("only the first {first} judged; --judge on judges all");
        self.is_past.then(remark)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_results_before_the_first_that_is_left_out_are_counted() {
        let said = |results: &[NotJudged]| {
            let mut first = FirstJudged::default();
            results.iter().for_each(|why_not| first.note(*why_not));
            first.remark("pair")
        };
        let judged = NotJudged::Unspecified;
        let (divided, beyond) = (NotJudged::Divided, NotJudged::BeyondFirst);
        assert_eq!(said(&[]), None);
        assert_eq!(said(&[judged, divided, judged]), None);
        let remark = "only the first 2 pairs are judged; --judge on judges all";
        // Copies are judged wherever they are.
        let listed = said(&[judged, divided, beyond, judged, beyond]);
        assert_eq!(listed.as_deref(), Some(remark));
        let remark = "only the first pair is judged; --judge on judges all";
        assert_eq!(said(&[judged, beyond]).as_deref(), Some(remark));
    }
}
