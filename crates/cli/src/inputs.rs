//! Inputs of programs from files.

use crate::{
    failure::{Failure, Outcome},
    file_kind::FileKind,
};
use clap::Args;
use hloom_graph::{Shape, Spec};
use hloom_io::{Checkpoint, Unused, npy};
use hloom_runtime::{Buffer, CallProblem, ForeignExe, Input, Placement};
use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
};

/// The files of a program's inputs.
#[derive(Args)]
pub struct InputFiles {
    /// An input from an array (.npy), by its name or else the next one; or several by their names
    /// (.npz, .safetensors)
    #[arg(short, long = "input", value_name = "[NAME=]FILE")]
    inputs: Vec<String>,
    /// Inputs by their names from a file that may have others too (.npz, .safetensors)
    #[arg(short, long, value_name = "FILE")]
    weights: Vec<PathBuf>,
}

/// A tensor of a file, which is read later.
enum TensorSource {
    Npy(PathBuf),
    Npz(PathBuf, String),
    Tensor(Checkpoint, String),
}

/// A tensor for an input.
struct Tensor {
    shape: Shape,
    source: TensorSource,
}

impl InputFiles {
    /// The inputs of a program by name, in its order: those of files, on the program's devices.
    ///
    /// # Errors
    /// A file cannot be read; or all tensors that no input has, or of another shape, and, if all
    /// inputs are needed, those that are missing.
    pub fn load(&self, program: &ForeignExe, all_are_needed: bool) -> Outcome<Inputs> {
        let mut given = Assignment::new(program);
        for argument in &self.inputs {
            given.add_input(argument)?;
        }
        for path in &self.weights {
            given.add_weights(path)?;
        }
        given.load(program, all_are_needed)
    }
}

/// Buffers for inputs by name.
pub type Inputs = BTreeMap<String, Buffer>;

/// The assignment of tensors to inputs.
struct Assignment<'a> {
    inputs: Vec<&'a Input>,
    tensors: BTreeMap<String, Tensor>,
    /// Tensors without a name, for the remaining inputs, in order.
    unnamed: Vec<Tensor>,
    problems: Vec<CallProblem>,
}

