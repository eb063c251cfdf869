//! A hub that misbehaves: each request ends soon, with the right file or an error; no other server
//! sees the token; and the cache stays usable.

use crate::{
    fixture,
    hub::{COMMIT, message, same_files},
};
use hloom_models::hub::Hub;
use sha1::Sha1;
use sha2::{Digest, Sha256};
use std::{
    io::{self, BufRead, BufReader, Write},
    net::{TcpListener, TcpStream},
    path::Path,
    sync::{
        Arc, Mutex,
        atomic::{AtomicUsize, Ordering::SeqCst},
    },
    thread,
    time::{Duration, Instant},
};

const WEIGHTS: &str = "model.safetensors";
/// An address that no machine has: RFC 5737.
const NOWHERE: &str = "http://192.0.2.1/model.safetensors";
/// The client's time limit for a part of a reply.
const TIMEOUT: Duration = Duration::from_millis(300);
/// A bound on the time of a whole fetch.
const BOUND: Duration = Duration::from_secs(20);

/// The name of a file's content: the SHA-256 of weights, as git's hash of other files.
pub fn etag(path: &str, bytes: &[u8]) -> String {
    let hex = |digest: &[u8]| digest.iter().map(|byte| format!("{byte:02x}")).collect();
    if path.ends_with(".safetensors") {
        return hex(&Sha256::digest(bytes));
    }
    let blob = [format!("blob {}\0", bytes.len()).as_bytes(), bytes].concat();
    hex(&Sha1::digest(blob))
}

/// The misbehaviour of a server when it is asked for the weights or, where named so, the list.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Fault {
    Honest,
    RelativeLoop,
    AbsoluteLoop,
    /// Redirects to another host, which has the file.
    OtherHost,
    /// Redirects the list to another host, which has it.
    ListOfOtherHost,
    Clear,
    OtherScheme,
    NoAddress,
    StallInHeaders,
    SlowHeaders,
    StallInBody,
    WrongContent,
    WrongConfig,
    TooLong,
    TooShort,
    GarbageRange,
    GarbageSize,
    HugeSize,
    OtherRange,
    MissingEtag,
    UncheckedEtag,
    MissingCommit,
    EndlessHeaders,
    EndlessBody,
    EndlessList,
    EndlessInterim,
}

use Fault::*;

/// The faults of which a fetch reports an error, and a part of its message.
const REFUSED: [(Fault, &str); 23] = [
    (RelativeLoop, "redirects more than 10 times"),
    (AbsoluteLoop, "redirects more than 10 times"),
    (Clear, "neither https nor the hub's own address"),
    (OtherScheme, "`file:///etc/passwd`, which is not an address"),
    (NoAddress, "which is not an address"),
    (StallInHeaders, "kept the client waiting for 300ms"),
    (SlowHeaders, "kept the client waiting for 300ms"),
    (StallInBody, "kept the client waiting for 300ms"),
    (WrongContent, "the hash of `model.safetensors` is "),
    (WrongConfig, "the hash of `config.json` is "),
    (TooLong, " bytes, and "),
    (TooShort, " bytes, and "),
    (GarbageRange, "`content-range` is `bytes x-y/many`, which is not a size"),
    (GarbageSize, "`x-linked-size` is `-1`, which is not a size"),
    (HugeSize, "expected `bytes 0-18446744073709551614/18446744073709551615`"),
    (OtherRange, "`content-range` of `model.safetensors` is `bytes 7-"),
    (MissingEtag, "no header `etag`"),
    (UncheckedEtag, "neither a SHA-256 of 64 nor a SHA-1 of 40"),
    (MissingCommit, "no header `x-repo-commit`"),
    (EndlessHeaders, ""),
    (EndlessBody, " bytes, and "),
    (EndlessList, "the list of its files is longer than 33554432 bytes"),
    (EndlessInterim, ""),
];

/// A server of the model `house/model`.
struct Server {
    address: String,
    requests: Arc<AtomicUsize>,
    tokens: Arc<Mutex<Vec<String>>>,
}

impl Server {
    /// `other` is the address of another server; `cut` ends each faulty reply in its middle.
    fn start(fault: Fault, cut: bool, other: String) -> Server {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port is free");
        let address = format!("http://{}", listener.local_addr().expect("it is bound"));
        let (requests, tokens) = (Arc::<AtomicUsize>::default(), Arc::<Mutex<Vec<_>>>::default());
        let server =
            Server { address: address.clone(), requests: requests.clone(), tokens: tokens.clone() };
        thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                requests.fetch_add(1, SeqCst);
                let (address, other, tokens) = (address.clone(), other.clone(), tokens.clone());
                // The client may disconnect at any time.
                thread::spawn(move || {
                    let _ = answer(stream, fault, cut, &address, &other, &tokens);
                });
            }
        });
        server
    }

    fn hub(&self, cache: &Path) -> Hub {
        Hub {
            endpoint: Some(self.address.clone()),
            cache: cache.to_owned(),
            token: Some("secret".into()),
            offline: false,
            timeout: TIMEOUT,
        }
    }

    fn tokens(&self) -> usize {
        self.tokens.lock().expect("no thread panics with it").len()
    }
}

