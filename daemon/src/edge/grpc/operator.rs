//! Who may make changes that affect the whole index: root, and the user that the daemon runs as.

use tonic::{Request, Status};

use super::peer::Peer;

/// Refuses a request unless root or the daemon's own user makes it.
pub(super) fn check_is_operator<T>(
    request: &Request<T>,
    refusal: &'static str,
) -> Result<(), Status> {
    let peer = request.extensions().get::<Peer>();
    let uid = peer.map(|peer| peer.client().uid);
    match is_operator(uid, rustix::process::geteuid().as_raw()) {
        true => Ok(()),
        false => Err(Status::permission_denied(refusal)),
    }
}

/// Whether a user is root or the one that the daemon runs as. An unknown user is neither.
fn is_operator(uid: Option<u32>, own: u32) -> bool {
    uid.is_some_and(|uid| uid == 0 || uid == own)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_those_who_run_the_daemon_confirm_losses() {
        for (uid, may) in [
            (Some(0), true),
            (Some(7), true),
            (Some(8), false),
            (None, false),
        ] {
            assert_eq!(is_operator(uid, 7), may, "{uid:?}");
        }
    }
}
