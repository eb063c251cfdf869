//! The states of an executable's inputs: bound, passed by a call, consumed by it.

use crate::Signature;
use std::sync::Arc;

/// The inputs of an executable that are bound, those that a call passes, and those that it
/// consumes.
#[derive(Clone)]
pub(super) struct InputStates {
    /// The bound buffers, in the order of the inputs: those of the first device, then those of the
    /// second...
    pub buffers: Box<[Arc<hloom_pjrt::Buffer>]>,
    /// For each input, whether it is bound.
    pub bound: Box<[bool]>,
    /// The positions of the inputs that a call passes.
    pub free: Box<[usize]>,
    /// For each input, whether a call consumes it.
    pub donated: Box<[bool]>,
}

impl InputStates {
    /// The states after compiling: no input is bound.
    pub fn new(signature: &Signature) -> InputStates {
        let inputs = &signature.inputs;
        InputStates {
            buffers: [].into(),
            bound: vec![false; inputs.len()].into(),
            free: (0..inputs.len()).collect(),
            donated: inputs.iter().map(|input| input.donated).collect(),
        }
    }

    /// The states with more inputs bound: pairs of a position and the buffers of each device.
    pub fn bind(&self, added: &[(usize, &[Arc<hloom_pjrt::Buffer>])], devices: usize) -> Self {
        let mut bound = self.bound.clone();
        added.iter().for_each(|&(position, _)| bound[position] = true);
        let width = self.buffers.len() / devices;
        let mut buffers = Vec::new();
        for device in 0..devices {
            let mut before = self.buffers[device * width..][..width].iter();
            for position in 0..bound.len() {
                let old = self.bound[position].then(|| before.next()).flatten();
                // If a position is listed twice, its last buffers are bound.
                let new = added.iter().rev().find(|(at, _)| *at == position);
                buffers.extend(new.map(|(_, shards)| &shards[device]).or(old).cloned());
            }
        }
        let free = (0..bound.len()).filter(|&position| !bound[position]).collect();
        InputStates { buffers: buffers.into(), bound, free, donated: self.donated.clone() }
    }
}
