//! The conditions under which a report was made. If they differ between two reports, some of the changes may come from
//! that rather than from the files.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::Value;

use crate::lines::{JsonPath, SchemeInUse};

/// The conditions under which a report was made.
#[derive(Clone, Debug, PartialEq, Deserialize)]
pub struct ReportTerms {
    /// `groups`, or the name of a compliance question: reports of other kinds are not compared.
    pub kind: String,
    /// The roots covered.
    pub roots: Vec<JsonPath>,
    /// Least resemblance of a near-duplicate; `None` if none was used.
    #[serde(default)]
    pub threshold: Option<f64>,
    /// How documents were signed.
    pub scheme: SchemeTerms,
    /// Whether the index was complete when the report was written.
    pub complete: bool,
    /// The hash that identifies the list of template lines left out of the comparison; `None` if there were none.
    #[serde(default)]
    pub template_list: Option<String>,
    /// The report's subject, unless that is everything.
    #[serde(default)]
    pub question: Option<Value>,
    /// The report's totals, by name.
    #[serde(default)]
    pub findings: BTreeMap<String, u64>,
}

/// The parameters in which two schemes must agree for their signatures to be comparable.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct SchemeTerms {
    name: String,
    window: u32,
    unit: String,
    canonical: u32,
}

impl From<&SchemeInUse> for SchemeTerms {
    fn from(SchemeInUse { scheme, .. }: &SchemeInUse) -> Self {
        Self {
            name: scheme.name.clone(),
            window: scheme.window,
            unit: scheme.unit.clone(),
            canonical: scheme.canonical,
        }
    }
}

/// Why a change between two reports may not come from the files.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Caveat {
    /// The reports cover different roots.
    Roots,
    /// They use different thresholds.
    Threshold,
    /// Their documents were signed with different parameters.
    Scheme,
    /// They left out different template lines.
    TemplateLines,
    /// They concern different files, protected roots or ages.
    Question,
    /// A search of one of them reached a limit.
    CutShort,
    /// The index was incomplete when the earlier report was made.
    EarlierIncomplete,
    /// The index was incomplete when the later report was made.
    LaterIncomplete,
}

impl Caveat {
    /// Every caveat there is.
    const ALL: [Self; 8] = [
        Self::Roots,
        Self::Threshold,
        Self::Scheme,
        Self::TemplateLines,
        Self::Question,
        Self::CutShort,
        Self::EarlierIncomplete,
        Self::LaterIncomplete,
    ];

    /// The caveat with this name; `None` if no such is known.
    pub fn of_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|caveat| caveat.name() == name)
    }

    /// The caveat's name in a manifest and in JSON.
    pub fn name(self) -> &'static str {
        match self {
            Self::Roots => "other-roots",
            Self::Threshold => "other-threshold",
            Self::Scheme => "other-scheme",
            Self::TemplateLines => "other-template-lines",
            Self::Question => "other-question",
            Self::CutShort => "cut-short",
            Self::EarlierIncomplete => "earlier-incomplete",
            Self::LaterIncomplete => "later-incomplete",
        }
    }

    /// This caveat as a clause.
    pub fn words(self) -> &'static str {
        match self {
            Self::Roots => "the earlier report covers other roots",
            Self::Threshold => "the earlier report was made at another threshold",
            Self::Scheme => "the documents of the earlier report were signed in another way",
            Self::TemplateLines => {
                "other template lines were left out of the documents of the earlier report"
            }
            Self::Question => "the earlier report asked about other files, roots or another age",
            Self::CutShort => "a search of one of the reports reached a bound",
            Self::EarlierIncomplete => "the earlier report was not complete",
            Self::LaterIncomplete => "this report is not complete",
        }
    }
}

impl ReportTerms {
    /// The conditions that a manifest states; `None` if it lacks some.
    pub fn of_manifest(text: &str) -> Option<Self> {
        serde_json::from_str(text).ok()
    }

    /// Whether there may be more than the report lists.
    fn is_cut(&self) -> bool {
        self.findings.get("cut_short").is_some_and(|cut| *cut > 0)
    }

    /// The caveats on changes from this report to a later one.
    pub fn caveats(&self, later: &Self) -> Vec<Caveat> {
        let all = [
            (self.roots != later.roots, Caveat::Roots),
            (self.threshold != later.threshold, Caveat::Threshold),
            (self.scheme != later.scheme, Caveat::Scheme),
            (
                self.template_list != later.template_list,
                Caveat::TemplateLines,
            ),
            (self.question != later.question, Caveat::Question),
            (self.is_cut() || later.is_cut(), Caveat::CutShort),
            (!self.complete, Caveat::EarlierIncomplete),
            (!later.complete, Caveat::LaterIncomplete),
        ];
        let holds = all.into_iter().filter(|(holds, _)| *holds);
        holds.map(|(_, caveat)| caveat).collect()
    }
}

/// The caveats as a sentence; `None` if there are none.
pub fn caveats_sentence(caveats: &[Caveat]) -> Option<String> {
    let clauses: Vec<_> = caveats.iter().map(|caveat| caveat.words()).collect();
    (!clauses.is_empty()).then(|| {
        format!(
            "some changes may not come from the files: {}",
            clauses.join(", ")
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const MANIFEST: &str = r#"{"kind":"leak","roots":[{"path":"/a"}],"threshold":0.8,"complete":true,
        "template_list":"a7","scheme":{"name":"mod_n","n":1,"n_most":64,"window":20,"unit":"bytes","canonical":4},
        "question":{"protected":[{"path":"/a"}]},"findings":{"cut_short":0},"files":[]}"#;

    #[test]
    fn terms_that_differ_are_told() {
        let earlier = ReportTerms::of_manifest(MANIFEST).unwrap();
        assert_eq!(earlier.caveats(&earlier), []);
        // The sampling modulus follows from the files, so it is not compared.
        let coarser = ReportTerms::of_manifest(&MANIFEST.replace("64", "128")).unwrap();
        assert_eq!(earlier.caveats(&coarser), []);
        let other = MANIFEST
            .replace("\"/a\"", "\"/b\"")
            .replace("0.8", "0.9")
            .replace("true", "false")
            .replace("_short\":0", "_short\":2")
            .replace("\"a7\"", "null")
            .replace(":4}", ":5}");
        let later = ReportTerms::of_manifest(&other).unwrap();
        let caveats = earlier.caveats(&later);
        let names: Vec<_> = caveats.iter().map(|it| it.name()).collect();
        assert_eq!(
            names,
            [
                "other-roots",
                "other-threshold",
                "other-scheme",
                "other-template-lines",
                "other-question",
                "cut-short",
                "later-incomplete"
            ]
        );
        assert_eq!(later.caveats(&earlier)[6], Caveat::EarlierIncomplete);
        assert!(
            caveats_sentence(&caveats)
                .unwrap()
                .ends_with("this report is not complete")
        );
        assert_eq!(caveats_sentence(&[]), None);
        assert!(ReportTerms::of_manifest("{}").is_none());
    }
}
