//! Components and cores with their files.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::ops::ControlFlow;
use std::path::PathBuf;

use simdex_index::{FileInfo, GrowingPermit, IndexError, IndexReader, MemoryAccount, VisibleRoots};
use simdex_schema::{DocId, DocumentHash};

use super::group_loader::{FileParts, GroupLoader};
use super::{PATH_OVERHEAD_BYTES, path_of};
use crate::read_side::clusters::{Cluster, Clusters};
use crate::read_side::query::Relation;

/// The files of a component or a core, or the next part of a large one.
#[derive(Clone, Debug)]
pub struct ClusterFiles {
    /// Whether its files belong to the cluster visited last.
    pub is_continued: bool,
    /// Files of the longest document first, then all others by path; in a cluster of several parts the files
    /// of one document are adjacent.
    pub members: Vec<ClusterMember>,
    /// For a core: the number of fingerprints that all its documents share.
    pub common: Option<u32>,
}

/// A file of a component or a core.
#[derive(Clone, Debug)]
pub struct ClusterMember {
    /// The file, with its state.
    pub file: FileInfo,
    /// Hash of the document it carries.
    pub document: DocumentHash,
    /// Relation to the first file, if both carry one text.
    pub relation: Option<Relation>,
}

/// Calls `visit` for each cluster in the order of its first path, and counts them. For a cluster of many
/// files it is called several times in succession: only one part is in memory at a time.
pub fn visit_clusters(
    index: &IndexReader,
    view: &VisibleRoots,
    clusters: &Clusters,
    account: &MemoryAccount,
    visit: &mut dyn FnMut(ClusterFiles) -> ControlFlow<()>,
) -> Result<u64, IndexError> {
    let (loader, cancel) = (GroupLoader { index, view }, account.cancel());
    let mut held = GrowingPermit::of(account);
    let mut paths: HashMap<DocId, Option<PathBuf>> = HashMap::new();
    let mut order = Vec::new();
    for cluster in &clusters.clusters {
        cancel.check()?;
        let Some(&first) = cluster.documents.first() else {
            continue;
        };
        if let Entry::Vacant(entry) = paths.entry(first) {
            let path = entry.insert(loader.first_path(first)?);
            let length = path.as_ref().map_or(0, |path| path.as_os_str().len());
            held.add(length as u64 + 2 * PATH_OVERHEAD_BYTES)?;
        }
        held.add(size_of::<(DocId, &Cluster)>() as u64)?;
        order.push((first, cluster));
    }
    let path = |id: &DocId| paths.get(id).and_then(Option::as_deref);
    order.sort_by(|(a, left), (b, right)| {
        let by_documents = || left.documents.cmp(&right.documents);
        let (a, b) = (path(a), path(b));
        let by_path = a
            .map(|path| path.as_os_str())
            .cmp(&b.map(|path| path.as_os_str()));
        by_path.then_with(by_documents)
    });
    let mut count = 0;
    for (_, cluster) in order {
        cancel.check()?;
        let flow = loader.cluster(cluster, account, &mut |part| {
            count += u64::from(!part.is_continued);
            visit(part)
        })?;
        if flow.is_break() {
            break;
        }
    }
    Ok(count)
}

impl GroupLoader<'_> {
    /// Visits a cluster's files; visits nothing if so many have disappeared that it is no cluster any more.
    fn cluster(
        &self,
        cluster: &Cluster,
        account: &MemoryAccount,
        visit: &mut dyn FnMut(ClusterFiles) -> ControlFlow<()>,
    ) -> Result<ControlFlow<()>, IndexError> {
        // By their first paths, except for the longest.
        let mut held = GrowingPermit::of(account);
        let mut documents = Vec::new();
        for &id in &cluster.documents {
            account.cancel().check()?;
            if let Some(path) = self.first_path(id)? {
                held.add(path.as_os_str().len() as u64 + PATH_OVERHEAD_BYTES)?;
                documents.push((!documents.is_empty(), path, id));
            }
        }
        documents.sort_by(|a, b| (a.0, a.1.as_os_str()).cmp(&(b.0, b.1.as_os_str())));
        let min_documents = if cluster.common.is_some() { 2 } else { 1 };
        if documents.len() < min_documents {
            return Ok(ControlFlow::Continue(()));
        }
        let common = cluster.common;
        let mut visit = |members, is_continued| {
            visit(ClusterFiles {
                is_continued,
                members,
                common,
            })
        };
        let mut parts = FileParts::of(&mut visit);
        let ids = || documents.iter().map(|(_, _, id)| *id);
        match self.is_large(ids()) {
            true => {
                for (at, id) in ids().enumerate() {
                    account.cancel().check()?;
                    self.carriers(id, at == 0, &mut |file| parts.add(file))?;
                }
            }
            false => self.files_by_path(ids(), &mut parts)?,
        }
        Ok(parts.end())
    }

    /// The files of the first document, then those of all others by path.
    fn files_by_path(
        &self,
        documents: impl Iterator<Item = DocId>,
        parts: &mut FileParts<'_, ClusterMember>,
    ) -> Result<(), IndexError> {
        let mut others = Vec::new();
        for (at, id) in documents.enumerate() {
            self.carriers(id, at == 0, &mut |file| match at {
                0 => parts.add(file),
                _ => {
                    others.push(file);
                    ControlFlow::Continue(())
                }
            })?;
        }
        others.sort_by(|a, b| path_of(&a.file).cmp(path_of(&b.file)));
        let _ = others.into_iter().try_for_each(|file| parts.add(file));
        Ok(())
    }

    fn carriers(
        &self,
        id: DocId,
        is_first: bool,
        visit: &mut dyn FnMut(ClusterMember) -> ControlFlow<()>,
    ) -> Result<(), IndexError> {
        self.members(id, None, &mut |member| {
            visit(ClusterMember {
                file: member.file,
                document: member.document,
                relation: is_first.then_some(member.relation),
            })
        })
    }
}