fn answer(
    mut stream: TcpStream,
    fault: Fault,
    cut: bool,
    own: &str,
    other: &str,
    tokens: &Mutex<Vec<String>>,
) -> io::Result<()> {
    stream.set_write_timeout(Some(BOUND))?;
    let mut lines = BufReader::new(stream.try_clone()?).lines();
    let request = lines.next().unwrap_or(Ok(String::new()))?;
    let path = request.split(' ').nth(1).unwrap_or("").to_owned();
    let mut start = None;
    for line in lines {
        let line = line?.to_ascii_lowercase();
        if line.is_empty() {
            break;
        }
        if let Some(token) = line.strip_prefix("authorization: ") {
            tokens.lock().expect("no thread panics with it").push(token.to_owned());
        }
        if let Some(range) = line.strip_prefix("range: bytes=") {
            start = range.split('-').next().and_then(|start| start.parse::<usize>().ok());
        }
        if line == "range: bytes=0-0" {
            start = None;
        }
    }
    let is_list = path.starts_with("/api/");
    let of_list = matches!(fault, ListOfOtherHost | EndlessList);
    let of_config = fault == WrongConfig;
    let is_faulty = match () {
        () if of_list => is_list,
        () if of_config => path.ends_with("/config.json"),
        () => path.ends_with(WEIGHTS),
    };
    let fault = if is_faulty { fault } else { Honest };
    let (head, body) = reply(fault, &path, start, own, other);
    let bytes = [head.as_bytes(), &body].concat();
    if is_faulty && cut {
        return stream.write_all(&bytes[..bytes.len() / 2]);
    }
    match fault {
        StallInHeaders => {
            stream.write_all(&head.as_bytes()[..20])?;
            thread::sleep(BOUND);
        }
        SlowHeaders => {
            for byte in head.as_bytes() {
                stream.write_all(&[*byte])?;
                thread::sleep(TIMEOUT / 4);
            }
        }
        StallInBody if start.is_some() => {
            stream.write_all(&bytes[..head.len() + body.len() / 2])?;
            thread::sleep(BOUND);
        }
        EndlessHeaders => {
            stream.write_all(b"HTTP/1.1 206 Partial Content\r\n")?;
            repeat(&mut stream, b"x-more: and more\r\n")?;
        }
        EndlessInterim => repeat(&mut stream, b"HTTP/1.1 103 Early Hints\r\nlink: x\r\n\r\n")?,
        EndlessBody | EndlessList => {
            stream.write_all(head.as_bytes())?;
            repeat(&mut stream, &[b' '; 1 << 16])?;
        }
        _ => stream.write_all(&bytes)?,
    }
    Ok(())
}

/// Sends the same until the client disconnects, or the bound on a fetch has passed.
fn repeat(stream: &mut TcpStream, bytes: &[u8]) -> io::Result<()> {
    let begin = Instant::now();
    while begin.elapsed() < BOUND {
        stream.write_all(bytes)?;
    }
    Ok(())
}

