//! A report sent to a client: its files, piece by piece, in the order in which they grow.

use std::io::{self, Write};

use simdex_proto::v1;
use simdex_proto::v1::stream_report_reply::Part;

use super::reply_channel::ReplySender;
use super::status::Refused;
use crate::reports::report::{Sink, SinkFile};

/// Longest piece of a file, bytes.
const PIECE: usize = 64 << 10;

/// Sends files to the client that asked for the report.
pub(super) struct ReplySink<'a>(pub(super) &'a ReplySender<v1::StreamReportReply>);

impl ReplySink<'_> {
    fn send(&self, piece: v1::ReportPiece) -> io::Result<()> {
        let part = Some(Part::Piece(piece));
        let sent = self.0.send(v1::StreamReportReply { part });
        sent.map_err(|Refused(status)| io::Error::other(status.message().to_owned()))
    }
}

impl Sink for ReplySink<'_> {
    fn create_dir(&self, _: &str) -> io::Result<()> {
        // The client makes the folders when it writes the files.
        Ok(())
    }

    fn create_file<'a>(&'a self, name: &str) -> io::Result<Box<dyn SinkFile + 'a>> {
        Ok(Box::new(ReplyFile {
            sink: self,
            path: name.to_owned(),
        }))
    }
}

/// One file being sent.
struct ReplyFile<'a> {
    sink: &'a ReplySink<'a>,
    path: String,
}

impl Write for ReplyFile<'_> {
    fn write(&mut self, buffer: &[u8]) -> io::Result<usize> {
        let piece = &buffer[..buffer.len().min(PIECE)];
        self.sink.send(v1::ReportPiece {
            path: self.path.clone(),
            bytes: piece.to_vec(),
            last: false,
        })?;
        Ok(piece.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl SinkFile for ReplyFile<'_> {
    fn finish(self: Box<Self>) -> io::Result<()> {
        self.sink.send(v1::ReportPiece {
            path: self.path,
            bytes: Vec::new(),
            last: true,
        })
    }
}
