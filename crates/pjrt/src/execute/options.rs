//! Options of an execution.

use crate::{Device, Error, ExecuteContext, Result};
use std::ffi::CStr;

/// The options of an execution.
#[derive(Clone, Copy, Debug, Default)]
#[non_exhaustive]
pub struct ExecuteOptions<'a> {
    /// The arguments that the program may take over, on every device.
    pub donation: Donation<'a>,
    /// The device, for a portable executable (default: the first addressable one).
    pub device: Option<&'a Device>,
    /// Data for the program's custom calls.
    pub context: Option<&'a ExecuteContext>,
    /// A number that all processes of a job assign to the same launch, so that the plugin can
    /// detect launches in different orders; 0 for none.
    pub launch_id: i32,
    /// Where the program is called, for profilers (API 0.76 and later).
    pub call_location: Option<&'a CStr>,
}

/// The arguments that an execution may take over.
///
/// Only the memory of parameters that the program was compiled to alias is reused, but every
/// donated argument is unusable afterwards, so that this does not depend on the compiler.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Donation<'a> {
    /// None.
    #[default]
    None,
    /// All.
    All,
    /// Those for which the mask, as long as the arguments, is true.
    Mask(&'a [bool]),
    /// Those with these indices.
    Indices(&'a [usize]),
}

impl<'a> ExecuteOptions<'a> {
    /// Default options: no donation.
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets which arguments may be taken over.
    pub fn donate(mut self, donation: Donation<'a>) -> Self {
        self.donation = donation;
        self
    }

    /// Sets the device, for a portable executable.
    pub fn on_device(mut self, device: &'a Device) -> Self {
        self.device = Some(device);
        self
    }

    /// Sets the data for custom calls.
    pub fn context(mut self, context: &'a ExecuteContext) -> Self {
        self.context = Some(context);
        self
    }

    /// Sets the launch id.
    pub fn launch_id(mut self, launch_id: i32) -> Self {
        self.launch_id = launch_id;
        self
    }

    /// Sets where the program is called.
    pub fn call_location(mut self, location: &'a CStr) -> Self {
        self.call_location = Some(location);
        self
    }
}

impl Donation<'_> {
    #[inline]
    pub(crate) fn contains(self, index: usize) -> bool {
        match self {
            Self::None => false,
            Self::All => true,
            Self::Mask(mask) => mask.get(index).copied().unwrap_or(false),
            Self::Indices(indices) => indices.contains(&index),
        }
    }

    /// Whether it contains any argument.
    pub(crate) fn is_any(self) -> bool {
        match self {
            Self::None => false,
            Self::All => true,
            Self::Mask(mask) => mask.contains(&true),
            Self::Indices(indices) => !indices.is_empty(),
        }
    }

    pub(crate) fn check(self, arguments: usize) -> Result<()> {
        match self {
            Self::Mask(mask) if mask.len() != arguments => {
                Err(Error::size("entries of the donation mask", arguments, mask.len()))
            }
            Self::Indices(indices) => match indices.iter().find(|&&i| i >= arguments) {
                Some(index) => Err(Error::argument(format!(
                    "donation of argument {index}: there are {arguments} arguments"
                ))),
                None => Ok(()),
            },
            _ => Ok(()),
        }
    }
}
