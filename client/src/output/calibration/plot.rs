//! A plot of shares over the steps n = 1, 2, 4, …: a line for each group of sizes.

use std::io::{self, Write};

/// Size of the picture, and of the area between the axes.
const WIDTH: f64 = 720.0;
const HEIGHT: f64 = 320.0;
const LEFT: f64 = 44.0;
const RIGHT: f64 = 520.0;
const TOP: f64 = 34.0;
const BOTTOM: f64 = 270.0;
/// Colours that colour-blind people can tell apart, on white and on black (Okabe and Ito).
const COLOURS: [&str; 7] = [
    "#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#8a8a8a",
];

/// Measurements at each step.
pub(super) struct Plot {
    pub(super) title: &'static str,
    pub(super) lines: Vec<Line>,
    /// The required value.
    pub(super) required: Option<f64>,
}

/// A line of a plot.
pub(super) struct Line {
    /// Name in the legend, without markup.
    pub(super) name: String,
    /// Values by step; `None` where nothing was measured.
    pub(super) values: Vec<Option<f64>>,
    /// The step to mark.
    pub(super) chosen: usize,
}

impl Plot {
    /// Writes the plot as SVG inside a page.
    pub(super) fn write(&self, out: &mut impl Write) -> io::Result<()> {
        writeln!(
            out,
            "<svg viewBox=\"0 0 {WIDTH} {HEIGHT}\" width=\"{WIDTH}\" height=\"{HEIGHT}\" role=\"img\">\n\
             <title>{title}</title>\n<text x=\"{LEFT}\" y=\"18\">{title}</text>",
            title = self.title
        )?;
        self.axes(out)?;
        for (at, line) in self.lines.iter().enumerate() {
            self.line(at, line, out)?;
        }
        writeln!(out, "</svg>")
    }

    fn axes(&self, out: &mut impl Write) -> io::Result<()> {
        let low = self.low();
        for tenth in 0..=5 {
            let value = low + (1.0 - low) * f64::from(tenth) / 5.0;
            let y = self.y(value);
            writeln!(
                out,
                "<path class=\"axis\" d=\"M{LEFT} {y:.1}H{RIGHT}\"/>\
                 <text x=\"{x}\" y=\"{text:.1}\" text-anchor=\"end\">{value:.2}</text>",
                x = LEFT - 6.0,
                text = y + 4.0
            )?;
        }
        for step in 0..self.steps() {
            writeln!(
                out,
                "<text x=\"{:.1}\" y=\"{}\" text-anchor=\"middle\">{}</text>",
                self.x(step),
                BOTTOM + 20.0,
                1_u64 << step
            )?;
        }
        if let Some(required) = self.required.filter(|required| *required >= low) {
            let y = self.y(required);
            writeln!(out, "<path class=\"asked\" d=\"M{LEFT} {y:.1}H{RIGHT}\"/>")?;
        }
        let middle = (LEFT + RIGHT) / 2.0;
        let below = BOTTOM + 40.0;
        writeln!(
            out,
            "<text x=\"{middle}\" y=\"{below}\" text-anchor=\"middle\">one fingerprint in n</text>"
        )
    }

    fn line(&self, at: usize, line: &Line, out: &mut impl Write) -> io::Result<()> {
        let colour = COLOURS[at % COLOURS.len()];
        let mut path = String::new();
        let mut is_open = false;
        for (step, value) in line.values.iter().enumerate() {
            if let Some(value) = value {
                let letter = if is_open { 'L' } else { 'M' };
                path += &format!("{letter}{:.1} {:.1}", self.x(step), self.y(*value));
            }
            is_open = value.is_some();
        }
        writeln!(
            out,
            "<path class=\"line\" stroke=\"{colour}\" d=\"{path}\"/>"
        )?;
        if let Some(Some(value)) = line.values.get(line.chosen) {
            let (x, y) = (self.x(line.chosen), self.y(*value));
            writeln!(
                out,
                "<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"5\" fill=\"none\" stroke=\"{colour}\" stroke-width=\"2\"/>"
            )?;
        }
        let y = TOP + 18.0 * at as f64;
        writeln!(
            out,
            "<path class=\"line\" stroke=\"{colour}\" d=\"M{from} {y}h18\"/><text x=\"{text}\" y=\"{below}\">{}</text>",
            line.name,
            from = RIGHT + 16.0,
            text = RIGHT + 40.0,
            below = y + 4.0
        )
    }

    /// The lowest number on the vertical axis: a multiple of 0.1, not above any value shown.
    fn low(&self) -> f64 {
        let values = self
            .lines
            .iter()
            .flat_map(|line| line.values.iter().flatten());
        let lowest = values.chain(&self.required).copied().fold(1.0, f64::min);
        (lowest * 10.0).floor().min(9.0) / 10.0
    }

    fn steps(&self) -> usize {
        self.lines
            .iter()
            .map(|line| line.values.len())
            .max()
            .unwrap_or(0)
    }

    fn x(&self, step: usize) -> f64 {
        let steps = self.steps().saturating_sub(1).max(1);
        LEFT + 12.0 + (RIGHT - LEFT - 24.0) * step as f64 / steps as f64
    }

    fn y(&self, value: f64) -> f64 {
        let low = self.low();
        BOTTOM - (BOTTOM - TOP) * (value - low) / (1.0 - low)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_gap_parts_a_line_and_everything_stays_inside() {
        let plot = Plot {
            title: "Recall",
            lines: vec![Line {
                name: "from 0 bytes".to_owned(),
                values: vec![Some(1.0), Some(0.42), None, Some(0.6)],
                chosen: 1,
            }],
            required: Some(0.95),
        };
        let mut out = Vec::new();
        plot.write(&mut out).unwrap();
        let svg = String::from_utf8(out).unwrap();
        // From 0.4 on; the first at the top, the second just above the bottom.
        assert!(
            svg.contains("d=\"M56.0 34.0L206.7 262.1M508.0 191.3\""),
            "{svg}"
        );
        assert!(svg.contains("cx=\"206.7\" cy=\"262.1\""), "{svg}");
        assert!(svg.contains("class=\"asked\" d=\"M44 53.7H520\""), "{svg}");
        assert!(svg.contains(">8</text>") && !svg.contains(">16</text>"));
    }
}
