//! The transport over the network: octocrab, one request at a time, encrypted, direct or through a proxy.
//!
//! Proxies are those of the environment, read as curl and git do. A proxy is used as a tunnel for encrypted connections only, so
//! that it sees neither requests nor the token. Unencrypted connections go to this machine only, and need no proxy.

use super::{ApiBase, Ask, Response, SyncError, Tokens, Transport};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use http::header::{ACCEPT, AUTHORIZATION, IF_NONE_MATCH, USER_AGENT};
use http::{HeaderMap, HeaderValue, Method, Uri};
use http_body_util::{BodyExt as _, Limited};
use hyper_rustls::{HttpsConnector, HttpsConnectorBuilder};
use hyper_util::client::legacy::Client;
use hyper_util::client::legacy::connect::proxy::Tunnel;
use hyper_util::client::legacy::connect::{Connect, HttpConnector};
use hyper_util::client::proxy::matcher::{Intercept, Matcher};
use hyper_util::rt::TokioExecutor;
use octocrab::service::middleware::base_uri::BaseUriLayer;
use octocrab::{AuthState, Octocrab, OctocrabBuilder};
use std::time::Duration;

/// The largest answer, in bytes: more than a hundred issues of the greatest length.
const LARGEST: usize = 64 << 20;
const CONNECT: Duration = Duration::from_secs(15);

/// An API over the network.
///
/// octocrab provides connections and encryption. Its own retries, redirects and caching are not used, since the client
/// handles limits in one place.
pub struct Http {
    runtime: tokio::runtime::Runtime,
    crab: Octocrab,
    headers: HeaderMap,
    patience: Duration,
}

/// Causes are described by their kind, since texts of lower layers may hold what was sent.
fn broken(what: impl Into<String>) -> SyncError {
    SyncError::Network(what.into())
}

impl Http {
    /// Creates a transport for an API; `patience` is how long one whole answer may take.
    ///
    /// # Errors
    /// If the system has no certificates or no sockets, or the token is not valid in a header.
    pub fn new(api: &ApiBase, secrets: &Tokens, patience: Duration) -> Result<Self, SyncError> {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .map_err(|error| broken(format!("no connection can be made: {}", error.kind())))?;
        let mut headers = HeaderMap::new();
        headers.insert(USER_AGENT, HeaderValue::from_static(concat!("contextpack/", env!("CARGO_PKG_VERSION"))));
        headers.insert("x-github-api-version", HeaderValue::from_static("2022-11-28"));
        if let Some(token) = secrets.token() {
            let mut value = HeaderValue::try_from(format!("Bearer {token}"))
                .map_err(|_| broken("the token has characters that no token has; look for a line end or a space"))?;
            value.set_sensitive(true);
            headers.insert(AUTHORIZATION, value);
        }
        let crab = {
            // Connections are tied to the runtime that makes them.
            let _inside = runtime.enter();
            client(api)?
        };
        Ok(Self { runtime, crab, headers, patience })
    }
}

impl Transport for Http {
    fn send(&mut self, path: &str, ask: Ask<'_>) -> Result<Response, SyncError> {
        let (method, accept, etag, body) = match ask {
            Ask::Json(etag) => (Method::GET, "application/vnd.github+json", etag, None),
            Ask::File => (Method::GET, "application/vnd.github.raw+json", None, None),
            Ask::Post(body) => (Method::POST, "application/vnd.github+json", None, Some(body)),
        };
        let mut builder = http::Request::builder().method(method).uri(path);
        if let Some(headers) = builder.headers_mut() {
            headers.extend(self.headers.clone());
            headers.insert(ACCEPT, HeaderValue::from_static(accept));
            headers.extend(etag.and_then(|etag| Some((IF_NONE_MATCH, HeaderValue::try_from(etag).ok()?))));
        }
        let request = self.crab.build_request(builder, body).map_err(|_| broken("the request cannot be built"))?;
        self.runtime.block_on(async {
            let asked = async {
                let response = self.crab.execute(request).await.map_err(|error| broken(cause(&error)))?;
                let (head, body) = response.into_parts();
                let body = Limited::new(body, LARGEST).collect().await;
                let body = body.map_err(|_| broken("an answer was cut off, or is larger than 64 MiB"))?;
                Ok(Response::from_parts(head, body.to_bytes().to_vec()))
            };
            let answer = tokio::time::timeout(self.patience, asked).await;
            answer.unwrap_or_else(|_| Err(broken("an answer did not come in time")))
        })
    }
}

