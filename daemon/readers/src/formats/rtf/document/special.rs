//! Characters that are not written as bytes of a font: control symbols and Unicode characters.

use super::Document;

impl Document<'_> {
    pub(super) fn symbol(&mut self, symbol: u8) {
        match symbol {
            b'*' => {}
            b'\\' | b'{' | b'}' => self.text(&[symbol]),
            _ => {
                self.skip = 0;
                self.flush();
                match symbol {
                    b'~' => self.emit("\u{a0}"),
                    b'_' => self.emit("-"),
                    b'\t' => self.emit("\t"),
                    b'\r' | b'\n' => self.emit("\n"),
                    _ => {}
                }
            }
        }
    }

    pub(super) fn unicode(&mut self, number: i32) {
        self.flush();
        self.skip = self.group.fallback;
        // Numbers beyond 15 bits are written as negative ones; some writers exceed 16 bits.
        let code = if number < 0 {
            number + 0x1_0000
        } else {
            number
        };
        let Ok(code) = u32::try_from(code) else {
            return;
        };
        let high = self.high.take();
        match (high, u16::try_from(code)) {
            (_, Ok(unit @ 0xd800..=0xdbff)) => self.high = Some(unit),
            (Some(high), Ok(low @ 0xdc00..=0xdfff)) => {
                let text = String::from_utf16_lossy(&[high, low]);
                self.emit(&text);
            }
            _ => {
                let text = char::from_u32(code).unwrap_or(char::REPLACEMENT_CHARACTER);
                // Symbol fonts have their characters in the private use area.
                let font = self.fonts.symbols(self.group.font.or(self.default_font));
                let text = font.map_or(text, |font| font.of_private(text));
                self.emit(text.encode_utf8(&mut [0; 4]));
            }
        }
    }
}
