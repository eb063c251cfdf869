//! The function around the ops: its arguments, results and attributes.

use crate::{Context, LowerError, Module, Partitioner, lowering::Lowering, ops};
use hloom_graph::{Graph, Partitioning, Shape, ValueId};
use melior::ir::{
    Attribute, Block, BlockLike, Identifier, Location, Region, RegionLike, Type,
    attribute::{ArrayAttribute, DictionaryAttribute, IntegerAttribute, StringAttribute, TypeAttribute},
    operation::{OperationBuilder, OperationLike, OperationMutLike},
    r#type::{FunctionType, IntegerType},
};

/// How a graph is lowered.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct LowerOptions {
    /// Whether ops carry the lines of the user's source that made them.
    pub locations: bool,
    /// How many copies of the program run side by side on data of their own.
    pub replicas: u32,
    /// How many devices share the work of one copy; those of the graph's mesh, if it has one.
    pub partitions: u32,
    /// Whose attributes say how values are split over the graph's mesh.
    pub partitioner: Partitioner,
    /// Whether the plugin has `stablehlo.collective_broadcast`. Where it has not, all devices of a group gather all values.
    pub has_broadcast: bool,
}

impl Default for LowerOptions {
    fn default() -> LowerOptions {
        LowerOptions {
            locations: true,
            replicas: 1,
            partitions: 1,
            partitioner: Partitioner::Shardy,
            has_broadcast: false,
        }
    }
}

/// Lowers a graph to a module with one public function, `main`.
///
/// Arguments and results carry the paths in their trees as `jax.arg_info` and `jax.result_info`. A donated argument is tied to
/// the first result that reuses it by `tf.aliasing_output`; without one it is a `jax.buffer_donor`.
///
/// # Errors
/// MLIR's own messages, with the lines of the user's source, when the module's structure is unsound.
pub fn lower<'c>(context: &'c Context, graph: &Graph, options: &LowerOptions) -> Result<Module<'c>, LowerError> {
    let _span = tracing::debug_span!("lower", name = graph.name(), nodes = graph.node_count()).entered();
    let context = &context.0;
    let name = module_name(graph.name());
    let graph = &*graph
        .expand_loops()
        .map_err(|error| LowerError::of_trace(&name, &error))?;
    let mut module = melior::ir::Module::new(Location::unknown(context));
    build(context, &module, graph, options);
    let mut operation = module.as_operation_mut();
    operation.set_attribute("sym_name", StringAttribute::new(context, &name).into());
    let i32 = |value: u32| IntegerAttribute::new(IntegerType::new(context, 32).into(), value.into()).into();
    let partitions = graph
        .mesh()
        .map_or(options.partitions, |mesh| mesh.device_count() as u32);
    operation.set_attribute("mhlo.num_partitions", i32(partitions));
    operation.set_attribute("mhlo.num_replicas", i32(options.replicas));
    let module = Module { context, module, name };
    module.verify()?;
    Ok(module)
}

