//! Probing one plugin in a process of its own.

use std::{
    collections::BTreeMap,
    io::{Read, Write},
    os::unix::process::ExitStatusExt,
    path::Path,
    process::{Child, Command, ExitStatus, Stdio},
    time::{Duration, Instant},
};

use hloom_pjrt::{Device, NamedValue, NamedValues, Plugin};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::Host;

/// Begins each of a probe's own lines, since plugins write to standard output too.
const MARK: &str = "hloom-probe:";

/// The time limit of a plugin; a TPU plugin may wait for a metadata server for minutes.
const LIMIT: Duration = Duration::from_secs(60);

/// The result of a probe, up to the point that it reached.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Probe {
    /// The result of loading.
    pub loaded: Option<Loaded>,
    /// The client, if one was made.
    pub client: Option<ClientReport>,
    /// The reason why the probe ended early.
    pub problem: Option<String>,
}

/// A plugin that was loaded.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Loaded {
    /// Version of the C API, major and minor.
    pub api_version: (i32, i32),
    /// The plugin's attributes.
    pub attributes: BTreeMap<String, Value>,
    /// Its extensions, in the plugin's order.
    pub extensions: Vec<ExtensionReport>,
}

/// An extension of a plugin.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct ExtensionReport {
    /// Its number in the C API.
    pub number: u32,
    /// Its name in the C API's headers, if it is a known one.
    pub name: Option<String>,
    /// Its size in bytes.
    pub bytes: usize,
}

/// A client of a plugin.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct ClientReport {
    /// The platform's name.
    pub platform: String,
    /// The platform's version.
    pub platform_version: String,
    /// Its devices.
    pub devices: Vec<DeviceReport>,
}

/// A device of a client.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct DeviceReport {
    /// Its number.
    pub id: i64,
    /// Its kind.
    pub kind: String,
    /// Whether this process can use it.
    pub addressable: bool,
    /// The kinds of its memories.
    pub memories: Vec<String>,
    /// Bytes that may be in use, if the device reports it.
    pub memory_bytes: Option<i64>,
    /// Bytes in use, if the device reports it.
    pub memory_bytes_in_use: Option<i64>,
}

/// Loads the plugin in the file `path` and prints its description; this is the child process.
pub fn child(path: &Path) {
    let mut probe = Probe::default();
    let plugin = match Plugin::load(path) {
        Ok(plugin) => plugin,
        Err(error) => {
            probe.problem = Some(error.to_string());
            return say(&probe);
        }
    };
    probe.loaded = Some(loaded(&plugin));
    // Prints the result at once: creating a client may end this process.
    say(&probe);
    match plugin.client() {
        Ok(client) => {
            probe.client = Some(ClientReport {
                platform: client.platform_name().to_string(),
                platform_version: client.platform_version().to_string(),
                devices: client.devices().iter().map(device).collect(),
            });
        }
        Err(error) => probe.problem = Some(error.to_string()),
    }
    say(&probe);
}

/// Probes the plugin in the file `path` with `environment`; this is the parent process.
pub fn run(host: Host, path: &Path, environment: &BTreeMap<String, String>) -> Probe {
    let program = match std::env::current_exe() {
        Ok(program) => program,
        Err(error) => return failed(format!("cannot find this program: {error}")),
    };
    let child = Command::new(program)
        .args(host.probe)
        .arg(path)
        .envs(environment)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn();
    match child {
        Ok(child) => watch(child, LIMIT),
        Err(error) => failed(format!("cannot start a probe: {error}")),
    }
}

/// Waits for the end of a probe, or ends it after `limit`.
fn watch(mut child: Child, limit: Duration) -> Probe {
    let (output, errors) = (drain(child.stdout.take()), drain(child.stderr.take()));
    let begun = Instant::now();
    let ended = loop {
        match child.try_wait() {
            Ok(Some(status)) => break Ok(status),
            Ok(None) if begun.elapsed() < limit => std::thread::sleep(Duration::from_millis(5)),
            Ok(None) => {
                // The process may already have ended.
                let _ = child.kill();
                let _ = child.wait();
                break Err(format!("it did not answer within {} s", limit.as_secs()));
            }
            Err(error) => break Err(format!("cannot wait for the probe: {error}")),
        }
    };
    let output = output.join().unwrap_or_default();
    let errors = errors.join().unwrap_or_default();
    let mut probe = output
        .lines()
        .rev()
        .find_map(|line| serde_json::from_str(line.strip_prefix(MARK)?).ok())
        .unwrap_or_default();
    match ended {
        Ok(status) if status.success() => {}
        Ok(status) => set_problem(&mut probe, crash(status, &errors)),
        Err(reason) => set_problem(&mut probe, reason),
    }
    if probe.client.is_none() && probe.problem.is_none() {
        set_problem(&mut probe, crash_line("it ended the process without a word", &errors));
    }
    probe
}

