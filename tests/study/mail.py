"""Messages by Python's email package and extract_msg; what holds messages by mailbox and readpst."""

import email
import email.policy
import mailbox
import subprocess
import tempfile

import markup


def body(message):
    """The text parts that are shown: of alternatives the plain one, attachments left out."""
    if message.get_content_disposition() == "attachment" or message.get_filename():
        return []
    kind = message.get_content_type()
    if kind == "multipart/alternative":
        found = message.get_body(("plain", "html"))
        return [] if found is None or found is message else body(found)
    if message.is_multipart() and kind != "message/rfc822":
        return [text for part in message.iter_parts() for text in body(part)]
    if kind == "text/html":
        return [markup.html_text(message.get_content())]
    return [message.get_content()] if message.get_content_maintype() == "text" else []


def read(path):
    with open(path, "rb") as file:
        message = email.message_from_binary_file(file, policy=email.policy.default)
    if not message.keys():
        raise ValueError("no header")
    return message


def eml(path):
    return "\n".join(body(read(path)))


def mhtml(path):
    """The page itself: the first HTML part."""
    for part in read(path).walk():
        if part.get_content_type() == "text/html":
            return markup.html_text(part.get_content())
    raise ValueError("no page")


def mbox(path):
    """A container; opened where it holds a message."""
    if not len(mailbox.mbox(path, create=False)):
        raise ValueError("no message")


def msg(path):
    import extract_msg

    with extract_msg.openMsg(path, delayAttachments=True) as message:
        text = message.body if hasattr(message, "body") else ""
        if not text and getattr(message, "htmlBody", None):
            text = markup.html_text(message.htmlBody)
        return text or ""


def pst(path):
    """A container; opened where readpst finds its folders."""
    with tempfile.TemporaryDirectory() as folder:
        command = ["readpst", "-q", "-o", folder, path]
        subprocess.run(command, check=True, capture_output=True, stdin=subprocess.DEVNULL)


READERS = {
    "eml": [("Python email", None, eml)],
    "mhtml": [("Python email", None, mhtml)],
    "mbox": [("Python mailbox", None, mbox)],
    "msg": [("extract_msg", "py:extract_msg", msg)],
    "pst": [("readpst", "readpst", pst)],
}
