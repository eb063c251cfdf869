//! Printing and assertions in programs.

use super::{
    failures::is_failure,
    programs::{asserted, printed},
};
use crate::{
    Result,
    attempt::{attempt, ensure},
    results::Results,
};
use hloom::{
    Buffer, Platform, Spec,
    callbacks::{reset_print_sink, set_print_sink},
};
use std::sync::{Arc, Mutex, PoisonError};

pub fn run(platform: &Platform, results: &mut Results) -> Result {
    attempt(results, "gpu/callbacks/print", || {
        let lines = Arc::new(Mutex::new(Vec::new()));
        let kept = lines.clone();
        set_print_sink(move |text| {
            kept.lock().unwrap_or_else(PoisonError::into_inner).push(text.to_owned());
        });
        let called = print(platform);
        reset_print_sink();
        called?;
        let lines = lines.lock().unwrap_or_else(PoisonError::into_inner);
        let expected = [
            "values: f32[n=3] = [ 1.  -2.   0.5]",
            "statistics: f32[n=3]: min -2, max 1, mean -0.16666667, 0 NaN",
        ];
        ensure(*lines == expected, || format!("{expected:?} expected, {lines:?} found"))
    })?;
    attempt(results, "gpu/callbacks/assert", || {
        let exe = platform.compile(asserted, (Spec::f32([3]),))?;
        let call = |values: [f32; 3]| -> hloom::Result<Vec<f32>> {
            exe.call((&Buffer::from_slice(platform, &values, [3])?,))?.to_vec()
        };
        let words = ["values are not negative: false for 2 of 3 elements, the first at [1]"];
        for _ in 0..2 {
            let found = call([4.0, 9.0, 0.0])?;
            ensure(found == [2.0, 3.0, 0.0], || format!("[2, 3, 0] expected, {found:?} found"))?;
            is_failure(call([4.0, -9.0, -1.0]).map(drop), &words)?;
        }
        Ok(())
    })?;
    Ok(())
}

fn print(platform: &Platform) -> Result {
    let exe = platform.compile(printed, (Spec::f32([("n", 3)]),))?;
    let x = Buffer::from_slice(platform, &[1f32, -2.0, 0.5], [("n", 3)])?;
    let found = exe.call((&x,))?.to_vec::<f32>()?;
    ensure(found == [2.0, -4.0, 1.0], || format!("[2, -4, 1] expected, {found:?} found"))
}
