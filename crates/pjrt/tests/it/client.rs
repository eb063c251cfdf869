//! Clients, devices and memories (G5, G6).

use crate::{
    ADD_IN_PLACE, client, client_with, compile, expect_alive, plugin, unless_unimplemented,
};
use hloom_pjrt::{
    AlignedVec, Alive, DType, Donation, Error, ExecuteOptions, LocalKeyValueStore, NamedValue,
    NamedValues, Topology, alive,
};
use hloom_test_support::is_alone;

/// G5: the platform, version, process and devices of a client.
#[test]
fn a_client_says_what_it_is() {
    let client = client_with(4);
    assert_eq!(client.plugin(), plugin());
    assert_eq!(client.platform_name(), "cpu");
    assert!(!client.platform_version().is_empty());
    assert_eq!(client.process_index(), 0);
    assert_eq!(client.devices().len(), 4);
    assert_eq!(client.addressable_devices(), client.devices());
    for (ordinal, device) in client.devices().iter().enumerate() {
        assert_eq!(device.ordinal(), Some(ordinal));
        assert_eq!(client.addressable_device(ordinal).unwrap(), *device);
        assert_eq!(client.device_with_id(device.id()).as_ref(), Some(device));
        let local = device.local_hardware_id().unwrap();
        assert_eq!(client.device_with_local_hardware_id(local).as_ref(), Some(device));
        assert_eq!(device.client(), client);
    }
    let error = client.addressable_device(4).unwrap_err().to_string();
    assert!(error.contains("cpu has 4"), "{error}");
    assert_eq!(client.device_with_id(99), None);
}

/// G6: the kind, description, ids and memory statistics of a device.
#[test]
fn a_device_says_what_it_is() {
    let client = client_with(2);
    let device = &client.devices()[1];
    assert!(device.is_addressable());
    assert_eq!(device.kind(), "cpu");
    assert_eq!(device.description().process_index(), 0);
    assert!(!device.description().debug_string().is_empty());
    assert!(!device.to_string().is_empty());
    assert!(format!("{device:?}").starts_with("Device("));
    assert_eq!(device.memory_stats().unwrap(), None, "the CPU plugin keeps no statistics");
    assert_ne!(device, &client.devices()[0]);
    assert_ne!(device, &client_with(2).devices()[1], "the same place in another client");
}

#[test]
fn memories_belong_to_devices() {
    let client = client_with(2);
    let device = &client.devices()[1];
    let kinds: Vec<_> = device.memories().iter().map(|m| m.kind().to_owned()).collect();
    for kind in ["device", "pinned_host", "unpinned_host"] {
        assert!(kinds.iter().any(|k| k == kind), "{kinds:?}");
        let memory = device.memory(kind).unwrap();
        assert_eq!(memory.devices(), std::slice::from_ref(device));
        assert_eq!(memory.client(), client);
        assert!(!memory.debug_string().is_empty() && !memory.to_string().is_empty());
    }
    assert_eq!(device.default_memory().unwrap(), device.memory("device").unwrap());
    assert_eq!(device.memory("tape"), None);
    assert_eq!(client.memories().len(), 6);
    let same_kind = client.devices()[0].memory("device").unwrap();
    assert_eq!(same_kind.kind_id(), device.memory("device").unwrap().kind_id());
    assert_ne!(same_kind.id(), device.memory("device").unwrap().id());
}

#[test]
fn options_of_a_wrong_type_are_refused_before_the_plugin_aborts() {
    let wrong = [
        ("cpu_device_count", NamedValue::from("two")),
        ("cpu_device_count", NamedValue::from(true)),
        ("asynchronous", NamedValue::from(1i64)),
        ("process_id", NamedValue::from(vec![1i64])),
    ];
    for (name, value) in wrong {
        let error = plugin().client_builder().option(name, value.clone()).build().unwrap_err();
        let text = error.to_string();
        assert!(matches!(error, Error::OptionType { .. }), "{text}");
        assert!(text.contains(name) && text.contains(value.type_name()), "{text}");
    }
    for count in [0i64, -1] {
        let error =
            plugin().client_builder().option("cpu_device_count", count).build().unwrap_err();
        assert!(error.to_string().contains("at least 1"), "{error}");
    }
    let options: NamedValues = [("asynchronous".to_owned(), NamedValue::from(false))].into();
    plugin().client_builder().options(options).build().unwrap();
}

#[test]
fn options_of_no_plugin_are_refused() {
    for name in ["no_such_option", "cpu_device_counts", "devices", "memory_fraction"] {
        let error = plugin().client_builder().option(name, 1i64).build().unwrap_err();
        assert!(error.to_string().contains(name), "{error}");
        assert!(error.to_string().contains("it has cpu_device_count, "), "{error}");
    }
}

#[test]
fn a_key_value_store_is_taken() {
    let store = LocalKeyValueStore::new();
    let client = plugin().client_builder().key_value_store(store.clone()).build().unwrap();
    assert_eq!(client.process_index(), 0);
    assert!(std::sync::Arc::strong_count(&store) > 1, "the client keeps it");
    drop(client);
    assert_eq!(std::sync::Arc::strong_count(&store), 1, "and lets go of it");
}

