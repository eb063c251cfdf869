//! Schedules: the program of some tensors, to be inspected and run again.

use crate::{
    Lazy,
    job::{Job, Parameter, ParameterSource, Stop, Walk, check_platforms},
    number::Number,
    place::LazyPlatform,
    realize::{buffers, realize_all},
    waits::{selecting, wait},
};
use hloom_graph::{Graph, Shape};
use hloom_runtime::{AnyExe, Argument, Buffer, CallError, CallProblem, Error, Result};
use std::{
    fmt,
    sync::{Arc, atomic::Ordering},
};

/// The program that computes some tensors: it can be inspected, and run again with other inputs.
///
/// A schedule has its own handles of its inputs and donates none. It does not realize the tensors
/// that it was made for; a function of the host that it calls is called by each run.
///
/// ```no_run
/// # use hloom_lazy::*; use hloom_runtime::*;
/// # fn example(x: Lazy, next: Lazy) -> Result<()> {
/// let y = (&x * 2.0).sum(..);
/// let schedule = schedule([&y])?;
/// println!("{schedule}");
/// let first = &schedule.run()?[0];
/// let second = &schedule.run_with([(&x, &next)])?[0];
/// # Ok(()) }
/// ```
#[derive(Clone)]
pub struct Schedule {
    place: Arc<LazyPlatform>,
    graph: Arc<Graph>,
    exe: AnyExe,
    inputs: Vec<ScheduleInput>,
    outputs: Vec<Output>,
    steps: Vec<ScheduleStep>,
}

/// An input of a schedule.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum ScheduleInput {
    /// A realized tensor.
    Lazy(Lazy),
    /// A number of the expressions, of this element type.
    Number(f64, Shape),
}

/// A part of a schedule's run, in order.
#[derive(Clone, PartialEq, Debug)]
#[non_exhaustive]
pub enum ScheduleStep {
    /// A number is copied to the device, as the input at this position.
    Transfer {
        /// The position among the inputs.
        input: usize,
        /// Its shape.
        shape: Shape,
    },
    /// A compiled program runs.
    Program {
        /// Its name.
        name: String,
        /// The number of lazy ops that it consists of.
        ops: usize,
    },
    /// The program calls a function of the host.
    HostCall {
        /// The name of the function.
        name: String,
    },
    /// The run waits for the program, which calls functions of the host: their errors are returned.
    Wait,
}

/// The source of a tensor of the schedule.
#[derive(Clone)]
enum Output {
    Result(usize),
    /// The input at this position.
    Input(usize),
    /// A realized tensor that the program does not need.
    Lazy(Lazy),
}

/// The schedule of some tensors.
///
/// # Errors
/// As [`Lazy::realize`]: the tensors were recorded with an error, or do not compile.
#[track_caller]
pub fn schedule<'a>(lazies: impl IntoIterator<Item = &'a Lazy>) -> Result<Schedule> {
    Schedule::new(&lazies.into_iter().collect::<Vec<_>>(), false)
}

/// As [`schedule`], with the numbers of expressions as inputs: `x * 0.1` and `x * 0.2` are one
/// program.
///
/// # Errors
/// As [`schedule`].
#[track_caller]
pub fn schedule_lifted<'a>(lazies: impl IntoIterator<Item = &'a Lazy>) -> Result<Schedule> {
    Schedule::new(&lazies.into_iter().collect::<Vec<_>>(), true)
}