/// Returns the name and password of the proxy for an API, and the password alone, which must not be shown.
pub fn proxy_secrets(api: &ApiBase) -> Vec<String> {
    let proxy = api.origin.parse().ok().and_then(|origin| proxy_for(&origin));
    let login = proxy.and_then(|proxy| {
        let basic = proxy.basic_auth()?.to_str().ok()?.strip_prefix("Basic ")?.to_owned();
        String::from_utf8(STANDARD.decode(basic).ok()?).ok()
    });
    let password = login.as_deref().and_then(|login| Some(login.split_once(':')?.1.to_owned()));
    login.into_iter().chain(password).collect()
}

fn proxy_for(api: &Uri) -> Option<Intercept> {
    Matcher::from_env().intercept(api).filter(|_| api.scheme_str() == Some("https"))
}

/// Creates a client of an API. It must be called inside the runtime that will use the client.
fn client(api: &ApiBase) -> Result<Octocrab, SyncError> {
    let origin: Uri = api.origin.parse().map_err(|_| broken("the address of the API is none"))?;
    let mut tcp = HttpConnector::new();
    tcp.enforce_http(false);
    tcp.set_connect_timeout(Some(CONNECT));
    let Some(proxy) = proxy_for(&origin) else {
        return over(encrypted(tcp)?, origin);
    };
    if !matches!(proxy.uri().scheme_str(), Some("http" | "https")) {
        return Err(broken("the environment names a proxy of a kind that is not supported; use an `http://` one"));
    }
    // The connection to the proxy may be encrypted too.
    let mut tunnel = Tunnel::new(proxy.uri().clone(), encrypted(tcp)?);
    if let Some(auth) = proxy.basic_auth() {
        tunnel = tunnel.with_auth(auth.clone());
    }
    over(encrypted(tunnel)?, origin)
}

/// Wraps a connector with encryption for `https` addresses, with the certificates that the system trusts.
fn encrypted<C>(connector: C) -> Result<HttpsConnector<C>, SyncError> {
    let provider = rustls::crypto::ring::default_provider();
    let builder = HttpsConnectorBuilder::new()
        .with_provider_and_native_roots(provider)
        .map_err(|_| broken("no encrypted connection can be made: are there root certificates?"))?;
    Ok(builder.https_or_http().enable_http1().wrap_connector(connector))
}

fn over<C: Connect + Clone + Send + Sync + 'static>(connector: C, origin: Uri) -> Result<Octocrab, SyncError> {
    let client = Client::builder(TokioExecutor::new()).build(connector);
    let builder = OctocrabBuilder::new_empty().with_service(client).with_layer(&BaseUriLayer::new(origin));
    match builder.with_auth(AuthState::None).build() {
        Ok(crab) => Ok(crab),
        Err(never) => match never {},
    }
}

/// Describes the cause of an error without quoting it.
fn cause(error: &octocrab::Error) -> &'static str {
    let mut next: Option<&(dyn std::error::Error + 'static)> = Some(error);
    while let Some(error) = next {
        let io = error.downcast_ref::<std::io::Error>();
        match io.map(std::io::Error::kind) {
            Some(std::io::ErrorKind::ConnectionRefused) => return "the connection was refused",
            Some(std::io::ErrorKind::TimedOut) => return "the connection timed out",
            Some(std::io::ErrorKind::InvalidData) => {
                return "no encrypted connection came about; does this system trust the server's certificate?";
            }
            _ => {}
        }
        // The type of these errors is not public; their texts hold nothing of an answer.
        match error.to_string() {
            text if !text.starts_with("tunnel error") => {}
            text if text.ends_with("authorization required") => return "the proxy wants a name and a password",
            text if text.contains("connect") => return "the proxy of the environment was not reached",
            _ => return "the proxy of the environment does not lead to the API",
        }
        // An I/O error that holds another does not give it as its source.
        let inner = io.and_then(std::io::Error::get_ref).map(|inner| inner as &(dyn std::error::Error + 'static));
        next = inner.or_else(|| error.source());
    }
    "there was no connection, or it was cut"
}
