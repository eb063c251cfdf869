//! The time of a call with 2 and with 200 arguments: Hloom's, the plugin's own through its C
//! functions, and that of `jax.jit`, in rounds that alternate.
//!
//! *Dispatch* is the time of a call of many in a row, of which only the last is waited for;
//! *latency* that of a call whose result is waited for.

#[path = "../../../benches/common/raw_call.rs"]
#[expect(unsafe_code, reason = "the calls of the C functions")]
mod raw_call;

use crate::{
    Result, Settings,
    attempt::{attempt, ensure, skip},
    peer::Peer,
    results::{Better, Measurement, Results},
};
use hloom::{Buffer, Exe, Platform, Spec, Tensor};
use raw_call::RawCall;
use std::time::{Duration, Instant};

/// The numbers of arguments.
const ARGUMENTS: [usize; 2] = [2, 200];

/// How long JAX may take to start, and to answer.
const PATIENCE: Duration = Duration::from_secs(12);

/// Rounds before the measured ones.
const WARM_UP: usize = 2;

/// The largest ratio to the C functions.
const MAX_OF_RAW: f64 = 1.10;

/// The largest ratio to JAX.
const MAX_OF_JAX: f64 = 1.0;

#[derive(Clone, Copy)]
enum Kind {
    Dispatch,
    Latency,
}

impl Kind {
    fn name(self) -> &'static str {
        match self {
            Kind::Dispatch => "dispatch",
            Kind::Latency => "latency",
        }
    }
}

/// A program that adds its last two arguments, with all of its arguments.
struct Calls {
    exe: Exe<(Vec<Spec>, Spec, Spec), Tensor>,
    weights: Vec<Buffer>,
    x: Buffer,
    y: Buffer,
}

/// The median microseconds of a call.
struct Medians {
    hloom: f64,
    raw: f64,
    jax: Option<f64>,
}

pub fn run(settings: &Settings, results: &mut Results) -> Result {
    // It starts while this process opens its client.
    let script = settings.bundle.join("peers/calls_jax.py");
    let variables = [("XLA_PYTHON_CLIENT_PREALLOCATE", "false")];
    let started = settings.python.as_ref();
    let started = started.map(|python| Peer::start(python, &script, &[], &variables));
    let platform = settings.open()?;
    results.set_card(&platform);
    let mut jax = match started {
        Some(started) => attempt(results, "gpu/calls/jax", || {
            let mut jax = started?;
            jax.ask("ready", PATIENCE)?;
            Ok(jax)
        })?,
        None => {
            skip("gpu/calls/jax", "there is no --python");
            None
        }
    };
    for count in ARGUMENTS {
        let bench = format!("gpu/calls/{count}");
        let calls = attempt(results, &bench, || Calls::new(&platform, count))?;
        let Some(calls) = calls else { continue };
        for kind in [Kind::Dispatch, Kind::Latency] {
            let bench = format!("{bench}/{}", kind.name());
            let measured = attempt(results, &format!("{bench}/rounds"), || {
                calls.measure(settings, count, kind, jax.as_mut())
            })?;
            if let Some(medians) = measured {
                report(results, &bench, &medians)?;
            }
        }
    }
    Ok(())
}

fn report(results: &mut Results, bench: &str, medians: &Medians) -> Result {
    let raw = ("raw", Some(medians.raw), MAX_OF_RAW);
    for (peer, reference, limit) in [raw, ("jax", medians.jax, MAX_OF_JAX)] {
        let Some(reference) = reference else { continue };
        results.measure(&Measurement {
            bench: &format!("{bench}/{peer}"),
            value: medians.hloom,
            unit: "us",
            reference: Some(reference),
            target: Some((Better::Lower, limit)),
        })?;
    }
    Ok(())
}

impl Calls {
    fn new(platform: &Platform, count: usize) -> Result<Calls> {
        let spec = Spec::f32([2]);
        let weights = vec![spec.clone(); count - 2];
        let add = |_: Vec<Tensor>, x: Tensor, y: Tensor| x + y;
        let exe = platform.compile(add, (weights.clone(), spec.clone(), spec))?;
        let weights = Buffer::tree(platform, weights, |_, _| vec![1f32, 2.0])?;
        let x = Buffer::from_slice(platform, &[1f32, 2.0], [2])?;
        let y = Buffer::from_slice(platform, &[3f32, 4.0], [2])?;
        let calls = Calls { exe, weights, x, y };
        let found = calls.call()?.to_vec::<f32>()?;
        ensure(found == [4.0, 6.0], || format!("[4, 6] expected, {found:?} found"))?;
        Ok(calls)
    }

    fn call(&self) -> hloom::Result<Buffer> {
        self.exe.call((&self.weights, &self.x, &self.y))
    }

    fn measure(
        &self,
        settings: &Settings,
        count: usize,
        kind: Kind,
        mut jax: Option<&mut Peer>,
    ) -> Result<Medians> {
        let (rounds, calls) = match kind {
            Kind::Dispatch => (settings.size(21, 5), settings.size(1000, 100)),
            Kind::Latency => (settings.size(21, 5), settings.size(200, 20)),
        };
        let all = self.weights.iter().chain([&self.x, &self.y]).map(|buffer| &**buffer.as_pjrt());
        let mut raw = RawCall::new(self.exe.any().as_pjrt(), all);
        let request = format!("{count} {} {calls}", kind.name());
        let mut times: [Vec<f64>; 3] = Default::default();
        for round in 0..rounds + WARM_UP {
            for turn in 0..3 {
                let which = (round + turn) % 3;
                let seconds = match (which, &mut jax) {
                    (0, _) => self.seconds(kind, calls)?,
                    (1, _) => self.seconds_of_raw(&mut raw, kind, calls)?,
                    (_, Some(jax)) => jax.number(&request, "seconds", PATIENCE)?,
                    (_, None) => continue,
                };
                if round >= WARM_UP {
                    times[which].push(seconds * 1e6 / calls as f64);
                }
            }
        }
        let [hloom, raw, jax] = times.map(|mut times| {
            times.sort_by(f64::total_cmp);
            times.get(times.len() / 2).copied()
        });
        let (hloom, raw) = hloom.zip(raw).ok_or("nothing was measured")?;
        Ok(Medians { hloom, raw, jax })
    }

    /// The seconds of so many calls by Hloom.
    fn seconds(&self, kind: Kind, calls: usize) -> Result<f64> {
        let start = Instant::now();
        match kind {
            Kind::Dispatch => {
                for _ in 0..calls {
                    drop(self.call()?);
                }
                self.call()?.ready()?;
            }
            Kind::Latency => {
                for _ in 0..calls {
                    self.call()?.ready()?;
                }
            }
        }
        Ok(start.elapsed().as_secs_f64())
    }

    /// The seconds of so many calls of the C functions.
    fn seconds_of_raw(&self, raw: &mut RawCall, kind: Kind, calls: usize) -> Result<f64> {
        let start = Instant::now();
        match kind {
            Kind::Dispatch => {
                (0..calls).for_each(|_| raw.call());
                raw.call_and_wait();
            }
            Kind::Latency => (0..calls).for_each(|_| raw.call_and_wait()),
        }
        Ok(start.elapsed().as_secs_f64())
    }
}
