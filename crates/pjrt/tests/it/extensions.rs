//! The extensions of the CPU plugin, and what happens where it has none.

use hloom_pjrt::{
    Client, CompileOptions, DType, Error, ErrorCode, ExtensionType, HostBufferSemantics, Layout,
    Program, sys,
};
use hloom_test_support::{CompileOwn, plugin};

fn client() -> Client {
    hloom_test_support::client(2)
}

#[test]
fn layouts_are_those_of_c_unless_something_else_is_asked_for() {
    let client = client();
    for rank in 0..4usize {
        let dims: Vec<i64> = (0..rank as i64).map(|dim| dim + 2).collect();
        for dtype in [DType::F32, DType::S4, DType::Pred, DType::C128, DType::F8E4M3FN] {
            let default = client.default_layout(dtype, &dims).expect("the plugin knows");
            let order = default.layout().map(|layout| layout.is_row_major());
            // Narrow types have their size in bits as well, which a `Layout` does not have.
            assert!(order == Some(true) || dtype == DType::S4, "{dtype}: {default}");
        }
    }
    let buffer = client.buffer(&[1.0f32; 6], &[2, 3]).expect("a buffer");
    assert_eq!(buffer.device_layout().expect("the plugin knows").as_str(), "{1,0}");
    buffer.delete().expect("it is alive");
    let error = buffer.device_layout().expect_err("it was deleted");
    assert!(matches!(error, Error::Deleted { .. }), "{error:?}");
    assert!(error.to_string().contains("device_layout"), "{error}");
}

