//! What sampling the query costs and saves: at least 128 of its fingerprints looked up (as similar
//! documents are sought) against all of them (as contained documents are).

use std::collections::HashSet;
use std::time::Duration;

use simdex_index::{Candidate, CandidateKind};
use simdex_signature::Ratio;

use super::Settings;
use super::bed::{Bed, queries};
use crate::figure::Figures;

const DOCUMENTS: u64 = 20_000;
const QUERIES: u64 = 500;
/// The least resemblance that a search for similar documents lists.
const LISTED: f64 = 0.1;

pub(super) fn run(settings: Settings, figures: &mut Figures<'_>) -> anyhow::Result<()> {
    let documents = settings.documents.unwrap_or(DOCUMENTS);
    let bed = Bed::new(20_260_102, &settings)?;
    let (opened, _) = bed.open()?;
    bed.fill(&opened, 0..documents)?;
    let (mut sampled, mut full) = (Duration::ZERO, Duration::ZERO);
    let (mut sought, mut found) = (0, 0);
    for query in queries(bed.corpus, documents, QUERIES) {
        // The first of two like questions would pay for reading pages.
        query.ask(opened.index.reader(), CandidateKind::Contained)?;
        let (all, time) = query.ask(opened.index.reader(), CandidateKind::Contained)?;
        full += time;
        let (some, time) = query.ask(opened.index.reader(), CandidateKind::Similar(Ratio::ZERO))?;
        sampled += time;
        let some: HashSet<_> = some.found.iter().map(|c| c.document).collect();
        for candidate in all.found.iter().filter(|c| resemblance(c) >= LISTED) {
            sought += 1;
            found += usize::from(some.contains(&candidate.document));
        }
    }
    let mean = |time: Duration| time.as_secs_f64() * 1e3 / QUERIES as f64;
    figures.put("query, fingerprints sampled", mean(sampled), "ms")?;
    figures.put("query, all fingerprints", mean(full), "ms")?;
    figures.put("all over sampled", mean(full) / mean(sampled), "times")?;
    figures.put(
        "documents of resemblance 0.1 or more",
        f64::from(sought),
        "",
    )?;
    let recall = found as f64 / f64::from(sought.max(1));
    figures.put("of these found by sampling", recall, "")?;
    opened.index.close(opened.writer)?;
    Ok(())
}

fn resemblance(candidate: &Candidate) -> f64 {
    let either = candidate.query_fingerprints + candidate.document_fingerprints - candidate.shared;
    candidate.shared as f64 / either.max(1) as f64
}
