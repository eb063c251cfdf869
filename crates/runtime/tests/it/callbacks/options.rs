//! Options of the callback builder.

use crate::CPU;
use hloom_graph::{Effect, Spec, Tensor, custom_call};
use hloom_runtime::{Buffer, CallbackBuilder, Exe, ModuleForm};
use std::sync::{Arc, Mutex};

/// Compiles for the CPU; returns the module too.
fn compile_with_module(f: impl Fn(Tensor) -> Tensor) -> (Exe<(Spec,), Tensor>, String) {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let exe = CPU.compiler().dump(folder.path()).compile(f, (Spec::f32([3]),)).unwrap();
    let files = std::fs::read_dir(folder.path()).unwrap().map(|file| file.unwrap().path());
    let module = files.into_iter().find(|path| path.to_string_lossy().ends_with("stablehlo.mlir"));
    (exe, std::fs::read_to_string(module.expect("it was dumped")).unwrap())
}

fn doubled(
    build: impl Fn(CallbackBuilder<Spec, Spec>) -> CallbackBuilder<Spec, Spec>,
    x: Tensor,
) -> Tensor {
    build(CallbackBuilder::new("double", x, Spec::of(x.shape()))).run(|_, x, mut y| {
        for (y, x) in y.as_slice_mut::<f32>()?.iter_mut().zip(x.as_slice::<f32>()?) {
            *y = 2.0 * x;
        }
        Ok(())
    })
}

/// C7: a callback that can be part of a command buffer is marked as such.
#[test]
fn a_call_that_can_be_recorded_and_replayed_has_a_target_that_says_so() {
    let x = Buffer::from_slice(&CPU, &[1f32, 2.0, 3.0], [3]).unwrap();
    for (compatible, target) in
        [(true, "\"hloom.callback.v1.command_buffer\""), (false, "\"hloom.callback.v1\"")]
    {
        let build = |call: CallbackBuilder<Spec, Spec>| {
            if compatible { call.command_buffer_compatible() } else { call }
        };
        let (exe, module) = compile_with_module(|x| doubled(build, x));
        assert!(module.contains(target), "{module}");
        assert_eq!(exe.call((&x,)).unwrap().to_vec::<f32>().unwrap(), [2.0, 4.0, 6.0]);
    }
}

/// C6: where the program runs on the host, a callback on host memory copies nothing.
#[test]
fn on_the_cpu_the_inputs_of_calls_on_the_host_are_not_copied() {
    let seen = Arc::new(Mutex::new(Vec::new()));
    let kept = seen.clone();
    let (exe, module) = compile_with_module(move |x| {
        let kept = kept.clone();
        CallbackBuilder::new("seen", x, Spec::of(x.shape())).on_host().run(move |_, x, mut y| {
            kept.lock().unwrap().push(x.as_ptr() as usize);
            y.as_slice_mut::<f32>()?.copy_from_slice(x.as_slice()?);
            Ok(())
        })
    });
    assert!(module.contains("\"hloom.callback.v1.on_host\""), "{module}");
    let x = Buffer::from_slice(&CPU, &[1f32, 2.0, 3.0], [3]).unwrap();
    assert_eq!(exe.call((&x,)).unwrap().to_vec::<f32>().unwrap(), [1.0, 2.0, 3.0]);
    assert_eq!(*seen.lock().unwrap(), [x.as_pjrt().unsafe_pointer().unwrap()]);
}

