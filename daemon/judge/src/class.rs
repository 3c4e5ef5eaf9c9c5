//! The classes of a judged pair.

use std::ops::AddAssign;

/// How likely a duplicate has to be for a judgement to call a pair one. By `study judge-growth` precision is the same
/// from 0.8 to 0.9, and recall falls.
pub(crate) const BORNE_OUT: f64 = 0.85;

/// How two documents are related, as a reader would say.
///
/// The cases follow the instructions to the raters of Huffman et al. 2007, §4.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Class {
    /// Both have the same content: at most layout, page headers, notices or advertisements differ. A printer version
    /// and a mirror are the same.
    Same,
    /// One was made from the other: a revision, an excerpt, or a longer document that includes it.
    Version,
    /// They share a form, or data, but are separate documents: two letters from one template, the same list in another
    /// order, the same data in another frame, a login page of the same site.
    TemplateOnly,
    /// The documents are unrelated.
    Unrelated,
}

impl Class {
    /// All classes, in the order of [`Counts`].
    pub const ALL: [Self; 4] = [
        Self::Same,
        Self::Version,
        Self::TemplateOnly,
        Self::Unrelated,
    ];

    /// The name in model files, labels, JSON and tables.
    pub fn name(self) -> &'static str {
        match self {
            Self::Same => "same",
            Self::Version => "version",
            Self::TemplateOnly => "template-only",
            Self::Unrelated => "unrelated",
        }
    }

    /// The class with this name.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|class| class.name() == name)
    }

    /// Whether the pair is one document in the sense of the paper: the same, or a version of it.
    pub fn is_duplicate(self) -> bool {
        matches!(self, Self::Same | Self::Version)
    }

    /// Its index in [`Class::ALL`].
    pub fn index(self) -> usize {
        self as usize
    }
}

/// How many training pairs there are of each class, in the order of [`Class::ALL`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts(pub [u32; Class::ALL.len()]);

impl Counts {
    /// Pairs of all classes.
    pub fn total(&self) -> u32 {
        self.0
            .iter()
            .fold(0, |sum, count| sum.saturating_add(*count))
    }

    /// The class with most pairs; the later one of several equal ones, which claims less.
    pub fn most(&self) -> Class {
        let by_count = |class: &Class| self.0[class.index()];
        Class::ALL
            .into_iter()
            .max_by_key(by_count)
            .unwrap_or(Class::Unrelated)
    }

    /// Number of pairs of the classes that are duplicates.
    pub fn duplicates(&self) -> u32 {
        let duplicates = Class::ALL.into_iter().filter(|class| class.is_duplicate());
        duplicates.fold(0, |sum, class| sum.saturating_add(self.0[class.index()]))
    }

    /// The class with most pairs among those that are no duplicates; the earlier one of several equal ones.
    pub fn most_of_others(&self) -> Class {
        let [.., template_only, unrelated] = self.0;
        match unrelated > template_only {
            true => Class::Unrelated,
            false => Class::TemplateOnly,
        }
    }

    /// The probability of each class by Laplace's rule of succession: (n_c + 1) / (n + 4).
    pub fn probabilities(&self) -> Probabilities {
        let all = f64::from(self.total()) + Class::ALL.len() as f64;
        Probabilities(self.0.map(|of_class| (f64::from(of_class) + 1.0) / all))
    }

    /// The probability that a pair is what its class claims ([`Probabilities::claimed`]).
    pub fn claimed(&self, class: Class) -> f64 {
        self.probabilities().claimed(class)
    }

    /// Counts a pair of this class.
    pub fn add(&mut self, class: Class) {
        self.0[class.index()] += 1;
    }
}

/// How likely each class is, in the order of [`Class::ALL`].
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Probabilities(pub [f64; Class::ALL.len()]);

impl Probabilities {
    /// The probability that a pair is what its class claims. A pair of `Same` documents is also one document in the sense
    /// of `Version`, which claims less: where a rule does not tell both apart, that is what it says.
    pub fn claimed(&self, class: Class) -> f64 {
        match class {
            Class::Version => self.duplicates(),
            _ => self.0[class.index()],
        }
    }

    /// The probability of the classes that are duplicates.
    pub fn duplicates(&self) -> f64 {
        self.0[Class::Same.index()] + self.0[Class::Version.index()]
    }

    /// The most likely class; the later one of several equal ones, which claims less.
    pub fn most(&self) -> Class {
        let by_probability = |a: &Class, b: &Class| self.0[a.index()].total_cmp(&self.0[b.index()]);
        Class::ALL
            .into_iter()
            .max_by(by_probability)
            .unwrap_or(Class::Unrelated)
    }

    /// The strongest claim that is borne out: a duplicate has to be as likely as [`BORNE_OUT`].
    pub fn borne_out(&self) -> Class {
        let [same, _, template_only, unrelated] = self.0;
        match self.duplicates() >= BORNE_OUT {
            true if same >= BORNE_OUT => Class::Same,
            true => Class::Version,
            false if unrelated > template_only => Class::Unrelated,
            false => Class::TemplateOnly,
        }
    }

    /// Adds the probabilities of a part of the evidence that has this share in it.
    pub(crate) fn add(&mut self, part: Self, share: f64) {
        for (of_class, more) in self.0.iter_mut().zip(part.0) {
            *of_class += share * more;
        }
    }
}

impl AddAssign for Counts {
    fn add_assign(&mut self, other: Self) {
        for (count, more) in self.0.iter_mut().zip(other.0) {
            *count = count.saturating_add(more);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_distinct_and_found_again() {
        for class in Class::ALL {
            assert_eq!(Class::named(class.name()), Some(class));
            assert_eq!(Class::ALL[class.index()], class);
        }
        assert_eq!(Class::named("Same"), None);
    }

    #[test]
    fn probabilities_sum_to_one_and_a_tie_claims_less() {
        let counts = Counts([5, 5, 0, 2]);
        let sum: f64 = counts.probabilities().0.iter().sum();
        assert!((sum - 1.0).abs() < 1e-12);
        assert_eq!(counts.most(), Class::Version);
        assert_eq!(counts.probabilities().most(), Class::Version);
        assert_eq!(counts.probabilities().0[0], 6.0 / 16.0);
        assert_eq!(counts.claimed(Class::Same), 6.0 / 16.0);
        assert_eq!(counts.claimed(Class::Version), 12.0 / 16.0);
        assert_eq!(Counts::default().most(), Class::Unrelated);
        assert_eq!(
            (counts.duplicates(), counts.most_of_others()),
            (10, Class::Unrelated)
        );
        assert_eq!(Counts([5, 0, 1, 1]).most_of_others(), Class::TemplateOnly);
    }

    #[test]
    fn what_is_likely_but_not_sure_is_no_duplicate() {
        let borne_out = |of: [f64; 4]| Probabilities(of).borne_out();
        assert_eq!(borne_out([0.9, 0.0, 0.1, 0.0]), Class::Same);
        assert_eq!(borne_out([0.5, 0.4, 0.1, 0.0]), Class::Version);
        assert_eq!(borne_out([0.4, 0.4, 0.1, 0.1]), Class::TemplateOnly);
        assert_eq!(borne_out([0.4, 0.4, 0.0, 0.2]), Class::Unrelated);
        let mut mixed = Probabilities::default();
        mixed.add(Probabilities([1.0, 0.0, 0.0, 0.0]), 0.25);
        mixed.add(Probabilities([0.0, 0.5, 0.5, 0.0]), 0.75);
        assert_eq!(mixed.0, [0.25, 0.375, 0.375, 0.0]);
        assert_eq!(mixed.claimed(Class::Version), 0.625);
    }
}
