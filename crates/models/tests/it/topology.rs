//! The programs of a model, compiled ahead of time for devices that this machine need not have. The
//! plugins are large, so the tests are ignored unless `cargo xtask test --plugins cuda13,tpu` runs
//! them.

use hloom_graph::Shape;
use hloom_models::llama::{AheadOfTime, Config};
use hloom_pjrt::Plugin;
use hloom_runtime::{SavedProgram, Signature, Topology};

/// Compiles, saves and looks at both programs.
fn compiles(plugin: &str, target: &str, devices: usize) {
    let path = pjrt_plugins::ensure(plugin).expect("the plugin can be installed");
    Plugin::load(&path).unwrap_or_else(|error| panic!("{error}"));
    let topology = Topology::parse(target).unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(topology.devices().len(), devices);
    let config = Config::read(crate::fixture::path("llama/grouped/config.json")).unwrap();
    let mut sizes = AheadOfTime::default();
    (sizes.positions, sizes.prompt) = (64, 16);
    let programs = sizes.compile(&config, &topology).unwrap_or_else(|error| panic!("{error}"));
    let folder = tempfile::tempdir().unwrap();
    for (program, name) in programs.iter().zip(["prefill_16_64", "decode_64"]) {
        assert_eq!(program.name(), name);
        assert_eq!(program.as_pjrt().unwrap().num_partitions().unwrap(), devices);
        let embeddings = program.signature().input("weights.model.embed_tokens.weight");
        assert!(embeddings.is_some(), "{:?}", program.signature().inputs[0]);
        let path = folder.path().join(name);
        program.save(&path).unwrap();
        let bytes = std::fs::metadata(&path).unwrap().len();
        println!("{target}: {name}: {bytes} bytes, memory {:?}", program.memory());
        assert!(bytes > 10_000);
        let read = SavedProgram::read(&path).unwrap_or_else(|error| panic!("{error}"));
        assert_eq!(read.name(), name);
        assert_eq!(read.mesh(), (devices > 1).then_some(devices));
        assert_eq!(read.devices().len(), devices);
        assert!(read.processor().is_empty(), "it runs on a device");
        let signature = read.signature().expect("it is a program of ours");
        let inputs = |signature: &Signature| -> Vec<(String, Shape)> {
            signature.inputs.iter().map(|input| (input.name.clone(), input.shape)).collect()
        };
        assert_eq!(inputs(signature), inputs(program.signature()));
        assert_eq!(signature.outputs.len(), program.signature().outputs.len());
    }
}

/// X3: a model is compiled for TPUs on a machine without one.
#[test]
#[ignore = "needs the plugin: cargo xtask test --plugins tpu"]
fn plugin_tpu_compiles_the_split_model_for_four_chips() {
    compiles("tpu", "tpu:v5e:2x2x1", 4);
}

/// X3: a model is compiled for GPUs on a machine without one.
#[test]
#[ignore = "needs the plugin: cargo xtask test --plugins cuda13"]
fn plugin_cuda13_compiles_the_split_model_for_four_devices() {
    compiles("cuda13", "cuda:h200x4", 4);
    compiles("cuda13", "cuda:h200", 1);
}
