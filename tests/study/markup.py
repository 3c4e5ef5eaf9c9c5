"""HTML, XHTML, XML and EPUB by lxml's and Beautiful Soup's parsers."""

import posixpath
import urllib.parse
import zipfile

UNSEEN = {"script", "style", "head", "template", "noscript", "title"}
INLINE = set(
    "a abbr acronym b bdi bdo big cite code data del dfn em font i ins kbd label mark meter nobr "
    "output q rp rt ruby s samp small span strike strong sub sup time tt u var wbr".split()
)


def visible(soup):
    """The text a reader sees: elements other than inline ones part words."""
    from bs4.element import NavigableString, PreformattedString

    parts, open_nodes = [], [soup]
    while open_nodes:
        node = open_nodes.pop()
        if isinstance(node, str):
            if type(node) is NavigableString or not isinstance(node, PreformattedString):
                parts.append(node)
        elif node.name not in UNSEEN:
            inside = list(node.children)
            if node.name not in INLINE:
                inside = ["\n", *inside, "\n"]
            open_nodes.extend(reversed(inside))
    return "".join(parts)


def html_text(content):
    from bs4 import BeautifulSoup

    return visible(BeautifulSoup(content, "lxml"))


def html(path):
    with open(path, "rb") as file:
        return html_text(file.read())


def xml(path):
    """All character data, elements apart; an error where the file is not well-formed."""
    from lxml import etree

    options = {"resolve_entities": False, "no_network": True, "remove_comments": True}
    tree = etree.parse(path, etree.XMLParser(remove_pis=True, **options))
    return "\n".join(tree.getroot().itertext())


def epub(path):
    """The documents of the spine, in its order."""
    from lxml import etree

    name = "{*}"
    with zipfile.ZipFile(path) as book:
        container = etree.fromstring(book.read("META-INF/container.xml"))
        package = container.find(f".//{name}rootfile").get("full-path")
        root = etree.fromstring(book.read(package))
        items = {item.get("id"): item.get("href") for item in root.iterfind(f".//{name}item")}
        texts = []
        for reference in root.iterfind(f".//{name}itemref"):
            href = urllib.parse.unquote(items[reference.get("idref")])
            place = posixpath.normpath(posixpath.join(posixpath.dirname(package), href))
            texts.append(html_text(book.read(place)))
    return "\n".join(texts)


READERS = {
    "html": [("Beautiful Soup", "py:bs4", html)],
    "xhtml": [("Beautiful Soup", "py:bs4", html)],
    "xml": [("lxml", "py:lxml", xml)],
    "epub": [("zipfile and lxml", "py:bs4", epub)],
}
