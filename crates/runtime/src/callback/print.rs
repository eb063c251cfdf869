//! Printing tensors at run time.

use super::{
    InputView,
    builder::{CallbackBuilder, NO_RESULTS},
    views::unpacked,
};
use crate::{PrintOptions, display::write_array};
use hloom_graph::{DType, Shape, Tensor, called_from, record_error};
use std::{
    fmt,
    io::Write,
    panic::Location,
    sync::{Arc, PoisonError, RwLock},
};

type Sink = dyn Fn(&str) + Send + Sync;

static SINK: RwLock<Option<Arc<Sink>>> = RwLock::new(None);

/// Passes the printed text of this process's programs to `sink` instead of standard output: one or
/// more lines at a time, without the final newline.
///
/// ```
/// hloom_runtime::set_print_sink(|text| eprintln!("program: {text}"));
/// hloom_runtime::reset_print_sink();
/// ```
pub fn set_print_sink(sink: impl Fn(&str) + Send + Sync + 'static) {
    *SINK.write().unwrap_or_else(PoisonError::into_inner) = Some(Arc::new(sink));
}

/// Makes programs print to standard output again.
pub fn reset_print_sink() {
    *SINK.write().unwrap_or_else(PoisonError::into_inner) = None;
}

/// Printing, for tensors inside of a trace. It happens at each execution, in the order of the
/// function, even when no result needs the tensor; over a mesh once, for the whole tensor. Each
/// method returns the tensor.
pub trait TensorPrint: private::Sealed {
    /// Prints the tensor's name, shape and elements, as NumPy does.
    #[track_caller]
    fn print(self, name: &str) -> Self;

    /// As [`print`](Self::print), with the given number format.
    #[track_caller]
    fn print_with(self, name: &str, options: PrintOptions) -> Self;

    /// Prints the smallest and the largest element and the mean, excluding NaNs, and the number of
    /// NaNs. For integers and floats.
    #[track_caller]
    fn print_stats(self, name: &str) -> Self;
}

mod private {
    pub trait Sealed {}
}

impl private::Sealed for Tensor {}

impl TensorPrint for Tensor {
    fn print(self, name: &str) -> Tensor {
        self.print_with(name, PrintOptions::default())
    }

    fn print_with(self, name: &str, options: PrintOptions) -> Tensor {
        let label = name.to_owned();
        let [] = CallbackBuilder::new(name, self, NO_RESULTS).on_host().run(move |_, x, _| {
            let bytes = unpacked(x.dtype(), x.shape().element_count(), x.as_bytes()?);
            say(&format!("{label}: {} = {}", x.shape(), Shown(x.shape(), &bytes, options)));
            Ok(())
        });
        self
    }

    fn print_stats(self, name: &str) -> Tensor {
        let (shape, dtype) = (self.shape(), self.dtype());
        if !dtype.is_int() && !dtype.is_float() {
            record_error("print_stats", &[self], format!("{dtype} has no smallest and largest"));
            return self;
        }
        let wide = if dtype.is_float() && dtype.bits() <= 32 { DType::F32 } else { DType::F64 };
        let stats = called_from(Location::caller(), || statistics(self.convert(wide)));
        let label = name.to_owned();
        let [] = CallbackBuilder::new(name, stats, NO_RESULTS).on_host().run(
            move |_, [low, high, mean, nans], _| {
                let (low, high, mean) = (number(&low)?, number(&high)?, number(&mean)?);
                let nans = nans.item::<i64>()?;
                let rest = if nans == shape.element_count() as i64 {
                    "no other elements".into()
                } else {
                    format!("min {low}, max {high}, mean {mean}")
                };
                say(&format!("{label}: {shape}: {rest}, {nans} NaN"));
                Ok(())
            },
        );
        self
    }
}

/// The minimum, maximum and mean of the elements that are not NaN, and the number of NaNs.
fn statistics(x: Tensor) -> [Tensor; 4] {
    let nan = x.is_nan();
    let nans = nan.convert(DType::I64).sum(..);
    let others = (!nan).convert(x.dtype()).sum(..);
    [
        nan.select(Tensor::full(f64::INFINITY, x.dtype(), x.shape().axes()), x).min(..),
        nan.select(Tensor::full(f64::NEG_INFINITY, x.dtype(), x.shape().axes()), x).max(..),
        nan.select(Tensor::zeros(x.dtype(), x.shape().axes()), x).sum(..) / others,
        nans,
    ]
}

fn number(x: &InputView<'_>) -> Result<String, super::CallbackError> {
    Ok(match x.dtype() {
        DType::F32 => x.item::<f32>()?.to_string(),
        _ => x.item::<f64>()?.to_string(),
    })
}

/// An array in host layout, to be printed.
struct Shown<'a>(Shape, &'a [u8], PrintOptions);

impl fmt::Display for Shown<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write_array(f, self.0, self.1, &self.2)
    }
}

fn say(text: &str) {
    let sink = SINK.read().unwrap_or_else(PoisonError::into_inner).clone();
    match sink {
        Some(sink) => sink(text),
        None => {
            // Ignore errors: a closed standard output must not fail a program.
            let _ = writeln!(std::io::stdout().lock(), "{text}");
        }
    }
}
