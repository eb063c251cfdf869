//! A small run of everything, for leak checkers:
//! `crates/pjrt/tests/leaks.sh`, or the checker of your choice on
//! `<this test's executable> --exact leak::everything_once --ignored --test-threads=1`.

use crate::{ADD_IN_PLACE, client_with, compile, expect_alive};
use hloom_pjrt::{AlignedVec, Alive, DType, Donation, ExecuteContext, ExecuteOptions, Spec};
use hloom_test_support::CompileOwn;

#[test]
#[ignore = "shows nothing by itself: run by `tests/leaks.sh` under a leak checker"]
fn everything_once() {
    let client = client_with(2);
    for round in 0..20 {
        let executable = compile(&client, ADD_IN_PLACE);
        let owner = AlignedVec::from_slice(&[1.0f32, round as f32]).unwrap();
        let (a, lease) = client.host_buffer(DType::F32, &[2]).zero_copy_mut(owner).unwrap();
        let manager = client.transfer_manager(&[Spec::new(DType::F32, [2])], None).unwrap();
        let b = manager.take_buffer(0).unwrap();
        manager.transfer(0, 0, AlignedVec::from_slice(&[1.0f32; 2]).unwrap(), true).unwrap();
        let context = ExecuteContext::new(&client).unwrap();
        context.keep(Box::new(vec![round]));
        let options = ExecuteOptions::new().context(&context).donate(Donation::Indices(&[0]));
        let results = executable.execute(&[&a, &b], &options).unwrap();
        assert_eq!(results[0].to_vec::<f32>().unwrap(), [2.0, round as f32 + 1.0]);
        assert!(executable.execute(&[&a, &b], &options).is_err());
        drop(results[0].to_vec_async::<f32>().unwrap());
        drop(results[0].copy_to_device(&client.devices()[1]).unwrap());
        drop((a, results));
        drop(lease.wait().unwrap());
        executable.executable().optimized_program().unwrap();
        executable.executable().cost_analysis().unwrap();
        executable.executable().serialize().unwrap();
        let mut shared =
            client.shared_buffer(AlignedVec::<i32>::zeroed(4).unwrap(), &[4], None).unwrap();
        shared.write().unwrap()[0] = 1;
        drop(shared);
        assert!(client.compile_own(&hloom_pjrt::Program::mlir("no"), &Default::default()).is_err());
    }
    expect_alive(&client, Alive::default());
    client.shutdown().expect("nothing is left");
}
