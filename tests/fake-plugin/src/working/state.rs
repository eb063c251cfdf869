//! The register of live objects.

use std::any::Any;
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::ThreadId;

use hloom_pjrt_sys as sys;

use super::failure::{Failure, Outcome};
use super::fault::{Fault, Lie};
use super::happening::Happening;
use super::object::{Handle, handle, id};

pub(crate) type Job = Box<dyn FnOnce() + Send>;

/// The state of the plugin. One for the process: the C API's functions receive only their handles.
pub(crate) struct PluginState {
    next: usize,
    objects: BTreeMap<usize, Registered>,
    /// Objects that are not counted: those of a client, and those whose destruction fails by
    /// injection.
    uncounted: BTreeSet<usize>,
    /// Those of them whose destruction was suppressed.
    spared: BTreeSet<usize>,
    pub(crate) misuse: Vec<String>,
    /// The minor version whose structs are expected.
    pub(crate) minor: u16,
    /// The thread whose calls are counted and fail: that of the test, not one that destroys a
    /// client.
    pub(crate) thread: Option<ThreadId>,
    pub(crate) calls: Vec<&'static str>,
    /// The calls that fail, counted from 0.
    pub(crate) faults: Vec<(usize, Fault)>,
    /// The calls that failed.
    pub(crate) faulted: Vec<&'static str>,
    /// Whether a view was not created by a call that succeeded.
    pub(crate) is_view_lost: bool,
    pub(crate) lies: Vec<Lie>,
    /// The error with which the events of this call complete.
    pub(crate) events_fail: Option<Failure>,
    /// Whether this call creates events.
    pub(crate) makes_events: bool,
    /// The program for text that is not a program.
    pub(crate) program: Option<String>,
    pub(crate) optimized: usize,
    pub(crate) is_holding: bool,
    pub(crate) held: VecDeque<Job>,
    // The work to do as soon as the register is unlocked.
    pub(crate) now: Vec<Job>,
    pub(crate) work: Vec<Job>,
    pub(crate) garbage: Vec<Box<dyn Any + Send>>,
    pub(crate) wait: Option<Arc<Happening>>,
}

struct Registered {
    name: &'static str,
    object: Box<dyn Any + Send>,
}

static STATE: Mutex<PluginState> = Mutex::new(PluginState::new());

pub(crate) fn state() -> MutexGuard<'static, PluginState> {
    STATE.lock().unwrap_or_else(PoisonError::into_inner)
}

impl PluginState {
    const fn new() -> Self {
        Self {
            next: 0x1000,
            objects: BTreeMap::new(),
            uncounted: BTreeSet::new(),
            spared: BTreeSet::new(),
            misuse: Vec::new(),
            minor: sys::API_MINOR,
            thread: None,
            calls: Vec::new(),
            faults: Vec::new(),
            faulted: Vec::new(),
            is_view_lost: false,
            lies: Vec::new(),
            events_fail: None,
            makes_events: false,
            program: None,
            optimized: 0,
            is_holding: false,
            held: VecDeque::new(),
            now: Vec::new(),
            work: Vec::new(),
            garbage: Vec::new(),
            wait: None,
        }
    }

    /// Resets the state and returns the old one: it must be dropped when the register is unlocked.
    pub(crate) fn reset(&mut self, minor: u16) -> Self {
        let fresh = Self {
            next: self.next,
            minor,
            thread: Some(std::thread::current().id()),
            ..Self::new()
        };
        std::mem::replace(self, fresh)
    }

    pub(crate) fn insert<H: Handle>(&mut self, object: H::Object) -> *mut H {
        let id = self.next;
        self.next += 16;
        let (name, object) = (H::NAME, Box::new(object));
        self.objects.insert(id, Registered { name, object });
        handle(id)
    }

    /// An object that belongs to its client and is not counted.
    pub(crate) fn insert_part<H: Handle>(&mut self, object: H::Object) -> *mut H {
        let part = self.insert::<H>(object);
        self.uncounted.insert(id(part));
        part
    }

    pub(crate) fn get<H: Handle>(&mut self, raw: *const H) -> Result<&mut H::Object, Failure> {
        if !self.objects.contains_key(&id(raw)) {
            return Err(self.misused(format!("a {} that is not alive was used", H::NAME)));
        }
        let found = self.objects.get_mut(&id(raw));
        let found = found.and_then(|registered| registered.object.downcast_mut::<H::Object>());
        found.ok_or_else(|| Failure::invalid(format!("not a {}", H::NAME)))
    }

    /// Ends an object; it is dropped when the register is unlocked.
    pub(crate) fn destroy<H: Handle>(&mut self, raw: *const H) -> Outcome {
        self.get(raw)?;
        if let Some(registered) = self.objects.remove(&id(raw)) {
            self.garbage.push(registered.object);
        }
        Ok(())
    }

    /// Takes an object out of the register.
    pub(crate) fn take<H: Handle>(&mut self, raw: *const H) -> Result<H::Object, Failure> {
        self.get(raw)?;
        let object =
            self.objects.remove(&id(raw)).and_then(|r| r.object.downcast::<H::Object>().ok());
        object.map(|object| *object).ok_or_else(|| Failure::invalid("another type"))
    }

    /// The number of counted live objects of each kind, except those that belong to a client.
    pub(crate) fn alive(&self) -> BTreeMap<&'static str, usize> {
        let counted = self.objects.iter().filter(|(id, _)| !self.uncounted.contains(id));
        counted.fold(BTreeMap::new(), |mut counts, (_, registered)| {
            *counts.entry(registered.name).or_default() += 1;
            counts
        })
    }

    /// Stops counting an object whose destruction was suppressed.
    pub(crate) fn spare(&mut self, id: usize) {
        self.uncounted.insert(id);
        self.spared.insert(id);
    }

    /// Takes the objects whose destruction was suppressed, to be dropped when the register is
    /// unlocked.
    pub(crate) fn take_spared(&mut self) -> Vec<Box<dyn Any + Send>> {
        let spared = std::mem::take(&mut self.spared);
        let objects = spared.iter().filter_map(|id| self.objects.remove(id));
        objects.map(|registered| registered.object).collect()
    }

    /// Records a call that the C API forbids.
    pub(crate) fn misused(&mut self, what: String) -> Failure {
        let function = self.calls.last().copied().unwrap_or_default();
        let message = format!("{function}: {what}");
        self.misuse.push(message.clone());
        Failure::invalid(message)
    }

    /// A new event for an occurrence.
    pub(crate) fn event(&mut self, happening: &Arc<Happening>) -> *mut sys::PJRT_Event {
        self.insert(Arc::clone(happening))
    }

    /// The outcome of the work that this call starts, if no other fault occurs.
    pub(crate) fn planned(&mut self) -> Outcome {
        self.makes_events = true;
        self.events_fail.clone().map_or(Ok(()), Err)
    }

    pub(crate) fn lies(&self, lie: Lie) -> bool {
        self.lies.contains(&lie)
    }
}
