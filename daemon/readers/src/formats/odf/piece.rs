//! Text collected apart from the body, by what it is.

use simdex_extract::Fact;

use super::super::aside::AsideKind;
use super::value::Value;
use crate::formats::field::Form;

/// Text collected apart from the body.
#[derive(Debug)]
pub(super) enum Piece {
    /// A header, footer, note or comment; for the first two, whether they contain fields, which differ on every page.
    Aside(AsideKind, bool),
    Fact(Fact),
    /// Speaker notes of a slide.
    Speech,
    TextBox,
    Row {
        repeated: u64,
        cells: u64,
    },
    Cell {
        repeated: u64,
        value: Value,
    },
    /// What a master page shows on every slide.
    Master,
    /// A form field that states its state.
    Form(Form),
}
