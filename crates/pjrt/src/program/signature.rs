//! Signatures of compiled programs.

use crate::{DType, Spec, client::core::ClientInner, program::proto::HloModuleProto};
use std::{collections::BTreeSet, sync::Arc};

/// The parameters of a compiled program, on one device, and which of them it can take over.
///
/// The C API does not report them. They are read from the plugin's optimized program, or the caller
/// sets them with [`LoadedExecutable::set_signature`](crate::LoadedExecutable::set_signature).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Signature {
    pub(crate) parameters: Box<[Arc<Spec>]>,
    /// Sorted. `None` if it is not known.
    pub(crate) donatable: Option<Box<[i64]>>,
    /// Whether the program may call handlers, which may ask for the data of an execute context.
    pub(crate) calls_handlers: bool,
}

impl Signature {
    /// A signature with these parameters.
    pub fn new(parameters: impl IntoIterator<Item = Spec>) -> Self {
        Self {
            parameters: parameters.into_iter().map(Arc::new).collect(),
            donatable: None,
            calls_handlers: true,
        }
    }

    /// Declares that the program calls no handlers. Without this, executions without a context pass
    /// an empty one, which costs time with some plugins.
    ///
    /// # Safety
    /// The program has no custom call whose handler asks for the data of an execute context:
    /// without a context the CPU plugin follows a null pointer.
    pub unsafe fn without_handlers(mut self) -> Self {
        self.calls_handlers = false;
        self
    }

    /// Sets the parameters that the program takes over if it may: those whose memory a result
    /// reuses. Without this, every execution lists all arguments that the plugin must keep.
    ///
    /// # Safety
    /// They are all parameters that the program takes over: no execution lists the others as kept,
    /// so the plugin would reuse the memory of an argument that is still in use for a result.
    pub unsafe fn donatable(mut self, indices: impl IntoIterator<Item = usize>) -> Self {
        let indices: BTreeSet<i64> = indices.into_iter().map(|i| i as i64).collect();
        self.donatable = Some(indices.into_iter().collect());
        self
    }

    /// The parameters.
    pub fn parameters(&self) -> &[Arc<Spec>] {
        &self.parameters
    }

    /// The parameters that the program takes over if it may; `None` if that is not known.
    pub fn donatable_parameters(&self) -> Option<Vec<usize>> {
        let indices = self.donatable.as_ref()?;
        Some(indices.iter().map(|&i| i as usize).collect())
    }

    /// The same with the client's shared specs.
    pub(crate) fn shared(&self, client: &ClientInner) -> Self {
        let shared = |spec: &Arc<Spec>| client.spec(spec.dtype(), spec.dims());
        Self {
            parameters: self.parameters.iter().map(shared).collect(),
            donatable: self.donatable.clone(),
            calls_handlers: self.calls_handlers,
        }
    }

    /// Reads the signature of a module's entry; `None` if a parameter is not a plain array.
    pub(crate) fn from_module(client: &ClientInner, module: &HloModuleProto) -> Option<Self> {
        let parameters = &module.host_program_shape.as_ref()?.parameters;
        let spec = |shape: &crate::program::proto::ShapeProto| {
            let dtype = DType::from_primitive_type(shape.element_type)?;
            // A dynamic dimension has another size in each execution.
            let dynamic = shape.is_dynamic_dimension.contains(&true);
            (!dynamic).then(|| client.spec(dtype, &shape.dimensions))
        };
        let aliases = module.input_output_alias.iter().flat_map(|a| &a.entries);
        let donors = module.buffer_donor.iter().flat_map(|d| &d.entries);
        let donatable: BTreeSet<i64> = aliases
            .map(|entry| entry.parameter_number)
            .chain(donors.map(|entry| entry.parameter_number))
            .collect();
        let mut instructions =
            module.computations.iter().flat_map(|computation| &computation.instructions);
        Some(Self {
            parameters: parameters.iter().map(spec).collect::<Option<_>>()?,
            donatable: Some(donatable.into_iter().collect()),
            calls_handlers: instructions.any(|instruction| instruction.opcode == "custom-call"),
        })
    }
}
