//! The progress of a run in the terminal.

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

/// A line on standard error with the step, the loss, the rate and the remaining time. It is not
/// drawn if standard error is not a terminal.
///
/// ```
/// use hloom_train::Bar;
///
/// let bar = Bar::new(100, 40); // resumed at step 40
/// for step in 40..100 {
///     bar.step(step + 1, 1.0 / step as f64, 2.5e4, "tokens");
/// }
/// bar.line("a sample"); // above the bar
/// ```
#[derive(Debug)]
pub struct Bar {
    bar: ProgressBar,
}

const FORM: &str = "{wide_bar} {pos}/{len}  {msg}  {eta} left";

impl Bar {
    /// A bar for `steps` steps, of which `done` are done already.
    pub fn new(steps: u64, done: u64) -> Bar {
        Bar::to(ProgressDrawTarget::stderr(), steps, done)
    }

    fn to(target: ProgressDrawTarget, steps: u64, done: u64) -> Bar {
        let style = ProgressStyle::with_template(FORM).expect("the form has no other fields");
        let bar = ProgressBar::with_draw_target(Some(steps), target).with_style(style);
        // The remaining time is estimated from the steps of this process.
        let bar = bar.with_position(done);
        bar.reset_eta();
        Bar { bar }
    }

    /// Shows that `done` steps are done, with the loss and `rate` units per second.
    pub fn step(&self, done: u64, loss: f64, rate: f64, unit: &str) {
        self.bar.set_message(format!("loss {loss:.4}  {} {unit}/s", rounded(rate)));
        self.bar.set_position(done);
    }

    /// Writes a line to standard error, above the bar.
    pub fn line(&self, text: &str) {
        if self.bar.is_hidden() { eprintln!("{text}") } else { self.bar.println(text) }
    }
}

impl Drop for Bar {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}

/// Formats a number with three digits and a unit prefix.
fn rounded(number: f64) -> String {
    let (number, unit) = match number {
        n if n >= 999.5e3 => (n / 1e6, "M"),
        n if n >= 999.5 => (n / 1e3, "k"),
        n => (n, ""),
    };
    match number {
        n if n >= 99.95 => format!("{n:.0}{unit}"),
        n if n >= 9.995 => format!("{n:.1}{unit}"),
        n => format!("{n:.2}{unit}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    #[test]
    fn the_line_has_step_loss_and_rate() {
        let bar = Bar::to(ProgressDrawTarget::hidden(), 200, 50);
        assert_eq!((bar.bar.position(), bar.bar.length()), (50, Some(200)));
        bar.step(75, 1.23456, 34_567.0, "tokens");
        assert_eq!(bar.bar.position(), 75);
        assert_eq!(bar.bar.message(), "loss 1.2346  34.6k tokens/s");
    }

    #[test]
    fn rates_have_three_digits() {
        let texts = [0.0, 1.234, 12.34, 123.4, 999.4, 999.6, 12_345.0, 999_600.0, 5e6].map(rounded);
        let expected = ["0.00", "1.23", "12.3", "123", "999", "1.00k", "12.3k", "1.00M", "5.00M"];
        assert_eq!(texts, expected);
    }
}
