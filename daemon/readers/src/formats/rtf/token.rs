//! The lexical units of RTF (specification 1.9.1, "RTF Syntax").

/// A lexical unit of RTF.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Token<'a> {
    Open,
    Close,
    /// A control word and its parameter.
    Word(&'a str, Option<i32>),
    /// A control symbol: a backslash and one other byte.
    Symbol(u8),
    /// A byte written as `\'xx`.
    Hex(u8),
    /// Bytes of text, line ends taken out.
    Text(&'a [u8]),
    /// The bytes announced by `\bin`, as far as they exist.
    Binary(&'a [u8]),
}

/// The units of a document, one after another.
pub(super) struct Tokens<'a> {
    rest: &'a [u8],
}

impl<'a> Tokens<'a> {
    pub(super) fn new(bytes: &'a [u8]) -> Self {
        Self { rest: bytes }
    }

    fn split(&mut self, at: usize) -> &'a [u8] {
        let (head, rest) = self.rest.split_at(at.min(self.rest.len()));
        self.rest = rest;
        head
    }

    /// The length of the prefix that satisfies `belongs`.
    fn span(&self, belongs: impl Fn(u8) -> bool) -> usize {
        let end = self.rest.iter().position(|&byte| !belongs(byte));
        end.unwrap_or(self.rest.len())
    }

    /// The token after a backslash.
    fn control(&mut self) -> Option<Token<'a>> {
        let first = *self.rest.first()?;
        if first.is_ascii_alphabetic() {
            return Some(self.word());
        }
        self.split(1);
        if first != b'\'' {
            return Some(Token::Symbol(first));
        }
        let digits = self
            .rest
            .get(..2)
            .and_then(|pair| std::str::from_utf8(pair).ok());
        match digits.and_then(|digits| u8::from_str_radix(digits, 16).ok()) {
            Some(byte) => {
                self.split(2);
                Some(Token::Hex(byte))
            }
            None => Some(Token::Symbol(b'\'')),
        }
    }

    fn word(&mut self) -> Token<'a> {
        let letters = self.span(|byte| byte.is_ascii_alphabetic());
        let name = std::str::from_utf8(self.split(letters)).unwrap_or_default();
        let sign = usize::from(self.rest.first() == Some(&b'-'));
        let digits = self.rest[sign..]
            .iter()
            .position(|byte| !byte.is_ascii_digit());
        let digits = digits.unwrap_or(self.rest.len() - sign);
        let parameter = (digits > 0).then(|| number(self.split(sign + digits)));
        if self.rest.first() == Some(&b' ') {
            self.split(1);
        }
        match parameter {
            Some(length) if name == "bin" => {
                Token::Binary(self.split(usize::try_from(length).unwrap_or(0)))
            }
            _ => Token::Word(name, parameter),
        }
    }
}

/// A decimal number, clamped to 32 bits.
fn number(digits: &[u8]) -> i32 {
    let (negative, digits) = match digits {
        [b'-', digits @ ..] => (true, digits),
        digits => (false, digits),
    };
    let value = digits.iter().fold(0_i32, |value, digit| {
        value
            .saturating_mul(10)
            .saturating_add(i32::from(digit - b'0'))
    });
    if negative { -value } else { value }
}

impl<'a> Iterator for Tokens<'a> {
    type Item = Token<'a>;

    fn next(&mut self) -> Option<Token<'a>> {
        let line_ends = self.span(|byte| matches!(byte, b'\r' | b'\n'));
        self.split(line_ends);
        match self.rest.first()? {
            b'{' => {
                self.split(1);
                Some(Token::Open)
            }
            b'}' => {
                self.split(1);
                Some(Token::Close)
            }
            b'\\' => {
                self.split(1);
                self.control()
            }
            _ => {
                let length = self.span(|byte| !matches!(byte, b'{' | b'}' | b'\\' | b'\r' | b'\n'));
                Some(Token::Text(self.split(length)))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_take_a_number_and_one_space() {
        let tokens: Vec<_> = Tokens::new(b"{\\a-12  b\r\n\\c\\'e4\\~}").collect();
        let expected = [
            Token::Open,
            Token::Word("a", Some(-12)),
            Token::Text(b" b"),
            Token::Word("c", None),
            Token::Hex(0xe4),
            Token::Symbol(b'~'),
            Token::Close,
        ];
        assert_eq!(tokens, expected);
    }

    #[test]
    fn binary_data_is_taken_as_far_as_it_is_there() {
        let tokens: Vec<_> = Tokens::new(b"\\bin3 {\\}x").collect();
        assert_eq!(tokens, [Token::Binary(b"{\\}"), Token::Text(b"x")]);
        let tokens: Vec<_> = Tokens::new(b"\\bin99999999999999 abc").collect();
        assert_eq!(tokens, [Token::Binary(b"abc")]);
        let tokens: Vec<_> = Tokens::new(b"\\bin-5 abc").collect();
        assert_eq!(tokens, [Token::Binary(b""), Token::Text(b"abc")]);
    }

    #[test]
    fn an_end_in_the_middle_of_a_word_ends() {
        for bytes in [&b"\\"[..], b"\\'", b"\\'4", b"\\u-", b"\\bin"] {
            assert!(Tokens::new(bytes).count() <= 2, "{bytes:?}");
        }
    }
}
