//! A script of everything that a client does, in steps that can be retried.

use fake_plugin::working::Session;
use hloom_pjrt::{
    AlignedVec, Client, CompileOptions, DType, Donation, Error, ErrorCode, ExecuteContext,
    ExecuteOptions, HostLease, Plugin, Program, Result, Spec, Topology,
};
use hloom_test_support::CompileOwn;

use crate::plugin;

/// The program of most steps.
pub const ADD: &str = "add(f32[2], f32[2]) -> f32[2] alias 0";

/// A step of the script.
pub type Step = fn(&Client) -> Result<()>;

/// The steps, each on the same client. A step leaves no object.
pub const STEPS: [(&str, Step); 14] = [
    ("copy in", copy_in),
    ("transfer in", transfer_in),
    ("zero copy", zero_copy),
    ("transfer manager", manager),
    ("read back", read_back),
    ("copy between devices", copy_between),
    ("execute", execute),
    ("execute with donation", donate),
    ("execute on two devices", execute_sharded),
    ("execute again", execute_into),
    ("shared memory", shared),
    ("promises", promises),
    ("queries", queries),
    ("serialize", serialize),
];

/// The errors of a run.
#[derive(Debug, Default)]
pub struct Outcome {
    /// Errors of steps that succeeded when they were retried.
    pub errors: Vec<(&'static str, Error)>,
    /// The error of a step that failed twice, which ended the run.
    pub persistent: Option<(&'static str, Error)>,
    /// Something that the plugin lost keeps the client forever.
    pub client_stays: bool,
}

/// Runs every step; one that fails is retried once.
pub fn run(session: &Session) -> Outcome {
    let plugin = plugin(session);
    let mut outcome = Outcome::default();
    let mut made = None;
    let begun = outcome.retry("client", || plugin.client().map(|client| made = Some(client)))
        && outcome.retry("topology", || topology(plugin));
    if !begun {
        return outcome;
    }
    let client = made.expect("made if that was not an error");
    for (name, step) in STEPS {
        if !outcome.retry(name, || step(&client)) {
            break;
        }
        let alive = client.alive();
        assert_eq!(
            (alive.buffers, alive.loaded_executables, alive.events),
            (0, 0, 0),
            "after `{name}`"
        );
    }
    if let Err(client) = client.shutdown() {
        let faulted = session.faulted();
        // A buffer that is not destroyed keeps its memory lent; the use of memory by a null view is
        // unknown.
        let may_stay =
            ["PJRT_Buffer_Destroy", "PJRT_Client_CreateViewOfDeviceBuffer", "PJRT_Event_OnReady"];
        assert!(
            faulted.iter().any(|function| may_stay.contains(function)),
            "something keeps the client"
        );
        drop(client);
        session.destroy_spared();
        outcome.client_stays = !session.alive().is_empty();
    }
    outcome
}

impl Outcome {
    fn retry(&mut self, name: &'static str, mut body: impl FnMut() -> Result<()>) -> bool {
        let Err(error) = body() else { return true };
        self.errors.push((name, error));
        self.persistent = body().err().map(|error| (name, error));
        self.persistent.is_none()
    }
}

/// Returns an error unless both are equal: a fault may lose values.
fn check<T: PartialEq + std::fmt::Debug>(found: &T, expected: &T) -> Result<()> {
    if found == expected {
        Ok(())
    } else {
        Err(Error::Argument(format!("expected {expected:?}, found {found:?}")))
    }
}

/// Returns an error unless this is an error with such a message.
fn fails(outcome: Result<()>, message: &str) -> Result<()> {
    match outcome {
        Err(error) if error.to_string().contains(message) => Ok(()),
        Err(error) => Err(error),
        Ok(()) => check(&"success", &message),
    }
}

/// The owner of lent memory; an error if it stays lent, as it does where the plugin cannot destroy
/// the buffer.
fn taken<O: Send + 'static>(lease: HostLease<O>) -> Result<O> {
    // The plugin has no threads: an event that does not happen at once never does.
    if lease.event().wait_timeout(std::time::Duration::from_millis(1))? {
        lease.wait()
    } else {
        Err(Error::Argument("the memory is still lent".to_owned()))
    }
}

fn copy_in(client: &Client) -> Result<()> {
    let a = client.buffer(&[1f32, 2.0], &[2])?;
    a.wait()?;
    // A column of a matrix.
    let values = [1f32, 2.0, 3.0, 4.0].map(f32::to_le_bytes).concat();
    let column = client.host_buffer(DType::F32, &[2]).byte_strides(&[8]).copy(&values)?;
    check(&column.to_vec::<f32>()?, &vec![1.0, 3.0])?;
    drop(a);
    drop(
        client
            .host_buffer(DType::F32, &[2])
            .on_device(&client.addressable_device(1)?)
            .copy(&[0; 8])?,
    );
    check(&client.scalar(7i32)?.to_scalar::<i32>()?, &7)
}

fn transfer_in(client: &Client) -> Result<()> {
    let bytes = |values: [f32; 2]| values.map(f32::to_le_bytes).concat();
    let (buffer, lease) = client.host_buffer(DType::F32, &[2]).transfer(bytes([3.0, 4.0]))?;
    check(&buffer.to_vec::<f32>()?, &vec![3.0, 4.0])?;
    check(&taken(lease)?, &bytes([3.0, 4.0]))?;
    // Memory that lies within its owner, and a lease that is not waited for.
    let (buffer, lease) = client.host_buffer(DType::U8, &[3]).transfer([5u8, 6, 7])?;
    drop(lease);
    check(&buffer.to_vec::<u8>()?, &vec![5, 6, 7])
}

fn zero_copy(client: &Client) -> Result<()> {
    let values = AlignedVec::from_slice(&[1f32, 2.0])?;
    let (buffer, lease) = client.host_buffer(DType::F32, &[2]).zero_copy(values)?;
    check(&lease.is_over()?, &false)?;
    check(&buffer.to_vec::<f32>()?, &vec![1.0, 2.0])?;
    drop(buffer);
    check(&taken(lease)?.to_vec(), &vec![1.0, 2.0])?;
    let values = AlignedVec::from_slice(&[1f32, 2.0])?;
    let (buffer, lease) = client.host_buffer(DType::F32, &[2]).zero_copy_mut(values)?;
    let one = client.buffer(&[1f32; 2], &[2])?;
    let add = client.compile_own(&Program::mlir(ADD), &CompileOptions::new())?;
    let options = ExecuteOptions::new().donate(Donation::Indices(&[0]));
    let sum = add.execute(&[&buffer, &one], &options)?;
    drop(buffer);
    check(&sum[0].to_vec::<f32>()?, &vec![2.0, 3.0])?;
    drop(sum);
    check(&taken(lease)?.to_vec(), &vec![2.0, 3.0])?;
    drop(client.buffer_from_vec(vec![1u8, 2, 3], &[3])?);
    Ok(())
}

fn manager(client: &Client) -> Result<()> {
    let spec = Spec::new(DType::U8, [4]);
    let manager =
        client.transfer_manager(&[spec.clone(), spec.clone(), spec], client.memories().first())?;
    check(&manager.buffer_size(0)?, &4)?;
    manager.device()?;
    let first = manager.take_buffer(0)?;
    manager.copy(0, 0, &[1, 2], false)?;
    let lease = manager.transfer(0, 2, [3u8, 4], true)?;
    check(&taken(lease)?, &[3, 4])?;
    check(&first.to_vec::<u8>()?, &vec![1, 2, 3, 4])?;
    let second = manager.take_buffer(1)?;
    drop(manager.transfer_whole(1, [5u8, 6, 7, 8])?);
    check(&second.to_vec::<u8>()?, &vec![5, 6, 7, 8])?;
    let third = manager.take_buffer(2)?;
    manager.set_error(2, ErrorCode::Aborted, "no data")?;
    fails(third.wait(), "no data")
}

fn read_back(client: &Client) -> Result<()> {
    let buffer = client.buffer(&[1f32, 2.0], &[2])?;
    let mut values = [0f32; 2];
    buffer.read_into(&mut values)?;
    check(&values, &[1.0, 2.0])?;
    check(&buffer.to_bytes()?.len(), &8)?;
    check(&buffer.to_vec_async::<f32>()?.wait()?, &vec![1.0, 2.0])?;
    drop(buffer.to_vec_async::<f32>()?);
    let mut raw = [0u8; 4];
    buffer.read_raw(4, &mut raw)?;
    check(&raw, &2f32.to_le_bytes())?;
    check(&buffer.read_raw_async(0, 4)?.wait()?, &1f32.to_le_bytes().to_vec())?;
    let view = buffer.host_view()?;
    check(&view.as_slice::<f32>()?.to_vec(), &vec![1.0, 2.0])?;
    drop(view);
    buffer.unsafe_pointer()?;
    check(&buffer.delete().map(|()| buffer.is_deleted()).and_then(|deleted| deleted)?, &true)
}

fn copy_between(client: &Client) -> Result<()> {
    let other = client.addressable_device(1)?;
    let buffer = client.buffer(&[1f32, 2.0], &[2])?;
    let copy = buffer.copy_to_device(&other)?;
    check(&copy.device()?, &other)?;
    check(&copy.to_vec::<f32>()?, &vec![1.0, 2.0])?;
    let host = other.memory("unpinned_host");
    let host = host.ok_or_else(|| Error::Argument("no host memory".to_owned()))?;
    let copy = buffer.copy_to_memory(&host)?;
    check(&copy.memory()?, &host)?;
    check(&copy.to_vec::<f32>()?, &vec![1.0, 2.0])
}

fn execute(client: &Client) -> Result<()> {
    let add = client.compile_own(&Program::mlir(ADD), &CompileOptions::new())?;
    add.signature();
    let a = client.buffer(&[1f32, 2.0], &[2])?;
    let b = client.buffer(&[10f32, 20.0], &[2])?;
    let context = ExecuteContext::new(client)?;
    context.keep(Box::new("kept"));
    let sum = add.execute(&[&a, &b], &ExecuteOptions::new().context(&context))?;
    let twice = add.execute(&[&sum[0], &sum[0]], &ExecuteOptions::new())?;
    check(&twice[0].to_vec::<f32>()?, &vec![22.0, 44.0])?;
    check(&a.is_deleted()?, &false)?;
    let failing =
        client.compile_own(&Program::mlir("fail(f32[2]) -> f32[2]"), &CompileOptions::new())?;
    let failed = failing.execute(&[&a], &ExecuteOptions::new())?;
    fails(failed[0].wait(), "the program fails while it runs")?;
    add.delete()?;
    check(&add.is_deleted()?, &true)
}

fn donate(client: &Client) -> Result<()> {
    let add = client.compile_own(&Program::mlir(ADD), &CompileOptions::new())?;
    let a = client.buffer(&[1f32, 2.0], &[2])?;
    let b = client.buffer(&[10f32, 20.0], &[2])?;
    let options = ExecuteOptions::new().donate(Donation::Indices(&[0]));
    let sum = add.execute(&[&a, &b], &options)?;
    check(&(a.is_donated(), b.is_donated()), &(true, false))?;
    check(&sum[0].to_vec::<f32>()?, &vec![11.0, 22.0])
}

fn execute_sharded(client: &Client) -> Result<()> {
    let program = format!("{ADD} on 2");
    let add = client.compile_own(&Program::mlir(&program), &CompileOptions::new())?;
    let other = client.addressable_device(1)?;
    let a = client.buffer(&[1f32, 2.0], &[2])?;
    let b = a.copy_to_device(&other)?;
    // Enough launches that one is waited for.
    for _ in 0..9 {
        drop(add.execute_sharded(&[&[&a, &a], &[&b, &b]], &ExecuteOptions::new())?);
    }
    let execution = add.execute_sharded(&[&[&a, &a], &[&b, &b]], &ExecuteOptions::new())?;
    execution.complete.iter().try_for_each(|event| event.wait())?;
    check(&execution.outputs[1][0].to_vec::<f32>()?, &vec![2.0, 4.0])
}

fn execute_into(client: &Client) -> Result<()> {
    let add = client.compile_own(&Program::mlir(ADD), &CompileOptions::new())?;
    let a = client.buffer(&[1f32, 2.0], &[2])?;
    let mut outputs = Vec::with_capacity(2);
    add.execute_into([&a, &a], &ExecuteOptions::new(), &mut outputs)?;
    outputs[0].ready_event()?.wait()?;
    check(&outputs[0].to_vec::<f32>()?, &vec![2.0, 4.0])?;
    let execution = add.execute_sharded(&[&[&a, &a]], &ExecuteOptions::new())?;
    execution.complete[0].wait()?;
    // Results that nobody reads.
    add.execute_into([&a, &a], &ExecuteOptions::new(), &mut outputs)
}

fn shared(client: &Client) -> Result<()> {
    let add = client.compile_own(&Program::mlir(ADD), &CompileOptions::new())?;
    let mut shared = client.shared_buffer(AlignedVec::from_slice(&[1f32, 2.0])?, &[2], None)?;
    shared.write()?.fill(3.0);
    let sum = add.execute(&[shared.buffer(), shared.buffer()], &ExecuteOptions::new())?;
    let copy = shared.buffer().copy_to_device(&client.addressable_device(1)?)?;
    shared.write()?[0] = 0.0;
    check(&sum[0].to_vec::<f32>()?, &vec![6.0, 6.0])?;
    check(&copy.to_vec::<f32>()?, &vec![3.0, 3.0])?;
    check(&shared.read()?.to_vec(), &vec![0.0, 3.0])?;
    check(&shared.into_memory()?.to_vec(), &vec![0.0, 3.0])
}

fn promises(client: &Client) -> Result<()> {
    let memory = client.memories().swap_remove(0);
    let event = client.host_event()?;
    let waiting = event.event().is_ready()?;
    check(&waiting, &false)?;
    event.set(Ok(()))?.wait()?;
    let buffer = client.buffer(&[1f32, 2.0], &[2])?;
    let (donated, dependency) = buffer.donate_with_dependency()?;
    dependency.finish(Ok(()));
    check(&donated.to_vec::<f32>()?, &vec![1.0, 2.0])?;
    let (alias, promise) = client.device_buffer(DType::F32, &[2]).in_memory(&memory).alias()?;
    promise.fail(ErrorCode::Aborted, "no buffer")?;
    fails(alias.wait(), "no buffer")?;
    let (alias, promise) = client.device_buffer(DType::F32, &[2]).in_memory(&memory).alias()?;
    promise.fulfill(&donated)?;
    check(&alias.to_vec::<f32>()?, &vec![1.0, 2.0])?;
    drop(client.device_buffer(DType::F32, &[2]).in_memory(&memory).alias()?);
    // SAFETY: nobody reads the contents.
    unsafe { client.device_buffer(DType::F32, &[2]).in_memory(&memory).uninitialized() }?.wait()?;
    let failed = client
        .device_buffer(DType::F32, &[2])
        .in_memory(&memory)
        .error(ErrorCode::Aborted, "lost")?;
    fails(failed.wait(), "lost")
}

fn queries(client: &Client) -> Result<()> {
    let buffer = client.buffer(&[1f32, 2.0], &[2])?;
    check(&buffer.on_device_size()?, &8)?;
    check(&buffer.unpadded_dims()?, &vec![2])?;
    check(&buffer.dynamic_dims()?, &vec![])?;
    check(&buffer.layout()?.is_some_and(|layout| layout.is_row_major()), &true)?;
    check(&client.default_device_assignment(1, 2)?, &vec![0, 1])?;
    let mapping = client.dma_map(vec![0u8; 16])?;
    check(&mapping.len(), &16)?;
    let track = client.addressable_device(0)?.track("nothing")?;
    drop(track);
    let add = client.compile_own(&Program::mlir(ADD), &CompileOptions::new())?;
    let executable = add.executable();
    check(&executable.name()?, &"add".to_owned())?;
    check(
        &(executable.num_replicas()?, executable.num_partitions()?, executable.num_outputs()?),
        &(1, 1, 1),
    )?;
    executable.generated_code_size()?;
    executable.memory_stats()?;
    check(&executable.cost_analysis()?.len(), &2)?;
    check(&client.addressable_device(0)?.memory_stats()?.is_some(), &true)?;
    executable.fingerprint()?;
    executable.optimized_program()?;
    client.topology()?.platform_version()?;
    Ok(())
}

fn serialize(client: &Client) -> Result<()> {
    let add = client.compile_own(&Program::mlir(ADD), &CompileOptions::new())?;
    let bytes = add.executable().serialize()?;
    drop(add);
    // SAFETY: the plugin's own bytes.
    let add = unsafe { client.deserialize(&bytes, None) }?;
    check(&add.outputs().len(), &1)?;
    let ahead = client.topology()?.compile_own(&Program::mlir(ADD), &CompileOptions::new())?;
    let loaded = client.load(&ahead, &CompileOptions::new())?;
    drop(ahead);
    let a = client.buffer(&[1f32, 2.0], &[2])?;
    check(&loaded.execute(&[&a, &a], &ExecuteOptions::new())?[0].to_vec::<f32>()?, &vec![2.0, 4.0])
}

fn topology(plugin: Plugin) -> Result<()> {
    let topology = Topology::new(plugin, "fake", &Default::default())?;
    check(&topology.devices()?.len(), &2)?;
    topology.attributes()?;
    check(&topology.platform_name()?, &"host".to_owned())?;
    let again = Topology::deserialize(plugin, &topology.serialize()?)?;
    drop(topology);
    drop(again.compile_own(&Program::mlir(ADD), &CompileOptions::new())?);
    Ok(())
}
