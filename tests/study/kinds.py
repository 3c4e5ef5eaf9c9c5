"""The format of a file by its bytes, and by its name where texts look alike; written for the
studies from the formats' specifications, so that no answer of the product decides what it is asked.
"""

import os
import re
import zipfile

# Compound files are told apart by it.
NEED = "py:olefile"
HEAD = 64 << 10
MAGIC = [
    (0, b"{\\rtf", "rtf"),
    (0, b"!BDN", "pst"),
    (0, b"\x78\x9f\x3e\x22", "tnef"),
    (0, b"7z\xbc\xaf\x27\x1c", "7z"),
    (0, b"\x1f\x8b", "gz"),
    (0, b"BZh", "bz2"),
    (0, b"\xfd7zXZ\0", "xz"),
    (0, b"\x28\xb5\x2f\xfd", "zst"),
    (257, b"ustar", "tar"),
]
# Streams of compound files, and parts of packages, that give a format away.
STREAMS = [
    ("worddocument", "doc"),
    ("powerpoint document", "ppt"),
    ("workbook", "xls"),
    ("book", "xls"),
    ("__properties_version1.0", "msg"),
]
PACKAGES = {
    "application/epub+zip": "epub",
    "application/vnd.oasis.opendocument.text": "odt",
    "application/vnd.oasis.opendocument.presentation": "odp",
    "application/vnd.oasis.opendocument.spreadsheet": "ods",
}
MAIN_PARTS = [
    (rb"wordprocessingml\.(document|template)\.main|ms-word\.\S+\.main", "docx"),
    (rb"presentationml\.\S+\.main|ms-powerpoint\.\S+\.main", "pptx"),
    (rb"ms-excel\.sheet\.binary\S*\.main", "xlsb"),
    (rb"spreadsheetml\.\S+\.main|ms-excel\.\S+\.main", "xlsx"),
]
NAMES = {
    "html": "html htm", "xhtml": "xhtml xht", "mhtml": "mhtml mht", "xml": "xml", "eml": "eml",
    "mbox": "mbox", "vcard": "vcf", "icalendar": "ics", "csv": "csv", "tsv": "tsv",
    "json": "json", "yaml": "yaml yml", "markdown": "md", "rst": "rst", "latex": "tex",
    "subtitles": "srt vtt", "txt": "txt log",
    "source": "c h cpp java js py rs go rb sh bat css sql groovy pl php",
}
BY_NAME = {end: format for format, ends in NAMES.items() for end in ends.split()}


# Header fields of messages.
FIELD = (
    rb"(from|to|date|subject|received|return-path|delivered-to|message-id|mime-version|"
    rb"content-type|newsgroups|path): "
)


def of(path):
    """The format; None where it is not one of those listed."""
    try:
        with open(path, "rb") as file:
            head = file.read(HEAD)
    except OSError:
        return None
    if head.startswith((b"PK\x03\x04", b"PK\x05\x06")):
        return package(path)
    if head.startswith(b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"):
        return compound(path)
    if re.search(rb"(^|[\r\n])%PDF-", head[:1024]) and (head.startswith(b"%PDF-") or b" obj" in head):
        return "pdf"
    for at, magic, format in MAGIC:
        if head[at:].startswith(magic):
            return format
    return textual(path, head)


def package(path):
    """What a ZIP holds."""
    try:
        with zipfile.ZipFile(path) as archive:
            names = set(archive.namelist())
            if "mimetype" in names:
                stated = archive.read("mimetype").strip().decode("ascii", "replace")
                stated = stated.removesuffix("-template")
                return PACKAGES.get(stated, None if "opendocument" in stated else "zip")
            if "[Content_Types].xml" in names:
                types = archive.read("[Content_Types].xml")
                # Drawings and other packages of this family are not listed.
                return next((format for part, format in MAIN_PARTS if re.search(part, types)), None)
    except Exception:
        pass
    # What other families keep in a ZIP is not listed: applications, pages, keynotes, maps.
    return "zip" if path.lower().endswith(".zip") else None


def compound(path):
    """What a compound file holds; an encrypted package of the newer family is none of these."""
    try:
        import olefile

        with olefile.OleFileIO(path) as file:
            names = {entry[0].lower() for entry in file.listdir(streams=True, storages=False)}
    except Exception:
        return None
    return next((format for stream, format in STREAMS if stream in names), None)


def textual(path, head):
    """Texts by name; those that hold a NUL are no text, unless they are UTF-16."""
    if b"\0" in head and not head.startswith((b"\xff\xfe", b"\xfe\xff")):
        return None
    format = BY_NAME.get(os.path.splitext(path)[1].lower().lstrip("."))
    if format in ("html", "xhtml", "xml", "txt", "eml", None):
        return by_beginning(head, format)
    return format


def by_beginning(head, format):
    """Pages, messages and feeds begin as they must, whatever they are called."""
    start = head.lstrip(b"\xef\xbb\xbf \t\r\n")[:512].lower()
    if format in ("xml", None) and start.startswith((b"<!doctype html", b"<html")):
        return "html"
    if format in ("txt", None):
        if re.match(rb"from [^\n:]*(\d\d:\d\d[^\n]*)?\r?\n[a-z-]+:", start):
            return "mbox"
        lines = start.split(b"\n")[:12]
        if re.match(FIELD, lines[0]) and sum(1 for line in lines if re.match(FIELD, line)) > 1:
            return "eml"
    return format
