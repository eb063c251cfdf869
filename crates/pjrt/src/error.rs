//! Errors.

use crate::{DType, ErrorCode, sys};
use hloom_ffi::HandlerError;
use std::path::PathBuf;

/// The result type of this crate.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// A failed call of a plugin, a plugin that cannot be used, or an argument that is wrong.
///
/// Arguments are checked before the plugin sees them, so an error of a variant other than
/// [`Error::Call`] means that nothing was launched, copied or freed.
#[derive(Clone, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The plugin returned an error.
    #[error("{function} of plugin `{plugin}` failed: {code}: {message}")]
    Call {
        /// The plugin's name.
        plugin: String,
        /// The function of the C API.
        function: &'static str,
        /// The code of the error.
        code: ErrorCode,
        /// The plugin's whole message.
        message: String,
        /// The error's payloads, by type name (API 0.99 and later).
        payloads: Vec<(String, Vec<u8>)>,
    },
    /// The plugin is too old, or lacks an optional function.
    #[error(
        "plugin `{plugin}` (API {major}.{minor}) lacks {function}, added in 0.{since}: {}",
        if *.minor < *.since as i32 { "use a newer plugin" } else { "this plugin leaves it out" }
    )]
    Unsupported {
        /// The plugin's name.
        plugin: String,
        /// The plugin's major version.
        major: i32,
        /// The plugin's minor version.
        minor: i32,
        /// The function (or extension) that is missing.
        function: &'static str,
        /// The minor version that added it.
        since: u32,
    },
    /// No plugin has this name.
    #[error(
        "no PJRT plugin `{name}` found; this machine has {}; looked at:\n{}",
        listed(available),
        .searched.join("\n")
    )]
    PluginNotFound {
        /// The name asked for.
        name: String,
        /// The names of the plugins that are found.
        available: Vec<String>,
        /// The places searched and what was found there, one line each.
        searched: Vec<String>,
    },
    /// A plugin's file cannot be used.
    #[error("PJRT plugin {}: {problem}", .path.display())]
    Plugin {
        /// The file.
        path: PathBuf,
        /// The reason why it cannot be used.
        problem: PluginProblem,
    },
    /// A variable of the environment names a plugin, or a place of plugins, that cannot be used.
    #[error("{variable} names {}: {problem}", .path.display())]
    Setting {
        /// The variable.
        variable: String,
        /// The file or folder that it names.
        path: PathBuf,
        /// The reason why it cannot be used.
        problem: PluginProblem,
    },
    /// A plugin was registered under a name that another one has.
    #[error("a PJRT plugin named `{name}` exists: {existing}")]
    PluginExists {
        /// The name.
        name: String,
        /// The file or registration that has it.
        existing: String,
    },
    /// An option has a value of the wrong type.
    #[error("option `{option}` of plugin `{plugin}` takes {expected}, not {found}")]
    OptionType {
        /// The plugin's name.
        plugin: String,
        /// The option's name.
        option: String,
        /// The type expected.
        expected: &'static str,
        /// The type found.
        found: &'static str,
    },
    /// A plugin that ignores unknown options has no option of this name.
    #[error("plugin `{plugin}` has no option `{option}`; it has {}", known.join(", "))]
    UnknownOption {
        /// The plugin's name.
        plugin: String,
        /// The option's name.
        option: String,
        /// The options that the plugin has.
        known: Vec<&'static str>,
    },
    /// A number of bytes, elements or arguments is wrong.
    #[error("{what}: expected {expected}, found {found}")]
    Size {
        /// The object whose bytes, elements or arguments were counted.
        what: String,
        /// The number expected.
        expected: usize,
        /// The number found.
        found: usize,
    },
    /// A dtype is wrong.
    #[error("{what}: expected dtype {expected}, found {found}")]
    DType {
        /// The object with the dtype.
        what: String,
        /// The dtype expected.
        expected: DType,
        /// The dtype found.
        found: DType,
    },
    /// Dimensions are wrong.
    #[error("{what}: expected dimensions {expected:?}, found {found:?}")]
    Dimensions {
        /// The object with the dimensions.
        what: String,
        /// The dimensions expected.
        expected: Vec<i64>,
        /// The dimensions found.
        found: Vec<i64>,
    },
    /// A buffer was used after [`delete`](crate::Buffer::delete).
    #[error("{what}: the buffer was deleted")]
    Deleted {
        /// The use.
        what: String,
    },
    /// A buffer was used after an execution, an alias or a bitcast took it over.
    #[error("{what}: the buffer was donated")]
    Donated {
        /// The use.
        what: String,
    },
    /// A buffer's memory is borrowed by a view, so it can be neither donated nor deleted.
    #[error("{what}: a view of the buffer's memory is alive")]
    Viewed {
        /// The use.
        what: String,
    },
    /// The host lacks the memory that was asked for.
    #[error("{what}: the host has no memory for {bytes} bytes")]
    HostMemory {
        /// The purpose of the memory.
        what: String,
        /// The requested size.
        bytes: usize,
    },
    /// A buffer, device or memory of one client was passed to another.
    #[error("{what} belongs to another client")]
    ForeignClient {
        /// The object that belongs to the other client.
        what: String,
    },
    /// A handler of a program used the client in a way that would wait for that program.
    #[error("{operation} in {caller}: {conflict}")]
    NestedLaunch {
        /// The use of the client.
        operation: String,
        /// The handler and its program.
        caller: String,
        /// The reason why it would wait.
        conflict: LaunchConflict,
    },
    /// A compiler was called in the destructor of a thread-local value, after the compiler's own
    /// values of the thread were destroyed.
    #[error("{function}: this thread is ending, with what compilers keep for it: compile before")]
    ThreadEnds {
        /// The function that was not called.
        function: &'static str,
    },
    /// This process was forked from one that uses a plugin, whose threads it does not have.
    #[error(
        "{function}: this process was forked from one that uses plugin `{plugin}`, whose threads \
         are not here: start the process anew, or fork before the plugin has a client"
    )]
    Forked {
        /// The plugin's name.
        plugin: String,
        /// The function of the C API that was not called.
        function: &'static str,
    },
    /// An argument is wrong in another way.
    #[error("{0}")]
    Argument(String),
}

