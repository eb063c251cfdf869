//! Checks of buffers and compiled programs against a signature.

use crate::{
    Buffer, CallProblem, Input, Platform, Signature,
    pjrt_types::{dims_i64, to_pjrt},
};
use hloom_graph::Shape;
use hloom_pjrt::LoadedExecutable;

/// Checks that the compiled program has the results of the graph, which determines their count and
/// types from here on.
pub(super) fn check_results(
    loaded: &LoadedExecutable,
    signature: &Signature,
) -> hloom_pjrt::Result<()> {
    let (found, expected) = (loaded.outputs(), &signature.outputs);
    let wrong = |message: String| Err(hloom_pjrt::Error::Argument(message));
    if found.len() != expected.len() {
        let message = format!(
            "the compiled program returns {} results, expected {}",
            found.len(),
            expected.len()
        );
        return wrong(message);
    }
    for (found, output) in found.iter().zip(expected) {
        let expected =
            hloom_pjrt::Spec::new(to_pjrt(output.shape.dtype()), dims_i64(output.local()));
        if **found != expected {
            return wrong(format!(
                "{} of the compiled program is {found}, expected {expected}",
                output.name
            ));
        }
    }
    Ok(())
}

/// The mismatch between a buffer and an input of a program for `platform`.
pub(super) fn misfit(platform: &Platform, input: &Input, buffer: &Buffer) -> Option<CallProblem> {
    shape_mismatch(&input.name, input.shape, buffer)
        .or_else(|| foreign(platform, &input.name, buffer))
        .or_else(|| sharding_mismatch(input, buffer))
}

fn foreign(platform: &Platform, name: &str, buffer: &Buffer) -> Option<CallProblem> {
    let (ours, theirs) = (platform.client(), buffer.as_pjrt().client());
    (ours.as_ptr() != theirs.as_ptr()).then(|| CallProblem::Device {
        name: name.into(),
        expected: format!("a buffer of this {} platform", ours.platform_name()),
        found: format!("one of another {} platform", theirs.platform_name()),
    })
}

/// The mismatch of a buffer's shape. Names are compared where both sides have them.
pub(crate) fn shape_mismatch(name: &str, expected: Shape, buffer: &Buffer) -> Option<CallProblem> {
    let found = buffer.shape();
    let names_agree = expected
        .names()
        .iter()
        .zip(found.names())
        .all(|(a, b)| a.is_none() || b.is_none() || a == b);
    (!expected.same_layout(&found) || !names_agree).then(|| CallProblem::Shape {
        name: name.into(),
        expected,
        found,
    })
}

/// The mismatch of a buffer's sharding.
fn sharding_mismatch(input: &Input, buffer: &Buffer) -> Option<CallProblem> {
    (!buffer.lies_as(input.sharding.as_ref())).then(|| CallProblem::Sharding {
        name: input.name.clone(),
        expected: match &input.sharding {
            Some(sharding) => {
                format!("{} over {}", sharding.describe(&input.shape), sharding.mesh().describe())
            }
            None => format!("{} on one device", input.shape),
        },
        found: buffer.describe(),
    })
}
