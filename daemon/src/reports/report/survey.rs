//! One pass over all files, for a report: files not read, or read in part, and the states by kind.
use simdex_proto::lines::UnreadFile;

use super::facts::StatesByKind;
use super::json_lines::json_line;
use super::sink::HashingSink;
use super::table_rows::TableRows;
use super::{ReportError, ReportFile, ReportInput, html};

/// Most kinds that are distinguished: there are far fewer unless a reader invents them.
const MAX_KINDS: usize = 200;

/// The results of a pass over all files.
pub(super) struct Survey {
    /// Files that were not read, or only in part, as rows of the page.
    pub(super) unread: TableRows,
    /// Files on disk by kind and state.
    pub(super) kinds: StatesByKind,
}

/// Writes `unread.jsonl`, a line for each file that was not read, and counts the states by kind.
pub(super) fn survey(
    sink: &mut HashingSink<'_>,
    input: &ReportInput<'_>,
) -> Result<Survey, ReportError> {
    let mut lines = sink.create_file("unread.jsonl")?;
    let mut survey = Survey {
        unread: TableRows::new(html::UNREAD_SHOWN, input.account),
        kinds: StatesByKind::new(),
    };
    lines.write_with(|out| {
        (input.files)(&mut |file| {
            survey.count(file);
            if !file.is_unread {
                return Ok(());
            }
            survey.unread.push(|row| html::unread_row(row, file))?;
            json_line(out, &UnreadFile::new(file.path, file.state, file.reason))
        })
    })?;
    sink.finish(lines)?;
    Ok(survey)
}

impl Survey {
    fn count(&mut self, file: &ReportFile<'_>) {
        if file.container.is_some() {
            return;
        }
        let is_full = self.kinds.len() >= MAX_KINDS;
        let states = match self.kinds.get_mut(file.media_type) {
            Some(states) => states,
            None if is_full => self.kinds.entry(String::new()).or_default(),
            None => self.kinds.entry(file.media_type.to_owned()).or_default(),
        };
        *states.entry(file.state).or_default() += 1;
    }
}
