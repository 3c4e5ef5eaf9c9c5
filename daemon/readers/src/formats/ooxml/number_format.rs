//! The signs that a number format adds (ECMA-376 Part 1 §18.8.31): currencies, percent, units, brackets of negative
//! numbers. Digits are not formatted: how many decimals and which separators are shown changes no reading.

use super::general_number::general;

/// Characters of a sign before or behind a number that are kept.
const MAX_SIGNS: usize = 64;

/// A format for numbers that adds signs to some.
#[derive(Debug, PartialEq)]
pub(in crate::formats) struct NumberFormat {
    sections: Vec<Section>,
}

/// What is shown for some numbers.
#[derive(Debug, Default, PartialEq)]
struct Section {
    condition: Option<(Comparison, f64)>,
    before: String,
    after: String,
    /// Whether there is a place for digits; and whether zero is shown there.
    has_digits: bool,
    shows_zero: bool,
    /// How many hundreds the number is multiplied by, and how many thousands it is divided by.
    hundreds: i32,
    thousands: i32,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Comparison {
    Less,
    LessOrEqual,
    Equal,
    NotEqual,
    GreaterOrEqual,
    Greater,
}

impl NumberFormat {
    /// The format of a code; `None` if it adds no signs.
    pub(super) fn of_code(code: &str) -> Option<Self> {
        let mut sections = Vec::new();
        let mut rest = Some(code);
        // The fourth is for text.
        while let Some(code) = rest.filter(|_| sections.len() < 3) {
            let (section, behind) = Section::parse(code);
            sections.push(section);
            rest = behind;
        }
        let is_plain = |section: &Section| *section == Section::plain(section.shows_zero);
        (!sections.iter().all(is_plain)).then_some(Self { sections })
    }

    /// A number as it is shown, with all its digits.
    pub(super) fn shown(&self, value: f64) -> String {
        let Some(section) = self.section(value) else {
            return general(value);
        };
        if !section.has_digits || value == 0.0 && !section.shows_zero {
            return without_digits(&format!("{}{}", section.before, section.after), value);
        }
        let scaled = value * 100_f64.powi(section.hundreds) / 1000_f64.powi(section.thousands);
        with_signs(scaled, &section.before, &section.after)
    }

    fn section(&self, value: f64) -> Option<&Section> {
        let has_conditions = self.sections.iter().any(|one| one.condition.is_some());
        if has_conditions {
            let holds = |one: &&Section| one.condition.is_none_or(|(c, with)| c.holds(value, with));
            return self.sections.iter().find(holds);
        }
        let number = match self.sections.len() {
            3 if value == 0.0 => 2,
            2 | 3 if value < 0.0 => 1,
            _ => 0,
        };
        self.sections.get(number)
    }
}

impl Section {
    fn plain(shows_zero: bool) -> Self {
        Self {
            has_digits: true,
            shows_zero,
            ..Self::default()
        }
    }

    /// Reads a section; returns what follows its semicolon.
    fn parse(code: &str) -> (Self, Option<&str>) {
        let mut section = Self::default();
        let mut rest = code;
        while let Some(next) = rest.chars().next() {
            if rest
                .get(..7)
                .is_some_and(|word| word.eq_ignore_ascii_case("general"))
            {
                section.place(true);
                rest = &rest[7..];
                continue;
            }
            rest = &rest[next.len_utf8()..];
            match next {
                ';' => return (section, Some(rest)),
                '"' => section.literal(until(&mut rest, '"')),
                '[' => section.bracket(until(&mut rest, ']')),
                '\\' => section.literal(one(&mut rest)),
                // The width of a character, and one that fills the cell.
                '_' | '*' => drop(one(&mut rest)),
                '0' | '@' => section.place(true),
                '#' | '?' => section.place(false),
                'E' | 'e' if rest.starts_with(['+', '-']) => drop(one(&mut rest)),
                '.' => {}
                ',' => section.thousands += i32::from(section.has_digits),
                '%' => {
                    section.hundreds += 1;
                    section.literal("%");
                }
                other => section.literal(other.encode_utf8(&mut [0; 4])),
            }
        }
        (section, None)
    }

    /// A place for a digit. What was between it and those before is part of the digits.
    fn place(&mut self, shows_zero: bool) {
        self.has_digits = true;
        self.shows_zero |= shows_zero;
        self.after.clear();
        self.thousands = 0;
    }

    fn literal(&mut self, text: &str) {
        let signs = match self.has_digits {
            true => &mut self.after,
            false => &mut self.before,
        };
        let room = MAX_SIGNS.saturating_sub(signs.chars().count());
        signs.extend(text.chars().take(room));
    }

    /// A currency with its locale (`$€-407`), a condition, or a colour.
    fn bracket(&mut self, inside: &str) {
        if let Some(currency) = inside.strip_prefix('$') {
            let sign = currency.split_once('-').map_or(currency, |(sign, _)| sign);
            self.literal(sign);
        }
        self.condition = Comparison::of(inside).or(self.condition);
    }
}

impl Comparison {
    fn of(condition: &str) -> Option<(Self, f64)> {
        let signs = [
            ("<=", Self::LessOrEqual),
            ("<>", Self::NotEqual),
            (">=", Self::GreaterOrEqual),
            ("<", Self::Less),
            (">", Self::Greater),
            ("=", Self::Equal),
        ];
        let of =
            |(sign, comparison): (&str, Self)| Some((comparison, condition.strip_prefix(sign)?));
        let (comparison, number) = signs.into_iter().find_map(of)?;
        Some((comparison, number.trim().parse().ok()?))
    }