impl Schedule {
    #[track_caller]
    fn new(targets: &[&Lazy], lift: bool) -> Result<Schedule> {
        check_platforms(targets).map_err(|failure| failure.to_error())?;
        let Some(place) = targets.iter().find_map(|target| target.node.place.clone()) else {
            let problems = vec![CallProblem::Count { expected: 1, found: 0 }];
            return Err(Error::Call(CallError::new("schedule", problems)));
        };
        let mut waits = selecting();
        let walk = loop {
            match Walk::of(targets) {
                Ok(walk) => break walk,
                Err(Stop::Failed(failure)) => return Err(failure.to_error()),
                Err(Stop::Wait(owner)) => waits = wait(waits, owner)?,
            }
        };
        let job = Job::of(&walk, &walk.pending_targets(targets), lift);
        drop(waits);
        drop(walk);
        let mut structure = job.structure.clone();
        structure.extend(job.parameters.iter().map(|_| 0));
        let graph = job.graph(&vec![false; job.parameters.len()])?;
        let exe = place.programs.get(&place, &structure, || Ok(graph.clone()))?;
        let output = |target: &&Lazy| {
            let mut first = 0;
            for node in &job.outputs {
                if Arc::ptr_eq(node, &target.node) {
                    return Output::Result(first + target.result as usize);
                }
                first += node.shapes.len();
            }
            let is_input = |parameter: &Parameter| match &parameter.source {
                ParameterSource::Lazy(lazy) => lazy.is_same(target),
                ParameterSource::Number(_) | ParameterSource::Taken => false,
            };
            match job.parameters.iter().position(is_input) {
                Some(position) => Output::Input(position),
                None => Output::Lazy((*target).clone()),
            }
        };
        let outputs = targets.iter().map(output).collect();
        let input = |source: &ParameterSource, shape| match source {
            ParameterSource::Lazy(lazy) => ScheduleInput::Lazy(lazy.clone()),
            ParameterSource::Number(number) => ScheduleInput::Number(number.to_f64(), shape),
            ParameterSource::Taken => unreachable!("BUG: a schedule keeps its inputs"),
        };
        let inputs: Vec<_> = job.parameters.iter().map(|p| input(&p.source, p.shape)).collect();
        let mut steps = Vec::new();
        for (position, input) in inputs.iter().enumerate() {
            if let ScheduleInput::Number(_, shape) = input {
                steps.push(ScheduleStep::Transfer { input: position, shape: *shape });
            }
        }
        if job.count() > 0 {
            let name = exe.name().to_owned();
            steps.push(ScheduleStep::Program { name, ops: job.count() });
        }
        let calls = job.host_calls().map(|name| ScheduleStep::HostCall { name: name.to_owned() });
        let before = steps.len();
        steps.extend(calls);
        if steps.len() > before {
            steps.push(ScheduleStep::Wait);
        }
        Ok(Schedule { place, graph: Arc::new(graph), exe, inputs, outputs, steps })
    }

    /// The inputs, in the order of the program's arguments: one for each distinct buffer.
    pub fn inputs(&self) -> &[ScheduleInput] {
        &self.inputs
    }

    /// The shapes of the tensors that it was made for.
    pub fn outputs(&self) -> Vec<Shape> {
        let shape = |output: &Output| match output {
            Output::Result(at) => self.exe.signature().outputs[*at].shape,
            Output::Input(at) => self.exe.signature().inputs[*at].shape,
            Output::Lazy(lazy) => lazy.shape(),
        };
        self.outputs.iter().map(shape).collect()
    }

    /// The steps of a run, in order.
    pub fn steps(&self) -> &[ScheduleStep] {
        &self.steps
    }

    /// The graph of the program.
    pub fn graph(&self) -> &Graph {
        &self.graph
    }

    /// The program, which has [costs](AnyExe::cost), [memory](AnyExe::memory) and
    /// [kernels](AnyExe::compiled_kernels).
    pub fn exe(&self) -> &AnyExe {
        &self.exe
    }

    /// The program as a StableHLO module.
    ///
    /// # Errors
    /// The error of the lowering.
    pub fn mlir(&self) -> Result<String> {
        let context = hloom_stablehlo::Context::new();
        let options = hloom_stablehlo::LowerOptions::default();
        Ok(hloom_stablehlo::lower(&context, &self.graph, &options)?.text())
    }

    /// Binds an input to another tensor for all later runs.
    ///
    /// # Errors
    /// `input` is not an input of the schedule, or `to` has another shape.
    pub fn bind(&mut self, input: &Lazy, to: &Lazy) -> Result<()> {
        let position = self.position(input)?;
        self.inputs[position] = ScheduleInput::Lazy(self.fitting(position, to)?);
        Ok(())
    }

    /// Runs the program; returns new tensors with the values of those that it was made for.
    ///
    /// # Errors
    /// The error of realizing a bound input, or of the call.
    pub fn run(&self) -> Result<Vec<Lazy>> {
        self.run_with([])
    }

