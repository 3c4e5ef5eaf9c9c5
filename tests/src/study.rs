//! The studies, by name: how well real documents are read, compared with independent readers; and the
//! experiments of the papers. They print figures beside their goals, or the paper's, and judge
//! nothing: what a goal is missed by is read by people.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

use crate::figure::Figures;
use crate::sandbox::corpora;

mod agreement;
pub mod baselines;
mod bsw_error;
mod calibrate;
mod containment;
mod conversions;
mod convert;
mod crossformat;
mod extracted;
mod judge;
#[cfg(test)]
mod kept;
mod papers;
mod pdf_recall;
mod plain_to_html;
mod readers;
mod reference;
pub(crate) mod template_pairs;
mod throughput;
mod version_chains;
mod word_agreement;

pub use extracted::worker;

/// What the command line may change.
#[derive(Clone, Debug, Default)]
pub struct Settings {
    /// The folder of real documents.
    pub corpus: Option<PathBuf>,
    /// Texts to convert, where the study converts any.
    pub texts: Option<usize>,
    /// Where the answers of independent readers are kept from one run to the next.
    pub keep: Option<PathBuf>,
    /// Where figures are drawn.
    pub figures: PathBuf,
}

impl Settings {
    /// A folder of the corpora; an error where there are none.
    fn folder(&self, name: &str) -> Result<PathBuf> {
        let found = self.corpus.clone().or_else(corpora);
        let folder = found.context("no corpora; name them with --corpus")?;
        folder
            .join(name)
            .canonicalize()
            .with_context(|| format!("{} in {}", name, folder.display()))
    }
}