fn set_problem(probe: &mut Probe, problem: String) {
    let stage = match &probe.loaded {
        None => "while loading",
        Some(_) => "while making a client",
    };
    probe.problem = Some(format!("{stage}: {problem}"));
}

fn failed(problem: String) -> Probe {
    Probe { problem: Some(problem), ..Probe::default() }
}

fn crash(status: ExitStatus, errors: &str) -> String {
    match status.signal() {
        Some(signal) => crash_line(&format!("it crashed with signal {signal}"), errors),
        None => crash_line(&format!("it ended the process: {status}"), errors),
    }
}

fn crash_line(what: &str, errors: &str) -> String {
    match errors.lines().rfind(|line| !line.trim().is_empty()) {
        Some(last) => format!("{what}; its last words: {last}"),
        None => what.to_owned(),
    }
}

/// Reads a stream to its end while the process runs, which would block on a full pipe.
fn drain(stream: Option<impl Read + Send + 'static>) -> std::thread::JoinHandle<String> {
    std::thread::spawn(move || {
        let mut bytes = Vec::new();
        if let Some(mut stream) = stream {
            // After an error, the output so far is used.
            let _ = stream.read_to_end(&mut bytes);
        }
        String::from_utf8_lossy(&bytes).into_owned()
    })
}

fn say(probe: &Probe) {
    // The parent treats a probe that could not write as one without output.
    let _ = writeln!(std::io::stdout().lock(), "\n{MARK}{}", serde_json::json!(probe));
    let _ = std::io::stdout().flush();
}

fn loaded(plugin: &Plugin) -> Loaded {
    let extension = |extension: &hloom_pjrt::Extension| ExtensionReport {
        number: extension.kind().to_raw(),
        name: extension.name().map(str::to_owned),
        bytes: extension.size(),
    };
    Loaded {
        api_version: plugin.version(),
        attributes: attributes(plugin.attributes()),
        extensions: plugin.api().extensions().iter().map(extension).collect(),
    }
}

fn attributes(values: &NamedValues) -> BTreeMap<String, Value> {
    let json = |value: &NamedValue| match value {
        NamedValue::String(value) => value.as_str().into(),
        NamedValue::Int64(value) => (*value).into(),
        NamedValue::Int64List(value) => value.as_slice().into(),
        NamedValue::Float(value) => (*value).into(),
        NamedValue::Bool(value) => (*value).into(),
        other => other.to_string().into(),
    };
    values.iter().map(|(name, value)| (name.clone(), json(value))).collect()
}

fn device(device: &Device) -> DeviceReport {
    // A device without statistics is treated as one that cannot report them.
    let stats = device.memory_stats().ok().flatten();
    DeviceReport {
        id: device.id(),
        kind: device.kind().to_owned(),
        addressable: device.is_addressable(),
        memories: device.memories().iter().map(|memory| memory.kind().to_owned()).collect(),
        memory_bytes: stats.and_then(|stats| stats.bytes_limit),
        memory_bytes_in_use: stats.map(|stats| stats.bytes_in_use),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn probe_of(script: &str, limit: Duration) -> Probe {
        let child = Command::new("sh")
            .args(["-c", script])
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn();
        watch(child.unwrap(), limit)
    }

    const LOADED: &str = r#"echo 'noise'; echo 'hloom-probe:{"loaded":{"api_version":[0,81],"attributes":{},"extensions":[]},"client":null,"problem":null}'"#;

    #[test]
    fn a_plugin_that_crashes_keeps_what_was_known_before() {
        let probe = probe_of(&format!("{LOADED}; echo boom >&2; kill -SEGV $$"), LIMIT);
        assert_eq!(probe.loaded.unwrap().api_version, (0, 81));
        let expected = "while making a client: it crashed with signal 11; its last words: boom";
        assert_eq!(probe.problem.unwrap(), expected);
    }

    #[test]
    fn a_plugin_that_hangs_is_ended() {
        let probe = probe_of(&format!("{LOADED}; exec sleep 100"), Duration::from_millis(300));
        assert!(probe.loaded.is_some());
        assert!(probe.problem.unwrap().contains("did not answer"));
    }

    #[test]
    fn a_plugin_that_exits_or_says_nothing_is_a_problem() {
        let probe = probe_of("exit 3", LIMIT);
        assert_eq!(probe.problem.unwrap(), "while loading: it ended the process: exit status: 3");
        let probe = probe_of("echo hloom-probe:nonsense", LIMIT);
        assert!(probe.problem.unwrap().contains("without a word"));
    }

    #[test]
    fn a_flood_of_output_does_not_block() {
        let probe = probe_of(&format!("head -c 1000000 /dev/zero; echo; {LOADED}; exit 1"), LIMIT);
        assert!(probe.loaded.is_some());
    }
}
