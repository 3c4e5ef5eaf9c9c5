//! What a shingle is: a window of w bytes or of w words of the canonical text.

use std::num::NonZeroU16;

/// The unit and width of a shingle; a width of zero cannot be written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Window {
    /// w consecutive bytes of canonical UTF-8.
    Bytes(NonZeroU16),
    /// w consecutive words of canonical text.
    Words(NonZeroU16),
}

/// What the width of a [`Window`] counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Unit {
    /// Bytes of canonical UTF-8.
    Bytes,
    /// Words: runs between the single spaces of canonical text.
    Words,
}

impl Window {
    /// 20 bytes: the trade-off of Cherkasova et al. 2009, §4.
    pub const DEFAULT: Self = match Self::bytes(20) {
        Some(window) => window,
        None => unreachable!(),
    };

    /// A window of `width` bytes; `None` for zero.
    pub const fn bytes(width: u16) -> Option<Self> {
        match NonZeroU16::new(width) {
            Some(width) => Some(Self::Bytes(width)),
            None => None,
        }
    }

    /// A window of `width` words; `None` for zero.
    pub const fn words(width: u16) -> Option<Self> {
        match NonZeroU16::new(width) {
            Some(width) => Some(Self::Words(width)),
            None => None,
        }
    }

    /// The width, in [`unit`](Self::unit)s; at least 1.
    pub const fn width(self) -> u16 {
        match self {
            Self::Bytes(width) | Self::Words(width) => width.get(),
        }
    }

    /// What the width counts.
    pub const fn unit(self) -> Unit {
        match self {
            Self::Bytes(_) => Unit::Bytes,
            Self::Words(_) => Unit::Words,
        }
    }
}

impl Default for Window {
    fn default() -> Self {
        Self::DEFAULT
    }
}

impl Unit {
    /// `"bytes"` or `"words"`, as the output contract writes it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Bytes => "bytes",
            Self::Words => "words",
        }
    }
}

impl std::fmt::Display for Window {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} {}", self.width(), self.unit().name())
    }
}