/// A study that is run by its name.
pub struct Study {
    /// As given on the command line.
    pub name: &'static str,
    /// What it shows, in one line.
    pub about: &'static str,
    /// Runs it; an error where it cannot be run at all.
    pub run: fn(&Settings, &mut Figures<'_>) -> Result<()>,
}

/// All studies, in the order of their list.
pub const STUDIES: &[Study] = &[
    Study {
        name: "readers",
        about: "files that independent readers open: where they end here",
        run: readers::run,
    },
    Study {
        name: "agreement",
        about: "word 5-shingles shared with independent readers, by format",
        run: agreement::run,
    },
    Study {
        name: "pdf-recall",
        about: "PDFs in which pdftotext finds 50 words: how much of the vocabulary is found here",
        run: pdf_recall::run,
    },
    Study {
        name: "crossformat",
        about: "txt, html, pdf and xml of one RFC: exact resemblance of every pair of kinds",
        run: crossformat::run,
    },
    Study {
        name: "conversions",
        about: "one text saved in eight kinds by LibreOffice and pandoc: exact resemblance",
        run: conversions::run,
    },
    Study {
        name: "throughput",
        about: "what the pool costs beside the parsers: CPU shares and use of two cores",
        run: throughput::run,
    },
    Study {
        name: "version-chains",
        about: "long histories, names and times withheld: links found, and directed right",
        run: version_chains::run,
    },
    Study {
        name: "template-pairs",
        about: "short documents of one template: near-duplicate pairs with it and without it",
        run: template_pairs::run,
    },
    Study {
        name: "containment",
        about: "from which containment on a document holds another: recall and precision by threshold",
        run: containment::run,
    },
    Study {
        name: "judge-terms",
        about: "document frequencies of common words: the judge's table of terms, written beside figures",
        run: judge::terms::run,
    },
    Study {
        name: "judge-model",
        about: "the shipped model, trained on labelled pairs and written beside figures",
        run: judge::model::run,
    },
    Study {
        name: "judge-growth",
        about: "F1 and precision by the depth of the judge's tree, the least pairs of a leaf and what it may claim",
        run: judge::growth::run,
    },
    Study {
        name: "huffman-table1",
        about: "groups of signals on fetched and shown bodies: F, R, FS, RS (Table 1)",
        run: judge::table1::run,
    },
    Study {
        name: "huffman-table2",
        about: "every signal alone, groups, held-out families, each kind of pair (Tables 2 and 3)",
        run: judge::table2::run,
    },
    Study {
        name: "huffman-rules",
        about: "two learners on the same folds, trees and Ripper's rules, and their average (Huffman et al. 2007, §5)",
        run: judge::rules::run,
    },
    Study {
        name: "huffman-table5",
        about: "what a model trained on English loses on other languages",
        run: judge::languages::run,
    },
    Study {
        name: "henzinger-sites",
        about: "precision within a site and across two: each signal, and two in sequence",
        run: judge::sites::run,
    },
    Study {
        name: "huffman-cost",
        about: "F1 as dearer signals are added, and the time of each (Fig. 3)",
        run: judge::cost::run,
    },
    Study {
        name: "cherkasova-fig2",
        about: "copies with i insertions, by window: average similarity",
        run: papers::cherkasova_fig2::run,
    },
    Study {
        name: "cherkasova-fig3",
        about: "distinct documents, by window: false similarity",
        run: papers::cherkasova_fig3::fig3,
    },
    Study {
        name: "cherkasova-fig4",
        about: "distinct documents, by scheme: false similarity",
        run: papers::cherkasova_fig3::fig4,
    },
    Study {
        name: "cherkasova-fig5",
        about: "sampling frequency: averages, and what they hide (Figs. 5 and 6)",
        run: papers::cherkasova_fig5::run,
    },
    Study {
        name: "cherkasova-fig7",
        about: "four schemes at equal size: level, bias and error (Figs. 7 and 8)",
        run: papers::cherkasova_fig7::run,
    },
    Study {
        name: "cherkasova-fig9",
        about: "similar pairs of short notes, by scheme and threshold (Fig. 9, Table 2)",
        run: papers::cherkasova_fig9::run,
    },
    Study {
        name: "cherkasova-fig11",
        about: "time to sign 500 KB, by scheme and window",
        run: papers::cherkasova_fig11::run,
    },
    Study {
        name: "sketch-families",
        about: "Sketch_84 by bins, scrambles, Rabin's and Jenkins' functions: bias, error, speed",
        run: papers::sketch_families::run,
    },
    Study {
        name: "mod-n-error",
        about: "bias, error and intervals of the schemes, by resemblance and by length of the documents",
        run: papers::mod_n_error::run,
    },
    Study {
        name: "bsw-error",
        about: "how far estimates by BSW_n are off: its table of intervals, written beside figures and checked",
        run: bsw_error::run,
    },
    Study {
        name: "calibrate",
        about: "precision and recall that simctl calibrate predicts, beside those of documents it did not look at",
        run: calibrate::run,
    },
    Study {
        name: "ye-table3",
        about: "documents and shingles by size (Fig. 1, Table 3)",
        run: papers::ye::table3,
    },
    Study {
        name: "ye-fig2",
        about: "precision of sampling by threshold and size",
        run: papers::ye::fig2,
    },
    Study {
        name: "ye-fig3",
        about: "recall of sampling by threshold and size",
        run: papers::ye::fig3,
    },
    Study {
        name: "ye-fig4",
        about: "adaptive sampling: shingles kept for a required precision",
        run: papers::ye::fig4,
    },
    Study {
        name: "ye-recall",
        about: "adaptive sampling with a cut below the threshold: shingles kept for precision and recall",
        run: papers::ye_recall::run,
    },
    Study {
        name: "ye-width",
        about: "precision and recall of pairs by the width of a shingle, in words",
        run: papers::ye_width::width,
    },
    Study {
        name: "ye-pieces",
        about: "pairs that a join cut into pieces misses, beside a scan of ours",
        run: papers::ye_width::pieces,
    },
    Study {
        name: "units",
        about: "overlap that bytes, words, sentences, lines and chunks see; words and bytes that are equivalent",
        run: papers::units::run,
    },
    Study {
        name: "lexical-ranking",
        about: "copies of a query ranked by Hoad and Zobel's identity, COPS, SCAM, lexical images and shingles",
        run: papers::lexical::ranking,
    },
    Study {
        name: "i-match-stability",
        about: "texts that I-Match and randomised lexicons still match after edits",
        run: papers::lexical::stability,
    },
    Study {
        name: "text-forms",
        about: "markup, punctuation and case before shingles of words and bytes: pairs found (Ignatov et al., Ye et al.)",
        run: papers::text_forms::run,
    },
    Study {
        name: "ignatov-images",
        about: "images of fixed, logarithmic and linear size: error and fingerprints kept",
        run: papers::ignatov_images::run,
    },
    Study {
        name: "ye-text",
        about: "figures in the text, and the price of Broder's and Heintze's economies and of super-shingles",
        run: papers::ye_text::run,
    },
    Study {
        name: "ignatov-table2",
        about: "pairs by n smallest units of one permutation, against a list",
        run: papers::ignatov::table2,
    },
    Study {
        name: "ignatov-table3",
        about: "pairs by the smallest unit of n permutations, against a list",
        run: papers::ignatov::table3,
    },
    Study {
        name: "ignatov-table4",
        about: "time of two miners by collection and units in common; every stage",
        run: papers::ignatov_table4::run,
    },
    Study {
        name: "ignatov-lengths",
        about: "shingle lengths 5 to 20 and both permutation methods",
        run: papers::ignatov::lengths,
    },
];

/// Figures and tables of the papers that come with the study of another.
const COMES_WITH: &[(&str, &str)] = &[
    ("cherkasova-fig6", "cherkasova-fig5"),
    ("cherkasova-fig8", "cherkasova-fig7"),
    ("cherkasova-table2", "cherkasova-fig9"),
    ("ye-fig1", "ye-table3"),
];

/// The study of this name, or the one that the figure or table of this name comes with.
pub fn find(name: &str) -> Option<&'static Study> {
    let with = COMES_WITH.iter().find(|(figure, _)| *figure == name);
    let name = with.map_or(name, |(_, study)| study);
    STUDIES.iter().find(|study| study.name == name)
}

/// A path as figures name it: below the folder studied.
fn shown(path: &Path, folder: &Path) -> String {
    let below = path.strip_prefix(folder).unwrap_or(path);
    below.display().to_string()
}

/// A goal, and whether a value reaches it.
fn goal(value: f64, least: f64) -> String {
    let verdict = if value >= least { "reached" } else { "MISSED" };
    format!("goal: at least {least}, {verdict}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_figure_and_table_of_the_papers_is_found_by_its_name() {
        let cherkasova = (2..=9).chain([11]).map(|at| format!("cherkasova-fig{at}"));
        let ye = (1..=4).map(|at| format!("ye-fig{at}"));
        let others = [
            "cherkasova-table2",
            "ye-table3",
            "ye-text",
            "ignatov-table2",
            "ignatov-table3",
            "sketch-families",
        ];
        for name in cherkasova.chain(ye).chain(others.map(str::to_owned)) {
            assert!(find(&name).is_some(), "{name}");
        }
        assert!(find("cherkasova-fig10").is_none());
    }
}
