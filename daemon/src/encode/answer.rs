//! Encodes answers to queries and comparisons.

use simdex_judge::{Doubt, Judgement};
use simdex_proto::v1;
use simdex_signature::{CANONICAL_VERSION, LeftOutLines};

use super::judging::{class, model_id};
use super::{path, ratio, relation, scheme};
use crate::read_side::answering::{AnswerContext, Compared};
use crate::read_side::compare::{ComparedWords, FormOmission, LastRead, SchemeEstimate};
use crate::read_side::judging_outcome::JudgingOutcome;
use crate::read_side::query::{Answer, AnswerSummary, ComparedBy, Hit, RatioEstimate};
use crate::write_side::roots::live_reads::NotReadAgain;

pub(super) fn hit(hit: Hit) -> v1::Match {
    let overlap = hit.overlap;
    v1::Match {
        path: path(&hit.file.path),
        document: hit.document.map(|hash| hash.0.to_vec()).unwrap_or_default(),
        relation: relation(hit.relation),
        resemblance: Some(ratio(overlap.resemblance)),
        containment_of_query: Some(ratio(overlap.containment_of_first)),
        containment_in_query: Some(ratio(overlap.containment_of_second)),
        shared_fingerprints: overlap.shared,
        verified: overlap.verified,
        scheme: Some(scheme(hit.scheme.scheme, hit.scheme.rung)),
        modified: hit.file.record.modified(),
        date: hit.date.map(|date| date.seconds),
        date_source: hit
            .date
            .map(|date| date.source.name().to_owned())
            .unwrap_or_default(),
        is_query: hit.is_subject,
        folded_under: Vec::new(),
        not_judged: not_judged(hit.judgement.as_ref()),
        judgement: hit
            .judgement
            .and_then(JudgingOutcome::judgement)
            .map(judgement),
    }
}

/// Encodes an answer as the replies of a stream, the summary last.
pub fn find_replies(
    answer: Answer,
    context: AnswerContext,
) -> impl Iterator<Item = v1::FindReply> + Send + 'static {
    use v1::find_reply::Part;
    let summary = query_summary(answer.summary, context);
    let folded: Vec<_> = answer.hits.iter().map(|hit| hit.folded_under).collect();
    let mut matches: Vec<v1::Match> = answer.hits.into_iter().map(hit).collect();
    for (at, under) in folded.into_iter().enumerate() {
        if let Some(under) = under {
            matches[at].folded_under = matches[under].path.clone();
        }
    }
    let matches = matches.into_iter().map(Part::Match);
    let parts = matches.chain(std::iter::once(Part::Summary(summary)));
    parts.map(|part| v1::FindReply { part: Some(part) })
}

pub(super) fn query_summary(summary: AnswerSummary, context: AnswerContext) -> v1::QuerySummary {
    let document = summary.document.map(|hash| hash.0.to_vec());
    v1::QuerySummary {
        document: document.unwrap_or_default(),
        state: summary.state.name().to_owned(),
        reason: summary.reason.as_str().to_owned(),
        candidates: summary.candidates,
        verified: summary.verified,
        suppressed: summary.common_lists_count_only,
        seconds: context.seconds,
        truncated: summary.truncated || summary.unverified > 0,
        unjudged: summary.unjudged,
        common_lists: summary.common_lists_count_only,
        unverified: summary.unverified,
        compared_by: compared_by(summary.compared_by),
        promise: Some(summary.promise.into()),
        left_out: left_out(summary.left_out),
        last_read: context.last_read.map(last_read_of),
        completeness: Some(context.completeness.into()),
    }
}

/// `None` if nothing was left out.
fn left_out(left_out: LeftOutLines) -> Option<v1::LeftOutLines> {
    let LeftOutLines { lines, bytes } = left_out;
    (lines > 0).then_some(v1::LeftOutLines { lines, bytes })
}

