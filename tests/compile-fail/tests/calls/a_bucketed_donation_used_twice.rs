//! A buffer that is donated to a function compiled for buckets is gone after the call.

use hloom_graph::{Spec, Tensor};
use hloom_runtime::{BucketedExe, Buffer, Donated, Result};

type Step = BucketedExe<(Donated<Spec>,), Tensor>;

fn step_twice(step: Step, cache: Buffer) -> Result<(Buffer, Buffer)> {
    Ok((step.call((cache,))?, step.call((cache,))?))
}

fn main() {}
