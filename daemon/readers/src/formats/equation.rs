//! Formulas that word processors keep as the instruction of a field: `EQ \f(1,2)` (ECMA-376 Part 1 §17.16.5.18), as
//! formulas in one line ([`formula`](super::formula)).

use super::formula::Formula;

/// Maximum nesting that is read; what is deeper is text as it stands.
const MAX_DEEP: usize = 20;

/// What an instruction shows, if it is a formula.
pub(super) fn shown(instruction: &str) -> Option<String> {
    let trimmed = instruction.trim_start();
    let (name, body) = trimmed.split_at_checked(2)?;
    if !name.eq_ignore_ascii_case("EQ") || !body.starts_with([' ', '\\']) {
        return None;
    }
    let mut formula = Formula::new(usize::MAX - 1);
    write(body, MAX_DEEP, &mut formula);
    let text = formula.finish();
    (!text.trim().is_empty()).then(|| text.trim().to_owned())
}

/// Writes text in which switches begin with a backslash.
fn write(text: &str, deep: usize, formula: &mut Formula) {
    let mut rest = text;
    while let Some(at) = rest.find('\\') {
        plain(&rest[..at], formula);
        rest = switch(&rest[at + 1..], deep, formula);
    }
    plain(rest, formula);
}

fn plain(text: &str, formula: &mut Formula) {
    element(formula, "t", &[], |formula| formula.push(text));
}

/// Writes what a switch shows; returns what follows it.
fn switch<'a>(text: &'a str, deep: usize, formula: &mut Formula) -> &'a str {
    let Some(name) = text.chars().next() else {
        return "";
    };
    let behind = &text[name.len_utf8()..];
    // Formatting of the field, with its value.
    if name == '*' {
        let value = behind.trim_start();
        let end = value.find([' ', '\\']).unwrap_or(value.len());
        return &value[end..];
    }
    if !name.is_ascii_alphabetic() || deep == 0 {
        plain(&text[..name.len_utf8()], formula);
        return behind;
    }
    let (options, behind) = options(behind);
    let Some(inside) = behind.strip_prefix('(') else {
        return behind;
    };
    let (operands, behind) = operands(inside);
    let sub = |text: &str, formula: &mut Formula| write(text, deep - 1, formula);
    apply(name.to_ascii_lowercase(), options, &operands, sub, formula);
    behind
}

/// The options of a switch, which have backslashes of their own, up to its operands.
fn options(text: &str) -> (&str, &str) {
    let mut escaped = false;
    let end = text.find(|c: char| {
        let is_end = c == '(' && !escaped;
        // An option may name a bracket: `\lc\(`.
        escaped = c == '\\' && !escaped;
        is_end
    });
    text.split_at(end.unwrap_or(text.len()))
}

/// Operands up to the parenthesis that closes them, and what follows.
fn operands(text: &str) -> (Vec<&str>, &str) {
    let (mut operands, mut start, mut depth, mut escaped) = (Vec::new(), 0, 0_usize, false);
    // Where decimals have a comma, a semicolon separates operands.
    for (at, c) in text.char_indices() {
        match c {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            '(' => depth += 1,
            ')' if depth == 0 => {
                operands.push(&text[start..at]);
                return (operands, &text[at + 1..]);
            }
            ')' => depth -= 1,
            ',' | ';' if depth == 0 => {
                operands.push(&text[start..at]);
                start = at + 1;
            }
            _ => {}
        }
    }
    operands.push(&text[start..]);
    (operands, "")
}

/// Writes a switch applied to its operands, which `sub` writes.
fn apply(
    name: char,
    options: &str,
    operands: &[&str],
    sub: impl Fn(&str, &mut Formula),
    formula: &mut Formula,
) {
    let each = |operands: &[&str], formula: &mut Formula| {
        for operand in operands {
            element(formula, "e", &[], |formula| sub(operand, formula));
        }
    };
    match (name, operands) {
        ('f', _) => element(formula, "f", &[], |formula| each(operands, formula)),
        ('r', [_]) => element(formula, "msqrt", &[], |formula| each(operands, formula)),
        ('r', _) => element(formula, "rad", &[], |formula| each(operands, formula)),
        ('a', _) => table(columns(options), operands, each, formula),
        ('b', _) => {
            let [open, close] = brackets(options);
            let brackets = [("open", open), ("close", close)];
            element(formula, "mfenced", &brackets, |formula| {
                each(operands, formula)
            });
        }
        ('i', _) => integral(options, operands, each, formula),
        ('s', [operand]) => {
            let shape = if options.contains("do") {
                "msub"
            } else {
                "msup"
            };
            element(formula, shape, &[], |formula| each(&["", operand], formula));
        }
        ('s', _) => table(1, operands, each, formula),
        ('x', _) => element(formula, "menclose", &[], |formula| each(operands, formula)),
        // What is drawn upon each other: without the reading above the characters of ruby text.
        ('o', [first, base @ ..]) if !base.is_empty() && is_reading(first) => each(base, formula),
        ('o', _) => each(operands, formula),
        ('l', _) => {
            for (number, operand) in operands.iter().enumerate() {
                plain(if number > 0 { ", " } else { "" }, formula);
                each(&[operand], formula);
            }
        }
        // A distance.
        ('d', _) => {}
        _ => each(operands, formula),
    }
}

