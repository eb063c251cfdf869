//! A callback that uses the platform of its own program: it works or is refused, and never hangs.

use crate::{
    Result,
    attempt::{attempt, ensure},
    results::Results,
};
use hloom::{Buffer, CallbackError, Error, Platform, Spec, Tensor, callbacks::CallbackBuilder};
use hloom_pjrt::Error::NestedLaunch;

/// The start of the message of a call that is refused.
const REFUSED: &str = "refused";

pub fn run(platform: &Platform, results: &mut Results) -> Result {
    attempt(results, "gpu/callbacks/nested", || {
        let inner = platform.compile(|x: Tensor| x * 2.0, (Spec::f32([2]),))?;
        let own = platform.clone();
        let outer = move |x: Tensor| {
            let (inner, own) = (inner.clone(), own.clone());
            let call = CallbackBuilder::new("nested", x + 1.0, Spec::f32([2])).on_host();
            call.run(move |_, x, mut y| {
                let x = Buffer::from_slice(&own, x.as_slice::<f32>()?, [2])?;
                let found = inner.call((&x,)).and_then(|y| y.to_vec::<f32>()).map_err(refusal)?;
                y.as_slice_mut::<f32>()?.copy_from_slice(&found);
                Ok(())
            })
        };
        let exe = platform.compile(outer, (Spec::f32([2]),))?;
        let x = Buffer::from_slice(platform, &[1f32, 2.0], [2])?;
        for _ in 0..3 {
            match exe.call((&x,)).and_then(|y| y.to_vec::<f32>()) {
                Ok(found) => {
                    ensure(found == [4.0, 6.0], || format!("[4, 6] expected, {found:?} found"))?;
                    println!("nested: the inner program ran");
                }
                Err(Error::Callback(failure)) => {
                    println!("nested: refused: {failure}");
                    ensure(failure.message.starts_with(REFUSED), || failure.to_string())?;
                }
                Err(other) => return Err(other.into()),
            }
        }
        Ok(())
    })?;
    Ok(())
}

/// The error of an inner call, in which a refusal is marked.
fn refusal(error: Error) -> CallbackError {
    match &error {
        Error::Plugin { source, .. } if matches!(**source, NestedLaunch { .. }) => {
            CallbackError::new(format!("{REFUSED}: {error}"))
        }
        _ => CallbackError::from(error),
    }
}
