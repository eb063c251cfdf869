//! The text form of a graph, which is stable, so that it can be compared.

use crate::{Graph, NodeId, Op, RegionId, ValueId, definition::AttributeText};
use std::fmt::{self, Write};

/// Prints values with numbers that count live values in print order.
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
            let shape = match (self.graph.mesh(), parameter.sharding) {
                (Some(mesh), Some(sharding)) => sharding.describe(&self.graph.shape(value), &mesh),
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
        node.op.write_attributes(&mut AttributeText { out, graph, node: id })?;
        if !shapes.is_empty() {
            write!(out, " : {}", shapes.join(", "))?;
        }
        if self.locations {
            write!(out, "  at {}", node.location)?;
        }
        for (label, region) in node.op.labelled_regions() {
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
