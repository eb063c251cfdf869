//! Binding inputs of an untyped executable, and keeping the buffers that it would consume.

use super::input_states::InputStates;
use crate::{AnyExe, Buffer, CallProblem, Result};
use hloom_graph::BriefShapes;
use std::ops::Range;

impl AnyExe {
    /// The same program with inputs bound to these buffers, by position in the
    /// [signature](Self::signature); calls pass the others. An input that is bound already is bound
    /// to the new buffer. This executable is unchanged.
    ///
    /// # Errors
    /// Every position that no input has, every buffer that does not match, and every input that
    /// calls consume: [`keep`](Self::keep) it before.
    pub fn bind<'b>(
        &self,
        inputs: impl IntoIterator<Item = (usize, &'b Buffer)>,
    ) -> Result<AnyExe> {
        let (known, problems) = self.interface().by_position(inputs);
        self.bind_checked(&known, problems)
    }

    /// As [`bind`](Self::bind), by the names of the inputs.
    ///
    /// # Errors
    /// As [`bind`](Self::bind), and every name that no input has.
    pub fn bind_named<'b>(
        &self,
        inputs: impl IntoIterator<Item = (&'b str, &'b Buffer)>,
    ) -> Result<AnyExe> {
        let (known, problems) = self.interface().by_name(inputs);
        self.bind_checked(&known, problems)
    }

    /// The same program with the next free inputs bound to the buffers that `visit` passes.
    pub(super) fn bind_next<'b>(
        &self,
        visit: impl FnOnce(&mut dyn FnMut(&'b Buffer)),
    ) -> Result<AnyExe> {
        let mut passed = Vec::new();
        visit(&mut |buffer| passed.push(buffer));
        self.bind_passed(&passed)
    }

    fn bind_passed(&self, passed: &[&Buffer]) -> Result<AnyExe> {
        let free = &self.inputs.free;
        let inputs: Vec<_> = free.iter().copied().zip(passed.iter().copied()).collect();
        let (expected, found) = (free.len(), passed.len());
        let problem = (found > expected).then_some(CallProblem::Count { expected, found });
        self.bind_checked(&inputs, problem.into_iter().collect())
    }

    fn bind_checked(
        &self,
        inputs: &[(usize, &Buffer)],
        mut problems: Vec<CallProblem>,
    ) -> Result<AnyExe> {
        let shapes = BriefShapes(inputs.iter().map(|(_, buffer)| buffer.shape()));
        let _entered = tracing::debug_span!("bind", name = self.name(), inputs = %shapes).entered();
        for &(position, buffer) in inputs {
            problems.extend(self.interface().misfit(position, buffer));
            if self.inputs.donated[position] {
                let name = self.signature().inputs[position].name.clone();
                problems.push(CallProblem::Consumed(name));
            }
        }
        if !problems.is_empty() {
            return Err(self.call_error(problems));
        }
        let shards: Vec<_> =
            inputs.iter().map(|(position, buffer)| (*position, buffer.shards())).collect();
        Ok(self.with_inputs(self.inputs.bind(&shards, self.device_count())))
    }

    /// The same program; its calls do not consume the input with this name.
    ///
    /// # Errors
    /// There is no such input.
    pub fn keep(&self, name: &str) -> Result<AnyExe> {
        match self.signature().input(name) {
            Some(position) => Ok(self.keep_at(position..position + 1)),
            None => Err(self.call_error(vec![self.interface().unknown(name)])),
        }
    }

    /// The same program; its calls consume nothing.
    pub fn keep_donated(&self) -> AnyExe {
        self.keep_at(0..self.signature().inputs.len())
    }

    /// The same program; its calls consume none of these inputs.
    pub(super) fn keep_at(&self, positions: Range<usize>) -> AnyExe {
        let mut inputs = InputStates::clone(&self.inputs);
        inputs.donated[positions].fill(false);
        self.with_inputs(inputs)
    }
}