impl std::fmt::Debug for Error {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        std::fmt::Display::fmt(self, f)
    }
}

/// The reason why a handler would wait for its own program: see [`Error::NestedLaunch`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum LaunchConflict {
    /// Both programs run over several devices.
    #[error(
        "programs over several devices run one after the other, so each of the two would wait for \
         the other one"
    )]
    Devices,
    /// The plugin runs both programs in one queue.
    #[error(
        "the program of the callback is too large to run on the thread that called it, and the \
         plugin runs such programs one after the other, so each of the two would wait for the \
         other one: use another platform (`Platform::cpus`) in the callback, or call both \
         programs one after the other"
    )]
    Queue,
    /// The device is locked while a program calls its handlers.
    #[error(
        "a program locks its device while it calls callbacks, and what one of them does there may \
         wait for that lock: use another platform (`Platform::cpu`) in the callback, or do it \
         before or after the call"
    )]
    Lock,
    /// All threads of the plugin may be held by handlers and by the devices that wait for them.
    #[error(
        "it needs threads of the plugin, which callbacks and the devices that wait for them may \
         hold: do it before, or on a platform with more devices than the program has"
    )]
    Threads,
    /// The thread is one of several that share the work of a handler.
    #[error("a program needs the threads that `for_each` and `spawn` use: call it outside of them")]
    Workers,
    /// An argument is donated, which waits for the programs that use it.
    #[error("donating an argument waits for the programs that use it: pass a reference or a copy")]
    Donation,
    /// It is not ready, and what computes it may wait for the handler's program.
    #[error("what computes it may wait for the program of the callback: wait for it before")]
    Pending,
    /// Too many threads run handlers that call programs.
    #[error("too many callbacks call programs with callbacks at the same time")]
    Number,
}

