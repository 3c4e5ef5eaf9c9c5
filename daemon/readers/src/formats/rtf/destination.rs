//! Where the text of a group goes.

use simdex_extract::Fact;

use super::super::aside::AsideKind;

/// What a group is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Dest {
    Text,
    /// Nothing in it counts.
    Silent,
    Fonts,
    /// The state of a form field.
    Form,
    Info,
    Shape,
    Object,
    /// Bytes written as hexadecimal digits.
    Hex,
    /// A pair of texts, the second of which repeats the first in Unicode.
    Pair,
    /// A pair in the document's metadata.
    InfoPair,
    /// Properties of a row of a nested table, which contain its end.
    Rows,
    /// HTML that the document was converted from.
    Tag,
}

/// Text collected apart from the body.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Piece {
    Aside(AsideKind),
    Fact(Fact),
    Date(Fact),
    TextBox,
    /// The label of a list item, as the program that wrote the document showed it.
    Label,
    Instruction,
    /// An item of a list in a form field.
    FormItem,
    ObjectClass,
    ObjectData,
    /// The page that the document was converted from.
    Html,
}
