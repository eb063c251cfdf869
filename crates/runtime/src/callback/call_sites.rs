//! The callbacks of a program as it was traced, without their functions.

use crate::Platform;
use hloom_graph::{Attributes, HostCall};
use std::{panic::Location, sync::Arc};

/// The call sites of a program, by slot, and the program.
pub(crate) struct CallSites {
    pub executable: String,
    pub platform: Platform,
    /// The number of devices that the program runs on.
    pub devices: usize,
    pub all: Box<[CallSite]>,
}

/// A callback of a program.
pub(crate) struct CallSite {
    pub name: String,
    /// The callback and its program, for errors.
    pub title: Arc<str>,
    pub location: &'static Location<'static>,
    /// The user's attributes.
    pub attributes: Attributes,
}

impl CallSite {
    pub fn new(call: &HostCall, executable: &str, attributes: Attributes) -> CallSite {
        CallSite {
            name: call.name.clone(),
            title: format!("callback `{}` of `{executable}`", call.name).into(),
            location: call.location,
            attributes,
        }
    }
}
