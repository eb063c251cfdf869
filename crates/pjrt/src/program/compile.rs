//! Compiles programs, and loads compiled ones.

use crate::{
    Client, CompileOptions, Error, Executable, LoadedExecutable, Program, Result, execute::nested,
    sys,
};

impl Client {
    /// Compiles a program and loads it onto its devices.
    ///
    /// # Errors
    /// The plugin's error, with all its diagnostics of the program; the options are wrong; or
    /// [`Error::NestedLaunch`].
    ///
    /// # Safety
    /// A plugin runs any program as it is: it can read and write memory that is not its own,
    /// already while it is compiled. Whoever wrote the program may run code in this process, or it
    /// was made by a compiler that checks what it lowers. The crate `hloom-sandbox` compiles and
    /// runs other programs.
    pub unsafe fn compile(
        &self,
        program: &Program<'_>,
        options: &CompileOptions,
    ) -> Result<LoadedExecutable> {
        nested::check_threads(&self.inner, || "compiling a program".to_owned())?;
        let options = options.encode_for(self.inner.devices.len())?;
        let raw_program = program.to_raw();
        let mut args: sys::PJRT_Client_Compile_Args = self.inner.api.zeroed();
        args.client = self.inner.raw.as_ptr();
        args.program = &raw const raw_program;
        args.compile_options = options.as_ptr().cast();
        args.compile_options_size = options.len();
        let lookup = self.inner.api.begin_lookup("PJRT_Client_Compile")?;
        // SAFETY: program and options outlive the call, and the caller vouches for the program.
        unsafe { self.inner.api.call(&mut args) }?;
        drop(lookup);
        // SAFETY: a new executable that belongs to us.
        unsafe { LoadedExecutable::from_call(&self.inner, args.executable, "PJRT_Client_Compile") }
    }

    /// Loads a program serialized by [`Executable::serialize`] of the same build of the plugin.
    /// `options` replace those that it was compiled with.
    ///
    /// # Errors
    /// The plugin's error, for instance that another build made the bytes; the options need more
    /// devices than there are; or the plugin cannot replace options (API 0.71).
    ///
    /// # Safety
    /// The bytes are native code, which the plugin runs unchecked: they came from
    /// [`Executable::serialize`] of the same build of the plugin, and nobody who may not run code
    /// in this process could have written or changed them since (on disk or on their way here).
    pub unsafe fn deserialize(
        &self,
        bytes: &[u8],
        options: Option<&CompileOptions>,
    ) -> Result<LoadedExecutable> {
        let api = self.inner.api;
        let devices = self.inner.devices.len();
        let options = options.map(|options| options.encode_for(devices)).transpose()?;
        if bytes.is_empty() {
            return Err(Error::argument("a serialized executable is not empty"));
        }
        if options.is_some() && api.minor() < 71 {
            return Err(api.unsupported("overridden options of DeserializeAndLoad", 71));
        }
        let mut args: sys::PJRT_Executable_DeserializeAndLoad_Args = api.zeroed();
        args.client = self.as_ptr();
        args.serialized_executable = bytes.as_ptr().cast();
        args.serialized_executable_size = bytes.len();
        if let Some(options) = &options {
            args.overridden_serialized_compile_options = options.as_ptr().cast();
            args.overridden_serialized_compile_options_size = options.len();
        }
        let _lookup = api.begin_lookup("PJRT_Executable_DeserializeAndLoad")?;
        // SAFETY: the bytes outlive the call, and the caller answers for what they do; the new
        // executable belongs to us.
        unsafe {
            api.call(&mut args)?;
            let function = "PJRT_Executable_DeserializeAndLoad";
            LoadedExecutable::from_call(&self.inner, args.loaded_executable, function)
        }
    }

    /// Loads a program compiled for a topology onto this client's devices (API 0.95 and later).
    ///
    /// # Errors
    /// The plugin's error, or the plugin lacks the function: serialize and deserialize it instead.
    pub fn load(
        &self,
        executable: &Executable,
        options: &CompileOptions,
    ) -> Result<LoadedExecutable> {
        let api = self.inner.api;
        if !std::ptr::eq(api, executable.api) {
            return Err(Error::ForeignClient { what: "an executable of another plugin".into() });
        }
        let options = options.encode_for(self.inner.devices.len())?;
        let mut args: sys::PJRT_Client_Load_Args = api.zeroed();
        args.client = self.as_ptr();
        args.executable = executable.as_ptr();
        args.compile_options = options.as_ptr().cast();
        args.compile_options_size = options.len();
        let _lookup = api.begin_lookup("PJRT_Client_Load")?;
        // SAFETY: all inputs outlive the call; the new executable belongs to us.
        unsafe {
            api.call(&mut args)?;
            LoadedExecutable::from_call(&self.inner, args.loaded_executable, "PJRT_Client_Load")
        }
    }
}
