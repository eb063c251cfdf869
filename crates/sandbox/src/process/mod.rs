//! The child process, as its parent sees it.

#[cfg(target_os = "linux")]
mod ahead;
#[cfg(target_os = "linux")]
mod linux;
#[cfg(not(target_os = "linux"))]
mod other;
#[cfg(target_os = "linux")]
mod spawner;

#[cfg(target_os = "linux")]
pub use linux::Process;
#[cfg(not(target_os = "linux"))]
pub use other::Process;
