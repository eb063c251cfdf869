//! Options of a client.

use crate::{
    Error, Plugin, Result,
    client::{Client, key_value::KeyValueStore},
    named_value::{NamedValue, NamedValues},
};
use std::sync::Arc;

/// Builds a client with options.
///
/// ```no_run
/// use hloom_pjrt::Plugin;
/// let client = Plugin::load("cpu")?
///     .client_builder()
///     .option("cpu_device_count", 8i64)
///     .build()?;
/// assert_eq!(client.devices().len(), 8);
/// # Ok::<(), hloom_pjrt::Error>(())
/// ```
#[must_use = "no client is created before `build`"]
pub struct ClientBuilder {
    plugin: Plugin,
    options: NamedValues,
    store: Option<Arc<dyn KeyValueStore>>,
}

/// The types of known options. Older CPU plugins abort the process on a value of another type, and
/// ignore unknown names; others return an error.
const KNOWN: [(&str, Type); 31] = [
    ("cpu_device_count", Type::Int64),
    ("asynchronous", Type::Bool),
    ("process_id", Type::Int64),
    ("platform_name", Type::String),
    ("allocator", Type::String),
    ("memory_fraction", Type::Float),
    ("preallocate", Type::Bool),
    ("collective_memory_size", Type::Int64),
    ("visible_devices", Type::Int64List),
    ("node_id", Type::Int64),
    ("num_nodes", Type::Int64),
    ("should_stage_host_to_device_transfers", Type::Bool),
    ("abort_collectives_on_failure", Type::Bool),
    ("use_tfrt_gpu_client", Type::Bool),
    ("enable_mock_nccl", Type::Bool),
    ("mock_gpu_topology", Type::String),
    ("partition_index", Type::Int64),
    ("max_inflight_computations", Type::Int64),
    ("ml_framework_name", Type::String),
    ("ml_framework_version", Type::String),
    ("use_tf_pjrt_client", Type::Bool),
    ("use_global_tpu_system", Type::Bool),
    ("tpu_allow_async_allocations", Type::Bool),
    ("executable_compatibility_check_on_deserialization", Type::Bool),
    ("throttle_low_priority_host_transfers", Type::Bool),
    ("skip_megascale_pjrt_client", Type::Bool),
    ("pinned_host_allocation_mode", Type::String),
    ("premapped_buffer_size", Type::Int64),
    ("maximum_premapped_buffer_size_for_transfers_in_bytes", Type::Int64),
    ("num_premapped_partitions", Type::Int64),
    ("xla_backend_extra_options", Type::String),
];

/// The number of known options, from the first on, that the CPU plugin has.
const OF_CPU: usize = 3;

/// The CPU plugin creates threads and memories for each of its devices, however large their number.
const MAX_CPU_DEVICES: i64 = 1 << 12;

#[derive(Clone, Copy)]
enum Type {
    String,
    Int64,
    Int64List,
    Float,
    Bool,
}

impl Type {
    fn matches(self, value: &NamedValue) -> bool {
        matches!(
            (self, value),
            (Self::String, NamedValue::String(_))
                | (Self::Int64, NamedValue::Int64(_))
                | (Self::Int64List, NamedValue::Int64List(_))
                | (Self::Float, NamedValue::Float(_))
                | (Self::Bool, NamedValue::Bool(_))
        )
    }

    fn name(self) -> &'static str {
        match self {
            Self::String => "a string",
            Self::Int64 => "an integer",
            Self::Int64List => "a list of integers",
            Self::Float => "a float",
            Self::Bool => "a boolean",
        }
    }
}

impl Plugin {
    /// A client with the plugin's default options.
    ///
    /// # Errors
    /// The plugin's error, for instance that the machine has no such device.
    pub fn client(&self) -> Result<Client> {
        self.client_builder().build()
    }

    /// A client with options.
    pub fn client_builder(&self) -> ClientBuilder {
        ClientBuilder::new(*self)
    }
}

impl ClientBuilder {
    fn new(plugin: Plugin) -> Self {
        Self { plugin, options: NamedValues::new(), store: None }
    }

    /// Sets an option of the plugin by its name.
    pub fn option(mut self, name: impl Into<String>, value: impl Into<NamedValue>) -> Self {
        self.options.insert(name.into(), value.into());
        self
    }

    /// Sets several options.
    pub fn options(mut self, options: NamedValues) -> Self {
        self.options.extend(options);
        self
    }

    /// Sets the store through which the processes of a job find each other.
    pub fn key_value_store(mut self, store: Arc<dyn KeyValueStore>) -> Self {
        self.store = Some(store);
        self
    }

    /// Creates the client.
    ///
    /// # Errors
    /// [`Error::UnknownOption`] for an option that the CPU plugin does not have, and would ignore;
    /// [`Error::OptionType`] for a known option with a value of another type; else the plugin's
    /// error, for instance that it has no such option, or that the machine has no such device.
    pub fn build(self) -> Result<Client> {
        for (name, value) in &self.options {
            self.check(name, value)?;
        }
        Client::create(self.plugin, &self.options, self.store)
    }

    fn check(&self, name: &str, value: &NamedValue) -> Result<()> {
        let of_cpu = &KNOWN[..OF_CPU];
        if self.plugin.name() == "cpu" && of_cpu.iter().all(|(known, _)| *known != name) {
            return Err(Error::UnknownOption {
                plugin: self.plugin.name().to_owned(),
                option: name.to_owned(),
                known: of_cpu.iter().map(|(known, _)| *known).collect(),
            });
        }
        let known = KNOWN.iter().find(|(known, _)| *known == name);
        if let Some((_, expected)) = known.filter(|(_, expected)| !expected.matches(value)) {
            return Err(Error::OptionType {
                plugin: self.plugin.name().to_owned(),
                option: name.to_owned(),
                expected: expected.name(),
                found: value.type_name(),
            });
        }
        let devices = 1..=MAX_CPU_DEVICES;
        if name == "cpu_device_count"
            && value.as_i64().is_some_and(|count| !devices.contains(&count))
        {
            let message = format!(
                "option `cpu_device_count` is {value}, expected at least 1 and at most \
                 {MAX_CPU_DEVICES}"
            );
            return Err(Error::argument(message));
        }
        Ok(())
    }
}

impl std::fmt::Debug for ClientBuilder {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ClientBuilder")
            .field("plugin", &self.plugin)
            .field("options", &self.options)
            .field("key_value_store", &self.store.is_some())
            .finish()
    }
}
