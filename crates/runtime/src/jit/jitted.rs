//! Jitted functions.

use super::{
    JitArguments, JitFunction, JitParameters,
    cache::{Cache, Failure},
};
use crate::{
    Compiler, Error, Exe, Mesh, Platform, Result, ResultTree,
    compile::repeated::{REPEATED, never_hits},
    function::{function_name, trace_at},
};
use hloom_graph::TraceError;
use rustc_hash::FxHasher;
use std::{
    fmt,
    hash::{Hash, Hasher},
    panic::Location,
    sync::atomic::{AtomicU64, Ordering::Relaxed},
};

/// A function that is compiled when it is called: once for each set of shapes, element types, axis
/// names and shardings, structures of the argument trees, values of their fields without tensors,
/// and donated arguments. Later calls use the executable again.
///
/// An argument is borrowed, or donated by the call that passes it as
/// [`Donated`](crate::Donated).
///
/// ```no_run
/// # use hloom_runtime::*; use hloom_graph::*;
/// # fn main() -> Result<()> {
/// let platform = Platform::cpu()?;
/// let scale = platform.jit(|x: Tensor, factor: Tensor| (x * factor).reuse(x));
/// let factor = Buffer::from_slice(&platform, &[2f32], [1])?;
/// let x = Buffer::from_slice(&platform, &[1f32, 2.0, 3.0], [3])?;
/// let x = scale.call((Donated(x), &factor))?; // the result takes over the memory of `x`
/// let x = scale.call((Donated(x), &factor))?;
/// assert_eq!(x.to_vec::<f32>()?, [4.0, 8.0, 12.0]);
/// assert_eq!((scale.compilations(), scale.hits()), (1, 1));
/// # Ok(()) }
/// ```
///
/// Several threads may call it at the same time. Those that need one executable wait until one of
/// them has compiled it; the others go on. An error is returned by the call and not kept: the next
/// call compiles again.
///
/// Where each of the first five calls compiles, the log has one warning.
///
/// The executables stay until it is dropped, unless [`with_capacity`](Self::with_capacity) limits
/// them. Numbers in fields are compared by their bits, NaN equals NaN; other types by `==`.
pub struct Jit<T: JitParameters, R: ResultTree> {
    platform: Platform,
    mesh: Option<Mesh>,
    name: String,
    location: &'static Location<'static>,
    function: Box<dyn Fn(T) -> R + Send + Sync>,
    cache: Cache<T::Key, Exe<T::Specs, R>>,
    compilations: AtomicU64,
    hits: AtomicU64,
}

impl Platform {
    /// Makes a function that is compiled for this platform when it is called: see [`Jit`].
    #[track_caller]
    pub fn jit<T, F, Passing>(&self, function: F) -> Jit<T, F::Output>
    where
        T: JitParameters,
        F: JitFunction<T, Passing> + Send + Sync + 'static,
        F::Output: ResultTree,
    {
        Jit::new(self.clone(), None, function)
    }
}

impl Mesh {
    /// Makes a function that is compiled for the devices of this mesh when it is called: see
    /// [`Jit`]. Each argument is sharded as the buffers of the call are; results follow their
    /// constraints, or else the compiler's choice.
    #[track_caller]
    pub fn jit<T, F, Passing>(&self, function: F) -> Jit<T, F::Output>
    where
        T: JitParameters,
        F: JitFunction<T, Passing> + Send + Sync + 'static,
        F::Output: ResultTree,
    {
        Jit::new(self.platform().clone(), Some(self.clone()), function)
    }
}

impl<T: JitParameters, R: ResultTree> Jit<T, R> {
    #[track_caller]
    fn new<F, Passing>(platform: Platform, mesh: Option<Mesh>, function: F) -> Jit<T, R>
    where
        F: JitFunction<T, Passing, Output = R> + Send + Sync + 'static,
    {
        Jit {
            platform,
            mesh,
            name: function_name::<F>(),
            location: Location::caller(),
            function: Box::new(move |parameters| function.run(parameters)),
            cache: Cache::new(usize::MAX),
            compilations: AtomicU64::new(0),
            hits: AtomicU64::new(0),
        }
    }

    /// Keeps at most this many executables, and at least one: a compilation beyond them removes
    /// the executable that was called longest ago.
    pub fn with_capacity(self, capacity: usize) -> Jit<T, R> {
        Jit { cache: self.cache.with_capacity(capacity), ..self }
    }

    /// Runs the function, after compiling it if no earlier call had such arguments. It returns as
    /// soon as the work is queued; the result's buffers are futures.
    ///
    /// # Errors
    /// As [`Platform::compile`] and [`Exe::call`].
    pub fn call<A: JitArguments<T>>(&self, arguments: A) -> Result<R::Buffers> {
        let mut hasher = FxHasher::default();
        arguments.visit(&mut |buffer| buffer.shape().hash(&mut hasher));
        let entry = self.cache.entry(
            hasher.finish(),
            A::DONATED,
            |key| arguments.has_key(key),
            || arguments.key(),
        );
        if let Some(exe) = entry.get() {
            self.hits.fetch_add(1, Relaxed);
            return exe.call_with(|each| arguments.visit(each));
        }
        let mut compiled = false;
        let exe = entry.get_or_compile(|| {
            compiled = true;
            self.compilations.fetch_add(1, Relaxed);
            self.compile_for(A::DONATED, T::specs(arguments.key()))
        });
        let exe = exe.map_err(|failure| self.error(failure))?;
        if !compiled {
            self.hits.fetch_add(1, Relaxed);
        } else if self.compilations() >= REPEATED && self.hits() == 0 {
            never_hits(&self.name, self.location);
        }
        exe.call_with(|each| arguments.visit(each))
    }

    fn compile_for(&self, donated: &[bool], specs: T::Specs) -> Result<Exe<T::Specs, R>> {
        let mesh = self.mesh.as_ref();
        let is_donated = |position: usize, _| donated.get(position).copied().unwrap_or(false);
        let (name, run) = (&self.name, |parameters| (self.function)(parameters));
        let traced =
            trace_at(self.location, name, &[], mesh.map(Mesh::shape), specs, is_donated, run)?;
        let compiler: Compiler<'_> = match mesh {
            Some(mesh) => mesh.compiler(),
            None => self.platform.compiler(),
        };
        let any = compiler.compile_graph(&traced.graph)?;
        Ok(Exe::new(any, traced.structure, traced.arguments))
    }

    #[cold]
    fn error(&self, failure: Failure) -> Error {
        match failure {
            Failure::Compile(error) => error,
            Failure::Recursion => {
                let message = format!("`{}` calls itself while it is traced", self.name);
                Error::Trace(TraceError::new("jit", message, self.location))
            }
        }
    }

    /// The number of calls that found an executable.
    pub fn hits(&self) -> u64 {
        self.hits.load(Relaxed)
    }

    /// The number of compilations, with those that failed.
    #[doc(alias = "misses")]
    pub fn compilations(&self) -> u64 {
        self.compilations.load(Relaxed)
    }

    /// The number of executables kept.
    pub fn len(&self) -> usize {
        self.cache.len()
    }

    /// Whether no executable is kept.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Releases the executables; calls in flight keep theirs. The counters stay.
    pub fn clear(&self) {
        self.cache.clear();
    }
}

impl<T: JitParameters, R: ResultTree> fmt::Debug for Jit<T, R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Jit")
            .field("name", &self.name)
            .field("executables", &self.len())
            .field("compilations", &self.compilations())
            .field("hits", &self.hits())
            .finish()
    }
}
