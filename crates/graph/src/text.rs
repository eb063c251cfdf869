//! The text form of a graph: stable, so that it can be compared.

use crate::{
    BackendConfig, CustomCall, Effect, Graph, MeshShape, NodeId, Op, Partitioning, PerAxis, RegionId, ValueId,
};
use std::fmt::{self, Write};

/// Prints values by numbers that only live values have, in the order in which they are printed.
struct Printer<'a> {
    graph: &'a Graph,
    live: Vec<bool>,
    numbers: Vec<Option<u32>>,
    next: u32,
    locations: bool,
}

impl fmt::Display for Graph {
    /// One line per live node; the alternate form (`{:#}`) adds the source location of each.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut printer = Printer {
            graph: self,
            live: self.live(),
            numbers: vec![None; self.value_count()],
            next: 0,
            locations: f.alternate(),
        };
        let mut text = String::new();
        printer.graph(&mut text)?;
        f.write_str(&text)
    }
}

impl Printer<'_> {
    fn number(&mut self, value: ValueId) -> u32 {
        *self.numbers[value.index()].get_or_insert_with(|| {
            self.next += 1;
            self.next - 1
        })
    }

    fn values(&mut self, values: &[ValueId]) -> String {
        let numbers: Vec<String> = values.iter().map(|&v| format!("%{}", self.number(v))).collect();
        numbers.join(", ")
    }

    fn graph(&mut self, out: &mut String) -> fmt::Result {
        match self.graph.mesh() {
            Some(mesh) => writeln!(out, "{} over {mesh} {{", self.graph.name)?,
            None => writeln!(out, "{} {{", self.graph.name)?,
        }
        for (parameter, &value) in self.graph.parameters.iter().zip(&self.graph.root().parameters) {
            let donated = if parameter.donated { " donated" } else { "" };
            let number = self.number(value);
            let shape = match (self.graph.mesh(), parameter.partitioning) {
                (Some(mesh), Some(partitioning)) => partitioning.describe(&self.graph.shape(value), &mesh),
                _ => self.graph.shape(value).to_string(),
            };
            writeln!(out, "  %{number} = argument `{}`{donated} : {shape}", parameter.name)?;
        }
        self.nodes(out, Graph::ROOT, 1)?;
        for (result, &value) in self.graph.results.iter().zip(&self.graph.root().results) {
            write!(out, "  return %{}", self.number(value))?;
            if !result.name.is_empty() {
                write!(out, " as `{}`", result.name)?;
            }
            if let Some(parameter) = result.reuses {
                write!(out, " in the memory of `{}`", self.graph.parameters[parameter].name)?;
            }
            writeln!(out)?;
        }
        out.write_str("}\n")
    }

    fn nodes(&mut self, out: &mut String, region: RegionId, depth: usize) -> fmt::Result {
        let graph = self.graph;
        for &id in &graph.region(region).nodes {
            if self.live[id.index()] && !matches!(graph.node(id).op, Op::Parameter(_)) {
                self.node(out, id, depth)?;
            }
        }
        Ok(())
    }

    fn node(&mut self, out: &mut String, id: NodeId, depth: usize) -> fmt::Result {
        let (graph, indent) = (self.graph, "  ".repeat(depth));
        let node = graph.node(id);
        let operands = self.values(graph.operands(id));
        let results: Vec<ValueId> = graph.node_results(id).collect();
        let shapes: Vec<String> = results.iter().map(|&v| graph.shape(v).to_string()).collect();
        let results = self.values(&results);
        let equals = if results.is_empty() { "" } else { " = " };
        write!(out, "{indent}{results}{equals}{}", node.op.name())?;
        if !operands.is_empty() {
            write!(out, " {operands}")?;
        }
        attributes(out, &node.op)?;
        if let Some(mesh) = self.graph.mesh() {
            self.sharding(out, id, &mesh)?;
        }
        if !shapes.is_empty() {
            write!(out, " : {}", shapes.join(", "))?;
        }
        if self.locations {
            write!(out, "  at {}", node.location)?;
        }
        for (region, label) in labelled_regions(&node.op) {
            let parameters = graph.region(region).parameters.clone();
            write!(out, " {label} {{")?;
            if !parameters.is_empty() {
                write!(out, " |{}|", self.values(&parameters))?;
            }
            writeln!(out)?;
            self.nodes(out, region, depth + 1)?;
            let given = self.values(&graph.region(region).results);
            write!(out, "{indent}  give {given}\n{indent}}}")?;
        }
        writeln!(out)
    }
}

