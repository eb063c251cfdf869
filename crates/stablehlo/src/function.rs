//! The `main` function: its arguments, results and attributes.

#[cfg(feature = "mlir")]
use crate::emit::mlir::MlirEmitter;
use crate::{
    Context, LowerError, Module, Partitioner,
    attribute::Attribute,
    emit::{Emitter, Location, Region, text::TextEmitter},
    lowering::Lowering,
    ops,
    types::Type,
};
use hloom_graph::{BriefShapes, Graph, ResolvedSharding, Shape, ValueId};
use std::borrow::Cow;

/// Options of lowering.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct LowerOptions {
    /// Whether ops carry the user source lines that created them.
    pub locations: bool,
    /// The number of replicas of the program, each with its own data.
    pub replicas: u32,
    /// The number of devices that share the work of one replica; the size of the graph's mesh, if
    /// it has one.
    pub partitions: u32,
    /// The partitioner whose attributes hold the shardings of values.
    pub partitioner: Partitioner,
    /// Whether composites are emitted as `stablehlo.composite`, so that passes of the plugin's
    /// compiler can match them by name. Otherwise, and over a mesh, their bodies are inlined.
    pub composites: bool,
    /// The form of the module.
    pub form: ModuleForm,
}

/// The form of a module. Plugins accept both forms, and both are the same module.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum ModuleForm {
    /// In MLIR's memory: its structure is verified, and plugins get bytecode.
    #[cfg(feature = "mlir")]
    #[default]
    Mlir,
    /// As text, without MLIR: only the plugin verifies it.
    #[cfg_attr(not(feature = "mlir"), default)]
    Text,
}

impl Default for LowerOptions {
    fn default() -> LowerOptions {
        LowerOptions {
            locations: true,
            replicas: 1,
            partitions: 1,
            partitioner: Partitioner::Shardy,
            composites: false,
            form: ModuleForm::default(),
        }
    }
}

/// Lowers a graph to a module with one public function, `main`.
///
/// Arguments and results carry their tree paths as `jax.arg_info` and `jax.result_info`. A donated
/// argument is aliased with the first result that reuses it by `tf.aliasing_output`; without such a
/// result it is a `jax.buffer_donor`.
///
/// # Errors
/// MLIR's diagnostics, with the lines of the user's source, if the module's structure is invalid. A
/// module built as text is not verified.
pub fn lower<'c>(
    context: &'c Context,
    graph: &Graph,
    options: &LowerOptions,
) -> Result<Module<'c>, LowerError> {
    let inputs = graph.parameters().iter().map(|parameter| parameter.spec.shape());
    let outputs = graph.root().results.iter().map(|&value| graph.shape(value));
    let _entered = tracing::debug_span!(
        "lower",
        name = graph.name(),
        nodes = graph.node_count(),
        inputs = %BriefShapes(inputs),
        outputs = %BriefShapes(outputs),
    )
    .entered();
    let name = module_name(graph.name());
    let graph = &*graph.expand().map_err(|error| LowerError::of_trace(&name, &error))?;
    let partitions = graph.mesh().map_or(options.partitions, |mesh| mesh.device_count() as u32);
    let attributes = [
        ("sym_name", Attribute::string(name.clone())),
        ("mhlo.num_partitions", Attribute::i32(partitions)),
        ("mhlo.num_replicas", Attribute::i32(options.replicas)),
    ];
    match options.form {
        #[cfg(feature = "mlir")]
        ModuleForm::Mlir => {
            let mut emitter = MlirEmitter::new(&context.0);
            let body = module_body(&mut emitter, graph, options);
            let module = Module::in_memory(context, emitter.finish(&attributes, body), name);
            module.verify()?;
            Ok(module)
        }
        ModuleForm::Text => {
            let mut emitter = TextEmitter::new();
            let body = module_body(&mut emitter, graph, options);
            Ok(Module::as_text(context, emitter.finish(&attributes, body), name))
        }
    }
}

fn module_body(emitter: &mut dyn Emitter, graph: &Graph, options: &LowerOptions) -> Region {
    emitter.begin_region(&[]);
    let mut lowering = Lowering::new(emitter, graph, options);
    lowering.mesh_operation();
    ops::decompositions(&mut lowering);
    let body = function_body(&mut lowering, graph, options);
    let attributes = [
        ("sym_name", Attribute::string("main")),
        ("sym_visibility", Attribute::string("public")),
        ("function_type", function_type(graph)),
        ("arg_attrs", argument_attributes(graph, options)),
        ("res_attrs", result_attributes(graph, options)),
    ];
    lowering.operation("func.func", &[], &[], &attributes, vec![body]);
    emitter.end_region()
}