#[test]
fn options_that_exclude_each_other_are_errors() {
    let both = |x: Tensor| doubled(|call| call.on_host().command_buffer_compatible(), x);
    let error = CPU.compile(both, (Spec::f32([3]),)).map(drop).expect_err("it waits").to_string();
    let said = "`double`: copying to the host waits for the device";
    assert!(error.contains(said) && error.contains("options.rs:"), "{error}");
    let later = |x: Tensor| {
        let call = CallbackBuilder::new("later", x, Spec::of(x.shape())).on_host();
        call.run_deferred(|_, call| {
            call.complete(Ok(()));
            Ok(())
        })
    };
    let error =
        CPU.compile(later, (Spec::f32([3]),)).map(drop).expect_err("it is later").to_string();
    assert!(error.contains("`later`: a call that is completed later has no copies"), "{error}");
    let replayed = |x: Tensor| {
        let call = CallbackBuilder::new("replayed", x, Spec::of(x.shape()));
        call.command_buffer_compatible().run_deferred(|_, call| {
            call.complete(Ok(()));
            Ok(())
        })
    };
    let error = CPU.compile(replayed, (Spec::f32([3]),)).map(drop).expect_err("it is recorded");
    let said = "`replayed`: a command buffer cannot record what a call does later";
    assert!(error.to_string().contains(said), "{error}");
}

#[test]
fn an_alias_of_another_shape_is_an_error() {
    let wrong = |x: Tensor| {
        let call = CallbackBuilder::new("wrong", x, Spec::f32([4])).alias(0, 0);
        call.run(|_, _, _| Ok(()))
    };
    let line = line!() - 3;
    let error =
        CPU.compile(wrong, (Spec::f32([3]),)).map(drop).expect_err("3 is not 4").to_string();
    assert!(
        error.contains("`wrong`: result 0 is f32[4], operand 0, whose memory it takes, f32[3]"),
        "{error}"
    );
    assert!(error.contains(&format!("options.rs:{line}")), "{error}");
}

/// C17: frontend attributes of custom calls and callbacks are in the module, in both forms, and in
/// the plugin's optimized program; calls that differ in them are not merged.
#[test]
fn frontend_attributes_reach_the_compiled_program() {
    let program = |x: Tensor| {
        let call = |text: &str| {
            CallbackBuilder::new("double", x, Spec::of(x.shape()))
                .pure()
                .frontend_attribute("acme.note", text)
                .frontend_attribute("acme.other", "a \"word\"")
                .run(|_, x, mut y| {
                    for (y, x) in y.as_slice_mut::<f32>()?.iter_mut().zip(x.as_slice::<f32>()?) {
                        *y = 2.0 * x;
                    }
                    Ok(())
                })
        };
        call("here comes the first") + call("and the second") + call("and the second")
    };
    let x = Buffer::from_slice(&CPU, &[1f32, 2.0, 3.0], [3]).unwrap();
    for form in [ModuleForm::default(), ModuleForm::Text] {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let compiler = CPU.compiler().form(form).dump(folder.path());
        let exe = compiler.compile(program, (Spec::f32([3]),)).unwrap();
        assert_eq!(exe.call((&x,)).unwrap().to_vec::<f32>().unwrap(), [6.0, 12.0, 18.0]);
        let files = std::fs::read_dir(folder.path()).unwrap().map(|file| file.unwrap().path());
        let module =
            files.into_iter().find(|path| path.to_string_lossy().ends_with("stablehlo.mlir"));
        let module = std::fs::read_to_string(module.expect("it was dumped")).unwrap();
        assert_eq!(module.matches("mhlo.frontend_attributes").count(), 2, "{module}");
        let (_, optimized) = exe.any().optimized_program().expect("the plugin returns it");
        let optimized = String::from_utf8_lossy(&optimized);
        for text in ["acme.note", "here comes the first", "and the second", "acme.other"] {
            assert!(optimized.contains(text), "{text} is not in {optimized}");
        }
    }
    let graph = hloom_runtime::trace_function(
        |x: Tensor| {
            let call = custom_call("acme.call", x, Spec::of(x.shape())).effect(Effect::Ordered);
            call.frontend_attribute("key", "value").call()
        },
        (Spec::f32([1]),),
    );
    let text = format!("{:#}", graph.unwrap());
    assert!(text.contains("frontend {\"key\": \"value\"}"), "{text}");
}
