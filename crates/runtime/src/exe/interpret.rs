//! The evaluation of an executable's graph by the interpreter, as a second opinion on its calls.

use super::{AnyExe, Argument, Exe};
use crate::{
    Args, Buffer, Error, Result, ResultTree,
    buffer::{Placement, ShardBuffers},
};
use hloom_graph::Graph;
use hloom_interpret::{Array, InterpretError, Interpreter};

impl AnyExe {
    /// The results that the interpreter computes for the inputs of a [`call`](Self::call) and the
    /// bound ones, as buffers like those of the call. It evaluates the graph that
    /// [`Compiler::keep_graph`](crate::Compiler::keep_graph) keeps. For small inputs: it is slow.
    /// Inputs that are passed by value are dropped.
    ///
    /// # Errors
    /// The executable keeps no graph, as one that was loaded without its function; every input that
    /// does not match; a call of a host function or of a custom target, which
    /// [`interpret_by`](Self::interpret_by) takes evaluators of; computations beyond the
    /// interpreter's limits; the plugin's errors of buffers.
    pub fn interpret(&self, inputs: Vec<Argument<'_>>) -> Result<Vec<Buffer>> {
        self.interpret_by(&mut Interpreter::new(), inputs)
    }

    /// As [`interpret`](Self::interpret), by an interpreter with evaluators of calls and a limit.
    ///
    /// # Errors
    /// As for [`interpret`](Self::interpret).
    pub fn interpret_by(
        &self,
        interpreter: &mut Interpreter<'_>,
        inputs: Vec<Argument<'_>>,
    ) -> Result<Vec<Buffer>> {
        let buffer = |given| match given {
            &Argument::Borrowed(buffer) => buffer,
            Argument::Donated(buffer) => buffer,
        };
        let passed: Vec<&Buffer> = inputs.iter().map(buffer).collect();
        self.interpreted(interpreter, &passed)
    }

    fn interpreted(
        &self,
        interpreter: &mut Interpreter<'_>,
        passed: &[&Buffer],
    ) -> Result<Vec<Buffer>> {
        let graph = self.graph().ok_or_else(|| Error::NoGraph { program: self.name().into() })?;
        let inputs = &self.signature().inputs;
        match self.misfits(passed, &vec![false; inputs.len()], true) {
            Error::Call(found) if found.problems.is_empty() => {}
            error => return Err(error),
        }
        let mut passed = passed.iter();
        let mut arrays = Vec::with_capacity(inputs.len());
        for (position, input) in inputs.iter().enumerate() {
            let bytes = match self.bound(position) {
                Some(buffer) => buffer.to_bytes()?,
                None => passed.next().expect("their number was checked").to_bytes()?,
            };
            let array = Array::from_bytes(input.shape, &bytes);
            arrays.push(array.map_err(self.not_interpreted())?);
        }
        let results = self.run_graph(interpreter, graph, &arrays)?;
        let outputs = self.signature().outputs.iter().zip(&results);
        let buffers = outputs.map(|(output, result)| {
            let place = match &output.sharding {
                Some(sharding) => Placement::NamedSharding(sharding),
                None => Placement::Platform(self.platform()),
            };
            Buffer::from_bytes(place, output.shape, &result.to_bytes())
        });
        buffers.collect()
    }

    fn run_graph(
        &self,
        interpreter: &mut Interpreter<'_>,
        graph: &Graph,
        inputs: &[Array],
    ) -> Result<Vec<Array>> {
        let _entered = tracing::debug_span!("interpret", name = self.name()).entered();
        interpreter.run(graph, inputs).map_err(self.not_interpreted())
    }

    fn not_interpreted(&self) -> impl FnOnce(InterpretError) -> Error {
        let program = self.name().to_owned();
        move |source| Error::Interpret { program, source: Box::new(source) }
    }

    /// The buffer that an input is bound to, if it is.
    fn bound(&self, position: usize) -> Option<Buffer> {
        let is_bound = &self.inputs.bound;
        if !is_bound[position] {
            return None;
        }
        let width = self.bound_count();
        let place = is_bound[..position].iter().filter(|&&is_bound| is_bound).count();
        let on = |device: usize| self.inputs.buffers[device * width + place].clone();
        let input = &self.signature().inputs[position];
        Some(match &input.sharding {
            Some(sharding) => {
                let parts = (0..self.device_count()).map(on).collect();
                Buffer::sharded(input.shape, ShardBuffers::of(sharding.clone(), parts))
            }
            None => Buffer::of_shared(input.shape, on(0)),
        })
    }
}

impl<A: Args, R: ResultTree> Exe<A, R> {
    /// The results that the interpreter computes for the arguments of a [`call`](Self::call) and
    /// the bound ones, as buffers in the structure of the result: a second opinion on the plugin's
    /// results. The function is compiled by a compiler that keeps its graph. For small arguments:
    /// it is slow. Donated arguments are dropped; [`keep_donated`](Self::keep_donated) borrows
    /// them.
    ///
    /// ```no_run
    /// # use hloom_runtime::*; use hloom_graph::*;
    /// # fn example(platform: &Platform, x: Buffer) -> Result<()> {
    /// let compiler = platform.compiler().keep_graph(true);
    /// let exe = compiler.compile(|x: Tensor| x.cumsum(0), (Spec::f32([3]),))?;
    /// let (found, expected) = (exe.call((&x,))?, exe.interpret((&x,))?);
    /// assert_eq!(found.to_vec::<f32>()?, expected.to_vec::<f32>()?);
    /// # Ok(()) }
    /// ```
    ///
    /// # Errors
    /// As for [`AnyExe::interpret`], and arguments of another structure.
    pub fn interpret(&self, arguments: A::Call<'_>) -> Result<R::Buffers> {
        self.interpret_by(&mut Interpreter::new(), arguments)
    }

    /// As [`interpret`](Self::interpret), by an interpreter with evaluators of calls and a limit.
    ///
    /// # Errors
    /// As for [`interpret`](Self::interpret).
    pub fn interpret_by(
        &self,
        interpreter: &mut Interpreter<'_>,
        arguments: A::Call<'_>,
    ) -> Result<R::Buffers> {
        self.evaluated(&arguments, |passed| self.any().interpreted(interpreter, passed))
    }
}
