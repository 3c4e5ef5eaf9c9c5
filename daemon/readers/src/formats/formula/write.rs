//! How each element is written.

use super::shape::Shape;
use super::{Element, Part};

/// Lines around or through the content of an element, and the combining marks that show them in a line of text.
const LINES: &[(&str, &str)] = &[
    ("box", "\u{20de}"),
    ("roundedbox", "\u{20de}"),
    ("circle", "\u{20dd}"),
    ("top", "\u{305}"),
    ("bottom", "\u{332}"),
    ("actuarial", "\u{20e7}"),
    ("madruwb", "\u{20e7}"),
    ("updiagonalstrike", "\u{338}"),
    ("downdiagonalstrike", "\u{20e5}"),
    ("verticalstrike", "\u{20d2}"),
    ("horizontalstrike", "\u{336}"),
];

/// Lines through a box of OMML, by the names of MathML; and its sides, by the properties that hide them.
const STRIKES: [(&str, &str); 4] = [
    ("strikeBLTR", "updiagonalstrike"),
    ("strikeTLBR", "downdiagonalstrike"),
    ("strikeV", "verticalstrike"),
    ("strikeH", "horizontalstrike"),
];
const SIDES: [(&str, &str); 4] = [
    ("hideTop", "top"),
    ("hideBot", "bottom"),
    ("hideLeft", "left"),
    ("hideRight", "right"),
];

impl Element {
    /// The element in one line; `None` if it shows nothing and takes no place among operands.
    pub(super) fn write(mut self) -> Option<Part> {
        let mut operands = std::mem::take(&mut self.parts).into_iter();
        let mut operand = || operands.next().unwrap_or_default();
        Some(match self.shape {
            Shape::Properties | Shape::Nothing => return None,
            Shape::Divider => Part {
                is_divider: true,
                ..Part::default()
            },
            Shape::Space => Part::plain(" "),
            Shape::Row | Shape::First => operand(),
            Shape::Token => token(&operand().text),
            Shape::Quoted => self.quoted(&operand().text),
            Shape::Fraction => self.fraction(&operand(), &operand()),
            Shape::SquareRoot => root(&Part::default(), &operand()),
            Shape::Root => {
                let radicand = operand();
                root(&operand(), &radicand)
            }
            Shape::Below => scripted(operand(), &operand(), &Part::default()),
            Shape::Above => scripted(operand(), &Part::default(), &operand()),
            Shape::BelowAbove => scripted(operand(), &operand(), &operand()),
            Shape::Under => scripted(operand().whole(), &operand(), &Part::default()),
            Shape::Over => scripted(operand().whole(), &Part::default(), &operand()),
            Shape::UnderOver => scripted(operand().whole(), &operand(), &operand()),
            Shape::Before => {
                let scripts = [operand(), operand()];
                before(&scripts, operand())
            }
            Shape::Marked(sign) => self.marked(&operand(), sign),
            Shape::Bar => self.barred(&operand()),
            Shape::Enclosed => self.enclosed(&operand()),
            Shape::Boxed => self.boxed(&operand()),
            Shape::Phantom if self.property(&["show"]).is_some() && !self.is_on("show") => {
                Part::plain(" ")
            }
            Shape::Phantom => operand(),
            Shape::Function => {
                let mut name = operand();
                name.closes = true;
                name.join(operand());
                name
            }
            Shape::Table => Part::plain(&format!("[{}]", joined(operands, "; "))),
            Shape::Cells => Part::plain(&joined(operands, ", ")),
            Shape::Radical => self.radical(operands.collect()),
            Shape::Operator => self.operator(operands.collect()),
            Shape::Fenced => self.fenced(operands),
            Shape::Scripts => scripts(operands.collect()),
        })
    }

    fn quoted(&self, text: &str) -> Part {
        let quote = |name| self.property(&[name]).unwrap_or("\"");
        Part::plain(&format!(
            "{}{}{}",
            quote("lquote"),
            text.trim(),
            quote("rquote")
        ))
    }

    /// A fraction without a line is written with a broken one.
    fn fraction(&self, above: &Part, below: &Part) -> Part {
        let thickness = self.property(&["linethickness"]).unwrap_or("1");
        let width = thickness.trim_end_matches(|c: char| c.is_ascii_alphabetic() || c == '%');
        let has_line = width.trim().parse() != Ok(0.0);
        let line = if has_line && self.property(&["type"]) != Some("noBar") {
            '/'
        } else {
            '¦'
        };
        built(format!("{}{line}{}", above.term(), below.term()))
    }

