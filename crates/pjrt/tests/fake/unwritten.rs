//! Memory that nothing has written: the plugin fills it with [`UNWRITTEN`], which no safe function
//! returns.

use fake_plugin::working::{Session, UNWRITTEN};
use hloom_pjrt::{
    Buffer, Client, CompileOptions, DType, ErrorCode, ExecuteOptions, Program, Result, Spec,
};
use hloom_test_support::CompileOwn;

use crate::client;

/// Makes a buffer of two numbers whose memory nothing writes.
type Make = fn(&Client) -> Result<Buffer>;

/// The bytes of a buffer.
type Read = fn(&Client, &Buffer) -> Result<Vec<u8>>;

const MAKERS: [(&str, Make); 8] = [
    ("a transfer that was given up", |client| {
        let manager = client.transfer_manager(&[Spec::new(DType::F32, [2])], None)?;
        manager.copy(0, 4, &[1; 4], false)?;
        manager.take_buffer(0)
    }),
    ("a failed transfer", |client| {
        let manager = client.transfer_manager(&[Spec::new(DType::F32, [2])], None)?;
        manager.set_error(0, ErrorCode::Aborted, "no data")?;
        manager.take_buffer(0)
    }),
    ("an error", |client| {
        let memory = client.memories().swap_remove(0);
        let buffer = client.device_buffer(DType::F32, &[2]);
        buffer.in_memory(&memory).error(ErrorCode::Aborted, "lost")
    }),
    ("a promise that was dropped", |client| {
        let memory = client.memories().swap_remove(0);
        Ok(client.device_buffer(DType::F32, &[2]).in_memory(&memory).alias()?.0)
    }),
    ("a promise that failed", |client| {
        let memory = client.memories().swap_remove(0);
        let (alias, promise) = client.device_buffer(DType::F32, &[2]).in_memory(&memory).alias()?;
        promise.fail(ErrorCode::Aborted, "no buffer")?;
        Ok(alias)
    }),
    ("a promise of a failed program's result", |client| {
        let memory = client.memories().swap_remove(0);
        let (alias, promise) = client.device_buffer(DType::F32, &[2]).in_memory(&memory).alias()?;
        promise.fulfill(&failed(client)?)?;
        Ok(alias)
    }),
    ("a result of a failed program", failed),
    ("a dependency that failed", |client| {
        let (buffer, dependency) = failed(client)?.donate_with_dependency()?;
        dependency.finish(Ok(()));
        Ok(buffer)
    }),
];

const READERS: [(&str, Read); 10] = [
    ("to_bytes", |_, buffer| buffer.to_bytes()),
    ("to_vec", |_, buffer| Ok(bytes_of(&buffer.to_vec::<f32>()?))),
    ("read_into", |_, buffer| {
        let mut values = [0f32; 2];
        buffer.read_into(&mut values).map(|()| bytes_of(&values))
    }),
    ("read_into_bytes", |_, buffer| {
        let mut bytes = vec![0; 8];
        buffer.read_into_bytes(&mut bytes).map(|()| bytes)
    }),
    ("to_vec_async", |_, buffer| Ok(bytes_of(&buffer.to_vec_async::<f32>()?.wait()?))),
    ("read_raw", |_, buffer| {
        let mut bytes = vec![0; 8];
        buffer.read_raw(0, &mut bytes).map(|()| bytes)
    }),
    ("read_raw_async", |_, buffer| buffer.read_raw_async(0, 8)?.wait()),
    ("host_view", |_, buffer| Ok(buffer.host_view()?.as_bytes().to_vec())),
    ("copy_to_device", |client, buffer| {
        buffer.copy_to_device(&client.addressable_device(1)?)?.to_bytes()
    }),
    ("execute", |client, buffer| {
        let program = Program::mlir("identity(f32[2]) -> f32[2]");
        let copy = client.compile_own(&program, &CompileOptions::new())?;
        copy.execute(&[buffer], &ExecuteOptions::new())?[0].to_bytes()
    }),
];

/// The result of a program that fails while it runs.
fn failed(client: &Client) -> Result<Buffer> {
    let program = Program::mlir("fail(f32[2]) -> f32[2]");
    let fail = client.compile_own(&program, &CompileOptions::new())?;
    let argument = client.buffer(&[1f32, 2.0], &[2])?;
    Ok(fail.execute(&[&argument], &ExecuteOptions::new())?.remove(0))
}

fn bytes_of(values: &[f32]) -> Vec<u8> {
    values.iter().flat_map(|value| value.to_ne_bytes()).collect()
}

#[test]
fn memory_that_nothing_wrote_is_not_read() {
    let session = Session::begin();
    let client = client(&session);
    for (name, make) in MAKERS {
        for (how, read) in READERS {
            let buffer = make(&client).unwrap_or_else(|error| panic!("{name}: {error}"));
            let outcome = read(&client, &buffer);
            assert!(outcome.is_err(), "{name}, {how}: {outcome:?}");
        }
    }
    drop(client);
    session.assert_clean();
}

/// The pieces of a transfer: their ranges, and whether the last one is accepted.
const PIECES: [(&[(usize, usize)], bool); 7] = [
    (&[(0, 8)], true),
    (&[(0, 4), (4, 4)], true),
    (&[(4, 4), (0, 4)], true),
    (&[(2, 5), (6, 2), (0, 3)], true),
    (&[(4, 4)], false),
    (&[(0, 3), (4, 4)], false),
    (&[(1, 6), (7, 1)], false),
];

#[test]
fn transfers_with_gaps_do_not_end() {
    let session = Session::begin();
    let client = client(&session);
    for (pieces, is_whole) in PIECES {
        let manager = client.transfer_manager(&[Spec::new(DType::U8, [8])], None).expect("made");
        let buffer = manager.take_buffer(0).expect("not taken before");
        let send = |&(offset, len): &(usize, usize), is_last| {
            manager.copy(0, offset, &vec![1; len], is_last)
        };
        let (last, earlier) = pieces.split_last().expect("there are pieces");
        earlier.iter().try_for_each(|piece| send(piece, false)).expect("it fits");
        let outcome = send(last, true);
        assert_eq!(outcome.is_ok(), is_whole, "{pieces:?}: {outcome:?}");
        if !is_whole {
            // The rest is written, and completes it.
            send(&(0, 8), true).expect("nothing is missing");
        }
        let bytes = buffer.to_bytes().expect("it is complete");
        assert!(!bytes.contains(&UNWRITTEN), "{pieces:?}: {bytes:?}");
        drop((buffer, manager));
    }
    drop(client);
    session.assert_clean();
}

/// The tests above find what is read: the plugin's memory does hold these bytes.
#[test]
fn memory_without_contents_holds_the_bytes() {
    let session = Session::begin();
    let client = client(&session);
    // SAFETY: the plugin has filled the memory, whose bytes are numbers.
    let buffer = unsafe { client.device_buffer(DType::U8, &[4]).uninitialized() }.expect("made");
    assert_eq!(buffer.to_bytes().expect("reads"), [UNWRITTEN; 4]);
    drop((buffer, client));
    session.assert_clean();
}
