//! All that a compiled program depends on.

use super::{LoadError, folder::Folder, installed_hash::installed_hash};
use crate::{Mesh, Platform};
use hloom_graph::Graph;
use hloom_pjrt::{Device, PlatformKind, Plugin};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use std::{
    collections::HashMap,
    env,
    fmt::Write,
    fs,
    io::{self, Read},
    path::Path,
    sync::{Mutex, OnceLock, PoisonError},
    time::SystemTime,
};

/// All that a compiled program depends on: two programs of equal targets are the same.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub(crate) struct Target {
    /// A hash of the module, or of its graph.
    pub module: String,
    /// The options of the compilation.
    pub options: String,
    /// The options that the plugin reads from the environment.
    pub environment: String,
    /// The platform's name.
    pub platform: String,
    /// A hash of the plugin's file.
    pub plugin: String,
    /// The kinds of the devices that it runs on.
    pub devices: Vec<String>,
    /// The processor and its features; empty for programs of other devices.
    pub processor: String,
    /// The version of this crate, whose kernels the program may call.
    pub hloom: String,
}

/// The source that a program was compiled from.
#[derive(Clone, Debug)]
pub(crate) struct ProgramSource {
    /// A hash of what the graph computes, without names and the lines of the source.
    pub structure: String,
    /// The options of the lowering and of the compilation, as text.
    pub options: String,
}

impl ProgramSource {
    pub fn new(graph: &Graph, options: String) -> ProgramSource {
        ProgramSource { structure: format!("{:032x}", graph.structure_hash()), options }
    }

    /// This source with one more option.
    pub fn with_option(&self, name: &str, value: &str) -> ProgramSource {
        let options = format!("{}\n{name}={value}", self.options);
        ProgramSource { options, ..self.clone() }
    }

    /// The source of a module that was not lowered here.
    pub fn of_code(code: &[u8], options: String) -> ProgramSource {
        ProgramSource { structure: hex(&Sha256::digest(code)), options }
    }
}

/// The devices of a platform that a program runs on: the first one, or those of a mesh.
#[derive(Clone, Copy)]
pub(crate) struct Devices<'a> {
    pub platform: &'a Platform,
    pub mesh: Option<&'a Mesh>,
}

impl Devices<'_> {
    /// The number of devices.
    pub fn count(self) -> usize {
        self.mesh.map_or(1, |mesh| mesh.devices().len())
    }

    /// A description of the devices.
    pub fn machine(self) -> Machine {
        let kind = |device: &Device| device.kind().to_owned();
        let devices = match self.mesh {
            Some(mesh) => mesh.devices().iter().map(kind).collect(),
            None => self.platform.devices().iter().take(1).map(kind).collect(),
        };
        let plugin = self.platform.client().plugin();
        Machine { plugin, platform: self.platform.name().to_owned(), devices }
    }
}

/// The devices that a program is compiled on or for.
pub(crate) struct Machine {
    pub plugin: Plugin,
    /// The name of the platform.
    pub platform: String,
    /// The kinds of the devices that the program runs on.
    pub devices: Vec<String>,
}

/// The environment variables that plugins read.
const READ_BY_PLUGINS: [&str; 3] = ["XLA_FLAGS", "TF_XLA_FLAGS", "LIBTPU_INIT_ARGS"];

impl Target {
    /// The target of a saved program. It does not depend on source lines, so that the program can
    /// be loaded after its source has moved.
    ///
    /// # Errors
    /// The plugin has no file, or it cannot be read; or the program is for this processor, whose
    /// features cannot be detected.
    pub fn of_source(machine: &Machine, source: &ProgramSource) -> Result<Target, LoadError> {
        Target::new(machine, source.structure.clone(), source.options.clone(), None)
    }

    /// The target of a module, whose errors name lines of the source. The hash of the plugin is
    /// remembered in a folder.
    ///
    /// # Errors
    /// As for [`of_source`](Self::of_source).
    pub fn of_module(
        machine: &Machine,
        code: &[u8],
        source: &ProgramSource,
        remembering: Option<&Folder>,
    ) -> Result<Target, LoadError> {
        Target::new(machine, hex(&Sha256::digest(code)), source.options.clone(), remembering)
    }

    fn new(
        machine: &Machine,
        module: String,
        options: String,
        remembering: Option<&Folder>,
    ) -> Result<Target, LoadError> {
        let plugin = plugin_hash(&machine.plugin, remembering).map_err(LoadError::Plugin)?;
        let processor = if PlatformKind::of(&machine.platform).compiles_for_processor() {
            processor().ok_or(LoadError::Processor)?
        } else {
            ""
        };
        let set = READ_BY_PLUGINS.iter().filter_map(|name| {
            let value = env::var_os(name)?;
            Some(format!("{name}={}\n", value.to_string_lossy()))
        });
        Ok(Target {
            module,
            options,
            environment: set.collect(),
            platform: machine.platform.clone(),
            plugin,
            devices: machine.devices.clone(),
            processor: processor.to_owned(),
            hloom: env!("CARGO_PKG_VERSION").into(),
        })
    }

    /// The key of the program.
    pub fn digest(&self) -> String {
        let mut hash = Sha256::new();
        for part in self.parts() {
            hash.update((part.1.len() as u64).to_le_bytes());
            hash.update(part.1.as_bytes());
        }
        hex(&hash.finalize())
    }

