//! Calls by name.

use super::mismatch::misfit;
use crate::{AnyExe, Buffer, Given, Input, Problem, Result};

impl AnyExe {
    /// Runs the program on inputs by name, and returns the requested outputs in the order of their
    /// names.
    ///
    /// # Errors
    /// All names that are missing, unknown or passed twice, all inputs that do not match, or the
    /// plugin's error.
    pub fn call_named<'a>(
        &self,
        inputs: impl IntoIterator<Item = (&'a str, Given<'a>)>,
        wanted: &[&str],
    ) -> Result<Vec<Buffer>> {
        let signature = self.signature();
        let free: Vec<&Input> =
            self.inputs.free.iter().map(|&position| &signature.inputs[position]).collect();
        let mut problems = Vec::new();
        let mut given: Vec<Option<Given<'a>>> = free.iter().map(|_| None).collect();
        for (name, buffer) in inputs {
            match free.iter().position(|input| input.name == name) {
                Some(at) if given[at].is_some() => problems.push(Problem::Duplicate(name.into())),
                Some(at) => given[at] = Some(buffer),
                None => problems.push(Problem::Unknown {
                    name: name.into(),
                    known: free.iter().map(|input| input.name.clone()).collect(),
                }),
            }
        }
        let wanted: Vec<Option<usize>> = wanted
            .iter()
            .map(|name| {
                let at = signature.output(name);
                if at.is_none() {
                    let known =
                        signature.outputs.iter().map(|output| output.name.clone()).collect();
                    problems.push(Problem::UnknownOutput { name: (*name).into(), known });
                }
                at
            })
            .collect();
        for (buffer, input) in given.iter().zip(&free) {
            match buffer {
                None => problems.push(Problem::Missing(input.name.clone())),
                Some(Given::Borrowed(buffer)) => {
                    problems.extend(misfit(self.platform(), input, buffer));
                }
                Some(Given::Donated(buffer)) => {
                    problems.extend(misfit(self.platform(), input, buffer));
                }
            }
        }
        if !problems.is_empty() {
            return Err(self.call_error(problems));
        }
        let mut outputs: Vec<Option<Buffer>> =
            self.call(given.into_iter().flatten().collect())?.into_iter().map(Some).collect();
        // A repeated name receives a duplicate of the buffer.
        let mut taken = Vec::with_capacity(wanted.len());
        for at in wanted.iter().flatten().copied() {
            taken.push(match outputs[at].take() {
                Some(buffer) => buffer,
                None => {
                    let earlier = wanted.iter().flatten().position(|&w| w == at);
                    let earlier: &Buffer =
                        &taken[earlier.expect("it was taken for an earlier name")];
                    earlier.duplicate(self.platform())?
                }
            });
        }
        Ok(taken)
    }

    /// Zeros of the shape and sharding of an input.
    ///
    /// # Errors
    /// There is no such input, or the plugin is out of memory.
    pub fn zeros_for(&self, name: &str) -> Result<Buffer> {
        let signature = self.signature();
        match signature.input(name) {
            Some(at) => {
                let input = &signature.inputs[at];
                Buffer::zeros(self.placement(input.sharding.as_ref()), input.shape)
            }
            None => {
                let known = signature.inputs.iter().map(|input| input.name.clone()).collect();
                Err(self.call_error(vec![Problem::Unknown { name: name.into(), known }]))
            }
        }
    }
}
