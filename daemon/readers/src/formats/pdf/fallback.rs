//! The fallback parser: slower, and more forgiving than the first.

use std::sync::Arc;

use hayro_interpret::font::{Glyph, GlyphId, GlyphRun};
use hayro_interpret::hayro_cmap::{BfString, WritingMode};
use hayro_interpret::hayro_syntax::Pdf;
use hayro_interpret::hayro_syntax::object::Dict;
use hayro_interpret::kurbo::{Affine, BezPath, Rect, Vec2};
use hayro_interpret::{
    BlendMode, ClipPath, Context, Device, DrawMode, DrawProps, Image, ImageDrawProps,
    InterpreterCache, InterpreterSettings, RenderContent, SoftMask, interpret_page,
};

use super::actual_text::Replacements;
use super::layout::{Layout, Place};

/// Units of a font per height.
const UNITS: f64 = 1000.0;

/// The font used for all that are not embedded: one glyph without width (OpenType, `head`, `hhea`, `hmtx`, `maxp`). The
/// parser would stretch glyphs of any other font to the widths in the file, and the positions of characters would count
/// these twice.
const NO_FONT: &[u8] = b"\
    \0\x01\0\0\0\x04\0\0\0\0\0\0\
    head\0\0\0\0\0\0\0\x4c\0\0\0\x36\
    hhea\0\0\0\0\0\0\0\x84\0\0\0\x24\
    hmtx\0\0\0\0\0\0\0\xa8\0\0\0\x04\
    maxp\0\0\0\0\0\0\0\xac\0\0\0\x06\
    \0\x01\0\0\0\0\0\0\0\0\0\0\x5f\x0f\x3c\xf5\0\0\x03\xe8\
    \0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\
    \0\x01\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\x01\
    \0\0\0\0\
    \0\0\x50\0\0\x01";

/// A PDF opened by the fallback parser.
pub(super) struct FallbackParser {
    pdf: Pdf,
}

impl FallbackParser {
    /// `None` if it cannot parse a page tree, or a password is needed.
    pub(super) fn load(bytes: &[u8]) -> Option<Self> {
        let pdf = Pdf::new(Arc::new(bytes.to_vec())).ok()?;
        Some(Self { pdf })
    }

    pub(super) fn page_count(&self) -> usize {
        self.pdf.pages().len()
    }

    /// The layout of a page, without its annotations; pages count from 0.
    pub(super) fn page(&self, index: usize) -> Option<Layout> {
        self.layout(index, RenderContent::PAGE)
    }

    /// The layout of a page's annotations (ISO 32000-2, 12.5.5); hidden ones are left out.
    pub(super) fn annotations(&self, index: usize) -> Option<Layout> {
        self.layout(index, RenderContent::ANNOTATIONS)
    }

    fn layout(&self, index: usize, render_content: RenderContent) -> Option<Layout> {
        let page = self.pdf.pages().get(index)?;
        let settings = InterpreterSettings {
            render_content,
            font_resolver: Arc::new(|_| Some((Arc::new(NO_FONT), 0))),
            ..InterpreterSettings::default()
        };
        let cache = InterpreterCache::new();
        let everywhere = Rect::new(-1e6, -1e6, 1e6, 1e6);
        let xref = self.pdf.xref();
        let mut context = Context::new(Affine::IDENTITY, everywhere, &cache, xref, settings);
        let mut glyphs = Glyphs::default();
        interpret_page(page, &mut context, &mut glyphs);
        glyphs.replacements.finish(&mut glyphs.layout);
        Some(glyphs.layout)
    }
}

/// Collects characters and draws nothing.
#[derive(Default)]
struct Glyphs {
    layout: Layout,
    replacements: Replacements,
}

impl Glyphs {
    fn take(&mut self, glyph: &Glyph<'_>, at: Affine, mode: WritingMode) {
        let width = match glyph {
            Glyph::Outline(glyph) => glyph.advance_width(),
            Glyph::Type3(glyph) => glyph.advance_width(),
        };
        let [a, b, c, d, x, y] = at.as_coeffs();
        let along = Vec2::new(a, b);
        let up = Vec2::new(c, d);
        let (direction, advance) = match mode {
            WritingMode::Horizontal => (along, along * f64::from(width.unwrap_or(0.0))),
            WritingMode::Vertical => (-up, -up * UNITS),
        };
        let place = Place {
            x,
            y,
            advance: (advance.x, advance.y),
            direction: (direction.x, direction.y),
            size: up.hypot() * UNITS,
        };
        if self.replacements.take(place) {
            return;
        }
        match glyph.as_unicode() {
            None if is_blank(glyph) => {}
            Some(BfString::Char(char)) => self.layout.push(char.encode_utf8(&mut [0; 4]), place),
            Some(BfString::String(text)) => self.layout.push(&text, place),
            None => self.layout.push("\u{fffd}", place),
        }
    }
}

/// Whether an existing glyph of the font draws nothing: an unnamed space leaves a gap.
fn is_blank(glyph: &Glyph<'_>) -> bool {
    match glyph {
        Glyph::Outline(glyph) => glyph.glyph_id() != GlyphId::NOTDEF && glyph.outline().is_empty(),
        Glyph::Type3(_) => false,
    }
}

impl Device<'_> for Glyphs {
    fn draw_glyph_run(&mut self, run: &GlyphRun<'_, '_>, props: DrawProps<'_>, _: &DrawMode) {
        for glyph in run.glyphs() {
            self.take(
                glyph,
                props.transform * glyph.transform(),
                run.writing_mode(),
            );
        }
    }

    fn begin_marked_content(&mut self, _: &[u8], properties: Option<&Dict<'_>>) {
        self.replacements.begin(properties);
    }

    fn end_marked_content(&mut self) {
        self.replacements.end(&mut self.layout);
    }

    fn draw_path(&mut self, _: &BezPath, _: DrawProps<'_>, _: &DrawMode) {}
    fn push_clip_path(&mut self, _: &ClipPath) {}
    fn push_transparency_group(&mut self, _: f32, _: Option<SoftMask<'_>>, _: BlendMode) {}
    fn draw_image(&mut self, _: Image<'_, '_>, _: ImageDrawProps<'_>) {}
    fn pop_clip(&mut self) {}
    fn pop_transparency_group(&mut self) {}
}
