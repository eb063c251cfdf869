//! Executables without types.

use crate::callback::{Callbacks, Launch, Record};
use crate::{Buffer, CallError, Error, Platform, Problem, Result, Signature, buffer::dims_i64, element_types::to_pjrt};
use hloom_graph::Shape;
use hloom_pjrt::{Donation, ExecuteOptions, LoadedExecutable};
use smallvec::SmallVec;
use std::{
    fmt, slice,
    sync::{Arc, Mutex, PoisonError},
};

/// A compiled program that is called by position or by name.
///
/// Cloning shares the program and what is bound.
#[derive(Clone)]
pub struct AnyExe {
    program: Arc<Program>,
    /// The first inputs, bound for ever.
    bound: Arc<[Arc<hloom_pjrt::Buffer>]>,
    /// Whether donated inputs are consumed.
    donates: bool,
    /// The Rust functions that the program calls.
    callbacks: Option<Arc<Callbacks>>,
}

/// What all executables of one program share.
struct Program {
    name: String,
    platform: Platform,
    loaded: LoadedExecutable,
    signature: Signature,
    /// Which inputs a call consumes.
    donated: Box<[bool]>,
    /// Tables of results, empty between calls, kept for their room.
    tables: Mutex<Vec<Vec<hloom_pjrt::Buffer>>>,
}

/// An input of a call by position or by name.
#[derive(Debug)]
pub enum Given<'a> {
    /// A buffer that stays as it is.
    Borrowed(&'a Buffer),
    /// A buffer that the call may consume, if the program donates that input.
    Donated(Buffer),
}

/// The results of one call, handed out in order.
pub(crate) struct Results {
    program: Arc<Program>,
    /// In reverse order.
    buffers: Vec<hloom_pjrt::Buffer>,
    /// What the results tell when a callback failed.
    record: Option<Arc<Record>>,
}

/// Buffers of a call: those that are bound, then those that are passed.
#[derive(Clone)]
struct Arguments<'b> {
    bound: slice::Iter<'b, Arc<hloom_pjrt::Buffer>>,
    passed: slice::Iter<'b, &'b hloom_pjrt::Buffer>,
}

impl AnyExe {
    pub(crate) fn new(
        platform: Platform,
        name: String,
        loaded: LoadedExecutable,
        signature: Signature,
        callbacks: Option<Callbacks>,
    ) -> Result<AnyExe> {
        let specs = signature
            .inputs
            .iter()
            .map(|input| hloom_pjrt::Spec::new(to_pjrt(input.shape.dtype()), dims_i64(input.shape)));
        let donated: Box<[bool]> = signature.inputs.iter().map(|input| input.donated).collect();
        let donatable = donated
            .iter()
            .enumerate()
            .filter(|(_, donated)| **donated)
            .map(|(i, _)| i);
        loaded.set_signature(&hloom_pjrt::Signature::new(specs).donatable(donatable));
        let tables = Mutex::default();
        let program = Arc::new(Program {
            name,
            platform,
            loaded,
            signature,
            donated,
            tables,
        });
        Ok(AnyExe {
            program,
            bound: Arc::new([]),
            donates: true,
            callbacks: callbacks.map(Arc::new),
        })
    }

    /// What the program is called.
    pub fn name(&self) -> &str {
        &self.program.name
    }

    /// Where it runs.
    pub fn platform(&self) -> &Platform {
        &self.program.platform
    }

    /// The inputs and outputs, those that are bound among them.
    pub fn signature(&self) -> &Signature {
        &self.program.signature
    }

    /// How many inputs, the first ones, are bound.
    pub fn bound_count(&self) -> usize {
        self.bound.len()
    }

    /// Runs the program on the inputs that are not bound, in order. A program that gives nothing but calls Rust functions has ended
    /// when this returns.
    ///
    /// # Errors
    /// All inputs that do not fit, a callback that has no state yet, or what the plugin says.
    pub fn call(&self, inputs: Vec<Given<'_>>) -> Result<Vec<Buffer>> {
        // An input is consumed when it may be and was given; a borrowed one among the donated ones keeps all of them.
        let keeps = inputs.iter().zip(&self.program.donated[self.bound.len()..]);
        let keeps = keeps
            .clone()
            .any(|(given, donated)| *donated && matches!(given, Given::Borrowed(_)));
        let exe = if keeps { &self.keep_donated() } else { self };
        let mut results = exe.run(|each| {
            for given in &inputs {
                match given {
                    Given::Borrowed(buffer) => each(buffer),
                    Given::Donated(buffer) => each(buffer),
                }
            }
        })?;
        Ok((0..self.signature().outputs.len())
            .map(|_| results.next_buffer())
            .collect())
    }

