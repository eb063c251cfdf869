//! Compiling a lowered graph to an executable of a platform.

use super::{Compiler, check_nan, repeated, settings::Lowered};
use crate::{
    AnyExe, Error, Result, Signature,
    cache::{self, Devices, Executable, ProgramSource},
    callback::Callbacks,
    exe::{OutputLists, Program, set_compiled_shardings, set_requested_shardings},
    function::brief,
    heap,
    kernels::Recompilation,
    origin::{LargestValue, named_calls},
};
use hloom_graph::{Graph, Op};
use std::{sync::Arc, time::Instant};
use tracing::info_span;

impl Compiler<'_> {
    /// Compiles a traced graph, or loads its saved program.
    pub(super) fn build(mut self, graph: &Graph, saved: Option<&[u8]>) -> Result<AnyExe> {
        let name = graph.name().to_owned();
        if saved.is_none() {
            repeated::count(graph);
        }
        let kept = self.settings.keep_graph.then(|| Arc::new(graph.clone()));
        let checked = self.settings.check_nan.then(|| check_nan::with_checks(graph)).transpose()?;
        let graph = checked.as_ref().unwrap_or(graph);
        let (_, version) = self.on.client().plugin().version();
        self.on.dots().activity().compilation();
        let lacked = self.on.dots().lacked();
        let lowered = self.settings.lower(graph, self.on.name(), version, Some(self.on))?;
        // A compilation of another thread may have lacked the class: then this program is compiled
        // again without need.
        let has_lacked = self.on.dots().lacked() != lacked;
        let Lowered { graph: lowered, code, source, kernels, dump, from_environment } = lowered;
        let (traced, graph) = (graph, &*lowered);
        let callbacks = Callbacks::of(graph, &name, self.on)?;
        // A callback may own buffers of the platform, and a mesh owns the platform, which would
        // then never be dropped.
        let is_on_mesh = self.settings.mesh.is_some();
        let is_kept = saved.is_none() && dump.is_none() && callbacks.is_none() && !is_on_mesh;
        let module = (has_lacked && is_kept).then(|| Recompilation::module(&code));
        let mut signature = Signature::of(graph);
        if let Some(mesh) = self.settings.platform_mesh() {
            set_requested_shardings(&mut signature, graph, mesh);
        }
        let executable = if let Some(saved) = saved {
            let names = callbacks.as_ref().map(Callbacks::names).unwrap_or_default();
            cache::load(self.devices(), &name, &source, &signature, &names, saved)?
        } else {
            let span = info_span!(
                "compile",
                %name,
                platform = self.on.name(),
                inputs = tracing::field::Empty,
                outputs = tracing::field::Empty,
                input_bytes = signature.input_bytes(),
                output_bytes = signature.output_bytes(),
            );
            if !span.is_disabled() {
                let (inputs, outputs) = brief(graph);
                span.record("inputs", inputs).record("outputs", outputs);
            }
            let _entered = span.entered();
            // A dump shows the optimized program, which plugins do not keep for a program that they
            // loaded.
            #[expect(unsafe_code, reason = "the program was lowered here")]
            // SAFETY: the graph was checked by the rules of its ops when it was traced, and the
            // lowering adds nothing to it.
            let compiled = unsafe { self.compile_code(&name, code, &source, dump.is_none()) };
            let with = match &from_environment[..] {
                [] => String::new(),
                names => format!(" with {} of HLOOM_XLA_OPTIONS", names.join(", ")),
            };
            compiled.map_err(|error| {
                let calls = named_calls(graph, &error.to_string());
                Error::plugin(format!("`{name}` does not compile{with}{calls}"))(error)
            })?
        };
        let Executable { loaded, code } = executable;
        if let Some(mesh) = self.settings.platform_mesh() {
            set_compiled_shardings(&mut signature, mesh, &loaded)?;
        }
        let calls_handlers = graph.nodes().any(|(_, node)| matches!(node.op, Op::CustomCall(_)));
        let program = Program {
            name,
            graph: kept,
            platform: self.on.clone(),
            mesh: self.settings.platform_mesh().cloned(),
            loaded,
            code,
            source,
            calls_handlers,
            signature,
            kernels,
            largest: LargestValue::of(graph),
            output_lists: OutputLists::default(),
        };
        let exe = AnyExe::new(program, callbacks)?;
        if has_lacked {
            let again = module.map(|module| Recompilation::new(traced, &self.settings, module));
            self.on.dots().compiled(self.on, again);
        }
        if let Some(dump) = &dump {
            dump.optimized(&exe)?;
        }
        for (input, bytes) in exe.unused_donations().unwrap_or_default() {
            tracing::warn!(
                program = exe.name(),
                %input,
                bytes,
                "no result could reuse the memory of a donated input"
            );
        }
        Ok(exe)
    }

    /// The devices that the program runs on.
    fn devices(&self) -> Devices<'_> {
        Devices { platform: self.on, mesh: self.settings.platform_mesh() }
    }

    /// Compiles a module by the plugin, or loads it from the cache.
    ///
    /// # Safety
    /// As for [`hloom_pjrt::Client::compile`].
    #[expect(unsafe_code, reason = "the caller vouches for the program")]
    pub(crate) unsafe fn compile_code(
        &self,
        name: &str,
        code: Vec<u8>,
        source: &ProgramSource,
        may_be_kept: bool,
    ) -> hloom_pjrt::Result<Executable> {
        // Only a compilation writes a file of choices that does not exist yet, so the cache is not
        // used.
        let autotune = self.settings.autotune_key(self.on.name());
        let may_be_kept = may_be_kept && autotune.is_ok();
        let autotune = autotune.ok().flatten();
        let chosen = autotune.map(|choices| source.with_option("autotune", &choices));
        let source = chosen.as_ref().unwrap_or(source);
        tracing::info!("compiling");
        let begin = Instant::now();
        let options = &self.settings.options;
        let client = self.on.client();
        // SAFETY: the caller vouches for the program.
        let compile = |code| unsafe { client.compile(&hloom_pjrt::Program::mlir(code), options) };
        let compiled = match self.on.cache().filter(|_| may_be_kept) {
            Some(cache) => cache.compiled(self.devices(), name, code, source, compile),
            None => compile(code).map(Executable::from),
        };
        heap::trim_after(begin.elapsed());
        compiled
    }
}
