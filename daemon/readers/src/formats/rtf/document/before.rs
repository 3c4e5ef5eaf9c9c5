//! The previous token, as far as it matters.

use super::Token;

/// The kind of the previous token.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum PreviousToken {
    Open,
    /// `\*` at the start of a group: readers that do not know the destination are to skip it.
    Star,
    Close,
    Else,
}

impl PreviousToken {
    pub(super) fn of(token: &Token<'_>) -> Self {
        match token {
            Token::Open => Self::Open,
            Token::Symbol(b'*') => Self::Star,
            Token::Close => Self::Close,
            _ => Self::Else,
        }
    }
}
