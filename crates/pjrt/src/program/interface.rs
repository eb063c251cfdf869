//! The names of a compiled program's parameters and of the handlers that it calls, from its
//! optimized form.

use crate::{
    DType, Executable, Result, Spec,
    hlo::{Instruction, Module},
};
use std::collections::BTreeSet;

/// The interface of a compiled program that another system wrote, as the program describes it.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct ProgramInterface {
    /// The parameters, as each device has them.
    pub parameters: Vec<ProgramParameter>,
    /// The parameters whose memory results may have.
    pub donatable: Vec<usize>,
    /// The targets of its custom calls, in order, each once: handlers of the plugin, of this
    /// process or of nobody.
    pub custom_calls: Vec<String>,
}

/// A parameter of a compiled program.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ProgramParameter {
    /// The name that the program's author gave it, if any.
    pub name: Option<String>,
    /// Its element type and dimensions; `None` if it is not an array.
    pub spec: Option<Spec>,
}

impl Executable {
    /// The parameters with their names, and the targets of the custom calls.
    ///
    /// This reads the optimized program, which takes a while for large ones.
    ///
    /// # Errors
    /// The plugin does not return the optimized program, or not in the form of HLO.
    pub fn interface(&self) -> Result<ProgramInterface> {
        Ok(ProgramInterface::of(&self.hlo_module()?))
    }
}

impl ProgramInterface {
    fn of(module: &Module) -> ProgramInterface {
        let is_entry = |id| id == module.entry_computation_id;
        let entry = module.computations.iter().find(|computation| is_entry(computation.id));
        let entry = entry.map_or(&[][..], |entry| &entry.instructions);
        let parameters = entry.iter().filter(|instruction| instruction.opcode == "parameter");
        let mut named: Vec<_> =
            parameters.map(|p| (p.parameter_number, ProgramParameter::of(p))).collect();
        named.sort_by_key(|(number, _)| *number);
        let all = module.computations.iter().flat_map(|computation| &computation.instructions);
        let targets = all
            .filter(|instruction| instruction.opcode == "custom-call")
            .map(|call| call.custom_call_target.clone());
        ProgramInterface {
            parameters: named.into_iter().map(|(_, parameter)| parameter).collect(),
            donatable: module.donatable().into_iter().collect(),
            custom_calls: targets.collect::<BTreeSet<_>>().into_iter().collect(),
        }
    }
}

impl ProgramParameter {
    fn of(parameter: &Instruction) -> ProgramParameter {
        let name = parameter.metadata.as_ref().map(|metadata| metadata.op_name.clone());
        let shape = parameter.shape.as_ref();
        let spec = shape.and_then(|shape| {
            Some(Spec::new(
                DType::from_primitive_type(shape.element_type)?,
                shape.dimensions.clone(),
            ))
        });
        ProgramParameter { name: name.filter(|name| !name.is_empty()), spec }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hlo::{Computation, Metadata, Shape};

    fn instruction(opcode: &str) -> Instruction {
        Instruction { opcode: opcode.into(), ..Instruction::default() }
    }

    #[test]
    fn parameters_are_those_of_the_entry_in_order() {
        let named = |number, name: &str| Instruction {
            parameter_number: number,
            metadata: Some(Metadata { op_name: name.into(), ..Metadata::default() }),
            shape: Some(Shape { element_type: 11, dimensions: vec![2], ..Shape::default() }),
            ..instruction("parameter")
        };
        let call = Instruction { custom_call_target: "f".into(), ..instruction("custom-call") };
        let body = Computation {
            id: 1,
            instructions: vec![named(0, "inner"), call.clone()],
            ..Default::default()
        };
        let entry = vec![named(1, "b"), call, named(0, "a"), named(2, "")];
        let entry = Computation { id: 2, instructions: entry, ..Default::default() };
        let computations = vec![body, entry];
        let module = Module { computations, entry_computation_id: 2, ..Default::default() };
        let interface = ProgramInterface::of(&module);
        let names = interface.parameters.iter().map(|parameter| parameter.name.as_deref());
        assert_eq!(names.collect::<Vec<_>>(), [Some("a"), Some("b"), None]);
        assert_eq!(interface.parameters[0].spec, Some(Spec::new(DType::F32, [2])));
        assert_eq!(interface.custom_calls, ["f"]);
    }
}
