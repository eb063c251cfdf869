//! The four host-buffer semantics, and every order of dropping (G8, G14).

use crate::{ADD_IN_PLACE, client, compile, eventually, expect_alive};
use hloom_pjrt::{
    ALIGNMENT, AlignedVec, Alive, Client, DType, Donation, Elements, ExecuteOptions,
    HostBufferSemantics,
};
use std::sync::{
    Arc,
    atomic::{AtomicBool, Ordering},
};

/// Host memory that reports when it is freed, and overwrites itself before.
struct Watched {
    memory: AlignedVec<f32>,
    freed: Arc<AtomicBool>,
}

impl Watched {
    fn new(len: usize) -> (Self, Arc<AtomicBool>) {
        let mut memory = AlignedVec::zeroed(len).unwrap();
        memory.iter_mut().enumerate().for_each(|(i, v)| *v = i as f32);
        let freed = Arc::new(AtomicBool::new(false));
        (Self { memory, freed: Arc::clone(&freed) }, freed)
    }
}

impl AsRef<[u8]> for Watched {
    fn as_ref(&self) -> &[u8] {
        self.memory.as_ref()
    }
}

impl AsMut<[u8]> for Watched {
    fn as_mut(&mut self) -> &mut [u8] {
        self.memory.as_mut()
    }
}

impl Drop for Watched {
    fn drop(&mut self) {
        // Later reads of this memory return garbage.
        self.memory.fill(f32::NAN);
        self.freed.store(true, Ordering::SeqCst);
    }
}

const LEN: usize = 4096;

fn expected() -> Vec<f32> {
    (0..LEN).map(|i| i as f32).collect()
}

/// Makes a buffer with one of the semantics that keep the memory; returns the lease as an event.
fn lend(
    client: &Client,
    semantics: HostBufferSemantics,
) -> (hloom_pjrt::Buffer, hloom_pjrt::HostLease<Watched>, Arc<AtomicBool>) {
    let (watched, freed) = Watched::new(LEN);
    let builder = client.host_buffer(DType::F32, &[LEN as i64]);
    let (buffer, lease) = match semantics {
        HostBufferSemantics::ImmutableUntilTransferCompletes => builder.transfer(watched),
        HostBufferSemantics::ImmutableZeroCopy => builder.zero_copy(watched),
        HostBufferSemantics::MutableZeroCopy => builder.zero_copy_mut(watched),
        other => unreachable!("{other:?} keeps nothing"),
    }
    .unwrap();
    (buffer, lease, freed)
}

const KEEPING: [HostBufferSemantics; 3] = [
    HostBufferSemantics::ImmutableUntilTransferCompletes,
    HostBufferSemantics::ImmutableZeroCopy,
    HostBufferSemantics::MutableZeroCopy,
];

#[test]
fn memory_that_is_copied_may_change_at_once() {
    let client = client();
    let mut values = expected();
    let buffer = client.buffer(&values, &[LEN as i64]).unwrap();
    values.fill(f32::NAN);
    drop(values);
    assert_eq!(buffer.to_vec::<f32>().unwrap(), expected());
}

#[test]
fn transferred_memory_comes_back_while_the_buffer_lives() {
    let client = client();
    let (buffer, lease, freed) =
        lend(&client, HostBufferSemantics::ImmutableUntilTransferCompletes);
    let watched = lease.wait().unwrap();
    assert_eq!(&watched.memory[..], expected());
    assert!(!freed.load(Ordering::SeqCst), "it is ours again");
    drop(watched);
    assert_eq!(buffer.to_vec::<f32>().unwrap(), expected(), "the device has its own copy");
}