#[test]
fn default_device_assignments() {
    let client = client_with(4);
    assert_eq!(client.default_device_assignment(1, 1).unwrap().len(), 1);
    let mut ids = client.default_device_assignment(2, 2).unwrap();
    ids.sort_unstable();
    let mut all: Vec<_> = client.devices().iter().map(|d| d.id()).collect();
    all.sort_unstable();
    assert_eq!(ids, all);
    for (replicas, partitions) in [(0, 1), (1, 0), (5, 1), (usize::MAX, 2)] {
        assert!(client.default_device_assignment(replicas, partitions).is_err());
    }
}

#[test]
fn a_topology_describes_the_devices() {
    let client = client_with(2);
    let topology = client.topology().unwrap();
    assert_eq!(topology.platform_name().unwrap(), "cpu");
    let descriptions = topology.devices().unwrap();
    assert_eq!(descriptions.len(), 2);
    assert_eq!(descriptions[1].id(), client.devices()[1].id());
    assert!(topology.attributes().is_ok());
    assert!(topology.serialize().is_ok_and(|bytes| !bytes.is_empty()));
    drop(client);
    assert_eq!(topology.devices().unwrap().len(), 2, "it keeps the client");
    let error = Topology::new(plugin(), "", &NamedValues::new()).unwrap_err();
    assert!(error.is_unimplemented(), "the CPU plugin makes no topologies: {error}");
}

/// G15: the counters of a client, and of all, are of what lives.
#[test]
fn counters_count_what_lives() {
    // Other tests have clients of their own.
    if !is_alone("client::counters_count_what_lives") {
        return;
    }
    let (client, other) = (client(), client());
    let only = |buffers, loaded_executables, events, host_memory| {
        let mut alive = Alive::default();
        (alive.buffers, alive.loaded_executables) = (buffers, loaded_executables);
        (alive.events, alive.host_memory) = (events, host_memory);
        alive
    };
    assert_eq!((client.alive(), alive()), (Alive::default(), Alive::default()));
    let executable = compile(&client, ADD_IN_PLACE);
    assert_eq!(client.alive(), only(0, 1, 0, 0));
    let same = executable.clone();
    assert_eq!(client.alive(), only(0, 1, 0, 0), "another handle");

    let memory = AlignedVec::from_slice(&[1.0f32, 2.0]).unwrap();
    let (a, lease) = client.host_buffer(DType::F32, &[2]).zero_copy(memory).unwrap();
    drop(lease);
    let b = client.buffer(&[3.0f32, 4.0], &[2]).unwrap();
    let c = other.scalar(1u8).unwrap();
    expect_alive(&client, only(2, 1, client.alive().events, 1));
    let before = client.alive().events;
    let events = [(); 3].map(|()| b.ready_event().unwrap());
    assert_eq!(client.alive().events, before + 3);
    drop(events);
    assert_eq!(client.alive().events, before);
    let all = alive();
    assert_eq!((all.buffers, all.loaded_executables, all.host_memory), (3, 1, 1), "of all clients");

    let donated = ExecuteOptions::new().donate(Donation::Indices(&[0]));
    let results = executable.execute(&[&b, &a], &donated).unwrap();
    results[0].wait().unwrap();
    assert!(b.is_donated());
    assert_eq!(client.alive().buffers, 3, "a donated buffer counts until it is dropped");
    drop((b, results));
    assert_eq!(client.alive().buffers, 1);
    drop(a);
    expect_alive(&client, only(0, 1, 0, 0));
    drop(executable);
    assert_eq!(client.alive().loaded_executables, 1, "the other handle");
    drop(same);
    assert_eq!(client.alive(), Alive::default());
    assert_eq!(alive().buffers, 1, "the other client's");
    drop((c, client));
    expect_alive(&other, Alive::default());
    assert_eq!(alive(), Alive::default());
}

#[test]
fn a_client_with_children_is_not_shut_down() {
    let client = client();
    let buffer = client.scalar(1i32).unwrap();
    let client = client.shutdown().expect_err("a buffer is alive");
    assert_eq!(client.alive().buffers, 1);
    drop(buffer);
    client.shutdown().expect("nothing is alive");
}

#[test]
fn functions_that_the_plugin_lacks_say_since_when_they_exist() {
    let client = client();
    let (_, minor) = client.plugin().version();
    if minor < 89 {
        let error = client.host_event().unwrap_err();
        let text = error.to_string();
        assert!(matches!(error, Error::Unsupported { since: 89, .. }), "{text}");
        for part in ["`cpu`", &format!("0.{minor}"), "PJRT_Event_Create", "0.89"] {
            assert!(text.contains(part), "{text}");
        }
    }
    let device = &client.devices()[0];
    unless_unimplemented(&[81], client.host_event());
    unless_unimplemented(&[81], device.current_attributes());
    unless_unimplemented(&[81, 106, 115], device.clear_memory_stats());
}
