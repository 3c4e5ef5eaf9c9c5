//! Answers ListFiles: every file in the requested states.

use std::path::PathBuf;

use simdex_index::{FileInfo, VisibleRoots};
use simdex_proto::v1;
use simdex_schema::State;
use tonic::Status;

use super::caller::Caller;
use super::reply_channel::ReplySender;
use super::request_params;
use super::status::{Refused, too_many};
use crate::base::echo::echo;
use crate::base::visit::FirstError;
use crate::encode;
use crate::engine::Engine;
use crate::read_side::lists;

/// A decoded request for a list of files.
pub(super) struct FilesRequest {
    view: VisibleRoots,
    /// Empty means all states.
    states: Vec<State>,
    after: Option<PathBuf>,
    strict: bool,
}

impl FilesRequest {
    pub(super) fn parse(engine: &Engine, request: v1::ListFilesRequest) -> Result<Self, Status> {
        let v1::ListFilesRequest {
            states,
            roots,
            after,
            strict,
        } = request;
        let most = 2 * State::ALL.len();
        if states.len() > most {
            return Err(too_many(states.len(), "states", most));
        }
        let states = states.iter().map(|name| state(name));
        Ok(Self {
            view: request_params::parse_roots(engine, &roots)?,
            states: states.collect::<Result<_, _>>()?,
            after: after.map(request_params::parse_path).transpose()?,
            strict,
        })
    }

    fn is_selected(&self, file: &FileInfo) -> bool {
        self.states.is_empty() || self.states.contains(&file.state)
    }

    /// Sends the files as they are read, then the counts of all files.
    pub(super) fn answer(
        &self,
        engine: &Engine,
        caller: Caller,
        sender: &ReplySender<v1::ListFilesReply>,
    ) -> Result<(), Refused> {
        use v1::list_files_reply::Part;
        let send = |part| sender.send(v1::ListFilesReply { part: Some(part) });
        let mut refused = FirstError::default();
        let account = sender.account(&caller, engine.index.reader());
        let after = self.after.as_deref();
        let selection = (&self.view, self.strict);
        let summary = lists::files(engine, selection, after, &account, &mut |file| {
            let sent = match self.is_selected(file) {
                true => send(Part::File(encode::file(file))),
                false => Ok(()),
            };
            refused.flow(sent.and_then(|()| Ok(sender.cancel().check()?)))
        });
        refused.into_result()?;
        send(Part::Summary(encode::summary(&summary?)))
    }
}

fn state(name: &str) -> Result<State, Status> {
    let known = State::ALL.iter().find(|state| state.name() == name);
    known.copied().ok_or_else(|| {
        let name = echo(name.as_bytes());
        Status::invalid_argument(format!("{name} is not a state of a file"))
    })
}
