//! Arguments and results: views of the program's memory.

use crate::{Outcome, call, client, ffi, run};
use hloom_pjrt::{
    CompileOptions, DType, I4, Program, as_bytes,
    extension::ffi::{CallFrame, Handler, HandlerError, Handlers, HostArrays, HostCopies, Stage},
};
use hloom_test_support::CompileOwn;

pub(crate) struct Double;

impl Handler for Double {
    fn call(frame: &mut CallFrame<'_>) -> Outcome {
        assert_eq!(frame.stage(), Stage::Execute);
        let input = frame.argument(0)?;
        let mut output = frame.result(0)?;
        assert_eq!(input.dims(), output.dims());
        for (y, x) in output.as_mut_slice::<f32>()?.iter_mut().zip(input.as_slice::<f32>()?) {
            *y = 2.0 * x;
        }
        Ok(())
    }
}

#[test]
fn a_handler_works_on_the_programs_memory() {
    ffi().register("test.double", &Handlers::new::<Double>()).expect("a new name");
    // Registering the same again changes nothing.
    ffi().register("test.double", &Handlers::new::<Double>()).expect("the same handler");
    let client = client();
    let shapes: [(&str, &[i64]); 5] = [
        ("tensor<f32>", &[]),
        ("tensor<0xf32>", &[0]),
        ("tensor<1xf32>", &[1]),
        ("tensor<3x5x7xf32>", &[3, 5, 7]),
        ("tensor<4x0x2xf32>", &[4, 0, 2]),
    ];
    for (shape, dims) in shapes {
        let count = dims.iter().product::<i64>() as usize;
        let mut values: Vec<f32> = (0..count).map(|i| i as f32 - 1.5).collect();
        values.iter_mut().take(1).for_each(|first| *first = f32::NAN);
        let input = client.buffer(&values, dims).expect("a buffer");
        let executable = call(&client, "test.double", &[shape], shape, "").expect("it compiles");
        let output =
            run(&executable, &[&input]).expect("it runs").to_vec::<f32>().expect("it is read");
        let bits = |values: &[f32]| values.iter().map(|v| v.to_bits()).collect::<Vec<_>>();
        let doubled: Vec<f32> = values.iter().map(|v| 2.0 * v).collect();
        assert_eq!(bits(&output), bits(&doubled), "{shape}");
    }
}

struct Flips;

impl Handler for Flips {
    fn call(frame: &mut CallFrame<'_>) -> Outcome {
        let input = frame.argument(0)?;
        let mut output = frame.result(0)?;
        match input.dtype() {
            DType::Pred => {
                for (y, x) in
                    output.as_mut_slice::<bool>()?.iter_mut().zip(input.as_slice::<bool>()?)
                {
                    *y = !x;
                }
            }
            DType::S4 => {
                assert_eq!((input.len(), input.byte_len()), (5, 3));
                let message = input.as_slice::<I4>().expect_err("packed").message;
                assert!(message.contains("packed"), "{message}");
                output.as_mut_bytes().iter_mut().zip(input.as_bytes()?).for_each(|(y, x)| *y = !x);
            }
            other => return Err(HandlerError::invalid(other.to_string())),
        }
        Ok(())
    }
}

#[test]
fn booleans_are_checked_and_narrow_integers_are_bytes() {
    ffi().register("test.flips", &Handlers::new::<Flips>()).expect("a new name");
    let client = client();
    let executable =
        call(&client, "test.flips", &["tensor<3xi1>"], "tensor<3xi1>", "").expect("it compiles");
    let input = client.buffer(&[true, false, true], &[3]).expect("a buffer");
    let output = run(&executable, &[&input]).expect("it runs");
    assert_eq!(output.to_vec::<bool>().expect("it is read"), [false, true, false]);
    let odd = client.host_buffer(DType::Pred, &[3]).copy(&[0, 1, 2]).expect("any byte is taken");
    assert!(
        run(&executable, &[&odd])
            .expect_err("2 is not a boolean")
            .to_string()
            .contains("neither 0 nor 1")
    );

    let executable =
        call(&client, "test.flips", &["tensor<5xi4>"], "tensor<5xi4>", "").expect("it compiles");
    let values = [-8, -1, 0, 1, 7].map(I4);
    let input = client.buffer(&values, &[5]).expect("a buffer");
    let output = run(&executable, &[&input]).expect("it runs").to_vec::<I4>().expect("it is read");
    assert_eq!(output, [7, 0, -1, -2, -8].map(I4));
}

