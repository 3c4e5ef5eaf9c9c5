//! What each element begins, by its namespace.

use quick_xml::events::BytesStart;
use simdex_extract::Fact;

use super::super::super::aside::AsideKind;
use super::super::super::package::attribute;
use super::super::piece::Piece;
use super::super::value;
use super::{Content, Genre, Undo};

/// Elements without text to read: descriptions of shapes for those who cannot see them; numbers of lists, which are
/// counted here; objects of other programs, which are members.
const SKIPPED: &[&str] = &[
    "svg:title",
    "svg:desc",
    "text:number",
    "text:note-citation",
    "text:footnote-citation",
    "text:endnote-citation",
    "draw:object-ole",
    "office:binary-data",
    "table:content-validations",
    "text:bibliography-configuration",
];

impl Content<'_> {
    pub(super) fn element(&mut self, name: &str, tag: &BytesStart<'_>) -> Undo {
        match name.split_once(':').unwrap_or_default() {
            ("text", local) => self.text_element(local, name, tag),
            ("table", local) => self.table_element(local, name, tag),
            ("office", local) => self.office_element(local, name),
            ("style", local) => self.style_element(local, tag),
            ("draw" | "presentation", local) => self.draw_element(local, name, tag),
            ("number", _) => {
                self.styles.style(tag);
                Undo::Nothing
            }
            ("form", local) => self.form_element(local, tag),
            ("field", local) => self.field_element(local, tag),
            ("ooo", "module") => {
                self.streams.sink.count(Fact::Scripts, 1);
                Undo::Nothing
            }
            _ => skip(name),
        }
    }

    fn text_element(&mut self, local: &str, name: &str, tag: &BytesStart<'_>) -> Undo {
        match local {
            "p" | "h" => {
                self.text.push(Some(true));
                self.label(tag, local == "h");
                let outer = std::mem::take(&mut self.text_style);
                self.text_style = self.styles.text.of_paragraph(tag, self.cell_style);
                return Undo::Paragraph(outer);
            }
            "list" => {
                self.styles.lists.begin(tag);
                return Undo::List;
            }
            "list-item" | "list-header" => self.styles.lists.item(tag, local == "list-item"),
            "span" => {
                let style = self.styles.text.of_span(tag, self.text_style);
                return Undo::Span(std::mem::replace(&mut self.text_style, style));
            }
            "s" => self.spaces(number(tag, "text:c")),
            "tab" => self.mark("\t"),
            "line-break" => self.mark("\n"),
            "note-body" | "footnote-body" | "endnote-body" => {
                return self.piece(Piece::Aside(AsideKind::Note, false));
            }
            "tracked-changes" => {
                self.in_changes = true;
                return Undo::Skip;
            }
            "script" => {
                self.streams.sink.count(Fact::Scripts, 1);
                return Undo::Skip;
            }
            "section-source" => self.external(tag),
            "page-number" | "page-count" | "sheet-name" | "date" | "time" | "file-name"
            | "title" => {
                return self.field();
            }
            _ => {
                self.styles.style(tag);
                return skip(name);
            }
        }
        Undo::Nothing
    }

    /// Writes the number of an item or a heading, which programs count themselves.
    fn label(&mut self, tag: &BytesStart<'_>, is_heading: bool) {
        if let Some(label) = self.styles.lists.label(tag, is_heading) {
            self.streams.sink.count(Fact::ListNumbers, 1);
            self.streams.push(&label);
        }
    }

    fn table_element(&mut self, local: &str, name: &str, tag: &BytesStart<'_>) -> Undo {
        let columns = number(tag, "table:number-columns-repeated");
        self.styles.text.table(local, tag, columns);
        match local {
            "table" => {
                self.streams.newline();
                // Tables of a sheet's charts and the like are nested deeper.
                if self.genre == Genre::Sheets && self.streams.innermost().is_none() {
                    self.streams.sink.count(Fact::Sheets, 1);
                    let style = attribute(tag, "table:style-name").unwrap_or_default();
                    let hidden = u64::from(self.hidden.contains(&style));
                    self.streams.sink.count(Fact::HiddenSheets, hidden);
                }
            }
            "table-row" => {
                return self.piece(Piece::Row {
                    repeated: number(tag, "table:number-rows-repeated"),
                    cells: 0,
                });
            }
            "table-cell" | "covered-table-cell" => return self.cell(tag),
            "tracked-changes" => {
                self.in_changes = true;
                return Undo::Skip;
            }
            _ => return skip(name),
        }
        Undo::Nothing
    }

    fn cell(&mut self, tag: &BytesStart<'_>) -> Undo {
        let repeated = number(tag, "table:number-columns-repeated");
        let style = self.styles.text.of_cell(tag, repeated);
        self.cell_style = style.text;
        self.piece(Piece::Cell {
            repeated,
            // Cells of texts and slides state values too, besides the text written by hand.
            value: match self.genre {
                Genre::Sheets => value::value(tag, style.divisor),
                Genre::Text | Genre::Pages => value::shown(tag),
            },
        })
    }

    fn office_element(&mut self, local: &str, name: &str) -> Undo {
        match local {
            "annotation" => return self.piece(Piece::Aside(AsideKind::Comment, false)),
            "meta" => {
                self.in_meta = true;
                return Undo::Meta;
            }
            "spreadsheet" => self.genre = Genre::Sheets,
            "presentation" | "drawing" => self.genre = Genre::Pages,
            _ => return skip(name),
        }
        Undo::Nothing
    }

    fn style_element(&mut self, local: &str, tag: &BytesStart<'_>) -> Undo {
        self.styles.style(tag);
        match local {
            "style" => self.style = attribute(tag, "style:name").unwrap_or_default(),
            "table-properties" if attribute(tag, "table:display").as_deref() == Some("false") => {
                // Moved: cloning a long name for many properties would be quadratic.
                let style = std::mem::take(&mut self.style);
                self.hidden
                    .extend(Some(style).filter(|style| !style.is_empty()));
            }
            "master-page" => return self.piece(Piece::Master),
            _ if attribute(tag, "style:display").as_deref() == Some("false") => return Undo::Skip,
            "header" | "header-left" | "header-first" => {
                return self.piece(Piece::Aside(AsideKind::Header, false));
            }
            "footer" | "footer-left" | "footer-first" => {
                return self.piece(Piece::Aside(AsideKind::Footer, false));
            }
            _ => {}
        }
        Undo::Nothing
    }

    fn draw_element(&mut self, local: &str, name: &str, tag: &BytesStart<'_>) -> Undo {
        match local {
            "page" => {
                self.streams.newline();
                self.streams.sink.count(Fact::Pages, 1);
            }
            "notes" => return self.piece(Piece::Speech),
            "text-box" if self.genre == Genre::Text => return self.piece(Piece::TextBox),
            "image" => self.external(tag),
            "object" => return self.object(tag),
            "frame" | "custom-shape" => return self.frame(tag),
            // What all slides show in the master's placeholder for it.
            "header-decl" => return self.line(Piece::Aside(AsideKind::Header, false)),
            "footer-decl" => return self.line(Piece::Aside(AsideKind::Footer, false)),
            "header" | "footer" | "date-time" => return Undo::Skip,
            _ => return skip(name),
        }
        Undo::Nothing
    }

    /// A shape, perhaps one that is on every page.
    fn frame(&mut self, tag: &BytesStart<'_>) -> Undo {
        let aside = match attribute(tag, "presentation:class").as_deref() {
            Some("date-time" | "page-number") => return Undo::Skip,
            Some("header") => AsideKind::Header,
            Some("footer") => AsideKind::Footer,
            _ => return Undo::Nothing,
        };
        self.piece(Piece::Aside(aside, false))
    }

    /// Metadata of the document.
    pub(super) fn meta(&mut self, name: &str, tag: &BytesStart<'_>) -> Undo {
        let fact = match name {
            "dc:title" => Fact::Title,
            "dc:subject" => Fact::Subject,
            "meta:initial-creator" => Fact::Author,
            "dc:creator" => Fact::LastAuthor,
            "meta:creation-date" => Fact::Created,
            "dc:date" => Fact::Modified,
            "dc:language" => Fact::Language,
            "meta:generator" => Fact::Producer,
            "meta:document-statistic" => {
                let pages = attribute(tag, "meta:page-count").and_then(|pages| pages.parse().ok());
                self.streams.sink.count(Fact::Pages, pages.unwrap_or(0));
                return Undo::Nothing;
            }
            _ => return Undo::Nothing,
        };
        self.line(Piece::Fact(fact))
    }

    /// Begins a piece that contains its text directly.
    fn line(&mut self, piece: Piece) -> Undo {
        self.streams.begin(piece);
        self.text.push(Some(true));
        Undo::Piece
    }

    /// In running headers and footers a field differs on every page.
    fn field(&mut self) -> Undo {
        for piece in self.streams.kinds() {
            if let Piece::Aside(AsideKind::Header | AsideKind::Footer, fields) = piece {
                *fields = true;
                return Undo::Skip;
            }
        }
        Undo::Nothing
    }

    fn external(&mut self, tag: &BytesStart<'_>) {
        let target = attribute(tag, "xlink:href").unwrap_or_default();
        let outside = target.starts_with("../") || target.contains(':') || target.starts_with('/');
        self.streams.sink.count(Fact::External, u64::from(outside));
    }
}

fn skip(name: &str) -> Undo {
    if SKIPPED.contains(&name) {
        Undo::Skip
    } else {
        Undo::Nothing
    }
}

/// The value of an attribute with a count; 1 if there is none.
fn number(tag: &BytesStart<'_>, name: &str) -> u64 {
    attribute(tag, name)
        .and_then(|value| value.trim().parse().ok())
        .unwrap_or(1)
}
