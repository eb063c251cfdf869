//! Invalid arguments. Where the plugin would abort, wait forever or read beyond its tables, they
//! are errors here.

use crate::{
    ADD,
    child::{Case, expect_all, run},
    compile, unless_unimplemented,
};
use hloom_pjrt::{
    Buffer, BufferFromHost, Client, CompileOptions, DType, DeviceBuffer, ErrorCode, ExecuteOptions,
    I1, Layout, NamedValue, NamedValues, Plugin, Program, Result, Spec, Topology, TransferManager,
};
use hloom_test_support::CompileOwn;

const UNKNOWN: DType = DType::Other(999);
const NONE: ErrorCode = ErrorCode::Other(0);
/// Elements whose bytes exceed the address space.
const TOO_MANY: [i64; 2] = [1 << 40, 1 << 40];

fn default_layout(client: &Client, dtype: DType, dims: &[i64]) -> Result<()> {
    client.default_layout(dtype, dims).map(drop)
}

fn uninitialized(buffer: DeviceBuffer<'_>) -> Result<()> {
    // SAFETY: nobody reads the contents.
    unsafe { buffer.uninitialized() }?.wait()
}

fn promised(buffer: DeviceBuffer<'_>) -> Result<()> {
    buffer.alias().map(drop)
}

fn failed(buffer: DeviceBuffer<'_>) -> Result<()> {
    buffer.error(ErrorCode::Aborted, "it failed")?.wait()
}

fn tiled(client: &Client, tile: &[i64]) -> Result<()> {
    let layout = Layout::Tiled { minor_to_major: vec![0], tiles: vec![tile.to_vec()] };
    client.device_buffer(DType::F32, &[2]).layout(&layout).alias().map(drop)
}

fn strided(client: &Client, dims: &[i64], strides: &[i64]) -> Result<()> {
    let from: BufferFromHost<'_> = client.host_buffer(DType::F32, dims);
    from.byte_strides(strides).copy(&[0; 8]).map(drop)
}

fn manager(client: &Client, spec: Spec) -> Result<TransferManager> {
    client.transfer_manager(&[spec], None)
}

fn two(client: &Client) -> Result<Buffer> {
    client.buffer(&[1f32, 2.0], &[2])
}

fn metadata(client: &Client, value: impl Into<NamedValue>) -> Result<()> {
    let manager = manager(client, Spec::new(DType::F32, [2]))?;
    manager.add_metadata(&NamedValues::from([("step".to_owned(), value.into())]))
}

fn compiled(client: &Client, options: CompileOptions) -> Result<()> {
    client.compile_own(&Program::mlir(ADD), &options).map(drop)
}

fn program(client: &Client, program: &Program<'_>) -> Result<()> {
    client.compile_own(program, &CompileOptions::new()).map(drop)
}

fn devices(client: &Client, count: i64) -> Result<()> {
    let builder = client.plugin().client_builder().option("cpu_device_count", count);
    builder.build().map(drop)
}