    fn radical(&self, mut operands: Vec<Part>) -> Part {
        let radicand = operands.pop().unwrap_or_default();
        let degree = operands.pop().filter(|_| !self.is_on("degHide"));
        root(&degree.unwrap_or_default(), &radicand)
    }

    /// A sum, a product, an integral: the sign, its limits, and what it is applied to.
    fn operator(&self, mut operands: Vec<Part>) -> Part {
        let body = operands.pop().unwrap_or_default();
        let mut limits = operands.into_iter();
        let mut limit = |hidden| {
            let limit = limits.next().unwrap_or_default();
            Some(limit).filter(|_| !self.is_on(hidden))
        };
        let (below, above) = (limit("subHide"), limit("supHide"));
        let sign = Part::plain(self.property(&["chr"]).unwrap_or("∫"));
        let mut whole = scripted(sign, &below.unwrap_or_default(), &above.unwrap_or_default());
        whole.opens = false;
        whole.join(body);
        whole
    }

    fn fenced(&self, operands: impl Iterator<Item = Part>) -> Part {
        let open = self.property(&["begChr", "open"]).unwrap_or("(");
        let close = self.property(&["endChr", "close"]).unwrap_or(")");
        let default = if self.name == "d" { "|" } else { "," };
        let separators = self.property(&["sepChr", "separators"]).unwrap_or(default);
        let separators: Vec<char> = separators.chars().filter(|c| !c.is_whitespace()).collect();
        let mut text = open.trim().to_owned();
        for (number, operand) in operands.enumerate() {
            let last = separators.len().saturating_sub(1);
            let separator = number.checked_sub(1).map(|at| separators.get(at.min(last)));
            if let Some(separator) = separator {
                text.extend(separator);
                text.push(' ');
            }
            text.push_str(&operand.text);
        }
        text.push_str(close.trim());
        Part::plain(&text)
    }

    fn marked(&self, base: &Part, default: char) -> Part {
        let stated = self.property(&["chr"]);
        let sign = stated.map_or_else(|| default.to_string(), str::to_owned);
        let is_above = match self.property(&["pos"]) {
            Some(place) => place == "top",
            None => self.name == "acc",
        };
        if sign.chars().all(is_combining) {
            return Part::plain(&(base.group() + &sign));
        }
        let sign = Part::plain(&sign);
        match is_above {
            true => scripted(base.whole(), &Part::default(), &sign),
            false => scripted(base.whole(), &sign, &Part::default()),
        }
    }

    fn barred(&self, base: &Part) -> Part {
        let bar = match self.property(&["pos"]) {
            Some("top") => '\u{305}',
            _ => '\u{332}',
        };
        Part::plain(&format!("{}{bar}", base.group()))
    }

    fn enclosed(&self, content: &Part) -> Part {
        lined(content, self.property(&["notation"]).unwrap_or("longdiv"))
    }

    fn boxed(&self, content: &Part) -> Part {
        let strikes = STRIKES.iter().filter(|(name, _)| self.is_on(name));
        let sides = SIDES.iter().filter(|(name, _)| !self.is_on(name));
        let mut lines: Vec<_> = sides.map(|(_, line)| *line).collect();
        if lines.len() == SIDES.len() {
            lines = vec!["box"];
        }
        lines.extend(strikes.map(|(_, line)| *line));
        lined(content, &lines.join(" "))
    }
}

impl Part {
    /// The part as one term: in parentheses unless it is one.
    fn term(&self) -> String {
        let is_term = |c: char| c.is_alphanumeric() || is_combining(c) || matches!(c, '.' | '′');
        let is_one = !self.text.is_empty() && self.text.chars().all(is_term);
        if is_one || self.text.chars().count() == 1 || is_bracketed(&self.text) {
            self.text.clone()
        } else {
            format!("({})", self.text)
        }
    }

    /// The part as the base of scripts, which are shown at its end whatever it is: only a fraction or other scripts must
    /// not be taken for the base alone.
    fn base(&self) -> String {
        match self.opens || self.closes {
            true => self.term(),
            false => self.text.clone(),
        }
    }

    /// The part as the base of what is over or under all of it. A word is one sign.
    fn whole(&self) -> Self {
        let is_word = self.opens && self.closes && self.text.chars().all(char::is_alphabetic);
        Self::plain(&if is_word {
            self.text.clone()
        } else {
            self.group()
        })
    }

