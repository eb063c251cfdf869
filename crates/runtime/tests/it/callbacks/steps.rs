//! Programs that run in steps compute the same as programs with callbacks.

use super::{Log, compile};
use crate::CPU;
use hloom_graph::{DType, Shape, Spec, Tensor, for_loop};
use hloom_pjrt::ErrorCode;
use hloom_runtime::{
    Buffer, Callback, CallbackBuilder, CallbackContext, CallbackError, Donated, Error, InputView,
    NO_RESULTS, OutputView, Platform, TensorAssert, callback,
};

/// A network with a filter in its middle.
fn network(x: Tensor, w: Tensor) -> (Tensor, Tensor) {
    let hidden = x.dot(w, "in").tanh();
    let filtered =
        callback("median of three", hidden, Spec::of(hidden.shape()), |context, x, mut y| {
            let (x, y) = (x.as_slice::<f32>()?, y.as_slice_mut::<f32>()?);
            assert!(context.stream().is_none() && context.device()?.id() == 0);
            for i in 0..x.len() {
                let mut three = [x[i.saturating_sub(1)], x[i], x[(i + 1).min(x.len() - 1)]];
                three.sort_by(f32::total_cmp);
                y[i] = three[1];
            }
            Ok(())
        });
    let counted = CallbackBuilder::new("count", (filtered, hidden), Spec::i32([0; 0]))
        .attribute("above", 0.25f32)
        .run(|context, (x, h), mut count| {
            let above = context.attributes().scalar::<f32>("above").unwrap();
            let larger = x
                .as_slice::<f32>()?
                .iter()
                .zip(h.as_slice::<f32>()?)
                .filter(|(x, h)| **x > above && x >= h);
            count.as_slice_mut::<i32>()?[0] = larger.count() as i32;
            Ok(())
        });
    ((filtered * hidden).sum(..), counted)
}

#[test]
fn a_program_in_steps_computes_what_the_whole_one_computes() {
    let specs = || (Spec::f32([("in", 32)]), Spec::f32([("out", 64), ("in", 32)]));
    let (whole, stepped) =
        (compile(network, specs()), CPU.compile_in_steps(network, specs()).unwrap());
    assert_eq!(stepped.program_count(), 3);
    let values: Vec<f32> = (0..32 * 64).map(|i| ((i * 37 % 101) as f32 - 50.0) / 200.0).collect();
    let w = Buffer::from_slice(&CPU, &values, [("out", 64), ("in", 32)]).unwrap();
    for round in 0..3 {
        let x = Buffer::from_slice(&CPU, &values[round * 32..][..32], [("in", 32)]).unwrap();
        let (sum, count) = whole.call((&x, &w)).unwrap();
        let (stepped_sum, stepped_count) = stepped.call((&x, &w)).unwrap();
        assert!((sum.item::<f32>().unwrap() - stepped_sum.item::<f32>().unwrap()).abs() < 1e-5);
        assert_eq!(count.item::<i32>().unwrap(), stepped_count.item::<i32>().unwrap());
    }
}

#[test]
fn elements_of_every_dtype_pass_between_the_programs() {
    for dtype in DType::ALL {
        let copy = |x: Tensor| {
            callback("copy", x, Spec::of(x.shape()), |_, x, mut y| {
                y.as_bytes_mut()?.copy_from_slice(x.as_bytes()?);
                Ok(())
            })
        };
        let shape = Shape::new(dtype, [("n", 7)]).unwrap();
        let exe = CPU.compile_in_steps(copy, (Spec::of(shape),)).unwrap();
        let bytes: Vec<u8> = (0..shape.byte_size()).map(|i| u8::from(i % 3 == 0)).collect();
        let x = Buffer::from_bytes(&CPU, shape, &bytes).unwrap();
        assert_eq!(exe.call((&x,)).unwrap().to_bytes().unwrap(), bytes, "{dtype}");
    }
}