    /// As [`run`](Self::run), with some inputs replaced for this run.
    ///
    /// # Errors
    /// As [`bind`](Self::bind) and [`run`](Self::run).
    pub fn run_with<'a>(
        &self,
        rebindings: impl IntoIterator<Item = (&'a Lazy, &'a Lazy)>,
    ) -> Result<Vec<Lazy>> {
        let mut inputs = self.inputs.clone();
        for (input, to) in rebindings {
            let position = self.position(input)?;
            inputs[position] = ScheduleInput::Lazy(self.fitting(position, to)?);
        }
        let lazies = inputs.iter().filter_map(|input| match input {
            ScheduleInput::Lazy(lazy) => Some(lazy),
            ScheduleInput::Number(..) => None,
        });
        realize_all(lazies)?;
        let arguments = inputs.iter().map(|input| match input {
            ScheduleInput::Lazy(lazy) => Ok(buffers(&lazy.node)?[lazy.result as usize].clone()),
            ScheduleInput::Number(value, shape) => {
                let bytes = Number::Float(*value).bytes(shape.dtype()).unwrap_or_default();
                Ok(Arc::new(Buffer::from_bytes(&self.place.platform, *shape, &bytes)?))
            }
        });
        let arguments = arguments.collect::<Result<Vec<Arc<Buffer>>>>()?;
        let given = arguments.iter().map(|buffer| Argument::Borrowed(buffer));
        let results: Vec<Arc<Buffer>> =
            self.exe.call(given.collect())?.into_iter().map(Arc::new).collect();
        self.place.counters.runs.fetch_add(1, Ordering::Relaxed);
        if self.steps.contains(&ScheduleStep::Wait) {
            results.iter().try_for_each(|buffer| buffer.ready())?;
        }
        let output = |output: &Output| match output {
            Output::Result(at) => Lazy::from_buffer(&self.place.platform, results[*at].clone()),
            Output::Input(at) => Lazy::from_buffer(&self.place.platform, arguments[*at].clone()),
            Output::Lazy(lazy) => lazy.clone(),
        };
        Ok(self.outputs.iter().map(output).collect())
    }

    fn position(&self, input: &Lazy) -> Result<usize> {
        let is_input = |own: &ScheduleInput| match own {
            ScheduleInput::Lazy(lazy) => lazy.is_same(input),
            ScheduleInput::Number(..) => false,
        };
        self.inputs.iter().position(is_input).ok_or_else(|| {
            let known = self.exe.signature().inputs.iter().map(|input| input.name.clone());
            self.problem(CallProblem::Unknown { name: input.to_string(), known: known.collect() })
        })
    }

    fn fitting(&self, position: usize, to: &Lazy) -> Result<Lazy> {
        let input = &self.exe.signature().inputs[position];
        match to.failure() {
            Some(failure) => Err(failure.to_error()),
            None if to.shape() == input.shape => Ok(to.clone()),
            None => Err(self.problem(CallProblem::Shape {
                name: input.name.clone(),
                expected: input.shape,
                found: to.shape(),
            })),
        }
    }

    fn problem(&self, problem: CallProblem) -> Error {
        Error::Call(CallError::new(self.exe.name(), vec![problem]))
    }
}

impl fmt::Display for Schedule {
    /// The inputs, the steps and the outputs, one a line.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, input) in self.inputs.iter().enumerate() {
            match input {
                ScheduleInput::Lazy(lazy) => writeln!(f, "input x{i}: {}", lazy.shape())?,
                ScheduleInput::Number(value, shape) => {
                    writeln!(f, "input x{i}: {shape}, the number {value}")?;
                }
            }
        }
        for step in &self.steps {
            match step {
                ScheduleStep::Transfer { input, .. } => writeln!(f, "transfer x{input}")?,
                ScheduleStep::Program { name, ops } => {
                    writeln!(f, "program `{name}`: {ops} ops")?;
                }
                ScheduleStep::HostCall { name } => writeln!(f, "  calls `{name}`")?,
                ScheduleStep::Wait => writeln!(f, "wait")?,
            }
        }
        for shape in self.outputs() {
            writeln!(f, "output: {shape}")?;
        }
        Ok(())
    }
}

impl fmt::Debug for Schedule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Schedule({} inputs, {} ops)", self.inputs.len(), self.graph.node_count())
    }
}
