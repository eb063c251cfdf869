//! Plots made of characters.

use std::fmt;

/// A plot of points and lines in a terminal, written by [`Display`](fmt::Display).
///
/// ```
/// use hloom_train::Plot;
///
/// let losses: Vec<(f64, f64)> =
///     (0..100).map(|i| (f64::from(i), 1.0 / f64::from(i + 1))).collect();
/// println!("{}", Plot::new(60, 15).line(&losses));
/// ```
///
/// The axes reach from the smallest to the largest coordinates. Points that are not finite are left
/// out.
#[derive(Clone, Debug)]
pub struct Plot {
    width: usize,
    height: usize,
    series: Vec<(Mark, Vec<(f64, f64)>)>,
    is_square: bool,
    has_diagonal: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Mark {
    Points,
    Line,
}

const DIAGONAL: char = '·';
const POINT: char = 'o';
/// The upper, the middle and the lower third of a character.
const LINE: [char; 3] = ['⠉', '⠒', '⣀'];

/// The limit on the characters across and up.
const MAX_SIDE: usize = 1 << 10;

impl Plot {
    /// An empty plot of `width` by `height` characters; both are clamped to the range from 1 to
    /// 1,024.
    pub fn new(width: usize, height: usize) -> Plot {
        Plot {
            width: width.clamp(1, MAX_SIDE),
            height: height.clamp(1, MAX_SIDE),
            series: Vec::new(),
            is_square: false,
            has_diagonal: false,
        }
    }

    /// Adds points, across and up.
    pub fn points(mut self, points: &[(f64, f64)]) -> Plot {
        self.add(Mark::Points, points);
        self
    }

    /// Adds a line: the mean of the points in each column, and straight lines over columns without
    /// points.
    pub fn line(mut self, points: &[(f64, f64)]) -> Plot {
        self.add(Mark::Line, points);
        self
    }

    /// Draws the points where both coordinates are equal, and gives both axes one range, as for
    /// predictions against true values.
    pub fn diagonal(self) -> Plot {
        Plot { is_square: true, has_diagonal: true, ..self }
    }

    fn add(&mut self, mark: Mark, points: &[(f64, f64)]) {
        let finite = points.iter().copied().filter(|(x, y)| x.is_finite() && y.is_finite());
        self.series.push((mark, finite.collect()));
    }

    /// The ranges across and up; `None` if there is nothing to draw.
    fn ranges(&self) -> Option<[(f64, f64); 2]> {
        let all = || self.series.iter().flat_map(|(_, points)| points);
        let range = |of: fn(&(f64, f64)) -> f64| {
            let numbers = || all().map(of);
            (numbers().fold(f64::INFINITY, f64::min), numbers().fold(f64::NEG_INFINITY, f64::max))
        };
        all().next()?;
        let (x, y) = (range(|point| point.0), range(|point| point.1));
        let both = (x.0.min(y.0), x.1.max(y.1));
        Some(if self.is_square { [both, both] } else { [x, y] })
    }

    /// The characters, from the lowest row up.
    fn cells(&self, [x, y]: [(f64, f64); 2]) -> Vec<Vec<char>> {
        let mut cells = vec![vec![' '; self.width]; self.height];
        if self.has_diagonal {
            let last = (self.width - 1).max(1);
            (0..self.width).for_each(|column| {
                let part = column as f64 / last as f64;
                cells[place(part, (0.0, 1.0), self.height)][column] = DIAGONAL;
            });
        }
        for (mark, points) in &self.series {
            match mark {
                Mark::Points => {
                    for point in points {
                        let row = place(point.1, y, self.height);
                        cells[row][place(point.0, x, self.width)] = POINT;
                    }
                }
                Mark::Line => {
                    for (column, value) in self.columns(points, x) {
                        let third = place(value, y, 3 * self.height);
                        cells[third / 3][column] = LINE[2 - third % 3];
                    }
                }
            }
        }
        cells
    }

