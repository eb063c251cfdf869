//! Any bytes as the configuration of adapters.
#![no_main]

use hloom_models::lora::AdapterFolder;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    // Writes a checkpoint without tensors.
    hloom_fuzz::file("adapter_model.safetensors", b"\x02\0\0\0\0\0\0\0{}");
    let path = hloom_fuzz::file("adapter_config.json", bytes);
    match AdapterFolder::open(path.parent().expect("it has a folder")) {
        Ok(adapters) => assert!(adapters.lora().rank > 0 && adapters.lora().alpha.is_finite()),
        Err(error) => assert!(error.to_string().contains("adapter_config.json")),
    }
});
