//! Signing texts by a recipe.

use crate::bsw_n;
use crate::fingerprint::Fingerprint;
use crate::laboratory::family::WindowHash;
use crate::laboratory::{Family, Method, Order, OutOfDomain, Recipe, Shingler};
use crate::min_n::MinN;
use crate::modulus::{Modulus, RemainderTest};
use crate::permutation::Permutation;
use crate::rolling::Choice;
use crate::sketch_n::{Entry, LeastUnder, SketchN};
use crate::sorted::sorted_distinct;
use crate::super_shingle;
use crate::whole_chunk;
use crate::winnowing::Winnowing;

/// Signs texts by one recipe, whose tables and permutations it holds.
#[derive(Clone, Debug)]
pub struct Signer {
    recipe: Recipe,
    shingler: Shingler,
    permutations: Vec<Permutation>,
    hashes: Vec<WindowHash>,
}

/// What a method kept of one text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RecipeSignature {
    recipe: Recipe,
    pub(super) kept: Kept,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Kept {
    /// Fingerprints as a set, ascending and distinct.
    Set(Vec<Fingerprint>),
    /// One after the other.
    Entries(Vec<Entry>),
}

impl Signer {
    /// A signer for this recipe.
    ///
    /// # Errors
    /// [`OutOfDomain`] if there is no such signature.
    pub fn new(recipe: Recipe) -> Result<Self, OutOfDomain> {
        recipe.check()?;
        let permutations = match recipe.method {
            Method::MinN {
                order: Order::Matrix { seed },
                ..
            } => vec![Permutation::matrix(seed, 0)],
            Method::SketchN { n, family } => functions(family, n.into()),
            Method::SuperShingles => super_shingle::functions(),
            _ => Vec::new(),
        };
        let shingler = Shingler::new(recipe.shingling);
        let hashes = match recipe.method {
            Method::SketchN { n, family } => window_hashes(family, n, shingler.tables().width()),
            _ => Vec::new(),
        };
        Ok(Self {
            recipe,
            shingler,
            permutations,
            hashes,
        })
    }

    /// The recipe by which it signs texts.
    pub fn recipe(&self) -> Recipe {
        self.recipe
    }

    /// The signature of a text, which is taken as it is.
    pub fn sign(&self, text: &str) -> RecipeSignature {
        RecipeSignature {
            recipe: self.recipe,
            kept: self.kept(text),
        }
    }

    fn kept(&self, text: &str) -> Kept {
        match self.recipe.method {
            Method::ModN { n, remainder } => {
                let choice = match remainder {
                    0 => Choice::multiples_of(n),
                    _ => Choice::Congruent(RemainderTest::new(n, remainder)),
                };
                Kept::Set(sorted_distinct(self.shingler.choose(text, choice)))
            }
            Method::BswN { n } => Kept::Set(self.bsw_n(text, n)),
            Method::MinN { n, .. } => Kept::Set(self.min_n(text, n as usize)),
            Method::SketchN {
                n,
                family: Family::Bins,
            } => {
                let mut bins = SketchN::new(n as usize);
                self.shingler.for_each_run(text, |run| bins.add(run));
                Kept::Entries(bins.finish())
            }
            Method::SketchN {
                family: Family::Rabin | Family::Jenkins { .. },
                ..
            } => {
                let (units, step) = self.shingler.units(text);
                let width = self.shingler.tables().width();
                let least = self
                    .hashes
                    .iter()
                    .map(|hash| hash.least(&units, width, step));
                Kept::Entries(least.collect())
            }
            Method::SketchN { .. } => Kept::Entries(self.least_under(text)),
            Method::SuperShingles => Kept::Entries(super_shingle::groups(&self.least_under(text))),
            Method::Winnowing { window } => {
                let mut winnowing = Winnowing::new(window);
                self.shingler.for_each_run(text, |run| winnowing.add(run));
                let selected = winnowing.finish().into_iter().map(|(f, _)| f);
                Kept::Set(sorted_distinct(selected.collect()))
            }
            Method::WholeChunks { n } => {
                let (bytes, tables) = (text.as_bytes(), self.shingler.tables());
                let chunks = whole_chunk::chunks(bytes, tables, Modulus::new(n)).into_iter();
                let hashes = chunks.map(|chunk| Fingerprint(chunk.hash));
                Kept::Set(sorted_distinct(hashes.collect()))
            }
        }
    }

    fn bsw_n(&self, text: &str, n: u64) -> Vec<Fingerprint> {
        let mut kept = self.shingler.minima(text, Choice::multiples_of(n));
        for least in &mut kept {
            *least = bsw_n::hash(*least, n);
        }
        sorted_distinct(kept)
    }

    fn min_n(&self, text: &str, n: usize) -> Vec<Fingerprint> {
        match self.shingler.units(text) {
            (units, 1) if self.permutations.is_empty() => {
                MinN::of_windows(self.shingler.tables(), &units, n)
            }
            _ => self.gathered(text, MinN::new(n)),
        }
    }

    fn gathered(&self, text: &str, mut gather: MinN) -> Vec<Fingerprint> {
        let mut images = Vec::new();
        self.shingler
            .for_each_run(text, |run| match self.permutations.first() {
                None => gather.add(run),
                Some(permutation) => {
                    images.clear();
                    images.extend(run.iter().map(|&f| Fingerprint(permutation.apply(f))));
                    gather.add(&images);
                }
            });
        gather.finish()
    }

    fn least_under(&self, text: &str) -> Vec<Entry> {
        let mut least = LeastUnder::new(&self.permutations);
        self.shingler.for_each_run(text, |run| least.add(run));
        least.finish()
    }
}

fn functions(family: Family, n: u64) -> Vec<Permutation> {
    match family {
        Family::Bins | Family::Rabin | Family::Jenkins { .. } => Vec::new(),
        Family::Scrambles { seed } => (0..n).map(|i| Permutation::scramble(seed, i)).collect(),
        Family::Matrices { seed } => (0..n).map(|i| Permutation::matrix(seed, i)).collect(),
    }
}

fn window_hashes(family: Family, n: u32, width: usize) -> Vec<WindowHash> {
    match family {
        Family::Rabin => WindowHash::rabin(n as usize, width),
        Family::Jenkins { seed } => WindowHash::jenkins(n, seed),
        Family::Bins | Family::Scrambles { .. } | Family::Matrices { .. } => Vec::new(),
    }
}

impl RecipeSignature {
    /// What it was made by.
    pub fn recipe(&self) -> Recipe {
        self.recipe
    }

    /// How many fingerprints it holds: empty entries of a sketch are none.
    pub fn len(&self) -> usize {
        match &self.kept {
            Kept::Set(set) => set.len(),
            Kept::Entries(entries) => entries.iter().flatten().count(),
        }
    }

    /// Whether nothing was kept.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The fingerprints it holds, ascending and distinct: the description units of Ignatov et al.
    pub fn units(&self) -> Vec<Fingerprint> {
        match &self.kept {
            Kept::Set(set) => set.clone(),
            Kept::Entries(entries) => sorted_distinct(entries.iter().flatten().copied().collect()),
        }
    }
}