    /// The part so that a mark behind it is one on all of it.
    fn group(&self) -> String {
        let signs = self.text.chars().filter(|c| !is_combining(*c)).count();
        if signs == 1 || is_bracketed(&self.text) {
            self.text.clone()
        } else {
            format!("({})", self.text)
        }
    }
}

/// Whether the first bracket of a text is closed by its last character.
fn is_bracketed(text: &str) -> bool {
    let mut depth = 0_usize;
    for (at, c) in text.char_indices() {
        match c {
            '(' | '[' | '{' => depth += 1,
            ')' | ']' | '}' => depth = depth.saturating_sub(1),
            _ => {}
        }
        if depth == 0 {
            return at > 0 && at + c.len_utf8() == text.len();
        }
    }
    false
}

fn is_combining(c: char) -> bool {
    matches!(c, '\u{300}'..='\u{36f}' | '\u{1ab0}'..='\u{1aff}' | '\u{1dc0}'..='\u{1dff}'
        | '\u{20d0}'..='\u{20ff}' | '\u{fe20}'..='\u{fe2f}')
}

/// A part that its neighbours must not touch.
fn built(text: String) -> Part {
    Part {
        text,
        opens: true,
        closes: true,
        is_divider: false,
    }
}

/// A name of several letters is a word; what stands beside it is none of its letters.
fn token(text: &str) -> Part {
    let words: Vec<&str> = text.split_ascii_whitespace().collect();
    let text = words.join(" ");
    let is_word = text.chars().nth(1).is_some() && text.chars().all(char::is_alphabetic);
    Part {
        text,
        opens: is_word,
        closes: is_word,
        is_divider: false,
    }
}

fn root(degree: &Part, radicand: &Part) -> Part {
    Part::plain(&match degree.text.trim() {
        "" => format!("√({})", radicand.text),
        degree => format!("√[{degree}]({})", radicand.text),
    })
}

/// A base with what is written below and above it.
fn scripted(base: Part, below: &Part, above: &Part) -> Part {
    let scripts = both(below, above);
    if scripts.is_empty() {
        return base;
    }
    Part {
        text: base.base() + &scripts,
        opens: base.opens,
        closes: true,
        is_divider: false,
    }
}

/// Both scripts of one place, in this order; an empty one is none.
fn both(below: &Part, above: &Part) -> String {
    let script = |sign: char, part: &Part| match part.text.trim() {
        "" => String::new(),
        text => format!("{sign}{}", Part::plain(text).term()),
    };
    script('_', below) + &script('^', above)
}

/// Scripts before their base stand in parentheses: without them they would belong to what is before them.
fn before(scripts: &[Part], base: Part) -> Part {
    match pairs(scripts).as_str() {
        "" => base,
        before => Part {
            text: format!("({before}){}", base.text),
            ..base
        },
    }
}

fn scripts(mut operands: Vec<Part>) -> Part {
    let divider = operands.iter().position(|part| part.is_divider);
    let left = divider.map_or_else(Vec::new, |at| operands.split_off(at));
    let mut right = operands.into_iter();
    let base = right.next().unwrap_or_default();
    let right: Vec<Part> = right.collect();
    let base = Part {
        text: base.base() + &pairs(&right),
        opens: base.opens,
        closes: base.closes || !right.is_empty(),
        is_divider: false,
    };
    before(left.get(1..).unwrap_or_default(), base)
}

/// Pairs of scripts, one behind the other.
fn pairs(scripts: &[Part]) -> String {
    let none = Part::default();
    let pairs = scripts.chunks(2);
    pairs
        .map(|pair| both(&pair[0], pair.get(1).unwrap_or(&none)))
        .collect()
}

fn joined(operands: impl Iterator<Item = Part>, separator: &str) -> String {
    let texts: Vec<String> = operands.map(|part| part.text).collect();
    texts.join(separator)
}

/// A content with lines around or through it.
fn lined(content: &Part, lines: &str) -> Part {
    let (mut text, mut before) = (content.group(), String::new());
    for line in lines.split_ascii_whitespace() {
        match line {
            "longdiv" => before.insert(0, '⟌'),
            "radical" => before.insert(0, '√'),
            "phasorangle" => before.insert(0, '∠'),
            "left" => before.insert(0, '|'),
            "right" => text.push('|'),
            _ => {
                let mark = LINES.iter().find(|(name, _)| *name == line);
                text.extend(mark.map(|(_, mark)| *mark));
            }
        }
    }
    Part::plain(&(before + &text))
}
