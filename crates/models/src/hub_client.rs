//! Requests to a hub: its token, redirections and time limits.
//!
//! Redirections are followed here and not by the HTTP library, because the token must only be sent
//! to the hub, and because intermediate replies have headers that the last one lacks.

use crate::hub::FetchError;
use std::{net::IpAddr, time::Duration};
use ureq::{
    Agent, Body,
    http::{
        Response, Uri,
        header::{AUTHORIZATION, LOCATION, RANGE},
        uri::Scheme,
    },
};

/// The number of redirections of one request. Hubs use one or two.
const MAX_REDIRECTS: usize = 10;

/// The minimum rate of a transfer, in bytes per second.
const MIN_RATE: u64 = 1 << 10;

/// Sends requests to one hub.
pub struct HubClient {
    endpoint: Uri,
    token: Option<String>,
    timeout: Duration,
    agent: Agent,
}

impl HubClient {
    /// A client of the hub at an address without a final slash.
    ///
    /// `timeout` is the maximum time to wait for a connection, for the headers of a reply and for
    /// the next bytes of its body.
    ///
    /// # Errors
    /// The address is not an absolute URL of http or https.
    pub fn new(
        endpoint: &str,
        token: Option<String>,
        timeout: Duration,
    ) -> Result<Self, FetchError> {
        let invalid = || FetchError::Endpoint(endpoint.to_owned());
        let endpoint: Uri = endpoint.parse().map_err(|_| invalid())?;
        if endpoint.host().is_none() || port(&endpoint).is_none() {
            return Err(invalid());
        }
        let agent = Agent::config_builder()
            .max_redirects(0)
            .max_redirects_will_error(false)
            // The length of a compressed body would differ from that of the file.
            .accept_encoding("identity")
            .timeout_resolve(Some(timeout))
            .timeout_connect(Some(timeout))
            .timeout_send_request(Some(timeout))
            .timeout_recv_response(Some(timeout))
            .timeout_per_read(Some(timeout))
            .build()
            .new_agent();
        Ok(Self { endpoint, token, timeout, agent })
    }

    /// The maximum time to wait for a part of a reply.
    pub fn timeout(&self) -> Duration {
        self.timeout
    }

    /// Requests `url`, or `range` of it, and returns the last reply of its redirections, whose body
    /// has at most `size` bytes to be read. `visit` gets each reply of the hub itself.
    ///
    /// # Errors
    /// A server cannot be reached, reports an error or keeps the client waiting; or redirects too
    /// often, without a target, or to an address that is neither of https nor the hub's.
    pub fn get(
        &self,
        url: &str,
        range: Option<&str>,
        size: u64,
        mut visit: impl FnMut(&Response<Body>),
    ) -> Result<Response<Body>, FetchError> {
        let mut uri: Uri = url.parse().map_err(|_| FetchError::Endpoint(url.to_owned()))?;
        for _ in 0..=MAX_REDIRECTS {
            let response = self.send(&uri, range, size)?;
            if is_same_origin(&uri, &self.endpoint) {
                visit(&response);
            }
            if !response.status().is_redirection() {
                return Ok(response);
            }
            uri = self.target(&uri, &response)?;
        }
        Err(FetchError::Reply(format!("it redirects more than {MAX_REDIRECTS} times")))
    }

    fn send(
        &self,
        uri: &Uri,
        range: Option<&str>,
        size: u64,
    ) -> Result<Response<Body>, FetchError> {
        let all = self.timeout.saturating_add(Duration::from_secs(size / MIN_RATE));
        let mut request = self.agent.get(uri.clone()).config().timeout_recv_body(Some(all)).build();
        if let Some(range) = range {
            request = request.header(RANGE, range);
        }
        if let Some(token) = self.token.as_ref().filter(|_| self.may_have_token(uri)) {
            request = request.header(AUTHORIZATION, format!("Bearer {token}"));
        }
        request.call().map_err(|error| match error {
            ureq::Error::Timeout(_) => FetchError::Stalled(self.timeout),
            error => error.into(),
        })
    }

    /// Whether the token may be sent to this address: only to the hub, and not unencrypted over a
    /// network.
    fn may_have_token(&self, uri: &Uri) -> bool {
        let is_private = uri.scheme() == Some(&Scheme::HTTPS) || is_loopback(uri);
        is_same_origin(uri, &self.endpoint) && is_private
    }

    /// The address that a reply redirects to.
    fn target(&self, from: &Uri, response: &Response<Body>) -> Result<Uri, FetchError> {
        let location = response.headers().get(LOCATION);
        let Some(location) = location else {
            let problem = format!("its status is {}, without a target", response.status());
            return Err(FetchError::Reply(problem));
        };
        let refused = |problem: &str| {
            // The query of an address may hold a key.
            let text = String::from_utf8_lossy(location.as_bytes());
            let start = text.split('?').next().unwrap_or_default();
            let shown: String = start.chars().take(200).collect();
            FetchError::Reply(format!("it redirects to `{}`, {problem}", shown.escape_debug()))
        };
        let text = location.to_str().map_err(|_| refused("which is not an address"))?;
        let absolute = match (from.scheme_str(), from.authority(), text.strip_prefix("//")) {
            (Some(scheme), _, Some(rest)) => format!("{scheme}://{rest}"),
            (Some(scheme), Some(host), None) if text.starts_with('/') => {
                format!("{scheme}://{host}{text}")
            }
            _ => text.to_owned(),
        };
        let uri: Uri = absolute.parse().map_err(|_| refused("which is not an address"))?;
        let is_clear = uri.scheme() == Some(&Scheme::HTTP);
        let is_near = is_loopback(&uri) && is_loopback(&self.endpoint);
        if uri.host().is_none() || port(&uri).is_none() {
            return Err(refused("which is not an address of http or https"));
        }
        if is_clear && !is_near && !is_same_origin(&uri, &self.endpoint) {
            return Err(refused("which is neither https nor the hub's own address"));
        }
        Ok(uri)
    }
}

/// Whether two addresses have one scheme, host and port.
fn is_same_origin(a: &Uri, b: &Uri) -> bool {
    let host = |uri: &Uri| uri.host().map(str::to_ascii_lowercase);
    a.scheme() == b.scheme() && host(a) == host(b) && port(a) == port(b)
}

/// The port of an address; `None` where its scheme is neither http nor https.
fn port(uri: &Uri) -> Option<u16> {
    let default = match uri.scheme_str()? {
        "http" => 80,
        "https" => 443,
        _ => return None,
    };
    Some(uri.port_u16().unwrap_or(default))
}

/// Whether an address is on this machine.
fn is_loopback(uri: &Uri) -> bool {
    let host = uri.host().unwrap_or_default().trim_matches(['[', ']']);
    host.eq_ignore_ascii_case("localhost")
        || host.parse().is_ok_and(|address: IpAddr| address.is_loopback())
}