fn compared_by(compared: ComparedBy) -> i32 {
    let compared = match compared {
        ComparedBy::Text => v1::ComparedBy::Text,
        ComparedBy::RawBytes => v1::ComparedBy::RawBytes,
        ComparedBy::Signature => v1::ComparedBy::Signature,
        ComparedBy::WholeText => v1::ComparedBy::WholeText,
        ComparedBy::WholeBytes => v1::ComparedBy::WholeBytes,
        ComparedBy::Nothing => v1::ComparedBy::Nothing,
    };
    compared.into()
}

/// Encodes a comparison.
pub fn comparison(compared: Compared) -> v1::CompareReply {
    let Compared {
        comparison: found,
        last_read,
        completeness,
    } = compared;
    let [last_read_a, last_read_b] = last_read.map(|side| side.map(last_read_of));
    let value = |measured: RatioEstimate| measured.value.unwrap_or_default();
    let (diff, difference_left_out) = match found.diff {
        Ok(diff) => (diff, String::new()),
        Err(why) => (String::new(), why.to_string()),
    };
    let spans = found.spans.iter().map(|span| v1::Span {
        offset_a: span.offset_a,
        offset_b: span.offset_b,
        length: span.length,
    });
    v1::CompareReply {
        relation: relation(found.relation),
        resemblance: value(found.overlap.resemblance),
        containment_of_a: value(found.overlap.containment_of_first),
        containment_of_b: value(found.overlap.containment_of_second),
        shared_shingles: found.overlap.shared,
        shingles_a: found.shingles.0,
        shingles_b: found.shingles.1,
        spans: spans.collect(),
        diff,
        difference_left_out,
        estimates: found.estimates.iter().map(estimate).collect(),
        chars_a: found.chars.0,
        chars_b: found.chars.1,
        left_out_a: left_out(found.left_out.0),
        left_out_b: left_out(found.left_out.1),
        completeness: Some(completeness.into()),
        not_judged: not_judged(found.judgement.as_ref()),
        judgement: found
            .judgement
            .and_then(JudgingOutcome::judgement)
            .map(judgement),
        last_read_a,
        last_read_b,
        words: found.words.map(words),
        shared_shingles_outside_spans: found.outside_spans,
    }
}

fn words(compared: ComparedWords) -> v1::WordDifference {
    let (extent, cut_short) = compared.extent.unwrap_or_default();
    let reason = |why: FormOmission| why.to_string();
    let (text, text_left_out) = match compared.text {
        Ok(text) => (text, String::new()),
        Err(why) => (String::new(), reason(why)),
    };
    let (operations, operations_left_out) = match compared.operations {
        Ok(operations) => (operations, String::new()),
        Err(why) => (Vec::new(), reason(why)),
    };
    let [bytes_a, bytes_b] = compared.bytes;
    v1::WordDifference {
        words_removed: extent.removed,
        words_added: extent.added,
        words_moved: extent.moved,
        blocks_moved: extent.blocks_moved,
        cut_short,
        text,
        operations: operations.into_iter().map(Into::into).collect(),
        text_left_out,
        operations_left_out,
        not_aligned: compared.extent.is_none(),
        bytes_a,
        bytes_b,
    }
}

fn last_read_of(side: LastRead) -> v1::LastRead {
    let why = match side.why {
        NotReadAgain::NotInTime => v1::NotReadAgain::NotInTime,
        NotReadAgain::Unreadable => v1::NotReadAgain::Unreadable,
        NotReadAgain::Changed => v1::NotReadAgain::Changed,
    };
    v1::LastRead {
        at: side.at,
        why: why.into(),
    }
}

