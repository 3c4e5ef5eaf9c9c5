//! Figures as SVG: lines over two axes, with a legend; no library, no script.

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
    /// How values are placed on the vertical axis.
    pub scale: Scale,
    /// What is drawn.
    pub series: Vec<Series>,
}

/// How values are placed on an axis.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Scale {
    /// Equal differences are equally far apart.
    #[default]
    Linear,
    /// Equal ratios are equally far apart; only values above 0 are drawn.
    Logarithmic,
}

/// Points that belong together.
#[derive(Clone, Debug, Default)]
pub struct Series {
    /// In the legend.
    pub name: String,
    /// In the order they are joined.
    pub points: Vec<(f64, f64)>,
}

const HEIGHT: f64 = 460.0;
const LEFT: f64 = 80.0;
const TOP: f64 = 40.0;
/// Of the axes.
const ACROSS: f64 = 500.0;
const UP: f64 = 360.0;
/// Where names begin in the legend, and how far apart its lines are.
const NAMES: f64 = LEFT + ACROSS + 46.0;
const LINE: f64 = 18.0;
/// Width of a letter, at most on average.
const LETTER: f64 = 7.0;
/// A series of fewer points is drawn with a mark at each.
const FEW: usize = 20;
const COLOURS: [&str; 10] = [
    "#1f77b4", "#d62728", "#2ca02c", "#9467bd", "#ff7f0e", "#8c564b", "#e377c2", "#7f7f7f",
    "#bcbd22", "#17becf",
];
/// Of the first ten series, the next ten, and so on.
const DASHES: [&str; 4] = ["none", "7 3", "2 3", "9 3 2 3"];

impl Plot {
    /// The figure as an SVG document.
    pub fn svg(&self) -> String {
        let (width, height) = self.size();
        let mut out = format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" \
             font-family=\"sans-serif\" font-size=\"12\">\n<rect width=\"100%\" height=\"100%\" \
             fill=\"white\"/>\n"
        );
        let points = || self.series.iter().flat_map(|series| &series.points);
        let across = Axis::over(points().map(|point| point.0), Scale::Linear);
        let up = Axis::over(points().map(|point| point.1), self.scale);
        self.frame(&mut out, &across, &up);
        for (number, series) in self.series.iter().enumerate() {
            let pen = pen(number);
            let place = |(x, y): &(f64, f64)| {
                let (x, y) = (across.share(*x)?, up.share(*y)?);
                Some((LEFT + x * ACROSS, TOP + UP - y * UP))
            };
            draw(
                &mut out,
                &pen,
                series.points.iter().filter_map(place).collect(),
            );
            let y = TOP + 12.0 + LINE * number as f64;
            let sample = [NAMES - 34.0, NAMES - 6.0].map(|x| (x, y - 4.0));
            draw(&mut out, &pen, sample.to_vec());
            text(&mut out, (NAMES, y), "start", &series.name);
        }
        out + "</svg>\n"
    }

    /// Wide and high enough for the legend.
    fn size(&self) -> (f64, f64) {
        let names = self.series.iter().map(|series| series.name.chars().count());
        let longest = names.max().unwrap_or(0) as f64;
        let legend = TOP + LINE * self.series.len() as f64 + 12.0;
        (NAMES + LETTER * longest.max(16.0), HEIGHT.max(legend))
    }

    /// Title, axes, their labels and the grid.
    fn frame(&self, out: &mut String, across: &Axis, up: &Axis) {
        text(out, (LEFT, 24.0), "start", &self.title);
        let below = (LEFT + ACROSS / 2.0, HEIGHT - 12.0);
        text(out, below, "middle", &self.across);
        // Beside the numbers of the axis, upwards.
        let _ = writeln!(
            out,
            "<text transform=\"translate(18 {:.1}) rotate(-90)\" text-anchor=\"middle\">{}</text>",
            TOP + UP / 2.0,
            escaped(&self.up)
        );
        for tick in &up.ticks {
            let y = TOP + UP - up.share(*tick).unwrap_or(0.0) * UP;
            line(out, (LEFT, y), (LEFT + ACROSS, y));
            text(out, (LEFT - 6.0, y + 4.0), "end", &short(*tick));
        }
        for tick in &across.ticks {
            let x = LEFT + across.share(*tick).unwrap_or(0.0) * ACROSS;
            line(out, (x, TOP), (x, TOP + UP));
            text(out, (x, TOP + UP + 18.0), "middle", &short(*tick));
        }
    }
}

