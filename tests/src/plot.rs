//! Figures as SVG: lines or points over two axes, with a legend; no library, no script.

use std::fmt::Write;

/// A figure with two axes.
#[derive(Clone, Debug, Default)]
pub struct Plot {
    /// What is written above it.
    pub title: String,
    /// What the horizontal axis shows.
    pub across: String,
    /// What the vertical axis shows.
    pub up: String,
    /// What is drawn.
    pub series: Vec<Series>,
}

/// Points that belong together.
#[derive(Clone, Debug, Default)]
pub struct Series {
    /// In the legend.
    pub name: String,
    /// In the order they are joined.
    pub points: Vec<(f64, f64)>,
}

const WIDTH: f64 = 760.0;
const HEIGHT: f64 = 460.0;
const LEFT: f64 = 70.0;
const TOP: f64 = 40.0;
/// Of the axes.
const ACROSS: f64 = 500.0;
const UP: f64 = 360.0;
const COLOURS: [&str; 10] = [
    "#1f77b4", "#d62728", "#2ca02c", "#9467bd", "#ff7f0e", "#8c564b", "#e377c2", "#7f7f7f",
    "#bcbd22", "#17becf",
];

impl Plot {
    /// The figure as an SVG document.
    #[expect(clippy::too_many_lines, reason = "one figure, step by step")]
    pub fn svg(&self) -> String {
        let points = || self.series.iter().flat_map(|series| &series.points);
        let across = Axis::over(points().map(|point| point.0));
        let up = Axis::over(points().map(|point| point.1));
        let mut out = format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {HEIGHT}\" \
             font-family=\"sans-serif\" font-size=\"12\">\n<rect width=\"100%\" height=\"100%\" \
             fill=\"white\"/>\n"
        );
        text(&mut out, (LEFT, 24.0), "start", &self.title);
        text(
            &mut out,
            (LEFT + ACROSS / 2.0, HEIGHT - 12.0),
            "middle",
            &self.across,
        );
        text(&mut out, (LEFT - 50.0, TOP - 10.0), "start", &self.up);
        for step in 0..=5 {
            let share = f64::from(step) / 5.0;
            let (x, y) = (LEFT + share * ACROSS, TOP + UP - share * UP);
            line(&mut out, (LEFT, y), (LEFT + ACROSS, y));
            line(&mut out, (x, TOP), (x, TOP + UP));
            text(&mut out, (LEFT - 6.0, y + 4.0), "end", &short(up.at(share)));
            text(
                &mut out,
                (x, TOP + UP + 18.0),
                "middle",
                &short(across.at(share)),
            );
        }
        for (number, series) in self.series.iter().enumerate() {
            let colour = COLOURS[number % COLOURS.len()];
            let place = |(x, y): &(f64, f64)| {
                (
                    LEFT + across.share(*x) * ACROSS,
                    TOP + UP - up.share(*y) * UP,
                )
            };
            draw(&mut out, colour, series.points.iter().map(place));
            let y = TOP + 12.0 + 18.0 * number as f64;
            draw(
                &mut out,
                colour,
                [
                    (LEFT + ACROSS + 12.0, y - 4.0),
                    (LEFT + ACROSS + 32.0, y - 4.0),
                ]
                .into_iter(),
            );
            text(&mut out, (LEFT + ACROSS + 38.0, y), "start", &series.name);
        }
        out + "</svg>\n"
    }
}

struct Axis {
    low: f64,
    high: f64,
}

impl Axis {
    /// From 0, or below it, to the greatest value.
    fn over(values: impl Iterator<Item = f64>) -> Self {
        let (low, high) = values
            .filter(|value| value.is_finite())
            .fold((0.0f64, 0.0f64), |(low, high), value| {
                (low.min(value), high.max(value))
            });
        let high = if high > low { high } else { low + 1.0 };
        Self { low, high }
    }

    fn at(&self, share: f64) -> f64 {
        self.low + share * (self.high - self.low)
    }

    fn share(&self, value: f64) -> f64 {
        (value - self.low) / (self.high - self.low)
    }
}

fn draw(out: &mut String, colour: &str, places: impl Iterator<Item = (f64, f64)>) {
    let places = places.filter(|(x, y)| x.is_finite() && y.is_finite());
    let places: Vec<String> = places.map(|(x, y)| format!("{x:.1},{y:.1}")).collect();
    let places = places.join(" ");
    let _ = writeln!(
        out,
        "<polyline points=\"{places}\" fill=\"none\" stroke=\"{colour}\" stroke-width=\"1.6\"/>"
    );
}

fn line(out: &mut String, (x1, y1): (f64, f64), (x2, y2): (f64, f64)) {
    let _ = writeln!(
        out,
        "<line x1=\"{x1:.1}\" y1=\"{y1:.1}\" x2=\"{x2:.1}\" y2=\"{y2:.1}\" stroke=\"#dddddd\"/>"
    );
}

fn text(out: &mut String, (x, y): (f64, f64), anchor: &str, words: &str) {
    let words = words.replace('&', "&amp;").replace('<', "&lt;");
    let _ = writeln!(
        out,
        "<text x=\"{x:.1}\" y=\"{y:.1}\" text-anchor=\"{anchor}\">{words}</text>"
    );
}

/// With as many decimals as say something.
fn short(value: f64) -> String {
    if value.abs() >= 100.0 || value == value.round() {
        format!("{value:.0}")
    } else {
        format!("{value:.2}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_series_is_drawn_and_named_and_stays_inside() {
        let series = |name: &str, points: &[(f64, f64)]| Series {
            name: name.to_owned(),
            points: points.to_vec(),
        };
        let plot = Plot {
            title: "a < b".to_owned(),
            series: vec![
                series("one", &[(0.0, 0.0), (50.0, 1.0)]),
                series("two", &[(10.0, f64::NAN), (20.0, 0.5)]),
                series("none", &[]),
            ],
            ..Plot::default()
        };
        let svg = plot.svg();
        assert!(svg.contains("a &lt; b") && svg.contains(">two<"));
        // Two for each: what is drawn, and its sign in the legend.
        assert_eq!(svg.matches("<polyline").count(), 6);
        assert!(svg.contains("points=\"70.0,400.0 570.0,40.0\""), "{svg}");
        assert!(svg.contains("points=\"270.0,220.0\"") && !svg.contains("NaN"));
    }
}
