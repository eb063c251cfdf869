//! Models by name, from a local server that implements the hub's protocol.

use crate::{fixture, hub_hostile::etag};
use hloom_models::{ModelFolder, Result, hub::Hub};
use std::{
    io::{BufRead, BufReader, Write},
    net::{TcpListener, TcpStream},
    path::PathBuf,
    sync::{Arc, Mutex},
    thread,
    time::Duration,
};

pub const COMMIT: &str = "0123456789abcdef0123456789abcdef01234567";

/// A hub with one model, `house/model`.
struct Server {
    address: String,
    asked: Arc<Mutex<Vec<Asked>>>,
}

/// A request.
#[derive(Clone, Debug)]
struct Asked {
    path: String,
    range: Option<(usize, Option<usize>)>,
    token: Option<String>,
}

/// The behaviour of the hub.
#[derive(Clone, Default)]
struct Rules {
    /// The token that it requires.
    token: Option<&'static str>,
    /// The first download of the weights is cut off after this many bytes.
    cut: Option<usize>,
    /// Every file redirects without a target.
    moved: bool,
    /// The name of every file's content, instead of its hash.
    etag: Option<String>,
    /// The name of every file's commit.
    commit: Option<String>,
}

impl Server {
    fn start(folder: PathBuf, rules: Rules) -> Server {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port is free");
        let address = format!("http://{}", listener.local_addr().expect("it is bound"));
        let asked = Arc::new(Mutex::new(Vec::new()));
        let log = asked.clone();
        thread::spawn(move || {
            let mut cut = rules.cut;
            for stream in listener.incoming().flatten() {
                // Ignore clients that disconnect early.
                let _ = answer(stream, &folder, &rules, &mut cut, &log);
            }
        });
        Server { address, asked }
    }

    fn hub(&self, cache: &tempfile::TempDir) -> Hub {
        Hub {
            endpoint: Some(self.address.clone()),
            cache: cache.path().to_owned(),
            token: None,
            offline: false,
            timeout: Duration::from_secs(30),
        }
    }

    fn asked(&self) -> Vec<Asked> {
        self.asked.lock().expect("no thread panics with it").clone()
    }

    /// Downloads of a file: its requests except those for one byte, which ask for its size.
    fn downloads(&self, file: &str) -> Vec<Asked> {
        let mut asked = self.asked();
        asked.retain(|asked| asked.path.ends_with(file) && asked.range != Some((0, Some(0))));
        asked
    }
}

fn answer(
    mut stream: TcpStream,
    folder: &std::path::Path,
    rules: &Rules,
    cut: &mut Option<usize>,
    log: &Mutex<Vec<Asked>>,
) -> std::io::Result<()> {
    let mut reader = BufReader::new(stream.try_clone()?);
    let mut request = String::new();
    reader.read_line(&mut request)?;
    let path = request.split(' ').nth(1).unwrap_or("").to_owned();
    let (mut range, mut token) = (None, None);
    loop {
        let mut line = String::new();
        reader.read_line(&mut line)?;
        let Some((name, value)) = line.trim().split_once(": ") else {
            break;
        };
        match name.to_ascii_lowercase().as_str() {
            "range" => {
                let (start, end) =
                    value.trim_start_matches("bytes=").split_once('-').unwrap_or(("0", ""));
                range = Some((start.parse().unwrap_or(0), end.parse().ok()));
            }
            "authorization" => token = Some(value.trim_start_matches("Bearer ").to_owned()),
            _ => {}
        }
    }
    let refused = rules.token.is_some_and(|wanted| token.as_deref() != Some(wanted));
    log.lock().expect("no thread panics with it").push(Asked { path: path.clone(), range, token });
    let file = path.strip_prefix("/house/model/resolve/main/").map(|file| folder.join(file));
    if refused {
        return write!(
            stream,
            "HTTP/1.1 401 Unauthorized\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"
        );
    }
    if path == "/api/models/house/model/revision/main" {
        let names = std::fs::read_dir(folder)?.flatten();
        let names = names
            .map(|entry| format!("{{\"rfilename\":{:?}}}", entry.file_name().to_string_lossy()));
        let names: Vec<String> = names.collect();
        let body = format!("{{\"sha\":\"{COMMIT}\",\"siblings\":[{}]}}", names.join(","));
        return write!(
            stream,
            "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: \
             {}\r\nConnection: close\r\n\r\n{body}",
            body.len()
        );
    }
    if rules.moved {
        return write!(
            stream,
            "HTTP/1.1 302 Found\r\nx-repo-commit: {COMMIT}\r\netag: \"x\"\r\nContent-Length: \
             0\r\nConnection: close\r\n\r\n"
        );
    }
    let Some(bytes) = file.and_then(|file| std::fs::read(file).ok()) else {
        return write!(
            stream,
            "HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"
        );
    };
    let (start, end) = range.unwrap_or((0, None));
    let end = end.map_or(bytes.len(), |last: usize| (last + 1).min(bytes.len()));
    write!(
        stream,
        "HTTP/1.1 206 Partial Content\r\nx-repo-commit: {}\r\netag: \"{}\"\r\nContent-Range: \
         bytes {start}-{}/{}\r\nContent-Length: {}\r\nConnection: close\r\n\r\n",
        rules.commit.as_deref().unwrap_or(COMMIT),
        rules.etag.clone().unwrap_or_else(|| etag(&path, &bytes)),
        end - 1,
        bytes.len(),
        end - start
    )?;
    let body = &bytes[start..end];
    match cut.filter(|_| path.ends_with(".safetensors") && body.len() > 1) {
        Some(kept) => {
            *cut = None;
            stream.write_all(&body[..kept])
        }
        None => stream.write_all(body),
    }
}