/// From round number to round number, around all values.
struct Axis {
    scale: Scale,
    ticks: Vec<f64>,
}

impl Axis {
    fn over(values: impl Iterator<Item = f64>, scale: Scale) -> Self {
        let values = values.filter(|value| scale.place(*value).is_finite());
        let (low, high) = values.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), value| {
            (low.min(value), high.max(value))
        });
        let ticks = match scale {
            _ if low > high => vec![0.0, 1.0],
            Scale::Linear => round_numbers(low, high),
            Scale::Logarithmic => powers(low, high),
        };
        Self { scale, ticks }
    }

    /// Where a value is on the axis, from 0 to 1; `None` if it cannot be drawn.
    fn share(&self, value: f64) -> Option<f64> {
        let (first, last) = (self.ticks.first()?, self.ticks.last()?);
        let [low, high, value] = [*first, *last, value].map(|value| self.scale.place(value));
        value.is_finite().then(|| (value - low) / (high - low))
    }
}

impl Scale {
    fn place(self, value: f64) -> f64 {
        match self {
            Self::Linear => value,
            Self::Logarithmic => value.log10(),
        }
    }
}

/// Four to nine multiples of 1, 2 or 5 times a power of ten, from the last below all values to the first above them.
fn round_numbers(low: f64, high: f64) -> Vec<f64> {
    let (low, high) = if high > low {
        (low, high)
    } else {
        (low - 0.5, low + 0.5)
    };
    let power = 10f64.powf(((high - low) / 5.0).log10().floor());
    let steps = [1.0, 2.0, 5.0, 10.0].map(|step| step * power);
    let enough = |step: &f64| (high - low) / step <= 7.0;
    let step = steps.into_iter().find(enough).unwrap_or(10.0 * power);
    let (first, last) = ((low / step + 1e-9).floor(), (high / step - 1e-9).ceil());
    let count = (last - first) as u32;
    (0..=count)
        .map(|at| (first + f64::from(at)) * step)
        .collect()
}

/// 1, 2 and 5 times powers of ten, or those powers alone if they are many.
fn powers(low: f64, high: f64) -> Vec<f64> {
    let (first, last) = (low.log10().floor() as i32, high.log10().ceil() as i32);
    let decades = (first..=last).map(|power| 10f64.powi(power));
    if last - first > 2 {
        return decades.collect();
    }
    let all: Vec<f64> = decades
        .flat_map(|power| [1.0, 2.0, 5.0].map(|digit| digit * power))
        .collect();
    let below = all.iter().rposition(|tick| *tick <= low).unwrap_or(0);
    let above = all.iter().position(|tick| *tick >= high);
    let above = above.unwrap_or(all.len() - 1).max(below + 1);
    all[below..=above].to_vec()
}

/// Colour and dash of a series, as attributes.
fn pen(number: usize) -> String {
    let (colour, round) = (number % COLOURS.len(), number / COLOURS.len());
    let dash = DASHES[round % DASHES.len()];
    format!("stroke=\"{}\" stroke-dasharray=\"{dash}\"", COLOURS[colour])
}

/// Joins places; the legend's sample of a line is two of them, without marks.
fn draw(out: &mut String, pen: &str, places: Vec<(f64, f64)>) {
    let is_sample = places.iter().all(|(x, _)| *x > LEFT + ACROSS + 1.0);
    if !is_sample && places.len() < FEW {
        for (x, y) in &places {
            let _ = writeln!(
                out,
                "<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"2.2\" fill=\"none\" {pen}/>"
            );
        }
    }
    let places: Vec<String> = places
        .iter()
        .map(|(x, y)| format!("{x:.1},{y:.1}"))
        .collect();
    let _ = writeln!(
        out,
        "<polyline points=\"{}\" fill=\"none\" {pen} stroke-width=\"1.6\"/>",
        places.join(" ")
    );
}