#[test]
fn a_program_may_choose_the_layout_of_its_results() {
    let client = client();
    let compile = |attribute: &str| {
        let text = format!(
            "func.func @main(%a: tensor<2x3xf32>) -> (tensor<3x2xf32> {attribute}, tensor<f32>) {{
               %0 = stablehlo.transpose %a, dims = [1, 0] : (tensor<2x3xf32>) -> tensor<3x2xf32>
               %1 = stablehlo.constant dense<1.0> : tensor<f32>
               return %0, %1 : tensor<3x2xf32>, tensor<f32>
             }}"
        );
        let executable = client.compile_own(&Program::mlir(text), &CompileOptions::default());
        executable.expect("it compiles").executable().output_layouts().expect("the plugin knows")
    };
    let texts = |attribute: &str| {
        compile(attribute).iter().map(|layout| layout.to_string()).collect::<Vec<_>>()
    };
    assert_eq!(texts(""), ["{1,0}", "{}"]);
    assert_eq!(texts(r#"{mhlo.layout_mode = "{0,1}"}"#), ["{0,1}", "{}"]);
    assert_eq!(
        compile(r#"{mhlo.layout_mode = "{0,1}"}"#)[0].layout(),
        Some(Layout::column_major(2))
    );
}

#[test]
fn devices_say_their_kinds_of_memory() {
    let client = client();
    for device in client.devices() {
        let kinds = device.memory_kinds().expect("the plugin knows");
        // The pinned plugin lists none; what it lists must be what the client has.
        assert!(kinds.iter().filter(|kind| kind.is_default).count() <= 1, "{kinds:?}");
        for kind in &kinds {
            let memory = device.memory(&kind.name).expect("the client has it as well");
            assert_eq!(memory.kind_id(), kind.id);
        }
        if let Some(default) = kinds.iter().find(|kind| kind.is_default) {
            assert_eq!(device.default_memory().expect("it has one").kind(), default.name);
        }
    }
    let topology = client.topology().expect("the client has one");
    let kinds = topology.memory_kinds().expect("the plugin knows");
    assert_eq!(kinds.len(), client.devices().len());
}

#[test]
fn an_extension_that_is_missing_is_named() {
    let plugin = plugin();
    let client = client();
    let device = client.addressable_device(0).expect("it has two");
    let text = "func.func @main(%a: tensor<f32>) -> tensor<f32> { return %a : tensor<f32> }";
    let program =
        client.compile_own(&Program::mlir(text), &CompileOptions::default()).expect("it compiles");
    let executable = program.executable();
    // Extensions that no CPU plugin has, or that the pinned one is too old for.
    let never = [
        (
            "PJRT_Get_Stream_For_External_Ready_Events",
            device.stream_for_external_ready_events().err(),
        ),
        ("PLUGIN_Profiler_Api", plugin.profiler(&[]).err()),
        ("PJRT_Register_Batch_Partitionable", plugin.register_batch_partitionable("test").err()),
    ];
    let newer = [
        ("ParameterShardings", executable.parameter_shardings().err()),
        ("PJRT_Client_RuntimeAbiVersion", client.runtime_abi_version().err()),
        ("PJRT_Executable_GetAbiVersion", executable.abi_version().err()),
        ("GetParameterLayouts", executable.parameter_layouts().err()),
    ];
    // Later ones have the first and the last of these; no CPU plugin has the others.
    let is_missing = |name: &str| name.starts_with("PJRT_") || plugin.version().1 < 91;
    let newer = newer.into_iter().filter(|(name, _)| is_missing(name));
    for (name, error) in never.into_iter().chain(newer) {
        let error = error.unwrap_or_else(|| panic!("{name}: the plugin has it"));
        assert!(matches!(error, Error::Unsupported { .. }), "{name}: {error:?}");
        assert!(error.to_string().contains(name) && error.to_string().contains("cpu"), "{error}");
        assert_eq!(error.code(), ErrorCode::Unimplemented);
    }
}

/// G17: what the C API has numbers for are enums here, which keep the numbers they do not know.
#[test]
fn constants_of_the_c_api_are_enums() {
    let types = [
        (ExtensionType::GpuCustomCall, sys::PJRT_Extension_Type_Gpu_Custom_Call),
        (ExtensionType::Profiler, sys::PJRT_Extension_Type_Profiler),
        (ExtensionType::CustomPartitioner, sys::PJRT_Extension_Type_Custom_Partitioner),
        (ExtensionType::Stream, sys::PJRT_Extension_Type_Stream),
        (ExtensionType::Layouts, sys::PJRT_Extension_Type_Layouts),
        (ExtensionType::Ffi, sys::PJRT_Extension_Type_FFI),
        (ExtensionType::MemoryDescriptions, sys::PJRT_Extension_Type_MemoryDescriptions),
        (ExtensionType::Triton, sys::PJRT_Extension_Type_Triton),
        (ExtensionType::RawBuffer, sys::PJRT_Extension_Type_RawBuffer),
        (ExtensionType::PhaseCompile, sys::PJRT_Extension_Type_PhaseCompile),
        (ExtensionType::Example, sys::PJRT_Extension_Type_Example),
        (ExtensionType::Unknown, sys::PJRT_Extension_Type_Unknown),
        (ExtensionType::CrossHostTransfers, sys::PJRT_Extension_Type_CrossHostTransfers),
        (ExtensionType::ExecutableMetadata, sys::PJRT_Extension_Type_ExecutableMetadata),
        (ExtensionType::Callback, sys::PJRT_Extension_Type_Callback),
        (ExtensionType::HostAllocator, sys::PJRT_Extension_Type_HostAllocator),
        (ExtensionType::TpuTopology, sys::PJRT_Extension_Type_TpuTopology),
        (ExtensionType::TpuExecutable, sys::PJRT_Extension_Type_TpuExecutable),
        (ExtensionType::Megascale, sys::PJRT_Extension_Type_Megascale),
        (ExtensionType::Shardings, sys::PJRT_Extension_Type_Shardings),
        (ExtensionType::AbiVersion, sys::PJRT_Extension_Type_AbiVersion),
        (ExtensionType::Collectives, sys::PJRT_Extension_Type_Collectives),
        (ExtensionType::MultiSlice, sys::PJRT_Extension_Type_MultiSlice),
        (ExtensionType::HostMemoryAllocator, sys::PJRT_Extension_Type_HostMemoryAllocator),
        (ExtensionType::XlaTransform, sys::PJRT_Extension_Type_XlaTransform),
        (ExtensionType::Other(25), 25),
        (ExtensionType::Other(u32::MAX), u32::MAX),
    ];
    for (at, (kind, number)) in types.into_iter().enumerate() {
        assert_eq!((kind.to_raw(), ExtensionType::from_raw(number)), (number, kind));
        assert_eq!(kind.name().is_some(), at < 25, "{kind}");
    }
    assert_eq!(ExtensionType::Ffi.to_string(), "FFI");
    assert_eq!(ExtensionType::Other(77).to_string(), "extension 77");
    let api = plugin().api();
    let ffi = api.extension(ExtensionType::Ffi).expect("every CPU plugin has it");
    assert_eq!((ffi.kind(), ffi.name()), (ExtensionType::Ffi, Some("FFI")));
    assert!(api.extension(ExtensionType::Example).is_none());

    let semantics = [
        HostBufferSemantics::ImmutableOnlyDuringCall,
        HostBufferSemantics::ImmutableUntilTransferCompletes,
        HostBufferSemantics::ImmutableZeroCopy,
        HostBufferSemantics::MutableZeroCopy,
    ];
    assert_eq!(semantics.map(HostBufferSemantics::to_raw), [0, 1, 2, 3]);

    // The plugin sees strides as strides, and says so: it takes none for the device.
    let client = client();
    let strides = Layout::Strides { byte_strides: vec![4] };
    let outcome =
        // SAFETY: nobody reads the contents.
        unsafe { client.device_buffer(DType::F32, &[2]).layout(&strides).uninitialized() };
    let error = outcome.expect_err("a layout by strides");
    assert_eq!(error.code(), ErrorCode::InvalidArgument, "{error}");
    assert!(error.to_string().contains("PJRT_Buffer_MemoryLayout_Type_Strides"), "{error}");
    let strides = Layout::Strides { byte_strides: vec![4, 4] };
    let outcome =
        // SAFETY: nobody reads the contents.
        unsafe { client.device_buffer(DType::F32, &[2]).layout(&strides).uninitialized() };
    assert!(matches!(outcome, Err(Error::Size { expected: 1, found: 2, .. })), "{outcome:?}");
}

#[test]
fn the_list_of_extensions_is_what_the_plugin_has() {
    let plugin = plugin();
    let extensions = plugin.api().extensions();
    let names: Vec<_> = extensions.iter().filter_map(|extension| extension.name()).collect();
    for name in ["FFI", "Layouts", "MemoryDescriptions"] {
        assert!(names.contains(&name), "{name}: {names:?}");
    }
    for extension in extensions {
        assert!(extension.size() >= 24);
        assert!(extension.slot(extension.size()).is_none(), "beyond its end");
        assert!(extension.slot(25).is_none(), "not aligned");
        assert!(extension.slot(usize::MAX - 7).is_none());
    }
}
