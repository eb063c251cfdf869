//! Compiling every program of this part for a device that need not be here.

use super::programs::{
    asserted, copied, deferred, failing, host_scale, in_place, looped, printed, refused, replayed,
    scalars, scaled, watched,
};
use crate::{Result, attempt::attempt, results::Results};
use hloom::{
    DType, Donated, Spec, Topology,
    runtime::{Args, Function, ResultTree},
};
use std::sync::Arc;

pub fn run(target: &str, results: &mut Results) -> Result {
    let topology = Topology::parse(target)?;
    let mut all = All { topology: &topology, results };
    let spec = || (Spec::f32([1000]),);
    let (runs, work) = (Arc::default(), || host_scale(1.0));
    all.compile("copied", copied, (Spec::u8([1000]),))?;
    all.compile("scalars", scalars, (Spec::f32([1000]), Spec::new(DType::I32, [1000])))?;
    all.compile("looped", looped, spec())?;
    all.compile("scaled", scaled(work()), spec())?;
    all.compile("replayed", replayed(host_scale, &runs), spec())?;
    all.compile("in_place", in_place(work()), (Donated(Spec::f32([1000])),))?;
    all.compile("deferred", deferred(work()), spec())?;
    all.compile("refused", refused, spec())?;
    all.compile("failing", failing(work(), &runs), spec())?;
    all.compile("watched", watched, spec())?;
    all.compile("printed", printed, spec())?;
    all.compile("asserted", asserted, spec())
}

struct All<'a> {
    topology: &'a Topology,
    results: &'a mut Results,
}

impl All<'_> {
    fn compile<A: Args, F: Function<A, Passing>, Passing>(
        &mut self,
        name: &str,
        function: F,
        arguments: A,
    ) -> Result
    where
        F::Output: ResultTree,
    {
        let topology = self.topology;
        attempt(self.results, &format!("gpu/callbacks/compile/{name}"), || {
            Ok(topology.compile(function, arguments)?.to_bytes().len())
        })?;
        Ok(())
    }
}