fn line(out: &mut String, (x1, y1): (f64, f64), (x2, y2): (f64, f64)) {
    let _ = writeln!(
        out,
        "<line x1=\"{x1:.1}\" y1=\"{y1:.1}\" x2=\"{x2:.1}\" y2=\"{y2:.1}\" stroke=\"#dddddd\"/>"
    );
}

fn text(out: &mut String, (x, y): (f64, f64), anchor: &str, words: &str) {
    let _ = writeln!(
        out,
        "<text x=\"{x:.1}\" y=\"{y:.1}\" text-anchor=\"{anchor}\">{}</text>",
        escaped(words)
    );
}

fn escaped(words: &str) -> String {
    words.replace('&', "&amp;").replace('<', "&lt;")
}

/// With as many decimals as say something.
fn short(value: f64) -> String {
    let shown = format!("{value:.6}");
    let shown = shown.trim_end_matches('0').trim_end_matches('.');
    if shown == "-0" { "0" } else { shown }.to_owned()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    fn series(name: &str, points: &[(f64, f64)]) -> Series {
        Series {
            name: name.to_owned(),
            points: points.to_vec(),
        }
    }

    #[test]
    fn every_series_is_drawn_and_named_and_stays_inside() {
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
        assert_eq!(svg.matches("<circle").count(), 3);
        assert!(svg.contains("points=\"80.0,400.0 580.0,40.0\""), "{svg}");
        assert!(svg.contains("points=\"280.0,220.0\"") && !svg.contains("NaN"));
    }

    #[test]
    fn no_two_series_look_alike_and_no_name_is_cut_off() {
        let name = "sketch_n, n = 100, Jenkins functions 1";
        let many = Plot {
            series: (0..40).map(|_| series(name, &[])).collect(),
            ..Plot::default()
        };
        let pens: BTreeSet<String> = (0..many.series.len()).map(pen).collect();
        assert_eq!(pens.len(), many.series.len());
        let (width, height) = many.size();
        assert!(NAMES + LETTER * name.len() as f64 <= width);
        assert!(TOP + 12.0 + LINE * 39.0 < height);
    }

    #[test]
    fn an_axis_begins_at_the_round_number_below_its_least_value() {
        let of = |low, high, scale| Axis::over([low, high, f64::NAN].into_iter(), scale).ticks;
        let shown = |ticks: Vec<f64>| ticks.into_iter().map(short).collect::<Vec<_>>().join(" ");
        let linear = |low, high| shown(of(low, high, Scale::Linear));
        assert_eq!(linear(0.5, 0.99), "0.5 0.6 0.7 0.8 0.9 1");
        assert_eq!(linear(85.0, 100.0), "85 90 95 100");
        assert_eq!(linear(-2.5, 0.0), "-2.5 -2 -1.5 -1 -0.5 0");
        assert_eq!(linear(3.0, 3.0), "2.4 2.6 2.8 3 3.2 3.4 3.6");
        let times = of(0.2, 7_000.0, Scale::Logarithmic);
        assert_eq!(shown(times), "0.1 1 10 100 1000 10000");
        assert_eq!(shown(of(3.0, 15.0, Scale::Logarithmic)), "2 5 10 20");
        let axis = Axis::over([0.0, 1.0, 100.0].into_iter(), Scale::Logarithmic);
        assert_eq!(axis.share(0.0), None, "0 has no logarithm");
        assert!((axis.share(10.0).unwrap() - 0.5).abs() < 1e-12);
    }

    #[test]
    fn the_title_and_the_names_of_the_axes_do_not_meet() {
        let plot = Plot {
            title: "title".to_owned(),
            up: "upwards".to_owned(),
            ..Plot::default()
        };
        let svg = plot.svg();
        let title = svg.lines().find(|line| line.contains("title")).unwrap();
        assert!(title.contains("x=\"80.0\" y=\"24.0\""), "{title}");
        let up = svg.lines().find(|line| line.contains("upwards")).unwrap();
        // Turned, left of the numbers and in the middle of the axis.
        assert!(up.contains("translate(18 220.0) rotate(-90)"), "{up}");
    }
}
