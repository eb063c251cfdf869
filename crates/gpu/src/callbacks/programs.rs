//! The programs of this part.

use hloom::{
    CallbackContext, CallbackError, Spec, Tensor, callback,
    callbacks::{CallbackBuilder, InputView, NO_RESULTS, OutputView, TensorAssert, TensorPrint},
    host_fn,
    ops::for_loop,
};
use std::{
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    thread,
    time::Duration,
};

/// Computes an output from an input, on the device or on the host.
pub type Work = Arc<
    dyn Fn(&CallbackContext<'_>, &InputView<'_>, &mut OutputView<'_>) -> Result<(), CallbackError>
        + Send
        + Sync,
>;

/// The factors of a program that calls several functions.
pub const FACTORS: [f32; 8] = [3.0, 0.5, 3.0, 0.5, 3.0, 2.0, 1.0, 2.0];

/// The calls of a loop.
pub const LOOP: usize = 10;

/// A copy by the host, with the bits of the first byte inverted.
pub fn copied(x: Tensor) -> Tensor {
    let call = CallbackBuilder::new("copy", x, Spec::of(x.shape())).on_host();
    call.run(|_, x, mut y| {
        let y = y.as_bytes_mut()?;
        y.copy_from_slice(x.as_bytes()?);
        if let Some(first) = y.first_mut() {
            *first = !*first;
        }
        Ok(())
    })
}

/// Functions of one, two and three scalars.
pub fn scalars(x: Tensor, i: Tensor) -> Tensor {
    let square = host_fn("square", |x: f32| x * x);
    let shift = host_fn("shift", |x: f32, i: i32| x + i as f32);
    let choose = host_fn("choose", |x: f32, y: f32, i: i32| if i % 2 == 0 { x } else { y });
    choose((square(x), shift((x, i)), i))
}

/// A callback on the host in each iteration of a loop.
pub fn looped(x: Tensor) -> Tensor {
    for_loop(LOOP, x, |_, x| {
        let call = CallbackBuilder::new("add one", x, Spec::of(x.shape())).on_host();
        call.run(|_, x, mut y| {
            let (x, y) = (x.as_slice::<f32>()?, y.as_slice_mut::<f32>()?);
            y.iter_mut().zip(x).for_each(|(y, x)| *y = x + 1.0);
            Ok(())
        })
    })
}

/// A callback on the memory that the program uses, between other ops.
pub fn scaled(work: Work) -> impl Fn(Tensor) -> Tensor {
    move |x| {
        let (x, work) = (x + 1.0, work.clone());
        let spec = Spec::of(x.shape());
        callback("scale", x, spec, move |context, x, mut y| work(context, &x, &mut y)) - 1.0
    }
}

/// Callbacks that may be recorded and replayed; `runs` counts how often they were called.
pub fn replayed(work: impl Fn(f32) -> Work, runs: &Arc<AtomicUsize>) -> impl Fn(Tensor) -> Tensor {
    let steps = FACTORS.map(work);
    let runs = runs.clone();
    move |x| {
        steps.iter().fold(x, |x, work| {
            let (work, runs) = (work.clone(), runs.clone());
            let call = CallbackBuilder::new("replayed", x, Spec::of(x.shape()));
            call.command_buffer_compatible().run(move |context, x, mut y| {
                runs.fetch_add(1, Ordering::Relaxed);
                work(context, &x, &mut y)
            })
        })
    }
}

/// A callback that writes its output to the memory of its input.
pub fn in_place(work: Work) -> impl Fn(Tensor) -> Tensor {
    move |x| {
        let work = work.clone();
        let call = CallbackBuilder::new("in place", x, Spec::of(x.shape())).alias(0, 0);
        call.run(move |context, x, mut y| work(context, &x, &mut y))
    }
}

/// A callback that another thread completes after it has returned.
pub fn deferred(work: Work) -> impl Fn(Tensor) -> Tensor {
    move |x| {
        let work = work.clone();
        let call = CallbackBuilder::new("deferred", x, Spec::of(x.shape()));
        let y = call.run_deferred(move |context, mut call| {
            call.with(|x, mut y| work(context, &x, &mut y))?;
            context.spawn(move || {
                thread::sleep(Duration::from_millis(20));
                call.complete(Ok(()));
            })
        });
        y + 1.0
    }
}

/// A callback on the host that fails below 0, and panics above 100.
pub fn refused(x: Tensor) -> Tensor {
    let call = CallbackBuilder::new("refuse", x, Spec::of(x.shape())).on_host();
    call.run(|_, x, mut y| {
        let x = x.as_slice::<f32>()?;
        if x[0] < 0.0 {
            return Err(CallbackError::new(format!("{} is negative", x[0])));
        }
        assert!(x[0] <= 100.0, "{} is large", x[0]);
        y.as_slice_mut::<f32>()?.copy_from_slice(x);
        Ok(())
    })
}

/// A callback on the program's memory that fails at its second run.
pub fn failing(work: Work, runs: &Arc<AtomicUsize>) -> impl Fn(Tensor) -> Tensor {
    let runs = runs.clone();
    move |x| {
        let (work, runs) = (work.clone(), runs.clone());
        callback("fail", x, Spec::of(x.shape()), move |context, x, mut y| {
            if runs.fetch_add(1, Ordering::Relaxed) == 1 {
                return Err(CallbackError::new("the second run fails"));
            }
            work(context, &x, &mut y)
        })
    }
}

/// A callback without results that fails below 0, in a program without results.
pub fn watched(x: Tensor) -> [Tensor; 0] {
    CallbackBuilder::new("watch", x, NO_RESULTS).on_host().run(|_, x, _| {
        let x = x.as_slice::<f32>()?;
        if x[0] < 0.0 { Err(CallbackError::new(format!("{} is seen", x[0]))) } else { Ok(()) }
    })
}

/// Prints its argument.
pub fn printed(x: Tensor) -> Tensor {
    x.print("values").print_stats("statistics") * 2.0
}

/// Asserts that its argument is not negative.
pub fn asserted(x: Tensor) -> Tensor {
    x.assert(|x| x.ge(0), "values are not negative").sqrt()
}

/// Work of the host, where programs run there.
pub fn host_scale(factor: f32) -> Work {
    Arc::new(move |_, x, y| {
        let (x, y) = (x.as_slice::<f32>()?, y.as_slice_mut::<f32>()?);
        y.iter_mut().zip(x).for_each(|(y, x)| *y = factor * x);
        Ok(())
    })
}

/// As [`host_scale`], for an output that has the memory of the input.
pub fn host_scale_in_place(factor: f32) -> Work {
    Arc::new(move |_, _, y| {
        y.as_slice_mut::<f32>()?.iter_mut().for_each(|y| *y *= factor);
        Ok(())
    })
}
