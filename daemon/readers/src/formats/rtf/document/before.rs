//! The token before another, as far as that matters.

use super::Token;

/// The kind of the token before.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum PreviousToken {
    Open,
    /// `\*` at a group's start: readers that do not know the destination shall leave it out.
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
