//! What two signatures of one recipe tell, and what they cannot.

use crate::bsw_error::MeasuredRatio;
use crate::estimate::{Estimate, Support};
use crate::laboratory::signer::Kept;
use crate::laboratory::{Method, Recipe, RecipeSignature, Shingling};
use crate::ratio::Ratio;
use crate::sorted::shared;
use crate::window::Window;
use crate::{min_n, sketch_n, super_shingle};

/// Why there is no answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Unanswerable {
    /// They were made differently.
    #[error("signatures made differently, {0} and {1}; sign both alike")]
    Unlike(Recipe, Recipe),
    /// The method says nothing of the sizes of texts.
    #[error(
        "{0} gives no containment, for its size does not follow the text's; mod_n and bsw_n give it"
    )]
    NoContainment(Method),
    /// The method only filters.
    #[error("{0} give candidates, no resemblance; mod_n, min_n, sketch_n and bsw_n give it")]
    NoResemblance(Method),
    /// The method only measures.
    #[error(
        "{0} gives no candidates of its own; ask it for the resemblance, or take super_shingles"
    )]
    NoCandidates(Method),
}

/// The resemblance of two texts; `None` if neither has a shingle.
///
/// # Errors
/// [`Unanswerable::Unlike`] and [`Unanswerable::NoResemblance`].
pub fn resemblance(
    a: &RecipeSignature,
    b: &RecipeSignature,
) -> Result<Option<Estimate>, Unanswerable> {
    let (shared, trials, support) = counted(a, b)?;
    Ok(Estimate::from_counts(shared, trials, support))
}

/// What the resemblance is the ratio of, and no interval, which takes longer than the count: for
/// all pairs of a collection. `None` if neither text has a shingle.
///
/// # Errors
/// As [`resemblance`].
pub fn similarity(a: &RecipeSignature, b: &RecipeSignature) -> Result<Option<Ratio>, Unanswerable> {
    let (shared, trials, _) = counted(a, b)?;
    Ok(Ratio::of(shared, trials))
}

/// How many trials agree, of how many, and what they support.
fn counted(a: &RecipeSignature, b: &RecipeSignature) -> Result<(u64, u64, Support), Unanswerable> {
    let method = alike(a, b)?;
    let recipe = a.recipe();
    Ok(match (method, &a.kept, &b.kept) {
        (Method::SuperShingles, ..) => return Err(Unanswerable::NoResemblance(method)),
        (Method::MinN { n, .. }, Kept::Set(a), Kept::Set(b)) => min_n::count(a, b, n as usize),
        (_, Kept::Set(a), Kept::Set(b)) => {
            let shared = shared(a, b);
            let union = (a.len() + b.len()) as u64 - shared;
            (shared, union, support(recipe, MeasuredRatio::Resemblance))
        }
        (_, Kept::Entries(a), Kept::Entries(b)) => {
            let (shared, trials) = sketch_n::count(a, b);
            (shared, trials, Support::Sampled)
        }
        // One recipe never keeps both.
        (_, Kept::Set(_), Kept::Entries(_)) | (_, Kept::Entries(_), Kept::Set(_)) => {
            return Err(Unanswerable::Unlike(a.recipe(), b.recipe()));
        }
    })
}

/// The containment of a text in another; `None` if `part` has no shingle.
///
/// # Errors
/// [`Unanswerable::Unlike`] and [`Unanswerable::NoContainment`].
pub fn containment(
    part: &RecipeSignature,
    whole: &RecipeSignature,
) -> Result<Option<Estimate>, Unanswerable> {
    let method = alike(part, whole)?;
    let support = support(part.recipe(), MeasuredRatio::Containment);
    let (Kept::Set(part), Kept::Set(whole), true) =
        (&part.kept, &whole.kept, method.gives_containment())
    else {
        return Err(Unanswerable::NoContainment(method));
    };
    let (shared, trials) = (shared(part, whole), part.len() as u64);
    Ok(Estimate::from_counts(shared, trials, support))
}

/// Whether super-shingles make a candidate of two texts, to be verified.
///
/// # Errors
/// [`Unanswerable::Unlike`] and [`Unanswerable::NoCandidates`].
pub fn is_candidate(a: &RecipeSignature, b: &RecipeSignature) -> Result<bool, Unanswerable> {
    match (alike(a, b)?, &a.kept, &b.kept) {
        (Method::SuperShingles, Kept::Entries(a), Kept::Entries(b)) => {
            Ok(super_shingle::equal(a, b) >= super_shingle::NEEDED)
        }
        (method, ..) => Err(Unanswerable::NoCandidates(method)),
    }
}

/// How many description units two signatures share: the count that Ignatov et al. 2009 hold
/// against their thresholds, of a hundred or so.
///
/// # Errors
/// [`Unanswerable::Unlike`].
pub fn agreeing(a: &RecipeSignature, b: &RecipeSignature) -> Result<u64, Unanswerable> {
    alike(a, b)?;
    Ok(match (&a.kept, &b.kept) {
        (Kept::Set(a), Kept::Set(b)) => shared(a, b),
        _ => shared(&a.units(), &b.units()),
    })
}

fn alike(a: &RecipeSignature, b: &RecipeSignature) -> Result<Method, Unanswerable> {
    match (a.recipe(), b.recipe()) {
        (a, b) if a == b => Ok(a.method),
        (a, b) => Err(Unanswerable::Unlike(a, b)),
    }
}

/// The support of methods that keep sets and give both measures.
fn support(recipe: Recipe, ratio: MeasuredRatio) -> Support {
    match recipe.method {
        // At n = 1 every window is a chunk.
        Method::ModN { n: 1, .. } | Method::BswN { n: 1 } => Support::Exact,
        Method::BswN { n } if recipe.shingling == Shingling::from(Window::DEFAULT) => {
            Support::Measured(ratio, n)
        }
        method if method.gives_interval() => Support::Sampled,
        _ => Support::NoInterval,
    }
}
