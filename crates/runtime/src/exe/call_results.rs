//! The results of a call, as buffers.

use super::{
    output_lists::{OutputList, transpose},
    program::Program,
};
use crate::{Buffer, NamedSharding, buffer::ShardBuffers, callback::Outcome};
use hloom_graph::Shape;
use std::sync::Arc;

/// The results of one call, taken in order.
pub(super) struct CallResults {
    program: Arc<Program>,
    /// In reverse order: the last result on the last device first.
    buffers: OutputList,
    /// The failures of callbacks, which the results report.
    record: Option<Arc<Outcome>>,
}

impl CallResults {
    /// The results of a call in an output list of the program.
    pub fn new(
        program: Arc<Program>,
        mut list: OutputList,
        record: Option<Arc<Outcome>>,
    ) -> CallResults {
        let devices = program.device_count();
        if devices > 1 {
            transpose(&mut list, devices);
        }
        list.reverse();
        CallResults { program, buffers: list, record }
    }

    pub fn next_buffer(&mut self) -> Buffer {
        let (shape, sharding) = self.next_output();
        match sharding {
            None => Buffer::from_program(shape, self.pop(), self.record.clone()),
            Some(sharding) => {
                let parts = (0..sharding.mesh().devices().len()).map(|_| self.pop());
                let shards = ShardBuffers::new(sharding.clone(), parts);
                Buffer::sharded(shape, shards).recorded(self.record.clone())
            }
        }
    }

    /// Stores the next result in the handle of an earlier one.
    pub fn replace(&mut self, buffer: &mut Buffer) {
        let (shape, sharding) = self.next_output();
        let record = self.record.clone();
        match sharding {
            None => buffer.replace(shape, self.pop(), record),
            Some(sharding) => {
                let parts = (0..sharding.mesh().devices().len()).map(|_| self.pop());
                buffer.replace_sharded(shape, &sharding, parts, record);
            }
        }
    }

    fn next_output(&self) -> (Shape, Option<NamedSharding>) {
        let outputs = &self.program.signature.outputs;
        let output = &outputs[outputs.len() - self.buffers.len() / self.program.device_count()];
        (output.shape, output.sharding.clone())
    }

    fn pop(&mut self) -> hloom_pjrt::Buffer {
        let next = self.buffers.pop();
        next.expect("a program returns as many results on each device as its signature says")
    }
}

impl Drop for CallResults {
    fn drop(&mut self) {
        self.program.output_lists.put(std::mem::take(&mut self.buffers));
    }
}
