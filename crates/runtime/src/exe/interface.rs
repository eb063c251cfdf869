//! The inputs and outputs of a program by name and device, whether it runs in this process or in a
//! sandbox.

use super::mismatch::misfit;
use crate::{
    Argument, Buffer, CallError, CallProblem, Error, Input, NamedSharding, Placement, Platform,
    Result, Signature, foreign::PLATFORM_INDEX,
};
use hloom_graph::{Element, Shape};

/// The inputs and outputs of a program by name and device, whether it runs in this process or in a
/// sandbox.
#[derive(Clone, Copy)]
pub(crate) struct Interface<'a> {
    pub name: &'a str,
    pub platform: &'a Platform,
    pub signature: &'a Signature,
}

/// Buffers for inputs by position, and the problems of names or positions that no input has.
pub(crate) type Positions<'b> = (Vec<(usize, &'b Buffer)>, Vec<CallProblem>);

/// A call by name: its inputs in the order of the free inputs, and the positions of its outputs.
pub(crate) type NamedCall<'b> = (Vec<Argument<'b>>, Vec<usize>);

impl<'a> Interface<'a> {
    /// The error of these problems.
    pub fn error(&self, problems: Vec<CallProblem>) -> Error {
        Error::Call(CallError { executable: self.name.into(), problems })
    }

    /// The problem of passing more or fewer buffers than inputs; empty if the numbers are equal.
    pub fn count(&self, expected: usize, found: usize) -> Vec<CallProblem> {
        if found == expected {
            return Vec::new();
        }
        let more = found > expected;
        let left_out = self.left_out().filter(|_| more);
        std::iter::once(CallProblem::Count { expected, found }).chain(left_out).collect()
    }

    /// The arguments of the exported function that the program does not have, if there are some.
    fn left_out(&self) -> Option<CallProblem> {
        let positions = self.signature.left_out.clone();
        // The platform index is not an argument of the function.
        let is_argument = |input: &&Input| input.name != PLATFORM_INDEX;
        let kept = self.signature.inputs.iter().filter(is_argument).count();
        let count = kept + positions.len();
        (!positions.is_empty()).then_some(CallProblem::LeftOut { positions, count })
    }

    /// The problem of a name that no input has.
    pub fn unknown(&self, name: &str) -> CallProblem {
        let known = self.signature.inputs.iter().map(|input| input.name.clone()).collect();
        CallProblem::Unknown { name: name.into(), known }
    }

