//! What control words mean for the text (specification 1.9.1, "Special Characters" and "Destinations").

use simdex_extract::Fact;

use super::super::aside::AsideKind;
use super::destination::{Dest, Piece};

/// Destinations without text.
const SILENT: &[&str] = &[
    "colortbl",
    "stylesheet",
    "filetbl",
    "listtable",
    "listlevel",
    "listoverridetable",
    "revtbl",
    "pict",
    "nonshppict",
    "shprslt",
    "pntxta",
    "pntxtb",
    "xe",
    "tc",
    "rxe",
    "ftnsep",
    "ftnsepc",
    "ftncn",
    "aftnsep",
    "aftnsepc",
    "aftncn",
    "bkmkstart",
    "bkmkend",
    "nonesttables",
    "mmathPict",
    "private",
    "themedata",
    "colorschememapping",
    "datastore",
    "latentstyles",
    "atnid",
    "atnauthor",
    "template",
    "background",
    "mhtmltag",
    "falt",
    "panose",
    "fname",
];

/// The character a control word stands for.
pub(super) fn character(word: &str) -> Option<&'static str> {
    Some(match word {
        "par" | "line" | "row" | "sect" | "page" | "column" | "softline" => "\n",
        "tab" | "cell" | "nestcell" => "\t",
        "emdash" => "—",
        "endash" => "–",
        "bullet" => "•",
        "lquote" => "‘",
        "rquote" => "’",
        "ldblquote" => "“",
        "rdblquote" => "”",
        "emspace" | "enspace" | "qmspace" => " ",
        "zwj" => "\u{200d}",
        "zwnj" => "\u{200c}",
        _ => return None,
    })
}

/// Where the text of a group goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum TextTarget {
    /// What follows is of this kind.
    To(Dest),
    /// What follows is text that is collected separately.
    Collect(Piece),
}

/// The destination that a control word opens, by the kind of the surrounding group. Unknown destinations that matter
/// are marked as ignorable by `\*`; the others here contain no text, or text that is repeated elsewhere.
pub(super) fn destination(word: &str, within: Dest) -> Option<TextTarget> {
    match within {
        Dest::Silent | Dest::Fonts | Dest::Hex => None,
        Dest::Info if word == "upr" => Some(TextTarget::To(Dest::InfoPair)),
        Dest::Info => info(word).map(TextTarget::Collect),
        Dest::InfoPair => (word == "ud").then_some(TextTarget::To(Dest::Info)),
        Dest::Shape => shape(word),
        Dest::Object => object(word),
        Dest::Pair => (word == "ud").then_some(TextTarget::To(Dest::Text)),
        Dest::Form => (word == "ffl").then_some(TextTarget::Collect(Piece::FormItem)),
        Dest::Rows | Dest::Tag => None,
        Dest::Text => text(word),
    }
}

fn text(word: &str) -> Option<TextTarget> {
    let to = match word {
        "header" | "headerl" | "headerr" | "headerf" => {
            return Some(TextTarget::Collect(Piece::Aside(AsideKind::Header)));
        }
        "footer" | "footerl" | "footerr" | "footerf" => {
            return Some(TextTarget::Collect(Piece::Aside(AsideKind::Footer)));
        }
        "footnote" => return Some(TextTarget::Collect(Piece::Aside(AsideKind::Note))),
        "annotation" => return Some(TextTarget::Collect(Piece::Aside(AsideKind::Comment))),
        "fldinst" => return Some(TextTarget::Collect(Piece::Instruction)),
        "generator" => return Some(TextTarget::Collect(Piece::Fact(Fact::Producer))),
        "listtext" | "pntext" => return Some(TextTarget::Collect(Piece::Label)),
        "fonttbl" => Dest::Fonts,
        "formfield" => Dest::Form,
        "info" => Dest::Info,
        "object" => Dest::Object,
        "shpinst" | "do" => Dest::Shape,
        "upr" => Dest::Pair,
        "nesttableprops" => Dest::Rows,
        "htmltag" => Dest::Tag,
        "moMathPara" | "shptxt" | "dptxbxtext" => Dest::Text,
        _ if is_silent(word) => Dest::Silent,
        _ => return None,
    };
    Some(TextTarget::To(to))
}

/// Properties of formulas have their values as text.
fn is_silent(word: &str) -> bool {
    SILENT.contains(&word) || word.starts_with('m') && word.ends_with("Pr")
}

fn info(word: &str) -> Option<Piece> {
    Some(match word {
        "title" => Piece::Fact(Fact::Title),
        "subject" => Piece::Fact(Fact::Subject),
        "author" => Piece::Fact(Fact::Author),
        "operator" => Piece::Fact(Fact::LastAuthor),
        "creatim" => Piece::Date(Fact::Created),
        "revtim" => Piece::Date(Fact::Modified),
        _ => return None,
    })
}

/// A drawn shape: none of its properties, all of its text.
fn shape(word: &str) -> Option<TextTarget> {
    match word {
        "shptxt" | "dptxbxtext" => Some(TextTarget::Collect(Piece::TextBox)),
        "sp" | "pict" | "shprslt" => Some(TextTarget::To(Dest::Silent)),
        _ => None,
    }
}

/// An embedded object: its class, its bytes, and its appearance.
fn object(word: &str) -> Option<TextTarget> {
    match word {
        "objclass" => Some(TextTarget::Collect(Piece::ObjectClass)),
        "objdata" => Some(TextTarget::Collect(Piece::ObjectData)),
        "result" => Some(TextTarget::To(Dest::Text)),
        _ => None,
    }
}