/// The head and the body of the reply to a request, which is for all of a file from `start` on, or
/// for its first byte.
fn reply(
    fault: Fault,
    path: &str,
    start: Option<usize>,
    own: &str,
    other: &str,
) -> (String, Vec<u8>) {
    let target = match fault {
        RelativeLoop => Some(path.to_owned()),
        AbsoluteLoop => Some(format!("{own}{path}")),
        OtherHost | ListOfOtherHost => Some(format!("{other}{path}")),
        Clear => Some(NOWHERE.to_owned()),
        OtherScheme => Some("file:///etc/passwd".to_owned()),
        NoAddress => Some("http://[::x/".to_owned()),
        _ => None,
    };
    let file = path.strip_prefix("/house/model/resolve/main/");
    let file = file.and_then(|file| std::fs::read(fixture::path("llama/grouped").join(file)).ok());
    let mut headers = String::from("Connection: close\r\n");
    if let Some(target) = target {
        headers += &format!("Location: {target}\r\n");
    }
    let (status, body) = match (&file, fault) {
        (Some(bytes), _) => {
            let mut bytes = bytes.clone();
            let (name, size) = (etag(path, &bytes), bytes.len());
            match fault {
                WrongContent | WrongConfig => bytes[size - 1] ^= 1,
                TooLong => bytes.push(0),
                TooShort => bytes.truncate(size - 1),
                _ => {}
            }
            match fault {
                MissingEtag => {}
                UncheckedEtag => headers += "etag: \"abc-123\"\r\n",
                _ => headers += &format!("etag: \"{name}\"\r\n"),
            }
            match fault {
                MissingCommit => {}
                _ => headers += &format!("x-repo-commit: {COMMIT}\r\n"),
            }
            let (from, to) = start.map_or((0, 0), |start| (start, size - 1));
            headers += &match (fault, start) {
                (GarbageRange, _) => "Content-Range: bytes x-y/many\r\n".to_owned(),
                (OtherRange, Some(_)) => format!("Content-Range: bytes 7-{to}/{size}\r\n"),
                _ => format!("Content-Range: bytes {from}-{to}/{size}\r\n"),
            };
            match fault {
                GarbageSize => headers += "x-linked-size: -1\r\n",
                HugeSize => headers += &format!("x-linked-size: {}\r\n", u64::MAX),
                _ => {}
            }
            let end = if start.is_some() { bytes.len() } else { 1 };
            ("206 Partial Content", bytes[from.min(end)..end].to_vec())
        }
        (None, _) => {
            let list = ["config.json", WEIGHTS].map(|name| format!("{{\"rfilename\":{name:?}}}"));
            ("200 OK", format!("{{\"siblings\":[{}]}}", list.join(",")).into_bytes())
        }
    };
    let status = if headers.contains("Location") { "302 Found" } else { status };
    if !matches!(fault, EndlessBody | EndlessList) {
        headers += &format!("Content-Length: {}\r\n", body.len());
    }
    (format!("HTTP/1.1 {status}\r\n{headers}\r\n"), body)
}

/// Checks that a good server completes what the cache holds.
fn completes(cache: &Path, fault: Fault) {
    let good = Server::start(Honest, false, String::new());
    let folder = good.hub(cache).fetch("house/model");
    let folder = folder.unwrap_or_else(|error| panic!("after {fault:?}: {error}"));
    same_files(&folder, &fixture::path("llama/grouped"));
}

#[test]
fn replies_of_a_hostile_hub_end_soon_in_an_error() {
    thread::scope(|scope| {
        for (fault, expected) in REFUSED {
            scope.spawn(move || {
                let cache = tempfile::tempdir().expect("there is room");
                let server = Server::start(fault, false, String::new());
                let begin = Instant::now();
                let message = message(server.hub(cache.path()).fetch("house/model"));
                assert!(begin.elapsed() < BOUND, "{fault:?} took {:?}", begin.elapsed());
                assert!(message.contains(expected), "{fault:?}: {message}");
                assert!(server.requests.load(SeqCst) < 20, "{fault:?}");
                completes(cache.path(), fault);
            });
        }
    });
}

#[test]
fn a_connection_cut_in_any_reply_is_an_error_and_the_download_goes_on() {
    thread::scope(|scope| {
        for (fault, _) in REFUSED.into_iter().chain([(OtherHost, ""), (Honest, "")]) {
            scope.spawn(move || {
                let cache = tempfile::tempdir().expect("there is room");
                let server = Server::start(fault, true, String::new());
                let begin = Instant::now();
                message(server.hub(cache.path()).fetch("house/model"));
                assert!(begin.elapsed() < BOUND, "{fault:?} took {:?}", begin.elapsed());
                completes(cache.path(), fault);
            });
        }
    });
}

#[test]
fn the_token_is_sent_to_the_hub_and_not_where_it_redirects_to() {
    for fault in [OtherHost, ListOfOtherHost] {
        let cache = tempfile::tempdir().expect("there is room");
        let other = Server::start(Honest, false, String::new());
        let server = Server::start(fault, false, other.address.clone());
        let folder = server.hub(cache.path()).fetch("house/model");
        let folder = folder.unwrap_or_else(|error| panic!("{fault:?}: {error}"));
        same_files(&folder, &fixture::path("llama/grouped"));
        assert!(other.requests.load(SeqCst) > 0, "{fault:?}: the other server was not asked");
        assert_eq!(other.tokens(), 0, "{fault:?}");
        assert_eq!(server.tokens(), server.requests.load(SeqCst), "{fault:?}");
    }
}

#[test]
fn what_is_not_an_address_of_a_hub_is_refused() {
    let cache = tempfile::tempdir().expect("there is room");
    for endpoint in ["", "huggingface.co", "ftp://huggingface.co", "http://", "file:///etc", "a b"]
    {
        let server = Server::start(Honest, false, String::new());
        let hub = Hub { endpoint: Some(endpoint.into()), ..server.hub(cache.path()) };
        let message = message(hub.fetch("house/model"));
        assert!(message.contains("is not the address of a hub"), "{endpoint:?}: {message}");
    }
}