pub fn same_files(folder: &ModelFolder, source: &std::path::Path) {
    for name in ["config.json", "model.safetensors"] {
        let (found, expected) =
            (std::fs::read(folder.path().join(name)), std::fs::read(source.join(name)));
        assert_eq!(found.expect("it was fetched"), expected.expect("it is a fixture"), "{name}");
    }
}

pub fn message(result: Result<ModelFolder>) -> String {
    result.expect_err("it is refused").to_string()
}

#[test]
fn a_model_is_fetched_once_and_then_found_offline() {
    let source = fixture::path("llama/grouped");
    let cache = tempfile::tempdir().expect("there is room");
    let server = Server::start(source.clone(), Rules::default());
    let hub = server.hub(&cache);
    same_files(&hub.fetch("house/model").expect("the hub has it"), &source);
    let count = server.asked().len();
    same_files(&hub.fetch("house/model").expect("the cache has it"), &source);
    assert_eq!(server.asked().len(), count, "the hub was asked again");
    let offline = Hub { endpoint: Some("http://127.0.0.1:1".into()), offline: true, ..hub };
    same_files(&offline.fetch("house/model").expect("the cache has it"), &source);
    same_files(&offline.open("house/model").expect("the cache has it"), &source);
    same_files(&offline.open(source.to_str().unwrap()).expect("a folder is a model too"), &source);
    let neither = message(offline.open("house/other"));
    assert!(neither.ends_with("; there is no folder at this path either"), "{neither}");
    for path in ["model", "./house/model", "/house/model", "house/model/main"] {
        let problem = "there is no such folder, and it is not a name on the hub, `owner/name`";
        let expected = format!("{path}: {problem}; a model folder holds `config.json`, ");
        assert!(message(offline.open(path)).starts_with(&expected), "{path}");
    }
    assert!(message(offline.fetch("house/other")).contains("HF_HUB_OFFLINE"));
}

#[test]
fn a_download_that_was_broken_off_goes_on_where_it_ended() {
    let source = fixture::path("llama/grouped");
    let cache = tempfile::tempdir().expect("there is room");
    let rules = Rules { cut: Some(1000), ..Rules::default() };
    let server = Server::start(source.clone(), rules);
    let hub = server.hub(&cache);
    message(hub.fetch("house/model"));
    same_files(&hub.fetch("house/model").expect("the rest comes"), &source);
    let starts: Vec<_> =
        server.downloads("model.safetensors").iter().map(|asked| asked.range).collect();
    assert_eq!(starts, [Some((0, None)), Some((1000, None))]);
}

#[test]
fn all_shards_of_an_index_are_fetched() {
    let source = fixture::path("llama/sharded");
    let cache = tempfile::tempdir().expect("there is room");
    let server = Server::start(source.clone(), Rules::default());
    let folder = server.hub(&cache).fetch("house/model").expect("the hub has it");
    let shards = std::fs::read_dir(source).expect("it is a fixture").flatten();
    let shards = shards.filter(|entry| entry.file_name().to_string_lossy().starts_with("model-"));
    let mut count = 0;
    for shard in shards {
        assert!(folder.path().join(shard.file_name()).is_file(), "{:?}", shard.file_name());
        count += 1;
    }
    assert!(count > 1);
}

#[test]
fn what_the_hub_refuses_says_what_to_do() {
    let cache = tempfile::tempdir().expect("there is room");
    let rules = Rules { token: Some("secret"), ..Rules::default() };
    let server = Server::start(fixture::path("llama/grouped"), rules);
    let hub = server.hub(&cache);
    assert!(message(hub.fetch("house/model")).contains("HF_TOKEN"));
    let hub = Hub { token: Some("secret".into()), ..hub };
    hub.fetch("house/model").expect("the token is right");
    assert!(server.asked().iter().any(|asked| asked.token.as_deref() == Some("secret")));
    let missing = message(hub.fetch("house/nothing"));
    assert!(missing.contains("is the name right?"), "{missing}");
    let nobody = Hub { endpoint: Some("http://127.0.0.1:1".into()), ..hub };
    assert!(message(nobody.fetch("house/unseen")).contains("house/unseen"));
}