impl<'a> Assignment<'a> {
    fn new(program: &'a ForeignExe) -> Assignment<'a> {
        Assignment {
            inputs: program.free_inputs().collect(),
            tensors: BTreeMap::new(),
            unnamed: Vec::new(),
            problems: Vec::new(),
        }
    }

    /// Adds the tensors of an argument, `NAME=FILE` or `FILE`.
    fn add_input(&mut self, argument: &str) -> Outcome {
        let (name, path) = match argument.split_once('=') {
            // An existing path that contains an equals sign is not a name with a path.
            Some((name, path)) if !Path::new(argument).exists() => (Some(name), Path::new(path)),
            _ => (None, Path::new(argument)),
        };
        let mut tensors = read(path)?;
        match name {
            Some(name) => match (tensors.remove(name), tensors.pop_first(), tensors.len()) {
                (Some(tensor), _, _) | (None, Some((_, tensor)), 0) => self.add(name, tensor),
                (None, first, others) => {
                    let found = others + usize::from(first.is_some());
                    let path = path.display();
                    return Err(Failure::new(format!(
                        "{path}: {found} tensors, none of them `{name}`"
                    )));
                }
            },
            None if is_numbered(&tensors) => {
                for i in 0..tensors.len() {
                    self.unnamed.extend(tensors.remove(&format!("arr_{i}")));
                }
            }
            None => {
                for (name, tensor) in tensors {
                    if name.is_empty() {
                        self.unnamed.push(tensor)
                    } else {
                        self.add(&name, tensor)
                    }
                }
            }
        }
        Ok(())
    }

    /// Adds the tensors of a file for the inputs of their names that have no tensor yet.
    fn add_weights(&mut self, path: &Path) -> Outcome {
        for (name, tensor) in read(path)? {
            let is_free = !self.tensors.contains_key(&name);
            if is_free && self.inputs.iter().any(|input| input.name == name) {
                self.tensors.insert(name, tensor);
            }
        }
        Ok(())
    }

    fn add(&mut self, name: &str, tensor: Tensor) {
        if self.tensors.insert(name.to_owned(), tensor).is_some() {
            self.problems.push(CallProblem::Duplicate(name.to_owned()));
        }
    }

    fn load(mut self, program: &ForeignExe, all_are_needed: bool) -> Outcome<Inputs> {
        self.place_unnamed();
        self.check(all_are_needed);
        if !self.problems.is_empty() {
            let problems: Vec<String> = self.problems.iter().map(CallProblem::to_string).collect();
            let name = program.name();
            return Err(Failure::new(format!(
                "`{name}` cannot be called with these inputs: {}",
                problems.join("; ")
            )));
        }
        let Assignment { inputs, mut tensors, .. } = self;
        let mut loaded = BTreeMap::new();
        for input in inputs {
            let Some(tensor) = tensors.remove(&input.name) else { continue };
            let to = match &input.sharding {
                Some(sharding) => Placement::from(sharding),
                None => Placement::from(program.platform()),
            };
            let buffer = tensor.source.load(to, tensor.shape)?;
            // The names of axes come from the program: arrays have none.
            loaded.insert(input.name.clone(), buffer.named(input.shape.axes())?);
        }
        Ok(loaded)
    }

    /// Gives each input without a tensor the next one without a name.
    fn place_unnamed(&mut self) {
        let given = self.unnamed.len();
        let mut unnamed = std::mem::take(&mut self.unnamed).into_iter();
        let free: Vec<&str> = self.inputs.iter().map(|input| &*input.name).collect();
        let free: Vec<&str> =
            free.into_iter().filter(|name| !self.tensors.contains_key(*name)).collect();
        for (name, tensor) in free.iter().zip(unnamed.by_ref()) {
            self.tensors.insert((*name).to_owned(), tensor);
        }
        if given > free.len() {
            self.problems.push(CallProblem::Count { expected: free.len(), found: given });
        }
    }

    /// Finds tensors that are missing, unknown or of another shape.
    fn check(&mut self, all_are_needed: bool) {
        for input in &self.inputs {
            match self.tensors.get(&input.name) {
                Some(tensor) if !tensor.shape.same_layout(&input.shape) => {
                    let (name, expected) = (input.name.clone(), input.shape);
                    self.problems.push(CallProblem::Shape { name, expected, found: tensor.shape });
                }
                None if all_are_needed => {
                    self.problems.push(CallProblem::Missing(input.name.clone()));
                }
                _ => {}
            }
        }
        let known: Vec<String> = self.inputs.iter().map(|input| input.name.clone()).collect();
        for name in self.tensors.keys().filter(|name| !known.contains(name)) {
            self.problems.push(CallProblem::Unknown { name: name.clone(), known: known.clone() });
        }
    }
}

/// The names that `numpy.savez` uses for arrays without a name.
fn is_numbered(tensors: &BTreeMap<String, Tensor>) -> bool {
    (0..tensors.len()).all(|i| tensors.contains_key(&format!("arr_{i}")))
}

/// The tensors of a file; the one of a .npy file has an empty name.
fn read(path: &Path) -> Outcome<BTreeMap<String, Tensor>> {
    let of = |shape, source| Tensor { shape, source };
    Ok(match FileKind::of(path)? {
        FileKind::Npy => {
            let shape = npy::shape(path)?;
            BTreeMap::from([(String::new(), of(shape, TensorSource::Npy(path.to_owned())))])
        }
        FileKind::Npz => {
            let shapes = npy::shapes(path)?.into_iter();
            let tensors = shapes.map(|(name, shape)| {
                (name.clone(), of(shape, TensorSource::Npz(path.to_owned(), name)))
            });
            tensors.collect()
        }
        FileKind::Checkpoint => {
            let checkpoint = Checkpoint::open(path)?;
            let tensors = checkpoint.names().filter_map(|name| {
                let (shape, name) = (checkpoint.get(name)?.shape(), name.to_owned());
                Some((name.clone(), of(shape, TensorSource::Tensor(checkpoint.clone(), name))))
            });
            tensors.collect()
        }
        _ => {
            let message = "not a tensor file (.npy, .npz, .safetensors)";
            return Err(Failure::new(format!("{}: {message}", path.display())));
        }
    })
}

impl TensorSource {
    fn load(self, to: Placement<'_>, shape: Shape) -> Outcome<Buffer> {
        Ok(match self {
            TensorSource::Npy(path) => npy::load(to, path)?,
            TensorSource::Npz(path, name) => npy::load_named(to, path, &name)?,
            TensorSource::Tensor(checkpoint, name) => {
                let spec = BTreeMap::from([(name.clone(), Spec::of(shape))]);
                let loader = checkpoint.root().loader().unused(Unused::Allowed);
                let loaded = loader.load(to, &spec)?.remove(&name);
                loaded.ok_or_else(|| Failure::new(format!("tensor `{name}` was not loaded")))?
            }
        })
    }
}
