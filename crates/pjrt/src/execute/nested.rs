//! Uses of a client by handlers of its own programs.
//!
//! A handler holds a thread of the plugin, or the thread that called its program, and the plugin
//! bounds what may be in flight. The CPU plugin runs the larger programs of a device, and those over
//! several devices, one after the other; a program that is called by one of them and waits in the
//! same queue never begins. What would wait for the launch of the handler is refused with
//! [`NestedLaunch`](crate::Error::NestedLaunch):
//!
//! | called by a handler of a program | on one device | over several devices |
//! |---|---|---|
//! | on the thread that called it | runs | runs |
//! | on one device, on a thread of the plugin | refused | refused |
//! | over fewer devices than the client has | runs | refused |
//! | over all devices of the client | refused | refused |
//!
//! That is the CPU plugin. On devices, all of them are refused: see
//! [`PlatformKind::runs_nested_programs`](crate::PlatformKind::runs_nested_programs).
//!
//! The third row is why the second one refuses programs over several devices: such a program may
//! wait for another one over several devices, whose handler waits for a program in the queue of the
//! first handler's device.
//!
//! Programs called by handlers on threads of the plugin have ended when the call returns, so that
//! what is not ready there is waited for by none of them.

use crate::{
    Result,
    client::core::ClientInner,
    error::LaunchConflict,
    execute::{
        caller_launches::CallerLaunch,
        launch_scope::{Active, HandlerThread},
    },
};

/// A launch that is to be made.
pub(crate) struct Launch<'a> {
    pub program: &'a str,
    pub devices: usize,
    /// Whether handlers of this process find data in its context.
    pub has_handlers: bool,
    /// Whether arguments are taken over.
    pub donates: bool,
}

/// A launch that does not wait for the one whose handler this thread runs.
pub(crate) struct Admitted<'a> {
    /// Counted until the plugin has returned.
    _counted: Option<CallerLaunch<'a>>,
    /// Whether it must end before the call returns.
    pub is_awaited: bool,
}

impl Launch<'_> {
    /// Checks that the launch does not wait for the one whose handler this thread runs. Waits while
    /// too many threads make launches.
    #[inline]
    pub fn admit<'c>(&self, client: &'c ClientInner) -> Result<Admitted<'c>> {
        // Handlers of a program over several devices run on threads of the plugin.
        let is_counted = self.has_handlers && self.devices == 1;
        let Some(active) = Active::of(client) else {
            let _counted = is_counted.then(|| client.caller_launches.begin());
            return Ok(Admitted { _counted, is_awaited: false });
        };
        let refuse = |conflict| active.refuse(format!("calling `{}`", self.program), conflict);
        if let Some(conflict) = self.conflict(&active, client) {
            return Err(refuse(conflict));
        }
        let _counted = if is_counted {
            let counted = client.caller_launches.begin_nested();
            Some(counted.ok_or_else(|| refuse(LaunchConflict::Number))?)
        } else {
            None
        };
        Ok(Admitted { _counted, is_awaited: active.thread == HandlerThread::Plugin })
    }

    /// The reason why the launch would wait for that of a handler.
    fn conflict(&self, active: &Active, client: &ClientInner) -> Option<LaunchConflict> {
        match (active.devices, active.thread) {
            _ if !client.platform_kind().runs_nested_programs() => Some(LaunchConflict::Lock),
            (2.., _) if self.devices > 1 => Some(LaunchConflict::Devices),
            (_, HandlerThread::Worker) => Some(LaunchConflict::Workers),
            (1, HandlerThread::Plugin) => Some(LaunchConflict::Queue),
            // The memory may be an argument of the program that waits for the handler.
            _ if self.donates => Some(LaunchConflict::Donation),
            (_, HandlerThread::Plugin) if !leaves_threads(active, client) => {
                Some(LaunchConflict::Threads)
            }
            _ => None,
        }
    }
}

/// Whether the handler's program does not hold all threads of the plugin, which has at least as
/// many as the client has devices.
fn leaves_threads(active: &Active, client: &ClientInner) -> bool {
    active.devices < client.addressable.len() && client.platform_kind().runs_nested_programs()
}

/// Whether a handler may use threads of the plugin, and wait for them.
fn may_use_threads(active: &Active, client: &ClientInner) -> bool {
    match active.thread {
        HandlerThread::Caller => true,
        HandlerThread::Plugin => active.devices > 1 && leaves_threads(active, client),
        HandlerThread::Worker => false,
    }
}

/// Checks that an operation, which waits for threads of the plugin, does not wait for those that
/// handlers hold.
pub(crate) fn check_threads(
    client: &ClientInner,
    operation: impl FnOnce() -> String,
) -> Result<()> {
    match Active::of(client) {
        Some(active) if !may_use_threads(&active, client) => {
            let conflict = if client.platform_kind().runs_nested_programs() {
                LaunchConflict::Threads
            } else {
                LaunchConflict::Lock
            };
            Err(active.refuse(operation(), conflict))
        }
        _ => Ok(()),
    }
}

/// Whether this thread runs a handler of the client and is not the one that called its program, so
/// that it must not wait for threads of the plugin.
#[inline]
pub(crate) fn holds_thread(client: &ClientInner) -> bool {
    Active::of(client).is_some_and(|active| active.thread != HandlerThread::Caller)
}

/// Checks that waiting for something, which is `ready` or not, ends before the handler does.
pub(crate) fn check_wait(
    client: &ClientInner,
    what: impl FnOnce() -> String,
    ready: impl FnOnce() -> Result<bool>,
) -> Result<()> {
    match Active::of(client) {
        Some(active) if active.thread != HandlerThread::Caller && !ready()? => {
            Err(active.refuse(format!("waiting for {}", what()), LaunchConflict::Pending))
        }
        _ => Ok(()),
    }
}

/// Checks that no handler of the client waits for the end of the uses of memory, one of which may
/// be its own program.
pub(crate) fn check_idle(client: &ClientInner, is_idle: impl FnOnce() -> bool) -> Result<()> {
    match Active::of(client) {
        Some(active) if !is_idle() => {
            let what = "waiting for the programs that use a buffer".to_owned();
            Err(active.refuse(what, LaunchConflict::Pending))
        }
        _ => Ok(()),
    }
}
