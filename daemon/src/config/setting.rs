//! The table of settings: the macro that declares a section with the range of every key, and the
//! types from which the check and the sample config are derived.

use std::fmt;
use std::ops::RangeInclusive;

use serde::Deserialize;

/// A number of MiB, converted to bytes without overflow.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(transparent)]
pub struct Mebibytes(pub u32);

impl Mebibytes {
    /// The size in bytes; it cannot wrap.
    pub const fn bytes(self) -> u64 {
        (self.0 as u64) << 20
    }

    /// The size as a length in memory.
    pub fn length(self) -> usize {
        usize::try_from(self.bytes()).unwrap_or(usize::MAX)
    }
}

/// Permission bits of a file, written in octal.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(transparent)]
pub struct Permissions(pub u32);

/// One key of the config.
#[derive(Clone, Debug)]
pub struct Setting {
    /// The section it belongs to.
    pub section: &'static str,
    /// Its name in the section.
    pub key: &'static str,
    /// Its meaning, as users read it.
    pub meaning: &'static str,
    /// What it is set to.
    pub value: Value,
    /// The values it may have; switches, texts and lists have no range.
    pub range: Option<Range>,
}

impl Setting {
    /// The error message for `value`, if it lies outside the range.
    pub fn refusal(&self, value: &Value) -> Option<String> {
        let range = self.range.as_ref().filter(|range| !range.admits(value))?;
        let (section, key) = (self.section, self.key);
        let value = value.like(&self.value);
        Some(format!("{section}.{key} is {value}; it must be {range}"))
    }
}

/// The value of a key.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    /// A whole number.
    Whole(i64),
    /// Permission bits, shown in octal.
    Octal(i64),
    /// A number with a decimal point.
    Ratio(f64),
    /// A switch, on or off.
    Switch(bool),
    /// A string, such as a path.
    Text(String),
    /// A list of names.
    Names(Vec<&'static str>),
}

impl Value {
    /// This value, in the same notation as `other`.
    fn like(&self, other: &Self) -> Self {
        match (self, other) {
            (Self::Whole(number), Self::Octal(_)) => Self::Octal(*number),
            _ => self.clone(),
        }
    }
}

/// Formats the value as TOML.
impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Whole(number) => write!(f, "{number}"),
            Self::Octal(number) => write!(f, "{number:#o}"),
            Self::Ratio(number) => write!(f, "{number}"),
            Self::Switch(on) => write!(f, "{on}"),
            Self::Text(text) => write!(f, "{text:?}"),
            Self::Names(names) => write!(f, "{names:?}"),
        }
    }
}

/// The least and the greatest value of a key.
#[derive(Clone, Debug, PartialEq)]
pub enum Range {
    /// Bounds of a whole number.
    Whole(RangeInclusive<i64>),
    /// Bounds of permission bits.
    Octal(RangeInclusive<i64>),
    /// Bounds of a ratio.
    Ratio(RangeInclusive<f64>),
}

impl Range {
    /// Whether the range contains a value. A value of another type is left to the parser.
    pub fn admits(&self, value: &Value) -> bool {
        match (self, value) {
            (Self::Ratio(range), Value::Ratio(number)) => range.contains(number),
            (Self::Ratio(range), Value::Whole(number)) => range.contains(&(*number as f64)),
            (
                Self::Whole(range) | Self::Octal(range),
                Value::Whole(number) | Value::Octal(number),
            ) => range.contains(number),
            _ => true,
        }
    }

    /// The range of a key whose values are like this one.
    pub(super) fn like(self, value: &Value) -> Self {
        match (self, value) {
            (Self::Whole(range), Value::Octal(_)) => Self::Octal(range),
            (range, _) => range,
        }
    }
}

impl fmt::Display for Range {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Whole(range) => write!(f, "{} to {}", range.start(), range.end()),
            Self::Octal(range) => write!(f, "{:#o} to {:#o}", range.start(), range.end()),
            Self::Ratio(range) => write!(f, "{} to {}", range.start(), range.end()),
        }
    }
}

impl From<RangeInclusive<i64>> for Range {
    fn from(range: RangeInclusive<i64>) -> Self {
        Self::Whole(range)
    }
}

impl From<RangeInclusive<f64>> for Range {
    fn from(range: RangeInclusive<f64>) -> Self {
        Self::Ratio(range)
    }
}

macro_rules! whole {
    ($($type:ty),*) => {
        $(impl From<$type> for Value {
            fn from(number: $type) -> Self {
                Self::Whole(i64::try_from(number).unwrap_or(i64::MAX))
            }
        })*
    };
}

whole!(u32, u64, usize);

impl From<Mebibytes> for Value {
    fn from(size: Mebibytes) -> Self {
        size.0.into()
    }
}

impl From<Permissions> for Value {
    fn from(permissions: Permissions) -> Self {
        Self::Octal(permissions.0.into())
    }
}

impl From<f64> for Value {
    fn from(ratio: f64) -> Self {
        Self::Ratio(ratio)
    }
}

impl From<bool> for Value {
    fn from(on: bool) -> Self {
        Self::Switch(on)
    }
}

impl From<String> for Value {
    fn from(text: String) -> Self {
        Self::Text(text)
    }
}

/// Declares a section: `key: type = default => least..=greatest`. Every number has a range; the
/// documentation of a key is its comment in the sample config.
macro_rules! section {
    ($(#[doc = $doc:literal])* $name:ident $section:literal {
        $($(#[doc = $meaning:literal])+ $key:ident: $type:ty = $default:expr $(=> $range:expr)?,)*
    }) => {
        $(#[doc = $doc])*
        #[derive(Clone, Debug, PartialEq, serde::Deserialize)]
        #[serde(deny_unknown_fields, default)]
        pub struct $name { $($(#[doc = $meaning])+ pub $key: $type,)* }

        impl Default for $name {
            fn default() -> Self {
                Self { $($key: $default,)* }
            }
        }

        impl $name {
            /// Its name in the config.
            pub(super) const SECTION: &'static str = $section;
            /// Its comment in the sample config.
            pub(super) const ABOUT: &'static str = concat!($($doc,)*);

            /// Every key, in order, with its current value.
            pub(super) fn settings(&self) -> Vec<$crate::config::Setting> {
                vec![$({
                    let value = $crate::config::Value::from(self.$key.clone());
                    let ranges: &[$crate::config::Range] = &[$($range.into())?];
                    $crate::config::Setting {
                        section: $section,
                        key: stringify!($key),
                        meaning: concat!($($meaning,)+),
                        range: ranges.first().cloned().map(|range| range.like(&value)),
                        value,
                    }
                },)*]
            }
        }
    };
}

pub(super) use section;