/// Each is refused.
const CASES: &[Case<Result<()>>] = &[
    ("layout, a negative size", |c| default_layout(c, DType::F32, &[-1])),
    ("layout, the least size", |c| default_layout(c, DType::F32, &[i64::MIN, 2])),
    ("layout, too many elements", |c| default_layout(c, DType::F32, &TOO_MANY)),
    ("layout, too many bytes", |c| default_layout(c, DType::C128, &[1 << 60])),
    ("layout, unknown type", |c| default_layout(c, UNKNOWN, &[2])),
    ("layout, no type", |c| default_layout(c, DType::Other(0), &[2])),
    ("layout, token", |c| default_layout(c, DType::Token, &[])),
    ("topology's layout, a negative size", |c| {
        c.topology()?.default_layout(DType::F32, &[-1]).map(drop)
    }),
    ("topology's layout, unknown type", |c| c.topology()?.default_layout(UNKNOWN, &[2]).map(drop)),
    ("topology's shape, unknown type", |c| {
        c.topology()?.canonical_shape(0, UNKNOWN, &[-2], None).map(drop)
    }),
    ("no contents, unknown type", |c| uninitialized(c.device_buffer(UNKNOWN, &[2]))),
    ("no contents, token", |c| uninitialized(c.device_buffer(DType::Token, &[]))),
    ("no contents, too many", |c| uninitialized(c.device_buffer(DType::F32, &TOO_MANY))),
    ("no contents, 4 TB", |c| uninitialized(c.device_buffer(DType::F32, &[1 << 40]))),
    ("no contents, 4 EB", |c| uninitialized(c.device_buffer(DType::F32, &[1 << 60]))),
    ("no contents, too many bytes", |c| uninitialized(c.device_buffer(DType::C128, &[1 << 60]))),
    ("alias, unknown type", |c| promised(c.device_buffer(UNKNOWN, &[2]))),
    ("alias, token", |c| promised(c.device_buffer(DType::Token, &[]))),
    ("alias, a negative size", |c| promised(c.device_buffer(DType::F32, &[-2]))),
    ("error, unknown type", |c| failed(c.device_buffer(UNKNOWN, &[2]))),
    ("error, token", |c| failed(c.device_buffer(DType::Token, &[]))),
    ("error, seen", |c| {
        let buffer = c.device_buffer(DType::F32, &[2]).error(ErrorCode::Aborted, "it failed")?;
        buffer.host_view().map(drop)
    }),
    ("error without a code", |c| c.device_buffer(DType::F32, &[2]).error(NONE, "").map(drop)),
    ("alias, error without a code", |c| {
        let (_buffer, promise) = c.device_buffer(DType::F32, &[2]).alias()?;
        promise.fail(NONE, "")
    }),
    ("transfer, error without a code", |c| {
        manager(c, Spec::new(DType::F32, [2]))?.set_error(0, NONE, "")
    }),
    ("execution, error without a code", |c| c.devices()[0].poison_execution(1, NONE, "").map(drop)),
    ("event, error without a code", |c| c.host_event()?.set(Err((NONE, ""))).map(drop)),
    ("empty tile", |c| tiled(c, &[])),
    ("tile of no elements", |c| tiled(c, &[0])),
    ("tile of a negative size", |c| tiled(c, &[-4])),
    ("tile of too many elements", |c| tiled(c, &[1 << 62])),
    ("strides that go back", |c| strided(c, &[2], &[-4])),
    ("strides beyond the end", |c| strided(c, &[2], &[i64::MAX])),
    ("stride of one element", |c| strided(c, &[1], &[i64::MIN])),
    ("fewer strides than sizes", |c| strided(c, &[2, 1], &[4])),
    ("host memory, unknown type", |c| c.host_buffer(UNKNOWN, &[2]).copy(&[0; 8]).map(drop)),
    ("host memory, token", |c| c.host_buffer(DType::Token, &[]).copy(&[]).map(drop)),
    ("transfers, unknown type", |c| manager(c, Spec::new(UNKNOWN, [2])).map(drop)),
    ("transfers, a negative size", |c| manager(c, Spec::new(DType::F32, [-2])).map(drop)),
    ("transfers, 4 TB", |c| manager(c, Spec::new(DType::F32, [1 << 40]))?.take_buffer(0)?.wait()),
    ("transfers, beyond the end", |c| {
        manager(c, Spec::new(DType::F32, [2]))?.copy(0, usize::MAX, &[0], true)
    }),
    ("transfers, dropped", |c| {
        let manager = manager(c, Spec::new(DType::F32, [2]))?;
        let buffer = manager.take_buffer(0)?;
        drop(manager);
        buffer.wait()
    }),
    ("metadata, integer", |c| metadata(c, 5i64)),
    ("metadata, list", |c| metadata(c, vec![1i64])),
    ("metadata, float", |c| metadata(c, f32::NAN)),
    ("metadata, boolean", |c| metadata(c, true)),
    ("raw bytes, all that there are not", |c| two(c)?.read_raw_async(0, usize::MAX).map(drop)),
    ("raw bytes, 4 TB", |c| two(c)?.read_raw_async(0, 1 << 42).map(drop)),
    ("raw bytes, beyond the end", |c| two(c)?.read_raw(usize::MAX, &mut [0; 4])),
    ("bitcast to a token", |c| {
        c.buffer(&[0f32; 0], &[0])?.bitcast(DType::Token, &[], None).map(drop)
    }),
    ("bitcast to an unknown type", |c| two(c)?.bitcast(UNKNOWN, &[2], None).map(drop)),
    ("assignment to no devices", |c| c.default_device_assignment(0, 1).map(drop)),
    ("assignment to too many devices", |c| c.default_device_assignment(usize::MAX, 2).map(drop)),
    ("2^31 replicas", |c| compiled(c, CompileOptions::replicated(i32::MAX as usize))),
    ("2^31 partitions", |c| compiled(c, CompileOptions::partitioned(i32::MAX as usize))),
    ("2^40 devices", |c| {
        let mut options = CompileOptions::replicated(1 << 20);
        options.num_partitions = 1 << 20;
        compiled(c, options)
    }),
    ("a device whose number is cut", |c| {
        let mut options = CompileOptions::new();
        options.device_assignment = Some(vec![1 << 40]);
        compiled(c, options)
    }),
    ("2^31 replicas for a topology", |c| {
        let options = CompileOptions::replicated(i32::MAX as usize);
        c.topology()?.compile_own(&Program::mlir(ADD), &options).map(drop)
    }),
    ("format with a null", |c| program(c, &Program::with_format("mlir\0", ADD))),
    ("program of nulls", |c| program(c, &Program::mlir("\0\0\0"))),
    ("program that is not text", |c| program(c, &Program::mlir(vec![0xff, 0xfe, 0x80]))),
    ("bytecode that ends early", |c| program(c, &Program::mlir(b"ML\xefR\x01\xff\xff".to_vec()))),
    ("HLO that is none", |c| program(c, &Program::hlo(vec![0xff; 64]))),
    ("empty HLO", |c| program(c, &Program::hlo(Vec::new()))),
    ("option with a null", |c| {
        let mut options = CompileOptions::new();
        options.set_option("xla_cpu\0_enable_fast_math", true);
        compiled(c, options)
    }),
    ("execution without arguments", |c| {
        compile(c, ADD).execute(&[], &ExecuteOptions::new()).map(drop)
    }),
    ("plugin's name with a null", |_| Plugin::load("a\0b").map(drop)),
    ("plugin's path with a null", |_| Plugin::load("/a\0b.so").map(drop)),
    ("topology's name with a null", |c| {
        Topology::new(c.plugin(), "a\0b", &NamedValues::new()).map(drop)
    }),
    ("topology of no bytes", |c| Topology::deserialize(c.plugin(), &[]).map(drop)),
    ("topology of other bytes", |c| Topology::deserialize(c.plugin(), &[0xff; 40]).map(drop)),
    ("fewer devices than one", |c| devices(c, -1)),
    ("2^31 devices of a client", |c| devices(c, i64::from(i32::MAX))),
    ("2^32 + 1 devices of a client", |c| devices(c, (1 << 32) + 1)),
];

