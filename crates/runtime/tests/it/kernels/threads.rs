//! The number of threads that compute.

use super::buffer;
use crate::CPU;
use hloom_graph::{DType, Spec, Tensor};
use hloom_test_support::{Child, is_child};
use std::{
    fs, thread,
    time::{Duration, Instant},
};

/// In the order in which they count.
const VARIABLES: [&str; 2] = ["PJRT_NPROC", "NPROC"];

/// The number of threads of this process whose names begin with a text.
fn count(prefix: &str) -> usize {
    let threads = fs::read_dir("/proc/self/task").expect("Linux lists the threads");
    let names = threads.flatten().filter_map(|at| fs::read_to_string(at.path().join("comm")).ok());
    names.filter(|name| name.starts_with(prefix)).count()
}

#[test]
fn one_setting_is_for_the_plugin_and_the_kernels() {
    const TEST: &str = "kernels::threads::one_setting_is_for_the_plugin_and_the_kernels";
    if is_child() {
        let expected = VARIABLES.iter().find_map(|name| std::env::var(name).ok());
        let expected: usize = expected.map_or(1, |count| count.parse().unwrap());
        let (x, w) = (buffer(DType::BF16, [1, 256], 1), buffer(DType::BF16, [512, 256], 2));
        let specs = [[("row", 1), ("in", 256)], [("out", 512), ("in", 256)]];
        let [x_spec, w_spec] = specs.map(|dims| Spec::new(DType::BF16, dims));
        let product = |x: Tensor, w: Tensor| x.dot(w, "in");
        CPU.compile(product, (x_spec, w_spec)).unwrap().call((&x, &w)).unwrap();
        // A thread has its name a moment after it was started.
        let deadline = Instant::now() + Duration::from_secs(10);
        while count("hloom-kernel-") < expected - 1 && Instant::now() < deadline {
            thread::sleep(Duration::from_millis(10));
        }
        assert_eq!(count("hloom-kernel-"), expected - 1, "beside the caller");
        assert_eq!(count("tf_XLAEigen"), expected);
        return;
    }
    let without = || VARIABLES.iter().fold(Child::test(TEST), |child, name| child.env_remove(name));
    without().env("PJRT_NPROC", "3").run().passed();
    without().env("PJRT_NPROC", "1").env("NPROC", "4").run().passed();
    without().env("NPROC", "4").run().passed();
    // Bound to one processor.
    let cpus = fs::read_to_string("/proc/self/status").unwrap();
    let allowed = cpus.lines().find_map(|line| line.strip_prefix("Cpus_allowed_list:")).unwrap();
    let first = allowed.trim().split([',', '-']).next().unwrap();
    without().after(&format!("taskset -p -c {first} $$")).run().passed();
}