    /// The height of a line in each column from its first to its last point.
    fn columns(&self, points: &[(f64, f64)], x: (f64, f64)) -> Vec<(usize, f64)> {
        let mut sums = vec![(0.0, 0usize); self.width];
        for point in points {
            let (sum, count) = &mut sums[place(point.0, x, self.width)];
            (*sum, *count) = (*sum + point.1, *count + 1);
        }
        let known = sums.iter().enumerate().filter(|(_, (_, count))| *count > 0);
        let known: Vec<_> = known.map(|(at, (sum, count))| (at, sum / *count as f64)).collect();
        let mut all = known.first().copied().into_iter().collect::<Vec<_>>();
        for pair in known.windows(2) {
            let ((from, start), (to, end)) = (pair[0], pair[1]);
            all.extend((from + 1..=to).map(|at| {
                let part = (at - from) as f64 / (to - from) as f64;
                (at, start + (end - start) * part)
            }));
        }
        all
    }
}

/// The index of a value among `size` cells of a range.
fn place(value: f64, (low, high): (f64, f64), size: usize) -> usize {
    let part = if high > low { (value - low) / (high - low) } else { 0.0 };
    ((part * (size - 1) as f64).round() as usize).min(size - 1)
}

impl fmt::Display for Plot {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Some([x, y]) = self.ranges() else {
            return f.write_str("(no points)");
        };
        writeln!(f, "{:>9} ┐", label(y.1))?;
        for row in self.cells([x, y]).iter().rev() {
            writeln!(f, "          │{}", row.iter().collect::<String>().trim_end())?;
        }
        writeln!(f, "{:>9} └{}", label(y.0), "─".repeat(self.width))?;
        let (left, right) = (label(x.0), label(x.1));
        let gap = self.width.saturating_sub(left.chars().count()).max(right.chars().count() + 1);
        write!(f, "           {left}{right:>gap$}")
    }
}

/// A number in few characters.
fn label(number: f64) -> String {
    match number.abs() {
        0.0 => "0".to_owned(),
        1e-3..1e6 if number.fract() == 0.0 => format!("{number:.0}"),
        1e-3..1e4 => format!("{number:.3}"),
        1e4..1e6 => format!("{number:.0}"),
        _ => format!("{number:.2e}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn points_are_where_they_belong() {
        let plot = Plot::new(5, 3).points(&[(0.0, 1.0), (4.0, 3.0), (2.0, 2.0), (f64::NAN, 0.0)]);
        let expected = "        3 ┐\n          │    o\n          │  o\n          │o\n        1 \
                        └─────\n           0   4";
        assert_eq!(plot.to_string(), expected);
    }

    #[test]
    fn a_line_is_the_mean_of_a_column_and_crosses_empty_ones() {
        let plot = Plot::new(5, 1).line(&[(0.0, 0.0), (0.0, 2.0), (4.0, 2.0)]);
        let values = plot.columns(&plot.series[0].1, (0.0, 4.0));
        assert_eq!(values, [(0, 1.0), (1, 1.25), (2, 1.5), (3, 1.75), (4, 2.0)]);
        let drawn = plot.to_string();
        assert!(drawn.contains("│⠒⠒⠉⠉⠉\n") || drawn.contains("│⠒⠒⠒⠉⠉\n"), "{drawn}");
    }

    #[test]
    fn plots_of_any_size_are_drawn() {
        for (width, height) in [(usize::MAX, 1), (1, usize::MAX), (usize::MAX, usize::MAX)] {
            let plot =
                Plot::new(width, height).diagonal().line(&[(f64::MIN, 1.0), (f64::MAX, 2.0)]);
            let drawn = plot.points(&[(0.0, f64::MAX)]).to_string();
            assert_eq!(drawn.lines().count(), height.min(1024) + 3);
            let longest = drawn.lines().map(|line| line.chars().count()).max().unwrap();
            assert!(longest <= 1024 + 30, "{longest} characters in a line");
        }
    }

    #[test]
    fn one_value_and_none_are_drawn_too() {
        assert_eq!(Plot::new(10, 3).to_string(), "(no points)");
        let one = Plot::new(4, 1).points(&[(5.0, 5.0)]).to_string();
        assert!(one.contains("│o\n"), "{one}");
        let diagonal = Plot::new(3, 3).diagonal().points(&[(0.0, 2.0)]).to_string();
        assert!(diagonal.contains("│o ·\n          │ ·\n          │·\n"), "{diagonal}");
    }
}