#[test]
fn an_output_between_the_programs_has_what_the_input_held() {
    let in_place = |x: Tensor| {
        CallbackBuilder::new("in place", x + 1, Spec::of(x.shape())).alias(0, 0).run(
            |_, x, mut y| {
                assert!(x.as_slice::<f32>().is_err(), "it is the output's memory");
                y.as_slice_mut::<f32>()?.iter_mut().for_each(|y| *y *= 10.0);
                Ok(())
            },
        )
    };
    let exe = CPU.compile_in_steps(in_place, (Spec::f32([3]),)).unwrap();
    let x = Buffer::from_slice(&CPU, &[1f32, 2.0, 3.0], [3]).unwrap();
    assert_eq!(exe.call((&x,)).unwrap().to_vec::<f32>().unwrap(), [20.0, 30.0, 40.0]);
}

struct Add(f32);

impl Callback for Add {
    type Inputs = Spec;
    type Outputs = Spec;

    fn call(
        &self,
        _: &CallbackContext<'_>,
        x: InputView<'_>,
        mut y: OutputView<'_>,
    ) -> Result<(), CallbackError> {
        y.as_slice_mut::<f32>()?[0] = x.item::<f32>()? + self.0;
        Ok(())
    }
}

#[test]
fn effects_states_donations_and_failures_are_as_in_whole_programs() {
    let log = Log::default();
    let kept = log.clone();
    let program = move |x: Tensor| {
        let log = kept.clone();
        let [] = callback("note", x, NO_RESULTS, move |_, x, _| {
            log.push(1, x.item::<f32>()?);
            Ok(())
        });
        let y = CallbackBuilder::new("add", x * 2, Spec::of(x.shape())).bound::<Add>();
        y.assert(|y| y.lt(100), "too much").reuse(x)
    };
    let exe = CPU.compile_in_steps(program, (Donated(Spec::f32([1])),)).unwrap();
    let one = |value: f32| Buffer::from_slice(&CPU, &[value], [1]).unwrap();
    assert!(matches!(exe.call((one(3.0),)), Err(Error::Unbound { .. })));
    exe.bind_callback(Add(0.5)).unwrap();
    assert_eq!(exe.call((one(3.0),)).unwrap().item::<f32>().unwrap(), 6.5);
    let error = exe.call((one(60.0),)).map(drop).expect_err("120 is too much");
    let Error::Callback(failure) = error else {
        panic!("{error}");
    };
    assert_eq!((failure.code, &*failure.callback), (ErrorCode::FailedPrecondition, "assert"));
    assert!(failure.message.starts_with("too much"), "{failure}");
    assert_eq!(log.take(), [(1, 3.0), (1, 60.0)]);
}

#[test]
fn a_platform_that_runs_no_code_of_others_says_so_when_a_program_with_callbacks_is_compiled() {
    // The libraries of a test's dependencies are in its own folder; this plugin has no FFI.
    let name =
        format!("{}fake_plugin{}", std::env::consts::DLL_PREFIX, std::env::consts::DLL_SUFFIX);
    let built = std::env::current_exe().expect("a test has a file").with_file_name(name);
    let folder = tempfile::tempdir().expect("a temporary folder");
    let plugin = folder.path().join(fake_plugin::Lies::default().file_name());
    std::fs::copy(built, &plugin).expect("the fake plugin was built");
    let platform = Platform::load(&plugin).expect("it creates a client");
    let line = line!() + 1;
    let program = |x: Tensor| callback("seen", x, Spec::of(x.shape()), |_, _, _| Ok(()));
    let error =
        platform.compile(program, (Spec::f32([1]),)).map(drop).expect_err("it cannot call back");
    assert!(matches!(error, Error::NoCallbacks { .. }), "{error}");
    let said = error.to_string();
    assert!(
        said.contains("cannot call back into Rust") && said.contains("Platform::compile_in_steps"),
        "{said}"
    );
    assert!(said.contains(&format!("`seen` at {}:{line}", file!())), "{said}");
}

#[test]
fn a_callback_inside_of_a_loop_cannot_be_a_step() {
    let looped = |x: Tensor| {
        for_loop(2, x, |_, x| callback("inner", x, Spec::of(x.shape()), |_, _, _| Ok(())))
    };
    let error = CPU
        .compile_in_steps(looped, (Spec::f32([1]),))
        .map(drop)
        .expect_err("it stands in a loop")
        .to_string();
    assert!(error.contains("callback `inner` is inside of a body"), "{error}");
}