fn function_body(lowering: &mut Lowering<'_>, graph: &Graph, options: &LowerOptions) -> Region {
    let root = graph.root();
    let arguments: Vec<(Type, Location<'_>)> = passed_arguments(graph)
        .zip(&root.parameters)
        .zip(graph.parameters())
        .map(|((passed, &value), parameter)| {
            let line = graph.node(graph.value(value).node).location;
            let location =
                Location { name: &parameter.name, line: options.locations.then_some(line) };
            (passed.into(), location)
        })
        .collect();
    lowering.located_region("func.return", &arguments, |lowering, arguments| {
        let arguments: Vec<_> = arguments
            .iter()
            .zip(&root.parameters)
            .zip(passed_arguments(graph))
            .map(|((&argument, &value), passed)| {
                ops::without_padding(lowering, argument, &passed, &graph.shape(value))
            })
            .collect();
        let mut results = lowering.body(Graph::ROOT, &arguments);
        lowering.line = None;
        for ((result, &value), passed) in
            results.iter_mut().zip(&root.results).zip(passed_results(graph))
        {
            *result = ops::with_padding(lowering, *result, &graph.shape(value), &passed);
        }
        results
    })
}

fn function_type(graph: &Graph) -> Attribute<'static> {
    Attribute::Function {
        inputs: passed_arguments(graph).map(Type::from).collect(),
        results: passed_results(graph).map(Type::from).collect(),
    }
}

fn passed_arguments(graph: &Graph) -> impl Iterator<Item = Shape> {
    let parameters = graph.root().parameters.iter().zip(graph.parameters());
    parameters.map(|(&value, parameter)| passed_shape(graph, value, parameter.sharding))
}

fn passed_results(graph: &Graph) -> impl Iterator<Item = Shape> {
    let results = graph.root().results.iter().enumerate();
    results.map(|(position, &value)| passed_shape(graph, value, graph.result_sharding(position)))
}

/// The shape in which a value is passed. Padded parts are passed with their padding, since the
/// compiler cannot split arguments or results unevenly.
fn passed_shape(graph: &Graph, value: ValueId, sharding: Option<ResolvedSharding>) -> Shape {
    match (graph.mesh(), sharding) {
        (Some(mesh), Some(sharding)) => sharding.padded(&graph.shape(value), &mesh),
        _ => graph.shape(value),
    }
}

fn argument_attributes<'a>(graph: &'a Graph, options: &LowerOptions) -> Attribute<'a> {
    let mut taken_over_by = vec![None; graph.parameters().len()];
    for (position, result) in graph.results().iter().enumerate().rev() {
        if let Some(parameter) = result.reuses {
            taken_over_by[parameter] = Some(position);
        }
    }
    let attributes = graph.parameters().iter().enumerate().map(|(position, parameter)| {
        let mut all = named("jax.arg_info", &parameter.name);
        match taken_over_by[position] {
            Some(result) => all.push(("tf.aliasing_output".into(), Attribute::i32(result as u32))),
            None if parameter.donated => {
                all.push(("jax.buffer_donor".into(), Attribute::Bool(true)))
            }
            None => {}
        }
        all.extend(sharding(graph, parameter.sharding, options));
        Attribute::Dictionary(all)
    });
    Attribute::Array(attributes.collect())
}

fn result_attributes<'a>(graph: &'a Graph, options: &LowerOptions) -> Attribute<'a> {
    let attributes = graph.results().iter().enumerate().map(|(position, result)| {
        let mut all = named("jax.result_info", &result.name);
        all.extend(sharding(graph, graph.result_sharding(position), options));
        Attribute::Dictionary(all)
    });
    Attribute::Array(attributes.collect())
}

type Named<'a> = (Cow<'a, str>, Attribute<'a>);

/// The tree path of an argument or a result, if it has one.
fn named<'a>(attribute: &'a str, name: &'a str) -> Vec<Named<'a>> {
    let mut all = Vec::with_capacity(2);
    if !name.is_empty() {
        all.push((attribute.into(), Attribute::string(name)));
    }
    all
}

/// The sharding of an argument or a result, if known.
fn sharding(
    graph: &Graph,
    sharding: Option<ResolvedSharding>,
    options: &LowerOptions,
) -> Option<Named<'static>> {
    let (name, attribute) = options.partitioner.attribute(&sharding?, &graph.mesh()?)?;
    Some((name.into(), attribute))
}

/// A name that all tools accept.
fn module_name(name: &str) -> String {
    let fits = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.');
    let mut fitting: String = name.chars().map(|c| if fits(c) { c } else { '_' }).collect();
    if !fitting.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_') {
        fitting.insert(0, '_');
    }
    fitting
}