#[test]
fn zero_copy_memory_is_the_buffer_until_it_is_dropped() {
    let client = client();
    for semantics in [HostBufferSemantics::ImmutableZeroCopy, HostBufferSemantics::MutableZeroCopy]
    {
        let (watched, freed) = Watched::new(LEN);
        let address = watched.memory.as_ptr() as usize;
        assert_eq!(address % ALIGNMENT, 0);
        let builder = client.host_buffer(DType::F32, &[LEN as i64]);
        let (buffer, lease) = match semantics {
            HostBufferSemantics::ImmutableZeroCopy => builder.zero_copy(watched).unwrap(),
            _ => builder.zero_copy_mut(watched).unwrap(),
        };
        assert_eq!(buffer.unsafe_pointer().unwrap(), address, "no copy: {semantics:?}");
        assert!(!lease.is_over().unwrap() && !freed.load(Ordering::SeqCst));
        assert_eq!(client.alive().host_memory, 1);
        assert_eq!(buffer.to_vec::<f32>().unwrap(), expected());
        drop(buffer);
        let watched = lease.wait().unwrap();
        assert_eq!(&watched.memory[..], expected(), "untouched, and ours again");
        assert!(!freed.load(Ordering::SeqCst));
        expect_alive(&client, Alive::default());
    }
}

#[test]
fn unaligned_memory_is_copied_and_given_back() {
    let client = client();
    let mut bytes = AlignedVec::<u8>::zeroed(4 * LEN + 4).unwrap();
    bytes[4..].copy_from_slice(hloom_pjrt::as_bytes(&expected()));
    struct Odd(AlignedVec<u8>);
    impl AsRef<[u8]> for Odd {
        fn as_ref(&self) -> &[u8] {
            &self.0[4..]
        }
    }
    let (buffer, lease) =
        client.host_buffer(DType::F32, &[LEN as i64]).zero_copy(Odd(bytes)).unwrap();
    lease.wait().unwrap();
    assert_eq!(buffer.to_vec::<f32>().unwrap(), expected());
}

#[test]
fn memory_lives_until_the_plugin_lets_go_in_every_order_of_dropping() {
    // Objects in the order of dropping: b the buffer, l the lease, c the client.
    for order in ["blc", "bcl", "lbc", "lcb", "cbl", "clb"] {
        for semantics in KEEPING {
            let client = client();
            let (buffer, lease, freed) = lend(&client, semantics);
            let (mut client, mut buffer, mut lease) = (Some(client), Some(buffer), Some(lease));
            for what in order.chars() {
                if let Some(buffer) = &buffer {
                    let zero_copy =
                        semantics != HostBufferSemantics::ImmutableUntilTransferCompletes;
                    assert!(!(zero_copy && freed.load(Ordering::SeqCst)), "{order} {semantics:?}");
                    assert_eq!(
                        buffer.to_vec::<f32>().unwrap(),
                        expected(),
                        "{order} {semantics:?}"
                    );
                }
                match what {
                    'b' => drop(buffer.take()),
                    'l' => drop(lease.take()),
                    _ => drop(client.take()),
                }
            }
            eventually("freeing the memory", || freed.load(Ordering::SeqCst));
        }
    }
}

#[test]
fn readers_outlive_what_they_read() {
    // Objects in the order of dropping: b the buffer, e its event, t a transfer, c the client.
    for order in ["betc", "ebtc", "cbet", "cteb", "tcbe", "ecbt"] {
        let client = client();
        let buffer = client.buffer(&expected(), &[LEN as i64]).unwrap();
        let event = buffer.ready_event().unwrap();
        let transfer = buffer.to_vec_async::<f32>().unwrap();
        let counters = client.clone();
        let (mut client, mut buffer) = (Some(client), Some(buffer));
        let (mut event, mut transfer) = (Some(event), Some(transfer));
        for what in order.chars() {
            match what {
                'b' => drop(buffer.take()),
                'e' => event.take().unwrap().wait().unwrap(),
                't' => assert_eq!(transfer.take().unwrap().wait().unwrap(), expected(), "{order}"),
                _ => drop(client.take()),
            }
        }
        expect_alive(&counters, Alive::default());
    }
}

