//! Buffers whose memory becomes that of another: a fulfilled promise, and a bitcast. Nothing else
//! uses a buffer that the plugin took over.

use crate::{
    ADD, ADD_IN_PLACE,
    child::{Case, expect_all, run},
    compile, unless_unimplemented,
};
use hloom_pjrt::{
    AliasPromise, AlignedVec, Buffer, Client, DType, Donation, Error, ErrorCode, ExecuteOptions,
    SharedBuffer,
};

fn alias(client: &Client) -> (Buffer, AliasPromise) {
    client.device_buffer(DType::F32, &[2]).alias().expect("the plugin has aliases")
}

fn pair(client: &Client) -> Buffer {
    client.buffer(&[1f32, 2.0], &[2]).expect("two numbers")
}

fn shared(client: &Client) -> SharedBuffer<f32> {
    let memory = AlignedVec::from_slice(&[1f32, 2.0]).expect("two numbers");
    client.shared_buffer(memory, &[2], None).expect("the host's memory")
}

fn is_donated<T>(outcome: Result<T, Error>) -> bool {
    matches!(outcome, Err(Error::Donated { .. }))
}

/// A bitcast, where the plugin has it.
fn bits(buffer: &Buffer) -> Option<Result<Buffer, Error>> {
    match buffer.bitcast(DType::U32, &[2], None) {
        Err(error) if error.is_unimplemented() => unless_unimplemented(&[81], Err(error)).map(Ok),
        outcome => Some(outcome),
    }
}

