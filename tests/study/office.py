"""Office documents by python-docx, python-pptx, openpyxl, xlrd, pyxlsb, odfpy, striprtf, and the
programs catdoc, antiword, catppt and xls2csv."""

import datetime
import os
import tempfile
import zipfile

from plain import said

W = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
P = "{http://schemas.openxmlformats.org/presentationml/2006/main}"
A = "{http://schemas.openxmlformats.org/drawingml/2006/main}"
FALLBACK = "{http://schemas.openxmlformats.org/markup-compatibility/2006}Fallback"
STORIES = ("header", "footer", "footnotes", "endnotes", "comments")


def paragraphs(element, space, breaks, unseen):
    """Text of an OOXML story: `t` elements, paragraphs apart, what `unseen` names left out."""
    parts, open_nodes = [], [element]
    while open_nodes:
        node = open_nodes.pop()
        if isinstance(node, str):
            parts.append(node)
        elif not isinstance(node.tag, str) or node.tag in unseen:
            continue
        elif node.tag == f"{space}t":
            parts.append(node.text or "")
        elif node.tag in breaks:
            parts.append("\t")
        else:
            ends = ["\n"] if node.tag == f"{space}p" else []
            # A text box stands within a paragraph: what it says is set apart.
            before = ["\n"] if node.tag == f"{space}txbxContent" else []
            open_nodes.extend(ends)
            open_nodes.extend(reversed(node))
            open_nodes.extend(before)
    return "".join(parts)


def docx(path):
    import docx as library
    from lxml import etree

    with open(path, "rb") as file:
        package = library.opc.package.OpcPackage.open(file)
    main = package.main_document_part
    stories = [main] + [
        relation.target_part
        for relation in main.rels.values()
        if not relation.is_external and relation.reltype.rsplit("/", 1)[1] in STORIES
    ]
    breaks = {f"{W}{name}" for name in ("tab", "br", "cr")}
    unseen = {f"{W}del", f"{W}moveFrom", f"{W}pPr", f"{W}rPr", FALLBACK}
    parser = etree.XMLParser(resolve_entities=False, huge_tree=True)
    roots = (etree.fromstring(story.blob, parser) for story in stories)
    return "\n".join(paragraphs(root, W, breaks, unseen) for root in roots)


def pptx(path):
    import pptx as library

    texts = []
    for slide in library.Presentation(path).slides:
        stories = [slide.element]
        if slide.has_notes_slide:
            stories.append(slide.notes_slide.element)
        for story in stories:
            drop_fields(story)
            texts.append(paragraphs(story, A, {f"{A}br"}, {FALLBACK}))
    return "\n".join(texts)


def drop_fields(story):
    """Numbers of slides and dates of today are no text of the document."""
    for shape in list(story.iter(f"{P}sp")):
        place = shape.find(f"{P}nvSpPr/{P}nvPr/{P}ph")
        if place is not None and place.get("type") in ("sldNum", "dt"):
            shape.getparent().remove(shape)


def ppt(path):
    """What LibreOffice makes of it, as PPTX."""
    with tempfile.TemporaryDirectory() as folder:
        profile = f"-env:UserInstallation=file://{folder}/profile"
        said(["soffice", profile, "--headless", "--convert-to", "pptx", "--outdir", folder, path])
        made = [name for name in os.listdir(folder) if name.endswith(".pptx")]
        return pptx(os.path.join(folder, made[0]))


def cell(value):
    """A value as people write it, with the 15 digits a sheet has; how a format shows it is the
    programs' affair."""
    if value is None:
        return ""
    if isinstance(value, float):
        return format(value, ".15g")
    if isinstance(value, datetime.datetime) and value.time() == datetime.time():
        value = value.date()
    return str(value)


def lines(rows):
    """Rows of cells, tabs between the cells that hold something."""
    texts = ("\t".join(filter(None, map(cell, row))) for row in rows)
    return "\n".join(filter(None, texts))


def xlsx(path):
    import openpyxl

    book = openpyxl.load_workbook(path, data_only=True)
    sheets = [lines(sheet.iter_rows(values_only=True)) for sheet in book.worksheets]
    sheets += [
        part.text
        for sheet in book.worksheets
        for running in (sheet.oddHeader, sheet.oddFooter, sheet.evenHeader, sheet.evenFooter)
        for part in (running.left, running.center, running.right)
        if part.text
    ]
    comments = [
        cell.comment.text
        for sheet in book.worksheets
        for row in sheet.iter_rows()
        for cell in row
        if cell.comment
    ]
    return "\n".join(sheets + comments)


def xlsb(path):
    import pyxlsb

    texts = []
    with pyxlsb.open_workbook(path) as book:
        for name in book.sheets:
            with book.get_sheet(name) as sheet:
                texts.append(lines([cell.v for cell in row] for row in sheet.rows(sparse=True)))
    return "\n".join(texts)


def xls(path):
    import xlrd

    def value(book, held):
        if held.ctype == xlrd.XL_CELL_DATE:
            try:
                return xlrd.xldate_as_datetime(held.value, book.datemode)
            except (ValueError, OverflowError):
                return held.value
        if held.ctype == xlrd.XL_CELL_BOOLEAN:
            return bool(held.value)
        return xlrd.error_text_from_code.get(held.value) if held.ctype == 5 else held.value

    with xlrd.open_workbook(path) as book:
        rows = (
            [value(book, held) for held in sheet.row(at)]
            for sheet in book.sheets()
            for at in range(sheet.nrows)
        )
        return lines(rows)


def odf(path):
    """Paragraphs and headings of the content, tracked deletions left out."""
    from odf import opendocument, teletype
    from odf.element import Element

    with zipfile.ZipFile(path) as package:
        manifest = package.read("META-INF/manifest.xml")
    if b"encryption-data" in manifest:
        raise ValueError("encrypted")
    texts, open_nodes = [], [opendocument.load(path).body]
    while open_nodes:
        node = open_nodes.pop()
        if not isinstance(node, Element):
            continue
        space, name = node.qname
        if space.endswith(":text:1.0") and name == "tracked-changes":
            continue
        if space.endswith(":text:1.0") and name in ("p", "h"):
            texts.append(teletype.extractText(node))
        else:
            open_nodes.extend(reversed(node.childNodes))
    return "\n".join(texts)


def rtf(path):
    from striprtf.striprtf import rtf_to_text

    with open(path, "rb") as file:
        return rtf_to_text(file.read().decode("latin-1"), errors="replace")


def program(*command):
    return lambda path: said([*command, path])


ODF = [("odfpy", "py:odf", odf)]
READERS = {
    "docx": [("python-docx", "py:docx", docx)],
    "pptx": [("python-pptx", "py:pptx", pptx)],
    "xlsx": [("openpyxl", "py:openpyxl", xlsx)],
    "xlsb": [("pyxlsb", "py:pyxlsb", xlsb)],
    "odt": ODF,
    "odp": ODF,
    "ods": ODF,
    "rtf": [("striprtf", "py:striprtf", rtf)],
    "doc": [
        ("catdoc", "catdoc", program("catdoc", "-d", "utf-8", "-w")),
        ("antiword", "antiword", program("antiword", "-m", "UTF-8.txt", "-w", "0")),
    ],
    "xls": [
        ("xlrd", "py:xlrd", xls),
        ("xls2csv", "xls2csv", program("xls2csv", "-d", "utf-8", "-c", " ", "-q", "0")),
    ],
    "ppt": [
        ("LibreOffice", "soffice", ppt),
        ("catppt", "catppt", program("catppt", "-d", "utf-8")),
    ],
}
