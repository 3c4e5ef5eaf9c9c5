//! Figures that benchmarks and studies print: one per line, aligned for people or as JSON.

use std::io::{self, Write};
use std::time::Duration;

/// Characters of a column of a table, at least.
const LEAST_COLUMN: usize = 9;

/// Prints figures as they are measured.
pub struct Figures<'a> {
    out: &'a mut dyn Write,
    json: bool,
}

impl<'a> Figures<'a> {
    /// Prints to `out`: one JSON object a line, or aligned text.
    pub fn new(out: &'a mut dyn Write, json: bool) -> Self {
        Self { out, json }
    }

    /// A figure measured.
    pub fn put(&mut self, name: &str, value: f64, unit: &str) -> io::Result<()> {
        self.line(name, value, unit, None)
    }

    /// A figure beside what it is held against: a target, or another program's figure.
    pub fn against(
        &mut self,
        name: &str,
        value: f64,
        unit: &str,
        reference: &str,
    ) -> io::Result<()> {
        self.line(name, value, unit, Some(reference))
    }

    /// Several figures of one thing: a line of them for people; as JSON one a line, named after
    /// the thing and the column.
    pub fn row(&mut self, name: &str, columns: &[(&str, f64, &str)]) -> io::Result<()> {
        if self.json {
            let mut columns = columns.iter();
            return columns.try_for_each(|(column, value, unit)| {
                self.line(&format!("{name}: {column}"), *value, unit, None)
            });
        }
        let shown = columns.iter().map(|(column, value, unit)| {
            let value = format!("{} {unit}", readable(*value));
            format!("  {column} {:>7}", value.trim_end())
        });
        let shown: String = shown.collect();
        writeln!(self.out, "{name:<28}{shown}")?;
        self.out.flush()
    }

    /// A table: a line for each figure, with a column for each thing; as JSON one figure a line, named after both, where
    /// there is one.
    pub fn table(&mut self, columns: &[&str], rows: &[(String, Vec<Cell>)]) -> io::Result<()> {
        if self.json {
            for (row, cells) in rows {
                for (column, cell) in columns.iter().zip(cells) {
                    if let Cell::Figure(value) = cell {
                        self.line(&format!("{column}: {}", row.trim()), *value, "", None)?;
                    }
                }
            }
            return Ok(());
        }
        let first = rows.iter().map(|(row, _)| row.len()).max().unwrap_or(0);
        let mut line = |row: &str, cells: &mut dyn Iterator<Item = String>| {
            let cells = columns.iter().zip(cells);
            let cells = cells.map(|(column, cell)| {
                let width = column.len().max(LEAST_COLUMN);
                format!("  {cell:>width$}")
            });
            writeln!(self.out, "{row:<first$}{}", cells.collect::<String>())
        };
        line("", &mut columns.iter().map(|column| (*column).to_owned()))?;
        for (row, cells) in rows {
            line(row, &mut cells.iter().map(Cell::shown))?;
        }
        self.out.flush()
    }

    /// A remark; as JSON a line of type `note`.
    pub fn note(&mut self, text: &str) -> io::Result<()> {
        if self.json {
            let note = serde_json::json!({"type": "note", "text": text});
            writeln!(self.out, "{note}")?;
        } else {
            writeln!(self.out, "{text}")?;
        }
        self.out.flush()
    }

    fn line(
        &mut self,
        name: &str,
        value: f64,
        unit: &str,
        reference: Option<&str>,
    ) -> io::Result<()> {
        if self.json {
            let figure = serde_json::json!({
                "type": "figure", "name": name, "value": value, "unit": unit,
                "reference": reference,
            });
            writeln!(self.out, "{figure}")?;
        } else {
            let value = readable(value);
            let reference = reference.map(|r| format!("  ({r})")).unwrap_or_default();
            let line = format!("{name:<44} {value:>14} {unit}{reference}");
            writeln!(self.out, "{}", line.trim_end())?;
        }
        self.out.flush()
    }
}

/// One place of a table.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Cell {
    /// A figure.
    Figure(f64),
    /// Why there is none.
    Word(&'static str),
}

impl Cell {
    /// A figure, or the word for there being none.
    pub fn of(figure: Option<f64>, word: &'static str) -> Self {
        figure.map_or(Self::Word(word), Self::Figure)
    }

    fn shown(&self) -> String {
        match self {
            Self::Figure(value) => readable(*value),
            Self::Word(word) => (*word).to_owned(),
        }
    }
}