fn build<'a>(
    context: &'a melior::Context,
    module: &'a melior::ir::Module<'a>,
    graph: &'a Graph,
    options: &LowerOptions,
) {
    let mut lowering = Lowering::new(context, graph, module.body(), options);
    lowering.mesh_operation();
    let root = graph.root();
    let location_of = |value| {
        let caller = graph.node(graph.value(value).node).location;
        Location::new(context, caller.file(), caller.line() as usize, caller.column() as usize)
    };
    let mut parameters: Vec<(Type<'a>, Location<'a>)> = Vec::with_capacity(root.parameters.len());
    for (&value, parameter) in root.parameters.iter().zip(graph.parameters()) {
        let location = if options.locations {
            location_of(value)
        } else {
            Location::unknown(context)
        };
        let location = match parameter.name.as_str() {
            "" => location,
            name => Location::name(context, name, location),
        };
        let shape = passed_shape(graph, value, parameter.partitioning);
        parameters.push((lowering.types.tensor(&shape), location));
    }
    let inputs: Vec<Type<'a>> = parameters.iter().map(|p| p.0).collect();
    let outputs: Vec<Type<'a>> = root
        .results
        .iter()
        .enumerate()
        .map(|(position, &value)| {
            let shape = passed_shape(graph, value, graph.result_partitioning(position));
            lowering.types.tensor(&shape)
        })
        .collect();
    let body = Region::new();
    body.append_block(Block::new(&parameters));
    let named = |name: &str, value: Attribute<'a>| (Identifier::new(context, name), value);
    let function = OperationBuilder::new("func.func", Location::unknown(context))
        .add_attributes(&[
            named("sym_name", StringAttribute::new(context, "main").into()),
            named("sym_visibility", StringAttribute::new(context, "public").into()),
            named(
                "function_type",
                TypeAttribute::new(FunctionType::new(context, &inputs, &outputs).into()).into(),
            ),
            named("arg_attrs", argument_attributes(&mut lowering, graph)),
            named("res_attrs", result_attributes(&mut lowering, graph)),
        ])
        .add_regions([body])
        .build()
        .expect("a function whose type is given is built");
    let function = module.body().append_operation(function);
    let body = function.region(0).expect("a function has a body");
    lowering.block = body.first_block().expect("the body was made with its block");
    let arguments = root.parameters.iter().zip(graph.parameters()).enumerate();
    let arguments: Vec<_> = arguments
        .map(|(position, (&value, parameter))| {
            let passed = passed_shape(graph, value, parameter.partitioning);
            ops::without_padding(&lowering, lowering.argument(position), &passed, &graph.shape(value))
        })
        .collect();
    let mut results = lowering.region_of(Graph::ROOT, &arguments);
    lowering.location = Location::unknown(context);
    for (position, (result, &value)) in results.iter_mut().zip(&root.results).enumerate() {
        let passed = passed_shape(graph, value, graph.result_partitioning(position));
        *result = ops::with_padding(&lowering, *result, &graph.shape(value), &passed);
    }
    lowering.operation("func.return", &results, &[], &[], Vec::new());
}

/// The shape that a value is passed in: parts that are padded are passed with their padding, since the compiler splits no argument
/// or result unevenly.
fn passed_shape(graph: &Graph, value: ValueId, partitioning: Option<Partitioning>) -> Shape {
    match (graph.mesh(), partitioning) {
        (Some(mesh), Some(partitioning)) => partitioning.padded(&graph.shape(value), &mesh),
        _ => graph.shape(value),
    }
}

fn argument_attributes<'a>(lowering: &mut Lowering<'a>, graph: &Graph) -> Attribute<'a> {
    let context = lowering.context;
    let mut taken_over_by = vec![None; graph.parameters().len()];
    for (position, result) in graph.results().iter().enumerate().rev() {
        if let Some(parameter) = result.reuses {
            taken_over_by[parameter] = Some(position);
        }
    }
    let named = |name: &str, value: Attribute<'a>| (Identifier::new(context, name), value);
    let attributes = graph.parameters().iter().enumerate().map(|(position, parameter)| {
        let mut all = Vec::with_capacity(2);
        if !parameter.name.is_empty() {
            all.push(named(
                "jax.arg_info",
                StringAttribute::new(context, &parameter.name).into(),
            ));
        }
        match taken_over_by[position] {
            Some(result) => all.push(named("tf.aliasing_output", lowering.i32(result as u32))),
            None if parameter.donated => all.push(named("jax.buffer_donor", lowering.bool(true))),
            None => {}
        }
        all.extend(parameter.partitioning.and_then(|p| lowering.sharding_attribute(&p)));
        DictionaryAttribute::new(context, &all).into()
    });
    ArrayAttribute::new(context, &attributes.collect::<Vec<_>>()).into()
}

fn result_attributes<'a>(lowering: &mut Lowering<'a>, graph: &Graph) -> Attribute<'a> {
    let context = lowering.context;
    let attributes = graph.results().iter().enumerate().map(|(position, result)| {
        let mut all = Vec::with_capacity(2);
        if !result.name.is_empty() {
            all.push((
                Identifier::new(context, "jax.result_info"),
                StringAttribute::new(context, &result.name).into(),
            ));
        }
        let partitioning = graph.result_partitioning(position);
        all.extend(partitioning.and_then(|p| lowering.sharding_attribute(&p)));
        DictionaryAttribute::new(context, &all).into()
    });
    ArrayAttribute::new(context, &attributes.collect::<Vec<_>>()).into()
}

/// A name that every tool on the way takes.
fn module_name(name: &str) -> String {
    let fits = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.');
    let mut fitting: String = name.chars().map(|c| if fits(c) { c } else { '_' }).collect();
    if !fitting.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_') {
        fitting.insert(0, '_');
    }
    fitting
}
