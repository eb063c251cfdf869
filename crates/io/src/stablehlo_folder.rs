//! Programs that `torch_xla.stablehlo` wrote: a folder with StableHLO and weights.

use crate::{Error, Result, npy, open_file};
use hloom_files::file_kind;
use hloom_runtime::{AnyExe, BindNamed, Buffer, Placement, Platform, StableHlo};
use serde::Deserialize;
use serde_json::Value;
use std::path::{Component, Path, PathBuf};

/// The size limit of a program or its description, in bytes.
const MAX_FILE: u64 = 4 << 30;

/// The limit on the total bytes of all output names.
const MAX_NAMES: usize = 1 << 24;

/// A program with its weights, as `torch_xla.stablehlo.exported_program_to_stablehlo(..).save(..)`
/// wrote it: a folder with `functions/forward.meta`, `functions/forward.bytecode` and `data`.
///
/// ```no_run
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let platform = hloom_runtime::Platform::cpu()?;
/// let folder = hloom_io::StableHloFolder::read("exported")?;
/// // SAFETY: the folder is this project's own export.
/// let model = unsafe { folder.load_trusted(&platform)? };
/// let x = model.zeros_for("arg0")?;
/// # Ok(()) }
/// ```
#[derive(Debug)]
pub struct StableHloFolder {
    program: StableHlo,
    /// The inputs that are weights, with their files.
    weights: Vec<(String, PathBuf)>,
}

/// The fields of a function's description that are used.
#[derive(Deserialize)]
struct Meta {
    name: String,
    input_locations: Vec<Location>,
    #[serde(default)]
    output_pytree_spec: Option<String>,
}

/// The source of an input's value.
#[derive(Deserialize)]
struct Location {
    #[serde(rename = "type_")]
    kind: ArgumentKind,
    position: i64,
    name: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "snake_case")]
enum ArgumentKind {
    InputArg,
    Parameter,
    Constant,
}

impl StableHloFolder {
    /// Reads the program; the weights are read when it is loaded. Arguments are called `arg0`,
    /// `arg1`..., weights as in PyTorch, results by their keys.
    ///
    /// # Errors
    /// A file cannot be read or is not of the format, or the folder has several functions.
    pub fn read(folder: impl AsRef<Path>) -> Result<StableHloFolder> {
        let folder = folder.as_ref();
        let meta_path = only_function(folder)?;
        let read = |path: &Path| {
            open_file::read_regular(path, MAX_FILE)
                .map_err(|source| Error::Read { path: path.into(), source })
        };
        let invalid = |message: String| Error::Folder { folder: folder.into(), message };
        let described = read(&meta_path)?;
        let meta: Meta = serde_json::from_slice(&described).map_err(|error| {
            let kind = file_kind(&described).map(|kind| format!("not JSON, but {kind}"));
            let problem = kind.unwrap_or_else(|| error.to_string());
            invalid(format!("{}: {problem}", meta_path.display()))
        })?;
        let mut code_path = meta_path.with_extension("bytecode");
        if !code_path.exists() {
            code_path.set_extension("mlir");
        }
        let program = StableHlo::from_bytes(&read(&code_path)?)
            .map_err(|error| invalid(format!("{}: {error}", code_path.display())))?;
        let (mut names, mut weights) = (Vec::new(), Vec::new());
        for location in meta.input_locations {
            let (name, file) = match location.kind {
                ArgumentKind::InputArg => (format!("arg{}", location.position), None),
                ArgumentKind::Parameter => (location.name.clone(), Some(folder.join("data"))),
                ArgumentKind::Constant => {
                    (format!("constant{}", location.position), Some(folder.join("constants")))
                }
            };
            if let Some(parent) = file {
                let file = match location.kind {
                    ArgumentKind::Constant => location.position.to_string(),
                    _ => location.name,
                };
                // The name must not refer to a file outside of the folder.
                let mut parts = Path::new(&file).components();
                let (Some(Component::Normal(_)), None) = (parts.next(), parts.next()) else {
                    return Err(invalid(format!("`{file}` is not the name of a weight")));
                };
                weights.push((name.clone(), parent.join(file)));
            }
            names.push(Some(name));
        }
        let mut outputs = Vec::new();
        let spec = meta.output_pytree_spec.as_deref().map(serde_json::from_str::<Value>);
        if let Some(Ok(spec)) = spec {
            let mut keys = Vec::new();
            let mut left = MAX_NAMES;
            leaves(spec.get(1).unwrap_or(&Value::Null), &mut keys, &mut outputs, &mut left)
                .ok_or_else(|| {
                    invalid(format!("the names of its outputs take more than {MAX_NAMES} bytes"))
                })?;
        }
        let program = program
            .with_name(meta.name)
            .with_input_names(names)
            .with_output_names(outputs.into_iter().map(Some));
        Ok(StableHloFolder { program, weights })
    }