    /// The same program, whose calls consume nothing.
    pub fn keep_donated(&self) -> AnyExe {
        AnyExe {
            donates: false,
            ..self.clone()
        }
    }

    pub(crate) fn callbacks(&self) -> Option<&Callbacks> {
        self.callbacks.as_deref()
    }

    pub(crate) fn with_callbacks(&self, callbacks: Option<Arc<Callbacks>>) -> AnyExe {
        AnyExe {
            callbacks,
            ..self.clone()
        }
    }

    /// The PJRT executable underneath.
    pub fn as_pjrt(&self) -> &LoadedExecutable {
        &self.program.loaded
    }

    /// An executable whose next inputs are bound to the buffers that `visit` shows.
    pub(crate) fn bind<'b>(&self, visit: impl FnOnce(&mut dyn FnMut(&'b Buffer))) -> Result<AnyExe> {
        let mut bound: Vec<Arc<hloom_pjrt::Buffer>> = self.bound.to_vec();
        let mut problems = Vec::new();
        let inputs = &self.signature().inputs;
        let mut found = 0;
        visit(&mut |buffer| {
            found += 1;
            if let Some(input) = inputs.get(bound.len()) {
                problems.extend(misfit(&input.name, input.shape, buffer));
                problems.extend(self.foreign(&input.name, buffer));
            }
            bound.push(buffer.as_pjrt().clone());
        });
        if bound.len() > inputs.len() {
            problems.push(Problem::Count {
                expected: inputs.len() - self.bound.len(),
                found,
            });
        }
        match problems.is_empty() {
            true => Ok(AnyExe {
                bound: bound.into(),
                ..self.clone()
            }),
            false => Err(self.call_error(problems)),
        }
    }

    /// Runs the program on the bound inputs and those that `visit` shows.
    pub(crate) fn run<'b>(&self, visit: impl FnOnce(&mut dyn FnMut(&'b Buffer))) -> Result<Results> {
        let _entered = tracing::trace_span!("call", name = %self.program.name).entered();
        let inputs = &self.program.signature.inputs[self.bound.len()..];
        let mut passed = SmallVec::<[&'b Buffer; 32]>::new();
        let mut memories = SmallVec::<[&'b hloom_pjrt::Buffer; 32]>::new();
        let mut fits = true;
        visit(&mut |buffer| {
            if let Some(input) = inputs.get(passed.len()) {
                fits &= buffer.shape() == input.shape || misfit(&input.name, input.shape, buffer).is_none();
                fits &= !(input.donated && self.donates) || Arc::strong_count(buffer.as_pjrt()) == 1;
            }
            passed.push(buffer);
            memories.push(buffer.as_pjrt());
        });
        if !fits || passed.len() != inputs.len() {
            return Err(self.misfits(&passed));
        }
        let program = &*self.program;
        let donation = match self.donates {
            true => Donation::Mask(&program.donated),
            false => Donation::None,
        };
        let arguments = Arguments {
            bound: self.bound.iter(),
            passed: memories.iter(),
        };
        let launch = self.callbacks.as_deref().map(Callbacks::launch).transpose()?;
        let mut table = lock(&program.tables).pop().unwrap_or_default();
        let mut options = ExecuteOptions::new().donate(donation);
        options.context = launch.as_ref().map(Launch::context);
        let outcome = match launch.is_some() && program.signature.outputs.is_empty() {
            false => program.loaded.execute_into(arguments, &options, &mut table),
            // Without results there is nothing that could tell of a failure later.
            true => execute_and_wait(&program.loaded, arguments, &options),
        };
        let record = launch.map(|launch| launch.record.clone());
        match outcome {
            Ok(()) => {
                table.reverse();
                Ok(Results {
                    program: self.program.clone(),
                    buffers: table,
                    record,
                })
            }
            Err(error) => {
                table.clear();
                lock(&program.tables).push(table);
                if let Some(failure) = record.as_ref().and_then(|record| record.failure()) {
                    return Err(Error::Callback(Box::new(failure)));
                }
                Err(match self.misfits(&passed) {
                    Error::Call(found) if !found.problems.is_empty() => Error::Call(found),
                    _ => Error::plugin(format!("calling `{}`", self.name()))(error),
                })
            }
        }
    }

    /// Everything that is wrong with the buffers of a call.
    #[cold]
    fn misfits(&self, passed: &[&Buffer]) -> Error {
        let inputs = &self.signature().inputs[self.bound.len()..];
        let mut problems = Vec::new();
        if passed.len() != inputs.len() {
            problems.push(Problem::Count {
                expected: inputs.len(),
                found: passed.len(),
            });
        }
        for (input, buffer) in inputs.iter().zip(passed) {
            problems.extend(misfit(&input.name, input.shape, buffer));
            problems.extend(self.foreign(&input.name, buffer));
            if input.donated && self.donates && Arc::strong_count(buffer.as_pjrt()) > 1 {
                problems.push(Problem::Bound(input.name.clone()));
            }
            if buffer.as_pjrt().is_deleted().unwrap_or(false) {
                problems.push(Problem::Deleted(input.name.clone()));
            }
        }
        self.call_error(problems)
    }

    fn foreign(&self, name: &str, buffer: &Buffer) -> Option<Problem> {
        let (ours, theirs) = (self.program.platform.client(), buffer.as_pjrt().client());
        (ours.as_ptr() != theirs.as_ptr()).then(|| Problem::Device {
            name: name.into(),
            expected: format!("a buffer of this {} platform", ours.platform_name()),
            found: format!("one of another {} platform", theirs.platform_name()),
        })
    }

    pub(crate) fn call_error(&self, problems: Vec<Problem>) -> Error {
        Error::Call(CallError {
            executable: self.name().into(),
            problems,
        })
    }
}

/// What is wrong with the shape of a buffer. Names are compared where both sides have them.
pub(crate) fn misfit(name: &str, expected: Shape, buffer: &Buffer) -> Option<Problem> {
    let found = buffer.shape();
    let names_agree = expected
        .names()
        .iter()
        .zip(found.names())
        .all(|(a, b)| a.is_none() || b.is_none() || a == b);
    (!expected.same_layout(&found) || !names_agree).then(|| Problem::Shape {
        name: name.into(),
        expected,
        found,
    })
}

#[cold]
fn execute_and_wait(
    loaded: &LoadedExecutable,
    arguments: Arguments<'_>,
    options: &ExecuteOptions<'_>,
) -> hloom_pjrt::Result<()> {
    let arguments: Vec<_> = arguments.collect();
    let execution = loaded.execute_sharded(&[&arguments], options)?;
    execution.complete.iter().try_for_each(hloom_pjrt::Event::wait)
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    // The tables are empty vectors between calls, whatever happened to a thread that held the lock.
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Results {
    pub fn next_buffer(&mut self) -> Buffer {
        let (shape, memory) = self.next();
        Buffer::from_program(shape, memory, self.record.clone())
    }

    /// Puts the next result under the handle of an earlier one.
    pub fn replace(&mut self, buffer: &mut Buffer) {
        let (shape, memory) = self.next();
        buffer.replace(shape, memory, self.record.clone());
    }

    fn next(&mut self) -> (Shape, hloom_pjrt::Buffer) {
        let outputs = &self.program.signature.outputs;
        let shape = outputs[outputs.len() - self.buffers.len()].shape;
        (
            shape,
            self.buffers
                .pop()
                .expect("a program gives as many results as its signature says"),
        )
    }
}

impl Drop for Results {
    fn drop(&mut self) {
        let mut table = std::mem::take(&mut self.buffers);
        table.clear();
        lock(&self.program.tables).push(table);
    }
}

impl<'b> Iterator for Arguments<'b> {
    type Item = &'b hloom_pjrt::Buffer;

    fn next(&mut self) -> Option<&'b hloom_pjrt::Buffer> {
        self.bound
            .next()
            .map(|buffer| &**buffer)
            .or_else(|| self.passed.next().copied())
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        let left = self.bound.len() + self.passed.len();
        (left, Some(left))
    }
}

impl ExactSizeIterator for Arguments<'_> {}

impl fmt::Debug for AnyExe {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("AnyExe")
            .field("name", &self.name())
            .field("signature", self.signature())
            .finish()
    }
}