/// What an op says of the mesh, in its names.
impl Printer<'_> {
    fn sharding(&self, out: &mut String, id: NodeId, mesh: &MeshShape) -> fmt::Result {
        let described = |partitionings: &[Partitioning], values: &mut dyn Iterator<Item = ValueId>| {
            let each = partitionings.iter().zip(values);
            let each: Vec<String> = each
                .map(|(p, value)| p.describe(&self.graph.shape(value), mesh))
                .collect();
            each.join(", ")
        };
        match &self.graph.node(id).op {
            Op::Constrain(partitioning) => {
                let results = &mut self.graph.node_results(id);
                write!(out, " as {}", described(&[**partitioning], results))
            }
            Op::Manual(manual) => {
                let taken = described(&manual.inputs, &mut self.graph.operands(id).iter().copied());
                let given = described(&manual.outputs, &mut self.graph.node_results(id));
                write!(out, " takes {taken} gives {given}")
            }
            Op::Collective(collective) => write!(out, " {}", collective.describe(mesh)),
            _ => Ok(()),
        }
    }
}

fn labelled_regions(op: &Op) -> Vec<(RegionId, String)> {
    match op {
        Op::While { cond, body } => vec![(*cond, "cond".into()), (*body, "do".into())],
        Op::Case(branches) => branches
            .iter()
            .enumerate()
            .map(|(i, &r)| (r, format!("{i}:")))
            .collect(),
        Op::Manual(manual) => vec![(manual.body, "do".into())],
        _ => Vec::new(),
    }
}

fn list<T: fmt::Display + Copy + Default>(values: &PerAxis<T>) -> String {
    let values: Vec<String> = values.iter().map(T::to_string).collect();
    format!("[{}]", values.join(", "))
}

fn attributes(out: &mut String, op: &Op) -> fmt::Result {
    match op {
        Op::Constant(literal) => write!(out, " {literal}"),
        Op::Splat(scalar) => write!(out, " {scalar}"),
        Op::Iota(axis) | Op::Concatenate(axis) | Op::ArgReduce(_, axis) => write!(out, " along {axis}"),
        Op::Cumulative(reduction, axis) => write!(out, " {} along {axis}", reduction.name()),
        Op::BroadcastInDim(axes) => write!(out, " to axes {}", list(axes)),
        Op::Transpose(axes) => write!(out, " order {}", list(axes)),
        Op::Reverse(axes) | Op::Reduce(_, axes) => write!(out, " along {}", list(axes)),
        Op::Slice(dims) => write!(
            out,
            " from {} to {} step {}",
            list(&dims.start),
            list(&dims.limit),
            list(&dims.stride)
        ),
        Op::Pad(dims) => write!(
            out,
            " low {} high {} interior {}",
            list(&dims.low),
            list(&dims.high),
            list(&dims.interior)
        ),
        Op::Dot(dims) => {
            write!(
                out,
                " contract {} {}",
                list(&dims.left_contracting),
                list(&dims.right_contracting)
            )?;
            if !dims.left_batch.is_empty() {
                write!(out, " batch {} {}", list(&dims.left_batch), list(&dims.right_batch))?;
            }
            match dims.precision {
                crate::Precision::Default => Ok(()),
                precision => write!(out, " precision {precision:?}"),
            }
        }
        Op::DynamicSlice(sizes) => write!(out, " sizes {}", list(sizes)),
        Op::Gather(dims) => write!(
            out,
            " offset {} collapsed {} batch {} {} map {} vector {} sizes {}",
            list(&dims.offset_dims),
            list(&dims.collapsed_slice_dims),
            list(&dims.operand_batching_dims),
            list(&dims.start_indices_batching_dims),
            list(&dims.start_index_map),
            dims.index_vector_dim,
            list(&dims.slice_sizes)
        ),
        Op::CustomCall(call) => custom_call(out, call),
        Op::Sort { axis, descending } => {
            write!(out, " along {axis}{}", if *descending { " descending" } else { "" })
        }
        Op::TopK(k) => write!(out, " {k}"),
        _ => Ok(()),
    }
}

fn custom_call(out: &mut String, call: &CustomCall) -> fmt::Result {
    write!(out, " of `{}`", call.target)?;
    match &call.config {
        BackendConfig::Typed(attributes) if attributes.is_empty() => {}
        BackendConfig::Typed(attributes) => write!(out, " {attributes}")?,
        BackendConfig::Opaque { api_version, config } => write!(out, " by version {api_version} {config:?}")?,
    }
    for alias in &call.aliases {
        write!(
            out,
            ", result {} in the memory of operand {}",
            alias.result, alias.operand
        )?;
    }
    match call.effect {
        Effect::Pure => Ok(()),
        Effect::Unordered => out.write_str(", with an effect"),
        Effect::Ordered => out.write_str(", in order"),
    }
}