/// Why a pair that was to be judged was not.
pub fn not_judged(judged: Option<&JudgingOutcome>) -> i32 {
    let why = match judged {
        None | Some(JudgingOutcome::Judged(_)) => v1::NotJudged::Unspecified,
        Some(JudgingOutcome::Withheld(doubt)) => withheld(*doubt),
        Some(JudgingOutcome::TimeOver) => v1::NotJudged::Time,
        Some(JudgingOutcome::NoText) => v1::NotJudged::NoText,
        Some(JudgingOutcome::BeyondFirst) => v1::NotJudged::BeyondFirst,
    };
    why.into()
}

fn withheld(doubt: Doubt) -> v1::NotJudged {
    match doubt {
        Doubt::Contradicted => v1::NotJudged::Contradicted,
        Doubt::Divided => v1::NotJudged::Divided,
        Doubt::NumbersDiffer => v1::NotJudged::NumbersDiffer,
        Doubt::Quoting => v1::NotJudged::Quoting,
        Doubt::Unsure => v1::NotJudged::Unsure,
    }
}

/// Encodes a judgement.
pub fn judgement(judged: Judgement) -> v1::Judgement {
    let signals = judged.signals.into_iter();
    let signals = signals.map(|(signal, value)| v1::SignalValue {
        name: signal.name().to_owned(),
        value,
    });
    v1::Judgement {
        class: class(judged.class).into(),
        probability: judged.probability,
        rule_number: judged.rule.as_ref().map_or(0, |rule| rule.number),
        rule: judged.rule.map(|rule| rule.to_string()).unwrap_or_default(),
        signals: signals.collect(),
        model: judged.model.as_deref().map(model_id),
    }
}

fn estimate(found: &SchemeEstimate) -> v1::SchemeEstimate {
    let method = found.method;
    let not_given = [
        (method.gives_containment(), v1::NotGiven::Containment),
        (
            method.gives_interval() || found.resemblance.low.is_some(),
            v1::NotGiven::Interval,
        ),
    ];
    let not_given = not_given.into_iter().filter(|(given, _)| !given);
    v1::SchemeEstimate {
        scheme: Some(v1::Scheme {
            name: method.name().to_owned(),
            n: method.n(),
            window: found.window.width().into(),
            unit: found.window.unit().name().to_owned(),
            canonical: CANONICAL_VERSION,
            template_list: Vec::new(),
        }),
        resemblance: Some(ratio(found.resemblance)),
        containment_of_a: found.of_a.map(ratio),
        containment_of_b: found.of_b.map(ratio),
        not_given: not_given.map(|(_, what)| what.into()).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::encode::tests::unreadable;
    use crate::read_side::query::{Overlap, Relation, SchemeUsed};
    use simdex_schema::DocumentHash;
    use simdex_signature::{Rung, Scheme, SchemeKind, Window};

    #[test]
    fn an_estimate_stays_one_and_a_number_that_was_not_measured_is_absent() {
        let value = RatioEstimate {
            value: Some(0.5),
            low: Some(0.4),
            high: Some(0.6),
        };
        let none = RatioEstimate::default();
        let shown = hit(Hit {
            file: unreadable(b"/r/a"),
            document: Some(DocumentHash([9; 32])),
            relation: Relation::ContainedIn,
            overlap: Overlap {
                resemblance: value,
                containment_of_first: none,
                containment_of_second: value,
                shared: 7,
                verified: false,
            },
            scheme: SchemeUsed {
                scheme: Scheme::of_text(SchemeKind::ModN, Window::DEFAULT),
                rung: Rung::MAX_DOCUMENT,
            },
            date: None,
            is_subject: false,
            folded_under: None,
            judgement: None,
        });
        assert_eq!(shown.relation(), v1::Relation::ContainedIn);
        assert_eq!(shown.containment_of_query.unwrap().value, None);
        assert_eq!(shown.resemblance.unwrap().high, Some(0.6));
        let scheme = shown.scheme.unwrap();
        assert_eq!(
            (scheme.name.as_str(), scheme.n, scheme.window),
            ("mod_n", 64, 20)
        );
        assert!(!shown.verified);
    }
}