/// The reason why a plugin's file cannot be used.
#[derive(Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum PluginProblem {
    /// There is no such file.
    #[error("the file does not exist")]
    Missing,
    /// It is a directory or otherwise not a regular file.
    #[error("not a regular file")]
    NotAFile,
    /// It cannot be read.
    #[error("cannot be read: {0}")]
    Unreadable(String),
    /// It is in the cache of plugins, where another user could have put or changed it.
    #[error(
        "not loaded from a cache that others can change: {p} belongs to user {owner} and has mode \
         {mode:04o}, expected user {user} or root and no write permission for group and others: \
         look at what is there, then `chmod go-w {p}` (`chown {user} {p}` where the owner is \
         wrong), or remove it and install the plugin again",
        p = path.display()
    )]
    Untrusted {
        /// The folder or file.
        path: PathBuf,
        /// The user it belongs to.
        owner: u32,
        /// Its permissions.
        mode: u32,
        /// The user that this process runs as.
        user: u32,
    },
    /// It is not a shared library of this platform.
    #[error("not a shared library of this platform: {0}")]
    NotALibrary(String),
    /// The system's loader refused it.
    #[error("the system's loader refused it: {0}")]
    Loader(String),
    /// It does not export `GetPjrtApi`.
    #[error("exports no `GetPjrtApi`")]
    NoSymbol,
    /// `GetPjrtApi` returned null.
    #[error("`GetPjrtApi` returned null")]
    NullApi,
    /// The function table is too small to hold its own header.
    #[error("the function table has struct_size {found}, expected at least {least}")]
    ApiTooSmall {
        /// The size found, in bytes.
        found: usize,
        /// The minimum size expected, in bytes.
        least: usize,
    },
    /// The version structure is too small.
    #[error("the version structure has struct_size {found}, expected at least {least}")]
    VersionTooSmall {
        /// The size found, in bytes.
        found: usize,
        /// The minimum size expected, in bytes.
        least: usize,
    },
    /// The function table is larger than any table can be.
    #[error("the function table has struct_size {found}, expected at most {most}")]
    ApiTooLarge {
        /// The size found, in bytes.
        found: usize,
        /// The greatest size accepted, in bytes.
        most: usize,
    },
    /// The major version is another one.
    #[error("API version {major}.{minor}, expected major version {expected}")]
    Major {
        /// The major version found.
        major: i32,
        /// The minor version found.
        minor: i32,
        /// The major version expected.
        expected: i32,
    },
    /// The minor version is not supported.
    #[error("API version 0.{minor}: {reason}")]
    Minor {
        /// The minor version found.
        minor: i32,
        /// The reason why it is refused.
        reason: String,
    },
    /// A function that every plugin must have is a null pointer.
    #[error("function {0} is a null pointer")]
    NullFunction(&'static str),
    /// `PJRT_Plugin_Initialize` failed.
    #[error("initialization failed: {0}")]
    Initialize(String),
}

/// The number of a code for a call that sets an error: plugins abort on an error with the code for
/// success.
pub(crate) fn error_number(code: ErrorCode) -> Result<sys::PJRT_Error_Code> {
    match i32::from(code) {
        0 => Err(Error::argument("an error with code 0, which is success")),
        number => Ok(number as sys::PJRT_Error_Code),
    }
}

impl From<Error> for HandlerError {
    fn from(error: Error) -> Self {
        Self::new(error.code(), error.to_string())
    }
}

impl std::fmt::Debug for PluginProblem {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        std::fmt::Display::fmt(self, f)
    }
}

impl Error {
    /// The code of the error: the plugin's error, or the one that fits best.
    pub fn code(&self) -> ErrorCode {
        match self {
            Self::Call { code, .. } => *code,
            Self::Unsupported { .. } => ErrorCode::Unimplemented,
            Self::PluginNotFound { .. } => ErrorCode::NotFound,
            Self::PluginExists { .. } => ErrorCode::AlreadyExists,
            Self::HostMemory { .. } => ErrorCode::ResourceExhausted,
            Self::Plugin { .. }
            | Self::Setting { .. }
            | Self::Deleted { .. }
            | Self::Donated { .. }
            | Self::Viewed { .. }
            | Self::NestedLaunch { .. }
            | Self::ThreadEnds { .. }
            | Self::Forked { .. } => ErrorCode::FailedPrecondition,
            _ => ErrorCode::InvalidArgument,
        }
    }

    /// An error for a wrong argument.
    pub(crate) fn argument(message: impl Into<String>) -> Self {
        Self::Argument(message.into())
    }

    /// An allocation that failed.
    pub(crate) fn host_memory(what: impl Into<String>, bytes: usize) -> Self {
        let what = what.into();
        Self::HostMemory { what, bytes }
    }

    /// A count that is not as expected.
    pub(crate) fn size(what: impl Into<String>, expected: usize, found: usize) -> Self {
        Self::Size { what: what.into(), expected, found }
    }

    /// Whether the plugin does not implement the operation.
    pub fn is_unimplemented(&self) -> bool {
        self.code() == ErrorCode::Unimplemented
    }
}

/// Names in a message.
fn listed(names: &[String]) -> String {
    if names.is_empty() {
        return "none".to_owned();
    }
    names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ")
}
