//! Calls by name.

use super::interface::wanted_outputs;
use crate::{AnyExe, Args, Argument, Buffer, Exe, Result, ResultTree};
use hloom_graph::Element;

impl AnyExe {
    /// Runs the program on inputs by name, and returns the requested outputs in the order of their
    /// names.
    ///
    /// # Errors
    /// All names that are missing, unknown or passed twice, all inputs that do not match, or the
    /// plugin's error.
    pub fn call_named<'a>(
        &self,
        inputs: impl IntoIterator<Item = (&'a str, Argument<'a>)>,
        wanted: &[&str],
    ) -> Result<Vec<Buffer>> {
        let (given, wanted) = self.interface().named_call(&self.inputs.free, inputs, wanted)?;
        wanted_outputs(&wanted, self.call(given)?, self.platform())
    }

    /// Zeros of the shape and sharding of an input.
    ///
    /// # Errors
    /// There is no such input, or the plugin is out of memory.
    pub fn zeros_for(&self, name: &str) -> Result<Buffer> {
        self.interface().zeros_for(name)
    }

    /// A buffer with these values, in row-major order, for an input by name: with its shape, on
    /// its devices, sharded as the program takes it.
    ///
    /// # Errors
    /// There is no such input, it has another element type or number of elements, or the plugin is
    /// out of memory.
    pub fn buffer_for<T: Element>(&self, input: &str, values: &[T]) -> Result<Buffer> {
        self.interface().buffer_for(input, values)
    }
}

impl<A: Args, R: ResultTree> Exe<A, R> {
    /// A buffer with these values for an input by name: see [`AnyExe::buffer_for`].
    ///
    /// # Errors
    /// As [`AnyExe::buffer_for`].
    pub fn buffer_for<T: Element>(&self, input: &str, values: &[T]) -> Result<Buffer> {
        self.any().buffer_for(input, values)
    }
}
