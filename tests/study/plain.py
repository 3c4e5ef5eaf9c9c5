"""Plain texts as Python decodes them, and pages of PDF as poppler and PDFium read them."""

import codecs
import subprocess

MARKS = [
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
]


def said(command, path=None):
    """What a program prints; an error where it fails. It dies with us: same session."""
    done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True)
    if done.returncode != 0:
        raise RuntimeError(done.stderr.decode("utf-8", "replace").strip()[:200] or done.returncode)
    return done.stdout.decode("utf-8", "replace")


def text(path):
    """By byte order mark, else as UTF-8; other character sets are guesses and opened by nobody."""
    with open(path, "rb") as file:
        content = file.read()
    charset = next((name for mark, name in MARKS if content.startswith(mark)), "utf-8")
    return content.decode(charset)


def pdf(path):
    return said(["pdftotext", "-enc", "UTF-8", path, "-"])


def pdfium(path):
    import pypdfium2

    pages = pypdfium2.PdfDocument(path)
    return "\n".join(page.get_textpage().get_text_range() for page in pages)


TEXTS = "txt markdown rst latex csv tsv json yaml subtitles source vcard icalendar"
READERS = {
    **{format: [("Python", None, text)] for format in TEXTS.split()},
    "pdf": [("pdftotext", "pdftotext", pdf), ("PDFium", "py:pypdfium2", pdfium)],
}
