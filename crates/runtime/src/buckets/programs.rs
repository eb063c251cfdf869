//! The programs of a function, one for each bucket.

use super::plan::{self, Plan, Sample};
use crate::{
    Buffer, Compiler, Error, Exe, Placement, Platform, Result, ResultTree, Signature,
    compile::Settings,
    function::Traced,
    jit::{Cache, Failure},
};
use hloom_graph::TraceError;
use std::{
    collections::BTreeMap,
    panic::Location,
    sync::{
        Mutex, PoisonError,
        atomic::{AtomicU64, Ordering::Relaxed},
    },
    time::{Duration, Instant},
};

/// The programs of a function, compiled on first use. Threads that need the same one wait until
/// one of them has compiled it.
pub(super) struct Programs<R: ResultTree, const N: usize> {
    pub plan: Plan<N>,
    pub name: String,
    pub location: &'static Location<'static>,
    target: Target,
    trace: Box<Trace<R, N>>,
    cache: Cache<[usize; N], Exe<(), R>>,
    counters: Counters,
}

/// The devices that the programs are compiled for, and the options of compilation.
pub(super) struct Target {
    pub platform: Platform,
    pub settings: Settings,
}

/// Traces the function for a bucket.
pub(super) type Trace<R, const N: usize> =
    dyn Fn([usize; N]) -> Result<Traced<<R as ResultTree>::Structure>> + Send + Sync;

#[derive(Default)]
struct Counters {
    hits: AtomicU64,
    misses: AtomicU64,
    compile_nanos: AtomicU64,
}

/// The buffers of bound arguments, and the programs that they are bound to so far.
pub(super) struct Bound<R: ResultTree, const N: usize> {
    pub buffers: Vec<Buffer>,
    exes: Mutex<BTreeMap<[usize; N], Exe<(), R>>>,
}

impl<R: ResultTree, const N: usize> Programs<R, N> {
    pub fn new(
        target: Target,
        name: String,
        location: &'static Location<'static>,
        plan: Plan<N>,
        trace: Box<Trace<R, N>>,
    ) -> Programs<R, N> {
        let (cache, counters) = (Cache::new(usize::MAX), Counters::default());
        Programs { plan, name, location, target, trace, cache, counters }
    }

    /// The placement of the lengths.
    pub fn placement(&self) -> Placement<'_> {
        let Target { platform, settings } = &self.target;
        settings.platform_mesh().map_or(platform.into(), Placement::Mesh)
    }

    /// The program of a bucket, compiled if it is not yet. If `counts`, the request comes from a
    /// call and counts as a hit or a miss.
    pub fn get(&self, bucket: [usize; N], counts: bool) -> Result<Exe<(), R>> {
        let hash = bucket.iter().fold(0u64, |hash, &size| hash << 32 ^ size as u64);
        let entry = self.cache.entry(hash, &[], |key| *key == bucket, || bucket);
        let counters = &self.counters;
        let compiled = entry.get();
        if counts {
            let counter = if compiled.is_some() { &counters.hits } else { &counters.misses };
            counter.fetch_add(1, Relaxed);
        }
        if let Some(exe) = compiled {
            return Ok(exe.clone());
        }
        let exe = entry.get_or_compile(|| {
            let start = Instant::now();
            let exe = self.compile(bucket);
            let nanos = u64::try_from(start.elapsed().as_nanos()).unwrap_or(u64::MAX);
            counters.compile_nanos.fetch_add(nanos, Relaxed);
            exe
        });
        exe.cloned().map_err(|failure| self.error(failure))
    }

    fn compile(&self, bucket: [usize; N]) -> Result<Exe<(), R>> {
        let Traced { graph, structure, arguments: kept } = (self.trace)(bucket)?;
        self.plan.check(&Sample { sizes: bucket, signature: Signature::of(&graph) })?;
        let Target { platform, settings } = &self.target;
        let compiler = Compiler { on: platform, settings: settings.clone() };
        let any = compiler.compile_graph(&graph)?;
        Ok(Exe::new(any, structure, kept))
    }

    #[cold]
    fn error(&self, failure: Failure) -> Error {
        let calls_itself = || -> TraceError {
            let message = format!("`{}` calls itself while it is traced", self.name);
            plan::error(message, Vec::new(), self.location)
        };
        match failure {
            Failure::Compile(error) => error,
            Failure::Recursion => calls_itself().into(),
        }
    }

    pub fn is_compiled(&self, bucket: [usize; N]) -> bool {
        self.compiled().binary_search(&bucket).is_ok()
    }

    /// The buckets with a program, in increasing order.
    pub fn compiled(&self) -> Vec<[usize; N]> {
        let mut compiled = self.cache.keys();
        compiled.sort_unstable();
        compiled
    }

    /// The numbers of hits and misses, and the time spent compiling.
    pub fn counts(&self) -> (u64, u64, Duration) {
        let Counters { hits, misses, compile_nanos } = &self.counters;
        let time = Duration::from_nanos(compile_nanos.load(Relaxed));
        (hits.load(Relaxed), misses.load(Relaxed), time)
    }
}

impl<R: ResultTree, const N: usize> Bound<R, N> {
    pub fn new(buffers: Vec<Buffer>) -> Bound<R, N> {
        Bound { buffers, exes: Mutex::default() }
    }

    /// The program of a bucket, bound to the buffers.
    pub fn get(&self, bucket: [usize; N], exe: Exe<(), R>) -> Result<Exe<(), R>> {
        if self.buffers.is_empty() {
            return Ok(exe);
        }
        let mut exes = self.exes.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(bound) = exes.get(&bucket) {
            return Ok(bound.clone());
        }
        let bound = exe.bind_visited(|each| self.buffers.iter().for_each(each))?;
        Ok(exes.entry(bucket).or_insert(bound).clone())
    }
}