/// Whole numbers with separators, others with as many decimals as say something.
fn readable(value: f64) -> String {
    if value.fract() != 0.0 && value.abs() < 1000.0 {
        return if value.abs() < 10.0 {
            format!("{value:.3}")
        } else {
            format!("{value:.1}")
        };
    }
    let digits = format!("{:.0}", value.abs());
    let mut grouped = String::from(if value < 0.0 { "-" } else { "" });
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            grouped.push(',');
        }
        grouped.push(digit);
    }
    grouped
}

/// The value below which this share of the times lies, in milliseconds (nearest rank); 0 of none.
pub fn percentile(times: &mut [Duration], share: f64) -> f64 {
    times.sort_unstable();
    let rank = (share * times.len() as f64).ceil() as usize;
    times
        .get(rank.saturating_sub(1))
        .map_or(0.0, |time| time.as_secs_f64() * 1e3)
}

/// Seconds of processor time that this thread has taken, so far: unlike the clock, it does not count the work of others
/// on a busy machine.
pub fn thread_seconds() -> f64 {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
    time.tv_sec as f64 + time.tv_nsec as f64 / 1e9
}

/// The middle of the values; 0 of none.
pub fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied().unwrap_or(0.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_figure_is_one_line_of_json() {
        let mut out = Vec::new();
        Figures::new(&mut out, true)
            .against("speed", 1.5, "MB/s", "at least 1")
            .unwrap();
        let line: serde_json::Value = serde_json::from_slice(&out).unwrap();
        assert_eq!(
            (&line["type"], &line["value"]),
            (&"figure".into(), &1.5.into())
        );
        assert_eq!(line["reference"], "at least 1");
    }

    #[test]
    fn a_row_is_one_line_for_people_and_a_figure_a_column_as_json() {
        let columns = [("files", 12.0, ""), ("median", 0.5, "")];
        let (mut shown, mut json) = (Vec::new(), Vec::new());
        Figures::new(&mut shown, false)
            .row("doc", &columns)
            .unwrap();
        Figures::new(&mut json, true).row("doc", &columns).unwrap();
        let shown = String::from_utf8(shown).unwrap();
        assert_eq!(
            shown.split_whitespace().collect::<Vec<_>>(),
            ["doc", "files", "12", "median", "0.500"]
        );
        let lines = crate::jsonl::parse(&json).unwrap();
        assert_eq!(lines.len(), 2);
        assert_eq!(
            (&lines[1]["name"], &lines[1]["value"]),
            (&"doc: median".into(), &0.5.into())
        );
    }

    #[test]
    fn a_table_has_a_line_a_figure_and_names_both_as_json() {
        let rows = [
            (
                "speed".to_owned(),
                vec![Cell::Figure(1.5), Cell::Word("none")],
            ),
            (
                "size".to_owned(),
                vec![Cell::Figure(2.0), Cell::of(Some(3.0), "none")],
            ),
        ];
        let (mut shown, mut json) = (Vec::new(), Vec::new());
        let columns = ["one", "a longer name"];
        Figures::new(&mut shown, false)
            .table(&columns, &rows)
            .unwrap();
        Figures::new(&mut json, true)
            .table(&columns, &rows)
            .unwrap();
        let shown = String::from_utf8(shown).unwrap();
        let lines: Vec<&str> = shown.lines().collect();
        assert_eq!(lines[1], "speed      1.500           none");
        assert!(
            lines.iter().all(|line| line.len() == lines[0].len()),
            "{shown}"
        );
        let lines = crate::jsonl::parse(&json).unwrap();
        assert_eq!(lines.len(), 3);
        assert_eq!(lines[2]["name"], "a longer name: size");
    }

    #[test]
    fn numbers_are_readable() {
        let shown = [1_234_567.0, 999.0, 12.34, 0.1234, 0.0, -1000.0].map(readable);
        assert_eq!(shown, ["1,234,567", "999", "12.3", "0.123", "0", "-1,000"]);
    }

    #[test]
    fn percentiles_are_nearest_ranks() {
        let mut times: Vec<Duration> = (1..=100).rev().map(Duration::from_millis).collect();
        assert_eq!(percentile(&mut times, 0.5), 50.0);
        assert_eq!(percentile(&mut times, 0.99), 99.0);
        assert_eq!(percentile(&mut [], 0.5), 0.0);
    }
}