    /// An input by name.
    ///
    /// # Errors
    /// There is no such input; the error lists the names.
    fn input(&self, name: &str) -> Result<&'a Input> {
        let position = self.signature.input(name);
        let input = position.and_then(|position| self.signature.inputs.get(position));
        input.ok_or_else(|| self.error(vec![self.unknown(name)]))
    }

    /// The placement of buffers for an input.
    pub fn placement(&self, sharding: Option<&'a NamedSharding>) -> Placement<'a> {
        sharding.map_or(Placement::Platform(self.platform), Placement::NamedSharding)
    }

    /// The problem of a buffer for an input.
    pub fn misfit(&self, position: usize, buffer: &Buffer) -> Option<CallProblem> {
        misfit(self.platform, &self.signature.inputs[position], buffer)
    }

    /// Buffers by position, and the problems of positions that no input has.
    pub fn by_position<'b>(
        &self,
        inputs: impl IntoIterator<Item = (usize, &'b Buffer)>,
    ) -> Positions<'b> {
        let expected = self.signature.inputs.len();
        let (known, unknown): (Vec<_>, Vec<_>) =
            inputs.into_iter().partition(|(position, _)| *position < expected);
        let count = |(position, _): (usize, _)| CallProblem::Count {
            expected,
            found: position.saturating_add(1),
        };
        (known, unknown.into_iter().map(count).collect())
    }

    /// Buffers by the names of their inputs.
    pub fn by_name<'b, 'n>(
        &self,
        inputs: impl IntoIterator<Item = (&'n str, &'b Buffer)>,
    ) -> Positions<'b> {
        let (mut known, mut problems) = (Vec::new(), Vec::new());
        for (name, buffer) in inputs {
            match self.signature.input(name) {
                Some(position) => known.push((position, buffer)),
                None => problems.push(self.unknown(name)),
            }
        }
        (known, problems)
    }

    /// Arranges a call by name of the inputs at the positions `free`.
    ///
    /// # Errors
    /// All names that are missing, unknown or passed twice, and all inputs that do not match.
    pub fn named_call<'b, 'n>(
        &self,
        free: &[usize],
        inputs: impl IntoIterator<Item = (&'n str, Argument<'b>)>,
        wanted: &[&str],
    ) -> Result<NamedCall<'b>> {
        let signature = self.signature;
        let free: Vec<&Input> = free.iter().map(|&position| &signature.inputs[position]).collect();
        let mut problems = Vec::new();
        let mut given: Vec<Option<Argument<'b>>> = free.iter().map(|_| None).collect();
        for (name, buffer) in inputs {
            match free.iter().position(|input| input.name == name) {
                Some(at) if given[at].is_some() => {
                    problems.push(CallProblem::Duplicate(name.into()))
                }
                Some(at) => given[at] = Some(buffer),
                None => problems.push(CallProblem::Unknown {
                    name: name.into(),
                    known: free.iter().map(|input| input.name.clone()).collect(),
                }),
            }
        }
        let positions: Vec<Option<usize>> = wanted
            .iter()
            .map(|name| {
                let at = signature.output(name);
                if at.is_none() {
                    let known =
                        signature.outputs.iter().map(|output| output.name.clone()).collect();
                    problems.push(CallProblem::UnknownOutput { name: (*name).into(), known });
                }
                at
            })
            .collect();
        if problems.iter().any(|problem| matches!(problem, CallProblem::Unknown { .. })) {
            problems.extend(self.left_out());
        }
        for (buffer, input) in given.iter().zip(&free) {
            match buffer {
                None => problems.push(CallProblem::Missing(input.name.clone())),
                Some(given) => problems.extend(misfit(self.platform, input, given.buffer())),
            }
        }
        if !problems.is_empty() {
            return Err(self.error(problems));
        }
        let given = given.into_iter().flatten().collect();
        Ok((given, positions.into_iter().flatten().collect()))
    }

    /// Zeros of the shape and sharding of an input.
    ///
    /// # Errors
    /// There is no such input, or the plugin is out of memory.
    pub fn zeros_for(&self, name: &str) -> Result<Buffer> {
        let input = self.input(name)?;
        Buffer::zeros(self.placement(input.sharding.as_ref()), input.shape)
    }

    /// A buffer with these values, in row-major order, for an input by name.
    ///
    /// # Errors
    /// There is no such input, it has another element type or number of elements, or the plugin is
    /// out of memory.
    pub fn buffer_for<T: Element>(&self, name: &str, values: &[T]) -> Result<Buffer> {
        let input = self.input(name)?;
        if input.shape.dtype() != T::DTYPE {
            let found = Shape::new(T::DTYPE, [values.len()])?;
            let (name, expected) = (name.to_owned(), input.shape);
            return Err(self.error(vec![CallProblem::Shape { name, expected, found }]));
        }
        Buffer::from_slice(self.placement(input.sharding.as_ref()), values, input.shape)
    }
}

impl Argument<'_> {
    /// The buffer.
    pub(crate) fn buffer(&self) -> &Buffer {
        match self {
            Argument::Borrowed(buffer) => buffer,
            Argument::Donated(buffer) => buffer,
        }
    }
}

/// The outputs of a call by name, in the order of the names, from all outputs of the program. A
/// repeated name receives a duplicate of the buffer.
///
/// # Errors
/// The plugin is out of memory.
pub(crate) fn wanted_outputs(
    wanted: &[usize],
    outputs: Vec<Buffer>,
    platform: &Platform,
) -> Result<Vec<Buffer>> {
    let mut outputs: Vec<Option<Buffer>> = outputs.into_iter().map(Some).collect();
    let mut taken = Vec::with_capacity(wanted.len());
    for &at in wanted {
        taken.push(match outputs[at].take() {
            Some(buffer) => buffer,
            None => {
                let earlier = wanted.iter().position(|&w| w == at);
                let earlier: &Buffer = &taken[earlier.expect("it was taken for an earlier name")];
                earlier.duplicate(platform)?
            }
        });
    }
    Ok(taken)
}