    /// The program, whose first inputs are usually weights.
    pub fn program(&self) -> &StableHlo {
        &self.program
    }

    /// The names of the inputs that are weights, with their files.
    pub fn weights(&self) -> impl Iterator<Item = (&str, &Path)> {
        self.weights.iter().map(|(name, file)| (name.as_str(), file.as_path()))
    }

    /// Compiles the program in a sandbox, and binds its weights.
    ///
    /// # Errors
    /// As for [`Platform::load_stablehlo`]; or a weight cannot be read, or has another shape.
    #[cfg(feature = "sandbox")]
    pub fn load(&self, platform: &Platform) -> Result<hloom_runtime::ForeignExe> {
        self.bind(platform.load_stablehlo(&self.program)?)
    }

    /// Compiles the program in this process, and binds its weights.
    ///
    /// # Errors
    /// As for [`Platform::load_stablehlo_trusted`]; or a weight cannot be read, or has another
    /// shape.
    ///
    /// # Safety
    /// As for [`Platform::load_stablehlo_trusted`].
    #[expect(unsafe_code, reason = "the caller vouches for the program")]
    pub unsafe fn load_trusted(&self, platform: &Platform) -> Result<AnyExe> {
        // SAFETY: the caller vouches for the program.
        self.bind(unsafe { platform.load_stablehlo_trusted(&self.program)? })
    }

    /// Binds the weights to the [program](Self::program), which the caller compiled.
    ///
    /// # Errors
    /// A weight cannot be read, or has another shape.
    pub fn bind<P: BindNamed>(&self, exe: P) -> Result<P> {
        let weights = self.weights.iter().map(|(name, file)| {
            let input = exe.signature().input(name).map(|i| &exe.signature().inputs[i]);
            let to = match input.and_then(|input| input.sharding.as_ref()) {
                Some(sharding) => Placement::from(sharding),
                None => Placement::from(exe.platform()),
            };
            Ok((name.as_str(), npy::load(to, file)?))
        });
        let weights: Vec<(&str, Buffer)> = weights.collect::<Result<_>>()?;
        let weights: Vec<_> = weights.iter().map(|(name, buffer)| (*name, buffer)).collect();
        Ok(exe.bind_named(&weights)?)
    }
}

/// The description of the only function in a folder.
fn only_function(folder: &Path) -> Result<PathBuf> {
    let functions = folder.join("functions");
    let listed = std::fs::read_dir(&functions)
        .map_err(|source| Error::Read { path: functions.clone(), source })?;
    let paths = listed.filter_map(|entry| Some(entry.ok()?.path()));
    let metas: Vec<_> =
        paths.filter(|path| path.extension().is_some_and(|ext| ext == "meta")).collect();
    match <[PathBuf; 1]>::try_from(metas) {
        Ok([meta]) => Ok(meta),
        Err(found) => {
            let message = format!("one function is expected, {} are found", found.len());
            Err(Error::Folder { folder: folder.into(), message })
        }
    }
}

/// The paths of the leaves of a tree as PyTorch describes it; `None` if they take more than `left`
/// bytes: many paths may contain one long key. The depth of the tree is that of its JSON, which is
/// limited.
fn leaves(
    node: &Value,
    keys: &mut Vec<String>,
    found: &mut Vec<String>,
    left: &mut usize,
) -> Option<()> {
    if node.get("type").is_none_or(Value::is_null) {
        let length: usize = keys.iter().map(String::len).sum();
        *left = left.checked_sub(length + keys.len() + 1)?;
        let path = keys.join(".");
        found.push(if path.is_empty() { "result".into() } else { path });
        return Some(());
    }
    // The keys of a dictionary are a string that contains JSON.
    let context = node.get("context").and_then(Value::as_str);
    let names: Option<Vec<String>> = context.and_then(|text| serde_json::from_str(text).ok());
    let children = node.get("children_spec").and_then(Value::as_array);
    for (i, child) in children.into_iter().flatten().enumerate() {
        let name = names.as_ref().and_then(|names| names.get(i).cloned());
        keys.push(name.unwrap_or_else(|| i.to_string()));
        leaves(child, keys, found, left)?;
        keys.pop();
    }
    Some(())
}