#[test]
#[ignore = "run by another test, in a process of its own"]
fn hostile_values_in_a_child() {
    run(CASES, |outcome| {
        let error = outcome.expect_err("it is refused");
        println!("  {error}");
    });
}

#[test]
fn values_that_no_caller_means_are_errors() {
    expect_all("hostile::hostile_values_in_a_child", CASES);
}

/// Plugins look elements of a type up in a table, and abort on one that is newer than they are.
#[test]
#[ignore = "run by another test, in a process of its own"]
fn newer_types_in_a_child() {
    run(NEWER, |()| ());
}

const NEWER: &[Case] = &[
    ("1-bit integers", |c| {
        let read = c.buffer(&[I1(-1); 9], &[9]).and_then(|buffer| buffer.to_vec::<I1>());
        unless_unimplemented(&[81], read);
    }),
    ("4-bit floats", |c| {
        let buffer = c.host_buffer(DType::F4E2M1FN, &[9]).copy(&[0; 9]);
        unless_unimplemented(&[], buffer.and_then(|buffer| buffer.to_bytes()));
    }),
    ("6-bit floats", |c| {
        let buffer = c.host_buffer(DType::F6E2M3FN, &[9]).copy(&[0; 9]);
        unless_unimplemented(&[81, 106], buffer.and_then(|buffer| buffer.to_bytes()));
    }),
    ("6-bit floats without contents", |c| {
        // SAFETY: nobody reads the contents.
        let buffer = unsafe { c.device_buffer(DType::F6E3M2FN, &[9]).uninitialized() };
        unless_unimplemented(&[81, 106], buffer);
    }),
];

#[test]
fn types_that_the_plugin_is_too_old_for_are_errors() {
    expect_all("hostile::newer_types_in_a_child", NEWER);
}