fn is_reading(operand: &str) -> bool {
    operand.trim_start().starts_with("\\s") && operand.contains("\\up")
}

/// An element of a formula with attributes.
fn element(
    formula: &mut Formula,
    name: &str,
    attributes: &[(&str, String)],
    content: impl FnOnce(&mut Formula),
) {
    formula.start(name, |wanted| {
        let found = attributes.iter().find(|(name, _)| *name == wanted);
        found.map(|(_, value)| value.clone())
    });
    content(formula);
    formula.end();
}

fn table(
    columns: usize,
    operands: &[&str],
    each: impl Fn(&[&str], &mut Formula),
    formula: &mut Formula,
) {
    element(formula, "m", &[], |formula| {
        for row in operands.chunks(columns) {
            element(formula, "mr", &[], |formula| each(row, formula));
        }
    });
}

/// The number of columns of an array: `\co2`.
fn columns(options: &str) -> usize {
    let said = options.split("\\co").nth(1).unwrap_or_default();
    let end = said.find(|c: char| !c.is_ascii_digit());
    let number = said[..end.unwrap_or(said.len())].parse();
    number.unwrap_or(1).max(1)
}

/// The brackets that options name: `\lc\{`, `\rc\}`, `\bc\[`.
fn brackets(options: &str) -> [String; 2] {
    let named = |option: &str| {
        let behind = options.split(option).nth(1)?;
        behind.strip_prefix('\\').unwrap_or(behind).chars().next()
    };
    let text = |bracket: Option<char>| bracket.map_or_else(String::new, String::from);
    match (named("\\bc"), named("\\lc"), named("\\rc")) {
        (Some(both), ..) => [both, counterpart(both)].map(String::from),
        (None, None, None) => ["(", ")"].map(str::to_owned),
        (None, left, right) => [text(left), text(right)],
    }
}

fn counterpart(bracket: char) -> char {
    match bracket {
        '(' => ')',
        '[' => ']',
        '{' => '}',
        '<' => '>',
        other => other,
    }
}

/// An integral or what options make of it, with its limits and what it is applied to.
fn integral(
    options: &str,
    operands: &[&str],
    each: impl Fn(&[&str], &mut Formula),
    formula: &mut Formula,
) {
    let own = ["\\fc\\", "\\vc\\"];
    let own = own
        .iter()
        .find_map(|option| options.split(option).nth(1)?.chars().next());
    let sign = match own {
        Some(own) => own,
        None if options.contains("\\su") => '∑',
        None if options.contains("\\pr") => '∏',
        None => '∫',
    };
    element(formula, "nary", &[], |formula| {
        element(formula, "naryPr", &[], |formula| {
            element(formula, "chr", &[("val", sign.into())], |_| {});
        });
        each(operands, formula);
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn switches_are_written_as_formulas() {
        for (instruction, expected) in [
            ("EQ \\f(1,2)", "1/2"),
            ("eq 3\\f(a+b;c)", "3 (a+b)/c"),
            ("EQ \\r(16)", "√(16)"),
            ("EQ \\r(3,x)", "√[3](x)"),
            ("EQ \\a\\al\\co2(1,2,3,4)", "[1, 2; 3, 4]"),
            ("EQ \\b\\bc\\[(x)", "[x]"),
            ("EQ \\b\\lc\\{(x)", "{x"),
            ("EQ \\b(\\f(1,2))", "(1/2)"),
            ("EQ \\i\\su(i=1,n,x)", "∑_(i=1)^n x"),
            ("EQ x\\s\\up8(2)y", "x^2 y"),
            ("EQ x\\s\\do8(1)", "x_1"),
            ("EQ \\l(A,B)", "A, B"),
            ("EQ \\o\\ac(○,1) \\* MERGEFORMAT", "○1"),
            (
                "EQ \\* jc2 \\* \"Font:MS\" \\o\\ad(\\s\\up 10(toukyou),TO)",
                "TO",
            ),
            ("EQ \\d\\fo10()a\\,b\\(", "a,b("),
            ("EQ \\f(1", "1/()"),
        ] {
            assert_eq!(
                shown(instruction).as_deref(),
                Some(expected),
                "{instruction}"
            );
        }
        for other in ["EQUATION \\f(1,2)", "PAGE", "EQ", "EQ ", ""] {
            assert_eq!(shown(other), None, "{other}");
        }
        let deep = format!("EQ {}", "\\f(".repeat(300));
        shown(&deep);
    }
}
