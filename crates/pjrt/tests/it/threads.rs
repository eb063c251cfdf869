//! Eight threads on one client (G15).

use crate::{ADD_IN_PLACE, client_with, expect_alive, in_child};
use hloom_pjrt::{
    Alive, Client, CompileOptions, DType, Donation, ExecuteOptions, Program, alive, as_bytes,
};
use hloom_test_support::CompileOwn;
use std::sync::atomic::{AtomicUsize, Ordering};

const THREADS: usize = 8;
const EXECUTIONS: usize = 2_000;

/// Bytes of memory that are resident.
fn resident() -> usize {
    let statm = std::fs::read_to_string("/proc/self/statm").unwrap();
    statm.split(' ').nth(1).unwrap().parse::<usize>().unwrap() * 4096
}

/// Each program multiplies by its own number: a wrong result shows.
fn program(factor: usize, len: usize) -> String {
    format!(
        "func.func @main(%a: tensor<{len}xf32>, %b: tensor<{len}xf32>) -> (tensor<{len}xf32>, \
         tensor<{len}xf32>) {{
          %c = stablehlo.constant dense<{factor}.0> : tensor<{len}xf32>
          %0 = stablehlo.multiply %a, %c : tensor<{len}xf32>
          %1 = stablehlo.add %0, %b : tensor<{len}xf32>
          return %0, %1 : tensor<{len}xf32>, tensor<{len}xf32>
        }}"
    )
}

/// Compiles, uploads, executes, donates, reads.
fn work(client: &Client, index: usize) {
    let (factor, len) = (index % 13 + 2, 256 + index % 7);
    let device = &client.devices()[index % 2];
    let mut options = CompileOptions::new();
    options.device_assignment = Some(vec![device.id()]);
    let executable = client.compile_own(&Program::mlir(program(factor, len)), &options).unwrap();
    let dims = [len as i64];
    let upload = |value: f32| {
        client
            .host_buffer(DType::F32, &dims)
            .on_device(device)
            .copy(as_bytes(&vec![value; len]))
            .unwrap()
    };
    let (a, b) = (upload(index as f32), upload(1.0));
    let results = executable
        .execute(&[&a, &b], &ExecuteOptions::new().donate(Donation::Indices(&[1])))
        .unwrap();
    let product = (index * factor) as f32;
    let transfer = results[0].to_vec_async::<f32>().unwrap();
    assert!(results[1].to_vec::<f32>().unwrap().iter().all(|&v| v == product + 1.0));
    assert!(transfer.wait().unwrap().iter().all(|&v| v == product));
}

#[test]
fn eight_threads_share_a_client_without_leaks_or_wrong_results() {
    // In a process of its own: the memory of the other tests is not counted.
    let output = in_child("threads::child_eight_threads", &[]);
    let resident =
        output.find("resident:").map(|at| output[at..].lines().next().unwrap_or_default());
    println!("{}", resident.expect("the child says how much it used"));
}

#[test]
#[ignore = "measures the memory of the process; run by the test above"]
fn child_eight_threads() {
    let client = client_with(2);
    let done = AtomicUsize::new(0);
    let samples: Vec<AtomicUsize> = (0..=EXECUTIONS).map(|_| AtomicUsize::new(0)).collect();
    std::thread::scope(|scope| {
        for _ in 0..THREADS {
            scope.spawn(|| {
                loop {
                    let index = done.fetch_add(1, Ordering::SeqCst);
                    if index >= EXECUTIONS {
                        break;
                    }
                    work(&client, index);
                    samples[index].store(resident(), Ordering::SeqCst);
                }
            });
        }
    });
    expect_alive(&client, Alive::default());
    assert_eq!(alive(), Alive::default(), "of all clients");
    // The mean of the last quarter against that of the third: single samples jump with the threads.
    let mean = |range: std::ops::Range<usize>| {
        let sum: usize = samples[range.clone()].iter().map(|s| s.load(Ordering::SeqCst)).sum();
        sum / range.len()
    };
    let (third, last) =
        (mean(EXECUTIONS / 2..EXECUTIONS * 3 / 4), mean(EXECUTIONS * 3 / 4..EXECUTIONS));
    println!("resident: {} MB, then {} MB", third >> 20, last >> 20);
    let growth = last as f64 / third as f64;
    assert!(growth < 1.02, "resident memory grew by a factor of {growth}: {third} to {last} bytes");
}

#[test]
fn threads_race_for_one_donation() {
    let client = client_with(1);
    let executable = crate::compile(&client, ADD_IN_PLACE);
    let b = client.buffer(&[1.0f32, 1.0], &[2]).unwrap();
    for _ in 0..200 {
        let a = client.buffer(&[1.0f32, 2.0], &[2]).unwrap();
        let won = AtomicUsize::new(0);
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| {
                    let options = ExecuteOptions::new().donate(Donation::Indices(&[0]));
                    if let Ok(results) = executable.execute(&[&a, &b], &options) {
                        won.fetch_add(1, Ordering::SeqCst);
                        assert_eq!(results[0].to_vec::<f32>().unwrap(), [2.0, 3.0]);
                    }
                });
            }
        });
        assert_eq!(won.load(Ordering::SeqCst), 1);
        assert!(a.is_donated());
    }
}

#[test]
fn handles_may_be_sent_and_shared() {
    fn check<T: Send + Sync>() {}
    check::<hloom_pjrt::Plugin>();
    check::<hloom_pjrt::Client>();
    check::<hloom_pjrt::Device>();
    check::<hloom_pjrt::Memory>();
    check::<hloom_pjrt::Topology>();
    check::<hloom_pjrt::Buffer>();
    check::<hloom_pjrt::Event>();
    check::<hloom_pjrt::Executable>();
    check::<hloom_pjrt::LoadedExecutable>();
    check::<hloom_pjrt::ExecuteContext>();
    check::<hloom_pjrt::TransferManager>();
    check::<hloom_pjrt::HostTransfer<f32>>();
    check::<hloom_pjrt::HostLease<Vec<u8>>>();
    check::<hloom_pjrt::SharedBuffer<f32>>();
    check::<hloom_pjrt::HostView<'_>>();
    check::<hloom_pjrt::Error>();
}
