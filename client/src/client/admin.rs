//! Requests about the daemon itself: its state, the files that it saw, its roots and their walks.

use std::path::{Path, PathBuf};

use super::{first_known, within};
use crate::locate::{path_bytes, root_at};
use crate::wire::{self, ListFilesReply};
use crate::{Client, Error, ItemStream};

impl Client {
    /// Returns what the daemon holds and watches.
    pub async fn status(&self) -> Result<wire::StatusReply, Error> {
        within(
            self.limits.call,
            self.admin.clone().status(wire::StatusRequest {}),
        )
        .await
    }

    /// Lists every file seen, by path, or only those in one of `states` unless that is empty.
    pub async fn files(
        &self,
        states: Vec<String>,
        roots: Vec<u32>,
    ) -> Result<ItemStream<ListFilesReply>, Error> {
        self.files_after(None, states, roots).await
    }

    /// Lists files as [`Client::files`] does, starting after the file `after` if given: the path of the last file
    /// received.
    pub async fn files_after(
        &self,
        after: Option<&Path>,
        states: Vec<String>,
        roots: Vec<u32>,
    ) -> Result<ItemStream<ListFilesReply>, Error> {
        let request = wire::ListFilesRequest {
            states,
            roots,
            after: after.map(path_bytes),
            strict: self.strict,
        };
        let mut admin = self.admin.clone();
        self.list(self.limits.item, admin.list_files(request)).await
    }

    /// Describes a file as [`Client::describe`] does, trying each path under which the daemon may know it.
    ///
    /// # Errors
    /// [`Error::Unreadable`] if the current directory no longer exists.
    pub async fn describe_file(&self, file: &Path) -> Result<wire::DescribeFileReply, Error> {
        first_known(file, async |path: PathBuf| self.describe(&path).await).await
    }

    /// Describes one file, or a member of a container, by its shown path.
    pub async fn describe(&self, path: &Path) -> Result<wire::DescribeFileReply, Error> {
        let request = wire::DescribeFileRequest {
            path: path_bytes(path),
            strict: self.strict,
        };
        let call = async { self.admin.clone().describe_file(request).await };
        within(self.limits.call, call).await
    }

    /// Lists the watched roots.
    pub async fn roots(&self) -> Result<Vec<wire::Root>, Error> {
        let call = async {
            self.admin
                .clone()
                .list_roots(wire::ListRootsRequest {})
                .await
        };
        Ok(within(self.limits.call, call).await?.roots)
    }

    /// Finds the watched roots at `paths`, in that order.
    ///
    /// # Errors
    /// [`Error::NoSuchRoot`].
    pub async fn roots_at(&self, paths: &[PathBuf]) -> Result<Vec<wire::Root>, Error> {
        if paths.is_empty() {
            return Ok(Vec::new());
        }
        let roots = self.roots().await?;
        paths
            .iter()
            .map(|path| root_at(&roots, path).cloned())
            .collect()
    }

    /// Accepts a held loss of `root` as real: the one that `token` identifies (`loss_token` of the root, as shown to a
    /// person). Returns how many files were removed.
    pub async fn confirm_loss(&self, root: &wire::Root, token: &str) -> Result<u64, Error> {
        let request = wire::ConfirmLossRequest {
            root: root.path.clone(),
            token: token.to_owned(),
        };
        let reply = within(self.limits.call, self.admin.clone().confirm_loss(request)).await?;
        Ok(reply.removed)
    }

    /// Starts a rescan of `roots`, or of all if that is empty; returns how many will be scanned.
    pub async fn rescan(&self, roots: &[wire::Root]) -> Result<u32, Error> {
        let roots = roots.iter().map(|root| root.path.clone()).collect();
        let call = async {
            self.admin
                .clone()
                .rescan(wire::RescanRequest { roots })
                .await
        };
        Ok(within(self.limits.call, call).await?.roots)
    }

    /// Returns once every change made before the call is applied.
    pub async fn sync(&self) -> Result<wire::SyncReply, Error> {
        within(
            self.limits.work,
            self.admin.clone().sync(wire::SyncRequest {}),
        )
        .await
    }

    /// Returns what is pending once nothing is queued and every document is settled. Stale roots, held losses, damaged
    /// texts, files that the machine fails to read and documents in crowds are not waited for.
    pub async fn wait(&self) -> Result<wire::Completeness, Error> {
        let call = async { self.admin.clone().wait(wire::WaitRequest {}).await };
        let reply = within(self.limits.work, call).await?;
        Ok(reply.completeness.unwrap_or_default())
    }
}