    /// The parts by name, for messages.
    fn parts(&self) -> [(&'static str, String); 8] {
        [
            ("module", self.module.clone()),
            ("options", self.options.clone()),
            ("environment", self.environment.clone()),
            ("platform", self.platform.clone()),
            ("plugin", self.plugin.clone()),
            ("devices", self.devices.join(", ")),
            ("processor", self.processor.clone()),
            ("version of hloom", self.hloom.clone()),
        ]
    }

    /// The parts that differ, each with the text of both targets.
    pub fn differences(&self, other: &Target) -> Vec<String> {
        let (mine, theirs) = (self.parts(), other.parts());
        let pairs = mine.iter().zip(&theirs).filter(|(mine, theirs)| mine.1 != theirs.1);
        pairs.map(|((name, mine), (_, theirs))| difference(name, mine, theirs)).collect()
    }
}

/// One line about two texts that differ.
fn difference(name: &str, mine: &str, theirs: &str) -> String {
    let is_hash = |text: &str| text.len() >= 32 && text.bytes().all(|b| b.is_ascii_hexdigit());
    let is_short = |text: &str| text.len() <= 60 && !text.contains('\n');
    if is_hash(mine) && is_hash(theirs) {
        format!("another {name}")
    } else if is_short(mine) && is_short(theirs) {
        format!("{name} `{mine}`, was `{theirs}`")
    } else {
        let same = mine.bytes().zip(theirs.bytes()).take_while(|(a, b)| a == b).count();
        let part = |text: &str| -> String {
            // Quotes from the start of the word that differs.
            let start = (0..=same.saturating_sub(24)).rev().find(|&i| text.is_char_boundary(i));
            text[start.unwrap_or(0)..].chars().take(84).collect()
        };
        format!("{name} from byte {same} on `{}`, was `{}`", part(mine), part(theirs))
    }
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |mut text, byte| {
        // Writing to a string does not fail.
        let _ = write!(text, "{byte:02x}");
        text
    })
}

/// The processor's model and features, as the system lists them; `None` where it does not.
fn processor() -> Option<&'static str> {
    static PROCESSOR: OnceLock<Option<String>> = OnceLock::new();
    let read = || {
        let listed = fs::read_to_string("/proc/cpuinfo").ok()?;
        let wanted = ["vendor_id", "cpu family", "model", "model name", "flags", "Features"];
        let first = listed.split("\n\n").next().unwrap_or_default().lines();
        let lines: Vec<&str> = first
            .filter(|line| line.split(':').next().is_some_and(|name| wanted.contains(&name.trim())))
            .collect();
        if !lines.iter().any(|line| line.starts_with("flags") || line.starts_with("Features")) {
            return None;
        }
        let features = hex(&Sha256::digest(lines.join("\n").as_bytes()));
        let model = lines.iter().find_map(|line| line.strip_prefix("model name"));
        let model = model.unwrap_or(env::consts::ARCH).trim_start_matches([' ', '\t', ':']);
        Some(format!("{model} {}", &features[..16]))
    };
    PROCESSOR.get_or_init(read).as_deref()
}

/// The name of a note about this processor and plugin.
pub(super) fn note_of_machine(plugin: &Plugin, folder: &Folder, key: &str) -> io::Result<String> {
    let plugin = plugin_hash(plugin, Some(folder))?;
    let processor = processor().ok_or_else(|| io::Error::other(LoadError::Processor))?;
    let identity = [key, processor, &plugin, env!("CARGO_PKG_VERSION")].join("\n");
    Ok(hex(&Sha256::digest(identity.as_bytes())))
}

/// A hash of the plugin's file, as its installer wrote it. Otherwise the file is read once: the
/// hash is remembered in the folder, and in this process, until the file is written to.
fn plugin_hash(plugin: &Plugin, remembering: Option<&Folder>) -> io::Result<String> {
    static KNOWN: OnceLock<Mutex<HashMap<String, String>>> = OnceLock::new();
    let path = plugin.path().ok_or_else(|| io::Error::other("it has no file"))?;
    let identity = file_identity(path)?;
    let known = KNOWN.get_or_init(Mutex::default);
    let mut known = known.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(hash) = known.get(&identity) {
        return Ok(hash.clone());
    }
    let note = remembering.map(|folder| (folder, folder.note(&identity)));
    let noted = || {
        let (folder, path) = note.as_ref()?;
        let hash = String::from_utf8(folder.read(path).ok()?).ok()?;
        (hash.len() == 64).then_some(hash)
    };
    let hash = match installed_hash(path).or_else(noted) {
        Some(hash) => hash,
        None => {
            let hash = file_hash(path)?;
            if let Some((folder, path)) = note {
                // Without the note the file is only read again.
                drop(folder.write_file(&path, hash.as_bytes()));
            }
            hash
        }
    };
    known.insert(identity, hash.clone());
    Ok(hash)
}

/// An identity of a file that changes when the file is written to.
fn file_identity(path: &Path) -> io::Result<String> {
    let metadata = fs::metadata(path)?;
    let since = metadata.modified()?.duration_since(SystemTime::UNIX_EPOCH);
    let since = since.map_err(io::Error::other)?.as_nanos();
    #[cfg(unix)]
    let inode = std::os::unix::fs::MetadataExt::ino(&metadata);
    #[cfg(not(unix))]
    let inode = 0;
    let identity = format!("{} {inode} {} {since}", path.display(), metadata.len());
    Ok(hex(&Sha256::digest(identity.as_bytes())))
}

/// A hash of the bytes of a file.
pub(crate) fn file_hash(path: &Path) -> io::Result<String> {
    let (mut file, mut hash) = (fs::File::open(path)?, Sha256::new());
    let mut block = vec![0; 1 << 20];
    loop {
        match file.read(&mut block)? {
            0 => return Ok(hex(&hash.finalize())),
            read => hash.update(&block[..read]),
        }
    }
}