#[test]
fn a_transfer_that_nobody_waits_for_writes_into_memory_that_lives() {
    let client = client();
    let buffer = client.buffer(&vec![1u8; 1 << 22], &[1 << 22]).unwrap();
    for _ in 0..20 {
        drop(buffer.to_vec_async::<u8>().unwrap());
    }
    drop(buffer);
    expect_alive(&client, Alive::default());
}

#[test]
fn donated_mutable_memory_is_written_and_lent_until_the_result_is_dropped() {
    let client = client();
    let executable = compile(&client, ADD_IN_PLACE);
    let owner = AlignedVec::from_slice(&[1.0f32, 2.0]).unwrap();
    let (buffer, lease) = client.host_buffer(DType::F32, &[2]).zero_copy_mut(owner).unwrap();
    let other = client.buffer(&[10.0f32, 20.0], &[2]).unwrap();
    let options = ExecuteOptions::new().donate(Donation::Indices(&[0]));
    let results = executable.execute(&[&buffer, &other], &options).unwrap();
    assert_eq!(results[0].to_vec::<f32>().unwrap(), [11.0, 22.0]);
    drop(buffer);
    assert!(!lease.is_over().unwrap(), "the result has the memory");
    drop(results);
    let owner = lease.wait().unwrap();
    assert_eq!(&owner[..], [11.0, 22.0], "written by the program");
}

#[test]
fn donated_immutable_memory_is_not_written() {
    let client = client();
    let executable = compile(&client, ADD_IN_PLACE);
    let owner = AlignedVec::from_slice(&[1.0f32, 2.0]).unwrap();
    let (buffer, lease) = client.host_buffer(DType::F32, &[2]).zero_copy(owner).unwrap();
    let other = client.buffer(&[10.0f32, 20.0], &[2]).unwrap();
    let options = ExecuteOptions::new().donate(Donation::Mask(&[true, false]));
    let results = executable.execute(&[&buffer, &other], &options).unwrap();
    assert_eq!(results[0].to_vec::<f32>().unwrap(), [11.0, 22.0]);
    drop((buffer, results));
    assert_eq!(&lease.wait().unwrap()[..], [1.0, 2.0]);
}

#[test]
fn any_owner_of_bytes_can_lend_them() {
    let client = client();
    let shared: Arc<[f32]> = vec![1.0f32, 2.0].into();
    let owner = Elements::<_, f32>::new(Arc::clone(&shared));
    let (buffer, _lease) = client.host_buffer(DType::F32, &[2]).zero_copy(owner).unwrap();
    assert_eq!(buffer.to_vec::<f32>().unwrap(), [1.0, 2.0]);
    static BYTES: [u8; 2] = [3, 4];
    let (buffer, lease) = client.host_buffer(DType::U8, &[2]).transfer(&BYTES).unwrap();
    assert_eq!(buffer.to_vec::<u8>().unwrap(), BYTES);
    lease.wait().unwrap();
    let buffer = client.buffer_from_vec(vec![5i16, 6], &[2]).unwrap();
    assert_eq!(buffer.to_vec::<i16>().unwrap(), [5, 6]);
    // Memory that was lent before may be returned meanwhile, but nothing is added.
    let before = client.alive().host_memory;
    let wrong = client.host_buffer(DType::U8, &[3]).zero_copy(vec![1u8]);
    assert!(wrong.is_err());
    assert!(client.alive().host_memory <= before, "no lease for it");
}

#[test]
fn a_client_may_end_on_a_thread_of_its_own() {
    // The last handle is dropped by a callback, on a thread that the client would wait for.
    for _ in 0..20 {
        let client = client();
        let weak_check = Arc::new(());
        let held = Arc::clone(&weak_check);
        let buffer = client.buffer(&vec![1.0f32; 1 << 20], &[1 << 20]).unwrap();
        let event = buffer.copy_to_device(&client.devices()[0]).unwrap().ready_event().unwrap();
        let everything = (client, buffer, held);
        event.on_ready(move |_| drop(everything)).unwrap();
        drop(event);
        eventually("the callback", || Arc::strong_count(&weak_check) == 1);
    }
}
