//! Lowering callbacks to graph ops.

use super::{
    builder::CallbackBuilder,
    host_function::Payload,
    over_mesh::{OverMesh, once, per_shard},
    structure::{Structure, ViewTree},
    targets::{ATTRIBUTES, HOST_TARGET, REPLAYED_TARGET, TARGET},
};
use hloom_graph::{
    Effect, FunctionId, Spec, Tensor, called_from, custom_call, record_error, trace_mesh,
};
use std::sync::Arc;

impl<I: ViewTree, S: ViewTree> CallbackBuilder<I, S> {
    /// Adds the callback with the payload that `payload` returns to the program; `id` is its
    /// identity for CSE.
    pub(super) fn put(
        self,
        id: Option<FunctionId>,
        payload: impl FnOnce(Structure<I, S>) -> Payload,
    ) -> S::With<Tensor> {
        let outputs = self.outputs.clone();
        let made = called_from(self.location, || self.emit(id, payload));
        let mut made = made.into_iter();
        outputs
            .map(&mut |_, _| made.next().expect("a call returns as many tensors as it has outputs"))
    }

    /// Records an error of the callback.
    pub(super) fn record_error(&self, message: &str) {
        let message = format!("`{}`: {message}", self.name);
        called_from(self.location, || record_error("callback", &self.tensors, message));
    }

    fn emit(
        self,
        id: Option<FunctionId>,
        payload: impl FnOnce(Structure<I, S>) -> Payload,
    ) -> Vec<Tensor> {
        if self.on_host && self.command_buffer {
            self.record_error(
                "copying to the host waits for the device, which a command buffer cannot",
            );
        }
        let mut outputs = Vec::new();
        self.outputs.visit(&mut |_, spec| outputs.push(spec.clone()));
        let inputs = self.tensors.clone();
        let mesh = trace_mesh();
        if let (Some((mesh, _)), OverMesh::Refused) = (&mesh, &self.over_mesh) {
            self.record_error(&format!(
                "it is not for programs over a mesh, such as this one over {mesh}"
            ));
        }
        match (mesh, self.over_mesh.clone()) {
            (Some((mesh, false)), OverMesh::PerShard(partition)) => {
                let name = self.name.clone();
                per_shard(&mesh, &name, *partition, inputs, &outputs, |inputs, outputs| {
                    self.call(inputs, outputs, id, payload)
                })
            }
            (Some((mesh, false)), OverMesh::Once) if self.effect != Effect::Pure => {
                let specs = outputs.clone();
                once(&mesh, inputs, &outputs, |inputs| self.call(inputs, specs, id, payload))
            }
            _ => self.call(inputs, outputs, id, payload),
        }
    }

    /// The custom call, on tensors in the callback's structure.
    fn call(
        mut self,
        inputs: Vec<Tensor>,
        outputs: Vec<Spec>,
        id: Option<FunctionId>,
        payload: impl FnOnce(Structure<I, S>) -> Payload,
    ) -> Vec<Tensor> {
        let (mut shapes, mut specs) =
            (inputs.iter().map(|x| Spec::of(x.shape())), outputs.iter().cloned());
        self.inputs
            .visit_mut(&mut |_, spec| *spec = shapes.next().expect("as many as there are inputs"));
        self.outputs
            .visit_mut(&mut |_, spec| *spec = specs.next().expect("as many as there are outputs"));
        let structure = Structure::new(self.inputs, self.outputs);
        let id = id.filter(|_| structure.is_fixed());
        let target = match (self.on_host, self.command_buffer) {
            (true, _) => HOST_TARGET,
            (false, true) => REPLAYED_TARGET,
            (false, false) => TARGET,
        };
        let mut call = custom_call(target, inputs, outputs).effect(self.effect).at(self.location);
        if !self.attributes.is_empty() {
            call = call.attribute(ATTRIBUTES, self.attributes);
        }
        for (name, text) in self.frontend_attributes {
            call = call.frontend_attribute(name, text);
        }
        for (output, input) in self.aliases {
            call = call.alias(output, input);
        }
        call.host_call(self.name, Arc::new(payload(structure)), id).call()
    }
}
