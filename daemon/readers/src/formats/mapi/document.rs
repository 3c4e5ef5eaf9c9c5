//! A message as a document: its text, its facts and its members.

use simdex_extract::{Fact, Reason, Role};

use super::as_mail::as_mail;
use super::message::{Attachment, Content, Message};
use super::people::{self, Receiver};
use super::properties::id;
use crate::sink::Sink;

impl Message<'_> {
    /// Writes the message and passes on its members; returns why if that is incomplete.
    pub(super) fn read(self, sink: &mut Sink) -> Option<Reason> {
        self.write_head(sink);
        let (body, cut) = self.body(sink);
        sink.newline();
        let cut = cut.or_else(|| body.and_then(|body| body.write(sink)));
        sink.newline();
        sink.push(&self.fields());
        let partial = self.partial.or(cut);
        let attachments = self.attachments.into_iter().enumerate();
        attachments.fold(partial, |partial, (number, attachment)| {
            partial.or(attachment.hand_over(number + 1, sink))
        })
    }

    fn write_head(&self, sink: &mut Sink) {
        let receivers = |kind| people::shown(&self.receivers(kind));
        let sender = self.sender();
        let from = sender
            .as_ref()
            .map(people::Person::shown)
            .unwrap_or_default();
        let date = self
            .sent()
            .map(|date| date.to_rfc3339())
            .unwrap_or_default();
        let lines = [
            ("Subject", Fact::Subject, self.subject()),
            ("From", Fact::From, from.clone()),
            ("To", Fact::To, receivers(Receiver::To)),
            ("Cc", Fact::Cc, receivers(Receiver::Cc)),
            ("Date", Fact::Sent, date),
        ];
        for (label, fact, value) in &lines {
            sink.state(*fact, value);
            if !value.is_empty() {
                sink.push(&format!("{label}: {value}\n"));
            }
        }
        sink.state(Fact::Bcc, &receivers(Receiver::Bcc));
        sink.state(Fact::MessageId, &self.message_id().unwrap_or_default());
        sink.state(Fact::InReplyTo, &self.in_reply_to().unwrap_or_default());
        let named = sender.filter(|sender| !sender.name.is_empty());
        sink.state(
            Fact::Author,
            named.as_ref().map_or(&from, |sender| &sender.name),
        );
        self.state_history(sink);
    }

    fn state_history(&self, sink: &mut Sink) {
        let properties = &self.properties;
        let editor = properties.text(id::LAST_MODIFIER_NAME);
        sink.state(Fact::LastAuthor, editor.unwrap_or_default());
        for (fact, id) in [(Fact::Created, id::CREATED), (Fact::Modified, id::MODIFIED)] {
            let time = properties.time(id).map(|time| time.to_rfc3339());
            sink.state(fact, &time.unwrap_or_default());
        }
    }
}

impl Attachment<'_> {
    fn hand_over(self, ordinal: usize, sink: &mut Sink) -> Option<Reason> {
        let name = self.name(ordinal);
        let modified = self.properties.seconds(id::MODIFIED);
        let role = Role::Attachment;
        match self.content {
            Content::Bytes(mut bytes) => sink.member(&name, role, modified, &mut bytes),
            Content::Message(message) => {
                let modified = message.sent().map(|sent| sent.to_timestamp());
                let partial = message.partial;
                let (mut mail, cut) = as_mail(*message, sink);
                sink.member(&name, role, modified, &mut mail)
                    .or(cut)
                    .or(partial)
            }
            Content::Elsewhere => {
                sink.count(Fact::External, 1);
                None
            }
            Content::Unread(reason) => sink
                .member_unread(&name, role, modified, reason)
                .or(Some(Reason::PartsFailed)),
        }
    }
}
