//! Buffers for the inputs of an executable.

use crate::{AnyExe, Args, Buffer, CallError, Exe, Problem, Result, Ret};
use hloom_graph::{Element, Shape};

impl AnyExe {
    /// A buffer with these values, in row-major order, for an input by name: with its shape, on
    /// its devices, sharded as the program takes it.
    ///
    /// # Errors
    /// There is no such input, it has another element type or number of elements, or the plugin is
    /// out of memory.
    pub fn buffer_for<T: Element>(&self, input: &str, values: &[T]) -> Result<Buffer> {
        let inputs = &self.signature().inputs;
        let problem = match inputs.iter().find(|each| each.name == input) {
            Some(each) if each.shape.dtype() == T::DTYPE => {
                let to = self.placement(each.sharding.as_ref());
                return Buffer::from_slice(to, values, each.shape);
            }
            Some(each) => Problem::Shape {
                name: input.to_owned(),
                expected: each.shape,
                found: Shape::new(T::DTYPE, [values.len()])?,
            },
            None => Problem::Unknown {
                name: input.to_owned(),
                known: inputs.iter().map(|input| input.name.clone()).collect(),
            },
        };
        Err(CallError { executable: self.name().to_owned(), problems: vec![problem] }.into())
    }
}

impl<A: Args, R: Ret> Exe<A, R> {
    /// A buffer with these values for an input by name: see [`AnyExe::buffer_for`].
    ///
    /// # Errors
    /// As [`AnyExe::buffer_for`].
    pub fn buffer_for<T: Element>(&self, input: &str, values: &[T]) -> Result<Buffer> {
        self.any().buffer_for(input, values)
    }
}
