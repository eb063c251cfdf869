//! A compiled program in a sandbox.

use super::{
    check::Checked,
    description::{Description, Parameter},
    session::{Session, unexpected},
};
use crate::{
    Error, Result, Work,
    message::{self, Answer, Array, Request},
};
use hloom_pjrt::AlignedVec;
use std::{fmt, sync::Arc};

/// A compiled program in a sandbox. Its clones are the same program.
#[derive(Clone)]
pub struct Program {
    inner: Arc<Inner>,
}

struct Inner {
    session: Session,
    number: usize,
    description: Description,
    /// The sizes of the results, for the devices in order.
    results: Vec<usize>,
}

/// An argument that was copied into a sandbox, for any number of calls.
#[derive(Debug)]
pub struct Bound {
    program: Program,
    number: usize,
    device: usize,
    parameter: usize,
}

/// An argument of a call.
#[derive(Clone, Copy, Debug)]
pub enum Argument<'a> {
    /// The elements, without gaps and in the machine's byte order; elements of fewer than 8 bits
    /// take a byte each.
    Bytes(&'a [u8]),
    /// Copied before, for the same device and parameter of this program.
    Bound(&'a Bound),
}

impl Program {
    pub(super) fn new(session: Session, number: usize, checked: Checked) -> Self {
        let Checked { description, results } = checked;
        let results = results.repeat(description.devices);
        Self { inner: Arc::new(Inner { session, number, description, results }) }
    }

    /// The parameters and results.
    pub fn description(&self) -> &Description {
        &self.inner.description
    }

    /// The sandbox that it runs in.
    pub fn session(&self) -> &Session {
        &self.inner.session
    }

    /// Copies an argument for a device, by its index among those of the program, into the sandbox.
    ///
    /// # Errors
    /// There is no such device or parameter, the number of bytes is another one, the plugin's
    /// error, or the child ended.
    pub fn bind(&self, device: usize, parameter: usize, bytes: &[u8]) -> Result<Bound> {
        let devices = self.inner.description.devices;
        if device >= devices {
            let expected = format!("at most {}", devices.saturating_sub(1));
            return Err(Error::argument("device of the program", expected, device));
        }
        let array = array(self.parameter(parameter)?, parameter, bytes)?;
        let request = Request::Bind { program: self.inner.number, device, array };
        let work = Work::Bind;
        let read = |answer, _| match answer {
            Answer::Bound { value } => Ok(value),
            answer => Err(unexpected(work, answer)),
        };
        let number = self.inner.session.ask(work, &request, &[bytes], &[], read)?;
        Ok(Bound { program: self.clone(), number, device, parameter })
    }

    /// Runs the program once: arguments and results are those of the first device, then those of
    /// the second, and so on.
    ///
    /// # Errors
    /// The number of arguments, or of the bytes of one, is another one; one was bound for another
    /// program, device or parameter; the plugin's error; or the child ended.
    pub fn call(&self, arguments: &[Argument<'_>]) -> Result<Vec<AlignedVec<u8>>> {
        let inner = &*self.inner;
        let width = inner.description.parameters.len();
        let expected = width.saturating_mul(inner.description.devices);
        if arguments.len() != expected {
            return Err(Error::argument("arguments", expected, arguments.len()));
        }
        let mut sent = Vec::with_capacity(arguments.len());
        let mut arrays = Vec::new();
        for (index, argument) in arguments.iter().enumerate() {
            let (device, parameter) = (index / width, index % width);
            sent.push(match argument {
                Argument::Bytes(bytes) => {
                    arrays.push(*bytes);
                    let of = self.parameter(parameter)?;
                    message::Argument::Bytes(array(of, parameter, bytes)?)
                }
                Argument::Bound(bound) => {
                    bound.check(self, device, parameter)?;
                    message::Argument::Bound(bound.number)
                }
            });
        }
        let request = Request::Call { program: inner.number, arguments: sent };
        let work = Work::Call;
        inner.session.ask(work, &request, &arrays, &inner.results, |answer, results| match answer {
            Answer::Returned => Ok(results),
            answer => Err(unexpected(work, answer)),
        })
    }

    /// The optimized program: its format, such as `hlo`, and its bytes.
    ///
    /// They come from the child: a reader must expect anything.
    ///
    /// # Errors
    /// The plugin does not return it, or the child ended.
    pub fn optimized_program(&self) -> Result<(String, Vec<u8>)> {
        self.code(Request::Optimized { program: self.inner.number })
    }

    /// The compiled program as the plugin serializes it.
    ///
    /// The bytes are native code of the program's author: whoever loads them runs it.
    ///
    /// # Errors
    /// The plugin cannot serialize it, or the child ended.
    pub fn serialize(&self) -> Result<Vec<u8>> {
        Ok(self.code(Request::Serialize { program: self.inner.number })?.1)
    }

    fn code(&self, request: Request) -> Result<(String, Vec<u8>)> {
        let work = Work::Compile;
        self.inner.session.ask(work, &request, &[], &[], |answer, arrays| match answer {
            Answer::Code { format, .. } => {
                Ok((format, arrays.first().map(|bytes| bytes.to_vec()).unwrap_or_default()))
            }
            answer => Err(unexpected(work, answer)),
        })
    }

    fn parameter(&self, index: usize) -> Result<&Parameter> {
        let all = &self.inner.description.parameters;
        all.get(index).ok_or_else(|| {
            let expected = format!("one of {}", all.len());
            Error::argument("parameter of the program", expected, index)
        })
    }
}

fn array(parameter: &Parameter, index: usize, bytes: &[u8]) -> Result<Array> {
    if bytes.len() != parameter.bytes {
        let what = format!("bytes of argument {index}, {}", parameter.spec);
        return Err(Error::argument(what, parameter.bytes, bytes.len()));
    }
    Ok((&parameter.spec).into())
}

impl Bound {
    fn check(&self, program: &Program, device: usize, parameter: usize) -> Result<()> {
        if !Arc::ptr_eq(&self.program.inner, &program.inner) {
            let what = format!("argument {parameter} on device {device}");
            return Err(Error::argument(what, "one bound for this program", "one for another"));
        }
        if (self.device, self.parameter) != (device, parameter) {
            let place = |device, parameter| format!("parameter {parameter} on device {device}");
            let found = place(self.device, self.parameter);
            return Err(Error::argument("bound argument", place(device, parameter), found));
        }
        Ok(())
    }
}

impl Drop for Bound {
    fn drop(&mut self) {
        self.program.inner.session.free(&Request::Unbind { value: self.number });
    }
}

impl Drop for Inner {
    fn drop(&mut self) {
        self.session.free(&Request::Unload { program: self.number });
    }
}

impl fmt::Debug for Program {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Program").field("description", self.description()).finish_non_exhaustive()
    }
}
