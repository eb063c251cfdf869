//! Compiling the programs of this part for a device that need not be here.

use super::{
    probe, programs,
    readme::{self, Linear},
    round_trips,
};
use crate::{Result, attempt::attempt, results::Results};
use hloom::{DType, Donated, Spec, Tensor, Topology};

pub fn run(target: &str, results: &mut Results) -> Result {
    let topology = Topology::parse(target)?;
    attempt(results, "gpu/platform/compile/readme", || {
        Ok(topology.compile(Linear::forward, readme::specs())?)
    })?;
    attempt(results, "gpu/platform/compile/round_trips", || {
        Ok(topology.compile(round_trips::reverse, (round_trips::specs(&DType::ALL),))?)
    })?;
    attempt(results, "gpu/platform/compile/donation", || {
        Ok(topology.compile(|x: Tensor| x + 1.0, (Donated(Spec::f32([1 << 28])),))?)
    })?;
    attempt(results, "gpu/platform/compile/cache", || {
        Ok(topology.compile(probe::deep, probe::specs())?)
    })?;
    attempt(results, "gpu/platform/compile/check_nan", || {
        let compiler = topology.compiler().check_nan(true);
        Ok(compiler.compile(programs::root, (Spec::f32([3]),))?)
    })?;
    Ok(())
}
