//! The cost of an execution beyond the plugin's own call, with 2 and with 200 arguments.
//!
//! The raw calls (`PJRT_LoadedExecutable_Execute` and `PJRT_Buffer_Destroy` with structures made
//! once) alternate with the crate's in the same process, in short rounds, since other processes
//! disturb long ones. The ratio is the median of the rounds' ratios.
//! Prints one JSON object per line.

#[path = "../../../benches/common/raw_call.rs"]
mod raw_call;

use hloom_pjrt::{
    Buffer, Client, CompileOptions, ExecuteOptions, LoadedExecutable, Plugin, Program,
};
use hloom_test_support::{CompileOwn, CountingAllocator, allocations};
use raw_call::RawCall;
use std::time::Instant;

#[global_allocator]
static ALLOCATOR: CountingAllocator = CountingAllocator;

const ROUNDS: usize = 4_000;
const WARM_UP: usize = 100;

type Failure = Box<dyn std::error::Error>;

fn main() -> Result<(), Failure> {
    let path = pjrt_plugins::ensure("cpu")?;
    let client = Plugin::load(path)?.client_builder().option("cpu_device_count", 1i64).build()?;
    for (arguments, calls, target) in [(2, 40, 1.10), (200, 5, 1.05)] {
        let case = Case::new(&client, arguments)?;
        case.measure(calls, target)?;
    }
    Ok(())
}

/// A program that adds its first two arguments, and its arguments.
struct Case {
    executable: LoadedExecutable,
    buffers: Vec<Buffer>,
}

impl Case {
    fn new(client: &Client, arguments: usize) -> Result<Self, Failure> {
        let list: Vec<String> = (0..arguments).map(|i| format!("%a{i}: tensor<2xf32>")).collect();
        let text = format!(
            "func.func @main({}) -> tensor<2xf32> {{
               %0 = stablehlo.add %a0, %a1 : tensor<2xf32>
               return %0 : tensor<2xf32>
             }}",
            list.join(", ")
        );
        let executable = client.compile_own(&Program::mlir(text), &CompileOptions::new())?;
        let buffer = |i: usize| client.buffer(&[i as f32, 1.0], &[2]);
        let buffers = (0..arguments).map(buffer).collect::<Result<_, _>>()?;
        Ok(Self { executable, buffers })
    }

    fn measure(&self, calls: usize, target: f64) -> Result<(), Failure> {
        let count = self.buffers.len();
        let arguments: Vec<&Buffer> = self.buffers.iter().collect();
        let options = ExecuteOptions::new();
        let mut raw = RawCall::new(&self.executable, &self.buffers);
        let mut outputs = Vec::with_capacity(1);
        let expected = self.executable.execute(&arguments, &options)?[0].to_vec::<f32>()?;
        assert_eq!(expected, [1.0, 2.0]);

        let mut times: [Vec<f64>; 3] = std::array::from_fn(|_| Vec::with_capacity(ROUNDS));
        let mut counts = [0u64; 3];
        // The first rounds warm up; the order rotates, so that none always runs after the same.
        for round in 0..ROUNDS + WARM_UP {
            for turn in 0..3 {
                let which = (round + turn) % 3;
                let before = allocations();
                let start = Instant::now();
                match which {
                    0 => (0..calls).for_each(|_| raw.call()),
                    1 => {
                        for _ in 0..calls {
                            drop(self.executable.execute(&arguments, &options)?);
                        }
                    }
                    _ => {
                        for _ in 0..calls {
                            let arguments = self.buffers.iter();
                            self.executable.execute_into(arguments, &options, &mut outputs)?;
                            outputs.clear();
                        }
                    }
                }
                let elapsed = start.elapsed().as_secs_f64() * 1e6 / calls as f64;
                let allocated = allocations() - before;
                if round >= WARM_UP {
                    times[which].push(elapsed);
                    counts[which] += allocated;
                }
            }
        }
        let ratios = |which: usize| {
            times[which].iter().zip(&times[0]).map(|(t, reference)| t / reference).collect()
        };
        let reference = median(times[0].clone());
        for (which, name) in [(1, "execute"), (2, "execute_into")] {
            let (value, ratio) = (median(times[which].clone()), median(ratios(which)));
            let holds = ratio <= target;
            println!(
                r#"{{"bench":"pjrt {name}, {count} arguments","value":{value:.3},"unit":"us","reference":{reference:.3},"ratio":{ratio:.3},"target":{target},"holds":{holds}}}"#
            );
        }
        let executions = (ROUNDS * calls) as f64;
        let per_execution = counts.map(|count| count as f64 / executions);
        for (name, value) in ["execute", "execute_into"].iter().zip(&per_execution[1..]) {
            let most = if *name == "execute" { 1 } else { 0 };
            let holds = *value <= f64::from(most);
            println!(
                r#"{{"bench":"pjrt {name}, {count} arguments, allocations","value":{value:.3},"unit":"per execution","reference":{most},"ratio":{value:.3},"target":{most},"holds":{holds}}}"#
            );
        }
        Ok(())
    }
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}
