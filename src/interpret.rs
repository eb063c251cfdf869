//! A second opinion on compiled programs: an interpreter of graphs, and the search for the smallest
//! program on which a plugin and the interpreter differ.

pub use hloom_interpret::{
    Array, BisectError, Bisector, Closeness, Compiled, DEFAULT_LIMIT, Difference, InterpretError,
    Interpreter, MAX_ELEMENTS, interpret, live_op_count,
};

use crate::{AnyExe, Argument, Buffer, Platform, Result, graph::Graph};

/// The smallest program found on which the results of a platform and of the interpreter differ, by
/// removing ops and outputs of a graph for one device; `None` if they agree on the whole graph.
///
/// ```no_run
/// use hloom::{graph::TraceScope, interpret::{Array, bisect}, prelude::*};
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let platform = Platform::cpu()?;
/// let trace = TraceScope::begin("suspect");
/// let x = trace.parameter("x", &Spec::f32([("t", 6)]), false);
/// let graph = trace.finish(vec![("y".into(), (x * x).cumsum("t").tanh())])?;
/// let x = Array::new(Shape::new(DType::F32, [6])?, &[1f32, 2.0, 3.0, 4.0, 5.0, 6.0])?;
/// if let Some(difference) = bisect(&platform, &graph, &[x])? {
///     println!("{difference:?}");
/// }
/// # Ok(())
/// # }
/// ```
///
/// # Errors
/// The interpreter or the plugin refuses the whole graph.
pub fn bisect(
    platform: &Platform,
    graph: &Graph,
    inputs: &[Array],
) -> Result<Option<Difference>, BisectError> {
    Bisector::new().run(graph, inputs, &mut |graph, inputs| {
        let exe = platform.compile_graph(graph);
        exe.and_then(|exe| call(platform, &exe, inputs)).map_err(|error| error.to_string())
    })
}

/// Runs a program on tensors of the interpreter.
///
/// # Errors
/// The inputs do not match the program, or the plugin's error.
pub fn call(platform: &Platform, exe: &AnyExe, inputs: &[Array]) -> Result<Vec<Array>> {
    let buffer = |x: &Array| Buffer::from_bytes(platform, x.shape(), &x.to_bytes());
    let buffers = inputs.iter().map(buffer).collect::<Result<Vec<Buffer>>>()?;
    let results = exe.call(buffers.into_iter().map(Argument::Donated).collect())?;
    let array = |x: &Buffer| {
        let array = Array::from_bytes(x.shape(), &x.to_bytes()?);
        array.map_err(|error| crate::Error::Above(Box::new(error)))
    };
    results.iter().map(array).collect()
}

#[cfg(feature = "npy")]
mod report {
    use super::Difference;
    use crate::{Buffer, DType, Error, Platform, Result, io};
    use std::{fmt::Write as _, fs, path::Path};

    /// Writes a difference into a folder: the graph as `graph.txt`, the StableHLO module that the
    /// platform compiles as `program.mlir`, the inputs as `inputs.npz`, the results of both as
    /// `results.txt`, and `main.rs`, a program that loads and runs them.
    ///
    /// # Errors
    /// The plugin's error, or a file cannot be written.
    pub fn write(
        platform: &Platform,
        difference: &Difference,
        folder: impl AsRef<Path>,
    ) -> Result<()> {
        let folder = folder.as_ref();
        let compiled = folder.join("compiled");
        platform.compiler().dump(&compiled).compile_graph(&difference.graph)?;
        let module = module(&compiled)?;
        let parameters = difference.graph.parameters().iter().map(|parameter| &parameter.name);
        let inputs = difference.inputs.iter().zip(parameters).map(|(x, name)| {
            let shape = x.shape().with_dtype(stored(x.shape().dtype()));
            Ok((name, Buffer::from_bytes(platform, shape, &x.to_bytes())?))
        });
        let inputs = inputs.collect::<Result<Vec<_>>>()?;
        let named = inputs.iter().map(|(name, buffer)| (member(name), buffer));
        io::npy::save_all(folder.join("inputs.npz"), named)?;
        let Difference { graph, expected, found, .. } = difference;
        let results = format!("interpreter: {expected:?}\ncompiled: {found:?}\n");
        for (name, text) in [
            ("graph.txt", format!("{graph}")),
            ("program.mlir", module),
            ("results.txt", results),
            ("main.rs", program(difference)),
        ] {
            let path = folder.join(name);
            fs::write(&path, text).map_err(|source| Error::Dump { path, source })?;
        }
        Ok(())
    }

    /// The StableHLO module in a folder of a dump.
    fn module(folder: &Path) -> Result<String> {
        let failed = |source| Error::Dump { path: folder.into(), source };
        for entry in fs::read_dir(folder).map_err(failed)? {
            let path = entry.map_err(failed)?.path();
            if path.to_string_lossy().ends_with(".stablehlo.mlir") {
                return fs::read_to_string(path).map_err(failed);
            }
        }
        Err(failed(std::io::ErrorKind::NotFound.into()))
    }

    /// The type in which NumPy's files hold the bits of a type.
    fn stored(dtype: DType) -> DType {
        match dtype {
            DType::BF16 => DType::U16,
            dtype if dtype.bits() <= 8 && dtype.is_float() => DType::U8,
            DType::I2 | DType::I4 | DType::U2 | DType::U4 => DType::U8,
            dtype => dtype,
        }
    }

    /// The name of a parameter as that of a file in an archive.
    fn member(name: &str) -> String {
        name.chars()
            .map(|c| if c.is_alphanumeric() || "._-".contains(c) { c } else { '_' })
            .collect()
    }

    /// A program that runs the module on the inputs.
    fn program(difference: &Difference) -> String {
        let mut inputs = String::new();
        for (parameter, input) in difference.graph.parameters().iter().zip(&difference.inputs) {
            let (dtype, sizes) = (input.shape().dtype(), input.shape().sizes().to_vec());
            let name = member(&parameter.name);
            let _ = writeln!(inputs, "        input({name:?}, DType::{dtype:?}, &{sizes:?})?,");
        }
        format!(
            r#"use hloom::{{StableHlo, io::npy, prelude::*}};

fn main() -> Result<(), Box<dyn std::error::Error>> {{
    let platform = Platform::cpu()?;
    let stored = npy::load_all(&platform, "inputs.npz")?;
    let input = |name: &str, dtype: DType, sizes: &[usize]| {{
        // Types that NumPy lacks are stored as integers of their bits.
        Buffer::from_bytes(&platform, Shape::new(dtype, sizes)?, &stored[name].to_bytes()?)
    }};
    let inputs: Vec<Buffer> = vec![
{inputs}    ];
    let exe = platform.load_stablehlo(&StableHlo::read("program.mlir")?)?;
    for result in exe.call(inputs.iter().map(Argument::Borrowed).collect())? {{
        println!("{{result}}");
    }}
    Ok(())
}}
"#
        )
    }
}
#[cfg(feature = "npy")]
pub use report::write;
