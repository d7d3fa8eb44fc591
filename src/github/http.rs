//! The transport over the network: octocrab, one request at a time.

use super::connect::client;
use super::{ApiBase, MediaType, Proxies, Response, Tokens, Transport, TransportError};
use http::header::{AUTHORIZATION, IF_NONE_MATCH, USER_AGENT};
use http::{HeaderMap, HeaderValue};
use http_body_util::{BodyExt, Limited};
use octocrab::Octocrab;
use serde_json::Value;
use std::time::Duration;

/// The largest answer, in bytes: more than a hundred issues of the greatest length.
const LARGEST: usize = 64 << 20;

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

impl Http {
    /// Creates a transport for an API; `patience` is how long one whole answer may take.
    ///
    /// # Errors
    /// If the system has no certificates or no sockets, or the token is not valid in a header.
    pub fn new(api: &ApiBase, secrets: &Tokens, patience: Duration, proxies: &Proxies) -> Result<Self, TransportError> {
        // Causes are described by their kind, since texts of lower layers may hold what was sent.
        let failed = |what: &str| TransportError { what: what.to_owned() };
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .map_err(|error| failed(&format!("no connection can be made: {}", error.kind())))?;
        let mut headers = HeaderMap::new();
        headers.insert(USER_AGENT, HeaderValue::from_static(concat!("contextpack/", env!("CARGO_PKG_VERSION"))));
        headers.insert("x-github-api-version", HeaderValue::from_static("2022-11-28"));
        if let Some(token) = secrets.token() {
            let mut value = HeaderValue::try_from(format!("Bearer {token}"))
                .map_err(|_| failed("the token has characters that no token has; look for a line end or a space"))?;
            value.set_sensitive(true);
            headers.insert(AUTHORIZATION, value);
        }
        let crab = {
            // Connections are tied to the runtime that makes them.
            let _inside = runtime.enter();
            client(api, proxies)?
        };
        Ok(Self { runtime, crab, headers, patience })
    }
}

impl Transport for Http {
    fn get(&mut self, path: &str, media: MediaType, etag: Option<&str>) -> Result<Response, TransportError> {
        let accept = match media {
            MediaType::Json => "application/vnd.github+json",
            MediaType::Raw => "application/vnd.github.raw+json",
        };
        let mut headers = self.headers_accepting(accept);
        if let Some(etag) = etag.and_then(|etag| HeaderValue::try_from(etag).ok()) {
            headers.insert(IF_NONE_MATCH, etag);
        }
        self.whole(self.crab._get_with_headers(path, Some(headers)))
    }

    fn post(&mut self, path: &str, body: &Value) -> Result<Response, TransportError> {
        let mut builder = http::Request::post(path);
        if let Some(headers) = builder.headers_mut() {
            headers.extend(self.headers_accepting("application/vnd.github+json"));
        }
        let request = self.crab.build_request(builder, Some(body));
        let request = request.map_err(|_| TransportError { what: "the request cannot be built".to_owned() })?;
        self.whole(self.crab.execute(request))
    }
}

impl Http {
    fn headers_accepting(&self, accept: &'static str) -> HeaderMap {
        let mut headers = self.headers.clone();
        headers.insert("accept", HeaderValue::from_static(accept));
        headers
    }

    /// Waits for a whole answer.
    fn whole<B>(
        &self,
        answer: impl Future<Output = octocrab::Result<http::Response<B>>>,
    ) -> Result<Response, TransportError>
    where
        B: BodyExt<Error: Into<Box<dyn std::error::Error + Send + Sync>>>,
    {
        let broken = |what: &str| TransportError { what: what.to_owned() };
        self.runtime.block_on(async {
            let asked = async {
                let response = answer.await.map_err(|error| broken(cause(&error)))?;
                let status = response.status().as_u16();
                let text = |value: &HeaderValue| value.to_str().ok().map(str::to_owned);
                let headers = response.headers().iter();
                let headers =
                    headers.filter_map(|(name, value)| Some((name.as_str().to_owned(), text(value)?))).collect();
                let body = Limited::new(response.into_body(), LARGEST).collect().await;
                let body = body.map_err(|_| broken("an answer was cut off, or is larger than 64 MiB"))?;
                Ok(Response { status, headers, body: body.to_bytes().to_vec() })
            };
            let answer = tokio::time::timeout(self.patience, asked).await;
            answer.unwrap_or_else(|_| Err(broken("an answer did not come in time")))
        })
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