/// A sharded model whose index names `file`, on a server that serves that file at every path.
fn fetch_with_shard(file: &str) -> (String, Vec<Asked>, Vec<String>) {
    let home = tempfile::tempdir().expect("there is room");
    let source = home.path().join("source");
    std::fs::create_dir(&source).expect("there is room");
    let index = format!("{{\"weight_map\":{{\"w\":{file:?}}}}}");
    std::fs::write(source.join("model.safetensors.index.json"), index).expect("there is room");
    std::fs::copy(fixture::path("llama/sharded").join("config.json"), source.join("config.json"))
        .expect("it is a fixture");
    std::fs::write(home.path().join("evil.safetensors"), "not weights").expect("there is room");
    let server = Server::start(source, Rules::default());
    let cache = tempfile::tempdir().expect("there is room");
    // As deep as the hub's folders, so that a name that climbs out of them stays in this test's own
    // folder.
    let hub = Hub { cache: cache.path().join("a/b/c/d/e/hub"), ..server.hub(&cache) };
    let message = message(hub.fetch("house/model"));
    let again = self::message(Hub { offline: true, ..hub }.fetch("house/model"));
    assert_eq!(again, message, "the cached index is refused as the fetched one");
    let outside = std::fs::read_dir(cache.path().join("a/b/c/d/e")).expect("the cache is there");
    let outside = outside.flatten().map(|entry| entry.file_name().to_string_lossy().into_owned());
    (message, server.asked(), outside.filter(|name| name != "hub").collect())
}

#[test]
fn an_index_that_names_files_outside_its_folder_is_refused_before_they_are_asked_for() {
    for file in [
        "../../../../evil.safetensors",
        "/tmp/evil.safetensors",
        "sub/evil.safetensors",
        "..\\evil.safetensors",
        "C:evil.safetensors",
        "..",
        "",
    ] {
        let (message, asked, outside) = fetch_with_shard(file);
        let expected =
            format!("tensor `w`: `{}` is not a file name in the folder", file.escape_debug());
        assert!(message.contains(&expected), "{file:?}: {message}");
        assert!(!asked.iter().any(|asked| asked.path.contains("evil")), "{asked:?}");
        assert!(outside.is_empty(), "{file:?}: {outside:?}");
    }
}

#[test]
fn names_and_revisions_that_are_none_are_refused_before_the_hub_is_asked() {
    let cache = tempfile::tempdir().expect("there is room");
    let server = Server::start(fixture::path("llama/grouped"), Rules::default());
    let hub = server.hub(&cache);
    for (name, expected) in [
        ("../model", "`../model` is not the name of a model"),
        ("/etc/model", "`/etc/model` is not the name of a model"),
        ("", "`` is not the name of a model"),
        ("house/model@../../../x", "`../../../x` is not a revision"),
        ("house/model@/etc/x", "`/etc/x` is not a revision"),
        ("house/model@", "`` is not a revision"),
        ("house/model@a\\b", "`a\\\\b` is not a revision"),
        ("house/model@a\0b", "`a\\0b` is not a revision"),
    ] {
        let message = message(hub.fetch(name));
        assert!(message.contains(expected), "{name:?}: {message}");
    }
    assert_eq!(server.asked().len(), 0);
    assert_eq!(std::fs::read_dir(cache.path()).expect("it is there").count(), 0);
}

#[test]
fn a_redirection_to_nowhere_is_an_error() {
    let cache = tempfile::tempdir().expect("there is room");
    let rules = Rules { moved: true, ..Rules::default() };
    let server = Server::start(fixture::path("llama/grouped"), rules);
    let message = message(server.hub(&cache).fetch("house/model"));
    let expected = "model `house/model`: the hub's reply is refused: its status is 302 Found, \
                    without a target";
    assert_eq!(message, expected);
}

#[test]
fn replies_that_name_files_outside_the_cache_are_refused() {
    let climbing = "../../../../../../evil".to_owned();
    for (header, of_files) in [("etag", true), ("x-repo-commit", false)] {
        let home = tempfile::tempdir().expect("there is room");
        let absolute = home.path().join("evil").display().to_string();
        for name in [&climbing, &absolute, "..", ".", "", "a/b", "a\\b", &"x".repeat(300)] {
            let rules = if of_files {
                Rules { etag: Some(name.to_owned()), ..Rules::default() }
            } else {
                Rules { commit: Some(name.to_owned()), ..Rules::default() }
            };
            let server = Server::start(fixture::path("llama/grouped"), rules);
            let cache = home.path().join("a/b/c/hub");
            let hub = Hub {
                endpoint: Some(server.address),
                cache: cache.clone(),
                token: None,
                offline: false,
                timeout: Duration::from_secs(30),
            };
            let message = message(hub.fetch("house/model"));
            let expected =
                format!("`{header}` is `{}`, which is not a plain file name", name.escape_debug());
            assert!(message.contains(&expected), "{name:?}: {message}");
            let evil = walk(home.path());
            assert!(evil.is_empty(), "{header} {name:?} wrote {evil:?}");
        }
    }
}

/// The files and links under a folder.
pub fn walk(folder: &std::path::Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    entries
        .flat_map(|entry| {
            if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
                walk(&entry.path())
            } else {
                vec![entry.path()]
            }
        })
        .collect()
}
