//! Any text as the name of a model (the first line) and the index that a hub returns for it (the
//! rest): no path of the cache that is made of them lies outside of the model's folder.
#![no_main]

#[path = "../../crates/models/src/hub_name.rs"]
mod hub_name;

use hub_name::HubName;
use libfuzzer_sys::fuzz_target;
use std::path::{Component, Path};

fuzz_target!(|bytes: &[u8]| {
    let end = bytes.iter().position(|&byte| byte == b'\n').unwrap_or(bytes.len());
    let (name, index) = bytes.split_at(end);
    let index = index.get(1..).unwrap_or_default();
    let Ok(name) = std::str::from_utf8(name) else { return };
    let HubName { repository, revision } = match HubName::parse(name) {
        Ok(name) => name,
        Err(message) => return assert!(!message.is_empty()),
    };
    let folder = format!("models--{}", repository.replace('/', "--"));
    let plain =
        |path: &str| Path::new(path).components().all(|part| matches!(part, Component::Normal(_)));
    assert!(
        !folder.contains(['/', '\\', '\0']) && plain(revision) && !revision.contains(['\\', '\0'])
    );
    // An address has a path and nothing after it.
    assert!(!name.contains(['?', '#', '%', ' ']));
    match hloom_io::index::parse(index) {
        Ok(shards) => {
            for shard in shards.values() {
                let snapshot = Path::new(&folder).join("snapshots").join("commit");
                assert_eq!(snapshot.join(shard).parent(), Some(snapshot.as_path()));
                assert!(!shard.contains(['\\', ':', '\0']));
            }
        }
        Err(message) => assert!(!message.is_empty()),
    }
});