const CASES: &[Case] = &[
    ("one buffer keeps one promise", |client| {
        let ((first, promise), (second, other)) = (alias(client), alias(client));
        let source = pair(client);
        promise.fulfill(&source).unwrap();
        assert!(is_donated(other.fulfill(&source)));
        assert!(source.is_donated() && is_donated(source.to_vec::<f32>()));
        assert_eq!(first.to_vec::<f32>().unwrap(), [1.0, 2.0]);
        assert!(second.wait().is_err(), "its promise was not kept");
    }),
    ("a view forbids that the memory becomes the alias's", |client| {
        let (buffer, promise) = alias(client);
        let source = pair(client);
        let view = source.host_view().unwrap();
        assert!(matches!(promise.fulfill(&source), Err(Error::Viewed { .. })));
        assert_eq!(view.as_slice::<f32>().unwrap(), [1.0, 2.0]);
        drop(view);
        assert_eq!(source.to_vec::<f32>().unwrap(), [1.0, 2.0], "it is as it was");
        assert!(buffer.wait().is_err());
    }),
    ("memory that an alias took is no longer shared", |client| {
        let (buffer, promise) = alias(client);
        let mut memory = shared(client);
        promise.fulfill(memory.buffer()).unwrap();
        let view = buffer.host_view().unwrap();
        assert!(is_donated(memory.write()) && is_donated(memory.read()));
        assert_eq!(view.as_slice::<f32>().unwrap(), [1.0, 2.0]);
        assert!(is_donated(memory.into_memory()), "and does not come back");
    }),
    ("what reads shared memory forbids an alias of it", |client| {
        let (_buffer, promise) = alias(client);
        let mut memory = shared(client);
        let reader = memory.read().unwrap();
        assert!(matches!(promise.fulfill(memory.buffer()), Err(Error::Viewed { .. })));
        drop(reader);
        memory.write().unwrap().fill(3.0);
        assert_eq!(memory.into_memory().unwrap()[..], [3.0, 3.0]);
    }),
    ("the source stays what it was if the alias does not fit", |client| {
        let source = pair(client);
        let (_buffer, promise) = client.device_buffer(DType::F32, &[3]).alias().unwrap();
        assert!(matches!(promise.fulfill(&source), Err(Error::Dimensions { .. })));
        let (_buffer, promise) = client.device_buffer(DType::S32, &[2]).alias().unwrap();
        assert!(matches!(promise.fulfill(&source), Err(Error::DType { .. })));
        assert_eq!(source.to_vec::<f32>().unwrap(), [1.0, 2.0]);
    }),
    ("no alias waits for itself, or for one that waits for it", |client| {
        let (buffer, promise) = alias(client);
        let sum =
            compile(client, ADD).execute(&[&buffer, &buffer], &ExecuteOptions::new()).unwrap();
        assert!(promise.fulfill(&buffer).is_err());
        assert!(buffer.wait().is_err() && sum[0].wait().is_err());
        let ((first, promise), (second, other)) = (alias(client), alias(client));
        assert!(promise.fulfill(&second).is_err());
        other.fulfill(&pair(client)).unwrap();
        assert!(first.wait().is_err());
        assert_eq!(second.to_vec::<f32>().unwrap(), [1.0, 2.0]);
    }),
    ("an alias is donated and deleted like another buffer", |client| {
        let (buffer, promise) = alias(client);
        let options = ExecuteOptions::new().donate(Donation::Indices(&[0]));
        let sum =
            compile(client, ADD_IN_PLACE).execute(&[&buffer, &pair(client)], &options).unwrap();
        assert!(buffer.is_donated());
        promise.fulfill(&pair(client)).unwrap();
        assert_eq!(sum[0].to_vec::<f32>().unwrap(), [2.0, 4.0]);
        let (buffer, promise) = alias(client);
        buffer.delete().unwrap();
        // Plugins differ in whether they fulfill the promise of a deleted buffer.
        let _ = promise.fulfill(&pair(client));
        assert!(matches!(buffer.to_vec::<f32>(), Err(Error::Deleted { .. })));
    }),
    ("the memory of an alias has no address before it is ready", |client| {
        let (buffer, promise) = alias(client);
        for error in [
            buffer.unsafe_pointer().map(drop).unwrap_err(),
            buffer.external_reference().map(drop).unwrap_err(),
            buffer.read_raw(0, &mut [0; 8]).unwrap_err(),
            buffer.read_raw_async(0, 8).map(drop).unwrap_err(),
        ] {
            assert!(error.to_string().contains("the alias is not ready"), "{error}");
        }
        promise.fulfill(&pair(client)).unwrap();
        assert_eq!(buffer.host_view().unwrap().as_slice::<f32>().unwrap(), [1.0, 2.0]);
        let mut bytes = [0; 8];
        buffer.read_raw(0, &mut bytes).unwrap();
        assert_eq!(bytes[..4], 1f32.to_le_bytes());
    }),
    ("an alias that became an error has no contents", |client| {
        let (buffer, promise) = alias(client);
        promise.fail(ErrorCode::Aborted, "gave up").unwrap();
        for error in [
            buffer.host_view().map(drop).unwrap_err(),
            buffer.unsafe_pointer().map(drop).unwrap_err(),
            buffer.external_reference().map(drop).unwrap_err(),
            buffer.read_raw(0, &mut [0; 8]).unwrap_err(),
            buffer.to_vec::<f32>().map(drop).unwrap_err(),
        ] {
            assert!(error.to_string().contains("gave up"), "{error}");
        }
    }),
    ("a bitcast takes the memory over", |client| {
        let source = pair(client);
        let Some(cast) = bits(&source) else { return };
        let cast = cast.unwrap();
        assert!(source.is_donated() && is_donated(source.to_vec::<f32>()));
        assert!(is_donated(source.bitcast(DType::U32, &[2], None)));
        assert_eq!(cast.to_vec::<u32>().unwrap(), [0x3f80_0000, 0x4000_0000]);
        let mut memory = shared(client);
        bits(memory.buffer()).unwrap().unwrap();
        assert!(is_donated(memory.write()));
    }),
    ("a view forbids a bitcast", |client| {
        let source = pair(client);
        if bits(&pair(client)).is_none() {
            return;
        }
        let view = source.host_view().unwrap();
        assert!(matches!(source.bitcast(DType::U32, &[2], None), Err(Error::Viewed { .. })));
        drop(view);
        assert_eq!(source.to_vec::<f32>().unwrap(), [1.0, 2.0]);
    }),
];

#[test]
#[ignore = "run by another test, in a process of its own"]
fn aliases_in_a_child() {
    run(CASES, |()| ());
}

#[test]
fn memory_has_one_owner_whatever_is_made_of_it() {
    expect_all("alias::aliases_in_a_child", CASES);
}