struct InPlace;

impl Handler for InPlace {
    fn call(frame: &mut CallFrame<'_>) -> Outcome {
        let input = frame.argument(0)?;
        let mut output = frame.result(0)?;
        assert_eq!(input.as_ptr(), output.as_mut_ptr().cast_const());
        assert_eq!(input.aliased(), Some(0));
        assert!(input.as_slice::<i32>().expect_err("aliased").message.contains("result 0"));
        output.as_mut_slice::<i32>()?.iter_mut().for_each(|value| *value += 1);
        Ok(())
    }
}

#[test]
fn a_result_may_take_the_memory_of_an_argument() {
    ffi().register("test.in_place", &Handlers::new::<InPlace>()).expect("a new name");
    let client = client();
    let text = "func.func @main(%a: tensor<3xi32>) -> tensor<3xi32> {
        %0 = stablehlo.custom_call @test.in_place(%a) {api_version = 4 : i32, \
                output_operand_aliases = [
            #stablehlo.output_operand_alias<output_tuple_indices = [], operand_index = 0, \
                operand_tuple_indices = []>
        ]} : (tensor<3xi32>) -> tensor<3xi32>
        return %0 : tensor<3xi32>
    }";
    let executable =
        client.compile_own(&Program::mlir(text), &CompileOptions::default()).expect("it compiles");
    let input = client.buffer(&[1i32, 2, 3], &[3]).expect("a buffer");
    assert_eq!(
        run(&executable, &[&input]).expect("it runs").to_vec::<i32>().expect("it is read"),
        [2, 3, 4]
    );
    assert_eq!(input.to_vec::<i32>().expect("not donated"), [1, 2, 3]);
}

struct OnCopies;

impl Handler for OnCopies {
    fn call(frame: &mut CallFrame<'_>) -> Outcome {
        let own = frame.argument(0)?.as_ptr();
        let mut arrays = frame.copied_to_host()?;
        {
            let (inputs, mut outputs) = arrays.arrays()?;
            assert_eq!((inputs.len(), outputs.len()), (2, 1));
            assert_eq!((inputs[0].dims(), inputs[1].dtype()), (&[3][..], DType::S8));
            assert_ne!(inputs[0].as_ptr(), own);
            let add = f32::from(inputs[1].as_slice::<i8>()?[0]);
            for (y, x) in
                outputs[0].as_mut_slice::<f32>()?.iter_mut().zip(inputs[0].as_slice::<f32>()?)
            {
                *y = x + add;
            }
        }
        frame.copy_results(&arrays)?;
        // Each result is written once.
        assert!(frame.copy_results(&arrays).is_err());
        Ok(())
    }
}

#[test]
fn a_handler_works_on_copies() {
    ffi().register("test.on_copies", &Handlers::new::<OnCopies>()).expect("a new name");
    let client = client();
    let (x, add) = (
        client.buffer(&[1f32, 2.0, 3.0], &[3]).expect("a buffer"),
        client.buffer(&[-4i8], &[]).expect("a buffer"),
    );
    let types = ["tensor<3xf32>", "tensor<i8>"];
    let executable =
        call(&client, "test.on_copies", &types, "tensor<3xf32>", "").expect("it compiles");
    let output = run(&executable, &[&x, &add]).expect("it runs");
    assert_eq!(output.to_vec::<f32>().expect("it is read"), [-3.0, -2.0, -1.0]);
}

#[test]
fn arrays_of_the_host_share_memory_where_that_is_said() {
    let mut arrays = HostArrays::default();
    arrays.argument(DType::S32, &[2], as_bytes(&[7i32, 8])).expect("memory");
    arrays.result(DType::S32, &[2], 8).expect("memory");
    arrays.result(DType::S32, &[3], 12).expect("memory");
    arrays.alias(0, 0).expect("they are of one size");
    assert!(
        arrays.alias(1, 0).is_err() && arrays.alias(2, 0).is_err() && arrays.alias(0, 1).is_err()
    );
    let (inputs, mut outputs) = arrays.arrays().expect("the bytes are enough");
    assert_eq!(inputs[0].aliased(), Some(0));
    assert!(inputs[0].as_slice::<i32>().is_err());
    assert_eq!(outputs[0].as_mut_slice::<i32>().expect("they are numbers"), [7, 8]);
}
