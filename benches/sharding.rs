//! The overhead of a call over four devices over the plugin's own: the raw calls
//! (`PJRT_LoadedExecutable_Execute` for all devices, and `PJRT_Buffer_Destroy` of each one's
//! result) alternate with `Exe::call` and `Exe::call_into` in one process.

mod common;
#[path = "common/raw_call.rs"]
mod raw_call;

use common::Measurement;
use hloom::{Mesh, prelude::*};
use raw_call::RawCall;
use std::time::Instant;

const ROUNDS: usize = 61;
const WARM_UP: usize = 8;
const CALLS: usize = 200;
const DEVICES: usize = 4;
/// The maximum ratio of a call to the raw calls.
const TARGET: f64 = 1.25;

fn main() -> hloom::Result<()> {
    let plugin = pjrt_plugins::ensure("cpu").expect("the CPU plugin can be installed");
    let platform = Platform::builder()
        .plugin(plugin)
        .client_option("cpu_device_count", DEVICES as i64)
        .build()?;
    let mesh = Mesh::new(&platform, [("data", DEVICES)])?;
    let spec = Spec::f32([8]).shard(0, "data");
    let exe = mesh.compile(|x: Tensor, y: Tensor| x + y, (spec.clone(), spec.clone()))?;
    let sharding = mesh.sharding(&spec)?;
    let x = Buffer::from_slice(&sharding, &[1f32; 8], [8])?;
    let y = Buffer::from_slice(&sharding, &[2f32; 8], [8])?;
    let mut result = exe.call((&x, &y))?;
    assert_eq!(result.to_vec::<f32>()?, [3.0; 8]);
    let all = (0..DEVICES).flat_map(|device| [&x, &y].map(|buffer| &*buffer.shards()[device]));
    let mut raw = RawCall::new(exe.any().as_pjrt(), all);

    let mut times: [Vec<f64>; 3] = Default::default();
    for round in 0..ROUNDS + WARM_UP {
        for turn in 0..3 {
            let which = (round + turn) % 3;
            let start = Instant::now();
            match which {
                0 => (0..CALLS).for_each(|_| raw.call()),
                1 => {
                    for _ in 0..CALLS {
                        drop(exe.call((&x, &y))?);
                    }
                }
                _ => {
                    for _ in 0..CALLS {
                        exe.call_into((&x, &y), &mut result)?;
                    }
                }
            }
            if round >= WARM_UP {
                times[which].push(start.elapsed().as_secs_f64() * 1e6 / CALLS as f64);
            }
        }
    }
    let [raw, call, call_into] = times.map(|mut times| {
        times.sort_by(f64::total_cmp);
        times[times.len() / 2]
    });
    for (name, value) in [("exe.call", call), ("exe.call_into", call_into)] {
        let name = format!("{name} over {DEVICES} devices");
        Measurement::new(&name, value, "us").reference(raw).target(TARGET).report();
    }
    Ok(())
}
