//! Components and cores with their files.

use std::collections::HashMap;
use std::ops::ControlFlow;
use std::path::PathBuf;

use simdex_index::{Cancel, FileView, Index, IndexError, View};
use simdex_schema::{DocId, DocumentHash};

use super::{Reader, path_of};
use crate::clusters::{Cluster, Clusters};
use crate::query::Relation;

/// The files of a component or a core.
#[derive(Clone, Debug)]
pub struct ClusterFiles {
    /// Files of the longest document first, then all others by path.
    pub members: Vec<ClusterMember>,
    /// Of a core: fingerprints that all its documents share.
    pub common: Option<u32>,
}

/// A file of a component or a core.
#[derive(Clone, Debug)]
pub struct ClusterMember {
    /// The file, with its state.
    pub file: FileView,
    /// Hash of the document it carries.
    pub document: DocumentHash,
    /// To the first file, where both carry one text.
    pub relation: Option<Relation>,
}

/// Calls `visit` for each cluster in the order of its first path, and counts them. Only one cluster's files
/// are in memory at a time.
pub fn visit_clusters(
    index: &Index,
    view: &View,
    clusters: &Clusters,
    cancel: &Cancel,
    visit: &mut dyn FnMut(ClusterFiles) -> ControlFlow<()>,
) -> Result<u64, IndexError> {
    let reader = Reader { index, view };
    let mut paths: HashMap<DocId, Option<PathBuf>> = HashMap::new();
    let mut order = Vec::new();
    for cluster in &clusters.clusters {
        cancel.check()?;
        let Some(&first) = cluster.documents.first() else {
            continue;
        };
        if let std::collections::hash_map::Entry::Vacant(entry) = paths.entry(first) {
            entry.insert(reader.first_path(first)?);
        }
        order.push((first, cluster));
    }
    let path = |id: &DocId| {
        paths
            .get(id)
            .and_then(Option::as_ref)
            .map(|path| path.as_os_str())
    };
    order.sort_by(|(a, left), (b, right)| {
        let by_documents = || left.documents.cmp(&right.documents);
        path(a).cmp(&path(b)).then_with(by_documents)
    });
    let mut count = 0;
    for (_, cluster) in order {
        cancel.check()?;
        if let Some(files) = reader.cluster(cluster)? {
            count += 1;
            if visit(files).is_break() {
                break;
            }
        }
    }
    Ok(count)
}

impl Reader<'_> {
    /// A cluster's files; `None` where so many went meanwhile that it is none.
    fn cluster(&self, cluster: &Cluster) -> Result<Option<ClusterFiles>, IndexError> {
        let (mut members, mut others, mut documents) = (Vec::new(), Vec::new(), 0);
        for &id in &cluster.documents {
            let files = self.members(id, None)?;
            documents += usize::from(!files.is_empty());
            let is_first = members.is_empty();
            let own = if is_first { &mut members } else { &mut others };
            own.extend(files.into_iter().map(|member| ClusterMember {
                file: member.file,
                document: member.document,
                relation: is_first.then_some(member.relation),
            }));
        }
        others.sort_by(|a: &ClusterMember, b| path_of(&a.file).cmp(path_of(&b.file)));
        members.extend(others);
        let least = if cluster.common.is_some() { 2 } else { 1 };
        let is_one = members.len() > 1 && documents >= least;
        Ok(is_one.then_some(ClusterFiles {
            members,
            common: cluster.common,
        }))
    }
}
