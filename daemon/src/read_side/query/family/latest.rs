//! Which version of a family is the latest, as far as dates tell.

use super::{Family, FamilyEdge, VersionKind};

impl Family {
    /// The latest version, if dates tell that all others are earlier; of what resembles others, not of excerpts and of
    /// what merely contains a version.
    pub fn latest(&self) -> Option<usize> {
        let is_first = |edge: &&FamilyEdge| !edge.merged.is_some_and(|it| it.is_second);
        let mut is_version: Vec<_> = (0..self.len()).map(|at| self.is_followed(at)).collect();
        let mut is_placed = vec![false; self.len()];
        for edge in self.edges.iter().filter(is_first) {
            is_version[edge.version] &= edge.kind == VersionKind::RevisedFrom;
            is_placed[edge.version] = edge.direction.is_by_date();
        }
        let versions = (0..self.len()).filter(|at| is_version[*at]);
        let dated = versions.filter_map(|at| Some((self.dates[at]?, at)));
        let dated: Vec<_> = dated.collect();
        let (last, latest) = *dated.iter().max_by_key(|(date, _)| date.seconds)?;
        let mut others = dated.iter().filter(|(_, at)| *at != latest);
        let is_last = others.all(|(date, _)| date.is_before(last));
        Some(latest).filter(|latest| is_placed[*latest] && is_last)
    }
}