    fn holds(self, value: f64, with: f64) -> bool {
        match self {
            Self::Less => value < with,
            Self::LessOrEqual => value <= with,
            Self::Equal => value == with,
            Self::NotEqual => value != with,
            Self::GreaterOrEqual => value >= with,
            Self::Greater => value > with,
        }
    }
}

/// A number between signs. A negative one keeps its sign where none of these says so.
pub(in crate::formats) fn with_signs(value: f64, before: &str, after: &str) -> String {
    let is_said = before.contains(['-', '−', '–', '(']);
    let sign = if value < 0.0 && !is_said { "-" } else { "" };
    match general(value.abs()) {
        number if number.is_empty() => number,
        number => format!("{sign}{before}{number}{after}"),
    }
}

/// What is shown in place of a number: words, or a sign. A dash stands for the number.
pub(in crate::formats) fn without_digits(shown: &str, value: f64) -> String {
    let shown = shown.trim();
    let dash = shown
        .find(['-', '−', '–'])
        .filter(|_| !shown.contains(char::is_alphabetic));
    match dash {
        Some(at) => {
            let (before, after) = shown.split_at(at);
            let after = after.trim_start_matches(['-', '−', '–']);
            with_signs(value, before, after)
        }
        None if shown.is_empty() => general(value),
        None => shown.to_owned(),
    }
}

/// The text up to a character, which is taken too.
fn until<'c>(rest: &mut &'c str, end: char) -> &'c str {
    let (inside, behind) = rest.split_once(end).unwrap_or((rest, ""));
    *rest = behind;
    inside
}

/// The next character.
fn one<'c>(rest: &mut &'c str) -> &'c str {
    let length = rest.chars().next().map_or(0, char::len_utf8);
    let (one, behind) = rest.split_at(length);
    *rest = behind;
    one
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(code: &str, value: f64) -> String {
        NumberFormat::of_code(code).map_or_else(|| general(value), |format| format.shown(value))
    }

    #[test]
    fn signs_of_a_format_stand_around_the_number() {
        for (code, value, expected) in [
            ("0.00\" EUR\"", 5.0, "5 EUR"),
            ("#,##0.00\\ [$€-407]", -5.5, "-5.5 €"),
            ("[$USD]\\ 0", 5.0, "USD 5"),
            ("\"$\"#,##0_);\\(\"$\"#,##0\\)", -5.0, "($5)"),
            ("$#,##0;[Red]$#,##0", -5.0, "-$5"),
            ("0.0%", 0.05, "5%"),
            ("0%", 0.07, "7%"),
            (
                "_-* #,##0.00\\ \"€\"_-;\\-* #,##0.00\\ \"€\"_-;_-* \"-\"??\\ \"€\"_-;_-@_-",
                -5.0,
                "-5 €",
            ),
            (
                "_-* #,##0.00\\ \"€\"_-;\\-* #,##0.00\\ \"€\"_-;_-* \"-\"??\\ \"€\"_-;_-@_-",
                0.0,
                "0 €",
            ),
            (
                "_(\"$\"* #,##0_);_(\"$\"* \\(#,##0\\);_(\"$\"* \"-\"??_)",
                0.0,
                "$0",
            ),
            ("0.0,\"k\"", 1500.0, "1.5k"),
            ("[>=1000]0,\"k\";0\"u\"", 2000.0, "2k"),
            ("[>=1000]0,\"k\";0\"u\"", 20.0, "20u"),
            ("[<0]0\"x\";[=7]0\"seven\"", 5.0, "5"),
            ("\"Yes\";\"Yes\";\"No\"", 0.0, "No"),
            ("\"Yes\";\"Yes\";\"No\"", 3.0, "Yes"),
            ("0;-0;\"free\"", 0.0, "free"),
            (";;;", 5.0, "5"),
            ("General\" kg\"", 2.5, "2.5 kg"),
            ("0\" °C\"", -3.0, "-3 °C"),
            ("0.00E+00\" m\"", 5e20, "5E+20 m"),
            ("(000) 000-0000", 5_551_234.0, "(5551234"),
            ("#\\ ##0,00\"\u{a0}zł\"", 5.0, "5\u{a0}zł"),
            ("€ 0", f64::NAN, ""),
            ("\"unended", 5.0, "unended"),
        ] {
            assert_eq!(shown(code, value), expected, "{code} of {value}");
        }
    }

    #[test]
    fn formats_without_signs_are_none() {
        for code in [
            "General",
            "0.00",
            "#,##0.00;[Red]-#,##0.00",
            "# ?/?",
            "0.00E+00",
            "@",
            "#",
        ] {
            let is_plain = NumberFormat::of_code(code)
                .is_none_or(|format| format.shown(-5.0) == "-5" && format.shown(5.0) == "5");
            assert!(is_plain, "{code}");
        }
        assert_eq!(NumberFormat::of_code("General"), None);
        assert_eq!(NumberFormat::of_code("#,##0.00"), None);
    }
}
